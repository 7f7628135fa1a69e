#include "sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/alloc.h"
#include "bpf/sample.skel.h"
#include "clock.h"

enum {
	DRAIN_BATCH = 256,    /* elements read from a map at a time */
	COUNTS_PER_STACK = 4, /* combinations to have room for, for each stack */
	RING_MIN = 1 << 19,
	RING_MIN_LATE = 1 << 21,
	RING_MAX = 1 << 25,
	RING_LATE = 4 << 10, /* a record with a copied stack, at a guess */
};

struct sampler {
	struct sampler_config config;   /* its cpus are ours, cgroup only until it is open */
	uint64_t *cpus;
	struct sample_bpf *skel;
	int stacks_fd[2], deep_fd[2], counts_fd[2]; /* by generation */
	sampler_late_fn *on_late;
	void *on_late_ctx;
	uint32_t active;
	int ncpus_possible;
	int *event_fds;                 /* of each CPU in config.cpus, -1 if it is offline */
	struct bpf_link **links;
	uint64_t stop_ns;               /* 0 before */
	struct ring_buffer *ring;
	struct batch *ring_into;        /* while the ring is read */
	/* one batch of a map's elements */
	void *keys, *values;
};

static int print_verbose(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	return vfprintf(stderr, fmt, ap);
}

static int print_nothing(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static int load_error(int code, struct strbuf *err)
{
	switch (-code) {
	case EPERM:
	case EACCES:
		return fail(err, code, "the kernel refuses BPF programs to this user: run it with "
				       "sudo, or with CAP_BPF and CAP_PERFMON");
	case ENOSYS:
		return fail(err, code, "this kernel has no BPF (CONFIG_BPF_SYSCALL)");
	case ESRCH:
	case ENOENT:
		return fail(err, code, "this kernel lacks type information or an event that the "
				       "sampler needs (Linux 6.1 with CONFIG_DEBUG_INFO_BTF); -v "
				       "says which");
	default:
		return fail(err, code, "cannot load the BPF programs: %s (-v says why)",
			    strerror(-code));
	}
}

/* Elements are allocated as they are needed, which programs on perf events may since 6.1. */
static int create_map(const char *name, uint32_t key, uint32_t value, uint32_t max)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);

	return bpf_map_create(BPF_MAP_TYPE_HASH, name, key, value, max, &opts);
}

static int create_generations(struct sampler *s, struct strbuf *err)
{
	uint32_t max = s->config.max_stacks;
	uint32_t combos = max > UINT32_MAX / COUNTS_PER_STACK ? max : max * COUNTS_PER_STACK;

	for (uint32_t gen = 0; gen < 2; gen++) {
		s->stacks_fd[gen] = create_map("stacks", sizeof(uint64_t),
					       sizeof(struct stack_value), max);
		s->counts_fd[gen] = create_map("counts", sizeof(struct sample_key),
					       sizeof(struct sample_info), combos);
		s->deep_fd[gen] = create_map("deep_stacks", sizeof(uint64_t),
					     sizeof(struct stack_deep),
					     s->config.max_depth > LAYOUT_DEPTH ? max : 1);
		if (s->stacks_fd[gen] < 0 || s->counts_fd[gen] < 0 || s->deep_fd[gen] < 0)
			return fail(err, -errno, "cannot create maps for %u stacks: %s", max,
				    strerror(errno));
		if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.stacks), &gen,
					&s->stacks_fd[gen], BPF_ANY) ||
		    bpf_map_update_elem(bpf_map__fd(s->skel->maps.deep_stacks), &gen,
					&s->deep_fd[gen], BPF_ANY) ||
		    bpf_map_update_elem(bpf_map__fd(s->skel->maps.counts), &gen,
					&s->counts_fd[gen], BPF_ANY))
			return fail(err, -errno, "cannot set up maps: %s", strerror(errno));
	}
	return 0;
}

