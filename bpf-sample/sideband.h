/*
 * What processes do while they are sampled: forks, execs, exits, names and
 * executable mappings, and kernel code that comes and goes, as perf side-band
 * records of a dummy event on each CPU (perf_event_open(2), PERF_RECORD_*). Times
 * are CLOCK_MONOTONIC, the clock of bpf_ktime_get_ns().
 */
#ifndef BPF_SAMPLE_SIDEBAND_H
#define BPF_SAMPLE_SIDEBAND_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strbuf.h"

struct sideband;

enum sideband_type {
	SIDEBAND_FORK,  /* pid from ppid; threads are not reported */
	SIDEBAND_EXEC,  /* pid's new program is about to be mapped; name: its comm */
	SIDEBAND_COMM,  /* pid's leader is renamed */
	SIDEBAND_EXIT,  /* pid's leader ended */
	SIDEBAND_MMAP,  /* an executable mapping; name: its path */
	SIDEBAND_KSYM,  /* kernel code appeared at start, length; name: its symbol */
	SIDEBAND_LOST,  /* `lost` records did not fit the ring */
};

struct sideband_event {
	enum sideband_type type;
	uint64_t time;
	uint32_t pid, ppid;
	uint64_t start, length, offset;
	/* of the mapped file: its build-id, or its identity where that is empty */
	struct slice build_id;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	uint64_t lost;
	struct slice name; /* these slices are valid during the call */
};

typedef void sideband_fn(void *ctx, const struct sideband_event *e);

/* Opens and starts on the CPUs given (all that are online: processes move). */
int sideband_open(struct sideband **out, const uint64_t *cpus, size_t ncpus, struct strbuf *err);
void sideband_close(struct sideband *sb);

/* The most descriptors that sideband_pollfds appends. */
size_t sideband_count(const struct sideband *sb);

/* Appends one pollfd a CPU, readable when there are events; returns how many. */
size_t sideband_pollfds(const struct sideband *sb, struct pollfd *fds);

/* Calls fn for all that has happened, ordered by time. */
void sideband_read(struct sideband *sb, sideband_fn *fn, void *ctx);

#endif
