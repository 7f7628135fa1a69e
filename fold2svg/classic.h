/*
 * The named palettes of flamegraph.pl: a colour by the frame's name. Where that
 * tool's colour is a function of the name alone, this is the same one.
 */
#ifndef FOLD2SVG_CLASSIC_H
#define FOLD2SVG_CLASSIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum classic_palette {
	CLASSIC_HOT,
	CLASSIC_COUNT,
};

struct palmap; /* colours that a file sets, and that are added to it */

struct classic {
	enum classic_palette palette;
	bool hash;             /* --hash: another function of the name */
	struct palmap *palmap; /* --cp; or NULL */
};

/* 0xRRGGBB for a name with its annotation. With a palmap, a name new to it is added. */
uint32_t classic_rgb(const struct classic *c, struct slice name);

#endif
