#include "input.h"

#include <errno.h>
#include <unistd.h>

#include "base/number.h"
#include "base/stream.h"
#include "base/utf8.h"
#include "capture/capture.h"
#include "lines/folded.h"
#include "reading.h"

enum { SNIFF_MAX = 1 << 20 };

/* Stack lines and folded lines: a line is a sample. */
struct line_kind {
	/* Whether a line that is no comment shows the input to be of this kind. */
	bool (*recognizes)(struct slice line);
	/* As the functions of fold.h. */
	int (*fold)(struct fold *f, struct slice line, struct strbuf *err);
};

static bool is_stack_line(struct slice line)
{
	struct stackline sample;
	const char *why;

	return stackline_parse(line, &sample, &why) > 0;
}

static bool is_folded_line(struct slice line)
{
	const char *tab = memchr(line.p, '\t', line.len), *why;
	struct folded folded;
	uint64_t weight;

	/* a damaged stack line may end in a number, too */
	if (tab && number_u64((struct slice){ line.p, (size_t)(tab - line.p) }, &weight) == 0)
		return false;
	return folded_parse(line, &folded, &why) > 0;
}

static const struct line_kind kinds[] = {
	{ is_stack_line, fold_stack_line },
	{ is_folded_line, fold_folded_line },
};

static const struct line_kind *kind_of(struct slice line)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].recognizes(line))
			return &kinds[i];
	}
	return NULL;
}

/* Kinds whose samples are of several lines. */
static const struct {
	enum sniff (*sniff)(struct slice head, bool whole);
	int (*read)(struct reading *r);
} block_kinds[] = {
	{ perf_script_sniff, perf_script_read },
	{ bpftrace_sniff, bpftrace_read },
	{ bpftrace_json_sniff, bpftrace_json_read },
	{ dtrace_sniff, dtrace_read },
};

/* Lines of either kind, until one shows which. */
struct lines {
	struct reading *r;
	const struct line_kind *kind; /* NULL until a line shows it */
	struct strbuf pending;   /* lines "#init;f 3": stacks if the input is folded */
	bool capture;            /* the first line is that of a capture */
};

void reading_damage(struct reading *r, uint64_t line_number, const char *reason)
{
	damage_note(&r->damage, r->name, line_number, reason);
}

static void note_damage(struct reading *r, const char *reason)
{
	reading_damage(r, r->line_number, reason);
}

static const struct line_kind *const folded_kind = &kinds[1];
enum { PENDING_MAX = 1 << 20 };

/* 0, or what ends the run. */
static int fold_line(struct lines *l, struct slice line)
{
	struct strbuf reason = STRBUF_INIT;
	struct reading *r = l->r;
	int ret = l->kind->fold(r->fold, line, r->err);

	if (ret >= 0)
		return 0;
	if (ret == -EINVAL) {
		note_damage(r, strbuf_str(r->err));
		return 0;
	}
	strbuf_addstr(&reason, strbuf_str(r->err));
	strbuf_reset(r->err);
	damage_add_place(r->err, r->name, r->line_number, strbuf_str(&reason));
	strbuf_release(&reason);
	return ret;
}

/* The kind is known now: what was put off is folded, or was comments. */
static int settle(struct lines *l, const struct line_kind *kind)
{
	struct slice rest = strbuf_slice(&l->pending);
	int stop = 0;

	l->kind = kind;
	while (rest.len && kind == folded_kind && !stop) {
		size_t n = (size_t)((char *)memchr(rest.p, '\n', rest.len) - rest.p);

		stop = fold_line(l, (struct slice){ rest.p, n });
		rest.p += n + 1;
		rest.len -= n + 1;
	}
	strbuf_release(&l->pending);
	return stop;
}

static int read_comment(struct lines *l, struct slice line)
{
	struct stackline_event def;

	if (stackline_parse_event(line, &def)) {
		events_define(&l->r->fold->events, &def);
	} else if (is_folded_line(line)) {
		strbuf_addslice(&l->pending, line);
		strbuf_addch(&l->pending, '\n');
		if (l->pending.len > PENDING_MAX)
			return settle(l, folded_kind);
	}
	return 0;
}

/* A line of no kind may be a damaged one, so it does not decide. */
static void read_strange_line(struct lines *l, struct slice line)
{
	static const struct slice magic = SLICE("BPFCAP\r");

	if (l->r->line_number == 1 && line.len >= magic.len)
		l->capture = memcmp(line.p + line.len - magic.len, magic.p, magic.len) == 0;
	note_damage(l->r, "neither a stack line nor a folded line");
}

