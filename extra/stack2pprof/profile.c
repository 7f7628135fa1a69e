#include "profile.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "sym/demangle.h"

enum { SEEN_MIN = 1 << 16 };

/* Fields' numbers in profile.proto. */
enum { SAMPLE_LOCATIONS = 1, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6 };
enum { LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILENAME = 4 };

void profile_init(struct profile *p)
{
	*p = (struct profile){ 0 };
	intern_add(&p->strings, SLICE(""));
	seen_init(&p->seen);
}

uint32_t profile_string(struct profile *p, struct slice s)
{
	struct strbuf clean = STRBUF_INIT;
	uint32_t id;

	if (utf8_is_clean(s))
		return intern_add(&p->strings, s);
	strbuf_addclean(&clean, s);
	id = intern_add(&p->strings, strbuf_slice(&clean));
	strbuf_release(&clean);
	return id;
}

/* Events may move: it comes before the place in p->events is taken. */
static uint32_t event_id(struct profile *p, struct slice name)
{
	size_t known = p->event_names.len;
	uint32_t id = intern_add(&p->event_names, name);

	if (id == known) {
		p->events = grow(p->events, id, &p->cap_events, sizeof(*p->events));
		p->events[id] = (struct profile_event){ 0 };
	}
	return id;
}

static struct profile_file *file_of(struct profile *p, struct slice path)
{
	size_t known = p->paths.len;
	uint32_t id = intern_add(&p->paths, path);

	if (id == known) {
		p->files = grow(p->files, id, &p->cap_files, sizeof(*p->files));
		p->files[id] = (struct profile_file){ 0 };
	}
	return &p->files[id];
}

/* Texts that were seen do not mean the same any more where a file became another one. */
static void define_file(struct profile *p, const struct stackline_file *def)
{
	struct profile_file *file = file_of(p, def->path);
	uint32_t build_id = profile_string(p, def->build_id);

	if (file->build_id == build_id)
		return;
	if (file->used) {
		seen_release(&p->seen);
		seen_init(&p->seen);
	}
	*file = (struct profile_file){ .build_id = build_id };
}

static void read_comment(struct profile *p, struct slice line)
{
	struct stackline_event event;
	struct stackline_file file;
	uint32_t id;

	if (stackline_parse_event(line, &event)) {
		id = event_id(p, event.name);
		p->events[id].unit = profile_string(p, event.unit);
		p->events[id].period_ns = event.period_ns;
	} else if (stackline_parse_file(line, &file)) {
		define_file(p, &file);
	}
}

/* The id; 0 for what has no module. */
static uint32_t mapping_id(struct profile *p, struct slice module)
{
	size_t known = p->mappings.len;
	struct profile_file *file;
	uint32_t place;

	if (!module.len)
		return 0;
	file = file_of(p, module);
	file->used = true;
	strbuf_reset(&p->message);
	protobuf_add_u64(&p->message, MAPPING_FILENAME, profile_string(p, module));
	protobuf_add_u64(&p->message, MAPPING_BUILD_ID, file->build_id);
	place = intern_add(&p->mappings, strbuf_slice(&p->message));
	if (place == known) {
		p->mapping_marks = grow(p->mapping_marks, place, &p->cap_marks,
					sizeof(*p->mapping_marks));
		p->mapping_marks[place] = (struct profile_mapping){ 0 };
	}
	return place + 1;
}

/* "[libfoo.so]", as folded lines have it; a module that is no file brings its brackets along. */
static void add_unknown(struct strbuf *name, struct slice module)
{
	module = slice_basename(module);
	if (!module.len) {
		strbuf_addstr(name, "[unknown]");
	} else if (module.p[0] == '[') {
		strbuf_addslice(name, module);
	} else {
		strbuf_addch(name, '[');
		strbuf_addslice(name, module);
		strbuf_addch(name, ']');
	}
}

/* Takes "FILE:LINE" apart; the number is 0 if there is none. */
static uint64_t split_source(struct slice *source)
{
	const char *colon = source->len ? memrchr(source->p, ':', source->len) : NULL;
	struct slice digits;
	uint64_t number;

	if (!colon)
		return 0;
	digits = (struct slice){ colon + 1, source->len - (size_t)(colon + 1 - source->p) };
	if (number_u64(digits, &number) < 0 || number > INT64_MAX)
		return 0;
	source->len -= digits.len + 1;
	return number;
}

