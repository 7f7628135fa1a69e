/*
 * DTrace's aggregated stacks, as printa() and the end of a script print them: a stack is a
 * frame a line, leaf first and indented, after an empty line or the keys before it; further
 * keys may stand behind it, before the count:
 *
 *	              genunix`kmem_cache_free+0xce
 *	              unix`sys_syscall+0x17a
 *	  bash                                                     12
 *
 * Keys that are numbers look like counts. What follows tells them apart, and how wide they
 * are: DTrace writes a count into 17 columns, a number of 32 bits into 9, a name into 52.
 */
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "reading.h"

enum {
	BLOCK_MAX = 16 << 20, /* bytes of one stack; a longer one is damage */
	INDENT = 14,          /* of a frame, as DTrace prints it */
	COUNT_WIDTH = 17,     /* of a 64-bit number, as counts are; pids are narrower */
	STACKS_MAX = 8,
};

struct dtrace_reader {
	struct reading *r;
	/* what has come of a record: lines that begin with one of these */
	struct strbuf block;
	uint64_t block_line, lines;
	bool frames;           /* there are some in it */
	bool keys;             /* there are only keys in it, which may yet be something else: */
	bool lone_number;      /* the count of an empty stack */
	bool ends_in_number;   /* a count without a stack */
	bool indented;
	uint64_t number;
	bool trailing;         /* records so far have keys behind their stacks */
	struct strbuf held;    /* a count, unless a frame follows at once: keys between stacks */
	bool held_narrow;
	bool blank;            /* an empty line came after the last of it */
	bool in_stack;         /* its last line is a frame */
	bool in_histogram;
	size_t frame_indent;
	struct stack stack;    /* leaf first */
	struct strbuf comm;
};

enum { IS_KEY = 'k', IS_STACK = 's' /* its first frame */, IS_FRAME = 'f' };

/* ---- lines */

/* "CPU     ID                    FUNCTION:NAME" */
static bool is_heading(struct slice line)
{
	return slice_starts(line, SLICE("CPU ")) && slice_cut_end(&line, SLICE("FUNCTION:NAME"));
}

/* Takes a number and the blanks behind it off; false if there is none. */
static bool take_number(struct slice *line)
{
	size_t n = 0;

	while (n < line->len && number_is_digit(line->p[n]))
		n++;
	if (!n || (n < line->len && line->p[n] != ' ' && line->p[n] != '\t'))
		return false;
	*line = slice_trim_start((struct slice){ line->p + n, line->len - n });
	return true;
}

/* "  8  35077                        :tick-60s", whatever the probe's action printed there */
static bool is_probe(struct slice line)
{
	const char *blank;

	if (!take_number(&line) || !take_number(&line) || !line.len)
		return false;
	blank = memchr(line.p, ' ', line.len);
	if (blank)
		line.len = (size_t)(blank - line.p);
	return memchr(line.p, ':', line.len) && !memchr(line.p, '`', line.len);
}

/* "dtrace: description 'profile-997 ' matched 1 probe", "dtrace: 5 drops on CPU 0" */
static bool is_message(struct slice line)
{
	return slice_starts(line, SLICE("dtrace: ")) || is_heading(line) || is_probe(line);
}

/* "           value  ------------- Distribution ------------- count    " */
static bool is_histogram(struct slice line)
{
	return slice_starts(line, SLICE("value ")) && slice_cut_end(&line, SLICE(" count")) &&
		memmem(line.p, line.len, "- Distribution -", 16);
}

static bool is_numbers(struct slice line)
{
	while (line.len) {
		if (!take_number(&line))
			return false;
	}
	return true;
}

/* "genunix`kmem_cache_free+0xce", "0x104d08831" */
static bool names_frame(struct slice text)
{
	const char *tick = text.len ? memchr(text.p, '`', text.len) : NULL;
	uint64_t address;

	if (slice_starts(text, SLICE("0x")) && number_hex(text, &address) == 0)
		return true;
	return tick && tick > text.p && !memchr(text.p, ' ', (size_t)(tick - text.p));
}

static size_t indent_of(struct slice line)
{
	return line.len - slice_trim_start(line).len;
}

/* Cuts "bash      12" before the last number, which needs `blanks` before it. */
static bool cut_number(struct slice *text, size_t blanks, struct slice *number)
{
	size_t i = text->len, end;

	while (i && number_is_digit(text->p[i - 1]))
		i--;
	end = i;
	while (end && (text->p[end - 1] == ' ' || text->p[end - 1] == '\t'))
		end--;
	if (i == text->len || i - end < blanks || !end)
		return false;
	*number = (struct slice){ text->p + i, text->len - i };
	text->len = end;
	return true;
}

/* ---- records */

