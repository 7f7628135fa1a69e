/*
 * Captures into stack lines: one pass over the records, a line for each sample as soon
 * as its names are known. What is wrong with the input is told on stderr, with the
 * input's name and the byte offset, and passed over.
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

#include "held.h"

enum {
	REPLAY_STACKS_MAX = 48 << 20, /* bytes of stacks that have an id */
	REPLAY_LINE_MAX = 8 << 20,    /* bytes of a line, about */
	REPLAY_EVENTS_MAX = 4096,     /* different event names */
	REPLAY_COMPLAINTS = 10,       /* told of one input; the rest is counted */
	REPLAY_LOST_CAUSES = 4,       /* more than there are */
};

struct replay {
	struct resolver *resolver;
	struct output *out;
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

	struct intern names; /* of events */
	struct strbuf line, err;
	uint64_t samples, lines, waited; /* waited: lines that were held back */
};

/* `resolver` and `out` stay the caller's. */
void replay_init(struct replay *r, struct resolver *resolver, struct output *out);
void replay_release(struct replay *r);

/*
 * Reads all of an input; `name` is for messages. Returns the exit status:
 * 0; 1 nothing could be read; 3 part of it was malformed or truncated. Ends early,
 * with 0, when the output fails: that is for the output's close to tell.
 */
int replay_input(struct replay *r, struct input *in, const char *name);

#endif
