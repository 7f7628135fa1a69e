/*
 * Folded stacks and their sums: each distinct stack once. A sum that would not
 * fit stays at UINT64_MAX and is counted, it never wraps. A differential has two
 * sums for each: what is counted up to sums_turn is the one before.
 */
#ifndef STACK_FOLD_SUMS_H
#define STACK_FOLD_SUMS_H

#include "base/intern.h"
#include "base/stream.h"

struct sums {
	struct intern stacks;
	uint64_t *counts; /* by id */
	size_t cap;
	uint64_t total;     /* of all counts; saturates, too */
	uint64_t saturated; /* additions that did not fit */
	bool differential;  /* sums_turn was called: these are set */
	uint64_t *before;   /* by id */
	size_t before_len;  /* later stacks were not there */
	uint64_t before_total;
};

/* The id of a stack, a new one with count 0. */
uint32_t sums_stack(struct sums *s, struct slice stack, uint64_t hash);

void sums_add(struct sums *s, uint32_t id, uint64_t count);

/* Makes what was counted so far the counts before; those after begin at 0. */
void sums_turn(struct sums *s);

/*
 * Scales the counts before so that their sum is that of those after, exactly: each is
 * rounded down, and what is then missing goes by ones to those that lost most (of equals,
 * to the first by bytes). 0; -EDOM if one of the sums is 0; -ERANGE if one has more than
 * 64 bits: they are then as they were.
 */
int sums_normalize(struct sums *s);

/*
 * Writes all as folded or differential lines, sorted bytewise as lines (LC_ALL=C sort), but
 * for stacks whose count, or of a differential both, is below min_count.
 */
void sums_write(const struct sums *s, uint64_t min_count, struct output *out);

void sums_release(struct sums *s);

#endif
