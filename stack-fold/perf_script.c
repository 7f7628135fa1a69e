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

/* What the headers look like, which -F decides and the first one shows. */
enum layout {
	LAYOUT_UNKNOWN,
	LAYOUT_IDS,   /* with a pid or tid */
	LAYOUT_GUESS, /* without: any line may be one that frames follow */
	LAYOUT_BARE,  /* there are none */
};

/* Which fields a header that is guessed has: those of a text hardly differ in that. */
enum {
	HAS_COMM = 1,
	HAS_ID = 2,
	HAS_CPU = 4,
	HAS_TIME = 8,
	HAS_PERIOD = 16,
	HAS_EVENT = 32,
	HAS_PAYLOAD = 64,
	FORMS = 128,
};

struct perf_reader {
	struct reading *r;
	enum layout layout;
	bool telling;              /* headers with ids have a time or an event, too */
	bool has_comm;             /* of headers to be guessed: they begin with a command */
	bool forms[FORMS];         /* and have these fields: frames followed such headers */
	struct intern modules;
	struct perf_header header; /* of the sample being read; its slices lie in `line` */
	struct strbuf line;        /* the header's line, while its frames come one by one */
	struct strbuf frames;      /* those lines so far */
	uint64_t frames_line;      /* the number of the first of them */
	bool open;                 /* there is a header without its sample folded */
	bool doubtful;             /* and it is one if frames follow */
	uint64_t header_line;      /* its number */
	uint64_t lines;            /* read so far */
};

/* ---- a sample */

static void fill_stack(struct perf_reader *p, struct slice frames, uint64_t line_number)
{
	struct stack *stack = &p->r->fold->stack;
	struct stackline_frame frame;

	stack_reset(stack);
	while (frames.len) {
		const char *lf = memchr(frames.p, '\n', frames.len);
		size_t n = lf ? (size_t)(lf - frames.p) : frames.len;
		struct slice line = { frames.p, n };

		if (perf_frame_parse(line, &p->modules, &frame))
			stack_add(stack, &frame);
		else if (n && !perf_is_about_sample(line))
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
	/* with the blanks before it, as before a frame in a line of its own */
	while (rest.p > p->line.buf && rest.p[-1] == ' ') {
		rest.p--;
		rest.len++;
	}
	rest = perf_frame_in_payload(rest);
	if (rest.len && perf_looks_like_frame(rest) &&
	    perf_frame_parse(rest, &p->modules, &frame))
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
		[FIELD_TID] = h->tid.len ? h->tid : none,
		[FIELD_CPU] = h->cpu.len ? h->cpu : none,
		[FIELD_EVENT] = h->event.len ? h->event : none,
	};
	uint64_t weight = h->period;
	struct hash128 hash;
	uint32_t id;
	bool seen;
	int r;

	/* --show-mmap-events and the like, and what -F metric adds: no samples */
	if (!frames.len && (slice_starts(h->event, record) || slice_starts(h->rest, record) ||
			    slice_eq(h->event, SLICE("metric"))))
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
		id = fold_stack(f, fields, !h->comm.len, hash);
	}
	fold_add(f, id, weight);
	return 1;
}

/* ---- line by line: what is not in the usual form */

static const char no_header[] = "neither a sample's header nor a frame";
static const char no_header_yet[] = "neither a sample's header nor a frame (of what a tracepoint "
	"prints the event is needed: perf script -F event,trace)";

/*
 * The form of a header that lies in `line`. It is 0 of one that tells nothing, as any line may
 * be: a command alone, without the blank that perf writes behind it, or what may be folded.
 */
static unsigned form_of(struct slice line, const struct perf_header *h)
{
	unsigned form = (h->comm.len ? HAS_COMM : 0) | (h->tid.len ? HAS_ID : 0) |
		(h->cpu.len ? HAS_CPU : 0) | (h->time.len ? HAS_TIME : 0) |
		(h->has_period ? HAS_PERIOD : 0) | (h->event.len ? HAS_EVENT : 0) |
		(h->rest.len ? HAS_PAYLOAD : 0);
	const char *behind;

	if (!h->comm.len)
		return form;
	behind = h->comm.p + h->comm.len;
	if (memchr(h->comm.p, ';', h->comm.len) ||
	    (form == HAS_COMM && (behind == line.p + line.len || *behind != ' ')))
		return 0;
	return form;
}

