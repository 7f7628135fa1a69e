#include "replay.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "capture/capture_reader.h"

/* Called while a sample is made, which is not written yet. */
static void write_file_build(void *ctx, struct slice build_id, struct slice path)
{
	struct replay *r = ctx;

	strbuf_reset(&r->head);
	r->form->file(&r->head, build_id, path);
	output_slice(r->out, strbuf_slice(&r->head));
}

void replay_init(struct replay *r, struct resolver *resolver, const struct form *form,
		 struct output *out)
{
	*r = (struct replay){ .resolver = resolver, .form = form, .out = out };
	resolver_tell_builds(resolver, form->file ? write_file_build : NULL, r);
}

/* The input has a fault: told, unless there are too many, and counted. */
static void complain(struct replay *r, const char *text)
{
	if (r->complaints++ < REPLAY_COMPLAINTS)
		warnx("%s: %s", r->name, text);
}

static void complain_at(struct replay *r, uint64_t offset, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "byte %" PRIu64 ": %s", offset, text);
	complain(r, strbuf_str(&sb));
	strbuf_release(&sb);
}

/* ---- lines */

static struct slice event_name(const struct replay *r, uint32_t name)
{
	return name ? intern_get(&r->names, name - 1) : SLICE("unknown");
}

/* False, with the text unfinished, where a JIT symbol may yet come. */
static bool add_stack(struct replay *r, struct resolver_image *image, const struct stack *s,
		      bool last)
{
	const struct form *form = r->form;
	bool cut = s->end != CAPTURE_END_COMPLETE, pending = false;

	if (cut && !form->leaf_first)
		form->remark(&r->line, "truncated", capture_end_text(s->end));
	for (unsigned n = 0; n < s->n; n++) {
		unsigned i = form->leaf_first ? n : s->n - 1 - n;
		bool exact = stack_exact(s, i);
		struct slice text;

		/* thousands of frames with names of 64 KB: nothing that a program has */
		if (r->line.len > REPLAY_LINE_MAX) {
			form->remark(&r->line, "truncated", "line too long");
			return true;
		}
		text = s->kind == CAPTURE_STACK_KERNEL
			? resolver_kernel(r->resolver, s->words[i], exact)
			: resolver_user(r->resolver, image, s->words[i], exact, last, &pending);
		if (pending)
			return false;
		form->frame(&r->line, s->words[i], text);
	}
	if (cut && form->leaf_first)
		form->remark(&r->line, "truncated", capture_end_text(s->end));
	return true;
}

static bool add_user(struct replay *r, const struct waiting *w, struct resolver_image *image,
		     bool last)
{
	if (w->umissing)
		r->form->remark(&r->line, "truncated", "user stack missing");
	return !w->ustack || add_stack(r, image, w->ustack, last);
}

static void add_kernel(struct replay *r, const struct waiting *w)
{
	if (w->kmissing)
		r->form->remark(&r->line, "truncated", "kernel stack missing");
	if (w->kstack)
		add_stack(r, NULL, w->kstack, true);
}

static bool add_stacks(struct replay *r, const struct waiting *w, struct resolver_image *image,
		       bool last)
{
	if (!r->form->leaf_first) {
		if (!add_user(r, w, image, last))
			return false;
		add_kernel(r, w);
		return true;
	}
	add_kernel(r, w);
	return add_user(r, w, image, last);
}

/* ---- times, for forms that need one */

/*
 * Samples without a time get one as if their thread's followed each other without pause,
 * beginning where the capture did. In a capture of samples with times it is that of the
 * last one: a reader shows the span from the first to the last.
 */
static uint64_t *thread_clock(struct replay *r, const struct stackline_head *head)
{
	uint64_t key = head->has_pid ? (uint64_t)head->pid << 32 | head->tid : 0;
	uint64_t *clock = map64_get(&r->clocks, key);

	if (!clock)
		clock = map64_put(&r->clocks, r->clocks.len < REPLAY_CLOCKS_MAX ? key : 0, NULL);
	if (*clock < r->now)
		*clock = r->now;
	return clock;
}

