#include "flametree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "lines/folded.h"

struct flame_step {
	size_t end; /* of the frame's text in `last` */
	uint32_t name;
	uint32_t node; /* of no meaning in reverse */
};

static size_t slot_of(const struct flametree *t, uint32_t caller, uint32_t name)
{
	size_t mask = t->nslots - 1;
	size_t i = hash_u64((uint64_t)caller << 32 | name) & mask;

	for (; t->slots[i]; i = (i + 1) & mask) {
		const struct flame_node *n = &t->nodes[t->slots[i]];

		if (n->caller == caller && n->name == name)
			break;
	}
	return i;
}

/* Puts all nodes but the root into a table with room for as many again. */
static void index_nodes(struct flametree *t)
{
	t->nslots = t->nslots ? t->nslots : 64;
	while (t->nslots < t->len * 4)
		t->nslots *= 2;
	free(t->slots);
	t->slots = xcalloc(t->nslots, sizeof(*t->slots));
	for (size_t i = 1; i < t->len; i++)
		t->slots[slot_of(t, t->nodes[i].caller, t->nodes[i].name)] = (uint32_t)i;
}

static uint32_t node_new(struct flametree *t, uint32_t name, uint32_t caller)
{
	uint32_t node = (uint32_t)t->len;

	t->nodes = grow(t->nodes, t->len, &t->cap, sizeof(*t->nodes));
	t->nodes[node] = (struct flame_node){ .name = name, .caller = caller };
	if (t->differential) {
		t->counts = grow(t->counts, t->len, &t->counts_cap, sizeof(*t->counts));
		t->counts[node] = (struct flame_counts){ 0 };
	}
	if (t->chart) {
		t->starts = grow(t->starts, t->len, &t->starts_cap, sizeof(*t->starts));
		t->starts[node] = t->total;
	}
	t->len++;
	if (node) {
		t->nodes[node].sibling = t->nodes[caller].callee;
		t->nodes[caller].callee = node;
	}
	return node;
}

/* Each raw name once; what it is when cleaned is looked at only the first time. */
static uint32_t name_id(struct flametree *t, struct slice name)
{
	size_t known = t->names.len;
	uint32_t id = intern_add(&t->names, name), clean = id;

	if (id < known)
		return t->clean_ids[id];
	if (!utf8_is_clean(name)) {
		strbuf_reset(&t->clean);
		strbuf_addclean(&t->clean, name);
		clean = name_id(t, strbuf_slice(&t->clean));
		/* Names that were not the same are now: their nodes are to be looked for. */
		if (!t->slots && !t->chart)
			index_nodes(t);
	}
	while (t->clean_cap < t->names.len)
		t->clean_ids = grow(t->clean_ids, t->clean_cap, &t->clean_cap,
				    sizeof(*t->clean_ids));
	t->clean_ids[id] = clean;
	return clean;
}

/* The callee of that name in sorted input, see above; 0 if it is new. */
static uint32_t newest_callee(const struct flametree *t, uint32_t caller, uint32_t name)
{
	struct slice text = intern_get(&t->names, name);
	uint32_t node = t->nodes[caller].callee;

	for (; node; node = t->nodes[node].sibling) {
		if (t->nodes[node].name == name)
			return node;
		if (!slice_starts(intern_get(&t->names, t->nodes[node].name), text))
			break;
	}
	return 0;
}

static uint32_t node_callee(struct flametree *t, uint32_t caller, uint32_t name)
{
	uint32_t node;
	size_t slot;

	if (t->chart)
		return node_new(t, name, caller);
	if (!t->slots) {
		node = newest_callee(t, caller, name);
		return node ? node : node_new(t, name, caller);
	}
	slot = slot_of(t, caller, name);
	if (t->slots[slot])
		return t->slots[slot];
	node = node_new(t, name, caller);
	t->slots[slot] = node;
	if (t->len * 2 > t->nslots)
		index_nodes(t);
	return node;
}

