/*
 * DTrace's aggregated stacks: frames a line, leaf first and indented, then the count on a
 * line of its own. Empty lines lie between; of two stacks in a row that one count ends,
 * the second has the callers. Lines in between that are no frames, such as an execname, are
 * further keys, taken for frames of the root.
 */
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "reading.h"

enum { BLOCK_MAX = 16 << 20 /* bytes of one stack; a longer one is damage */ };

struct dtrace_reader {
	struct reading *r;
	struct strbuf block; /* lines of the stack so far */
	uint64_t block_line, lines;
};

/* "CPU     ID                    FUNCTION:NAME" */
static bool is_heading(struct slice line)
{
	line = slice_trim(line);
	return slice_starts(line, SLICE("CPU ")) && slice_cut_end(&line, SLICE("FUNCTION:NAME"));
}

/* "  8  35077                        :tick-60s" */
static bool is_probe(struct slice line)
{
	unsigned numbers = 0;

	line = slice_trim(line);
	while (line.len && line.p[0] >= '0' && line.p[0] <= '9') {
		while (line.len && line.p[0] >= '0' && line.p[0] <= '9') {
			line.p++;
			line.len--;
		}
		if (!line.len || (*line.p != ' ' && *line.p != '\t'))
			return false;
		line = slice_trim(line);
		numbers++;
	}
	return numbers == 2 && line.len && memchr(line.p, ':', line.len) &&
		!memchr(line.p, ' ', line.len) && !memchr(line.p, '`', line.len);
}

/* "genunix`kmem_cache_free+0xce", "unix`0xfffffffffb800c91", "0x104d08831" */
static void add_frame(struct stack *stack, struct slice text)
{
	struct stackline_frame f;
	uint64_t address;

	stackline_frame(text, &f);
	if (f.kind == STACKLINE_REMARK) {
		/* no module: an address alone, or another key */
		f.kind = slice_starts(text, SLICE("0x")) && number_hex(text, &address) == 0 ?
			STACKLINE_UNKNOWN : STACKLINE_USER;
	} else if (f.kind != STACKLINE_UNKNOWN) {
		/* the module stays a part of the name, as all tools show it */
		f.name = (struct slice){ text.p, (size_t)(f.name.p + f.name.len - text.p) };
		f.module.len = 0;
	}
	stack_add(stack, &f);
}

static int fold_block(struct dtrace_reader *d, uint64_t count)
{
	struct fold *f = d->r->fold;
	struct slice rest = strbuf_slice(&d->block);
	const struct slice fields[FIELDS] = { { "", 0 } };
	struct hash128 hash;
	uint32_t id;
	int r = fold_convert_period(f, SLICE(""), &count, d->r->err);

	if (r < 0)
		return r;
	if (!fold_seen(f, fields, rest, &hash, &id)) {
		stack_reset(&f->stack);
		memcpy(f->stack.fields, fields, sizeof(fields));
		while (rest.len) {
			size_t n = (size_t)((char *)memchr(rest.p, '\n', rest.len) - rest.p);

			add_frame(&f->stack, (struct slice){ rest.p, n });
			rest.p += n + 1;
			rest.len -= n + 1;
		}
		stack_turn(&f->stack);
		f->stack.no_comm = true;
		id = fold_stack(f, hash);
		f->stack.no_comm = false;
	}
	fold_add(f, id, count);
	return 0;
}

/* 0, or what ends the run. */
static int take_line(void *ctx, struct slice line)
{
	struct dtrace_reader *d = ctx;
	struct slice text = slice_trim(line);
	uint64_t count;
	int ret;

	d->lines++;
	if (!text.len || is_heading(line) || is_probe(line))
		return 0;
	ret = number_u64(text, &count);
	if (ret == -ERANGE) {
		reading_damage(d->r, d->lines, "the count is too large");
		strbuf_reset(&d->block);
		return 0;
	}
	if (ret) {
		if (!d->block.len)
			d->block_line = d->lines;
		if (d->block.len > BLOCK_MAX) {
			reading_damage(d->r, d->block_line, "a stack without a count");
			strbuf_reset(&d->block);
		}
		strbuf_addslice(&d->block, text);
		strbuf_addch(&d->block, '\n');
		return 0;
	}
	if (d->block.len)
		ret = fold_block(d, count);
	else
		reading_damage(d->r, d->lines, "a count without a stack");
	strbuf_reset(&d->block);
	return ret;
}

int dtrace_read(struct reading *r)
{
	struct dtrace_reader d = { .r = r };
	int ret = reading_each_line(r, take_line, &d);

	if (!ret && d.block.len)
		reading_damage(r, d.block_line, "a stack without a count");
	strbuf_release(&d.block);
	return ret;
}

enum sniff dtrace_sniff(struct slice head, bool whole)
{
	const char *lf = memchr(head.p, '\n', head.len);
	struct slice line = { head.p, lf ? (size_t)(lf - head.p) : head.len };
	const char *tick;

	(void)whole;
	if (is_heading(line))
		return SNIFF_YES;
	/* an indented "module`function" */
	if (!line.len || (line.p[0] != ' ' && line.p[0] != '\t'))
		return SNIFF_NO;
	line = slice_trim(line);
	if (!utf8_is_clean(line))
		return SNIFF_NO;
	tick = memchr(line.p, '`', line.len);
	return tick && tick > line.p && !memchr(line.p, ' ', (size_t)(tick - line.p)) ?
		SNIFF_YES : SNIFF_NO;
}
