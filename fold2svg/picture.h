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
#include "classic.h"
#include "count.h"
#include "flametree.h"
#include "nameattr.h"

enum colors {
	COLORS_KIND,    /* what a frame is */
	COLORS_MODULE,  /* where it comes from */
	COLORS_CLASSIC, /* flamegraph.pl's palettes */
};

/* Lengths in px of the picture at its own size. Texts are any bytes. */
struct picture {
	struct slice title, subtitle; /* an empty subtitle takes no room */
	struct slice notes;           /* for who reads the source */
	struct slice countname;       /* "samples" */
	struct slice nametype;        /* "Function:" */
	struct slice fonttype;        /* of all text; empty: ours */
	struct slice encoding;        /* to be declared, a superset of ASCII; empty: UTF-8 */
	unsigned width;               /* of the whole, at least PICTURE_WIDTH_MIN */
	bool fluid;                   /* the script fits the width to the window */
	unsigned frame_height;
	double minwidth;              /* narrower frames are not drawn, the root always */
	bool minwidth_percent;        /* of the root's width */
	double fontsize;              /* 0: as fits the frames' height */
	double fontwidth;             /* of a character, in em; 0: that of ours */
	bool inverted;                /* root on top */
	bool reversed, chart;         /* how the tree was made: --reverse, --flamechart */
	bool negate;                  /* differentials: more and less in each other's colours */
	bool base_before;             /* differentials: widths are those before */
	bool no_js;                   /* no script, and no data for it */
	struct decimal factor;        /* of the counts in texts */
	uint64_t total;               /* that the width stands for, in units of the tree's counts,
	                                 not below its total; 0: that */
	enum colors colors;
	const struct classic *classic; /* for COLORS_CLASSIC */
	uint32_t bgcolors[2];         /* 0xRRGGBB from top to bottom */
	bool has_bgcolors;            /* or else the page is light or dark */
	const struct nameattr *attrs; /* or NULL */
};

enum { PICTURE_WIDTH_MIN = 100 };

/* Writes the document; the root's total is above 0. */
void picture_write(struct output *out, const struct picture *pic, const struct flame *flame);

#endif
