/*
 * Byte strings as small numbers: equal bytes, equal id. Ids are dense from 0 in
 * order of first appearance. The bytes live as long as the table and never move.
 * Zero-initialized is empty and valid.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

struct intern {
	struct slice *strings; /* by id */
	struct intern_slot *slots;
	size_t len, cap, nslots;
	struct arena arena;
};

uint32_t intern_add(struct intern *in, struct slice s);

/* The id of a string that was added, in *id; false if there is none. */
bool intern_find_hashed(const struct intern *in, struct slice s, uint64_t hash, uint32_t *id);

/* Like intern_add for one whose hash_bytes() the caller has already. */
uint32_t intern_add_hashed(struct intern *in, struct slice s, uint64_t hash);

static inline struct slice intern_get(const struct intern *in, uint32_t id)
{
	return in->strings[id];
}

void intern_release(struct intern *in);

#endif
