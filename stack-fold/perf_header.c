#include "perf_lines.h"

#include "base/number.h"
#include "perf_words.h"

/* "2026-11-30", which with the time of day stands before the time: of -F tod */
static bool is_date(struct slice word)
{
	size_t n = perf_digits(word, 0);

	return n >= 4 && n + 6 == word.len && word.p[n] == '-' && word.p[n + 3] == '-';
}

/* What perf's latency format tells of interrupts: "d.h1", "....", "dNs2". */
static bool is_flags(struct slice word)
{
	size_t modes = 0;

	/* -F misc: user, kernel, guest, hypervisor, … */
	while (modes < word.len && strchr("UKGHguhMEFSDptmds", word.p[modes]))
		modes++;
	if (word.len && word.len <= 3)
		return modes == word.len;
	if (word.len < 4 || word.len > 7 || perf_digits(word, 0) == word.len)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		if (!strchr(".#@0123456789dDNnpPsSbBXhHzZkK", word.p[i]))
			return false;
	}
	return true;
}

/* "cycles:u:", "sched:sched_switch:", "cpu/event=0x3c/:" */
static bool is_event(struct slice word)
{
	return word.len > 1 && word.p[word.len - 1] == ':' && !number_is_digit(word.p[0]);
}

/*
 * Whether a number with nothing behind it is a period: perf makes these ten columns wide, ids
 * seven, addresses 16. Where there is more before it, an id it is not.
 */
static bool is_period(struct slice line, struct slice word, bool no_id)
{
	const char *p = word.p;
	size_t width;

	while (p > line.p && p[-1] == ' ')
		p--;
	/* one blank is the end of what is before it */
	width = (size_t)(word.p + word.len - p) - (p > line.p);
	return width < 16 && (no_id || width >= 10);
}

/*
 * An event with blanks in its name, "raw 0x1b1:", "cycles/name=foo bar/:", with the colon; empty
 * if it is none. Any words before a colon are one if that is the end and `any` allows it.
 */
static struct slice blank_event(struct slice s, bool any)
{
	struct slice rest = s, word = perf_take_word(&rest), event = { s.p, 0 };
	bool raw = slice_eq(word, SLICE("raw")) && slice_starts(rest, SLICE("0x"));
	bool slash = word.len && word.p[0] != '/' && memchr(word.p, '/', word.len);

	while (rest.len && word.p[word.len - 1] != ':')
		word = perf_take_word(&rest);
	if (word.len && word.p[word.len - 1] == ':' &&
	    (raw || (slash && memchr(word.p, '/', word.len)) || (any && !rest.len)))
		event.len = (size_t)(word.p + word.len - s.p);
	return event;
}

/* What is behind the beginning of s, without the blanks it begins with. */
static struct slice behind(struct slice s, struct slice beginning)
{
	return slice_trim_start((struct slice){ s.p + beginning.len, s.len - beginning.len });
}

/* "prev_comm=perf prev_pid=1 …": a tracepoint's payload, where its event is not told */
static bool is_payload(struct slice s)
{
	size_t n = 0;

	while (n < s.len && (number_is_digit(s.p[n]) || s.p[n] == '_' ||
			     ((s.p[n] | 32) >= 'a' && (s.p[n] | 32) <= 'z')))
		n++;
	return n && n < s.len && s.p[n] == '=' && !number_is_digit(s.p[0]);
}

/* What follows the ids. False if it is not what perf writes there. */
static bool parse_rest(struct slice line, struct slice rest, struct perf_header *h)
{
	struct slice was, word;
	uint64_t period;
	bool any = false, timed = false;

	rest = slice_trim_start(rest);
	was = rest;
	word = perf_take_word(&rest);
	if (perf_is_cpu(word)) {
		h->cpu = (struct slice){ word.p + 1, word.len - 2 };
		while (h->cpu.len > 1 && h->cpu.p[0] == '0') {
			h->cpu.p++;
			h->cpu.len--;
		}
		any = true;
		was = rest;
		word = perf_take_word(&rest);
	}
	if (is_flags(word)) {
		struct slice after = rest, next = perf_take_word(&after);

		if (perf_is_time(next) || is_date(next)) {
			was = rest;
			word = perf_take_word(&rest);
		}
	}
	if (is_date(word)) {
		perf_take_word(&rest);
		word = perf_take_word(&rest);
	}
	if (perf_is_time(word)) {
		any = timed = true;
		h->time = word;
		was = rest;
		word = perf_take_word(&rest);
	}
	h->rest = was;
	if (word.len && number_u64(word, &period) == 0) {
		struct slice after = rest, next = perf_take_word(&after);

		if (is_event(next) || (!next.len && is_period(line, word, any))) {
			h->period = period;
			h->has_period = true;
			any = true;
			word = next;
			h->rest = rest;
			rest = after;
		} else if (timed && !after.len && memchr(next.p, ':', next.len)) {
			/* "cycles:u" without a colon behind it */
			h->period = period;
			h->has_period = true;
			h->event = next;
			h->rest = after;
			word.len = 0;
		} else if (timed) {
			next = blank_event(rest, true);
			if (next.len) {
				h->period = period;
				h->has_period = true;
				word = next;
				rest = behind(rest, next);
			}
		}
	} else if (timed && word.len && !is_event(word)) {
		struct slice event = blank_event(was, false);

		if (event.len) {
			word = event;
			rest = behind(was, event);
		}
	}
	if (is_event(word)) {
		h->event = (struct slice){ word.p, word.len - 1 };
		h->rest = rest;
		any = timed = true;
	}
	h->certain = timed || (h->rest.len && perf_is_address(line, h->rest));
	return h->certain || (any && !h->rest.len) || is_payload(h->rest);
}

