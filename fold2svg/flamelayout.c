/* The finished tree: names and callees in order, each frame with its place. */
#include <stdlib.h>

#include "base/alloc.h"
#include "flametree.h"

/* A name with its first eight bytes as a number, which decides most comparisons. */
struct name_key {
	uint64_t head;
	uint32_t id;
};

static int name_key_cmp(const void *a, const void *b, void *names)
{
	const struct name_key *x = a, *y = b;

	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	return slice_cmp(intern_get(names, x->id), intern_get(names, y->id));
}

static uint64_t name_head(struct slice name)
{
	uint64_t head = 0;

	for (size_t i = 0; i < 8; i++)
		head = head << 8 | (i < name.len ? (unsigned char)name.p[i] : 0);
	return head;
}

/*
 * All names in bytewise order, but for those that are others when cleaned: each of the
 * rest has a node. The ranks by their ids in the tree, which the caller frees.
 */
static uint32_t *rank_names(struct flametree *t, struct flame *f)
{
	uint32_t *ranks = xreallocarray(NULL, t->names.len + 1, sizeof(*ranks));
	struct name_key *keys = xreallocarray(NULL, t->names.len + 1, sizeof(*keys));

	for (uint32_t id = 0; id < t->names.len; id++)
		if (t->clean_ids[id] == id)
			keys[f->names_len++] = (struct name_key){
				name_head(intern_get(&t->names, id)), id };
	qsort_r(keys, f->names_len, sizeof(*keys), name_key_cmp, &t->names);
	f->names = xreallocarray(NULL, f->names_len + 1, sizeof(*f->names));
	for (uint32_t i = 0; i < f->names_len; i++) {
		f->names[i] = intern_get(&t->names, keys[i].id);
		ranks[keys[i].id] = i;
	}
	free(keys);
	return ranks;
}

/* What the walk needs beside the tree. */
struct walk {
	const uint32_t *ranks;
	uint64_t *keys;   /* of a node's callees: rank << 32 | node */
	size_t keys_cap;
	uint32_t *open;   /* frames not left yet, by depth */
	size_t open_cap;
	uint64_t width;   /* of all frames before */
	struct flame_counts counts;
};

/* The last in order first. */
static int key_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* Links the callees in their order, from the oldest on, as they are in most files; the first. */
static uint32_t order_callees(struct flametree *t, uint32_t newest, struct walk *w)
{
	uint32_t first = 0;
	bool sorted = true;
	size_t n = 0;

	if (!newest || !t->nodes[newest].sibling)
		return newest;
	for (uint32_t node = newest; node; node = t->nodes[node].sibling) {
		uint64_t key = (uint64_t)w->ranks[t->nodes[node].name] << 32 | node;

		w->keys = grow(w->keys, n, &w->keys_cap, sizeof(*w->keys));
		if (n && key > w->keys[n - 1])
			sorted = false;
		w->keys[n++] = key;
	}
	if (!sorted && !t->chart)
		qsort(w->keys, n, sizeof(*w->keys), key_cmp);
	for (size_t i = 0; i < n; i++) {
		uint32_t node = (uint32_t)w->keys[i];

		t->nodes[node].sibling = first;
		first = node;
	}
	return first;
}

/* The totals hold where the frame began until it is left. */
static void enter(const struct flametree *t, struct flame *f, struct walk *w, uint32_t node,
		  uint32_t depth)
{
	uint64_t self = t->nodes[node].self;

	if (t->differential) {
		struct flame_counts counts = t->counts[node];
		uint64_t base = t->base_before ? counts.before : counts.after;

		self = base ? base : t->base_before ? counts.after : counts.before;
		f->changes[f->len] = (struct flame_change){
			.self_before = counts.before, .self_after = counts.after,
			.total_before = w->counts.before, .total_after = w->counts.after,
		};
		w->counts.before += counts.before;
		w->counts.after += counts.after;
	}
	w->open = grow(w->open, depth, &w->open_cap, sizeof(*w->open));
	w->open[depth] = (uint32_t)f->len;
	if (depth > f->deepest)
		f->deepest = depth;
	f->frames[f->len++] = (struct flame_frame){
		.name = node ? w->ranks[t->nodes[node].name] : 0, .depth = depth, .self = self,
		.start = t->chart && !t->differential ? t->starts[node] : w->width,
		.total = w->width,
	};
	w->width += self;
}

static void leave(struct flame *f, uint32_t frame, const struct walk *w)
{
	f->frames[frame].total = w->width - f->frames[frame].total;
	if (f->changes) {
		struct flame_change *c = &f->changes[frame];

		c->total_before = w->counts.before - c->total_before;
		c->total_after = w->counts.after - c->total_after;
	}
}

/* The nodes in preorder, each with where it begins. */
static void lay_out(struct flametree *t, struct flame *f, struct walk *w)
{
	uint32_t node = 0, depth = 0;

	for (;;) {
		uint32_t callee = order_callees(t, t->nodes[node].callee, w);

		enter(t, f, w, node, depth);
		if (callee) {
			node = callee;
			depth++;
			continue;
		}
		while (node && !t->nodes[node].sibling) {
			leave(f, w->open[depth--], w);
			node = t->nodes[node].caller;
		}
		leave(f, w->open[depth], w);
		if (!node)
			return;
		node = t->nodes[node].sibling;
	}
}

struct flame flametree_finish(struct flametree *t)
{
	struct flame f = { .decimals = t->decimals };
	struct walk w = { 0 };
	uint32_t *ranks;

	if (!t->len)
		/* no stack at all: the root alone, as adding nothing makes it */
		flametree_add(t, SLICE(""), 0, &(const char *){ NULL });
	f.frames = xmalloc_pages(t->len * sizeof(*f.frames)); /* fewer bytes than stacks had */
	if (t->differential)
		f.changes = xmalloc_pages(t->len * sizeof(*f.changes));
	w.ranks = ranks = rank_names(t, &f);
	lay_out(t, &f, &w);
	free(ranks);
	free(w.keys);
	free(w.open);
	free(t->nodes);
	t->nodes = NULL;
	return f;
}

void flame_release(struct flame *f)
{
	free(f->frames);
	free(f->changes);
	free(f->names);
	*f = (struct flame){ 0 };
}
