#include "sym/symset.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void symset_add(struct symset *set, const struct symset_entry *e)
{
	struct symset_entry *put;

	set->fresh = grow(set->fresh, set->nfresh, &set->cap, sizeof(*set->fresh));
	put = &set->fresh[set->nfresh++];
	*put = *e;
	put->name.p = arena_dup(&set->names, e->name.p, e->name.len);
	put->module.p = e->module.len ? arena_dup(&set->names, e->module.p, e->module.len) : "";
	put->order = set->total++;
}

static int by_address_then_order(const void *va, const void *vb)
{
	const struct symset_entry *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Merges b, the newer one, into a. */
static void run_merge(struct symset_run *a, struct symset_run *b)
{
	struct symset_entry *to = xreallocarray(NULL, a->len + b->len, sizeof(*to));
	size_t i = 0, j = 0, n = 0;

	while (i < a->len || j < b->len) {
		if (j == b->len || (i < a->len && a->entries[i].addr < b->entries[j].addr)) {
			to[n++] = a->entries[i++];
		} else {
			if (i < a->len && a->entries[i].addr == b->entries[j].addr)
				i++;
			to[n++] = b->entries[j++];
		}
	}
	free(a->entries);
	free(b->entries);
	*a = (struct symset_run){ to, n };
	*b = (struct symset_run){ 0 };
}

/* Makes a run of what arrived since the last look-up. */
static void settle(struct symset *set)
{
	struct symset_run *run;
	size_t n = 0;

	qsort(set->fresh, set->nfresh, sizeof(*set->fresh), by_address_then_order);
	for (size_t i = 0; i < set->nfresh; i++) {
		if (n && set->fresh[n - 1].addr == set->fresh[i].addr)
			n--;
		set->fresh[n++] = set->fresh[i];
	}
	if (!set->runs)
		set->runs = xcalloc(SYMSET_RUNS, sizeof(*set->runs));
	run = &set->runs[set->nruns++];
	*run = (struct symset_run){ set->fresh, n };
	set->fresh = NULL;
	set->nfresh = set->cap = 0;
	/* each run at least twice its successor keeps them few */
	for (; set->nruns > 1 && run[-1].len < 2 * run->len; run--, set->nruns--)
		run_merge(run - 1, run);
}

/* How many entries of the run start at or below addr. */
static size_t run_upper(const struct symset_run *run, uint64_t addr)
{
	size_t lo = 0, hi = run->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (run->entries[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Whether a newer run than `run` has one of the same address. */
static bool replaced(const struct symset *set, unsigned run, uint64_t addr)
{
	while (++run < set->nruns) {
		size_t n = run_upper(&set->runs[run], addr);

		if (n && set->runs[run].entries[n - 1].addr == addr)
			return true;
	}
	return false;
}

bool symset_find(struct symset *set, uint64_t addr, struct symset_entry *out)
{
	enum { LOOK_BACK = 16 };
	const struct symset_entry *best = NULL;
	uint64_t nearest = 0; /* the highest start at or below addr */

	if (set->nfresh)
		settle(set);
	for (unsigned i = set->nruns; i-- > 0;) {
		size_t n = run_upper(&set->runs[i], addr);

		if (n && set->runs[i].entries[n - 1].addr >= nearest)
			nearest = set->runs[i].entries[n - 1].addr;
	}
	for (unsigned i = set->nruns; i-- > 0;) {
		const struct symset_entry *e = set->runs[i].entries;
		size_t n = run_upper(&set->runs[i], addr);

		for (size_t k = 0; k < LOOK_BACK && k < n; k++) {
			const struct symset_entry *c = &e[n - 1 - k];
			uint64_t reach = c->size ? c->size
				       : c->addr == nearest ? SYMSET_REACH : 0;

			if (best && c->addr <= best->addr)
				break;
			if (addr - c->addr < reach && !replaced(set, i, c->addr)) {
				best = c;
				break;
			}
		}
	}
	if (best)
		*out = *best;
	return best != NULL;
}

size_t symset_bytes(const struct symset *set)
{
	return set->total * sizeof(struct symset_entry) + set->names.total;
}

void symset_release(struct symset *set)
{
	for (unsigned i = 0; i < set->nruns; i++)
		free(set->runs[i].entries);
	free(set->runs);
	free(set->fresh);
	arena_release(&set->names);
	*set = (struct symset){ 0 };
}
