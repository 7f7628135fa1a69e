/*
 * The picture: one SVG document that is complete without scripts, with the whole
 * tree as data behind it and the script that takes over where scripts run.
 *
 * The data is text in <metadata> elements. Those of class "names" hold one name a
 * line, a kind's letter (palette.h; "i" inlined), a digit for the shade, a blank,
 * and the label. Those of class "frames" hold the tree in preorder, the root
 * first, a frame a line: "NAME", "NAME UP" or "NAME UP SELF", where NAME counts from 0
 * (the root has 0, too), UP is how many levels above the frame before its caller lies
 * (0: the frame before is the caller) and SELF the samples without a callee; what
 * is left out is 0. Elements of one class are to be joined: they are kept short
 * because XML parsers bound the length of a text.
 */
#ifndef FOLD2SVG_PICTURE_H
#define FOLD2SVG_PICTURE_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/stream.h"
#include "flametree.h"

/* Lengths in px of the picture at its own size. */
struct picture {
	struct slice title, subtitle; /* an empty subtitle takes no room */
	struct slice countname;       /* "samples" */
	unsigned width;               /* of the whole, at least PICTURE_WIDTH_MIN */
	bool fluid;                   /* the script fits the width to the window */
	unsigned frame_height;
	double minwidth;              /* narrower frames are not drawn, the root always */
	bool minwidth_percent;        /* of the root's width */
	bool inverted;                /* root on top */
};

enum { PICTURE_WIDTH_MIN = 100 };

/* Writes the document; the root's total is above 0. */
void picture_write(struct output *out, const struct picture *pic, const struct flame *flame);

#endif
