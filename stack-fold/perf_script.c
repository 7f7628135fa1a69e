/*
 * perf script's text: blocks of a header and frames, leaf first, with an empty line
 * between. Nearly every block repeats frames already seen, so their text is hashed
 * whole, as it stands, before anything of it is parsed.
 */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "perf_lines.h"
#include "reading.h"

enum {
	BLOCK_MAX = 4 << 20, /* bytes of frames that are looked at as one; then line by line */
};

struct perf_reader {
	struct reading *r;
	struct intern modules;
	struct perf_header header; /* of the sample being read; its slices lie in `line` */
	struct strbuf line;        /* the header's line, while its frames come one by one */
	struct strbuf frames;      /* those lines so far */
	uint64_t frames_line;      /* the number of the first of them */
	bool open;                 /* there is a header without its sample folded */
	uint64_t lines;            /* read so far */
};

/* ---- a sample */

/*
 * Where a source file is asked for, perf writes "  file.c:12" behind a frame, perhaps with a
 * " (discriminator 3)", or "  libc.so.6[27b25]" where it knows none.
 */
static bool is_source_line(struct slice line)
{
	static const struct slice discriminator = SLICE(" (discriminator ");
	const char *behind = memmem(line.p, line.len, discriminator.p, discriminator.len);
	size_t i;

	if (behind)
		line.len = (size_t)(behind - line.p);
	line = slice_trim_end(line);
	if (!line.len || (line.p[0] != ' ' && line.p[0] != '\t'))
		return false;
	if (line.p[line.len - 1] == ']')
		return memchr(line.p, '[', line.len) != NULL;
	i = line.len;
	while (i && line.p[i - 1] >= '0' && line.p[i - 1] <= '9')
		i--;
	return i > 2 && i < line.len && line.p[i - 1] == ':';
}

static void fill_stack(struct perf_reader *p, struct slice frames, uint64_t line_number)
{
	struct stack *stack = &p->r->fold->stack;
	struct stackline_frame frame;

	stack_reset(stack);
	while (frames.len) {
		const char *lf = memchr(frames.p, '\n', frames.len);
		size_t n = lf ? (size_t)(lf - frames.p) : frames.len;
		struct slice line = { frames.p, n };

		if (!perf_looks_like_frame(line) && is_source_line(line))
			;
		else if (perf_frame_parse(line, &p->modules, &frame))
			stack_add(stack, &frame);
		else if (n)
			reading_damage(p->r, line_number, "not a frame (ADDRESS SYMBOL (FILE))");
		line_number++;
		frames.p += n + (lf != NULL);
		frames.len -= n + (lf != NULL);
	}
	stack_turn(stack);
}

/* Whether all lines look like frames: there may be a header in between, or anything. */
static bool all_frames(struct slice frames)
{
	while (frames.len) {
		const char *lf = memchr(frames.p, '\n', frames.len);
		size_t n = lf ? (size_t)(lf - frames.p) + 1 : frames.len;

		if (!perf_looks_like_frame((struct slice){ frames.p, n }))
			return false;
		frames.p += n;
		frames.len -= n;
	}
	return true;
}

/* A sample without a stack may have a frame on its header's line; else that is a payload. */
static void fill_from_header(struct perf_reader *p, struct slice rest)
{
	struct stack *stack = &p->r->fold->stack;
	struct stackline_frame frame;

	stack_reset(stack);
	if (!rest.len)
		return;
	/* a blank is before it, as before a frame's own line */
	rest.p--;
	rest.len++;
	if (perf_looks_like_frame(rest) && perf_frame_parse(rest, &p->modules, &frame))
		stack_add(stack, &frame);
}

/*
 * 1; 0 if not all of the frames' lines look like frames and `strict` asks for that; or
 * what ends the run.
 */
