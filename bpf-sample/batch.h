/*
 * What was sampled in one interval, gathered from the counting maps and from the
 * overflow ring: stacks by hash, and a weight for each (process, thread, comm,
 * stacks). Emptied and used again; memory stays at the size of a large interval.
 */
#ifndef BPF_SAMPLE_BATCH_H
#define BPF_SAMPLE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map64.h"
#include "../bpf/layout.h"

struct batch_entry {
	struct sample_key key;
	struct sample_info info; /* count: the sum */
};

/* A stack without the room that it did not use. */
struct batch_stack {
	uint16_t n;
	uint8_t kind, end;
	uint64_t exact[LAYOUT_EXACT];
	uint64_t ip[];
};

struct batch {
	struct batch_entry *entries;
	size_t len, cap;
	struct map64 by_key;  /* hash of the key → entry; a collision takes the next number */
	struct map64 stacks;  /* stack hash → struct batch_stack * */
	struct arena arena;
	uint64_t weight;      /* of all entries */
};

/* Adds info->count firings of key. */
void batch_add(struct batch *b, const struct sample_key *key, const struct sample_info *info);

/* Keeps a copy unless it has this hash already. */
void batch_add_stack(struct batch *b, uint64_t hash, const struct stack_head *s,
		     const __u64 *ip);

/* NULL if it was never added. */
const struct batch_stack *batch_stack(const struct batch *b, uint64_t hash);

void batch_reset(struct batch *b);
void batch_release(struct batch *b);

#endif
