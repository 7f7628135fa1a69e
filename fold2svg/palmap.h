/*
 * The palette map of --cp: colours that names keep from picture to picture, in a file of
 * lines "NAME->rgb(R,G,B)", as flamegraph.pl reads and writes it.
 */
#ifndef FOLD2SVG_PALMAP_H
#define FOLD2SVG_PALMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/strbuf.h"

/* Zero-initialized is empty and valid. */
struct palmap {
	struct intern names;
	uint32_t *rgb; /* by name, 0xRRGGBB */
	size_t cap;
};

bool palmap_find(const struct palmap *p, struct slice name, uint32_t *rgb);
void palmap_set(struct palmap *p, struct slice name, uint32_t rgb);

/*
 * Reads the file at `path`, a file that is not there as an empty one. 0, or a negative
 * errno with *err saying what and in which line.
 */
int palmap_read(struct palmap *p, const char *path, struct strbuf *err);

/* Writes it anew, sorted bytewise; what is at `path` stays whole if that fails. */
int palmap_write(const struct palmap *p, const char *path, struct strbuf *err);

void palmap_release(struct palmap *p);

#endif
