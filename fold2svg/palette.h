/*
 * What a frame's name says about it, and the colours that go with that. A colour
 * is a class of the style sheet, one letter for the kind and a digit for the
 * shade, so that the same picture can be light or dark.
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

enum { PALETTE_SHADES = 8 };

struct frame_look {
	struct slice label;   /* the name without its annotation */
	enum frame_kind kind; /* of an inlined frame: its caller's is the true one */
	bool inlined;         /* _[i] */
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

/* Of the text on frames, and of the page. */
uint32_t palette_ink(bool dark);
uint32_t palette_page(bool dark);

/*
 * The rules for all classes: ".k3" is a shade of a kernel frame, ".k3.i" the
 * same inlined.
 */
void palette_add_css(struct strbuf *sb, bool dark);

#endif