/*
 * "genunix`kmem_cache_free+0xce", "unix`0xfffffffffb800c91", "0x104d08831", and a frame
 * of a machine within the process, "Main.main([Ljava/lang/String;)V".
 */
static void add_frame(struct stack *stack, struct slice text)
{
	struct stackline_frame f;
	uint64_t address;

	stackline_frame(text, &f);
	if (f.kind == STACKLINE_REMARK) {
		f.kind = slice_starts(text, SLICE("0x")) && number_hex(text, &address) == 0 ?
			STACKLINE_UNKNOWN : STACKLINE_USER;
	} else if (f.kind != STACKLINE_UNKNOWN) {
		/* the module stays a part of the name, as all tools show it */
		f.name = (struct slice){ text.p, (size_t)(f.name.p + f.name.len - text.p) };
		f.module.len = 0;
	}
	stack_add(stack, &f);
}

/* Modules that are a kernel, of illumos, macOS, FreeBSD and Linux; others are its, too. */
static bool is_kernel(struct slice text)
{
	static const struct slice modules[] = {
		SLICE("unix`"), SLICE("genunix`"), SLICE("mach_kernel`"), SLICE("kernel`"),
		SLICE("kernel.debug`"), SLICE("vmlinux`"), SLICE("0xffff"),
	};

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		if (slice_starts(text, modules[i]))
			return i + 1 < sizeof(modules) / sizeof(modules[0]) || text.len == 18;
	}
	return false;
}

/* "bash                   1234" is two keys. */
static void add_keys(struct strbuf *comm, struct slice text)
{
	while (text.len) {
		size_t n = 0;

		while (n < text.len && text.p[n] != '\t' &&
		       (text.p[n] != ' ' || n + 1 == text.len || text.p[n + 1] != ' '))
			n++;
		if (comm->len)
			strbuf_addstr(comm, ", ");
		strbuf_addslice(comm, (struct slice){ text.p, n });
		text = slice_trim_start((struct slice){ text.p + n, text.len - n });
	}
}

struct record {
	size_t stacks;
	size_t from[STACKS_MAX + 1];
	bool kernel[STACKS_MAX];
};

static void read_block(struct dtrace_reader *d, struct record *rec)
{
	struct slice rest = strbuf_slice(&d->block);

	rec->stacks = 0;
	stack_reset(&d->stack);
	strbuf_reset(&d->comm);
	while (rest.len) {
		size_t n = (size_t)((char *)memchr(rest.p, '\n', rest.len) - rest.p);
		struct slice text = { rest.p + 1, n - 1 };

		if (*rest.p == IS_KEY) {
			add_keys(&d->comm, text);
		} else {
			if (*rest.p == IS_STACK && rec->stacks < STACKS_MAX) {
				rec->from[rec->stacks] = d->stack.n;
				rec->kernel[rec->stacks++] = false;
			}
			add_frame(&d->stack, text);
			rec->kernel[rec->stacks - 1] |= is_kernel(text);
		}
		rest.p += n + 1;
		rest.len -= n + 1;
	}
	rec->from[rec->stacks] = d->stack.n;
	if (rec->stacks == 2 && !rec->kernel[0] && !rec->kernel[1])
		rec->kernel[0] = true;
}

/* Root first: user frames, then the kernel's; of two stacks of a side the later one calls. */
static void fill_stack(struct dtrace_reader *d, const struct record *rec)
{
	struct stack *stack = &d->r->fold->stack;

	stack_reset(stack);
	for (int kernel = 0; kernel < 2; kernel++) {
		for (size_t k = rec->stacks; k-- > 0;) {
			for (size_t i = rec->from[k + 1]; rec->kernel[k] == kernel &&
			     i > rec->from[k]; i--) {
				struct stackline_frame f = d->stack.frames[i - 1];

				f.in_kernel = kernel;
				stack_add(stack, &f);
			}
		}
	}
}

static void drop_block(struct dtrace_reader *d)
{
	strbuf_reset(&d->block);
	d->frames = d->keys = d->blank = d->in_stack = d->lone_number = false;
}

static int fold_block(struct dtrace_reader *d, uint64_t count)
{
	struct fold *f = d->r->fold;
	struct slice fields[FIELDS] = { { "", 0 } };
	struct record rec;
	struct hash128 hash;
	uint32_t id;
	int r = reading_convert_count(d->r);

	if (r < 0)
		return r;
	if (!fold_seen(f, fields, strbuf_slice(&d->block), &hash, &id)) {
		read_block(d, &rec);
		fill_stack(d, &rec);
		fields[FIELD_COMM] = strbuf_slice(&d->comm);
		id = fold_stack(f, fields, !d->comm.len, hash);
	}
	fold_add(f, id, count);
	drop_block(d);
	return 0;
}

