/*
 * u64 -> u64, open addressing. Any key and any value; zero-initialized is empty
 * and valid. Iterate with map64_next; the order is unspecified, so sort before
 * anything reaches an output.
 */
#ifndef BASE_MAP64_H
#define BASE_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map64_slot {
	uint64_t key;
	uint64_t value;
};

struct map64 {
	struct map64_slot *slots;
	uint8_t *state; /* 0 free, 1 used, 2 deleted */
	size_t cap;     /* power of two, or 0 */
	size_t len;     /* used */
	size_t filled;  /* used and deleted */
};

/* The value's place, valid until the next put or delete; NULL if absent. */
uint64_t *map64_get(const struct map64 *m, uint64_t key);

/* The place of an existing value, or of a new one set to 0 (*added says which; may be NULL). */
uint64_t *map64_put(struct map64 *m, uint64_t key, bool *added);

/* True if it was there. Safe for the slot just returned by map64_next. */
bool map64_delete(struct map64 *m, uint64_t key);

/* The next used slot from *pos (start with 0), or NULL at the end. */
struct map64_slot *map64_next(const struct map64 *m, size_t *pos);

void map64_release(struct map64 *m);

#endif