static int add_cgroup(struct sampler *s, struct strbuf *err)
{
	const char *path = s->config.cgroup;
	uint32_t zero = 0;
	struct statfs fs;
	int fd, r;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(err, -errno, "cgroup %s: %s", path, strerror(errno));
	if (fstatfs(fd, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC) {
		close(fd);
		return fail(err, -EINVAL, "cgroup %s: not a directory of the cgroup v2 hierarchy "
					  "(usually below /sys/fs/cgroup)", path);
	}
	r = bpf_map_update_elem(bpf_map__fd(s->skel->maps.cgroups), &zero, &fd, BPF_ANY);
	close(fd);
	return r ? fail(err, r, "cgroup %s: %s", path, strerror(-r)) : 0;
}

static int on_ring_sample(void *ctx, void *data, size_t size)
{
	struct sampler *s = ctx;
	const struct sample_record *rec = data;

	if (size < offsetof(struct sample_record, copy))
		return 0;
	if (rec->key.kstack)
		batch_add_stack(s->ring_into, rec->key.kstack, &rec->kstack.head, rec->kstack.ip);
	if (rec->is_late) {
		s->on_late(s->on_late_ctx, s->ring_into, rec);
		return 0;
	}
	if (rec->key.ustack)
		batch_add_stack(s->ring_into, rec->key.ustack, &rec->ustack.head, rec->ustack.ip);
	batch_add(s->ring_into, &rec->key, &rec->info);
	return 0;
}

/* Room for what all CPUs can send in a second, should every sample overflow. */
static uint32_t ring_bytes(const struct sampler_config *config)
{
	uint64_t bytes_each = config->by_tables ? RING_LATE : sizeof(struct stack_value) * 2;
	uint64_t want = (uint64_t)config->hz * config->ncpus * bytes_each;
	uint32_t bytes = config->by_tables ? RING_MIN_LATE : RING_MIN;

	while (bytes < want && bytes < RING_MAX)
		bytes *= 2;
	return bytes;
}

/* The programs into the kernel as s->config has them. */
static int load(struct sampler *s)
{
	const struct sampler_config *config = &s->config;

	s->skel = sample_bpf__open();
	if (!s->skel)
		return -errno;
	bpf_map__set_max_entries(s->skel->maps.overflow, ring_bytes(config));
	s->skel->rodata->period_ns = 1000000000u / config->hz;
	s->skel->rodata->want_idle = config->want_idle;
	s->skel->rodata->want_user = config->want_user;
	s->skel->rodata->want_kernel = config->want_kernel;
	s->skel->rodata->by_pid = config->by_pid;
	s->skel->rodata->by_tid = config->by_tid;
	s->skel->rodata->by_tables = config->by_tables;
	s->skel->rodata->max_depth = config->max_depth;
	s->skel->rodata->max_copy = config->max_copy;
	bpf_map__set_max_entries(s->skel->maps.scratch, (uint32_t)s->ncpus_possible);
	if (!config->by_tables) {
		bpf_map__set_max_entries(s->skel->maps.rules, 1);
		bpf_map__set_max_entries(s->skel->maps.tables, 1);
		bpf_map__set_max_entries(s->skel->maps.spaces, 1);
		bpf_map__set_max_entries(s->skel->maps.space_chunks, 1);
	}
	s->skel->rodata->by_cgroup = config->cgroup != NULL;
	if (!config->by_pid)
		bpf_map__set_max_entries(s->skel->maps.targets, 1);
	if (!config->by_tid)
		bpf_map__set_max_entries(s->skel->maps.threads, 1);
	return sample_bpf__load(s->skel);
}

int sampler_open(struct sampler **out, const struct sampler_config *config, struct strbuf *err)
{
	struct sampler *s = xcalloc(1, sizeof(*s));
	int r;

	*out = s;
	s->config = *config;
	s->cpus = xreallocarray(NULL, config->ncpus, sizeof(*s->cpus));
	memcpy(s->cpus, config->cpus, config->ncpus * sizeof(*s->cpus));
	s->config.cpus = s->cpus;
	for (int gen = 0; gen < 2; gen++)
		s->stacks_fd[gen] = s->deep_fd[gen] = s->counts_fd[gen] = -1;
	s->ncpus_possible = libbpf_num_possible_cpus();
	s->event_fds = xcalloc(config->ncpus, sizeof(*s->event_fds));
	s->links = xcalloc(config->ncpus, sizeof(*s->links));
	for (size_t i = 0; i < config->ncpus; i++)
		s->event_fds[i] = -1;
	s->keys = xcalloc(DRAIN_BATCH, sizeof(struct sample_key));
	s->values = xcalloc(DRAIN_BATCH, sizeof(struct stack_deep));

	libbpf_set_print(config->verbose ? print_verbose : print_nothing);
	r = load(s);
	/* what frame pointers do not need is not even checked by the verifier then */
	if (r && r != -EPERM && r != -EACCES && config->by_tables && config->tables_optional) {
		sample_bpf__destroy(s->skel);
		s->config.by_tables = false;
		r = load(s);
	}
	if (r)
		return load_error(r, err);
	r = create_generations(s, err);
	if (!r && config->cgroup)
		r = add_cgroup(s, err);
	if (r)
		return r;
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.overflow), on_ring_sample, s, NULL);
	if (!s->ring)
		return fail(err, -errno, "cannot map the overflow ring: %s", strerror(errno));

	/* `sample` has no event of its own and is left to sampler_start */
	r = sample_bpf__attach(s->skel);
	return r ? load_error(r, err) : 0;
}

