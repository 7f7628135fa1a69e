/* What the user is told on stderr: a progress line on a terminal, and the summary. */
#ifndef BPF_SAMPLE_REPORT_H
#define BPF_SAMPLE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder.h"

struct report {
	bool quiet, verbose, progress;
	bool shown; /* a progress line stands on the terminal */
	uint64_t began, ended; /* monotonic ns */
};

void report_init(struct report *r, bool quiet, bool verbose);
void report_start(struct report *r, uint64_t now_ns);
void report_stop(struct report *r, uint64_t now_ns);
void report_progress(struct report *r, uint64_t now_ns, const struct recorder *rec, uint64_t lost);

/* `bytes` of the capture, `memory` of the kernel's maps. */
void report_summary(struct report *r, const struct recorder *rec,
		    const uint64_t counters[COUNTER_MAX], uint64_t lost_events, uint64_t bytes,
		    uint64_t memory);

#endif
