#include "proc/mapset.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct mapset {
	uint32_t refs;
	size_t len, cap;
	struct mapping *maps;
};

struct mapset *mapset_new(void)
{
	struct mapset *set = xcalloc(1, sizeof(*set));

	set->refs = 1;
	return set;
}

struct mapset *mapset_share(struct mapset *set)
{
	set->refs++;
	return set;
}

void mapset_free(struct mapset *set)
{
	if (!set || --set->refs)
		return;
	free(set->maps);
	free(set);
}

static struct mapset *mapset_own(struct mapset **set)
{
	struct mapset *old = *set, *s;

	if (old->refs == 1)
		return old;
	s = mapset_new();
	s->len = s->cap = old->len;
	s->maps = xreallocarray(NULL, s->cap, sizeof(*s->maps));
	if (s->len)
		memcpy(s->maps, old->maps, s->len * sizeof(*s->maps));
	old->refs--;
	return *set = s;
}

/* The first mapping that ends above addr. */
static size_t mapset_lower(const struct mapset *set, uint64_t addr)
{
	size_t lo = 0, hi = set->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (set->maps[mid].end > addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void mapset_insert(struct mapset **setp, const struct mapping *m)
{
	struct mapset *set = mapset_own(setp);
	size_t from = mapset_lower(set, m->start), to = from;
	struct mapping put[3];
	size_t n = 0;

	while (to < set->len && set->maps[to].start < m->end)
		to++;
	/* what the outermost covered ones keep to the left and the right of m */
	if (from < to && set->maps[from].start < m->start) {
		put[n] = set->maps[from];
		put[n++].end = m->start;
	}
	put[n++] = *m;
	if (from < to && set->maps[to - 1].end > m->end) {
		put[n] = set->maps[to - 1];
		put[n].offset += m->end - put[n].start;
		put[n++].start = m->end;
	}
	if (set->len - (to - from) + n > set->cap) {
		set->cap = set->cap ? set->cap * 2 : 8;
		set->maps = xreallocarray(set->maps, set->cap + 2, sizeof(*set->maps));
		set->cap += 2;
	}
	memmove(set->maps + from + n, set->maps + to, (set->len - to) * sizeof(*set->maps));
	memcpy(set->maps + from, put, n * sizeof(*put));
	set->len = set->len - (to - from) + n;
}

const struct mapping *mapset_find(const struct mapset *set, uint64_t addr)
{
	size_t i = mapset_lower(set, addr);

	return i < set->len && set->maps[i].start <= addr ? &set->maps[i] : NULL;
}

const struct mapping *mapset_all(const struct mapset *set, size_t *n)
{
	*n = set->len;
	return set->maps;
}

void mapset_mark(struct mapset **setp, uint64_t addr, uint32_t mark)
{
	struct mapset *set = mapset_own(setp);

	set->maps[mapset_lower(set, addr)].mark = mark;
}
