/*
 * The walk of a user stack: a step by unwind tables, or by frame pointers, for each
 * frame takes its registers to those of its caller or says why it cannot.
 */
#ifndef BPF_WALK_H
#define BPF_WALK_H

#include "arch.h"
#include "capture/stack_end.h"
#include "layout.h"
#include "unwind.h"

/*
 * Hides how v came to be from the compiler, which else may check one copy of it and use
 * another that the verifier knows no bounds of.
 */
#define OPAQUE(v) __asm__ volatile("" : "+r"(v))

/* The stack being built, of this CPU. */
static __always_inline struct sample_record *scratch_of_cpu(__u32 cpu);

/* The frame in w->regs into the stack, then the step to its caller; 1 ends the loop. */
static long walk_frame(__u32 i, void *ctx)
{
	struct walk *w = ctx;
	struct sample_record *rec = scratch_of_cpu(w->cpu);
	struct stack_deep *s;
	__u64 at = i;

	OPAQUE(at);
	if (!rec || at >= LAYOUT_DEPTH_DEEP)
		return 1;
	s = &rec->ustack;
	s->ip[at] = w->regs.ip;
	if (w->exact)
		s->head.exact[at / 64] |= 1ull << (at % 64);
	s->head.n = at + 1;
	if (w->by_tables)
		w->end = walk_step(w);
	else
		w->end = unwind_by_frame_pointer(&w->regs, NULL);
	if (!w->by_tables)
		w->exact = 0;
	if (w->end == WALK_JUNK) {
		s->head.n = at;
		w->end = CAPTURE_END_SANITY;
	}
	return w->end != UNWIND_CALLER;
}

/* Fills rec->ustack (cleared) from the registers of the leaf; WALK_LATE if it cannot yet. */
static __always_inline int walk_user(struct sample_record *rec, const struct user_regs *r,
				     __u32 cpu, __u32 depth, bool by_tables)
{
	struct walk w = {
		.regs = { .ip = r->ip, .sp = r->sp, .fp = r->fp, .lr = r->scratch },
		.space = rec->space,
		.cpu = cpu,
		.end = UNWIND_CALLER,
		.exact = !r->in_syscall,
		.by_tables = by_tables,
	};

	if (r->is_32bit) {
		rec->ustack.ip[0] = r->ip;
		rec->ustack.head.exact[0] = 1;
		rec->ustack.head.n = 1;
		rec->ustack.head.end = CAPTURE_END_UNSUPPORTED;
		return UNWIND_CALLER;
	}
	bpf_loop(depth, walk_frame, &w, 0);
	if (w.end == WALK_LATE)
		return WALK_LATE;
	rec->ustack.head.end = w.end == UNWIND_CALLER ? CAPTURE_END_DEPTH : w.end;
	return UNWIND_CALLER;
}

#endif