/* The keys of a record have no stack after them: what were they? */
static int settle_keys(struct dtrace_reader *d)
{
	uint64_t count = d->number;

	if (!d->keys)
		return 0;
	if (d->lone_number) {
		strbuf_reset(&d->block);
		return fold_block(d, count);
	}
	if (d->ends_in_number)
		d->r->fold->no_counts++;
	drop_block(d);
	return 0;
}

static void add_line(struct dtrace_reader *d, char kind, struct slice text)
{
	if (!d->block.len)
		d->block_line = d->lines;
	if (d->block.len > BLOCK_MAX) {
		reading_damage(d->r, d->block_line, "a stack without a count");
		drop_block(d);
		kind = kind == IS_FRAME ? IS_STACK : kind;
	}
	strbuf_addch(&d->block, kind);
	strbuf_addslice(&d->block, text);
	strbuf_addch(&d->block, '\n');
	d->blank = false;
	d->in_stack = kind != IS_KEY;
	d->frames |= kind != IS_KEY;
	d->keys = !d->frames;
}

static int take_frame(struct dtrace_reader *d, struct slice text, size_t indent)
{
	int r = 0;

	/* else they are keys, then an empty stack, then this one */
	if (d->keys && d->blank && (d->lone_number || d->ends_in_number))
		r = settle_keys(d);
	add_line(d, d->in_stack && !d->blank ? IS_FRAME : IS_STACK, text);
	d->frame_indent = indent;
	return r;
}

static int take_count(struct dtrace_reader *d, struct slice number)
{
	uint64_t count;

	if (number_u64(number, &count) == 0)
		return fold_block(d, count);
	reading_damage(d->r, d->lines, "the count does not fit into 64 bits");
	drop_block(d);
	return 0;
}

/* Whether this is DTrace's own layout, where a frame at once behind a count cannot be. */
static bool is_native(const struct dtrace_reader *d)
{
	return d->frame_indent == INDENT;
}

static bool is_narrow(const struct dtrace_reader *d, struct slice line)
{
	return is_native(d) && slice_trim_end(line).len < COUNT_WIDTH;
}

/* What was held is a count. */
static int take_held(struct dtrace_reader *d)
{
	struct slice text = strbuf_slice(&d->held), number = text;
	int r;

	if (!text.len)
		return 0;
	if (cut_number(&text, 1, &number)) {
		add_line(d, IS_KEY, text);
		d->trailing = true;
	}
	r = take_count(d, number);
	strbuf_reset(&d->held);
	return r;
}

/*
 * Whether the number at the end of a line may be a count: a name takes 52 columns there, a
 * number of 32 bits 9, a count 17.
 */
static bool may_be_count(struct slice line)
{
	size_t n = slice_trim_end(line).len;

	if (n >= 52 && !is_numbers(slice_trim(line)))
		n -= 52;
	return n % 9 != 0;
}

/* "     1234", "  bash         12": the end of a record, or keys before another stack. */
static int hold(struct dtrace_reader *d, struct slice text, struct slice line)
{
	strbuf_addslice(&d->held, text);
	d->held_narrow = is_numbers(text) ? is_narrow(d, line) : !may_be_count(line);
	return is_native(d) ? 0 : take_held(d);
}

/* A line that is neither a frame nor a count alone: keys, or keys and the count. */
static int take_keys(struct dtrace_reader *d, struct slice text, struct slice line)
{
	struct slice before = text, number;
	bool ends = cut_number(&before, 1, &number), counted = ends && may_be_count(line);
	bool complete = counted && is_native(d) &&
		(d->keys ? !d->lone_number && !d->ends_in_number : d->blank && d->trailing);
	int r;

	if (complete || (ends && d->frames))
		return hold(d, text, line);
	r = d->frames ? 0 : settle_keys(d);
	add_line(d, IS_KEY, text);
	d->ends_in_number = counted;
	d->indented = indent_of(line) > 0;
	return r;
}

static int take_single_number(struct dtrace_reader *d, struct slice text, struct slice line)
{
	int r = 0;

	if (d->frames)
		return hold(d, text, line);
	if (d->keys && !is_narrow(d, line) && (!d->blank || (is_native(d) && !d->lone_number &&
							     !d->ends_in_number)))
		return take_count(d, text);
	r = settle_keys(d);
	if (number_u64(text, &d->number) < 0)
		return take_count(d, text);
	add_line(d, IS_KEY, text);
	d->lone_number = !is_narrow(d, line);
	d->ends_in_number = false;
	d->indented = true;
	return r;
}

