/*
 * bpftrace's maps: "@NAME[KEY, KEY]: COUNT". A key that is a stack has a frame a line, leaf
 * first and indented, and an empty one nothing; others are on the line they begin on:
 *
 *	@[
 *	    do_sys_poll+1171
 *	,
 *	    __poll+79
 *	, bash]: 12
 *
 * Of two stacks the first is taken for the kernel's, as kstack stands before ustack in
 * most scripts. Keys that are no stacks are the roots.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "perf_lines.h"
#include "reading.h"

enum { KEY_MAX = 16 << 20 /* bytes of one key; a longer one is damage */ };

struct bpftrace_reader {
	struct reading *r;
	struct intern modules;
	struct strbuf key;     /* lines of the key so far, from behind its '[' on */
	struct strbuf map;     /* its map's name */
	struct strbuf comm;
	bool open;             /* the key goes on */
	uint64_t key_line;
	uint64_t lines;
};

/* Cuts "]: 12" off the end. */
static bool take_count(struct slice *line, uint64_t *count)
{
	struct slice s = slice_trim(*line);
	size_t i = s.len;

	while (i && s.p[i - 1] >= '0' && s.p[i - 1] <= '9')
		i--;
	if (i < 3 || memcmp(s.p + i - 3, "]: ", 3) != 0 ||
	    number_u64((struct slice){ s.p + i, s.len - i }, count) < 0)
		return false;
	*line = (struct slice){ s.p, i - 3 };
	return true;
}

/* Whether a key ends here whose value is no number: a histogram, statistics. */
static bool ends_otherwise(struct slice line)
{
	struct slice s = slice_trim(line);

	return s.len && (memmem(s.p, s.len, "]: ", 3) || memmem(s.p, s.len, "]:", 2) ==
			 (void *)(s.p + s.len - 2));
}

/* Takes the decimal offset off a name. */
static void take_offset(struct stackline_frame *f)
{
	size_t i = f->name.len;

	while (i && f->name.p[i - 1] >= '0' && f->name.p[i - 1] <= '9')
		i--;
	if (i < 2 || i == f->name.len || f->name.p[i - 1] != '+')
		return;
	f->offset = (struct slice){ f->name.p + i, f->name.len - i };
	f->name.len = i - 1;
}

/* "do_sys_poll+1171", "0x7f06", or as perf writes it: "7f06 poll+79 (/usr/lib/libc.so.6)" */
static void add_frame(struct bpftrace_reader *b, struct slice line)
{
	struct stackline_frame f;
	uint64_t address;

	if (!perf_looks_like_frame(line) || !perf_frame_parse(line, &b->modules, &f))
		f = (struct stackline_frame){ .module = { "", 0 }, .name = slice_trim(line),
					      .offset = { "", 0 }, .source = { "", 0 } };
	if (slice_starts(f.name, SLICE("0x")) && number_hex(f.name, &address) == 0)
		f.kind = STACKLINE_UNKNOWN;
	else if (slice_eq(f.name, SLICE("[unknown]")))
		f.name.len = 0;
	else
		take_offset(&f);
	stack_add(&b->r->fold->stack, &f);
}

static void mark_kernel(struct stack *s, size_t frames)
{
	for (size_t i = 0; i < frames; i++) {
		s->frames[i].in_kernel = true;
		if (s->frames[i].kind == STACKLINE_USER)
			s->frames[i].kind = STACKLINE_KERNEL;
	}
}

/*
 * A line of keys that are no stacks: ", bash" behind a stack, "bash, " before one, ", , "
 * around empty ones. How many of these there are; `begun`: there may be one at the start.
 */
static unsigned add_others(struct bpftrace_reader *b, struct slice line, bool begun)
{
	unsigned empty = 0;

	for (; line.len; begun = true) {
		const char *comma = memchr(line.p, ',', line.len);
		size_t n = comma ? (size_t)(comma - line.p) : line.len;
		struct slice text = slice_trim((struct slice){ line.p, n });

		if (text.len && b->comm.len)
			strbuf_addstr(&b->comm, ", ");
		strbuf_addslice(&b->comm, text);
		empty += !text.len && begun && comma;
		line.p += n + (comma != NULL);
		line.len -= n + (comma != NULL);
	}
	return empty;
}

