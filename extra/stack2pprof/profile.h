/*
 * A profile in the making, as profile.proto of github.com/google/pprof has it. Messages
 * that refer to each other are kept encoded, without their ids: equal bytes are one, and
 * an id is the place in its table, plus one. So a profile is as large as what is
 * distinct in it, and comes out in the order of the input.
 */
#ifndef STACK2PPROF_PROFILE_H
#define STACK2PPROF_PROFILE_H

#include "base/intern.h"
#include "base/seen.h"
#include "base/stream.h"
#include "lines/stackline.h"

enum { COLUMNS_MAX = 64 }; /* each sample has a value of each */

struct profile_event {
	uint32_t unit;       /* a string; 0: no comment told it */
	uint64_t period_ns;  /* 0: none */
	bool used;           /* a line was of it */
};

/* A file as the comments tell it; a mapping is one of these and its build-id. */
struct profile_file {
	uint32_t build_id;   /* a string; 0: unknown */
	bool used;           /* a frame was in it since */
};

/* What go's pprof calls HasFilenames, HasLineNumbers and HasInlineFrames. */
struct profile_mapping {
	bool has_sources, has_inlined;
};

struct profile_sum {
	uint64_t weight;
	uint64_t ns;         /* where the event has a period */
	uint32_t event;
};

struct profile {
	struct intern strings;   /* the string table; "" is 0 */
	struct intern functions, locations, mappings, samples; /* encoded, by id - 1 */
	struct profile_sum *sums; /* by sample */
	struct profile_mapping *mapping_marks;
	struct intern event_names;
	struct profile_event *events;
	struct intern paths;
	struct profile_file *files;
	size_t cap_sums, cap_marks, cap_events, cap_files;

	struct seen seen;        /* samples by the text from the pid on, and the event */
	uint64_t lines;
	uint64_t saturated;      /* sums that are too large for the format's 63 bits */
	bool has_untimed;        /* a line without a time, so that there is no duration */
	uint64_t first_ns, last_ns;

	struct strbuf message, part, name, ids; /* scratch */
	uint32_t *stack;         /* locations, root first */
	size_t cap_stack;
};

void profile_init(struct profile *p);

/* A line of the input: 1 a sample, 0 another line, -EINVAL a damaged one: see *why. */
int profile_line(struct profile *p, struct slice line, const char **why);

/* The place of a string; cleaned, as the format wants UTF-8, whoever wrote the line. */
uint32_t profile_string(struct profile *p, struct slice s);

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
