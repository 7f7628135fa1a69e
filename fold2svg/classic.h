/*
 * The named palettes of flamegraph.pl: a colour by the frame's name. Where that
 * tool's colour is a function of the name alone, this is the same one. (Its --random is
 * none; here that is another function of the name.)
 */
#ifndef FOLD2SVG_CLASSIC_H
#define FOLD2SVG_CLASSIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum classic_palette {
	/* one colour in many shades */
	CLASSIC_HOT, CLASSIC_MEM, CLASSIC_IO, CLASSIC_RED, CLASSIC_GREEN, CLASSIC_BLUE,
	CLASSIC_AQUA, CLASSIC_YELLOW, CLASSIC_PURPLE, CLASSIC_ORANGE,
	/* one of these by what the name looks like */
	CLASSIC_WAKEUP, CLASSIC_CHAIN, CLASSIC_JAVA, CLASSIC_JS, CLASSIC_PERL,
	CLASSIC_PYTHON, CLASSIC_RUST,
	CLASSIC_COUNT,
};

struct palmap; /* palmap.h */

struct classic {
	enum classic_palette palette;
	bool hash, random;     /* --hash, --random: other functions of the name */
	struct palmap *palmap; /* --cp; or NULL */
};

/* The word for it on the command line. */
const char *classic_word(enum classic_palette palette);

/* 0xRRGGBB for a name with its annotation. With a palmap, a name new to it is added. */
uint32_t classic_rgb(const struct classic *c, struct slice name);

#endif
