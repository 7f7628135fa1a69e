/*
 * What differs between architectures: where a register set keeps what a walk
 * starts from, and how to tell user mode. x86_64 is tested; arm64 compiles.
 *
 * The program's context holds the registers at the interrupt in their UAPI shape;
 * bpf_task_pt_regs() gives the kernel's own struct, whose fields are found by CO-RE.
 */
#ifndef BPF_ARCH_H
#define BPF_ARCH_H

#include "layout.h"

#if defined(__TARGET_ARCH_x86)

struct pt_regs___kernel {
	unsigned long bp;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long sp;
} __attribute__((preserve_access_index));

enum { USER_CS_32 = 0x23 }; /* __USER32_CS, arch/x86/include/asm/segment.h */

static __always_inline bool arch_user_mode(const struct bpf_perf_event_data *ctx)
{
	return ctx->regs.cs & 3;
}

static __always_inline void arch_regs_of_context(struct user_regs *r,
						 const struct bpf_perf_event_data *ctx)
{
	r->ip = ctx->regs.rip;
	r->sp = ctx->regs.rsp;
	r->fp = ctx->regs.rbp;
	r->scratch = ctx->regs.rdi;
	r->in_syscall = false;
	r->is_32bit = (ctx->regs.cs & 0xffff) == USER_CS_32;
}

static __always_inline void arch_regs_of_task(struct user_regs *r, struct task_struct *task)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	__u16 insn = 0; /* syscall */

	r->ip = BPF_CORE_READ(regs, ip);
	r->sp = BPF_CORE_READ(regs, sp);
	r->fp = BPF_CORE_READ(regs, bp);
	r->scratch = BPF_CORE_READ(regs, di);
	/*
	 * -1 after an exception, the complement of a vector after an interrupt. Where a
	 * signal handler is about to begin it is still the call's, but ip is not.
	 */
	r->in_syscall = (long)BPF_CORE_READ(regs, orig_ax) >= 0 &&
		!bpf_probe_read_user(&insn, sizeof(insn), (const void *)(r->ip - sizeof(insn))) &&
		insn == 0x050f;
	r->is_32bit = (BPF_CORE_READ(regs, cs) & 0xffff) == USER_CS_32;
}

#elif defined(__TARGET_ARCH_arm64)

/* struct user_pt_regs of the UAPI, which the context begins with. */
struct arm64_regs {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
	__u64 pstate;
};

struct pt_regs___kernel {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
	__u64 pstate;
	int syscallno;
} __attribute__((preserve_access_index));

static __always_inline bool arch_user_mode(const struct bpf_perf_event_data *ctx)
{
	return (((const struct arm64_regs *)ctx)->pstate & 0xf) == 0; /* PSR_MODE_EL0t */
}

static __always_inline void arch_regs_of_context(struct user_regs *r,
						 const struct bpf_perf_event_data *ctx)
{
	const struct arm64_regs *regs = (const void *)ctx;

	r->ip = regs->pc;
	r->sp = regs->sp;
	r->fp = regs->regs[29];
	r->scratch = regs->regs[30];
	r->in_syscall = false;
	r->is_32bit = regs->pstate >> 4 & 1; /* PSR_MODE32_BIT */
}

static __always_inline void arch_regs_of_task(struct user_regs *r, struct task_struct *task)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	r->ip = BPF_CORE_READ(regs, pc);
	r->sp = BPF_CORE_READ(regs, sp);
	r->fp = BPF_CORE_READ(regs, regs[29]);
	r->scratch = BPF_CORE_READ(regs, regs[30]);
	r->in_syscall = BPF_CORE_READ(regs, syscallno) >= 0;
	r->is_32bit = BPF_CORE_READ(regs, pstate) >> 4 & 1;
}

#else
#error "add this architecture's registers here"
#endif

#endif
