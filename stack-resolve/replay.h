/*
 * Captures into text: one pass over the records, a line (or what else the form writes) for
 * each sample as soon as its names are known. What is wrong with the input is told on
 * stderr, with the input's name and the byte offset, and passed over.
 */
#ifndef STACK_RESOLVE_REPLAY_H
#define STACK_RESOLVE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map64.h"
#include "base/stream.h"
#include "base/strbuf.h"
#include "sym/resolver.h"

#include "form.h"
#include "held.h"

enum {
	REPLAY_STACKS_MAX = 48 << 20, /* bytes of stacks that have an id */
	REPLAY_LINE_MAX = 8 << 20,    /* bytes of a line, about */
	REPLAY_EVENTS_MAX = 4096,     /* different event names */
	REPLAY_COMPLAINTS = 10,       /* told of one input; the rest is counted */
	REPLAY_LOST_CAUSES = 4,       /* more than there are */
	REPLAY_CLOCKS_MAX = 1 << 16,  /* threads with a clock of their own */
	REPLAY_STEP_NS = 1000,        /* of such a clock, where an event has no period */
	REPLAY_EACH_MAX = 1 << 20,    /* samples that one of a weight is written as */
};

struct replay_event {
	uint64_t step_ns; /* of a clock, for a weight of 1 */
	bool counts;      /* the weight is a number of samples */
};

struct replay {
	struct resolver *resolver;
	const struct form *form;
	struct output *out;
	bool each;  /* of forms that need a time: a sample of weight N as N samples */
	bool quiet; /* no warnings; faults of the input are told all the same */

	/* of the input being read */
	const char *name;
	uint64_t complaints;

	/* of the capture being read */
	struct map64 events;   /* id → id of the name + 1 */
	struct map64 stacks;   /* id → struct stack * */
	size_t stacks_bytes;
	struct held held;
	uint64_t lost_events[REPLAY_LOST_CAUSES]; /* by cause; those without weight */

	uint64_t now;          /* time of the last sample that has one; of the start before */
	struct map64 clocks;   /* pid << 32 | tid → ns, of samples without a time */

	struct intern names; /* of events */
	struct replay_event *about; /* by name */
	size_t about_cap;
	struct strbuf line, head, err;
	uint64_t samples, lines, waited; /* waited: lines that were held back */
};

/* `resolver`, made for the form's texts, and `out` stay the caller's. */
void replay_init(struct replay *r, struct resolver *resolver, const struct form *form,
		 struct output *out);
void replay_release(struct replay *r);

/*
 * Reads all of an input; `name` is for messages. Returns the exit status:
 * 0; 1 nothing could be read; 3 part of it was malformed or truncated. Ends early,
 * with 0, when the output fails: that is for the output's close to tell.
 */
int replay_input(struct replay *r, struct input *in, const char *name);

#endif
