/*
 * A profile in the making, as profile.proto of github.com/google/pprof has it: samples by
 * their stack, thread and event, in the order of the input.
 */
#ifndef STACK2PPROF_PROFILE_H
#define STACK2PPROF_PROFILE_H

#include "base/intern.h"
#include "base/seen.h"
#include "base/stream.h"
#include "lines/stackline.h"

#include "symbols.h"

enum { COLUMNS_MAX = 64 }; /* each sample has a value of each */

struct profile_event {
	uint32_t unit;       /* a string; 0: no comment told it */
	uint64_t period_ns;  /* 0: none */
	bool used;           /* a line was of it */
};

struct profile_sum {
	uint64_t weight;
	uint64_t ns;         /* where the event has a period */
};

struct profile_sample {
	uint32_t stack, labels, event; /* ids */
};

/* When samples were taken. */
struct profile_times {
	bool has_untimed;    /* a line without a time, so that there is no duration */
	bool has_timed;
	uint64_t first_ns, last_ns; /* of the lines with a time */
	bool has_clock;      /* the next two are told */
	uint64_t real_ns;    /* when the first capture began, 0 unknown */
	uint64_t to_real;    /* to be added to a time of the current capture; it may wrap */
};

struct profile {
	struct symbols symbols;
	struct intern stacks;    /* locations, leaf first, packed */
	struct intern labels;    /* label fields */
	struct intern samples;   /* struct profile_sample */
	struct profile_sum *sums; /* by sample */
	struct intern event_names;
	struct profile_event *events;
	size_t cap_sums, cap_events;

	struct seen seen_samples; /* by the text from the pid on, and the event */
	struct seen seen_stacks, seen_labels; /* by the parts of it */
	uint64_t lines;
	uint64_t saturated;      /* sums that are too large for the format's 63 bits */
	struct profile_times times;

	struct strbuf message, part; /* scratch */
};

void profile_init(struct profile *p);

/* A line of the input: 1 a sample, 0 another line, -EINVAL a damaged one: see *why. */
int profile_line(struct profile *p, struct slice line, const char **why);

static inline struct profile_sample profile_sample(const struct profile *p, uint32_t id)
{
	struct profile_sample s;

	memcpy(&s, intern_get(&p->samples, id).p, sizeof(s));
	return s;
}

/* A column of values: its name and unit, and whether an event's time is meant. */
struct column {
	uint32_t event;
	bool time;
	const char *type;  /* NULL: the event's name */
	const char *unit;
};

struct columns {
	struct column list[COLUMNS_MAX];
	size_t n;
	size_t first;          /* the one to be shown first */
	uint64_t period_ns;    /* of the clock; 0: there is none */
};

/* -E2BIG: there are more than COLUMNS_MAX. */
int columns_choose(struct columns *cols, const struct profile *p);

/* Gzipped. It adds to the strings. */
void profile_write(struct profile *p, const struct columns *cols, struct output *out);

void profile_release(struct profile *p);

#endif