/* How many bytes at the start are the same. */
static size_t same_bytes(const char *a, const char *b, size_t len)
{
	size_t i = 0;

	while (len - i >= 64 && memcmp(a + i, b + i, 64) == 0)
		i += 64;
	for (; len - i >= 8; i += 8) {
		uint64_t x, y;

		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < len && a[i] == b[i])
		i++;
	return i;
}

/* How many leading frames of `stack`, of which `same` bytes are, are those of the one before. */
static size_t shared_steps(const struct flametree *t, struct slice stack, size_t same)
{
	size_t steps = 0, above = t->path_len;

	/* the last step that ends within them */
	while (steps < above) {
		size_t mid = (steps + above) / 2;

		if (t->path[mid].end <= same)
			steps = mid + 1;
		else
			above = mid;
	}
	while (steps) {
		size_t end = t->path[steps - 1].end;

		/* A ';' at the end of a stack opens no frame, though it did in the one before. */
		if (stack.len && (end < stack.len ? stack.p[end] == ';' : stack.p[end - 1] != ';'))
			break;
		steps--;
	}
	return steps;
}

static void path_add(struct flametree *t, struct flame_step step)
{
	t->path = grow(t->path, t->path_len, &t->path_cap, sizeof(*t->path));
	t->path[t->path_len++] = step;
}

static uint32_t add_forward(struct flametree *t, struct slice stack, struct slice rest,
			    size_t same)
{
	uint32_t node = t->path_len ? t->path[t->path_len - 1].node : 0;
	struct slice frame;

	while (folded_next(&rest, &frame)) {
		size_t end = (size_t)(frame.p - stack.p) + frame.len;
		uint32_t name = name_id(t, frame);

		node = !t->slots && end > same ? node_new(t, name, node)
					       : node_callee(t, node, name);
		path_add(t, (struct flame_step){ end, name, node });
	}
	return node;
}

/* The frame of a chart that the stack before has there, too: a caller's newest one. */
static bool is_neighbour(const struct flametree *t, uint32_t caller, uint32_t name)
{
	uint32_t callee = t->nodes[caller].callee;

	return caller != t->leaf && callee && t->nodes[callee].name == name;
}

/* The path is kept in the text's order here, too: it saves looking up its names. */
static uint32_t add_reverse(struct flametree *t, struct slice stack, struct slice rest)
{
	bool beside = t->chart; /* as far as the stack before goes the same way */
	uint32_t node = 0;
	struct slice frame;

	while (folded_next(&rest, &frame))
		path_add(t, (struct flame_step){ (size_t)(frame.p - stack.p) + frame.len,
						 name_id(t, frame), 0 });
	for (size_t i = t->path_len; i-- > 0;) {
		beside = beside && is_neighbour(t, node, t->path[i].name);
		node = beside ? t->nodes[node].callee : node_callee(t, node, t->path[i].name);
	}
	return node;
}

/* Whether the stack is bytewise before the last one, with which it shares `same` bytes. */
static bool is_before(struct slice stack, const struct strbuf *last, size_t same)
{
	if (same == stack.len || same == last->len)
		return stack.len < last->len;
	return (unsigned char)stack.p[same] < (unsigned char)last->buf[same];
}

/* The node of a stack. */
static uint32_t add_stack(struct flametree *t, struct slice stack)
{
	size_t least = stack.len < t->last.len ? stack.len : t->last.len;
	size_t same = least ? same_bytes(stack.p, t->last.buf, least) : 0;
	struct slice rest = stack;
	uint32_t node;

	if (!t->slots && !t->chart && (t->reverse || is_before(stack, &t->last, same)))
		index_nodes(t);
	t->path_len = shared_steps(t, stack, same);
	if (t->path_len) {
		size_t end = t->path[t->path_len - 1].end;
		size_t skip = end + (end < stack.len);

		rest = (struct slice){ stack.p + skip, stack.len - skip };
	}
	node = t->reverse ? add_reverse(t, stack, rest) : add_forward(t, stack, rest, same);
	t->leaf = node;
	t->last.len = same;
	strbuf_add(&t->last, stack.p + same, stack.len - same);
	return node;
}

