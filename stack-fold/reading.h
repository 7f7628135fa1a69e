/*
 * An input being read: what the readers of all kinds share. Each reader takes the input
 * from its beginning, or from where it found itself, to its end.
 */
#ifndef STACK_FOLD_READING_H
#define STACK_FOLD_READING_H

#include "base/stream.h"
#include "base/strbuf.h"
#include "fold.h"
#include "input.h"

struct reading {
	struct fold *fold;
	struct input *in;
	const char *name;        /* of the input, in messages */
	struct strbuf *err;
	uint64_t line_number;    /* of the line read last */
	struct damage damage;    /* of this input */
};

/* Counts a line that could not be read; of the first one the place and the reason are kept. */
void reading_damage(struct reading *r, uint64_t line_number, const char *reason);

/*
 * For kinds that are read line by line: calls take(ctx, line) for each, until it returns
 * something negative. That, or 0 at the end, or what reading_error() gives.
 */
int reading_each_line(struct reading *r, int (*take)(void *ctx, struct slice line), void *ctx);

/*
 * For kinds whose weights are numbers of samples: --count and --unit samples leave these as
 * they are. 0, or -ENODATA with the reason in the reading's err if times are asked for.
 */
int reading_convert_count(struct reading *r);

/* Leaves "NAME: reason" in the reading's err; `error`, a negative errno. */
int reading_error(struct reading *r, int error);

/* What a look at an input's beginning says of its kind. */
enum sniff { SNIFF_NO, SNIFF_YES, SNIFF_MORE /* it is too short to tell */ };

/*
 * perf script's text (perf_script.c). `head` begins at a line that is neither empty nor a
 * comment and is all that is known of what follows, which `whole` says is all there is.
 * The reader returns 0, or a negative errno as fold_input does.
 */
enum sniff perf_script_sniff(struct slice head, bool whole);
int perf_script_read(struct reading *r);

/* bpftrace's maps, as text and as JSON (bpftrace.c), and DTrace's aggregations (dtrace.c). */
enum sniff bpftrace_sniff(struct slice head, bool whole);
int bpftrace_read(struct reading *r);
enum sniff bpftrace_json_sniff(struct slice head, bool whole);
int bpftrace_json_read(struct reading *r);
enum sniff dtrace_sniff(struct slice head, bool whole);
int dtrace_read(struct reading *r);

#endif
