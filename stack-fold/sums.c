#include "sums.h"

#include <errno.h>
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

void sums_turn(struct sums *s)
{
	s->differential = true;
	s->before = s->counts;
	s->before_len = s->stacks.len;
	s->before_total = s->total;
	s->counts = xcalloc(s->cap, sizeof(*s->counts));
	s->total = 0;
}

/* What scaling a count down to a whole number took from it. */
struct remainder {
	uint64_t lost;
	uint32_t id;
};

static int compare_remainders(const void *pa, const void *pb, void *sums)
{
	const struct remainder *a = pa, *b = pb;
	const struct sums *s = sums;

	if (a->lost != b->lost)
		return a->lost > b->lost ? -1 : 1;
	return slice_cmp(intern_get(&s->stacks, a->id), intern_get(&s->stacks, b->id));
}

int sums_normalize(struct sums *s)
{
	uint64_t from = s->before_total, to = s->total, missing = to;
	struct remainder *list;
	size_t n = 0;

	if (!from || !to)
		return -EDOM;
	if (from == UINT64_MAX || to == UINT64_MAX)
		return -ERANGE;
	if (from == to)
		return 0;
	list = xreallocarray(NULL, s->before_len, sizeof(*list));
	for (size_t id = 0; id < s->before_len; id++) {
		unsigned __int128 scaled = (unsigned __int128)s->before[id] * to;

		s->before[id] = (uint64_t)(scaled / from);
		missing -= s->before[id];
		if (scaled % from)
			list[n++] = (struct remainder){ (uint64_t)(scaled % from), (uint32_t)id };
	}
	qsort_r(list, n, sizeof(*list), compare_remainders, s);
	for (size_t i = 0; i < missing; i++)
		s->before[list[i].id]++;
	free(list);
	s->before_total = to;
	return 0;
}

struct row {
	struct slice stack;
	uint32_t id;
};

static uint64_t before_of(const struct sums *s, uint32_t id)
{
	return id < s->before_len ? s->before[id] : 0;
}

/* A row as the line it becomes, from `at` on; for rows of which one begins the other. */
static void add_tail(struct strbuf *sb, const struct sums *s, const struct row *r, size_t at)
{
	strbuf_add(sb, r->stack.p + at, r->stack.len - at);
	if (s->differential) {
		strbuf_addch(sb, ' ');
		strbuf_addu64(sb, before_of(s, r->id));
	}
	strbuf_addch(sb, ' ');
	strbuf_addu64(sb, s->counts[r->id]);
}

static int compare_tails(const struct sums *s, const struct row *a, const struct row *b,
			 size_t at)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	int c;

	add_tail(&x, s, a, at);
	add_tail(&y, s, b, at);
	c = slice_cmp(strbuf_slice(&x), strbuf_slice(&y));
	strbuf_release(&x);
	strbuf_release(&y);
	return c;
}

static int compare_rows(const void *pa, const void *pb, void *sums)
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
		return compare_tails(sums, a, b, n);
	return longer == a ? 1 : -1;
}

void sums_write(const struct sums *s, uint64_t min_count, struct output *out)
{
	struct row *rows = xreallocarray(NULL, s->stacks.len, sizeof(*rows));
	size_t n = 0;

	for (uint32_t id = 0; id < s->stacks.len; id++) {
		if (s->counts[id] >= min_count || before_of(s, id) >= min_count)
			rows[n++] = (struct row){ intern_get(&s->stacks, id), id };
	}
	qsort_r(rows, n, sizeof(*rows), compare_rows, (void *)s);
	for (const struct row *r = rows; r < rows + n && !out->error; r++) {
		uint64_t count = s->counts[r->id];

		if (s->differential)
			folded_write_differential(out, r->stack, before_of(s, r->id), count);
		else
			folded_write(out, r->stack, count);
	}
	free(rows);
}

void sums_release(struct sums *s)
{
	intern_release(&s->stacks);
	free(s->counts);
	free(s->before);
	*s = (struct sums){ 0 };
}
