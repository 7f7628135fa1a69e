/*
 * Folded lines (lines/folded.h, folded.5) into the tree. A count may have decimals; all
 * are kept exactly, in units of the most decimals seen so far.
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

struct lines {
	struct flametree *tree;
	bool chain;              /* frames behind a "--" are annotated _[w]: --colors chain */
	bool plain;              /* a line with one count has been seen */
	struct strbuf kept;      /* lines until then, each with an LF */
	struct lines_file *files; /* of those */
	size_t files_len, files_cap;
	struct strbuf stack;
	struct damage damage;    /* lines that could not be read */
};

/* `name` is for messages and lasts. 0, or the negative errno of a failed read. */
int lines_read(struct lines *l, struct input *in, const char *name);

/* After the last file: decides on what is still kept. */
void lines_end(struct lines *l);

void lines_release(struct lines *l);

#endif
