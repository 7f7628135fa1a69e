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

/* From here on the nodes' names are ranks among the names that nodes have. */
static void rank_names(struct flametree *t, struct flame *f)
{
	uint32_t *ranks = xcalloc(t->names.len + 1, sizeof(*ranks));
	struct name_key *keys = xreallocarray(NULL, t->names.len + 1, sizeof(*keys));

	for (size_t i = 1; i < t->len; i++)
		ranks[t->nodes[i].name] = 1;
	for (uint32_t id = 0; id < t->names.len; id++)
		if (ranks[id])
			keys[f->names_len++] = (struct name_key){
				name_head(intern_get(&t->names, id)), id };
	qsort_r(keys, f->names_len, sizeof(*keys), name_key_cmp, &t->names);
	f->names = xreallocarray(NULL, f->names_len + 1, sizeof(*f->names));
	for (uint32_t i = 0; i < f->names_len; i++) {
		f->names[i] = intern_get(&t->names, keys[i].id);
		ranks[keys[i].id] = i;
	}
	for (size_t i = 1; i < t->len; i++)
		t->nodes[i].name = ranks[t->nodes[i].name];
	free(keys);
	free(ranks);
}

/* A node's callees, and where each is. */
struct callees {
	uint64_t *keys; /* name << 32 | node */
	size_t cap;
};

static int key_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Links the callees in their order, from the oldest on, as they are in most files; the first. */
static uint32_t order_callees(struct flametree *t, uint32_t newest, struct callees *c)
{
	uint32_t first = 0;
	bool sorted = true;
	size_t n = 0;

	for (uint32_t node = newest; node; node = t->nodes[node].sibling) {
		uint64_t key = (uint64_t)t->nodes[node].name << 32 | node;

		c->keys = grow(c->keys, n, &c->cap, sizeof(*c->keys));
		if (n && key > c->keys[n - 1])
			sorted = false;
		c->keys[n++] = key;
	}
	if (!sorted && !t->chart) {
		qsort(c->keys, n, sizeof(*c->keys), key_cmp);
		while (n) {
			uint32_t node = (uint32_t)c->keys[--n];

			t->nodes[node].sibling = first;
			first = node;
		}
		return first;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t node = (uint32_t)c->keys[i];

		t->nodes[node].sibling = first;
		first = node;
	}
	return first;
}

/* The frames that are open while the tree is walked, by depth. */
struct open_frames {
	uint32_t *frames;
	size_t cap;
};

struct position {
	uint64_t width;
	struct flame_counts counts;
};

/* The totals hold where the frame began until it is left. */
static void enter(const struct flametree *t, struct flame *f, uint32_t node, uint32_t depth,
		  struct position *at)
{
	uint64_t self = t->nodes[node].self;

	if (t->differential) {
		struct flame_counts counts = t->counts[node];
		uint64_t base = t->base_before ? counts.before : counts.after;

		self = base ? base : t->base_before ? counts.after : counts.before;
		f->changes[f->len] = (struct flame_change){
			.self_before = counts.before, .self_after = counts.after,
			.total_before = at->counts.before, .total_after = at->counts.after,
		};
		at->counts.before += counts.before;
		at->counts.after += counts.after;
	}
	f->frames[f->len++] = (struct flame_frame){
		.name = t->nodes[node].name, .depth = depth, .self = self,
		.start = t->chart && !t->differential ? t->starts[node] : at->width,
		.total = at->width,
	};
	at->width += self;
}

static void leave(struct flame *f, uint32_t frame, const struct position *at)
{
	f->frames[frame].total = at->width - f->frames[frame].total;
	if (f->changes) {
		struct flame_change *c = &f->changes[frame];

		c->total_before = at->counts.before - c->total_before;
		c->total_after = at->counts.after - c->total_after;
	}
}

/* The nodes in preorder, each with where it begins. */
static void lay_out(struct flametree *t, struct flame *f)
{
	struct callees callees = { 0 };
	struct open_frames open = { 0 };
	struct position at = { 0 };
	uint32_t node = 0, depth = 0;

	for (;;) {
		uint32_t callee = order_callees(t, t->nodes[node].callee, &callees);

		open.frames = grow(open.frames, depth, &open.cap, sizeof(*open.frames));
		open.frames[depth] = (uint32_t)f->len;
		enter(t, f, node, depth, &at);
		if (callee) {
			node = callee;
			depth++;
			continue;
		}
		while (node && !t->nodes[node].sibling) {
			leave(f, open.frames[depth--], &at);
			node = t->nodes[node].caller;
		}
		leave(f, open.frames[depth], &at);
		if (!node)
			break;
		node = t->nodes[node].sibling;
	}
	free(callees.keys);
	free(open.frames);
}

struct flame flametree_finish(struct flametree *t)
{
	struct flame f = { .decimals = t->decimals };

	if (!t->len)
		/* no stack at all: the root alone, as adding nothing makes it */
		flametree_add(t, SLICE(""), 0, &(const char *){ NULL });
	f.frames = xreallocarray(NULL, t->len, sizeof(*f.frames));
	if (t->differential)
		f.changes = xreallocarray(NULL, t->len, sizeof(*f.changes));
	rank_names(t, &f);
	lay_out(t, &f);
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
