#include "profile.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/protobuf.h"

enum { SEEN_MIN = 1 << 16 }; /* more, if there are more samples */

/* Fields' numbers in profile.proto. */
enum { SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3, LABEL_UNIT = 4 };

void profile_init(struct profile *p)
{
	*p = (struct profile){ 0 };
	symbols_init(&p->symbols);
	seen_init(&p->seen_samples);
	seen_init(&p->seen_stacks);
	seen_init(&p->seen_labels);
}

void profile_release(struct profile *p)
{
	symbols_release(&p->symbols);
	intern_release(&p->stacks);
	intern_release(&p->labels);
	intern_release(&p->samples);
	intern_release(&p->event_names);
	seen_release(&p->seen_samples);
	seen_release(&p->seen_stacks);
	seen_release(&p->seen_labels);
	strbuf_release(&p->message);
	strbuf_release(&p->part);
	free(p->sums);
	free(p->events);
}

/* ---- comments */

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

static void note_start(struct profile_times *t, const struct stackline_start *start)
{
	t->to_real = start->real_ns - start->mono_ns;
	if (!t->has_clock || start->real_ns < t->real_ns)
		t->real_ns = start->real_ns;
	t->has_clock = true;
}

static void read_comment(struct profile *p, struct slice line)
{
	struct stackline_event event;
	struct stackline_start start;
	struct stackline_file file;
	uint32_t id;

	if (stackline_parse_event(line, &event)) {
		id = event_id(p, event.name);
		p->events[id].unit = symbols_string(&p->symbols, event.unit);
		p->events[id].period_ns = event.period_ns;
	} else if (stackline_parse_file(line, &file)) {
		symbols_define_file(&p->symbols, &file);
	} else if (stackline_parse_start(line, &start)) {
		note_start(&p->times, &start);
	}
}

/* ---- samples */

/* The message in p->message is complete but for its key. */
static void add_label(struct profile *p, const char *key)
{
	protobuf_add_u64(&p->message, LABEL_KEY, symbols_string(&p->symbols, slice_str(key)));
	protobuf_add_bytes(&p->part, SAMPLE_LABEL, strbuf_slice(&p->message));
	strbuf_reset(&p->message);
}

static bool is_known(struct slice value)
{
	return value.len && !slice_eq(value, SLICE("-"));
}

static void add_text_label(struct profile *p, const char *key, struct slice value)
{
	if (!is_known(value))
		return;
	protobuf_add_u64(&p->message, LABEL_TEXT, symbols_string(&p->symbols, value));
	add_label(p, key);
}

/* As a number where it is one that the format can hold. */
static void add_number_label(struct profile *p, const char *key, struct slice value)
{
	uint64_t number;

	if (!is_known(value))
		return;
	if (number_u64(value, &number) < 0 || number > INT64_MAX) {
		add_text_label(p, key, value);
		return;
	}
	protobuf_add_u64(&p->message, LABEL_NUMBER, number);
	/* readers take a 0 without a unit for no label; this unit they assume of all others */
	if (!number)
		protobuf_add_u64(&p->message, LABEL_UNIT,
				 symbols_string(&p->symbols, slice_str(key)));
	add_label(p, key);
}

static uint32_t labels_of(struct profile *p, const struct stackline *line, struct hash128 hash)
{
	uint32_t id;

	if (seen_find(&p->seen_labels, hash, &id))
		return id;
	strbuf_reset(&p->part);
	add_text_label(p, "comm", line->comm);
	add_number_label(p, "pid", line->pid);
	add_number_label(p, "tid", line->tid);
	add_text_label(p, "event", line->event);
	id = intern_add(&p->labels, strbuf_slice(&p->part));
	seen_put(&p->seen_labels, hash, id, SEEN_MIN);
	return id;
}

static uint32_t stack_of(struct profile *p, const struct stackline *line, struct hash128 hash)
{
	uint32_t id;

	if (seen_find(&p->seen_stacks, hash, &id))
		return id;
	symbols_stack(&p->symbols, line->frames, &p->part);
	id = intern_add(&p->stacks, strbuf_slice(&p->part));
	seen_put(&p->seen_stacks, hash, id, SEEN_MIN);
	return id;
}

static uint32_t sample_of(struct profile *p, const struct stackline *line, uint32_t event)
{
	const struct hash_key *key = &p->seen_samples.key;
	const char *comm_end = line->comm.p + line->comm.len;
	struct hash128 labels = hash128_bytes(key, line->pid.p, (size_t)(comm_end - line->pid.p));
	struct hash128 stack = hash128_bytes(key, line->frames.p, line->frames.len), both;
	struct profile_sample s;
	size_t known = p->samples.len;
	uint32_t id;

	labels.a += hash_u64(event + 1ull);
	stack.a += p->symbols.builds;
	both = (struct hash128){ hash_u64(labels.a) + stack.a, hash_u64(labels.b) + stack.b };
	if (seen_find(&p->seen_samples, both, &id))
		return id;
	s = (struct profile_sample){ stack_of(p, line, stack), labels_of(p, line, labels), event };
	id = intern_add(&p->samples, (struct slice){ (const char *)&s, sizeof(s) });
	if (id == known) {
		p->sums = grow(p->sums, id, &p->cap_sums, sizeof(*p->sums));
		p->sums[id] = (struct profile_sum){ 0 };
	}
	seen_put(&p->seen_samples, both, id, known > SEEN_MIN ? known : SEEN_MIN);
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

static void note_time(struct profile_times *t, struct slice time)
{
	uint64_t ns;

	if (number_u64(time, &ns) < 0) {
		t->has_untimed = true;
		return;
	}
	ns += t->to_real;
	if (!t->has_timed || ns < t->first_ns)
		t->first_ns = ns;
	if (!t->has_timed || ns > t->last_ns)
		t->last_ns = ns;
	t->has_timed = true;
}

int profile_line(struct profile *p, struct slice line, const char **why)
{
	struct stackline sample;
	int r = stackline_parse(line, &sample, why);
	const struct profile_event *e;
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
	id = sample_of(p, &sample, event);
	note_time(&p->times, sample.time);
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
