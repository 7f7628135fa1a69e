#include "style.h"

#include <errno.h>

#include "base/utf8.h"
#include "lines/folded.h"

static const struct {
	struct slice name;
	const char *prefix; /* tells numbers apart in a picture and in a search */
} fields[FIELDS] = {
	[FIELD_COMM] = { SLICE("comm"), "" },
	[FIELD_PID] = { SLICE("pid"), "pid " },
	[FIELD_TID] = { SLICE("tid"), "tid " },
	[FIELD_CPU] = { SLICE("cpu"), "cpu " },
	[FIELD_EVENT] = { SLICE("event"), "" },
};

static int field_by_name(struct slice name)
{
	for (int i = 0; i < FIELDS; i++) {
		if (slice_eq(fields[i].name, name))
			return i;
	}
	return -1;
}

int style_set_by(struct style *st, struct slice list, struct strbuf *err)
{
	unsigned seen = 0;
	bool more = true;

	st->nby = 0;
	if (slice_eq(list, SLICE("none")))
		return 0;
	while (more) {
		const char *comma = list.len ? memchr(list.p, ',', list.len) : NULL;
		struct slice name = { list.p, comma ? (size_t)(comma - list.p) : list.len };
		int field = field_by_name(name);

		if (field < 0)
			return fail(err, -EINVAL, "not a list of comm, pid, tid, cpu, event, "
				    "and not \"none\"");
		if (seen & 1u << field)
			return fail(err, -EINVAL, "%s is named twice", fields[field].name.p);
		seen |= 1u << field;
		st->by[st->nby++] = (enum style_field)field;
		more = comma != NULL;
		list.p += name.len + more;
		list.len -= name.len + more;
	}
	return 0;
}

struct slice style_field(const struct stackline *line, enum style_field field)
{
	switch (field) {
	case FIELD_PID:
		return line->pid;
	case FIELD_TID:
		return line->tid;
	case FIELD_CPU:
		return line->cpu;
	case FIELD_EVENT:
		return line->event;
	default:
		return line->comm;
	}
}

static struct slice basename_of(struct slice path)
{
	const char *slash = path.len ? memrchr(path.p, '/', path.len) : NULL;

	if (!slash)
		return path;
	return (struct slice){ slash + 1, path.len - (size_t)(slash + 1 - path.p) };
}

/* "[libfoo.so]"; a module that is no file brings its brackets along. */
static void add_unknown(struct strbuf *text, struct slice module)
{
	if (!module.len) {
		strbuf_addstr(text, "[unknown]");
	} else if (module.p[0] == '[') {
		folded_add_frame(text, module);
	} else {
		strbuf_addch(text, '[');
		folded_add_frame(text, module);
		strbuf_addch(text, ']');
	}
}

static void add_frame(const struct style *st, const struct stackline_frame *f,
		      struct strbuf *text)
{
	struct slice module = basename_of(f->module);
	bool unknown = f->kind == STACKLINE_UNKNOWN || !f->name.len;
	struct slice offset = f->kind == STACKLINE_UNKNOWN ? f->name : f->offset;

	if (unknown) {
		add_unknown(text, module);
	} else {
		if (st->modules && module.len) {
			folded_add_frame(text, module);
			strbuf_addch(text, '`');
		}
		folded_add_frame(text, f->name);
	}
	if (st->offsets && offset.len) {
		strbuf_addch(text, '+');
		strbuf_addslice(text, offset);
	}
	if (!st->annotate)
		return;
	if (f->inlined)
		strbuf_addstr(text, "_[i]");
	else if (f->in_kernel)
		strbuf_addstr(text, "_[k]");
	else if (f->kind == STACKLINE_JIT)
		strbuf_addstr(text, "_[j]");
}

/* A remark is about the walk of the stack whose frames follow it. */
static bool remark_in_kernel(struct slice following)
{
	struct stackline_frame next;
	struct slice text;

	if (!stackline_next(&following, &text))
		return false;
	stackline_frame(text, &next);
	return next.in_kernel;
}

/* True if a frame was added. */
static bool add_frames(const struct style *st, struct slice frames, struct strbuf *text)
{
	struct stackline_frame f;
	struct slice frame;
	bool added = false;
	/* a row of a remark alone, "[lost: …]", is of either kind */
	bool alone = !frames.len || !memchr(frames.p, '\t', frames.len);

	while (stackline_next(&frames, &frame)) {
		stackline_frame(frame, &f);
		if (st->only != ONLY_ANY && !(alone && f.kind == STACKLINE_REMARK)) {
			bool in_kernel = f.kind == STACKLINE_REMARK ?
				remark_in_kernel(frames) : f.in_kernel;

			if (in_kernel != (st->only == ONLY_KERNEL))
				continue;
		}
		if (text->len)
			strbuf_addch(text, ';');
		add_frame(st, &f, text);
		added = true;
	}
	return added;
}

/* "# a;b 3" and "# 3" would be comments. */
static void hide_comment(struct strbuf *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	const size_t n = sizeof(replacement) - 1;

	if (text->buf[0] != '#' || (text->len > 1 && text->buf[1] != ' '))
		return;
	strbuf_reserve(text, n);
	memmove(text->buf + n, text->buf + 1, text->len);
	memcpy(text->buf, replacement, n);
	text->len += n - 1;
}

bool style_fold(const struct style *st, const struct stackline *line, struct strbuf *text)
{
	strbuf_reset(text);
	for (int i = 0; i < st->nby; i++) {
		struct slice value = style_field(line, st->by[i]);

		if (i)
			strbuf_addch(text, ';');
		strbuf_addstr(text, fields[st->by[i]].prefix);
		folded_add_frame(text, value.len ? value : SLICE("-"));
	}
	if (!add_frames(st, line->frames, text) && st->only != ONLY_ANY)
		return false;
	if (!text->len)
		strbuf_addstr(text, "[unknown]");
	hide_comment(text);
	return true;
}
