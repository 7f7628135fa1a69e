/*
 * Folded stacks and their sums: each distinct stack once. A sum that would not
 * fit stays at UINT64_MAX and is counted, it never wraps.
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
};

/* The id of a stack, a new one with count 0. */
uint32_t sums_stack(struct sums *s, struct slice stack, uint64_t hash);

void sums_add(struct sums *s, uint32_t id, uint64_t count);

/* Writes all as folded lines, sorted bytewise as lines (LC_ALL=C sort). */
void sums_write(const struct sums *s, struct output *out);

void sums_release(struct sums *s);

#endif
