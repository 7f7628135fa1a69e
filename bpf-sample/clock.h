/* Nanoseconds of a clock: CLOCK_MONOTONIC is that of side-band events and of BPF. */
#ifndef BPF_SAMPLE_CLOCK_H
#define BPF_SAMPLE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
