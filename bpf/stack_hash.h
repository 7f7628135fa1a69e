/*
 * The hash by which stacks are known, in the kernel's maps and to bpf-sample for those
 * that it walks itself: begin, a step for each address, leaf first.
 */
#ifndef BPF_STACK_HASH_H
#define BPF_STACK_HASH_H

#include "layout.h"

static inline __attribute__((always_inline)) __u64 stack_hash_step(__u64 h, __u64 v)
{
	h ^= v;
	h *= 0x9fb21c651e98df25ull;
	return h ^ h >> 29;
}

static inline __attribute__((always_inline)) __u64 stack_hash_begin(const struct stack_head *s)
{
	__u64 h = (__u64)s->n << 16 | (__u64)s->kind << 8 | s->end;
	int i;

	h = stack_hash_step(0x243f6a8885a308d3ull, h);
	for (i = 0; i < LAYOUT_EXACT; i++)
		h = stack_hash_step(h, s->exact[i]);
	return h;
}

#endif