static void settle_guess(struct perf_reader *p, struct slice line, const struct perf_header *h)
{
	unsigned form = form_of(line, h);

	if (p->layout == LAYOUT_UNKNOWN) {
		p->has_comm = h->comm.len;
		p->layout = LAYOUT_GUESS;
	}
	p->forms[form] = form != 0;
}

/*
 * Whether a header with ids, but without a time and an event, may be something else: where
 * others tell more, folded lines end in a number, too, and names have no semicolons.
 */
static bool is_doubtful(const struct perf_reader *p, struct slice line,
			const struct perf_header *h)
{
	return p->telling || memchr(h->comm.p, ';', h->comm.len) ||
		(h->rest.len && !p->forms[form_of(line, h)]);
}

/* *doubtful: it is one if frames follow. */
static bool parse_header(struct perf_reader *p, struct slice line, struct perf_header *h,
			 bool *doubtful)
{
	*doubtful = false;
	if (perf_header_parse(line, h) && (h->certain || p->layout != LAYOUT_GUESS)) {
		if (p->layout != LAYOUT_GUESS)
			p->layout = LAYOUT_IDS;
		if (h->certain)
			p->telling |= h->time.len || h->event.len;
		else
			*doubtful = is_doubtful(p, line, h);
		return true;
	}
	if ((p->layout != LAYOUT_UNKNOWN && p->layout != LAYOUT_GUESS) ||
	    !perf_header_guess(line, p->has_comm, h))
		return false;
	*doubtful = !h->certain && !p->forms[form_of(line, h)];
	if (h->certain && p->layout != LAYOUT_GUESS)
		settle_guess(p, line, h);
	return true;
}

static int close_sample(struct perf_reader *p)
{
	int ret = 0;

	if (p->open && p->doubtful && !p->frames.len)
		reading_damage(p->r, p->header_line, no_header);
	else if (p->open)
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
	if (!parse_header(p, strbuf_slice(&p->line), &h, &p->doubtful)) {
		reading_damage(p->r, p->lines,
			       p->layout == LAYOUT_UNKNOWN ? no_header_yet : no_header);
		return 0;
	}
	p->header = h;
	p->header_line = p->lines;
	p->open = true;
	return 0;
}

static bool is_empty(struct slice line)
{
	return !slice_trim_end(line).len;
}

/* A comment; but a command's name may begin so, too. */
static bool is_comment(struct slice line)
{
	struct perf_header h;

	return line.p[0] == '#' && (line.len < 2 || line.p[1] == ' ' || line.p[1] == '#' ||
				    !perf_header_parse(line, &h) || !h.certain);
}

/* A number may be a period in the place of a header that has little else. */
static bool is_frame(const struct perf_reader *p, struct slice line)
{
	return p->layout == LAYOUT_IDS ? perf_looks_like_frame(line) : perf_is_aligned_frame(line);
}

/* An indented line that is no frame: whether it is a header, a short comm's. */
static bool is_header(struct perf_reader *p, struct slice line)
{
	struct perf_header h;
	bool doubtful;

	if (!parse_header(p, line, &h, &doubtful))
		return false;
	if (h.certain || !p->open)
		return h.certain || !doubtful || !h.comm.len || p->layout == LAYOUT_GUESS;
	/* of a form that is known; but for what may be damaged frames, or more of a payload */
	return p->layout == LAYOUT_GUESS && !doubtful && line.p[0] == ' ' &&
		!(p->frames.len ? h.comm.len : p->header.rest.len);
}

