#include "base/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { SLOTS_MIN = 1 << 10 };

/* The place of that hash, or the free one where it belongs. */
static struct seen_slot *seen_place(const struct seen *s, uint32_t a, uint64_t b)
{
	size_t mask = s->nslots - 1, i = a & mask;

	while (s->slots[i].value_plus_1 && (s->slots[i].a != a || s->slots[i].b != b))
		i = (i + 1) & mask;
	return &s->slots[i];
}

void seen_init(struct seen *s)
{
	*s = (struct seen){ .nslots = SLOTS_MIN };
	s->slots = xcalloc(s->nslots, sizeof(*s->slots));
	hash_key_draw(&s->key);
}

bool seen_find(const struct seen *s, struct hash128 hash, uint32_t *value)
{
	const struct seen_slot *slot = seen_place(s, (uint32_t)hash.a, hash.b);

	*value = slot->value_plus_1 - 1;
	return slot->value_plus_1 != 0;
}

static void seen_double(struct seen *s)
{
	struct seen old = *s;

	s->nslots *= 2;
	s->slots = xcalloc(s->nslots, sizeof(*s->slots));
	for (size_t i = 0; i < old.nslots; i++) {
		const struct seen_slot *slot = &old.slots[i];

		if (slot->value_plus_1)
			*seen_place(s, slot->a, slot->b) = *slot;
	}
	free(old.slots);
}

void seen_put(struct seen *s, struct hash128 hash, uint32_t value, size_t max)
{
	if (s->len >= max) {
		memset(s->slots, 0, s->nslots * sizeof(*s->slots));
		s->len = 0;
	} else if (s->len * 2 >= s->nslots) {
		seen_double(s);
	}
	*seen_place(s, (uint32_t)hash.a, hash.b) =
		(struct seen_slot){ hash.b, (uint32_t)hash.a, value + 1 };
	s->len++;
}

void seen_release(struct seen *s)
{
	free(s->slots);
	*s = (struct seen){ 0 };
}
