/*
 * The call tree behind the picture, out of folded stacks: same path, same node.
 * Frames of one name under different callers stay apart, and the order of the
 * input does not show in the result (but for flamecharts, which are about it).
 *
 * A file sorted bytewise, as folded files mostly are, needs no table of nodes: all
 * stacks that begin with "path;name" follow on one another. So a frame is new unless the
 * stack before begins with the same bytes up to its end; and then it is the newest callee
 * of its caller, or has only such newer ones whose names begin with its own. The first
 * stack out of order makes a table of all nodes.
 */
#ifndef FOLD2SVG_FLAMETREE_H
#define FOLD2SVG_FLAMETREE_H

#include "base/intern.h"
#include "base/slice.h"
#include "base/strbuf.h"

struct flame_node {
	uint32_t name;
	uint32_t caller;
	uint32_t callee;  /* the newest of its callees, 0 for none */
	uint32_t sibling; /* the next older callee of its caller, 0 for none */
	uint64_t self;
};

struct flame_counts {
	uint64_t before, after;
};

struct flame_step; /* a frame of the stack added last */

/* Zero-initialized is empty and valid; the first four are set before anything is added. */
struct flametree {
	bool reverse;       /* the tree of the stacks turned round, leaf first */
	bool chart;         /* callees in the order of input; only neighbours are merged */
	bool differential;  /* stacks come by flametree_add_change */
	bool base_before;   /* of a differential: widths are the counts before */
	unsigned decimals;  /* counts are in units of 10^-decimals */
	uint64_t total;     /* of all widths so far; of a differential: of all counts */
	struct intern names;    /* with their annotations */
	uint32_t *clean_ids;    /* by name: the same cleaned (base/utf8.h) */
	size_t clean_cap;
	struct flame_node *nodes; /* callers before callees; 0 is the root */
	size_t len, cap;
	struct flame_counts *counts; /* by node, of a differential */
	uint64_t *starts;       /* by node, of a chart: the total when it began */
	size_t counts_cap, starts_cap;
	uint32_t *slots;        /* nodes by caller and name, 0 free; NULL while input is sorted */
	size_t nslots;
	struct strbuf last;     /* the stack added before, with where its frames end */
	struct flame_step *path;
	size_t path_len, path_cap;
	uint32_t leaf;          /* its node */
	struct strbuf clean;
};

/*
 * One frame of the finished tree, in units of the counts (see struct flame): it covers
 * [start, start + total) and `self` of that has no callee. That part is at the left,
 * but in a chart, where callees lie where they were in the input.
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
 * their names (of a chart: in the order of the input); each name once, in that
 * order, too. Names lie in the tree it was made from.
 *
 * The width of a stack of a differential is its count in the base, or if that is 0 in
 * the other; so a path that is only in the other is as wide as it is there.
 */
struct flame {
	struct flame_frame *frames;   /* at least the root */
	size_t len;
	uint32_t deepest;             /* the largest depth */
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

/* The same for a differential; one whose counts are both 0 adds nothing. */
int flametree_add_change(struct flametree *t, struct slice stack, struct flame_counts counts,
			 const char **why);

/* Counts from now on are in units of 10^-decimals, not fewer than before; -ERANGE likewise. */
int flametree_scale(struct flametree *t, unsigned decimals, const char **why);

/*
 * Counts, those so far and those from now on, are in units of 10^-decimals, fewer than before: they
 * are rounded. Not for a chart, whose stacks must lie side by side.
 */
void flametree_coarsen(struct flametree *t, unsigned decimals);

/* The tree takes no more stacks after this; its names last. (flamelayout.c) */
struct flame flametree_finish(struct flametree *t);

void flame_release(struct flame *f);
void flametree_release(struct flametree *t);

#endif
