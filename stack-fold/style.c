#include "style.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "lines/folded.h"
#include "lines/frame_name.h"
#include "shorten.h"

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
		st->by[st->nby++] = (enum stack_field)field;
		more = comma != NULL;
		list.p += name.len + more;
		list.len -= name.len + more;
	}
	return 0;
}

bool style_has(const struct style *st, enum stack_field field)
{
	for (int i = 0; i < st->nby; i++) {
		if (st->by[i] == field)
			return true;
	}
	return false;
}

static void add_annotation(const struct style *st, const struct stackline_frame *f,
			   struct strbuf *text)
{
	if (!st->annotate)
		return;
	if (f->inlined)
		strbuf_addstr(text, "_[i]");
	else if (f->in_kernel)
		strbuf_addstr(text, "_[k]");
	else if (f->kind == STACKLINE_JIT)
		strbuf_addstr(text, "_[j]");
}

static void add_name(const struct style *st, const struct stackline_frame *f, struct strbuf *text)
{
	struct slice name = f->kind == STACKLINE_JIT ? frame_name_java(f->name) : f->name;
	struct strbuf shorter = STRBUF_INIT;

	if (!st->shorten || f->kind == STACKLINE_REMARK) {
		folded_add_frame(text, name);
		return;
	}
	shorten_name(&shorter, name);
	folded_add_frame(text, strbuf_slice(&shorter));
	strbuf_release(&shorter);
}

static void add_unknown(struct strbuf *text, struct slice module)
{
	struct strbuf name = STRBUF_INIT;

	frame_name_add_unknown(&name, module);
	folded_add_frame(text, strbuf_slice(&name));
	strbuf_release(&name);
}

static void add_frame(const struct style *st, const struct stackline_frame *f,
		      struct strbuf *text)
{
	struct slice module = slice_basename(f->module);
	bool unknown = f->kind == STACKLINE_UNKNOWN || !f->name.len;
	struct slice offset = f->kind == STACKLINE_UNKNOWN ? f->name : f->offset;

	if (unknown) {
		add_unknown(text, f->module);
	} else {
		if (st->modules && module.len) {
			folded_add_frame(text, module);
			strbuf_addch(text, '`');
		}
		add_name(st, f, text);
	}
	if (st->offsets && offset.len) {
		strbuf_addch(text, '+');
		strbuf_addslice(text, offset);
	}
	add_annotation(st, f, text);
}

/* Frames being added, of which one may go again that is spelt as the one before. */
struct row {
	struct strbuf *text;
	size_t last, last_len; /* the frame added before */
	bool any;
};

static size_t row_begin(struct row *row)
{
	/* behind a root, or another frame, which may have no name */
	if (row->text->len || row->any)
		strbuf_addch(row->text, ';');
	return row->text->len;
}

static void row_end(struct row *row, size_t from, bool collapse)
{
	struct strbuf *text = row->text;
	size_t len = text->len - from;

	if (collapse && row->any && len == row->last_len &&
	    memcmp(text->buf + from, text->buf + row->last, len) == 0) {
		text->len = from - 1;
		text->buf[text->len] = '\0';
		return;
	}
	row->last = from;
	row->last_len = len;
	row->any = true;
}

static void add_part(const struct style *st, const struct stackline_frame *f, struct slice name,
		     bool inlined, struct row *row)
{
	struct stackline_frame part = *f;
	size_t from = row_begin(row);

	part.name = name;
	part.inlined |= inlined;
	add_frame(st, &part, row->text);
	row_end(row, from, st->collapse);
}

/* A frame, or, of a JIT's chain of inlined functions, each. */
static void add_chain(const struct style *st, const struct stackline_frame *f, struct row *row)
{
	struct slice name = f->name, rest, *parts = NULL;
	size_t n = 0, cap = 0;
	bool more;

	do {
		more = frame_name_cut(f->kind, &name, &rest);
		if (st->reverse && (more || n)) {
			parts = grow(parts, n, &cap, sizeof(*parts));
			parts[n] = name;
		} else {
			add_part(st, f, name, n > 0, row);
		}
		n++;
		name = rest;
	} while (more);
	while (parts && n-- > 0)
		add_part(st, f, parts[n], n > 0, row);
	free(parts);
}

/* A remark is about the walk of the stack whose frames follow it. */
static bool is_kernel_frame(const struct stack *s, size_t i)
{
	if (s->frames[i].kind == STACKLINE_REMARK && i + 1 < s->n)
		return s->frames[i + 1].in_kernel;
	return s->frames[i].in_kernel;
}

static bool is_wanted(const struct style *st, const struct stack *s, size_t i)
{
	/* a row of a remark alone, "[lost: …]", is of either kind */
	if (st->only == ONLY_ANY || (s->n == 1 && s->frames[i].kind == STACKLINE_REMARK))
		return true;
	return is_kernel_frame(s, i) == (st->only == ONLY_KERNEL);
}

/* Where what is shown of a stack begins: the last call of the function whose callers are not. */
struct beginning {
	size_t first;                 /* the frame's place */
	struct stackline_frame frame; /* if `cut`: of its chain of inlined functions the rest */
	bool cut;
};

/* Whether the function whose callers are left out is spelt so, but for the annotation. */
static bool is_spelt(const struct style *st, const struct stackline_frame *f)
{
	struct style bare = { .shorten = false }, own = *st;
	struct strbuf text = STRBUF_INIT;
	bool same;

	if (slice_eq(f->name, st->skip_after))
		return true;
	add_frame(&bare, f, &text);
	same = slice_eq(strbuf_slice(&text), st->skip_after);
	if (!same && (st->shorten || st->offsets || st->modules)) {
		own.annotate = false;
		strbuf_reset(&text);
		add_frame(&own, f, &text);
		same = slice_eq(strbuf_slice(&text), st->skip_after);
	}
	strbuf_release(&text);
	return same;
}

