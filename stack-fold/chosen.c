#include "chosen.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"

/* Without what says in which mode an event counts: "cycles:u" is cycles, too. */
static struct slice base_of(struct slice event)
{
	size_t i = event.len;

	while (i && strchr("ukhGHpPSDIeWb", event.p[i - 1]))
		i--;
	if (i > 1 && i < event.len && event.p[i - 1] == ':')
		event.len = i - 1;
	return event;
}

/* Of "cpu_core/cycles/P" the modifier is behind the last '/', and the event in between. */
static struct slice without_modifier(struct slice event)
{
	size_t i = event.len;

	while (i && event.p[i - 1] != '/')
		i--;
	return i > 1 ? (struct slice){ event.p, i } : base_of(event);
}

/* What all parts of a hybrid processor call it: "cycles". */
static struct slice without_pmu(struct slice event)
{
	struct slice part = without_modifier(event);
	const char *from = part.len ? memchr(part.p, '/', part.len) : NULL;

	if (!from || part.p[part.len - 1] != '/' || from + 1 >= part.p + part.len)
		return event;
	return (struct slice){ from + 1, (size_t)(part.p + part.len - 1 - (from + 1)) };
}

static bool is_wanted(const struct chosen *c, struct slice event)
{
	struct slice first = intern_get(&c->names, c->first);

	if (c->name.len)
		return slice_eq(event, c->name) || slice_eq(without_modifier(event), c->name) ||
			slice_eq(without_pmu(event), c->name);
	return slice_eq(without_modifier(event), without_modifier(first));
}

static void look_up(struct chosen *c, struct slice event)
{
	size_t known = c->names.len;

	c->last = intern_add(&c->names, event);
	if (c->last >= known) {
		c->counts = grow(c->counts, known, &c->cap, sizeof(*c->counts));
		c->counts[known] = 0;
	}
	if (!c->any)
		c->first = c->last;
	c->any = true;
	c->last_taken = is_wanted(c, event);
}

bool chosen_takes(struct chosen *c, struct slice event)
{
	if (c->all)
		return true;
	if (!c->any || !slice_eq(intern_get(&c->names, c->last), event))
		look_up(c, event);
	if (!c->last_taken)
		c->counts[c->last]++;
	return c->last_taken;
}

static void add_event(struct strbuf *text, struct slice name)
{
	if (name.len)
		strbuf_addclean(text, name);
	else
		strbuf_addstr(text, "no event");
}

bool chosen_note(const struct chosen *c, struct strbuf *text)
{
	struct slice taken = c->name.len || !c->any ? c->name : intern_get(&c->names, c->first);
	bool any = false;

	strbuf_reset(text);
	for (uint32_t i = 0; i < c->names.len; i++) {
		if (!c->counts[i])
			continue;
		strbuf_addstr(text, any ? ", " : "left out: ");
		strbuf_addf(text, "%" PRIu64 " sample%s of ", c->counts[i],
			    c->counts[i] == 1 ? "" : "s");
		add_event(text, intern_get(&c->names, i));
		any = true;
	}
	if (!any)
		return false;
	strbuf_addstr(text, "; folded are those of ");
	add_event(text, taken);
	if (!c->name.len)
		strbuf_addstr(text, " (--event NAME takes another, --by event keeps all apart)");
	return true;
}

void chosen_release(struct chosen *c)
{
	intern_release(&c->names);
	free(c->counts);
	*c = (struct chosen){ 0 };
}