/* 0, or what ends the run. */
static int take_line(struct perf_reader *p, struct slice line)
{
	struct stackline_frame parsed;
	bool frame;

	p->lines++;
	if (is_empty(line))
		/* between a header and its frames it ends nothing */
		return p->frames.len ? close_sample(p) : 0;
	if (is_comment(line) || slice_starts(line, SLICE("PERF_RECORD_")))
		return 0; /* of no task: --show-round-events and the like */
	frame = is_frame(p, line);
	if (!frame && perf_is_about_sample(line))
		return 0;
	if ((line.p[0] != ' ' && line.p[0] != '\t') || (!frame && is_header(p, line)))
		return take_header(p, line);
	if (p->open && p->doubtful && !p->frames.len && !frame) {
		int ret = close_sample(p);

		if (ret)
			return ret;
	}
	if (!p->open) {
		if (!frame || p->layout != LAYOUT_BARE) {
			reading_damage(p->r, p->lines, "a frame without a header before it");
			return 0;
		}
		p->header = (struct perf_header){ .period = 1 };
		p->open = true;
		p->doubtful = false;
	}
	if (!p->frames.len) {
		p->frames_line = p->lines;
		/* more of a tracepoint's payload */
		if (!perf_frame_parse(line, &p->modules, &parsed) && p->header.rest.len)
			return 0;
		if (p->doubtful)
			settle_guess(p, strbuf_slice(&p->line), &p->header);
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
	struct slice header, frames;
	struct perf_header h;
	bool doubtful;
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
	header = (struct slice){ text.p, (size_t)(lf - text.p) };
	if (!parse_header(p, header, &h, &doubtful))
		return 0;
	ret = fold_sample(p, &h, frames, p->lines + 2, true);
	if (ret == 1 && doubtful)
		settle_guess(p, header, &h);
	/* the header, the frames, the empty line */
	p->lines += ret ? lines + 3 : 0;
	*used = (size_t)(last + 2 - text.p);
	return ret;
}

enum { BARE_ENOUGH = 256 }; /* lines in a row that are frames: no more need to be looked at */

/* Whether frames come without headers: two samples, or a single one that is all there is. */
static enum sniff bare_sniff(struct slice head, bool whole)
{
	unsigned frames = 0;
	bool gap = false;

	while (head.len && frames < BARE_ENOUGH) {
		const char *lf = memchr(head.p, '\n', head.len);
		struct slice line = { head.p, lf ? (size_t)(lf - head.p) : head.len };

		/* it may be cut */
		if (!lf && (!whole || frames))
			break;
		head.p += line.len + (lf != NULL);
		head.len -= line.len + (lf != NULL);
		if (is_empty(line))
			gap = frames > 0;
		else if (line.p[0] == '#' || perf_is_about_sample(line))
			continue;
		else if (!perf_is_aligned_frame(line))
			return SNIFF_NO;
		else if (gap)
			return SNIFF_YES;
		else
			frames++;
	}
	if (!whole && frames < BARE_ENOUGH)
		return SNIFF_MORE;
	return frames ? SNIFF_YES : SNIFF_NO;
}

/* The first header that a frame follows shows what headers are: those before it have none. */
static void learn_form(struct perf_reader *p, struct slice head)
{
	struct slice line = { "", 0 };
	struct perf_header h;
	bool doubtful;

	while (head.len) {
		const char *lf = memchr(head.p, '\n', head.len);
		struct slice next = { head.p, lf ? (size_t)(lf - head.p) : head.len };

		head.p += next.len + (lf != NULL);
		head.len -= next.len + (lf != NULL);
		if (perf_is_aligned_frame(next)) {
			if (!is_empty(line) && parse_header(p, line, &h, &doubtful) && doubtful)
				settle_guess(p, line, &h);
			break;
		}
		line = next;
	}
}

int perf_script_read(struct reading *r)
{
	struct perf_reader p = { .r = r };
	struct input *in = r->in;
	size_t want = 1, have = input_need(in, 1);
	int ret = 0;

	if (bare_sniff((struct slice){ in->buf + in->pos, have }, in->eof) == SNIFF_YES)
		p.layout = LAYOUT_BARE;
	else
		learn_form(&p, (struct slice){ in->buf + in->pos, have });
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
	struct slice line = { head.p, lf ? (size_t)(lf - head.p) : head.len }, next;
	struct perf_header h;
	bool ids;

	if (line.len && memchr(line.p, '\t', line.len) && !memchr(line.p, ' ', line.len) &&
	    !perf_looks_like_frame(line))
		return SNIFF_NO;
	if (perf_is_aligned_frame(line))
		return bare_sniff(head, whole);
	ids = perf_header_parse(line, &h);
	if (ids && h.certain)
		return SNIFF_YES;
	/* a map of bpftrace begins so, and its stacks may be addresses alone */
	if (!ids && (line.p[0] == '@' || !perf_header_guess(line, false, &h)))
		return SNIFF_NO;
	if (h.certain && (h.event.len || !h.rest.len || perf_frame_in_payload(h.rest).len))
		return SNIFF_YES;
	/* "java 12688": a folded line if no frame follows */
	if (!lf)
		return whole ? SNIFF_NO : SNIFF_MORE;
	head.len -= line.len + 1;
	head.p = lf + 1;
	lf = memchr(head.p, '\n', head.len);
	if (!lf && !whole)
		return SNIFF_MORE;
	next = (struct slice){ head.p, lf ? (size_t)(lf - head.p) : head.len };
	return (ids ? perf_looks_like_frame(next) : perf_is_aligned_frame(next)) ? SNIFF_YES :
		SNIFF_NO;
}