/* The same for each function of a chain; the last one that is it begins the rest, *shown. */
static bool find_in_chain(const struct style *st, const struct stackline_frame *f,
			  struct beginning *shown)
{
	struct stackline_frame rest = *f, part;
	bool more, found = slice_eq(f->name, st->skip_after);

	shown->cut = false;
	do {
		struct slice behind;

		part = rest;
		more = frame_name_cut(f->kind, &part.name, &behind);
		if (is_spelt(st, &part)) {
			found = true;
			shown->cut = rest.name.p != f->name.p;
			shown->frame = rest;
		}
		rest.name = behind;
		rest.inlined = true;
	} while (more);
	return found;
}

static struct beginning find_beginning(struct style *st, const struct stack *s)
{
	struct beginning shown = { 0 };

	for (size_t i = st->skip_after.len ? s->n : 0; i > 0; i--) {
		if (find_in_chain(st, &s->frames[i - 1], &shown)) {
			shown.first = i - 1;
			st->skip_came = true;
			break;
		}
	}
	return shown;
}

/* The place of the frame that comes when the one at k of [first, n) would, root first. */
static size_t in_order(const struct style *st, const struct stack *s, size_t first, size_t k)
{
	return st->reverse ? s->n - 1 - (k - first) : k;
}

/* True if a frame was added. */
static bool add_frames(struct style *st, const struct stack *s, struct strbuf *text)
{
	struct beginning shown = find_beginning(st, s);
	struct row row = { .text = text };

	for (size_t k = shown.first; k < s->n; k++) {
		size_t i = in_order(st, s, shown.first, k);

		if (is_wanted(st, s, i))
			add_chain(st, shown.cut && i == shown.first ? &shown.frame :
				  &s->frames[i], &row);
	}
	return row.any;
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

bool style_fold(struct style *st, const struct stack *stack, struct strbuf *text)
{
	strbuf_reset(text);
	for (int i = 0; i < st->nby; i++) {
		struct slice value = stack->fields[st->by[i]];

		if (stack->no_comm && st->by[i] == FIELD_COMM)
			continue;
		if (text->len)
			strbuf_addch(text, ';');
		strbuf_addstr(text, fields[st->by[i]].prefix);
		folded_add_frame(text, value.len ? value : SLICE("-"));
	}
	if (!add_frames(st, stack, text) && st->only != ONLY_ANY)
		return false;
	if (!text->len)
		strbuf_addstr(text, "[unknown]");
	hide_comment(text);
	return true;
}

static bool is_lost(struct slice name)
{
	return slice_starts(name, SLICE("[lost: "));
}

static bool is_remark(struct slice name)
{
	return is_lost(name) || slice_starts(name, SLICE("[truncated: "));
}

/* A name keeps what it has; only what the annotation tells is taken apart. */
static struct stackline_frame folded_frame(struct slice name)
{
	struct stackline_frame f = { .kind = STACKLINE_USER, .name = name };

	if (slice_cut_end(&f.name, SLICE("_[k]"))) {
		f.in_kernel = true;
		f.kind = STACKLINE_KERNEL;
	} else if (slice_cut_end(&f.name, SLICE("_[j]"))) {
		f.kind = STACKLINE_JIT;
	} else {
		f.inlined = slice_cut_end(&f.name, SLICE("_[i]"));
	}
	if (f.kind == STACKLINE_USER && f.name.len && f.name.p[0] == '[')
		f.kind = is_remark(f.name) ? STACKLINE_REMARK : STACKLINE_UNKNOWN;
	return f;
}

static void add_refolded_name(const struct style *st, const struct stackline_frame *f,
			      struct strbuf *text)
{
	if (st->shorten && f->kind != STACKLINE_REMARK && f->kind != STACKLINE_UNKNOWN)
		shorten_name(text, f->name);
	else
		strbuf_addslice(text, f->name);
}

/* The first frame that is shown, of frames that are spelt already. `text` is for scratch. */
static size_t first_refolded(struct style *st, const struct stack *s, struct strbuf *text)
{
	for (size_t i = st->skip_after.len ? s->n : 0; i > 0; i--) {
		const struct stackline_frame *f = &s->frames[i - 1];
		bool same = slice_eq(f->name, st->skip_after);

		if (!same && st->shorten) {
			strbuf_reset(text);
			add_refolded_name(st, f, text);
			same = slice_eq(strbuf_slice(text), st->skip_after);
		}
		if (same) {
			st->skip_came = true;
			return i - 1;
		}
	}
	return 0;
}

bool style_refolds(const struct style *st)
{
	return st->only != ONLY_ANY || st->skip_after.len || st->collapse || st->reverse ||
		st->shorten || !st->annotate;
}

bool style_refold(struct style *st, struct slice folded, struct stack *scratch,
		  struct strbuf *text)
{
	struct row row = { .text = text };
	struct slice name;
	size_t first;

	stack_reset(scratch);
	while (folded_next(&folded, &name)) {
		struct stackline_frame f = folded_frame(name);

		stack_add(scratch, &f);
	}
	first = first_refolded(st, scratch, text);
	strbuf_reset(text);
	for (size_t k = first; k < scratch->n; k++) {
		size_t i = in_order(st, scratch, first, k), from;
		const struct stackline_frame *f = &scratch->frames[i];

		/* lost samples have a frame for the command besides */
		if (!is_wanted(st, scratch, i) && !is_lost(f->name))
			continue;
		from = row_begin(&row);
		add_refolded_name(st, f, text);
		add_annotation(st, f, text);
		row_end(&row, from, st->collapse);
	}
	if (text->len)
		hide_comment(text);
	return row.any || st->only == ONLY_ANY;
}
