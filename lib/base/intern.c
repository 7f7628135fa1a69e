#include "base/intern.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

/* The hash beside the id: a look that finds another string, or a new table, touches no string. */
struct intern_slot {
	uint32_t id_plus_1; /* 0: free */
	uint32_t hash;      /* its lower half, of which the place is made, too */
};

static struct intern_slot *free_slot(const struct intern *in, uint32_t hash)
{
	size_t mask = in->nslots - 1, i = hash & mask;

	while (in->slots[i].id_plus_1)
		i = (i + 1) & mask;
	return &in->slots[i];
}

static void intern_rehash(struct intern *in)
{
	struct intern_slot *old = in->slots;
	size_t n = in->nslots;

	in->nslots = n ? n * 2 : 64;
	in->slots = xcalloc(in->nslots, sizeof(*in->slots));
	for (size_t i = 0; i < n; i++) {
		if (old[i].id_plus_1)
			*free_slot(in, old[i].hash) = old[i];
	}
	free(old);
}

bool intern_find_hashed(const struct intern *in, struct slice s, uint64_t hash, uint32_t *id)
{
	const struct intern_slot *slot;

	if (!in->len)
		return false;
	for (size_t i = hash; slot = &in->slots[i & (in->nslots - 1)], slot->id_plus_1; i++) {
		*id = slot->id_plus_1 - 1;
		if (slot->hash == (uint32_t)hash && slice_eq(in->strings[*id], s))
			return true;
	}
	return false;
}

uint32_t intern_add_hashed(struct intern *in, struct slice s, uint64_t hash)
{
	uint32_t id;

	if (intern_find_hashed(in, s, hash, &id))
		return id;
	if (in->len * 2 >= in->nslots)
		intern_rehash(in);
	in->strings = grow(in->strings, in->len, &in->cap, sizeof(*in->strings));
	in->strings[in->len] = (struct slice){ arena_dup(&in->arena, s.p, s.len), s.len };
	id = (uint32_t)in->len++;
	*free_slot(in, (uint32_t)hash) = (struct intern_slot){ id + 1, (uint32_t)hash };
	return id;
}

uint32_t intern_add(struct intern *in, struct slice s)
{
	return intern_add_hashed(in, s, hash_bytes(s.p, s.len));
}

void intern_release(struct intern *in)
{
	free(in->strings);
	free(in->slots);
	arena_release(&in->arena);
	*in = (struct intern){ 0 };
}
