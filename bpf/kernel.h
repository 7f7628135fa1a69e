/*
 * The few kernel types that the programs touch, as far as they touch them. Field
 * offsets come from the running kernel's BTF at load (CO-RE), so one object runs
 * on every kernel and none of its headers is needed to build.
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct ns_common {
	unsigned int inum;
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

typedef struct {
	unsigned int val;
} kuid_t;

struct cred {
	kuid_t euid;
};

struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	void *mm;
	unsigned int in_execve : 1;
	__u64 start_time;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct nsproxy *nsproxy;
	const struct cred *cred;
};

#pragma clang attribute pop

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

#endif
