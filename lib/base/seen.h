/*
 * Texts that were taken apart before, and what came of them. A text is known by 96 bits
 * of its keyed hash (base/hash.h) alone, so a place costs 16 bytes however long the
 * text: of 2^32 texts two are mistaken for one another with a chance of 2^-33. Bounded:
 * full, it begins anew.
 */
#ifndef BASE_SEEN_H
#define BASE_SEEN_H

#include <stdbool.h>

#include "base/hash.h"

struct seen {
	struct hash_key key;
	struct seen_slot {
		uint64_t b;            /* of the hash */
		uint32_t a;            /* of the hash the lower half */
		uint32_t value_plus_1; /* 0: free */
	} *slots;
	size_t nslots; /* a power of two */
	size_t len;
};

void seen_init(struct seen *s);

/* True if the text with this hash is there: *value is what was put. */
bool seen_find(const struct seen *s, struct hash128 hash, uint32_t *value);

/* One that is not there yet; of more than `max` all earlier ones are forgotten. */
void seen_put(struct seen *s, struct hash128 hash, uint32_t value, size_t max);

void seen_release(struct seen *s);

#endif
