#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

/* Entries that the next interval may well need again; a spike's memory is given back. */
enum { BATCH_KEEP = 1 << 14 };

void batch_add(struct batch *b, const struct sample_key *key, const struct sample_info *info)
{
	uint64_t h = hash_bytes(key, sizeof(*key));
	struct batch_entry *e;
	uint64_t *at;
	bool added;

	b->weight += info->count;
	for (;; h++) {
		at = map64_put(&b->by_key, h, &added);
		if (added)
			break;
		e = &b->entries[*at];
		if (memcmp(&e->key, key, sizeof(*key)) == 0) {
			e->info.count += info->count;
			return;
		}
	}
	*at = b->len;
	b->entries = grow(b->entries, b->len, &b->cap, sizeof(*b->entries));
	b->entries[b->len++] = (struct batch_entry){ *key, *info };
}

void batch_add_stack(struct batch *b, uint64_t hash, const struct stack_head *s,
		     const __u64 *ip)
{
	uint16_t n = s->n < LAYOUT_DEPTH_DEEP ? s->n : LAYOUT_DEPTH_DEEP;
	struct batch_stack *copy;
	uint64_t *at;
	bool added;

	at = map64_put(&b->stacks, hash, &added);
	if (!added)
		return;
	copy = arena_alloc(&b->arena, sizeof(*copy) + n * sizeof(*copy->ip));
	copy->n = n;
	copy->kind = s->kind;
	copy->end = s->end;
	memcpy(copy->exact, s->exact, sizeof(copy->exact));
	memcpy(copy->ip, ip, n * sizeof(*copy->ip));
	*at = (uintptr_t)copy;
}

const struct batch_stack *batch_stack(const struct batch *b, uint64_t hash)
{
	uint64_t *at = map64_get(&b->stacks, hash);

	return at ? (const struct batch_stack *)(uintptr_t)*at : NULL;
}

void batch_reset(struct batch *b)
{
	struct batch kept = { .entries = b->entries, .cap = b->cap };

	if (b->cap > BATCH_KEEP)
		kept = (struct batch){ 0 };
	else
		b->entries = NULL;
	batch_release(b);
	*b = kept;
}

void batch_release(struct batch *b)
{
	free(b->entries);
	map64_release(&b->by_key);
	map64_release(&b->stacks);
	arena_release(&b->arena);
	*b = (struct batch){ 0 };
}