static int fold_sample(struct perf_reader *p, const struct perf_header *h, struct slice frames,
		       uint64_t line_number, bool strict)
{
	static const struct slice none = SLICE("-"), record = SLICE("PERF_RECORD_");
	struct fold *f = p->r->fold;
	const struct slice fields[FIELDS] = {
		[FIELD_COMM] = h->comm, [FIELD_PID] = h->pid.len ? h->pid : none,
		[FIELD_TID] = h->tid, [FIELD_CPU] = h->cpu.len ? h->cpu : none,
		[FIELD_EVENT] = h->event.len ? h->event : none,
	};
	uint64_t weight = h->period;
	struct hash128 hash;
	uint32_t id;
	bool seen;
	int r;

	/* --show-mmap-events and the like: no samples */
	if (!frames.len && (slice_starts(h->event, record) || slice_starts(h->rest, record)))
		return 1;
	seen = fold_seen(f, fields, frames.len ? frames : h->rest, &hash, &id);
	/* what was seen was looked at then */
	if (!seen && strict && !all_frames(frames))
		return 0;
	if (!chosen_takes(&f->chosen, h->event))
		return 1;
	r = fold_convert_period(f, h->event, &weight, p->r->err);
	if (r < 0)
		return r;
	if (!seen) {
		if (frames.len)
			fill_stack(p, frames, line_number);
		else
			fill_from_header(p, h->rest);
		memcpy(f->stack.fields, fields, sizeof(fields));
		id = fold_stack(f, hash);
	}
	fold_add(f, id, weight);
	return 1;
}

/* ---- line by line: what is not in the usual form */

static int close_sample(struct perf_reader *p)
{
	int ret = 0;

	if (p->open)
		ret = fold_sample(p, &p->header, strbuf_slice(&p->frames), p->frames_line, false);
	p->open = false;
	strbuf_reset(&p->frames);
	return ret < 0 ? ret : 0;
}

static int take_header(struct perf_reader *p, struct slice line)
{
	struct perf_header h;
	int ret = close_sample(p);

	if (ret)
		return ret;
	strbuf_reset(&p->line);
	strbuf_addslice(&p->line, line);
	if (!perf_header_parse(strbuf_slice(&p->line), &h)) {
		reading_damage(p->r, p->lines, "neither a sample's header nor a frame");
		return 0;
	}
	p->header = h;
	p->open = true;
	return 0;
}

static bool is_empty(struct slice line)
{
	return !slice_trim_end(line).len;
}

/* 0, or what ends the run. */
static int take_line(struct perf_reader *p, struct slice line)
{
	struct perf_header h;

	p->lines++;
	if (is_empty(line))
		/* between a header and its frames it ends nothing */
		return p->frames.len ? close_sample(p) : 0;
	if (line.p[0] == '#')
		return 0;
	if (line.p[0] != ' ' && line.p[0] != '\t')
		return take_header(p, line);
	/* a short comm has blanks before it, too */
	if (!perf_looks_like_frame(line) && perf_header_parse(line, &h) && h.certain)
		return take_header(p, line);
	if (!p->open) {
		if (!perf_looks_like_frame(line) && perf_header_parse(line, &h))
			return take_header(p, line);
		reading_damage(p->r, p->lines, "a frame without a header before it");
		return 0;
	}
	if (!p->frames.len) {
		struct stackline_frame frame;

		p->frames_line = p->lines;
		/* more of a tracepoint's payload */
		if (!perf_frame_parse(line, &p->modules, &frame) && p->header.rest.len)
			return 0;
	}
	strbuf_addslice(&p->frames, line);
	strbuf_addch(&p->frames, '\n');
	return 0;
}

/* ---- whole blocks: what perf writes nearly always */

