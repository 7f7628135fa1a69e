/*
 * Symbols that arrive one by one, between look-ups, in any order and any number: those
 * of a capture's KSYM and SYM records. Sorted runs of growing size, merged as they
 * become alike, so that neither an addition nor a look-up costs more than the
 * logarithm squared whatever the order. Zero-initialized is empty and valid.
 */
#ifndef SYM_SYMSET_H
#define SYM_SYMSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

struct symset_entry {
	uint64_t addr, size; /* size 0: up to the next symbol, at most SYMSET_REACH */
	struct slice name, module;
	size_t order;        /* of arrival; the set's own */
};

enum { SYMSET_REACH = 1 << 16, SYMSET_RUNS = 32 };

struct symset_run {
	struct symset_entry *entries; /* by address, one of each */
	size_t len;
};

struct symset {
	struct symset_run *runs; /* SYMSET_RUNS of them or NULL; older and larger ones first */
	unsigned nruns;
	struct symset_entry *fresh; /* in order of arrival, not yet a run */
	size_t nfresh, cap;
	size_t total;
	struct arena names;
};

/* Copies the names. One of the same address replaces the earlier one. */
void symset_add(struct symset *set, const struct symset_entry *e);

/*
 * The symbol that covers addr, the last to start if several do (looking past at most
 * a few that end before it). False if there is none. What *out points to lives as
 * long as the set.
 */
bool symset_find(struct symset *set, uint64_t addr, struct symset_entry *out);

/* About what it takes of memory. */
size_t symset_bytes(const struct symset *set);

void symset_release(struct symset *set);

#endif
