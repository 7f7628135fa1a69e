/* Where everything of the static picture lies. */
#ifndef FOLD2SVG_LAYOUT_H
#define FOLD2SVG_LAYOUT_H

#include "flametree.h"
#include "look.h"
#include "picture.h"

enum {
	LAYOUT_PAD = 10,      /* beside the frames */
	LAYOUT_TITLE_Y = 30,  /* baselines */
	LAYOUT_SUBTITLE_Y = 50,
	LAYOUT_TEXT_PAD = 4,  /* between a box's edge and its label */
	LAYOUT_FOOTER = 30,
	LAYOUT_COLUMNS_MIN = 3, /* a shorter label says nothing */
};

struct drawn {
	uint32_t frame;
	uint32_t kind;
};

struct layout {
	const struct picture *pic;
	const struct flame *flame;
	const struct looks *looks;
	uint64_t span;         /* what the full width stands for, in width units */
	uint64_t whole;        /* 100 % in texts: of a differential, the base's sum */
	unsigned inner;        /* px of the full width */
	double font, column;   /* px: of the labels, and of a character of theirs */
	unsigned legend_y;     /* baseline of its first line */
	unsigned top;
	uint64_t height;
	struct drawn *drawn;   /* by depth, and from left to right */
	size_t *rows;          /* where each depth begins in `drawn`, and the end of the last */
	uint32_t rows_len;
	size_t hidden;         /* frames too narrow to be drawn */
	bool has_kind[KIND_COUNT]; /* in the tree */
	uint32_t *modules;     /* with COLORS_MODULE: those that take most, widest first */
	size_t modules_len;
};

void layout_init(struct layout *l, const struct picture *pic, const struct flame *flame,
		 struct looks *looks);
void layout_release(struct layout *l);

/* The left edge of what begins at `start` (width units), in hundredths of a px; exact. */
uint64_t layout_edge(const struct layout *l, uint64_t start);

/* The top of a row of frames, px. */
uint64_t layout_row_y(const struct layout *l, uint32_t depth);

/* The number of hundredths of a px as short as it can be: "12", ".5". */
void layout_add_px(struct strbuf *sb, uint64_t hundredths);

#endif
