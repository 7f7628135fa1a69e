/*
 * What the BPF programs and bpf-sample share in memory: maps, ring records,
 * counters. Not a file format: both sides are built together. bpf-sample turns it
 * into capture records in one place (bpf-sample/recorder.c).
 */
#ifndef BPF_LAYOUT_H
#define BPF_LAYOUT_H

#include <linux/types.h>
#include <stdbool.h>

enum {
	LAYOUT_DEPTH = 127,       /* frames of a stack; kernel.perf_event_max_stack's default */
	LAYOUT_DEPTH_DEEP = 1023, /* the most that can be asked for */
	LAYOUT_COMM = 16,
	LAYOUT_EXACT = (LAYOUT_DEPTH_DEEP + 63) / 64,
	LAYOUT_RED_ZONE = 128,    /* below sp: what was popped is still looked up there */
	LAYOUT_COPY = 32768,      /* the most of a stack that is copied */
	LAYOUT_COPY_PAGE = 4096,  /* by so much at a time */
};

/* Where a user walk starts. */
struct user_regs {
	__u64 ip, sp, fp;
	__u64 scratch; /* the register that holds a return address on x86_64: rdi, of vfork */
	bool is_32bit;
	bool in_syscall; /* ip is behind the instruction that is being executed */
};

struct stack_head {
	__u16 n;
	__u8 kind; /* enum capture_stack_kind */
	__u8 end;  /* enum capture_end */
	__u32 pad;
	__u64 exact[LAYOUT_EXACT]; /* bit i: ip[i] is not a return address */
};

/* One stack, leaf first. What lies beyond ip[n - 1] is left over from others. */
struct stack_value {
	struct stack_head head;
	__u64 ip[LAYOUT_DEPTH];
};

/* As above, and a stack_value if n allows. */
struct stack_deep {
	struct stack_head head;
	__u64 ip[LAYOUT_DEPTH_DEEP];
};

/* What is counted. A stack hash of 0 means that there is no such stack. */
struct sample_key {
	__u32 pid, tid;
	__u64 born; /* when the process was forked or last exec'd; 0 before sampling began */
	__u64 kstack, ustack;
	char comm[LAYOUT_COMM];
};

/* Known of the process at the first of these samples, when /proc may be too late. */
struct sample_info {
	__u64 count;
	__u32 uid;    /* effective */
	__u32 ns_pid; /* in its innermost pid namespace */
	__u32 mnt_ns; /* inode number of its mount namespace */
	__u32 is_kernel_thread;
};

/*
 * A sample on its own: one that found its map full, or (is_late) one whose process is
 * not known to the unwinder yet, with what it takes to unwind it in user space. A record
 * in the ring ends with what is used of the last member.
 */
struct sample_record {
	struct sample_key key;
	struct sample_info info;
	struct stack_value kstack;
	__u64 space;       /* the process's address space (spaces.h) */
	__u64 ip, sp, fp, scratch; /* of the leaf in user mode */
	__u32 is_late;
	__u32 in_syscall;
	__u32 in_exec;     /* its memory may be that of the next program */
	__u32 copied;      /* bytes of the stack from sp - LAYOUT_RED_ZONE up */
	__u32 absent;      /* bit i: page i of them could not be read */
	__u32 pad;
	union {
		struct stack_deep ustack;                   /* unless is_late */
		__u8 copy[LAYOUT_COPY + LAYOUT_COPY_PAGE];  /* if it is */
	};
};

/* A process that was forked or has exec'd since the programs are attached. */
struct image_value {
	__u64 born;       /* bpf_ktime_get_ns() then */
	__u64 space;      /* address space: of its own since an exec, its parent's after a fork */
	__u64 start_time; /* of the group leader, to tell a reused pid */
};

/* Ids of address spaces that did not come from an exec. */
#define SPACE_OF_PID (1ull << 63)   /* a process from before the sampling: with its pid */
#define SPACE_OF_USER (1ull << 62)  /* given by bpf-sample */

/* Per CPU, only ever added to. fired = filtered + counted + ringed + lost. */
enum counter {
	COUNTER_FIRED,    /* incremented first thing at each firing */
	COUNTER_FILTERED, /* idle, or not one of the processes asked for */
	COUNTER_COUNTED,  /* in a counts map */
	COUNTER_RINGED,   /* in the overflow ring */
	COUNTER_LOST,     /* the ring was full, too */
	COUNTER_LATE,     /* not walked in the kernel (also counted as ringed or lost) */
	COUNTER_STACKS_FULL, /* a new stack that found the stacks map full */
	COUNTER_COUNTS_FULL, /* a new combination that found the counts map full */
	COUNTER_SKIPPED, /* ticks that passed without firing */
	COUNTER_LAST_NS, /* not a sum: when the last tick of this CPU was due */
	COUNTER_MAX,
};

#endif
