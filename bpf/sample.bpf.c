/*
 * The sampler: at each firing of the clock, whose stack is it, and one more of it.
 * Stacks are kept once, by a 64-bit hash, and (process, thread, stacks) are counted;
 * bpf-sample reads both maps of one generation while the programs fill the other.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "kernel.h"
#include "stack_hash.h"
#include "walk.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Set before load. */
const volatile bool want_idle;
const volatile bool want_user = true;
const volatile bool want_kernel = true;
const volatile bool by_pid;    /* only processes in `targets` */
const volatile bool by_tid;    /* only threads in `threads` */
const volatile bool by_tables; /* user stacks, else by frame pointers alone */
const volatile __u32 max_depth = LAYOUT_DEPTH;
const volatile __u32 max_copy = LAYOUT_COPY;
const volatile bool by_cgroup; /* only tasks below cgroups[0] */
const volatile __u64 period_ns = 1; /* between two ticks of the clock */

/* The generation that is being filled, 0 or 1. */
volatile __u32 active;

/* Address spaces that execs have made. */
__u64 last_space;

/*
 * bpf-sample creates the maps of each generation, of the size that is asked for and without
 * types. Nor have these any: to Linux 6.1, where a value's type is known even its lack of a
 * timer makes another kind of map (bpf_map_meta_equal).
 */

/* As stacks, of more than LAYOUT_DEPTH frames: there if more are asked for. */
struct deep_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct stack_deep));
};

struct stacks_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct stack_value));
};

struct counts_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(struct sample_key));
	__uint(value_size, sizeof(struct sample_info));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__array(values, struct stacks_map);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__array(values, struct deep_map);
} deep_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__array(values, struct counts_map);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 19); /* set by the sampler */
} overflow SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct image_value);
} images SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps"), threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTER_MAX);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

/* The sample being built, by CPU; too large for the BPF stack and for a per-CPU array. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the sampler */
	__type(key, __u32);
	__type(value, struct sample_record);
} scratch SEC(".maps");

static __always_inline struct sample_record *scratch_of_cpu(__u32 cpu)
{
	return bpf_map_lookup_elem(&scratch, &cpu);
}

static __always_inline void count(__u32 which)
{
	__u64 *c = bpf_map_lookup_elem(&counters, &which);

	if (c)
		++*c;
}

/*
 * The clock keeps its phase: a tick may be delivered late, but one that cannot be until
 * the next is due is dropped, and that comes whole periods after the last
 * (hrtimer_forward_now). COUNTER_LAST_NS is when the last one was due, as far as the
 * earliest deliveries tell.
 */
static __always_inline void count_skipped(void)
{
	__u32 last = COUNTER_LAST_NS, skipped = COUNTER_SKIPPED;
	__u64 *due = bpf_map_lookup_elem(&counters, &last);
	__u64 *sum = bpf_map_lookup_elem(&counters, &skipped);
	__u64 now = bpf_ktime_get_ns(), n;

	if (!due || !sum)
		return;
	n = (now - *due + period_ns / 4) / period_ns;
	if (n > 1)
		*sum += n - 1;
	*due += n * period_ns;
	if (!n || now < *due)
		*due = now;
}

static __always_inline bool is_wanted(__u32 pid, __u32 tid)
{
	if (!want_idle && !tid)
		return false;
	if (by_pid && !bpf_map_lookup_elem(&targets, &pid) &&
	    !(by_tid && bpf_map_lookup_elem(&threads, &tid)))
		return false;
	if (by_tid && !by_pid && !bpf_map_lookup_elem(&threads, &tid))
		return false;
	return !by_cgroup || bpf_current_task_under_cgroup(&cgroups, 0) == 1;
}

/* Never 0, which means "no stack". bpf-sample does the same for what it walks itself. */
struct hash_loop {
	__u64 h;
	__u32 cpu;
};

static long hash_frame(__u32 i, void *ctx)
{
	struct hash_loop *loop = ctx;
	struct sample_record *rec = scratch_of_cpu(loop->cpu);
	__u64 at = i;

	OPAQUE(at);
	if (!rec || at >= LAYOUT_DEPTH_DEEP)
		return 1;
	loop->h = stack_hash_step(loop->h, rec->ustack.ip[at]);
	return 0;
}

static __always_inline __u64 hash_kernel(const struct stack_value *s)
{
	__u64 h = stack_hash_begin(&s->head);
	int i;

	for (i = 0; i < LAYOUT_DEPTH; i++) {
		if (i >= s->head.n)
			break;
		h = stack_hash_step(h, s->ip[i]);
	}
	return h ? h : 1;
}

static __always_inline __u64 hash_user(struct sample_record *rec, __u32 cpu)
{
	struct hash_loop loop = { stack_hash_begin(&rec->ustack.head), cpu };

	bpf_loop(rec->ustack.head.n, hash_frame, &loop, 0);
	return loop.h ? loop.h : 1;
}

