#include "profile.h"

#include <errno.h>

/* The event's unit as the format's; what no comment tells are samples. */
static const char *unit_of(const struct profile *p, const struct profile_event *e)
{
	struct slice unit = intern_get(&p->symbols.strings, e->unit);

	if (slice_eq(unit, SLICE("ns")))
		return "nanoseconds";
	return slice_eq(unit, SLICE("bytes")) ? "bytes" : "count";
}

static bool counts(const struct profile *p, const struct profile_event *e)
{
	struct slice unit = intern_get(&p->symbols.strings, e->unit);

	return !unit.len || slice_eq(unit, SLICE("samples"));
}

static int add_column(struct columns *cols, struct column c)
{
	if (cols->n == COLUMNS_MAX)
		return -E2BIG;
	cols->list[cols->n++] = c;
	return 0;
}

/*
 * The first event that is a clock has the columns that go's own CPU profiles have, since
 * that is what servers know; another event has its name.
 */
int columns_choose(struct columns *cols, const struct profile *p)
{
	size_t used = 0;
	int r = 0;

	*cols = (struct columns){ 0 };
	for (size_t i = 0; i < p->event_names.len; i++)
		used += p->events[i].used;
	for (uint32_t i = 0; i < p->event_names.len && r == 0; i++) {
		const struct profile_event *e = &p->events[i];
		bool clock = counts(p, e) && e->period_ns;

		if (!e->used)
			continue;
		if (clock && !cols->period_ns) {
			cols->period_ns = e->period_ns;
			r = add_column(cols, (struct column){ i, false, "samples", "count" });
			cols->first = cols->n;
			if (r == 0)
				r = add_column(cols, (struct column){ i, true, "cpu",
								      "nanoseconds" });
		} else if (clock) {
			r = add_column(cols, (struct column){ i, true, NULL, "nanoseconds" });
		} else {
			const char *type = used == 1 && counts(p, e) ? "samples" : NULL;

			r = add_column(cols, (struct column){ i, false, type, unit_of(p, e) });
		}
	}
	return r;
}
