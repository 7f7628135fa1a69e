/*
 * What a frame's name says about it, and the colours that go with that. A colour
 * is a class of the style sheet, so that the same picture can be light or dark:
 *
 *	u5 k5 j5 x5    kind and shade; "u5 i" inlined
 *	h73            --colors module: hue and shade; "h73 i" inlined. The hue is a hash of the
 *	               module (module.h), the shade one of the label. A frame without a module has
 *	               the colour of its kind.
 *	n v d0 m1 l1   differentials: palette_change()
 *
 * A shade is a stable hash: a function looks the same in each picture.
 */
#ifndef FOLD2SVG_PALETTE_H
#define FOLD2SVG_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strbuf.h"

enum frame_kind {
	KIND_USER,
	KIND_KERNEL,  /* _[k] */
	KIND_JIT,     /* _[j] */
	KIND_UNKNOWN, /* [unknown], [module], [truncated: …], [lost: …], whatever the annotation */
	KIND_COUNT,
};

enum {
	PALETTE_SHADES = 8,
	PALETTE_HUES = 12,
	PALETTE_HUE_SHADES = 4,
	PALETTE_STEPS = 6, /* of more and less */
};

struct frame_look {
	struct slice label;   /* the name without its annotation */
	enum frame_kind kind; /* of an inlined frame: its caller's is the true one */
	bool inlined;         /* _[i] */
	char side;            /* of an unknown one: 'k' in the kernel, 'j' JIT code, 0 not told */
	unsigned shade;       /* below PALETTE_SHADES, a stable hash of the label */
};

struct frame_look frame_look(struct slice name);

/* "user", "kernel", "JIT", "unknown" */
const char *kind_word(enum frame_kind kind);

/* The letter of its classes: u, k, j, x. */
char kind_letter(enum frame_kind kind);

/*
 * 0xRRGGBB of a frame's box. Each shade has a contrast of at least 4.5:1 (WCAG 2)
 * to palette_ink. Inlined frames lie nearer to the colour of the page.
 */
uint32_t palette_fill(enum frame_kind kind, bool inlined, unsigned shade, bool dark);

/* Of a module's box. As above. */
uint32_t palette_hue_fill(unsigned hue, bool inlined, unsigned shade, bool dark);
unsigned palette_hue(struct slice module);

/*
 * The class of a box in a differential, by the counts of its frame: "n" new, "v" vanished,
 * "d0" changed by less than 0.5 % of the greater one; else by the share of that in sixths,
 * "m1" to "m6" for more, "l1" to "l6" for less. Two characters at most, and a NUL. `negate`
 * puts more for less and new for vanished.
 */
struct palette_class {
	char text[3];
};
struct palette_class palette_change(uint64_t before, uint64_t after, bool negate);

/* Its fill, or 0 for a class of another kind. */
uint32_t palette_change_fill(const char *class, bool dark);

/* Black or white, whichever has more contrast to `rgb`: never less than 4.5:1. */
uint32_t palette_ink_on(uint32_t rgb);

/* Of the text on frames, and of the page. */
uint32_t palette_ink(bool dark);
uint32_t palette_page(bool dark);

/* The rules for the classes of kinds, of modules, and of differentials. */
void palette_add_css(struct strbuf *sb, bool dark);
void palette_add_hue_css(struct strbuf *sb, bool dark);
void palette_add_change_css(struct strbuf *sb, bool dark);

#endif
