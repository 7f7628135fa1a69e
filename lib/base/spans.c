#include "base/spans.h"

#include <stdlib.h>

#include "base/alloc.h"

static void heap_push(struct spans *s, struct spans_open item)
{
	size_t i = s->nopen;

	s->open = grow(s->open, s->nopen, &s->open_cap, sizeof(*s->open));
	s->nopen++;
	while (i && s->open[(i - 1) / 2].id < item.id) {
		s->open[i] = s->open[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	s->open[i] = item;
}

static void heap_pop(struct spans *s)
{
	struct spans_open last = s->open[--s->nopen];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= s->nopen)
			break;
		if (child + 1 < s->nopen && s->open[child + 1].id > s->open[child].id)
			child++;
		if (s->open[child].id <= last.id)
			break;
		s->open[i] = s->open[child];
		i = child;
	}
	if (s->nopen)
		s->open[i] = last;
}

static void emit(struct spans *s, uint64_t start, uint32_t id)
{
	if (s->len && s->ids[s->len - 1] == id)
		return;
	s->starts = grow(s->starts, s->len, &s->starts_cap, sizeof(*s->starts));
	s->ids = grow(s->ids, s->len, &s->ids_cap, sizeof(*s->ids));
	s->starts[s->len] = start;
	s->ids[s->len++] = id;
}

/* Emits what lies between s->pos and `to`. */
static void advance(struct spans *s, uint64_t to)
{
	while (s->pos < to) {
		/* One that ended under a higher id is only found out when it comes up. */
		while (s->nopen && s->open[0].end <= s->pos)
			heap_pop(s);
		if (!s->nopen) {
			emit(s, s->pos, SPANS_NONE);
			s->pos = to;
		} else {
			emit(s, s->pos, s->open[0].id);
			s->pos = s->open[0].end < to ? s->open[0].end : to;
		}
	}
}

void spans_push(struct spans *s, uint64_t start, uint64_t end, uint32_t id)
{
	advance(s, start);
	heap_push(s, (struct spans_open){ end, id });
}

/*
 * About as many places as spans, at equal distances. Of each: the last span that begins
 * at it or below, and at the end the last of all.
 */
static void make_places(struct spans *s)
{
	uint64_t range = s->starts[s->len - 1] - s->starts[0];
	size_t at = 0;

	while (range >> s->shift >= s->len)
		s->shift++;
	s->nplaces = (size_t)(range >> s->shift) + 1;
	s->places = xreallocarray(NULL, s->nplaces + 1, sizeof(*s->places));
	for (size_t i = 0; i < s->nplaces; i++) {
		uint64_t begin = s->starts[0] + ((uint64_t)i << s->shift);

		while (at + 1 < s->len && s->starts[at + 1] <= begin)
			at++;
		s->places[i] = (uint32_t)at;
	}
	s->places[s->nplaces] = (uint32_t)s->len - 1;
}

void spans_seal(struct spans *s)
{
	advance(s, UINT64_MAX);
	emit(s, s->pos, SPANS_NONE);
	free(s->open);
	s->open = NULL;
	s->nopen = s->open_cap = 0;
	if (s->len < s->starts_cap) {
		s->starts = xreallocarray(s->starts, s->len, sizeof(*s->starts));
		s->ids = xreallocarray(s->ids, s->len, sizeof(*s->ids));
		s->starts_cap = s->ids_cap = s->len;
	}
	make_places(s);
}

bool spans_find(const struct spans *s, uint64_t addr, uint32_t *id)
{
	const uint64_t *base = s->starts;
	uint64_t place;
	size_t n;

	if (s->len == 0 || base[0] > addr)
		return false;
	place = (addr - base[0]) >> s->shift;
	if (place >= s->nplaces)
		place = s->nplaces - 1;
	base += s->places[place];
	n = s->places[place + 1] - s->places[place] + 1;
	/* The last start at or below addr, without branches that a random address mispredicts. */
	while (n > 1) {
		size_t half = n / 2;

		base = base[half] <= addr ? base + half : base;
		n -= half;
	}
	*id = s->ids[base - s->starts];
	return *id != SPANS_NONE;
}

size_t spans_bytes(const struct spans *s)
{
	return s->starts_cap * sizeof(*s->starts) + s->ids_cap * sizeof(*s->ids) +
	       s->nplaces * sizeof(*s->places) +
	       s->open_cap * sizeof(*s->open);
}

void spans_release(struct spans *s)
{
	free(s->starts);
	free(s->ids);
	free(s->places);
	free(s->open);
	*s = (struct spans){ 0 };
}
