/*
 * The call tree behind the picture, out of folded stacks: same path, same node.
 * Frames of one name under different callers stay apart, and the order of the
 * input does not show in the result.
 */
#ifndef FOLD2SVG_FLAMETREE_H
#define FOLD2SVG_FLAMETREE_H

#include "base/intern.h"
#include "base/map64.h"
#include "base/slice.h"
#include "base/strbuf.h"

struct flame_node;
struct flame_step;

/* Zero-initialized is empty and valid. */
struct flametree {
	struct intern names;    /* cleaned (base/utf8.h), with their annotations */
	uint64_t total;         /* of all counts added */
	struct flame_node *nodes; /* callers before callees; 0 is the root */
	size_t len, cap;
	struct map64 callees;   /* caller's node << 32 | name -> node */
	struct strbuf last;     /* the stack added before, with where its frames end */
	struct flame_step *path;
	size_t path_len, path_cap;
	struct strbuf clean;
};

/*
 * One frame of the finished tree, in units of the counts (see struct flame): it covers
 * [start, start + total) and, at its left, `self` of that has no callee.
 */
struct flame_frame {
	uint32_t name;  /* in the flame's names; of no meaning for the root */
	uint32_t depth; /* 0 is the root, "all" */
	uint64_t start, self, total;
};

/* The two counts of a frame of a differential. */
struct flame_change {
	uint64_t self_before, self_after, total_before, total_after;
};

/*
 * The finished tree: frames in preorder, the root first, callees in bytewise order of
 * their names (of a flamechart: in the order of the input); each name once, in that
 * order, too. Names lie in the tree it was made from.
 */
struct flame {
	struct flame_frame *frames;   /* at least the root */
	size_t len;
	struct flame_change *changes; /* by frame; NULL unless it is a differential */
	struct slice *names;
	size_t names_len;
	unsigned decimals;            /* counts are in units of 10^-decimals */
};

/*
 * Adds `count` samples of a folded stack (lines/folded.h); an empty one counts
 * for the root alone, and a count of 0 adds nothing. 0, or -ERANGE with the
 * tree as it was and *why telling what overflowed.
 */
int flametree_add(struct flametree *t, struct slice stack, uint64_t count, const char **why);

/* The tree takes no more stacks after this. */
struct flame flametree_finish(struct flametree *t);

void flame_release(struct flame *f);
void flametree_release(struct flametree *t);

#endif
