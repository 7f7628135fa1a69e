#include "sums.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"

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

void sums_release(struct sums *s)
{
	intern_release(&s->stacks);
	free(s->counts);
	free(s->before);
	*s = (struct sums){ 0 };
}
