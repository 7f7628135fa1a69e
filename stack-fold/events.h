/*
 * What the events' weights are: learnt from "# event NAME UNIT PERIOD_NS" comments,
 * asked for to convert weights and to notice sums of unlike things.
 */
#ifndef STACK_FOLD_EVENTS_H
#define STACK_FOLD_EVENTS_H

#include "base/intern.h"
#include "base/strbuf.h"
#include "lines/stackline.h"

enum events_unit { UNIT_ANY, UNIT_SAMPLES, UNIT_NS };

struct event {
	struct slice unit;     /* lives in `texts`; empty: no comment told it yet */
	uint64_t period_ns;    /* 0: none */
	bool in_this_file;     /* told by the file being read */
	bool used;             /* a line was of this event */
	bool periods_differ;   /* told anew with another period */
};

struct events {
	struct intern names;   /* id: place in list */
	struct intern texts;
	struct event *list;
	size_t cap;
	uint32_t last;         /* most lines are of the event of the line before */
};

/* Forgets what earlier files told for conversion: their periods may be other ones. */
void events_begin_file(struct events *ev);

void events_define(struct events *ev, const struct stackline_event *def);

/*
 * Notes a line's event, and converts its weight to `unit` in place (UNIT_ANY: leaves
 * it), rounded to the nearest and saturating, which *saturated tells. 0, or -ENODATA
 * where the comments do not tell how: *err has the reason and the remedy.
 */
int events_convert(struct events *ev, struct slice event, enum events_unit unit,
		   uint64_t *weight, bool *saturated, struct strbuf *err);

/*
 * Whether the events that were used count unlike things, or one thing at differing
 * rates: *text tells which. False if not. `counted`: each line counts one, whatever its unit.
 */
bool events_mixed(const struct events *ev, bool counted, struct strbuf *text);

void events_release(struct events *ev);

#endif
