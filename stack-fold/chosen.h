/*
 * Which events are folded: those named, or else the first one that comes, since weights
 * of two events do not add up. The others are counted, to be told of. Modifiers of an event
 * ("cycles:u") make no other one of it, unless they are named.
 */
#ifndef STACK_FOLD_CHOSEN_H
#define STACK_FOLD_CHOSEN_H

#include <stdbool.h>

#include "base/intern.h"
#include "base/strbuf.h"

/* Zero-initialized takes the first event that comes. */
struct chosen {
	bool all;              /* takes every event */
	struct slice name;     /* the one that is taken; empty: the first that comes */
	struct intern names;   /* that came; the id is the place in counts */
	uint64_t *counts;      /* samples left out */
	size_t cap;
	bool last_taken;       /* for the event before, which most samples share */
	uint32_t last;
	bool any;              /* an event came */
	uint32_t first;
};

/* Whether a sample of the event is folded; counts it if not. */
bool chosen_takes(struct chosen *c, struct slice event);

/* What was left out, as a note for people; false if nothing was. */
bool chosen_note(const struct chosen *c, struct strbuf *text);

void chosen_release(struct chosen *c);

#endif