/* 0, or what ends the run. */
static int read_line(struct lines *l, struct slice line)
{
	const struct line_kind *kind;
	int stop;

	l->r->line_number++;
	if (l->kind)
		return fold_line(l, line);
	if (!line.len || line.p[0] == '\r')
		return 0;
	if (line.p[0] == '#')
		return read_comment(l, line);
	kind = kind_of(line);
	if (!kind) {
		read_strange_line(l, line);
		return 0;
	}
	stop = settle(l, kind);
	return stop ? stop : fold_line(l, line);
}

static int fail_at(const struct reading *r, int code, const char *reason)
{
	strbuf_reset(r->err);
	strbuf_addclean(r->err, slice_str(r->name));
	strbuf_addstr(r->err, ": ");
	strbuf_addstr(r->err, reason);
	return code;
}

int reading_error(struct reading *r, int error)
{
	return fail_at(r, error, strerror(-error));
}

int reading_convert_count(struct reading *r)
{
	if (r->fold->unit != UNIT_NS)
		return 0;
	return fail(r->err, -ENODATA, "--unit ns: nothing tells the time that a count stands for");
}

int reading_each_line(struct reading *r, int (*take)(void *ctx, struct slice line), void *ctx)
{
	struct slice line;
	int ret;

	while ((ret = input_line(r->in, &line)) > 0) {
		ret = take(ctx, line);
		if (ret < 0)
			return ret;
	}
	return ret < 0 ? reading_error(r, ret) : 0;
}

static int read_lines(struct reading *r)
{
	struct lines l = { .r = r };
	struct slice line;
	int ret, stop = 0;

	while ((ret = input_line(r->in, &line)) > 0) {
		stop = read_line(&l, line);
		if (stop)
			break;
	}
	if (!stop && l.pending.len)
		stop = settle(&l, folded_kind);
	strbuf_release(&l.pending);
	if (stop)
		return stop;
	if (ret < 0)
		return reading_error(r, ret);
	if (l.kind || !r->damage.lines)
		return 0;
	return fail_at(r, -EPROTO, l.capture ?
		"this is a capture: put stack-resolve before stack-fold" :
		"neither stack lines (as stack-resolve writes them), folded lines "
		"(frame;frame COUNT), nor the text of perf script, bpftrace or DTrace");
}

/* The block kind that the input's first meaningful line shows; -1 none, -2 more is needed. */
static int block_kind_of(struct slice head, bool whole)
{
	while (head.len) {
		const char *lf = memchr(head.p, '\n', head.len);
		size_t n = lf ? (size_t)(lf - head.p) : head.len;
		struct slice line = { head.p, n };

		if (!lf && !whole)
			return -2;
		if (n && line.p[0] != '#' && line.p[0] != '\r') {
			if (is_stack_line(line))
				return -1;
			for (size_t i = 0; i < sizeof(block_kinds) / sizeof(block_kinds[0]); i++) {
				enum sniff sniff = block_kinds[i].sniff(head, whole);

				if (sniff != SNIFF_NO)
					return sniff == SNIFF_YES ? (int)i : -2;
			}
			if (is_folded_line(line))
				return -1;
		}
		head.p += n + (lf != NULL);
		head.len -= n + (lf != NULL);
	}
	return whole ? -1 : -2;
}

static int sniff(struct input *in)
{
	size_t have = 0, want = 1;
	int kind;

	do {
		have = input_need(in, want);
		kind = block_kind_of((struct slice){ in->buf + in->pos, have },
				     have < want || have >= SNIFF_MAX);
		want = have + 1;
	} while (kind == -2);
	return kind;
}

int fold_input(struct fold *f, struct input *in, const char *name, struct damage *damage,
	       struct strbuf *err)
{
	struct reading r = { .fold = f, .in = in, .name = name, .err = err };
	int kind, ret;

	input_watch(in, STDOUT_FILENO);
	events_begin_file(&f->events);
	/* no part of the first name */
	input_skip_byte_order_mark(in);
	kind = sniff(in);
	ret = kind < 0 ? read_lines(&r) : block_kinds[kind].read(&r);
	if (ret != -EPROTO)
		damage_merge(damage, &r.damage);
	else
		damage_release(&r.damage);
	return ret;
}