/* ---- output */

static void write_text(struct replay *r)
{
	output_slice(r->out, strbuf_slice(&r->line));
}

/* The line holds the frames; the head is put before them, and the time set. */
static void write_timed(struct replay *r, struct stackline_head *head, uint32_t event)
{
	struct replay_event about = { .step_ns = REPLAY_STEP_NS };
	uint64_t left = head->weight, ns, *clock = head->has_time ? NULL : thread_clock(r, head);

	if (event)
		about = r->about[event - 1];
	if (!clock && head->time_ns > r->now)
		r->now = head->time_ns;
	for (unsigned n = 1; left; n++, left -= head->weight) {
		/* a weight in ns says how long, not how often */
		head->weight = r->each && about.counts && n < REPLAY_EACH_MAX ? 1 : left;
		if (clock) {
			head->time_ns = *clock;
			if (__builtin_mul_overflow(head->weight, about.step_ns, &ns) ||
			    __builtin_add_overflow(*clock, ns, clock))
				*clock = UINT64_MAX;
		}
		strbuf_reset(&r->head);
		r->form->begin(&r->head, head);
		output_slice(r->out, strbuf_slice(&r->head));
		write_text(r);
		r->lines++;
	}
}

/* What begins a sample: it is not yet written where that takes a time. */
static void begin(struct replay *r, const struct stackline_head *head)
{
	strbuf_reset(&r->line);
	if (!r->form->needs_time)
		r->form->begin(&r->line, head);
}

static void end(struct replay *r, struct stackline_head *head, uint32_t event)
{
	r->form->end(&r->line);
	if (r->form->needs_time) {
		write_timed(r, head, event);
		return;
	}
	write_text(r);
	r->lines++;
}

static bool write_line(struct replay *r, const struct waiting *w, bool last)
{
	struct resolver_image *image = w->image ? resolver_image(r->resolver, w->image) : NULL;
	struct stackline_head head = {
		.weight = w->weight,
		.event = event_name(r, w->event),
		.comm = { w->comm, w->comm_len },
		.has_time = w->flags & CAPTURE_SAMPLE_TIME,
		.has_pid = image != NULL,
		.time_ns = w->time_ns,
		.cpu = w->cpu,
		.pid = image ? resolver_image_pid(image) : 0,
		.tid = w->tid,
	};

	begin(r, &head);
	if (!add_stacks(r, w, image, last))
		return false;
	end(r, &head, w->event);
	return true;
}

/* ---- samples that wait */

static void write_held(struct replay *r, struct waiting *w)
{
	write_line(r, w, true);
	stack_unref(w->kstack);
	stack_unref(w->ustack);
	r->waited++;
}

static void write_held_image(struct replay *r, uint32_t image)
{
	struct waiting w;

	while (held_take_image(&r->held, image, &w))
		write_held(r, &w);
}

static void write_all_held(struct replay *r)
{
	struct waiting w;

	/* image by image, so that each perf map on disk is read once */
	while (r->held.first) {
		if (!held_take(&r->held, &w))
			break;
		write_held(r, &w);
		write_held_image(r, w.image);
	}
}

/* ---- records */

static void take_event(struct replay *r, const struct capture_record *rec)
{
	const struct capture_event *e = &rec->event;
	struct stackline_event comment = {
		e->name, slice_str(capture_unit_text(e->unit)), e->period_ns
	};
	uint32_t name;

	if (r->names.len >= REPLAY_EVENTS_MAX) {
		complain_at(r, rec->offset, "too many events");
		return;
	}
	/* names are short; one that is not is still told apart by its beginning */
	if (comment.name.len > 256)
		comment.name.len = 256;
	name = intern_add(&r->names, comment.name);
	*map64_put(&r->events, e->id, NULL) = name + 1u;
	r->about = grow(r->about, name, &r->about_cap, sizeof(*r->about));
	r->about[name] = (struct replay_event){
		.step_ns = e->unit == CAPTURE_UNIT_NS ? 1 :
			e->period_ns ? e->period_ns : REPLAY_STEP_NS,
		.counts = e->unit == CAPTURE_UNIT_SAMPLES,
	};
	if (!r->form->event)
		return;
	strbuf_reset(&r->line);
	r->form->event(&r->line, &comment);
	write_text(r);
}

