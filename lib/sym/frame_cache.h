/*
 * Finished texts by (owner, key): an owner is a file, a process or the kernel, a key an
 * address in it. A fixed table, a few places an entry, and one buffer that is filled and
 * begun anew: an entry may be gone at any time, and memory is what it is whatever comes.
 */
#ifndef SYM_FRAME_CACHE_H
#define SYM_FRAME_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum { FRAME_CACHE_SLOTS = 1 << 17, FRAME_CACHE_TEXT = 16 << 20 };

struct frame_slot;

struct frame_cache {
	struct frame_slot *slots; /* in room */
	void *room;
	char *text;         /* each entry behind its length, of 4 bytes */
	size_t used;        /* of text */
	uint32_t last_owner;
};

void frame_cache_init(struct frame_cache *c);
void frame_cache_release(struct frame_cache *c);

/* A number for a new owner, not in use before. */
uint32_t frame_cache_owner(struct frame_cache *c);

/* *out is valid until the next put. */
bool frame_cache_get(const struct frame_cache *c, uint32_t owner, uint64_t key, struct slice *out);

/* Keeps a copy, which it returns; s itself if it is too long to be kept. */
struct slice frame_cache_put(struct frame_cache *c, uint32_t owner, uint64_t key, struct slice s);

#endif
