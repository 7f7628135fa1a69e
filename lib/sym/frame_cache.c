#include "sym/frame_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { PLACES = 4 };

struct frame_slot {
	uint64_t key;
	uint32_t owner, epoch; /* epoch 0: empty */
	uint32_t at, len;      /* in text */
};

void frame_cache_init(struct frame_cache *c)
{
	/* neither is touched, and so takes no memory, before it is used */
	*c = (struct frame_cache){ .epoch = 1 };
	c->slots = xcalloc(FRAME_CACHE_SLOTS, sizeof(*c->slots));
	c->text = xmalloc(FRAME_CACHE_TEXT);
}

void frame_cache_release(struct frame_cache *c)
{
	free(c->slots);
	free(c->text);
	*c = (struct frame_cache){ 0 };
}

/* All entries are void. */
static void forget(struct frame_cache *c)
{
	c->used = 0;
	if (++c->epoch == 0) {
		memset(c->slots, 0, FRAME_CACHE_SLOTS * sizeof(*c->slots));
		c->epoch = 1;
	}
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

	for (unsigned i = 0; i < PLACES; i++, s++) {
		if (s->key == key && s->owner == owner && s->epoch == c->epoch) {
			*out = (struct slice){ c->text + s->at, s->len };
			return true;
		}
	}
	return false;
}

struct slice frame_cache_put(struct frame_cache *c, uint32_t owner, uint64_t key, struct slice s)
{
	struct frame_slot *slot = slots_of(c, owner, key);
	char *text;

	if (s.len > FRAME_CACHE_TEXT / 4)
		return s;
	if (s.len > FRAME_CACHE_TEXT - c->used)
		forget(c);
	text = c->text + c->used;
	if (s.len)
		memcpy(text, s.p, s.len);
	/* the oldest goes; some that are used by turns stay */
	memmove(slot + 1, slot, (PLACES - 1) * sizeof(*slot));
	slot[0] = (struct frame_slot){ key, owner, c->epoch, (uint32_t)c->used, (uint32_t)s.len };
	c->used += s.len;
	return (struct slice){ text, s.len };
}
