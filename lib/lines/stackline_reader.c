#include "lines/stackline.h"

#include <errno.h>

#include "base/number.h"

static struct slice without_cr(struct slice line)
{
	if (line.len && line.p[line.len - 1] == '\r')
		line.len--;
	return line;
}

/*
 * Takes the bytes before the next TAB off *s, and the TAB; false without one.
 * The leading fields are a few bytes each: a loop beats a call of memchr.
 */
static bool take_field(struct slice *s, struct slice *field)
{
	size_t i = 0;

	while (i < s->len && s->p[i] != '\t')
		i++;
	*field = (struct slice){ s->p, i };
	if (i == s->len)
		return false;
	s->p += i + 1;
	s->len -= i + 1;
	return true;
}

/* "-" or decimal digits */
static bool is_dash_or_number(struct slice s)
{
	if (s.len == 1 && s.p[0] == '-')
		return true;
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)(s.p[i] - '0') > 9)
			return false;
	}
	return s.len > 0;
}

int stackline_parse(struct slice line, struct stackline *out, const char **why)
{
	struct slice weight;
	int r;

	line = without_cr(line);
	if (!line.len || line.p[0] == '#')
		return 0;
	if (!take_field(&line, &weight) || !take_field(&line, &out->event) ||
	    !take_field(&line, &out->time) || !take_field(&line, &out->cpu) ||
	    !take_field(&line, &out->pid) || !take_field(&line, &out->tid)) {
		*why = "fewer than seven TAB-separated fields";
		return -EINVAL;
	}
	/* the TAB behind the comm may be missing: a sample without a stack */
	if (!take_field(&line, &out->comm))
		line = (struct slice){ out->comm.p + out->comm.len, 0 };
	out->frames = line;

	r = number_u64(weight, &out->weight);
	if (r) {
		*why = r == -ERANGE ? "the weight is too large" : "the weight is not a number";
		return -EINVAL;
	}
	if (!out->weight) {
		*why = "the weight is zero";
		return -EINVAL;
	}
	if (!is_dash_or_number(out->time) || !is_dash_or_number(out->cpu) ||
	    !is_dash_or_number(out->pid) || !is_dash_or_number(out->tid)) {
		*why = "time, cpu, pid or tid is neither a number nor \"-\"";
		return -EINVAL;
	}
	return 1;
}

/* Takes what stands behind the last blank of *s off it, and the blank. */
static bool take_last_word(struct slice *s, struct slice *word)
{
	size_t at = s->len;

	while (at && s->p[at - 1] != ' ')
		at--;
	if (!at)
		return false;
	*word = (struct slice){ s->p + at, s->len - at };
	s->len = at - 1;
	return true;
}

/* Takes what a comment begins with off its line, and a CR off its end; false without it. */
static bool take_intro(struct slice *line, struct slice intro)
{
	if (!slice_starts(*line, intro))
		return false;
	*line = without_cr(*line);
	line->p += intro.len;
	line->len -= intro.len;
	return true;
}

bool stackline_parse_event(struct slice line, struct stackline_event *out)
{
	struct slice period;

	if (!take_intro(&line, SLICE("# event ")))
		return false;
	/* from the right: a name may hold blanks */
	if (!take_last_word(&line, &period) || !take_last_word(&line, &out->unit) ||
	    !line.len || !out->unit.len || number_u64(period, &out->period_ns))
		return false;
	out->name = line;
	return true;
}

bool stackline_parse_file(struct slice line, struct stackline_file *out)
{
	const char *blank;

	if (!take_intro(&line, SLICE("# file ")))
		return false;
	blank = memchr(line.p, ' ', line.len);
	if (!blank)
		return false;
	out->build_id = (struct slice){ line.p, (size_t)(blank - line.p) };
	out->path = (struct slice){ blank + 1, line.len - out->build_id.len - 1 };
	if (slice_eq(out->build_id, SLICE("-"))) {
		out->build_id.len = 0;
		return out->path.len != 0;
	}
	return out->build_id.len && out->build_id.len % 2 == 0 &&
	       number_hex_tail(out->build_id) == 0 && out->path.len;
}

bool stackline_parse_start(struct slice line, struct stackline_start *out)
{
	struct slice mono;

	return take_intro(&line, SLICE("# start ")) && take_last_word(&line, &mono) &&
	       number_u64(line, &out->real_ns) == 0 && number_u64(mono, &out->mono_ns) == 0;
}

bool stackline_next(struct slice *frames, struct slice *text)
{
	const char *tab;

	if (!frames->len)
		return false;
	tab = memchr(frames->p, '\t', frames->len);
	if (!tab) {
		*text = *frames;
		frames->p += frames->len;
		frames->len = 0;
		return true;
	}
	*text = (struct slice){ frames->p, (size_t)(tab - frames->p) };
	frames->p += text->len + 1;
	frames->len -= text->len + 1;
	return true;
}

/* Takes " @file:123" off *s; empty if there is none. */
static struct slice take_source(struct slice *s)
{
	size_t i = s->len, colon;

	while (i && number_is_digit(s->p[i - 1]))
		i--;
	if (i == s->len || !i || s->p[i - 1] != ':')
		return (struct slice){ "", 0 };
	for (colon = --i; i >= 2; i--) {
		if (s->p[i - 2] == ' ' && s->p[i - 1] == '@' && i < colon) {
			struct slice source = { s->p + i, s->len - i };

			s->len = i - 2;
			return source;
		}
	}
	return (struct slice){ "", 0 };
}

/* Takes "+0x1c" off a name that does not consist of it alone; "0x1c", or empty. */
static struct slice take_offset(struct slice *name)
{
	size_t at = number_hex_tail(*name);
	struct slice offset = { "", 0 };

	if (at == name->len || at < 4 || memcmp(name->p + at - 3, "+0x", 3) != 0)
		return offset;
	offset = (struct slice){ name->p + at - 2, name->len - at + 2 };
	name->len = at - 3;
	return offset;
}

static bool is_address(struct slice name)
{
	return name.len > 2 && name.p[0] == '0' && name.p[1] == 'x' && number_hex_tail(name) <= 2;
}

static enum stackline_kind kind_of_module(struct slice module)
{
	if (!module.len || module.p[0] != '[')
		return STACKLINE_USER;
	if (slice_eq(module, SLICE("[kernel]")) || slice_starts(module, SLICE("[kernel:")))
		return STACKLINE_KERNEL;
	return slice_eq(module, SLICE("[jit]")) ? STACKLINE_JIT : STACKLINE_USER;
}

void stackline_frame(struct slice text, struct stackline_frame *out)
{
	const char *tick = text.len ? memchr(text.p, '`', text.len) : NULL;

	*out = (struct stackline_frame){
		.kind = STACKLINE_REMARK,
		.module = { "", 0 },
		.name = text,
		.offset = { "", 0 },
		.source = { "", 0 },
	};
	if (!tick)
		return;
	out->module = (struct slice){ text.p, (size_t)(tick - text.p) };
	out->name = (struct slice){ tick + 1, text.len - out->module.len - 1 };
	out->kind = kind_of_module(out->module);
	out->in_kernel = out->kind == STACKLINE_KERNEL;

	out->inlined = slice_cut_end(&out->name, SLICE(" (inlined)"));
	out->source = take_source(&out->name);
	if (is_address(out->name))
		out->kind = STACKLINE_UNKNOWN;
	else
		out->offset = take_offset(&out->name);
}
