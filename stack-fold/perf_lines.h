/*
 * The lines of perf script's text, one by one (tools/perf/builtin-script.c and
 * util/evsel_fprintf.c of the kernel's source write them):
 *
 *	comm PID/TID [CPU] SECONDS:     PERIOD EVENT: payload
 *	<blanks>ADDRESS SYMBOL+0xOFFSET (DSO)
 *
 * perf script -F chooses: all of a header may be missing, and of a frame all but the
 * address.
 */
#ifndef STACK_FOLD_PERF_LINES_H
#define STACK_FOLD_PERF_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "lines/stackline.h"

/* Slices lie in the line; empty where it does not tell. */
struct perf_header {
	struct slice comm, pid, tid, cpu, time, event;
	struct slice rest;   /* a payload, or the frame of a sample without a stack */
	uint64_t period;     /* 1 if none is told */
	bool has_period;     /* one is */
	bool certain;        /* hardly anything else looks so, whatever follows */
};

/*
 * False if the line cannot be a header with a command and the ids, or one of them. It is
 * certain with a time, an event or a frame. The line comes without its LF; a CR is passed over.
 */
bool perf_header_parse(struct slice line, struct perf_header *out);

/*
 * What the line would be as a header without ids, which any short line can be: it is certain
 * only with a time, or a frame. What it begins with is the command, unless all of it
 * is something else and the lines need not have a command.
 */
bool perf_header_guess(struct slice line, bool has_comm, struct perf_header *out);

/*
 * False if it cannot be a frame. Modules are named as in stack lines: "[kernel]",
 * "[kernel:NAME]", "[jit]"; made up names are kept in `modules`.
 */
bool perf_frame_parse(struct slice line, struct intern *modules, struct stackline_frame *out);

/* Whether a line looks like a frame: blanks, an address, what follows that. */
bool perf_looks_like_frame(struct slice line);

/*
 * A sample without a stack has its frame on the header's line, behind what else there is.
 * Empty if there is none. `payload` begins with blanks.
 */
struct slice perf_frame_in_payload(struct slice payload);

/* Whether it is one as perf writes it, the address in its columns. */
bool perf_is_aligned_frame(struct slice line);

/* Whether it tells more of a sample: source files, registers, branches, instructions, … */
bool perf_is_about_sample(struct slice line);

#endif
