/* The step by frame pointers, for code without unwind information and --unwind=fp. */
#ifndef BPF_FRAME_POINTER_H
#define BPF_FRAME_POINTER_H

#include "arch.h"

#define UNWIND_READ(ctx, dst, addr) \
	bpf_probe_read_user(dst, sizeof(__u64), (const void *)(unsigned long)(addr))
#include "unwind/step.h"

/*
 * x86_64 and arm64 alike: at the frame pointer lie the caller's frame pointer and
 * the return address. Startup code and thread creation clear the register, which
 * is how the root is known.
 */
static __always_inline int step_frame_pointer(struct unwind_regs *r)
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
	return UNWIND_CALLER;
}

#endif
