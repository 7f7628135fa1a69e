/*
 * Folded lines (lines/folded.h, folded.5) into the tree. A count may have decimals; all
 * are kept exactly, in units of the most decimals seen so far, as long as there is room for
 * that. Then they are rounded: scripts print 0.30000000000000004.
 *
 * Input is a differential if each of its lines, those of all files taken together, has two
 * counts. Otherwise the first of two numbers is part of a name, so no line can be read
 * before one with a single count has been seen, or the end: until then lines are kept as
 * they are, one after another. In input that is no differential that is mostly none
 * or few, and a differential is in memory once more.
 */
#ifndef FOLD2SVG_INPUT_H
#define FOLD2SVG_INPUT_H

#include "base/damage.h"
#include "base/stream.h"
#include "count.h"
#include "flametree.h"

struct lines_file;

/* Charts are limited to these from the start: stacks that lie side by side cannot be rounded. */
enum { CHART_DECIMALS = 6 };

struct lines {
	struct flametree *tree;
	bool chain;              /* frames behind a "--" are annotated _[w]: --colors chain */
	bool plain;              /* a line with one count has been seen */
	struct strbuf kept;      /* lines until then, each with an LF */
	struct lines_file *files; /* of those */
	size_t files_len, files_cap;
	struct strbuf stack;
	bool rounded;            /* counts were */
	bool limited;            /* to this many decimals, all of them: */
	unsigned decimals;
	unsigned places;         /* of the line's counts: the most decimals, */
	uint64_t whole;          /* and their sum without decimals */
	struct damage damage;    /* lines that could not be read */
};

/* `name` is for messages and lasts. 0, or the negative errno of a failed read. */
int lines_read(struct lines *l, struct input *in, const char *name);

/* After the last file: decides on what is still kept. */
void lines_end(struct lines *l);

void lines_release(struct lines *l);

#endif
