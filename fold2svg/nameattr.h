/*
 * Attributes for the frames of a name, from a file as flamegraph.pl's --nameattr
 * takes it: lines of NAME TAB key=value TAB key=value …
 */
#ifndef FOLD2SVG_NAMEATTR_H
#define FOLD2SVG_NAMEATTR_H

#include "base/slice.h"

struct nameattr;

/* Each as it is in the file, not escaped; empty if there is none. All of them are safe. */
struct attributes {
	struct slice title; /* in place of the name and its count */
	struct slice class, style, id;
	struct slice href, target; /* a link around the frame; http, https, or relative */
};

/* Those of a frame's name with its annotation; NULL if there are none. */
const struct attributes *nameattr_find(const struct nameattr *na, struct slice name);

#endif
