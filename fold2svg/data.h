/*
 * The whole tree as text in <metadata> elements: what the script draws from. Nothing is
 * left out that the picture is too narrow for. This is the contract of both sides.
 *
 * class="settings": how the picture is to be drawn, in attributes. Booleans are 0 or 1.
 *	data-title data-subtitle     texts
 *	data-countname data-nametype "samples", "Function:"
 *	data-fonttype                of all text, a CSS font-family; empty: the style sheet's
 *	data-fontsize data-fontwidth px, and em of a character; of the labels in frames
 *	data-row                     a frame's height, px
 *	data-minwidth                "0.1" px or "0.5%" of the root's width
 *	data-inverted                the root is on top
 *	data-reversed data-chart     the tree is that of --reverse, of --flamechart
 *	data-width data-fluid        px of the whole; fluid: as wide as the window instead
 *	data-decimals                counts below are in units of 10^-decimals
 *	data-factor                  of counts in texts: "1", or as "1000" or "25e-4"
 *	data-total                   what the full width stands for, if more than the tree's
 *	                             sum: a count as below; or empty
 *	data-diff data-base          1: a differential, its widths are those "after" or "before"
 *	data-negate                  more and less in each other's colours
 *	data-colors                  "kind", "module" or "classic"
 *	data-bg                      "#rrggbb", or "#rrggbb,#rrggbb" from top to bottom; or empty
 *	data-legend                  the kinds that occur, as "user,kernel"
 *
 * class="names": a name a line, KIND SHADE " " LABEL, then a TAB and KEY=VALUE for each
 * attribute that --nameattr gives it (title class style id href target, nameattr.h).
 *	KIND   u user, k kernel, j JIT, x unknown; i inlined: of its caller's kind, a user's
 *	       if that is the root; K, J: unknown, but known to be the kernel's, JIT code
 *	SHADE  one digit: the class of a frame's box is its kind's letter and the digit, as
 *	       "k3", and of an inlined one "k3 i"; "#rrggbb": that fill instead of a class;
 *	       else it is the class itself, as "h73" (--colors module; "h73 i" inlined)
 *	LABEL  without its annotation, which KIND tells; it holds neither TAB nor newline
 * The root is not among them: its label is "all" and its class "x7". In a differential
 * SHADE is that of --colors all the same, and the class is palette_change()'s.
 *
 * class="frames": the tree in preorder, the root first, a frame a line: "NAME UP SELF", in
 * a chart "NAME UP SELF GAP", in a differential (a chart or not) "NAME UP AFTER BEFORE";
 * zeros at the end of a line are left out, but for NAME.
 *	NAME   counts from 0; the root has 0, too
 *	UP     levels above the frame before where its caller lies; 0: that frame is the caller
 *	SELF   the count of the stacks that end here
 *	GAP    how much of its caller's SELF lies before it, and behind the callee before
 *
 * class="legend", with --colors module only: CLASS " " WORD a line, the modules that take
 * most, widest first.
 *
 * Elements of one class are to be joined; each is short, because XML parsers bound the
 * length of a text.
 */
#ifndef FOLD2SVG_DATA_H
#define FOLD2SVG_DATA_H

#include "document.h"
#include "flametree.h"
#include "look.h"
#include "picture.h"

struct data {
	const struct picture *pic;
	const struct flame *flame;
	const struct looks *looks;
	struct slice fonttype;        /* data-fonttype, and so on */
	struct slice legend;
	double font_size, font_width;
	const uint32_t *modules; /* for the legend, in its order */
	size_t modules_len;
};

/* Writes all of it. */
void data_write(struct document *doc, const struct data *data);

#endif
