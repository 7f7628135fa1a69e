/*
 * A user stack by unwind tables, in the kernel: for each frame the mapping of its
 * address, the row of the file, the step. Where it lacks a table it gives up, and the
 * sample goes to user space with a copy of its stack.
 */
#ifndef BPF_UNWIND_H
#define BPF_UNWIND_H

#include "arch.h"
#include "layout.h"
#include "spaces.h"

#define UNWIND_READ(ctx, dst, addr) \
	bpf_probe_read_user(dst, sizeof(__u64), (const void *)(unsigned long)(addr))
#define UNWIND_READ_PAIR(ctx, dst, addr) \
	bpf_probe_read_user(dst, 2 * sizeof(__u64), (const void *)(unsigned long)(addr))
#include "unwind/step.h"

/* Beside UNWIND_CALLER and enum capture_end. */
enum {
	WALK_LATE = -2,
	WALK_JUNK = -3, /* a frame pointer led to what is no code */
};

struct table_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32)); /* no types: clang 14 leaves these two out of BTF */
	__uint(value_size, sizeof(struct table_block));
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 1 << 14);
	__type(key, __u32);
	__array(values, struct table_map);
} tables SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNWIND_RULES_MAX);
	__type(key, __u32);
	__type(value, struct unwind_rule);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct space_value);
} spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 17);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct space_key);
	__type(value, struct space_chunk);
} space_chunks SEC(".maps");

/* What a walk carries from frame to frame. */
struct walk {
	struct unwind_regs regs;
	__u64 space;
	struct space_mapping m; /* of the last frame */
	__u32 cpu;
	__s32 end;              /* UNWIND_CALLER while it goes on */
	__u32 guessed;          /* regs are by a frame pointer, which may be none */
	__u32 exact;            /* regs.ip is not a return address */
	__u32 by_tables;        /* else by frame pointers alone */
};

/*
 * The searches are global functions: the verifier looks at each once, for any argument,
 * and not again for each way that a walk may come to it.
 */

/* The chunk that may hold addr. */
__noinline __u32 space_search(const struct space_value *space, __u64 addr)
{
	__u32 lo = 0, hi, mid;
	int i;

	if (!space)
		return 0;
	hi = (space->n + SPACE_CHUNK - 1) / SPACE_CHUNK;
	for (i = 0; i < 8; i++) {
		if (lo + 1 >= hi)
			break;
		mid = (lo + hi) / 2;
		if (space->first[mid & (SPACE_CHUNKS - 1)] <= addr)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* The mapping of a chunk that may hold addr; unused ones start at ~0. */
__noinline __u32 chunk_search(const struct space_chunk *chunk, __u64 addr)
{
	__u32 at = 0, step;

	if (!chunk)
		return 0;
	for (step = SPACE_CHUNK / 2; step; step /= 2)
		if (chunk->m[(at + step) & (SPACE_CHUNK - 1)].start <= addr)
			at += step;
	return at;
}

enum { NO_TABLE = -1 };

/* Rows [lo, hi) of a page, found through the page index behind the header. */
static __always_inline int page_entry(void *table, __u64 page, __u32 *entry)
{
	__u32 at = 1 + page / TABLE_BLOCK;
	struct table_block *block = bpf_map_lookup_elem(table, &at);

	if (!block)
		return NO_TABLE;
	*entry = block->words[page & (TABLE_BLOCK - 1)];
	return 0;
}

/* The index of the rule of an address, NO_TABLE if there is no such table. */
__noinline int row_search(__u32 id, __u64 vaddr)
{
	__u32 zero = 0, at, first, lo, hi, mid, have = ~0u, word, rule = 0;
	struct table_block *block;
	__u16 low = vaddr;
	void *table;
	__u64 page;
	int i;

	table = bpf_map_lookup_elem(&tables, &id);
	if (!table)
		return NO_TABLE;
	block = bpf_map_lookup_elem(table, &zero);
	if (!block)
		return NO_TABLE;
	page = (vaddr >> UNWIND_PAGE_SHIFT) - block->header.first_page;
	if (page >= block->header.npages)
		return 0;
	first = block->header.rows_block;
	if (page_entry(table, page, &lo) || page_entry(table, page + 1, &hi))
		return NO_TABLE;

	/* the first row of a page has low 0, so that the answer lies in [lo, hi) */
	for (i = 0; i < 17; i++) {
		mid = lo + 1 < hi ? lo + (hi - lo) / 2 : lo;
		at = first + mid / TABLE_BLOCK;
		if (at != have) {
			block = bpf_map_lookup_elem(table, &at);
			have = at;
		}
		if (!block)
			return NO_TABLE;
		word = block->words[mid & (TABLE_BLOCK - 1)];
		if (mid == lo) {
			rule = word >> 16;
			break;
		}
		if ((word & 0xffff) <= low)
			lo = mid;
		else
			hi = mid;
	}
	return rule;
}

/* The mapping of addr into w->m. UNWIND_CALLER if found, WALK_LATE if it may be new. */
static __always_inline int walk_mapping(struct walk *w, __u64 addr)
{
	struct space_key key = { .space = w->space };
	struct space_value *space;
	struct space_chunk *chunk;

	if (addr >= w->m.start && addr < w->m.end)
		return UNWIND_CALLER;
	space = bpf_map_lookup_elem(&spaces, &key.space);
	if (!space)
		return WALK_LATE;
	key.version = space->version;
	key.chunk = space_search(space, addr);
	chunk = bpf_map_lookup_elem(&space_chunks, &key);
	if (!chunk)
		return w->guessed ? WALK_JUNK : WALK_LATE;
	w->m = chunk->m[chunk_search(chunk, addr) & (SPACE_CHUNK - 1)];
	if (addr >= w->m.start && addr < w->m.end)
		return UNWIND_CALLER;
	w->m.end = 0;
	return w->guessed ? WALK_JUNK : WALK_LATE;
}

/* From the frame in w->regs to its caller. */
static __always_inline int walk_step(struct walk *w)
{
	__u64 addr = w->regs.ip - !w->exact;
	struct unwind_rule *rule;
	__u32 index;
	int end;

	end = walk_mapping(w, addr);
	if (end != UNWIND_CALLER)
		return end;
	if (w->m.table == TABLE_UNKNOWN)
		return WALK_LATE;
	w->guessed = w->m.table == TABLE_FRAME_POINTER;
	if (w->guessed) {
		w->exact = 0;
		return unwind_by_frame_pointer(&w->regs, NULL);
	}
	end = row_search(w->m.table, addr - w->m.bias);
	if (end == NO_TABLE)
		return WALK_LATE;
	index = end;
	rule = bpf_map_lookup_elem(&rules, &index);
	if (!rule)
		return WALK_LATE;
	w->exact = rule->flags & UNWIND_SIGNAL;
	end = unwind_apply(rule, &w->regs, NULL);
	if (end == UNWIND_CALLER && !unwind_user_address(w->regs.ip))
		return CAPTURE_END_SANITY;
	return end;
}

#endif
