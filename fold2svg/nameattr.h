/*
 * Attributes for the frames of a name, from a file as flamegraph.pl's --nameattr
 * takes it: lines of NAME TAB key=value TAB key=value …
 *
 * Who draws a picture and who wrote the file need not trust each other: keys are those
 * below only (no event handlers, no g_extra or a_extra), a link leads to http, https or
 * a relative address, a style fetches nothing.
 */
#ifndef FOLD2SVG_NAMEATTR_H
#define FOLD2SVG_NAMEATTR_H

#include "base/strbuf.h"

struct nameattr;

/* Each as it is in the file, not escaped; empty if there is none. All of them are safe. */
struct attributes {
	struct slice title; /* in place of the name and its count */
	struct slice class, style, id;
	struct slice href, target; /* a link around the frame; http, https, or relative */
};

/* From a file; NULL with *err saying what is wrong, and in which line. */
struct nameattr *nameattr_read(const char *path, struct strbuf *err);
void nameattr_free(struct nameattr *na);

/* Those of a frame's name with its annotation; NULL if there are none. */
const struct attributes *nameattr_find(const struct nameattr *na, struct slice name);

#endif