/* A frame has a module or is an address, or stands where those before it do. */
static bool is_frame(const struct dtrace_reader *d, struct slice text, size_t indent)
{
	struct slice number;

	if (names_frame(text))
		return true;
	if (is_numbers(text) || indent != d->frame_indent || cut_number(&text, 2, &number))
		return false;
	return indent == INDENT || (d->in_stack && !d->blank);
}

/* Whether a line has a number as wide as a count at its end, so that one before it is none. */
static bool ends_record(const struct dtrace_reader *d, struct slice text, struct slice line)
{
	struct slice number;

	return !is_narrow(d, line) && may_be_count(line) &&
		(is_numbers(text) || cut_number(&text, 1, &number));
}

/* A line with something in it, but for messages. */
static int take_text(struct dtrace_reader *d, struct slice text, struct slice line)
{
	struct slice number = text;
	size_t indent = indent_of(line);
	bool alone = take_number(&number) && !number.len;
	bool frame = !alone && is_frame(d, text, indent);
	int r;

	/* keys with a stack behind them, or an empty one, and then the record's end */
	if (d->held.len && (frame || (d->held_narrow && ends_record(d, text, line)))) {
		add_line(d, IS_KEY, strbuf_slice(&d->held));
		strbuf_reset(&d->held);
	}
	r = take_held(d);
	if (r < 0)
		return r;
	if (alone)
		return take_single_number(d, text, line);
	if (frame)
		return take_frame(d, text, indent);
	if (*text.p == '-' && is_numbers((struct slice){ text.p + 1, text.len - 1 })) {
		d->r->fold->no_counts++;
		drop_block(d);
		return 0;
	}
	return take_keys(d, text, line);
}

/* 0, or what ends the run. */
static int take_line(void *ctx, struct slice line)
{
	struct dtrace_reader *d = ctx;
	struct slice text = slice_trim(line);
	int r = 0;

	d->lines++;
	if (!text.len || is_message(text)) {
		r = take_held(d);
		d->blank |= !text.len;
		d->in_histogram &= text.len > 0;
		if (r == 0 && d->keys && (text.len || !d->indented))
			r = settle_keys(d);
		return r;
	}
	if (d->in_histogram)
		return 0;
	if (is_histogram(text)) {
		d->r->fold->no_counts++;
		strbuf_reset(&d->held);
		drop_block(d);
		d->in_histogram = true;
		return 0;
	}
	return take_text(d, text, line);
}

int dtrace_read(struct reading *r)
{
	struct dtrace_reader d = { .r = r, .frame_indent = INDENT };
	bool annotate = r->fold->style.annotate;
	int ret;

	/* the module in the name tells it */
	r->fold->style.annotate = false;
	ret = reading_each_line(r, take_line, &d);
	if (!ret)
		ret = take_held(&d);
	if (!ret && d.frames)
		reading_damage(r, d.block_line, "a stack without a count");
	else if (!ret)
		ret = settle_keys(&d);
	r->fold->style.annotate = annotate;
	strbuf_release(&d.block);
	strbuf_release(&d.held);
	strbuf_release(&d.comm);
	stack_release(&d.stack);
	return ret;
}

/* ---- recognizing */

static struct slice next_line(struct slice *head)
{
	const char *lf = head->len ? memchr(head->p, '\n', head->len) : NULL;
	struct slice line = { head->p, lf ? (size_t)(lf - head->p) : head->len };

	head->p += line.len + (lf != NULL);
	head->len -= line.len + (lf != NULL);
	return line;
}

/* A folded line may begin with a module, too, but ends in a count. */
static bool shows_dtrace(struct slice line)
{
	struct slice text = slice_trim(line), number;

	if (is_heading(text) || is_histogram(text))
		return true;
	return utf8_is_clean(text) && names_frame(text) && !cut_number(&text, 1, &number);
}

/* "  bash    12", "1234": keys before a stack, or counts of no stack; no folded lines. */
static bool may_be_keys(struct slice line, bool first)
{
	struct slice text = slice_trim(line), number;

	if (is_numbers(text))
		return true;
	return indent_of(line) && utf8_is_clean(text) && !memchr(text.p, ';', text.len) &&
		(!first || cut_number(&text, 1, &number));
}

enum sniff dtrace_sniff(struct slice head, bool whole)
{
	struct slice line = next_line(&head);

	if (shows_dtrace(line) || slice_starts(line, SLICE("dtrace: ")))
		return SNIFF_YES;
	for (bool first = true; may_be_keys(line, first); first = false) {
		if (!first && shows_dtrace(line))
			return SNIFF_YES;
		if (!whole && !(head.len && memchr(head.p, '\n', head.len)))
			return SNIFF_MORE;
		if (!head.len)
			return SNIFF_NO;
		line = next_line(&head);
	}
	return shows_dtrace(line) ? SNIFF_YES : SNIFF_NO;
}