/* The first LF that another follows, and how many come before it; NULL if there is none. */
static const char *find_empty_line(const char *p, const char *end, uint64_t *lines)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7full, lf = 0x0a0a0a0a0a0a0a0aull;
	uint64_t n = 0;

	for (; end - p > 8; p += 8) {
		uint64_t a, b;

		memcpy(&a, p, 8);
		memcpy(&b, p + 1, 8);
		/* 0x80 in each byte that is an LF */
		a ^= lf;
		b ^= lf;
		a = ~(((a & low) + low) | a | low);
		b = ~(((b & low) + low) | b | low);
		if (a & b)
			break;
		n += (a >> 7) * 0x0101010101010101ull >> 56; /* their number */
	}
	for (; end - p > 1; p++) {
		if (*p != '\n')
			continue;
		if (p[1] == '\n') {
			*lines = n;
			return p;
		}
		n++;
	}
	return NULL;
}

/*
 * Folds the block at the beginning of the text if it is a header, frames and an empty
 * line. 1 and *used; 0 if it is not, or not all there (*more), or what ends the run.
 */
static int take_block(struct perf_reader *p, struct slice text, size_t *used, bool *more)
{
	const char *end = text.p + text.len, *lf, *last;
	struct slice frames;
	struct perf_header h;
	uint64_t lines;
	int ret;

	*more = false;
	if (p->open || strchr("# \t\n\r", text.p[0]))
		return 0;
	lf = memchr(text.p, '\n', text.len);
	if (!lf || end - lf < 3) {
		*more = true;
		return 0;
	}
	if ((lf[1] != '\t' && lf[1] != ' ') || lf[-1] == '\r')
		return 0;
	last = find_empty_line(lf + 1, end, &lines);
	if (!last) {
		*more = text.len < BLOCK_MAX;
		return 0;
	}
	frames = (struct slice){ lf + 1, (size_t)(last - lf) };
	if (!perf_header_parse((struct slice){ text.p, (size_t)(lf - text.p) }, &h) ||
	    !h.certain)
		return 0;
	ret = fold_sample(p, &h, frames, p->lines + 2, true);
	/* the header, the frames, the empty line */
	p->lines += ret ? lines + 3 : 0;
	*used = (size_t)(last + 2 - text.p);
	return ret;
}

int perf_script_read(struct reading *r)
{
	struct perf_reader p = { .r = r };
	struct input *in = r->in;
	size_t want = 1, have;
	int ret = 0;

	while ((have = input_need(in, want)) > 0) {
		struct slice text = { in->buf + in->pos, have }, line;
		bool more;
		size_t used;

		ret = take_block(&p, text, &used, &more);
		if (ret < 0)
			break;
		if (ret == 1) {
			input_advance(in, used);
			want = 1;
			continue;
		}
		if (more && have >= want && !in->eof) {
			want = have + 1;
			continue;
		}
		want = 1;
		ret = input_line(in, &line);
		if (ret <= 0)
			break;
		ret = take_line(&p, line);
		if (ret)
			break;
	}
	if (ret >= 0)
		ret = close_sample(&p);
	if (!ret && in->error)
		ret = reading_error(r, in->error);
	intern_release(&p.modules);
	strbuf_release(&p.line);
	strbuf_release(&p.frames);
	return ret;
}

/* ---- recognizing it */

enum sniff perf_script_sniff(struct slice head, bool whole)
{
	const char *lf = memchr(head.p, '\n', head.len);
	struct slice line = { head.p, lf ? (size_t)(lf - head.p) : head.len };
	struct perf_header h;

	if (line.len && memchr(line.p, '\t', line.len) && !memchr(line.p, ' ', line.len))
		return SNIFF_NO;
	if (!perf_header_parse(line, &h))
		return SNIFF_NO;
	if (h.certain)
		return SNIFF_YES;
	/* "java 12688": a folded line if no frame follows */
	if (!lf)
		return whole ? SNIFF_NO : SNIFF_MORE;
	head.len -= line.len + 1;
	head.p = lf + 1;
	lf = memchr(head.p, '\n', head.len);
	if (!lf && !whole)
		return SNIFF_MORE;
	line = (struct slice){ head.p, lf ? (size_t)(lf - head.p) : head.len };
	return perf_looks_like_frame(line) ? SNIFF_YES : SNIFF_NO;
}
