#include "events.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"

/* Valid until another one is asked for. */
static struct event *event_of(struct events *ev, struct slice name)
{
	size_t known;
	uint32_t id;

	if (ev->names.len && slice_eq(intern_get(&ev->names, ev->last), name))
		return &ev->list[ev->last];
	known = ev->names.len;
	id = intern_add(&ev->names, name);
	if (id == known) {
		ev->list = grow(ev->list, id, &ev->cap, sizeof(*ev->list));
		ev->list[id] = (struct event){ 0 };
	}
	ev->last = id;
	return &ev->list[id];
}

void events_begin_file(struct events *ev)
{
	for (size_t i = 0; i < ev->names.len; i++)
		ev->list[i].in_this_file = false;
}

void events_define(struct events *ev, const struct stackline_event *def)
{
	struct event *e = event_of(ev, def->name);

	if (e->used && e->unit.len && e->period_ns != def->period_ns)
		e->periods_differ = true;
	e->unit = intern_get(&ev->texts, intern_add(&ev->texts, def->unit));
	e->period_ns = def->period_ns;
	e->in_this_file = true;
}

static const char *unit_name(enum events_unit unit)
{
	return unit == UNIT_NS ? "ns" : "samples";
}

static int no_conversion(const struct event *e, struct slice name, enum events_unit unit,
			 struct strbuf *err)
{
	struct strbuf clean = STRBUF_INIT;

	strbuf_addclean(&clean, name);
	if (!e->in_this_file)
		fail(err, -ENODATA, "--unit %s: no \"# event\" comment tells what %s counts "
		     "(grep drops comments, keep them: grep -e '^#' -e PATTERN)",
		     unit_name(unit), clean.buf);
	else
		fail(err, -ENODATA, "--unit %s: a sample of %s stands for no fixed time; fold it "
		     "without --unit, or leave it out", unit_name(unit), clean.buf);
	strbuf_release(&clean);
	return -ENODATA;
}

int events_convert(struct events *ev, struct slice event, enum events_unit unit,
		   uint64_t *weight, bool *saturated, struct strbuf *err)
{
	struct event *e = event_of(ev, event);
	bool samples, ns;

	e->used = true;
	if (unit == UNIT_ANY)
		return 0;
	samples = e->in_this_file && slice_eq(e->unit, SLICE("samples"));
	ns = e->in_this_file && slice_eq(e->unit, SLICE("ns"));
	if ((samples && unit == UNIT_SAMPLES) || (ns && unit == UNIT_NS))
		return 0;
	if (!e->period_ns || (!samples && !ns))
		return no_conversion(e, event, unit, err);
	if (ns) {
		uint64_t rest = *weight % e->period_ns;

		*weight = *weight / e->period_ns + (rest >= e->period_ns - rest);
	} else if (__builtin_mul_overflow(*weight, e->period_ns, weight)) {
		*weight = UINT64_MAX;
		*saturated = true;
	}
	return 0;
}

bool events_mixed(const struct events *ev, bool counted, struct strbuf *text)
{
	const struct event *first = NULL;
	struct slice first_name = { "", 0 };

	strbuf_reset(text);
	for (size_t i = 0; i < ev->names.len; i++) {
		const struct event *e = &ev->list[i];
		struct slice name = intern_get(&ev->names, (uint32_t)i);

		if (!e->used || !e->unit.len)
			continue;
		if (e->periods_differ) {
			strbuf_addclean(text, name);
			strbuf_addstr(text, " was sampled at differing rates: --unit ns makes "
					    "the sums comparable");
			return true;
		}
		if (!first) {
			first = e;
			first_name = name;
		} else if (!counted && !slice_eq(first->unit, e->unit)) {
			strbuf_addstr(text, "the sums mix units (");
			strbuf_addclean(text, first_name);
			strbuf_addstr(text, ": ");
			strbuf_addclean(text, first->unit);
			strbuf_addstr(text, ", ");
			strbuf_addclean(text, name);
			strbuf_addstr(text, ": ");
			strbuf_addclean(text, e->unit);
			strbuf_addstr(text, "): keep them apart with --by event");
			return true;
		}
	}
	return false;
}

void events_release(struct events *ev)
{
	intern_release(&ev->names);
	intern_release(&ev->texts);
	free(ev->list);
	*ev = (struct events){ 0 };
}