enum { ID_DIGITS = 10 };

/* "1234/1235", "1234", "-1" */
static bool parse_ids(struct slice word, struct perf_header *h)
{
	size_t sign = word.len && word.p[0] == '-', n = perf_digits(word, sign), m;

	if (!n || n > ID_DIGITS)
		return false;
	h->pid = h->tid = (struct slice){ word.p, sign + n };
	if (h->pid.len == word.len) {
		h->pid.len = 0; /* a single number is the thread's */
		return true;
	}
	if (word.p[sign + n] != '/')
		return false;
	sign += n + 1;
	h->tid.p = word.p + sign;
	h->tid.len = word.len - sign;
	m = h->tid.len && h->tid.p[0] == '-';
	return perf_digits(h->tid, m) && m + perf_digits(h->tid, m) == h->tid.len;
}

/* "my prog 1224.160952:": of a header that tells no ids */
static bool ends_in_time(struct slice comm)
{
	size_t at = comm.len;
	struct slice word;

	while (at && !perf_is_blank(comm.p[at - 1]))
		at--;
	word = (struct slice){ comm.p + at, comm.len - at };
	return perf_is_exact_time(word);
}

/* The beginning of the line up to the blank at `at` is the comm. */
static bool parse_from(struct slice line, size_t at, struct perf_header *h, bool *ids)
{
	struct slice rest = slice_trim_start((struct slice){ line.p + at, line.len - at });
	struct slice word = perf_take_word(&rest);

	*h = (struct perf_header){ .period = 1 };
	h->comm = slice_trim_end((struct slice){ line.p, at });
	*ids = parse_ids(word, h) && !(!rest.len && is_period(line, word, false)) &&
		!ends_in_time(h->comm);
	if (!*ids)
		return false;
	h->rest = rest;
	return parse_rest(line, rest, h);
}

bool perf_header_parse(struct slice line, struct perf_header *out)
{
	struct perf_header loose = { 0 };
	bool found = false, ids;

	line = slice_trim_start(slice_trim_end(line));
	/* a comm may have blanks, and numbers: what follows the pid decides which it is */
	for (size_t at = 1; at < line.len; at++) {
		if (!perf_is_blank(line.p[at]) || perf_is_blank(line.p[at - 1]))
			continue;
		if (parse_from(line, at, out, &ids))
			return true;
		if (ids && !found && !out->rest.len) {
			loose = *out;
			found = true;
		}
	}
	*out = loose;
	return found;
}

/* The longest command names that perf has of a task, and of the kernel's own. */
enum { COMM_MAX = 15, KERNEL_COMM_MAX = 64 };

/*
 * A line that begins with something else than a comm. What is behind an event may be a
 * tracepoint's payload; without a time, a CPU or an id before it the event's name has to have
 * two parts, as a tracepoint's: a comm may end in a colon.
 */
static bool guess_without_comm(struct slice line, struct perf_header *h)
{
	struct slice text = slice_trim_start(line), rest = text, word = perf_take_word(&rest);

	*h = (struct perf_header){ .period = 1 };
	if (!is_period(line, word, false) && parse_ids(word, h)) {
		h->rest = rest;
		if (!rest.len)
			return true;
	} else {
		h->pid = h->tid = (struct slice){ "", 0 };
		rest = text;
	}
	if (!parse_rest(line, rest, h))
		return h->cpu.len;
	return !h->rest.len || perf_is_address(line, h->rest) || is_payload(h->rest) ||
		h->tid.len || h->cpu.len || h->time.len ||
		(h->event.len && memchr(h->event.p, ':', h->event.len));
}

/* A comm up to what else can be made out, or it is all the comm. */
static void guess_with_comm(struct slice line, struct perf_header *h)
{
	struct slice text = slice_trim_start(line);
	size_t at = 1;

	for (; at < text.len; at++) {
		if (!perf_is_blank(text.p[at]) || perf_is_blank(text.p[at - 1]))
			continue;
		*h = (struct perf_header){ .period = 1 };
		if (parse_rest(line, (struct slice){ text.p + at, text.len - at }, h))
			break;
	}
	if (at >= text.len)
		*h = (struct perf_header){ .period = 1 };
	h->comm = (struct slice){ text.p, at < text.len ? at : text.len };
}

bool perf_header_guess(struct slice line, bool has_comm, struct perf_header *out)
{
	line = slice_trim_end(line);
	if (has_comm || !guess_without_comm(line, out))
		guess_with_comm(line, out);
	out->certain = perf_is_exact_time(out->time) ||
		(out->rest.len && perf_is_address(line, out->rest));
	/* of the kernel's own hardly one has a blank; a payload has */
	return line.len && out->comm.len <= KERNEL_COMM_MAX &&
		(out->comm.len <= COMM_MAX || !memchr(out->comm.p, ' ', out->comm.len));
}
