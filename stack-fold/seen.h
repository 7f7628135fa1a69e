/*
 * Texts that were folded before, and the stacks that came of them. A text is known
 * by its 128-bit keyed hash (base/hash.h) alone, so a place costs 24 bytes however
 * long the text. Bounded: full, it begins anew.
 */
#ifndef STACK_FOLD_SEEN_H
#define STACK_FOLD_SEEN_H

#include <stdbool.h>

#include "base/hash.h"

struct seen {
	struct hash_key key;
	struct seen_slot {
		struct hash128 hash;
		uint32_t stack_plus_1; /* 0: free */
	} *slots;
	size_t nslots; /* a power of two */
	size_t len;
};

void seen_init(struct seen *s);

/* True if the text with this hash is there: *stack is what was put. */
bool seen_find(const struct seen *s, struct hash128 hash, uint32_t *stack);

/* One that is not there yet; of more than `max` all earlier ones are forgotten. */
void seen_put(struct seen *s, struct hash128 hash, uint32_t stack, size_t max);

void seen_release(struct seen *s);

#endif
