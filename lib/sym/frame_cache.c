#include "sym/frame_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { PLACES = 4, LINE = 64 }; /* an entry's places are one line of the processor's cache */

struct frame_slot {
	uint64_t key;
	uint32_t owner;
	uint32_t at; /* in text, behind the length; 0: empty */
};

_Static_assert(PLACES * sizeof(struct frame_slot) == LINE, "");

void frame_cache_init(struct frame_cache *c)
{
	size_t size = FRAME_CACHE_SLOTS * sizeof(*c->slots);

	/* neither is touched, and so takes no memory, before it is used */
	*c = (struct frame_cache){ 0 };
	c->room = xcalloc(1, size + LINE);
	c->slots = (struct frame_slot *)(((uintptr_t)c->room + LINE - 1) & ~(uintptr_t)(LINE - 1));
	c->text = xmalloc(FRAME_CACHE_TEXT);
}

void frame_cache_release(struct frame_cache *c)
{
	free(c->room);
	free(c->text);
	*c = (struct frame_cache){ 0 };
}

/* All entries are void. */
static void forget(struct frame_cache *c)
{
	c->used = 0;
	memset(c->slots, 0, FRAME_CACHE_SLOTS * sizeof(*c->slots));
}

uint32_t frame_cache_owner(struct frame_cache *c)
{
	if (++c->last_owner == 0)
		forget(c);
	return c->last_owner;
}

/* The first of the neighbours where the entry can be. */
static struct frame_slot *slots_of(const struct frame_cache *c, uint32_t owner, uint64_t key)
{
	uint64_t hash = hash_u64(key ^ (uint64_t)owner * 0x9e3779b97f4a7c15ull);

	return &c->slots[hash & (FRAME_CACHE_SLOTS - PLACES)];
}

bool frame_cache_get(const struct frame_cache *c, uint32_t owner, uint64_t key, struct slice *out)
{
	const struct frame_slot *s = slots_of(c, owner, key);
	uint32_t len;

	for (unsigned i = 0; i < PLACES; i++, s++) {
		if (s->key == key && s->owner == owner && s->at) {
			memcpy(&len, c->text + s->at - sizeof(len), sizeof(len));
			*out = (struct slice){ c->text + s->at, len };
			return true;
		}
	}
	return false;
}

struct slice frame_cache_put(struct frame_cache *c, uint32_t owner, uint64_t key, struct slice s)
{
	struct frame_slot *slot = slots_of(c, owner, key);
	uint32_t len = (uint32_t)s.len;
	char *text;

	if (s.len > FRAME_CACHE_TEXT / 4)
		return s;
	if (s.len + sizeof(len) > FRAME_CACHE_TEXT - c->used)
		forget(c);
	memcpy(c->text + c->used, &len, sizeof(len));
	c->used += sizeof(len);
	text = c->text + c->used;
	if (s.len)
		memcpy(text, s.p, s.len);
	/* the oldest goes; some that are used by turns stay */
	memmove(slot + 1, slot, (PLACES - 1) * sizeof(*slot));
	slot[0] = (struct frame_slot){ key, owner, (uint32_t)c->used };
	c->used += s.len;
	return (struct slice){ text, s.len };
}