/*
 * Whether a name was made by a demangler, so that the symbol's own is not known. Given as
 * that, too, go's pprof would take parameters and template arguments off it.
 */
static bool is_made_up(struct slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (memchr("<>[]", name.p[i], 4) ||
		    (name.p[i] == ':' && i + 1 < name.len && name.p[i + 1] == ':'))
			return true;
	}
	return false;
}

/* Appends a frame's Line to p->part. */
static void add_line(struct profile *p, const struct stackline_frame *f)
{
	struct slice file = f->source, raw = f->name;
	uint64_t number = split_source(&file);
	struct strbuf line = STRBUF_INIT;
	uint32_t function;

	strbuf_reset(&p->name);
	if (f->kind == STACKLINE_UNKNOWN || !f->name.len) {
		add_unknown(&p->name, f->module);
		raw = (struct slice){ "", 0 };
	} else if (f->kind == STACKLINE_USER || f->kind == STACKLINE_KERNEL) {
		demangle(&p->name, f->name);
	} else {
		strbuf_addslice(&p->name, f->name);
	}
	strbuf_reset(&p->message);
	protobuf_add_u64(&p->message, FUNCTION_NAME, profile_string(p, strbuf_slice(&p->name)));
	if (!is_made_up(raw))
		protobuf_add_u64(&p->message, FUNCTION_SYSTEM_NAME, profile_string(p, raw));
	protobuf_add_u64(&p->message, FUNCTION_FILENAME, profile_string(p, file));
	function = intern_add(&p->functions, strbuf_slice(&p->message)) + 1;

	protobuf_add_u64(&line, LINE_FUNCTION, function);
	protobuf_add_u64(&line, LINE_NUMBER, number);
	protobuf_add_bytes(&p->part, LOCATION_LINE, strbuf_slice(&line));
	strbuf_release(&line);
}

static uint64_t address_of(const struct stackline_frame *f)
{
	struct slice hex = f->name;
	uint64_t address = 0;

	if (f->kind != STACKLINE_UNKNOWN)
		return 0;
	for (size_t i = 2; i < hex.len && i < 18; i++)
		address = address << 4 | (uint64_t)(hex.p[i] <= '9' ? hex.p[i] - '0' :
						    (hex.p[i] | 32) - 'a' + 10);
	return address;
}

/* One address: a function, and those that were inlined into it, root first. */
static uint32_t location_id(struct profile *p, const struct stackline_frame *frames, size_t n)
{
	uint32_t mapping = mapping_id(p, frames[0].module);

	strbuf_reset(&p->part);
	protobuf_add_u64(&p->part, LOCATION_MAPPING, mapping);
	protobuf_add_u64(&p->part, LOCATION_ADDRESS, address_of(&frames[0]));
	for (size_t i = n; i-- > 0;) {
		add_line(p, &frames[i]);
		if (mapping) {
			p->mapping_marks[mapping - 1].has_sources |= frames[i].source.len != 0;
			p->mapping_marks[mapping - 1].has_inlined |= frames[i].inlined;
		}
	}
	return intern_add(&p->locations, strbuf_slice(&p->part)) + 1;
}

static void add_location(struct profile *p, const struct stackline_frame *frames, size_t n,
			 size_t *depth)
{
	p->stack = grow(p->stack, *depth, &p->cap_stack, sizeof(*p->stack));
	p->stack[(*depth)++] = location_id(p, frames, n);
}

/* The longest chain that is kept as one location. */
enum { CHAIN_MAX = 256 };

/* The locations of a row of frames go to p->stack; their number. */
static size_t read_frames(struct profile *p, struct slice frames)
{
	struct stackline_frame chain[CHAIN_MAX];
	size_t n = 0, depth = 0;
	struct slice text;

	while (stackline_next(&frames, &text)) {
		struct stackline_frame f;

		stackline_frame(text, &f);
		if (n && (!f.inlined || n == CHAIN_MAX ||
			  chain[0].kind == STACKLINE_REMARK ||
			  !slice_eq(f.module, chain[0].module))) {
			add_location(p, chain, n, &depth);
			n = 0;
		}
		chain[n++] = f;
	}
	if (n)
		add_location(p, chain, n, &depth);
	return depth;
}

