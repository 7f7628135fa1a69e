/*
 * Folding: lines in, sums of folded stacks. A line's text is looked up as it is
 * before it is taken apart, for nearly every one repeats a stack already seen.
 * Memory is that of the distinct folded stacks, and a bounded cache beside them.
 */
#ifndef STACK_FOLD_FOLD_H
#define STACK_FOLD_FOLD_H

#include "base/strbuf.h"
#include "events.h"
#include "seen.h"
#include "style.h"
#include "sums.h"

struct fold {
	/* set by the caller after fold_init */
	struct style style;
	enum events_unit unit;
	bool for_samples; /* options were given that only samples can follow */

	struct sums sums;
	struct events events;
	struct seen seen;       /* key_of() a line → stack id, or FOLD_LEFT_OUT */
	struct strbuf key, text;

	uint64_t samples;       /* lines folded */
	uint64_t left_out;      /* of them, without frames of the kind asked for */
	uint64_t left_out_weight;
	bool no_cpu;            /* the cpu is wanted as a root, and a line lacks it */
};

#define FOLD_LEFT_OUT (UINT32_MAX - 1)

void fold_init(struct fold *f);

/*
 * Each takes one line without its LF. 1: folded; 0: nothing in it (a comment, an
 * empty line); -EINVAL: malformed, nothing was folded, go on with the next line;
 * -ENODATA, -ENOTSUP: what the options ask for cannot be had from this input, stop.
 * *err has the reason for a negative return.
 */
int fold_stack_line(struct fold *f, struct slice line, struct strbuf *err);
int fold_folded_line(struct fold *f, struct slice line, struct strbuf *err);

void fold_release(struct fold *f);

#endif
