/*
 * The kernel half's life: load, fill in the filters, attach to the clock of each
 * CPU, swap generations and read the idle one, count. The only file that knows
 * libbpf. All functions that can fail return a negative errno with a reason that
 * names the remedy where there is one.
 */
#ifndef BPF_SAMPLE_SAMPLER_H
#define BPF_SAMPLE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "batch.h"

struct sampler;

struct sampler_config {
	uint32_t hz;
	uint32_t max_stacks; /* distinct stacks of one interval that the map holds */
	bool want_idle, want_user, want_kernel;
	bool by_tables;      /* unwind user stacks by tables, else by frame pointers */
	bool tables_optional; /* a kernel that cannot run the unwinder does without */
	uint32_t max_depth;  /* frames of a user stack */
	uint32_t max_copy;   /* bytes of a stack that user space unwinds */
	bool by_pid, by_tid;
	const char *cgroup;  /* NULL: any */
	const uint64_t *cpus; /* to sample */
	size_t ncpus;
	bool verbose;        /* libbpf's own messages on stderr */
};

/*
 * Loads the programs and attaches the ones that follow forks and execs. What config
 * points to need not outlive the call.
 */
int sampler_open(struct sampler **out, const struct sampler_config *config, struct strbuf *err);
void sampler_close(struct sampler *s);

/* Whether user stacks are unwound by tables: asked for, and not given up for want of it. */
bool sampler_by_tables(const struct sampler *s);

/* Processes and threads to sample (by_pid, by_tid); may be called at any time. */
int sampler_add_pid(struct sampler *s, uint32_t pid, struct strbuf *err);
int sampler_add_tid(struct sampler *s, uint32_t tid, struct strbuf *err);

/* The process after *pid (NULL: the first) of those sampled, descendants included. */
bool sampler_next_pid(const struct sampler *s, const uint32_t *pid, uint32_t *next);

/* Starts the clocks, all of them. */
int sampler_start(struct sampler *s, struct strbuf *err);

/* Stops them; what they counted can still be drained. */
void sampler_stop(struct sampler *s);

/* Maps that the unwinder fills (bpf/unwind.h); descriptors stay the sampler's. */
struct sampler_maps {
	int tables, rules, spaces, space_chunks, images;
};

struct sampler_maps sampler_maps(const struct sampler *s);

/* Is given the samples that the kernel could not unwind, in place of the batch. */
typedef void sampler_late_fn(void *ctx, struct batch *b, const struct sample_record *rec);
void sampler_on_late(struct sampler *s, sampler_late_fn *fn, void *ctx);

/* A descriptor that is readable when the overflow ring wants sampler_read_ring. */
int sampler_ring_fd(const struct sampler *s);
int sampler_read_ring(struct sampler *s, struct batch *b, struct strbuf *err);

/*
 * Swaps generations, waits until no program uses the idle one, and moves all of it
 * and of the ring into b. *swap_ns is the monotonic time of the swap: samples taken
 * before it are in b, later ones may be.
 */
int sampler_drain(struct sampler *s, struct batch *b, uint64_t *swap_ns, struct strbuf *err);

/* Sums over all CPUs since the start, by enum counter. */
int sampler_counters(const struct sampler *s, uint64_t sum[COUNTER_MAX], struct strbuf *err);

/* Bytes of kernel memory that the maps take, as the kernel accounts it. */
uint64_t sampler_memory(const struct sampler *s);

#endif
