/*
 * The lines of perf script's text, one by one (tools/perf/builtin-script.c and
 * util/evsel_fprintf.c of the kernel's source write them):
 *
 *	comm PID/TID [CPU] SECONDS:     PERIOD EVENT: payload
 *	<blanks>ADDRESS SYMBOL+0xOFFSET (DSO)
 *
 * Of a header all but the comm may be missing; of a frame all but the symbol.
 */
#ifndef STACK_FOLD_PERF_LINES_H
#define STACK_FOLD_PERF_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "lines/stackline.h"

/* Slices lie in the line; empty where it does not tell. */
struct perf_header {
	struct slice comm, pid, tid, cpu, event;
	struct slice rest;   /* a payload, or the frame of a sample without a stack */
	uint64_t period;     /* 1 if none is told */
	bool certain;        /* there is a time or an event: hardly anything else looks so */
};

/* False if the line cannot be a header. It comes without its LF; a CR is passed over. */
bool perf_header_parse(struct slice line, struct perf_header *out);

/*
 * False if it cannot be a frame. Modules are named as in stack lines: "[kernel]",
 * "[kernel:NAME]", "[jit]"; made up names are kept in `modules`.
 */
bool perf_frame_parse(struct slice line, struct intern *modules, struct stackline_frame *out);

/* Whether a line looks like a frame: blanks, an address, a blank. */
bool perf_looks_like_frame(struct slice line);

#endif