void sampler_close(struct sampler *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->config.ncpus; i++) {
		bpf_link__destroy(s->links[i]);
		if (s->event_fds[i] >= 0 && !s->links[i])
			close(s->event_fds[i]);
	}
	for (int gen = 0; gen < 2; gen++) {
		if (s->stacks_fd[gen] >= 0)
			close(s->stacks_fd[gen]);
		if (s->deep_fd[gen] >= 0)
			close(s->deep_fd[gen]);
		if (s->counts_fd[gen] >= 0)
			close(s->counts_fd[gen]);
	}
	ring_buffer__free(s->ring);
	sample_bpf__destroy(s->skel);
	free(s->cpus);
	free(s->event_fds);
	free(s->links);
	free(s->keys);
	free(s->values);
	free(s);
}

static int add_id(struct bpf_map *map, uint32_t id, const char *what, struct strbuf *err)
{
	uint8_t one = 1;
	int r = bpf_map_update_elem(bpf_map__fd(map), &id, &one, BPF_ANY);

	return r ? fail(err, r, "cannot add %s %u: %s", what, id, strerror(-r)) : 0;
}

int sampler_add_pid(struct sampler *s, uint32_t pid, struct strbuf *err)
{
	return add_id(s->skel->maps.targets, pid, "process", err);
}

int sampler_add_tid(struct sampler *s, uint32_t tid, struct strbuf *err)
{
	return add_id(s->skel->maps.threads, tid, "thread", err);
}

bool sampler_next_pid(const struct sampler *s, const uint32_t *pid, uint32_t *next)
{
	return !bpf_map_get_next_key(bpf_map__fd(s->skel->maps.targets), pid, next);
}

