/*
 * The picture: one SVG document that is complete without scripts, with the whole tree as
 * data behind it (data.h) and the script that takes over where scripts run.
 *
 * What the script replaces is the group of class "static": frames, header, footer. The
 * colours (palette.h) are in the first <style>; those for the dark in its only @media rule,
 * whose condition a script may change. With bgcolors there is none: the frames are as fits
 * the background.
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
