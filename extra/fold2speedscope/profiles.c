#include "profiles.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "lines/folded.h"

/* Stacks one after the other: their frames in `frames`, where each ends in `ends`. */
struct profile {
	uint32_t name;
	uint32_t *frames;
	size_t frames_len, frames_cap;
	size_t *ends;
	uint64_t *weights;
	size_t len, ends_cap, weights_cap;
	uint64_t sum;
};

static uint32_t name_of(struct profiles *p, struct slice name)
{
	if (!utf8_is_clean(name)) {
		strbuf_reset(&p->clean);
		strbuf_addclean(&p->clean, name);
		name = strbuf_slice(&p->clean);
	}
	return intern_add(&p->names, name);
}

static struct profile *profile_of(struct profiles *p, uint32_t root)
{
	bool added;
	uint64_t *place = map64_put(&p->by_root, root, &added);

	if (added) {
		*place = p->len;
		p->list = grow(p->list, p->len, &p->cap, sizeof(*p->list));
		p->list[p->len++] = (struct profile){ .name = root };
	}
	return &p->list[*place];
}

static void add_frame(struct profile *f, uint32_t name)
{
	f->frames = grow(f->frames, f->frames_len, &f->frames_cap, sizeof(*f->frames));
	f->frames[f->frames_len++] = name;
}

void profiles_add(struct profiles *p, struct slice stack, uint64_t weight)
{
	struct slice rest = stack, frame = { "", 0 };
	struct profile *f;
	uint32_t name;

	folded_next(&rest, &frame);
	name = name_of(p, frame);
	f = profile_of(p, name);
	add_frame(f, name);
	while (folded_next(&rest, &frame))
		add_frame(f, name_of(p, frame));
	f->ends = grow(f->ends, f->len, &f->ends_cap, sizeof(*f->ends));
	f->weights = grow(f->weights, f->len, &f->weights_cap, sizeof(*f->weights));
	f->ends[f->len] = f->frames_len;
	f->weights[f->len++] = weight;
	if (__builtin_add_overflow(f->sum, weight, &f->sum))
		f->sum = UINT64_MAX;
	if (f->sum > (uint64_t)1 << 53)
		p->inexact = true;
}

/* A JSON string; what is clean UTF-8 needs nothing but these two escaped. */
static void add_string(struct strbuf *sb, struct slice s)
{
	strbuf_addch(sb, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			strbuf_addch(sb, '\\');
		strbuf_addch(sb, s.p[i]);
	}
	strbuf_addch(sb, '"');
}

static void flush(struct strbuf *sb, struct output *out, size_t least)
{
	if (sb->len < least)
		return;
	output_slice(out, strbuf_slice(sb));
	strbuf_reset(sb);
}

enum { PIECE = 1 << 16 };

static void write_profile(const struct profiles *p, const struct profile *f, const char *unit,
			  struct strbuf *sb, struct output *out)
{
	size_t at = 0;

	strbuf_addstr(sb, "{\"type\":\"sampled\",\"name\":");
	add_string(sb, intern_get(&p->names, f->name));
	strbuf_addf(sb, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":", unit);
	strbuf_addu64(sb, f->sum);
	strbuf_addstr(sb, ",\"samples\":[");
	for (size_t i = 0; i < f->len; i++) {
		strbuf_addstr(sb, i ? ",[" : "[");
		for (bool first = true; at < f->ends[i]; at++, first = false) {
			if (!first)
				strbuf_addch(sb, ',');
			strbuf_addu64(sb, f->frames[at]);
		}
		strbuf_addch(sb, ']');
		flush(sb, out, PIECE);
	}
	strbuf_addstr(sb, "],\"weights\":[");
	for (size_t i = 0; i < f->len; i++) {
		if (i)
			strbuf_addch(sb, ',');
		strbuf_addu64(sb, f->weights[i]);
		flush(sb, out, PIECE);
	}
	strbuf_addstr(sb, "]}");
}

void profiles_write(const struct profiles *p, struct slice name, const char *unit,
		    struct output *out)
{
	struct strbuf sb = STRBUF_INIT, clean = STRBUF_INIT;

	strbuf_addclean(&clean, name);
	strbuf_addstr(&sb, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		      "\"exporter\":\"fold2speedscope@" VERSION "\",\"name\":");
	add_string(&sb, strbuf_slice(&clean));
	strbuf_addstr(&sb, ",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
	for (uint32_t id = 0; id < p->names.len; id++) {
		strbuf_addstr(&sb, id ? ",\n{\"name\":" : "\n{\"name\":");
		add_string(&sb, intern_get(&p->names, id));
		strbuf_addch(&sb, '}');
		flush(&sb, out, PIECE);
	}
	strbuf_addstr(&sb, "]},\n\"profiles\":[");
	for (size_t i = 0; i < p->len; i++) {
		strbuf_addstr(&sb, i ? ",\n" : "\n");
		write_profile(p, &p->list[i], unit, &sb, out);
	}
	strbuf_addstr(&sb, "]}\n");
	flush(&sb, out, 0);
	strbuf_release(&sb);
	strbuf_release(&clean);
}

void profiles_release(struct profiles *p)
{
	for (size_t i = 0; i < p->len; i++) {
		free(p->list[i].frames);
		free(p->list[i].ends);
		free(p->list[i].weights);
	}
	free(p->list);
	intern_release(&p->names);
	map64_release(&p->by_root);
	strbuf_release(&p->clean);
	*p = (struct profiles){ 0 };
}