static __always_inline void stack_clear(struct stack_head *s, int kind)
{
	int i;

	s->n = 0;
	s->kind = kind;
	s->end = CAPTURE_END_COMPLETE;
	s->pad = 0;
	for (i = 0; i < LAYOUT_EXACT; i++)
		s->exact[i] = 0;
}

static __always_inline void walk_kernel(struct stack_value *s, struct bpf_perf_event_data *ctx)
{
	long bytes = bpf_get_stack(ctx, s->ip, sizeof(s->ip), 0);

	if (bytes <= 0)
		return;
	s->head.n = bytes / sizeof(__u64);
	s->head.end = s->head.n < LAYOUT_DEPTH ? CAPTURE_END_COMPLETE : CAPTURE_END_DEPTH;
	s->head.exact[0] = 1;
}

static __always_inline void fill_info(struct sample_info *info, struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
	__u64 level = BPF_CORE_READ(pid, level);

	info->count = 1;
	info->is_kernel_thread = !!(task->flags & PF_KTHREAD);
	info->uid = BPF_CORE_READ(task, cred, euid.val);
	/* numbers[level], whose elements are larger than what kernel.h has of them */
	bpf_core_read(&info->ns_pid, sizeof(info->ns_pid),
		      (void *)&pid->numbers[0].nr + level * bpf_core_type_size(struct upid));
	info->mnt_ns = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
}

/* Keeps a stack of this generation; false if there is no room. */
static __always_inline bool keep_stack(void *map, __u64 hash, const void *s)
{
	if (bpf_map_lookup_elem(map, &hash))
		return true;
	if (!bpf_map_update_elem(map, &hash, s, BPF_NOEXIST))
		return true;
	/* another CPU may have put the same one in meanwhile */
	if (bpf_map_lookup_elem(map, &hash))
		return true;
	count(COUNTER_STACKS_FULL);
	return false;
}

static __always_inline bool keep_count(void *map, struct sample_record *rec,
				       struct task_struct *task)
{
	struct sample_info *info = bpf_map_lookup_elem(map, &rec->key);

	if (!info)
		fill_info(&rec->info, task);
	if (!info && bpf_map_update_elem(map, &rec->key, &rec->info, BPF_NOEXIST)) {
		/* the idle task is the same "thread" on every CPU */
		info = bpf_map_lookup_elem(map, &rec->key);
		if (!info) {
			count(COUNTER_COUNTS_FULL);
			return false;
		}
	}
	if (info)
		__sync_fetch_and_add(&info->count, 1);
	return true;
}

static __always_inline bool keep(struct sample_record *rec, struct task_struct *task)
{
	__u32 gen = active & 1;
	void *s = bpf_map_lookup_elem(&stacks, &gen);
	void *d = bpf_map_lookup_elem(&deep_stacks, &gen);
	void *c = bpf_map_lookup_elem(&counts, &gen);

	if (!s || !d || !c)
		return false;
	if (rec->key.kstack && !keep_stack(s, rec->key.kstack, &rec->kstack))
		return false;
	if (rec->key.ustack && rec->ustack.head.n <= LAYOUT_DEPTH &&
	    !keep_stack(s, rec->key.ustack, &rec->ustack))
		return false;
	if (rec->key.ustack && rec->ustack.head.n > LAYOUT_DEPTH &&
	    !keep_stack(d, rec->key.ustack, &rec->ustack))
		return false;
	return keep_count(c, rec, task);
}

/* Up to max_copy bytes of the stack about sp and up, what of them can be read. */
static __always_inline void copy_stack(struct sample_record *rec)
{
	__u64 at = rec->sp - LAYOUT_RED_ZONE;
	__u32 done = 0, copied = 0, n;
	int i;

	rec->absent = 0;

	for (i = 0; i <= LAYOUT_COPY / LAYOUT_COPY_PAGE; i++) {
		n = LAYOUT_COPY_PAGE - (at & (LAYOUT_COPY_PAGE - 1));
		if (done >= LAYOUT_COPY || done >= max_copy)
			break;
		if (bpf_probe_read_user(&rec->copy[done & (LAYOUT_COPY - 1)],
					((n - 1) & (LAYOUT_COPY_PAGE - 1)) + 1, (const void *)at))
			rec->absent |= 1u << i;
		else
			copied = done + n;
		done += n;
		at += n;
	}
	rec->copied = copied < LAYOUT_COPY ? copied : LAYOUT_COPY;
}

/* Sends what is used of the record. */
static __always_inline void send(struct sample_record *rec, struct task_struct *task)
{
	__u64 size = offsetof(struct sample_record, copy);
	__u32 n = rec->ustack.head.n;

	if (rec->is_late)
		size += rec->copied & (2 * LAYOUT_COPY - 1);
	else
		size += sizeof(struct stack_head) +
			(n < LAYOUT_DEPTH_DEEP ? n : LAYOUT_DEPTH_DEEP) * sizeof(__u64);
	if (size > sizeof(*rec))
		size = sizeof(*rec);
	fill_info(&rec->info, task);
	count(bpf_ringbuf_output(&overflow, rec, size, 0) ? COUNTER_LOST : COUNTER_RINGED);
}