/* Whether there is room for `count` and the frames of the stack. */
static int check_room(struct flametree *t, struct slice stack, uint64_t count, const char **why)
{
	uint64_t total;

	if (__builtin_add_overflow(t->total, count, &total)) {
		*why = "the sum of all counts overflows 64 bits";
		return -ERANGE;
	}
	if (stack.len + 1 >= UINT32_MAX - t->len) {
		*why = "too many frames";
		return -ERANGE;
	}
	if (!t->len)
		node_new(t, 0, 0);
	return 0;
}

int flametree_add(struct flametree *t, struct slice stack, uint64_t count, const char **why)
{
	int r = check_room(t, stack, count, why);
	uint32_t node;

	if (r || !count)
		return r;
	node = add_stack(t, stack);
	t->nodes[node].self += count;
	t->total += count;
	return 0;
}

int flametree_add_change(struct flametree *t, struct slice stack, struct flame_counts counts,
			 const char **why)
{
	uint64_t both;
	uint32_t node;
	int r;

	/* A width is one of the two counts, so all widths are not more than all counts. */
	if (__builtin_add_overflow(counts.before, counts.after, &both))
		both = UINT64_MAX;
	r = check_room(t, stack, both, why);
	if (r || !both)
		return r;
	node = add_stack(t, stack);
	t->counts[node].before += counts.before;
	t->counts[node].after += counts.after;
	t->total += both;
	return 0;
}

int flametree_scale(struct flametree *t, unsigned decimals, const char **why)
{
	uint64_t factor = 1, total;

	for (unsigned i = t->decimals; i < decimals; i++)
		if (__builtin_mul_overflow(factor, 10, &factor))
			factor = 0;
	/* too much for 64 bits itself; only a tree of nothing can bear that */
	if ((!factor && t->total) || __builtin_mul_overflow(t->total, factor, &total)) {
		*why = "with so many decimals the sum of all counts overflows 64 bits";
		return -ERANGE;
	}
	for (size_t i = 0; i < t->len; i++) {
		t->nodes[i].self *= factor;
		if (t->counts) {
			t->counts[i].before *= factor;
			t->counts[i].after *= factor;
		}
		if (t->starts)
			t->starts[i] *= factor;
	}
	t->total = total;
	t->decimals = decimals;
	return 0;
}

/* by: 0 for a power of ten beyond 64 bits, of which no count is half */
static uint64_t divided(uint64_t n, uint64_t by)
{
	uint64_t rest = by ? n % by : 0;

	return by ? n / by + (rest >= by - rest) : 0;
}

void flametree_coarsen(struct flametree *t, unsigned decimals)
{
	uint64_t by = 1;

	if (t->decimals <= decimals)
		return;
	for (unsigned i = decimals; i < t->decimals; i++)
		if (__builtin_mul_overflow(by, 10, &by))
			by = 0;
	t->decimals = decimals;
	t->total = 0;
	for (size_t i = 0; i < t->len; i++) {
		t->nodes[i].self = divided(t->nodes[i].self, by);
		t->total += t->nodes[i].self;
		if (!t->counts)
			continue;
		t->counts[i].before = divided(t->counts[i].before, by);
		t->counts[i].after = divided(t->counts[i].after, by);
		t->total += t->counts[i].before + t->counts[i].after;
	}
}

void flametree_release(struct flametree *t)
{
	intern_release(&t->names);
	strbuf_release(&t->last);
	strbuf_release(&t->clean);
	free(t->clean_ids);
	free(t->nodes);
	free(t->counts);
	free(t->starts);
	free(t->slots);
	free(t->path);
	*t = (struct flametree){ 0 };
}
