/*
 * Folding: samples in, sums of folded stacks. A sample's text is looked up as it is
 * before it is taken apart, for nearly every one repeats a stack already seen.
 * Memory is that of the distinct folded stacks, and a bounded cache beside them.
 */
#ifndef STACK_FOLD_FOLD_H
#define STACK_FOLD_FOLD_H

#include "base/seen.h"
#include "base/strbuf.h"
#include "chosen.h"
#include "events.h"
#include "style.h"
#include "sums.h"

struct fold {
	/* set by the caller after fold_init */
	struct style style;
	enum events_unit unit;
	bool count;       /* samples count one each, whatever their weight */
	bool for_samples; /* options were given that only samples can follow */

	struct sums sums;
	struct events events;
	struct chosen chosen;   /* set by the caller: which events are folded */
	struct seen seen;       /* hash of a sample's text → stack id, or FOLD_LEFT_OUT */
	struct stack stack;
	struct strbuf text, clean;

	uint64_t samples;       /* samples folded */
	uint64_t left_out;      /* of them, without frames of the kind asked for */
	uint64_t left_out_weight;
	uint64_t no_counts;     /* values that are none: a histogram is no weight of a stack */
	bool no_cpu;            /* the cpu is wanted as a root, and a sample lacks it */
	bool no_cpu_of_lines;   /* and is a stack line */
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

/*
 * For readers. True if a sample of that text was seen before: *id is its
 * stack's; `text` is all that its folded stack is made of besides `fields`, those of
 * style.by among them. If not, fold_stack() takes the frames of f->stack, which the
 * reader has filled, and those fields; no_comm as in struct stack.
 */
bool fold_seen(struct fold *f, const struct slice fields[FIELDS], struct slice text,
	       struct hash128 *hash, uint32_t *id);
uint32_t fold_stack(struct fold *f, const struct slice fields[FIELDS], bool no_comm,
		    struct hash128 hash);

/* Counts a sample of a stack. */
void fold_add(struct fold *f, uint32_t id, uint64_t weight);

/* As events_convert, for an event whose weights are ns or else unknown: 0 or -ENODATA. */
int fold_convert_period(struct fold *f, struct slice event, uint64_t *weight, struct strbuf *err);

void fold_release(struct fold *f);

#endif
