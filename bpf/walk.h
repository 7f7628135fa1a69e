/*
 * The walk of a user stack, one step function at a time. Each step takes the
 * registers of a frame to those of its caller or says why it cannot; this is where
 * a step by unwind tables goes beside the one by frame pointers.
 */
#ifndef BPF_WALK_H
#define BPF_WALK_H

#include "arch.h"
#include "capture/stack_end.h"
#include "layout.h"

enum { STEP_CALLER = -1 }; /* r holds the caller; other results are enum capture_end */

/*
 * x86_64 and arm64 alike: at the frame pointer lie the caller's frame pointer and
 * the return address. Startup code and thread creation clear the register, which
 * is how the root is known.
 */
static __always_inline int step_frame_pointer(struct user_regs *r)
{
	__u64 frame[2];

	if (!r->fp)
		return CAPTURE_END_COMPLETE;
	if (r->fp < r->sp || r->fp & 7 || !arch_user_address(r->fp))
		return CAPTURE_END_SANITY;
	if (bpf_probe_read_user(frame, sizeof(frame), (const void *)r->fp))
		return CAPTURE_END_FAULT;
	if (!frame[1])
		return CAPTURE_END_COMPLETE;
	if (!arch_user_address(frame[1]))
		return CAPTURE_END_SANITY;
	r->sp = r->fp + sizeof(frame);
	r->fp = frame[0];
	r->ip = frame[1];
	return STEP_CALLER;
}

/* Fills s (cleared) from the registers of the leaf. */
static __always_inline void walk_user(struct stack_value *s, struct user_regs *r)
{
	int end = CAPTURE_END_DEPTH;
	int i;

	s->exact[0] = 1;
	for (i = 0; i < LAYOUT_DEPTH; i++) {
		s->ip[i] = r->ip;
		end = r->is_32bit ? CAPTURE_END_UNSUPPORTED : step_frame_pointer(r);
		if (end != STEP_CALLER) {
			i++;
			break;
		}
		end = CAPTURE_END_DEPTH;
	}
	s->n = i;
	s->end = end;
}

#endif
