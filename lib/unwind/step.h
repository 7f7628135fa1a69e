/*
 * One step of an unwinding by rules, the same code in the kernel and in user space.
 *
 * Who includes this defines before it the macro
 *
 *	UNWIND_READ(ctx, dst, addr)
 *
 * which reads the 8 bytes of the process at user address addr into *dst (a __u64) and
 * yields 0, or another value if they cannot be read; addr is untrusted. Without the macro
 * it is a function unwind_read() of the program.
 */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include "capture/stack_end.h"
#include "unwind/rule.h"

#ifndef UNWIND_READ
int unwind_read(void *ctx, __u64 *dst, __u64 addr);
#define UNWIND_READ(ctx, dst, addr) unwind_read(ctx, dst, addr)
#endif

/* The two words at addr into dst[2]; may be defined where one read is cheaper. */
#ifndef UNWIND_READ_PAIR
#define UNWIND_READ_PAIR(ctx, dst, addr) \
	(UNWIND_READ(ctx, &(dst)[0], addr) || UNWIND_READ(ctx, &(dst)[1], (addr) + sizeof(__u64)))
#endif

struct unwind_regs {
	__u64 ip, sp, fp;
	/*
	 * The register that may hold the return address of the leaf: lr on arm64; rdi on
	 * x86_64, where vfork(3) keeps it across the system call. 0 beyond the leaf.
	 */
	__u64 lr;
};

enum { UNWIND_CALLER = -1 }; /* regs hold the caller; other results are enum capture_end */

/* What fp becomes where it is lost: odd and below any stack, so that no step follows it. */
enum { UNWIND_FP_LOST = 1 };

/* Whether code or a stack of a process can be there: above page 0, in the user's half. */
static inline __attribute__((always_inline)) int unwind_user_address(__u64 addr)
{
#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
	return addr >= 4096 && addr >> 52 == 0;
#else
	return addr >= 4096 && addr >> 56 == 0; /* 57 bits with LA57 */
#endif
}

/*
 * As unwind_apply, by frame pointers: at fp lie the caller's fp and the return address, on
 * x86_64 and arm64 alike. Startup code and thread creation clear the register, which is
 * how the root is known.
 */
static inline __attribute__((always_inline)) int
unwind_by_frame_pointer(struct unwind_regs *regs, void *ctx)
{
	__u64 frame[2];

	(void)ctx; /* a macro may do without */
	if (!regs->fp)
		return CAPTURE_END_COMPLETE;
	if (regs->fp < regs->sp || regs->fp & 7 || !unwind_user_address(regs->fp))
		return CAPTURE_END_SANITY;
	if (UNWIND_READ_PAIR(ctx, frame, regs->fp))
		return CAPTURE_END_FAULT;
	if (!frame[1])
		return CAPTURE_END_COMPLETE;
	if (!unwind_user_address(frame[1]))
		return CAPTURE_END_SANITY;
	regs->sp = regs->fp + sizeof(frame);
	regs->fp = frame[0];
	regs->ip = frame[1];
	regs->lr = 0;
	return UNWIND_CALLER;
}

/*
 * Takes the registers of a frame to those of its caller: UNWIND_CALLER, with a caller's
 * ip that is a return address unless r->flags has UNWIND_SIGNAL. Otherwise why there is
 * no caller, and the registers are as they were.
 */
static inline __attribute__((always_inline)) int
unwind_apply(const struct unwind_rule *r, struct unwind_regs *regs, void *ctx)
{
	__u64 sp = regs->sp, fp = regs->fp;
	__s64 fp_off = r->fp_off, ra_off = r->ra_off;
	__u8 kind = r->cfa, where_fp = r->fp, where_ra = r->ra, flags = r->flags;
	__u64 cfa, ra, at;

	(void)ctx; /* a macro may do without */
	if (kind == UNWIND_CFA_NONE)
		return CAPTURE_END_NO_ROW;
	if (kind == UNWIND_CFA_ROOT)
		return CAPTURE_END_COMPLETE;

	cfa = kind == UNWIND_CFA_FP || kind == UNWIND_CFA_DEREF_FP ? fp : sp;
	cfa += (__s64)r->cfa_off;
	if (kind == UNWIND_CFA_DEREF_SP || kind == UNWIND_CFA_DEREF_FP) {
		at = cfa;
		if (UNWIND_READ(ctx, &cfa, at))
			return CAPTURE_END_FAULT;
		cfa += r->cfa_add;
	} else if (kind == UNWIND_CFA_PLT) {
		if ((regs->ip & 15) >= r->cfa_add)
			cfa += 8;
	} else if (kind != UNWIND_CFA_SP && kind != UNWIND_CFA_FP) {
		return CAPTURE_END_UNSUPPORTED;
	}
	/*
	 * Callers lie above, except across a signal frame, which may be on a stack of its
	 * own. A function that keeps its return address in a register may have no frame.
	 */
	if (!(flags & UNWIND_SIGNAL) && (cfa < sp || (cfa == sp && where_ra != UNWIND_SAME)))
		return CAPTURE_END_SANITY;

	if (where_ra == UNWIND_SAME) {
		ra = regs->lr;
		if (!ra) /* spent by a step before */
			return CAPTURE_END_SANITY;
	} else {
		at = where_ra == UNWIND_AT_CFA ? cfa : where_ra == UNWIND_AT_FP ? fp : sp;
		if (UNWIND_READ(ctx, &ra, at + ra_off))
			return CAPTURE_END_FAULT;
	}
	if (where_fp == UNWIND_UNDEFINED) {
		fp = UNWIND_FP_LOST;
	} else if (where_fp != UNWIND_SAME) {
		at = where_fp == UNWIND_AT_CFA ? cfa : where_fp == UNWIND_AT_FP ? fp : sp;
		if (UNWIND_READ(ctx, &fp, at + fp_off))
			return CAPTURE_END_FAULT;
	}
	if (flags & UNWIND_SIGNED)
		ra &= (1ull << 48) - 1; /* user addresses on arm64, unless more is asked for */
	if (!ra)
		return CAPTURE_END_COMPLETE;
	regs->ip = ra;
	regs->sp = cfa;
	regs->fp = fp;
	regs->lr = 0;
	return UNWIND_CALLER;
}

#endif