static void begin_capture(struct replay *r, const struct capture_header *h)
{
	resolver_begin(r->resolver, h);
	map64_release(&r->clocks);
	r->now = h->mono_ns;
	if (!r->form->capture)
		return;
	strbuf_reset(&r->line);
	r->form->capture(&r->line, h);
	write_text(r);
}

static void forget_stack(struct replay *r, uint64_t *slot)
{
	struct stack *s = (struct stack *)(uintptr_t)*slot;

	if (s)
		r->stacks_bytes -= stack_bytes(s);
	stack_unref(s);
	*slot = 0;
}

static void take_stack(struct replay *r, const struct capture_record *rec)
{
	uint64_t *slot = map64_get(&r->stacks, rec->stack.id);
	struct stack *s = stack_new(&rec->stack);

	if (slot)
		forget_stack(r, slot);
	if (stack_bytes(s) > REPLAY_STACKS_MAX - r->stacks_bytes) {
		complain_at(r, rec->offset, "too many stacks");
		stack_unref(s);
		return;
	}
	r->stacks_bytes += stack_bytes(s);
	*map64_put(&r->stacks, rec->stack.id, NULL) = (uintptr_t)s;
}

/* The stack of that id and kind, NULL without one; one that should be there is missing. */
static struct stack *find_stack(struct replay *r, uint64_t offset, uint32_t id, unsigned kind,
				bool *missing)
{
	const uint64_t *slot = id ? map64_get(&r->stacks, id) : NULL;
	struct stack *s = slot ? (struct stack *)(uintptr_t)*slot : NULL;

	if (s && s->kind != kind)
		s = NULL;
	*missing = id && !s;
	if (*missing)
		complain_at(r, offset, kind == CAPTURE_STACK_USER
			? "sample of a user stack that is not defined"
			: "sample of a kernel stack that is not defined");
	return s;
}

static uint32_t find_event(struct replay *r, uint64_t offset, uint32_t id)
{
	const uint64_t *name = map64_get(&r->events, id);

	if (!name)
		complain_at(r, offset, "sample of an event that is not defined");
	return name ? (uint32_t)*name : 0;
}

static void take_sample(struct replay *r, const struct capture_record *rec)
{
	const struct capture_sample *s = &rec->sample;
	struct waiting w = {
		.flags = s->flags,
		.event = find_event(r, rec->offset, s->event),
		.image = s->image,
		.tid = s->tid,
		.cpu = s->cpu,
		.weight = s->weight,
		.time_ns = s->time_ns,
		.comm_len = (uint8_t)s->comm.len,
	};

	memcpy(w.comm, s->comm.p, s->comm.len);
	w.ustack = find_stack(r, rec->offset, s->ustack, CAPTURE_STACK_USER, &w.umissing);
	w.kstack = find_stack(r, rec->offset, s->kstack, CAPTURE_STACK_KERNEL, &w.kmissing);
	if (s->image && !resolver_image(r->resolver, s->image))
		complain_at(r, rec->offset, "sample of a process that is not defined");
	r->samples++;
	if (write_line(r, &w, false))
		return;
	held_add(&r->held, &w);
	while (held_full(&r->held) && held_take(&r->held, &w))
		write_held(r, &w);
}

static void take_lost(struct replay *r, const struct capture_record *rec)
{
	const struct capture_lost *lost = &rec->lost;
	const uint64_t *name = map64_get(&r->events, lost->event);
	struct stackline_head head = {
		.weight = lost->weight,
		.event = event_name(r, name ? (uint32_t)*name : 0),
		.comm = SLICE("[lost]"),
	};

	if (!lost->weight) {
		r->lost_events[lost->cause < REPLAY_LOST_CAUSES ? lost->cause : 0] += lost->count;
		return;
	}
	begin(r, &head);
	r->form->remark(&r->line, "lost", capture_lost_text(lost->cause));
	end(r, &head, name ? (uint32_t)*name : 0);
}