/* Fills the fold's stack and b->comm. Frames are told from other keys by being indented. */
static void fill_from_key(struct bpftrace_reader *b, struct slice key)
{
	struct stack *stack = &b->r->fold->stack;
	bool in_stack = false, first = true;
	unsigned stacks = 0;      /* that have ended */
	size_t first_frames = 0;  /* of the first of them */

	strbuf_reset(&b->comm);
	stack_reset(stack);
	for (; key.len || first; first = false) {
		const char *lf = key.len ? memchr(key.p, '\n', key.len) : NULL;
		size_t n = lf ? (size_t)(lf - key.p) : key.len;
		struct slice line = { key.p, n };

		if (!first && n && (*line.p == ' ' || *line.p == '\t')) {
			add_frame(b, line);
			in_stack = true;
			if (!stacks)
				first_frames = stack->n;
		} else {
			stacks += in_stack;
			stacks += add_others(b, line, first || !in_stack);
			in_stack = false;
		}
		key.p += n + (lf != NULL);
		key.len -= n + (lf != NULL);
	}
	if (stacks + in_stack >= 2)
		mark_kernel(stack, first_frames);
	stack_turn(stack);
}

static int fold_key(struct bpftrace_reader *b, struct slice key, uint64_t count)
{
	struct fold *f = b->r->fold;
	struct slice fields[FIELDS] = { [FIELD_EVENT] = strbuf_slice(&b->map) };
	struct hash128 hash;
	uint32_t id;
	int r;

	if (!chosen_takes(&f->chosen, fields[FIELD_EVENT]))
		return 0;
	r = fold_convert_period(f, fields[FIELD_EVENT], &count, b->r->err);
	if (r < 0)
		return r;
	if (!fold_seen(f, fields, key, &hash, &id)) {
		fill_from_key(b, key);
		fields[FIELD_COMM] = strbuf_slice(&b->comm);
		memcpy(f->stack.fields, fields, sizeof(fields));
		f->stack.no_comm = !b->comm.len;
		id = fold_stack(f, hash);
		f->stack.no_comm = false;
	}
	fold_add(f, id, count);
	return 0;
}

/* "@NAME[" at the beginning of a line; what is behind it. */
static bool take_map(struct slice *line, struct slice *map)
{
	const char *open = line->len && *line->p == '@' ? memchr(line->p, '[', line->len) : NULL;

	if (!open)
		return false;
	*map = (struct slice){ line->p, (size_t)(open - line->p) };
	for (size_t i = 1; i < map->len; i++) {
		if (strchr(" \t:=", map->p[i]))
			return false;
	}
	line->len -= map->len + 1;
	line->p = open + 1;
	return true;
}

/* 0, or what ends the run. */
static int take_line(void *ctx, struct slice line)
{
	struct bpftrace_reader *b = ctx;
	struct slice map, rest = line;
	uint64_t count;
	bool begins = take_map(&rest, &map);

	b->lines++;
	if (begins) {
		if (b->open)
			reading_damage(b->r, b->key_line, "a map's key without an end");
		strbuf_reset(&b->key);
		strbuf_reset(&b->map);
		strbuf_addslice(&b->map, map);
		b->open = true;
		b->key_line = b->lines;
		line = rest;
	} else if (!b->open) {
		/* what the script prints, other values, the rows of a histogram */
		return 0;
	}
	rest = line;
	if (take_count(&rest, &count)) {
		if (!begins)
			strbuf_addch(&b->key, '\n');
		strbuf_addslice(&b->key, rest);
		b->open = false;
		return fold_key(b, strbuf_slice(&b->key), count);
	}
	if (ends_otherwise(line) || b->key.len > KEY_MAX) {
		b->open = false;
		reading_damage(b->r, b->key_line, "a map's value that is no count");
		return 0;
	}
	if (!begins)
		strbuf_addch(&b->key, '\n');
	strbuf_addslice(&b->key, line);
	return 0;
}

int bpftrace_read(struct reading *r)
{
	struct bpftrace_reader b = { .r = r };
	int ret = reading_each_line(r, take_line, &b);

	if (!ret && b.open)
		reading_damage(r, b.key_line, "a map's key without an end");
	intern_release(&b.modules);
	strbuf_release(&b.key);
	strbuf_release(&b.map);
	strbuf_release(&b.comm);
	return ret;
}

/* "@total: 5", which would do as a folded line, too */
static bool is_scalar(struct slice line)
{
	size_t i = 1;

	while (i < line.len && (line.p[i] == '_' || isalnum((unsigned char)line.p[i])))
		i++;
	return line.len > i + 1 && line.p[0] == '@' && line.p[i] == ':' && line.p[i + 1] == ' ' &&
		!memchr(line.p, ';', line.len);
}

enum sniff bpftrace_sniff(struct slice head, bool whole)
{
	const char *lf = memchr(head.p, '\n', head.len);
	struct slice line = { head.p, lf ? (size_t)(lf - head.p) : head.len }, map;
	uint64_t count;

	(void)whole;
	if (is_scalar(line))
		return SNIFF_YES;
	if (!take_map(&line, &map))
		return SNIFF_NO;
	line = slice_trim(line);
	return !line.len || line.p[line.len - 1] == ',' || take_count(&line, &count) ?
		SNIFF_YES : SNIFF_NO;
}
