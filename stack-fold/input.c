#include "input.h"

#include <errno.h>
#include <unistd.h>

#include "base/number.h"
#include "base/stream.h"
#include "base/utf8.h"
#include "capture/capture.h"
#include "lines/folded.h"

struct kind {
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

static const struct kind kinds[] = {
	{ is_stack_line, fold_stack_line },
	{ is_folded_line, fold_folded_line },
};

static const struct kind *kind_of(struct slice line)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].recognizes(line))
			return &kinds[i];
	}
	return NULL;
}

struct reading {
	struct fold *fold;
	const char *name;
	struct strbuf *err;
	const struct kind *kind; /* NULL until a line shows it */
	uint64_t line_number;
	struct damage damage;    /* of this input */
	struct strbuf pending;   /* lines "#init;f 3": stacks if the input is folded */
	bool capture;            /* the first line is that of a capture */
};

/* Replaces *sb by "FILE:LINE: reason". */
static void locate(const struct reading *r, struct slice reason, struct strbuf *sb)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addclean(&text, slice_str(r->name));
	strbuf_addch(&text, ':');
	strbuf_addu64(&text, r->line_number);
	strbuf_addstr(&text, ": ");
	strbuf_addslice(&text, reason);
	strbuf_release(sb);
	*sb = text;
}

static void note_damage(struct reading *r, struct slice reason)
{
	if (r->damage.lines++ == 0)
		locate(r, reason, &r->damage.first);
}

static const struct kind *const folded_kind = &kinds[1];
enum { PENDING_MAX = 1 << 20 };

/* 0, or what ends the run. */
static int fold_line(struct reading *r, struct slice line)
{
	int ret = r->kind->fold(r->fold, line, r->err);

	if (ret >= 0)
		return 0;
	if (ret == -EINVAL) {
		note_damage(r, strbuf_slice(r->err));
		return 0;
	}
	locate(r, strbuf_slice(r->err), r->err);
	return ret;
}

/* The kind is known now: what was put off is folded, or was comments. */
static int settle(struct reading *r, const struct kind *kind)
{
	struct slice rest = strbuf_slice(&r->pending);
	int stop = 0;

	r->kind = kind;
	while (rest.len && kind == folded_kind && !stop) {
		size_t n = (size_t)((char *)memchr(rest.p, '\n', rest.len) - rest.p);

		stop = fold_line(r, (struct slice){ rest.p, n });
		rest.p += n + 1;
		rest.len -= n + 1;
	}
	strbuf_release(&r->pending);
	return stop;
}

static int read_comment(struct reading *r, struct slice line)
{
	struct stackline_event def;

	if (stackline_parse_event(line, &def)) {
		events_define(&r->fold->events, &def);
	} else if (is_folded_line(line)) {
		strbuf_addslice(&r->pending, line);
		strbuf_addch(&r->pending, '\n');
		if (r->pending.len > PENDING_MAX)
			return settle(r, folded_kind);
	}
	return 0;
}

/* A line of no kind may be a damaged one, so it does not decide. */
static void read_strange_line(struct reading *r, struct slice line)
{
	static const struct slice magic = SLICE("BPFCAP\r");

	if (r->line_number == 1 && line.len >= magic.len)
		r->capture = memcmp(line.p + line.len - magic.len, magic.p, magic.len) == 0;
	note_damage(r, SLICE("neither a stack line nor a folded line"));
}

/* 0, or what ends the run. */
static int read_line(struct reading *r, struct slice line)
{
	const struct kind *kind;
	int stop;

	r->line_number++;
	if (r->kind)
		return fold_line(r, line);
	if (!line.len || line.p[0] == '\r')
		return 0;
	if (line.p[0] == '#')
		return read_comment(r, line);
	kind = kind_of(line);
	if (!kind) {
		read_strange_line(r, line);
		return 0;
	}
	stop = settle(r, kind);
	return stop ? stop : fold_line(r, line);
}

static int fail_at(const struct reading *r, int code, const char *reason)
{
	strbuf_reset(r->err);
	strbuf_addclean(r->err, slice_str(r->name));
	strbuf_addstr(r->err, ": ");
	strbuf_addstr(r->err, reason);
	return code;
}

/* Adds an input's damage to that of all; it takes what `one` owns. */
static void damage_add(struct damage *all, struct damage *one)
{
	if (!all->lines) {
		strbuf_release(&all->first);
		all->first = one->first;
	} else {
		strbuf_release(&one->first);
	}
	all->lines += one->lines;
}

/* The end of an input that none of the lines stopped; ret is that of the last read. */
static int finish(struct reading *r, int ret)
{
	if (ret < 0)
		return fail_at(r, ret, strerror(-ret));
	if (r->kind || !r->damage.lines)
		return 0;
	return fail_at(r, -EPROTO, r->capture ?
		"this is a capture: put stack-resolve before stack-fold" :
		"neither stack lines (as stack-resolve writes them) nor folded lines "
		"(frame;frame COUNT)");
}

int fold_input(struct fold *f, int fd, const char *name, struct damage *damage,
	       struct strbuf *err)
{
	struct reading r = { .fold = f, .name = name, .err = err };
	struct slice line;
	struct input in;
	int ret, stop = 0;

	input_init(&in, fd, NULL);
	input_watch(&in, STDOUT_FILENO);
	events_begin_file(&f->events);
	while ((ret = input_line(&in, &line)) > 0) {
		stop = read_line(&r, line);
		if (stop)
			break;
	}
	input_release(&in);
	if (!stop && r.pending.len)
		stop = settle(&r, folded_kind);
	strbuf_release(&r.pending);
	if (r.kind)
		damage_add(damage, &r.damage);
	else
		strbuf_release(&r.damage.first);
	return stop ? stop : finish(&r, ret);
}