/*
 * The program that calls execve(2) loses its memory half-way through, while its registers
 * are still those of the call: what lies at sp then is no stack of theirs.
 */
static __always_inline bool is_in_exec(struct task_struct *task)
{
	return bpf_core_field_exists(task->in_execve) && BPF_CORE_READ_BITFIELD(task, in_execve);
}

/* The user stack into rec, or all that it takes to walk it later. */
static __always_inline void sample_user(struct sample_record *rec, struct task_struct *task,
					struct bpf_perf_event_data *ctx, bool in_user, __u32 cpu)
{
	struct user_regs regs;

	if (in_user)
		arch_regs_of_context(&regs, ctx);
	else
		arch_regs_of_task(&regs, task);
	if (walk_user(rec, &regs, cpu, max_depth, by_tables) != WALK_LATE) {
		if (rec->ustack.head.end == CAPTURE_END_COMPLETE || !is_in_exec(task))
			rec->key.ustack = hash_user(rec, cpu);
		return;
	}
	rec->ip = regs.ip;
	rec->sp = regs.sp;
	rec->fp = regs.fp;
	rec->scratch = regs.scratch;
	rec->in_syscall = regs.in_syscall;
	rec->in_exec = is_in_exec(task);
	copy_stack(rec);
	rec->is_late = 1;
	count(COUNTER_LATE);
}

SEC("perf_event")
int sample(struct bpf_perf_event_data *ctx)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 pid = id >> 32, tid = id, cpu = bpf_get_smp_processor_id();
	struct sample_record *rec;
	struct task_struct *task;
	struct image_value *image;
	bool in_user;

	count(COUNTER_FIRED);
	count_skipped();
	if (!is_wanted(pid, tid)) {
		count(COUNTER_FILTERED);
		return 0;
	}
	rec = scratch_of_cpu(cpu);
	if (!rec) {
		count(COUNTER_LOST);
		return 0;
	}
	task = bpf_get_current_task_btf();
	in_user = arch_user_mode(ctx);

	rec->key.pid = pid;
	rec->key.tid = tid;
	rec->key.born = rec->key.kstack = rec->key.ustack = 0;
	rec->space = SPACE_OF_PID | pid;
	rec->is_late = 0;
	stack_clear(&rec->kstack.head, CAPTURE_STACK_KERNEL);
	stack_clear(&rec->ustack.head, CAPTURE_STACK_USER);
	bpf_get_current_comm(rec->key.comm, sizeof(rec->key.comm));
	image = bpf_map_lookup_elem(&images, &pid);
	if (image) {
		rec->key.born = image->born;
		rec->space = image->space;
	}

	if (want_kernel && !in_user) {
		walk_kernel(&rec->kstack, ctx);
		if (rec->kstack.head.n)
			rec->key.kstack = hash_kernel(&rec->kstack);
	}
	/* a task that exits has let go of its memory, and with it of its user stack */
	if (want_user && !(task->flags & PF_KTHREAD) && task->mm)
		sample_user(rec, task, ctx, in_user, cpu);

	if (!rec->is_late && keep(rec, task))
		count(COUNTER_COUNTED);
	else
		send(rec, task);
	return 0;
}

static __always_inline void image_born(struct task_struct *task, __u64 space)
{
	struct image_value v = {
		.born = bpf_ktime_get_ns(),
		.space = space,
		.start_time = task->group_leader->start_time,
	};
	__u32 pid = task->tgid;

	bpf_map_update_elem(&images, &pid, &v, BPF_ANY);
}

/* After the child is made, before it runs: kernel/fork.c kernel_clone(). */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 from = parent->tgid, to = child->tgid;
	struct image_value *image;
	__u8 one = 1;

	if (child->pid != child->tgid)
		return 0;
	image = bpf_map_lookup_elem(&images, &from);
	image_born(child, image ? image->space : SPACE_OF_PID | from);
	if (by_pid && bpf_map_lookup_elem(&targets, &from))
		bpf_map_update_elem(&targets, &to, &one, BPF_ANY);
	return 0;
}

/* After the new program is mapped and its start set: fs/exec.c exec_binprm(). */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	image_born(task, __sync_fetch_and_add(&last_space, 1) + 1);
	return 0;
}

/*
 * When the last reference to a task goes, after its last sample. Its pid may be
 * another's by then.
 */
SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct *task)
{
	struct image_value *image;
	__u32 pid = task->tgid, tid = task->pid;

	if (by_tid)
		bpf_map_delete_elem(&threads, &tid);
	if (task->pid != task->tgid)
		return 0;
	image = bpf_map_lookup_elem(&images, &pid);
	if (image && image->start_time != task->start_time)
		return 0;
	if (image)
		bpf_map_delete_elem(&images, &pid);
	if (by_pid)
		bpf_map_delete_elem(&targets, &pid);
	return 0;
}