static void add_label(struct profile *p, const char *key, struct slice value)
{
	if (!value.len || slice_eq(value, SLICE("-")))
		return;
	strbuf_reset(&p->message);
	protobuf_add_u64(&p->message, LABEL_KEY, profile_string(p, slice_str(key)));
	protobuf_add_u64(&p->message, LABEL_TEXT, profile_string(p, value));
	protobuf_add_bytes(&p->part, SAMPLE_LABEL, strbuf_slice(&p->message));
}

static uint32_t sample_of(struct profile *p, const struct stackline *line, uint32_t event)
{
	size_t depth = read_frames(p, line->frames), known = p->samples.len;
	uint32_t id;

	strbuf_reset(&p->ids);
	while (depth)
		protobuf_add_varint(&p->ids, p->stack[--depth]);
	strbuf_reset(&p->part);
	protobuf_add_bytes(&p->part, SAMPLE_LOCATIONS, strbuf_slice(&p->ids));
	add_label(p, "comm", line->comm);
	add_label(p, "pid", line->pid);
	add_label(p, "tid", line->tid);
	add_label(p, "event", line->event);
	id = intern_add(&p->samples, strbuf_slice(&p->part));
	if (id == known) {
		p->sums = grow(p->sums, id, &p->cap_sums, sizeof(*p->sums));
		p->sums[id] = (struct profile_sum){ .event = event };
	}
	return id;
}

static void add_sum(struct profile *p, uint64_t *sum, uint64_t value)
{
	if (*sum == INT64_MAX)
		return;
	if (__builtin_add_overflow(*sum, value, sum) || *sum > INT64_MAX) {
		*sum = INT64_MAX;
		p->saturated++;
	}
}

static void note_time(struct profile *p, struct slice time)
{
	uint64_t ns;

	if (number_u64(time, &ns) < 0) {
		p->has_untimed = true;
		return;
	}
	if (p->lines == 0 || ns < p->first_ns)
		p->first_ns = ns;
	if (ns > p->last_ns)
		p->last_ns = ns;
}

int profile_line(struct profile *p, struct slice line, const char **why)
{
	struct stackline sample;
	int r = stackline_parse(line, &sample, why);
	const struct profile_event *e;
	struct hash128 hash;
	uint32_t event, id;
	uint64_t ns;

	if (r < 0)
		return r;
	if (r == 0) {
		read_comment(p, line);
		return 0;
	}
	event = event_id(p, sample.event);
	p->events[event].used = true;
	/* what stands before it is no part of what a sample is, but for the event */
	hash = hash128_bytes(&p->seen.key, sample.pid.p, (size_t)
			     (sample.frames.p + sample.frames.len - sample.pid.p));
	hash.a += hash_u64(event + 1ull);
	if (!seen_find(&p->seen, hash, &id)) {
		id = sample_of(p, &sample, event);
		seen_put(&p->seen, hash, id,
			 p->samples.len > SEEN_MIN ? p->samples.len : SEEN_MIN);
	}
	note_time(p, sample.time);
	p->lines++;
	e = &p->events[event];
	add_sum(p, &p->sums[id].weight, sample.weight);
	if (e->period_ns) {
		if (__builtin_mul_overflow(sample.weight, e->period_ns, &ns))
			ns = UINT64_MAX;
		add_sum(p, &p->sums[id].ns, ns);
	}
	return 1;
}

void profile_release(struct profile *p)
{
	struct intern *tables[] = { &p->strings, &p->functions, &p->locations, &p->mappings,
				    &p->samples, &p->event_names, &p->paths };
	struct strbuf *scratch[] = { &p->message, &p->part, &p->name, &p->ids };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		intern_release(tables[i]);
	for (size_t i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++)
		strbuf_release(scratch[i]);
	free(p->sums);
	free(p->mapping_marks);
	free(p->events);
	free(p->files);
	free(p->stack);
	seen_release(&p->seen);
}