static int open_clock(const struct sampler_config *config, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = config->hz,
		.disabled = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int clock_error(const struct sampler_config *config, uint64_t cpu, int code,
		       struct strbuf *err)
{
	if (code == -EINVAL)
		return fail(err, code, "cannot sample at %u Hz: kernel.perf_event_max_sample_rate "
				       "is lower", config->hz);
	if (code == -EACCES || code == -EPERM)
		return fail(err, code, "the kernel refuses perf events to this user: run it with "
				       "sudo, or with CAP_PERFMON");
	if (code == -EMFILE)
		return fail(err, code, "too many open files: raise the limit (ulimit -n)");
	return fail(err, code, "CPU %" PRIu64 ": cannot open its clock: %s", cpu, strerror(-code));
}

/* From now on each CPU owes ticks. */
static int begin_ticks(struct sampler *s)
{
	uint64_t *percpu = xcalloc((size_t)s->ncpus_possible, sizeof(*percpu));
	uint32_t last = COUNTER_LAST_NS;
	int r;

	for (int cpu = 0; cpu < s->ncpus_possible; cpu++)
		percpu[cpu] = now_ns();
	r = bpf_map_update_elem(bpf_map__fd(s->skel->maps.counters), &last, percpu, BPF_ANY);
	free(percpu);
	return r;
}

int sampler_start(struct sampler *s, struct strbuf *err)
{
	const struct sampler_config *config = &s->config;
	size_t attached = 0;

	for (size_t i = 0; i < config->ncpus; i++) {
		s->event_fds[i] = open_clock(config, (int)config->cpus[i]);
		if (s->event_fds[i] >= 0)
			continue;
		/* gone offline since the list was made */
		if (errno != ENODEV)
			return clock_error(config, config->cpus[i], -errno, err);
	}
	if (begin_ticks(s))
		return fail(err, -errno, "cannot set up the counters: %s", strerror(errno));
	/* attaching enables; all are open by now, so the clocks start close together */
	for (size_t i = 0; i < config->ncpus; i++) {
		if (s->event_fds[i] < 0)
			continue;
		s->links[i] = bpf_program__attach_perf_event(s->skel->progs.sample,
							     s->event_fds[i]);
		if (!s->links[i])
			return fail(err, -errno, "CPU %" PRIu64 ": cannot attach: %s",
				    config->cpus[i], strerror(errno));
		attached++;
	}
	return attached ? 0 : fail(err, -ENODEV, "none of the CPUs asked for is online");
}

void sampler_stop(struct sampler *s)
{
	for (size_t i = 0; i < s->config.ncpus; i++)
		if (s->event_fds[i] >= 0)
			ioctl(s->event_fds[i], PERF_EVENT_IOC_DISABLE, 0);
	s->stop_ns = now_ns();
}

bool sampler_by_tables(const struct sampler *s)
{
	return s->config.by_tables;
}

struct sampler_maps sampler_maps(const struct sampler *s)
{
	return (struct sampler_maps){
		.tables = bpf_map__fd(s->skel->maps.tables),
		.rules = bpf_map__fd(s->skel->maps.rules),
		.spaces = bpf_map__fd(s->skel->maps.spaces),
		.space_chunks = bpf_map__fd(s->skel->maps.space_chunks),
		.images = bpf_map__fd(s->skel->maps.images),
	};
}

void sampler_on_late(struct sampler *s, sampler_late_fn *fn, void *ctx)
{
	s->on_late = fn;
	s->on_late_ctx = ctx;
}

int sampler_ring_fd(const struct sampler *s)
{
	return ring_buffer__epoll_fd(s->ring);
}

int sampler_read_ring(struct sampler *s, struct batch *b, struct strbuf *err)
{
	int r;

	s->ring_into = b;
	r = ring_buffer__consume(s->ring);
	s->ring_into = NULL;
	return r < 0 ? fail(err, r, "cannot read the overflow ring: %s", strerror(-r)) : 0;
}

/*
 * Programs of the old generation may still run. Replacing an element of a map of maps
 * waits for all of them (kernel/bpf/syscall.c maybe_wait_bpf_programs), also where
 * membarrier does not work (nohz_full).
 */
static int wait_for_programs(struct sampler *s, uint32_t gen)
{
	return bpf_map_update_elem(bpf_map__fd(s->skel->maps.stacks), &gen, &s->stacks_fd[gen],
				   BPF_ANY);
}

typedef void take_fn(struct batch *b, const void *keys, const void *values, size_t n);

static void take_stacks(struct batch *b, const void *keys, const void *values, size_t n)
{
	const uint64_t *hash = keys;
	const struct stack_value *stack = values;

	for (size_t i = 0; i < n; i++)
		batch_add_stack(b, hash[i], &stack[i].head, stack[i].ip);
}

static void take_deep(struct batch *b, const void *keys, const void *values, size_t n)
{
	const uint64_t *hash = keys;
	const struct stack_deep *stack = values;

	for (size_t i = 0; i < n; i++)
		batch_add_stack(b, hash[i], &stack[i].head, stack[i].ip);
}

static void take_counts(struct batch *b, const void *keys, const void *values, size_t n)
{
	const struct sample_key *key = keys;
	const struct sample_info *info = values;

	for (size_t i = 0; i < n; i++)
		batch_add(b, &key[i], &info[i]);
}

/* Moves all elements of an idle map to b. */
static int take_map(struct sampler *s, int fd, take_fn *take, struct batch *b, struct strbuf *err)
{
	uint64_t in_batch[4], out_batch[4];
	uint32_t n, room = DRAIN_BATCH;
	bool first = true;
	int r;

	do {
		n = room;
		r = bpf_map_lookup_and_delete_batch(fd, first ? NULL : in_batch, out_batch,
						    s->keys, s->values, &n, NULL);
		if (r == -ENOSPC && room < 1 << 20) {
			/* a bucket of more elements than that: kernel/bpf/hashtab.c */
			room *= 2;
			s->keys = xreallocarray(s->keys, room, sizeof(struct sample_key));
			s->values = xreallocarray(s->values, room, sizeof(struct stack_deep));
			continue;
		}
		if (r && r != -ENOENT)
			return fail(err, r, "cannot read the sample maps: %s", strerror(-r));
		take(b, s->keys, s->values, n);
		memcpy(in_batch, out_batch, sizeof(in_batch));
		first = false;
	} while (r != -ENOENT);
	return 0;
}

int sampler_drain(struct sampler *s, struct batch *b, uint64_t *swap_ns, struct strbuf *err)
{
	uint32_t idle = s->active;
	int r;

	s->active ^= 1;
	__atomic_store_n(&s->skel->bss->active, s->active, __ATOMIC_SEQ_CST);
	*swap_ns = now_ns();
	r = wait_for_programs(s, idle);
	if (r)
		return fail(err, r, "cannot swap maps: %s", strerror(-r));
	r = take_map(s, s->stacks_fd[idle], take_stacks, b, err);
	if (!r && s->config.max_depth > LAYOUT_DEPTH)
		r = take_map(s, s->deep_fd[idle], take_deep, b, err);
	if (!r)
		r = take_map(s, s->counts_fd[idle], take_counts, b, err);
	return r ? r : sampler_read_ring(s, b, err);
}

/* Ticks that passed on a CPU after the last that fired there; no later one counts them. */
static uint64_t skipped_at_end(const struct sampler *s, const uint64_t *last_ns)
{
	uint64_t period = 1000000000u / s->config.hz, sum = 0;

	for (size_t i = 0; i < s->config.ncpus; i++) {
		uint64_t cpu = s->config.cpus[i];

		if (s->event_fds[i] < 0 || cpu >= (uint64_t)s->ncpus_possible)
			continue;
		if (s->stop_ns > last_ns[cpu])
			sum += (s->stop_ns - last_ns[cpu]) / period;
	}
	return sum;
}

int sampler_counters(const struct sampler *s, uint64_t sum[COUNTER_MAX], struct strbuf *err)
{
	uint64_t *percpu = xcalloc((size_t)s->ncpus_possible, sizeof(*percpu));
	int r = 0;

	for (uint32_t i = 0; i < COUNTER_MAX && !r; i++) {
		r = bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.counters), &i, percpu);
		sum[i] = 0;
		if (i == COUNTER_LAST_NS) {
			sum[COUNTER_SKIPPED] += s->stop_ns && !r ? skipped_at_end(s, percpu) : 0;
			continue;
		}
		for (int cpu = 0; cpu < s->ncpus_possible; cpu++)
			sum[i] += percpu[cpu];
	}
	free(percpu);
	return r ? fail(err, r, "cannot read the counters: %s", strerror(-r)) : 0;
}

/* "memlock:" of a map's fdinfo is what the kernel charges for it. */
static uint64_t map_memory(int fd)
{
	char path[64], line[256];
	uint64_t bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %" SCNu64, &bytes) == 1)
			break;
	fclose(f);
	return bytes;
}

uint64_t sampler_memory(const struct sampler *s)
{
	struct bpf_map *map;
	uint64_t sum = 0;

	bpf_object__for_each_map(map, s->skel->obj)
		sum += map_memory(bpf_map__fd(map));
	for (int gen = 0; gen < 2; gen++)
		sum += map_memory(s->stacks_fd[gen]) + map_memory(s->deep_fd[gen]) +
		       map_memory(s->counts_fd[gen]);
	return sum;
}