/* A capture is over: what waited is written, and all ids are void. */
static void finish_capture(struct replay *r)
{
	struct map64_slot *slot;
	size_t pos = 0;

	write_all_held(r);
	while ((slot = map64_next(&r->stacks, &pos)))
		forget_stack(r, &slot->value);
	map64_release(&r->stacks);
	map64_release(&r->events);
	for (unsigned i = 0; i < REPLAY_LOST_CAUSES; i++) {
		if (r->lost_events[i] && !r->quiet)
			warnx("%s: lost while sampling: %" PRIu64 " × %s", r->name,
			      r->lost_events[i], capture_lost_text(i));
		r->lost_events[i] = 0;
	}
	resolver_begin(r->resolver, NULL);
}

static void take_record(struct replay *r, const struct capture_record *rec)
{
	struct strbuf *err = &r->err;
	int ret = 0;

	switch (rec->type) {
	case CAPTURE_HEADER:
		finish_capture(r);
		begin_capture(r, &rec->header);
		break;
	case CAPTURE_EVENT:
		take_event(r, rec);
		break;
	case CAPTURE_PROC:
		write_held_image(r, rec->proc.image);
		ret = resolver_proc(r->resolver, &rec->proc, err);
		break;
	case CAPTURE_EXIT:
		write_held_image(r, rec->exit.image);
		resolver_exit(r->resolver, rec->exit.image);
		break;
	case CAPTURE_FILE:
		ret = resolver_file(r->resolver, &rec->file, err);
		break;
	case CAPTURE_MAP:
		ret = resolver_map(r->resolver, &rec->map, err);
		break;
	case CAPTURE_KSYM:
		ret = resolver_ksym(r->resolver, &rec->ksym, err);
		break;
	case CAPTURE_SYM:
		ret = resolver_sym(r->resolver, &rec->sym, err);
		break;
	case CAPTURE_STACK:
		take_stack(r, rec);
		break;
	case CAPTURE_SAMPLE:
		take_sample(r, rec);
		break;
	case CAPTURE_LOST:
		take_lost(r, rec);
		break;
	case CAPTURE_END:
		write_all_held(r);
		break;
	}
	if (ret < 0)
		complain_at(r, rec->offset, strbuf_str(err));
}

int replay_input(struct replay *r, struct input *in, const char *name)
{
	struct capture_reader reader;
	struct capture_record rec;
	struct strbuf err = STRBUF_INIT;
	int ret, status = 0;

	r->name = name;
	r->complaints = 0;
	capture_reader_init(&reader, in);
	for (;;) {
		ret = capture_reader_next(&reader, &rec, &err);
		if (ret == 1)
			take_record(r, &rec);
		else if (ret == -EBADMSG)
			complain(r, strbuf_str(&err));
		else
			break;
		if (r->out->error)
			break;
	}
	finish_capture(r);
	if (r->complaints > REPLAY_COMPLAINTS)
		warnx("%s: %" PRIu64 " more faults", name, r->complaints - REPLAY_COMPLAINTS);
	if (ret < 0 && ret != -EBADMSG)
		warnx("%s: %s", name, strbuf_str(&err));
	if (ret < 0 || r->complaints)
		status = 3;
	if ((ret < 0 && !reader.started) || in->error)
		status = 1;
	capture_reader_release(&reader);
	strbuf_release(&err);
	return r->out->error ? 0 : status;
}

void replay_release(struct replay *r)
{
	struct map64_slot *slot;
	size_t pos = 0;

	while ((slot = map64_next(&r->stacks, &pos)))
		forget_stack(r, &slot->value);
	map64_release(&r->stacks);
	map64_release(&r->events);
	held_release(&r->held);
	map64_release(&r->clocks);
	intern_release(&r->names);
	free(r->about);
	strbuf_release(&r->line);
	strbuf_release(&r->head);
	strbuf_release(&r->err);
}
