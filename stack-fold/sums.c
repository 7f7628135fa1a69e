#include "sums.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "lines/folded.h"

uint32_t sums_stack(struct sums *s, struct slice stack, uint64_t hash)
{
	size_t known = s->stacks.len;
	uint32_t id = intern_add_hashed(&s->stacks, stack, hash);

	if (id < known)
		return id;
	s->counts = grow(s->counts, id, &s->cap, sizeof(*s->counts));
	s->counts[id] = 0;
	return id;
}

static bool add_saturating(uint64_t *sum, uint64_t count)
{
	if (!__builtin_add_overflow(*sum, count, sum))
		return true;
	*sum = UINT64_MAX;
	return false;
}

void sums_add(struct sums *s, uint32_t id, uint64_t count)
{
	if (!add_saturating(&s->counts[id], count))
		s->saturated++;
	add_saturating(&s->total, count);
}

struct row {
	struct slice stack;
	uint64_t count;
};

/* A row as the line it becomes, from `at` on; for rows of which one begins the other. */
static void add_tail(struct strbuf *sb, const struct row *r, size_t at)
{
	strbuf_add(sb, r->stack.p + at, r->stack.len - at);
	strbuf_addch(sb, ' ');
	strbuf_addu64(sb, r->count);
}

static int compare_tails(const struct row *a, const struct row *b, size_t at)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	int c;

	add_tail(&x, a, at);
	add_tail(&y, b, at);
	c = slice_cmp(strbuf_slice(&x), strbuf_slice(&y));
	strbuf_release(&x);
	strbuf_release(&y);
	return c;
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	size_t n = a->stack.len < b->stack.len ? a->stack.len : b->stack.len;
	int c = n ? memcmp(a->stack.p, b->stack.p, n) : 0;
	const struct row *longer = a->stack.len > b->stack.len ? a : b;

	if (c || a->stack.len == b->stack.len)
		return c;
	/*
	 * "a 5" against "a;b 3": the blank before the count decides (nothing in a
	 * stack is below it), unless the longer goes on with a blank: "a (b) 3".
	 */
	if (longer->stack.p[n] == ' ')
		return compare_tails(a, b, n);
	return longer == a ? 1 : -1;
}

void sums_write(const struct sums *s, struct output *out)
{
	size_t n = s->stacks.len;
	struct row *rows = xreallocarray(NULL, n, sizeof(*rows));

	for (size_t id = 0; id < n; id++)
		rows[id] = (struct row){ intern_get(&s->stacks, (uint32_t)id), s->counts[id] };
	qsort(rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n && !out->error; i++)
		folded_write(out, rows[i].stack, rows[i].count);
	free(rows);
}

void sums_release(struct sums *s)
{
	intern_release(&s->stacks);
	free(s->counts);
	*s = (struct sums){ 0 };
}
