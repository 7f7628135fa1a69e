#include "flametree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "lines/folded.h"

struct flame_node {
	uint32_t name;
	uint32_t caller;
	uint32_t callee, sibling; /* node, 0 for none; set by link_callees */
	uint64_t self, total;
};

struct flame_step {
	size_t end; /* of the frame's text in `last` */
	uint32_t node;
};

static uint32_t node_new(struct flametree *t, uint32_t name, uint32_t caller)
{
	t->nodes = grow(t->nodes, t->len, &t->cap, sizeof(*t->nodes));
	t->nodes[t->len] = (struct flame_node){ .name = name, .caller = caller };
	return (uint32_t)t->len++;
}

static uint32_t name_id(struct flametree *t, struct slice name)
{
	if (!utf8_is_clean(name)) {
		strbuf_reset(&t->clean);
		strbuf_addclean(&t->clean, name);
		name = strbuf_slice(&t->clean);
	}
	return intern_add(&t->names, name);
}

static uint32_t node_callee(struct flametree *t, uint32_t caller, struct slice name)
{
	uint32_t id = name_id(t, name);
	bool added;
	uint64_t *node = map64_put(&t->callees, (uint64_t)caller << 32 | id, &added);

	if (added)
		*node = node_new(t, id, caller);
	return (uint32_t)*node;
}

/* How many leading frames of `stack` are those of the stack before. */
static size_t shared_steps(const struct flametree *t, struct slice stack)
{
	size_t max = stack.len < t->last.len ? stack.len : t->last.len;
	size_t same = 0, steps = 0;

	while (same < max && stack.p[same] == t->last.buf[same])
		same++;
	while (stack.len && steps < t->path_len && t->path[steps].end <= same) {
		size_t end = t->path[steps].end;

		/* A ';' at the end of a stack opens no frame, though it did in the one before. */
		if (end < stack.len ? stack.p[end] != ';' : stack.p[end - 1] == ';')
			break;
		steps++;
	}
	return steps;
}

int flametree_add(struct flametree *t, struct slice stack, uint64_t count, const char **why)
{
	struct slice rest = stack, frame;
	uint32_t node = 0;
	uint64_t total;

	if (__builtin_add_overflow(t->total, count, &total)) {
		*why = "the sum of all counts overflows 64 bits";
		return -ERANGE;
	}
	if (stack.len / 2 >= UINT32_MAX - t->len) {
		*why = "too many frames";
		return -ERANGE;
	}
	if (!t->len)
		node_new(t, 0, 0);
	if (!count)
		return 0;

	/* Folded files are sorted, so most of a stack is most often the one before. */
	t->path_len = shared_steps(t, stack);
	if (t->path_len) {
		struct flame_step at = t->path[t->path_len - 1];
		size_t skip = at.end + (at.end < stack.len);

		node = at.node;
		rest = (struct slice){ stack.p + skip, stack.len - skip };
	}
	while (folded_next(&rest, &frame)) {
		node = node_callee(t, node, frame);
		t->path = grow(t->path, t->path_len, &t->path_cap, sizeof(*t->path));
		t->path[t->path_len++] = (struct flame_step){
			.end = (size_t)(frame.p - stack.p) + frame.len,
			.node = node,
		};
	}
	strbuf_reset(&t->last);
	strbuf_addslice(&t->last, stack);
	t->nodes[node].self += count;
	t->total = total;
	return 0;
}

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

/* All names in bytewise order into `sorted`; their ids as the tree has them to ranks there. */
static void rank_names(struct intern *names, struct slice *sorted, uint32_t *ranks)
{
	struct name_key *keys = xreallocarray(NULL, names->len + 1, sizeof(*keys));

	for (uint32_t id = 0; id < names->len; id++)
		keys[id] = (struct name_key){ name_head(intern_get(names, id)), id };
	qsort_r(keys, names->len, sizeof(*keys), name_key_cmp, names);
	for (uint32_t i = 0; i < names->len; i++) {
		sorted[i] = intern_get(names, keys[i].id);
		ranks[keys[i].id] = i;
	}
	free(keys);
}

/* From here on the nodes' names are ranks. */
static void rank_nodes(struct flametree *t, struct slice *sorted)
{
	uint32_t *ranks = xreallocarray(NULL, t->names.len + 1, sizeof(*ranks));

	rank_names(&t->names, sorted, ranks);
	for (size_t i = 1; i < t->len; i++)
		t->nodes[i].name = ranks[t->nodes[i].name];
	free(ranks);
}

/* Links each node's callees in the order of their names: one counting sort for all. */
static void link_callees(struct flametree *t)
{
	uint32_t *order = xreallocarray(NULL, t->len, sizeof(*order));
	size_t *place = xcalloc(t->names.len + 2, sizeof(*place));

	for (size_t i = 1; i < t->len; i++)
		place[t->nodes[i].name + 1]++;
	for (size_t r = 1; r <= t->names.len; r++)
		place[r] += place[r - 1];
	for (size_t i = 1; i < t->len; i++)
		order[place[t->nodes[i].name]++] = (uint32_t)i;
	for (size_t i = t->len - 1; i-- > 0;) {
		struct flame_node *n = &t->nodes[order[i]];
		struct flame_node *caller = &t->nodes[n->caller];

		n->sibling = caller->callee;
		caller->callee = order[i];
	}
	free(place);
	free(order);
}

static void sum_totals(struct flametree *t)
{
	for (size_t i = t->len; i-- > 0;) {
		t->nodes[i].total += t->nodes[i].self;
		if (i)
			t->nodes[t->nodes[i].caller].total += t->nodes[i].total;
	}
}

/* The nodes in preorder, each with where it begins. */
static void lay_out(const struct flametree *t, struct flame_frame *frames)
{
	uint32_t node = 0, depth = 0;
	uint64_t start = 0;

	for (;;) {
		const struct flame_node *at = &t->nodes[node];

		*frames++ = (struct flame_frame){
			.name = at->name, .depth = depth,
			.start = start, .self = at->self, .total = at->total,
		};
		start += at->self;
		if (at->callee) {
			node = at->callee;
			depth++;
			continue;
		}
		while (node && !t->nodes[node].sibling) {
			node = t->nodes[node].caller;
			depth--;
		}
		if (!node)
			return;
		node = t->nodes[node].sibling;
	}
}

struct flame flametree_finish(struct flametree *t)
{
	struct flame f = { .names_len = t->names.len };

	if (!t->len)
		node_new(t, 0, 0);
	f.len = t->len;
	f.names = xreallocarray(NULL, f.names_len + 1, sizeof(*f.names));
	f.frames = xreallocarray(NULL, f.len, sizeof(*f.frames));
	rank_nodes(t, f.names);
	link_callees(t);
	sum_totals(t);
	lay_out(t, f.frames);
	return f;
}

void flame_release(struct flame *f)
{
	free(f->frames);
	free(f->names);
	*f = (struct flame){ 0 };
}

void flametree_release(struct flametree *t)
{
	intern_release(&t->names);
	map64_release(&t->callees);
	strbuf_release(&t->last);
	strbuf_release(&t->clean);
	free(t->nodes);
	free(t->path);
	*t = (struct flametree){ 0 };
}
