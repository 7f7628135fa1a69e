#include "perf_lines.h"

#include "base/number.h"
#include "base/strbuf.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Takes what is before the next blank off *s, and the blanks behind it. */
static struct slice take_word(struct slice *s)
{
	struct slice word = { s->p, 0 };

	while (word.len < s->len && !is_blank(s->p[word.len]))
		word.len++;
	s->p += word.len;
	s->len -= word.len;
	*s = slice_trim_start(*s);
	return word;
}

static size_t digits(struct slice s, size_t at)
{
	size_t from = at;

	while (at < s.len && is_digit(s.p[at]))
		at++;
	return at - from;
}

/* ---- headers */

/* "[003]" */
static bool is_cpu(struct slice word)
{
	return word.len > 2 && word.p[0] == '[' && digits(word, 1) == word.len - 2 &&
		word.p[word.len - 1] == ']';
}

/* "1224.160952:" */
static bool is_time(struct slice word)
{
	size_t whole = digits(word, 0);

	return whole && whole + 2 < word.len && word.p[whole] == '.' &&
		digits(word, whole + 1) == word.len - whole - 2 && word.p[word.len - 1] == ':';
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
	if (word.len < 4 || word.len > 7)
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
	return word.len > 1 && word.p[word.len - 1] == ':' && !is_digit(word.p[0]);
}

/* What follows the pid. False if it is not what perf writes there. */
static bool parse_rest(struct slice rest, struct perf_header *h)
{
	struct slice was, word;
	uint64_t period;
	bool any = false, timed = false;

	rest = slice_trim_start(rest);
	was = rest;
	word = take_word(&rest);
	if (is_cpu(word)) {
		h->cpu = (struct slice){ word.p + 1, word.len - 2 };
		while (h->cpu.len > 1 && h->cpu.p[0] == '0') {
			h->cpu.p++;
			h->cpu.len--;
		}
		any = true;
		was = rest;
		word = take_word(&rest);
	}
	if (is_flags(word)) {
		struct slice after = rest;

		if (is_time(take_word(&after))) {
			was = rest;
			word = take_word(&rest);
		}
	}
	if (is_time(word)) {
		any = timed = true;
		was = rest;
		word = take_word(&rest);
	}
	h->rest = was;
	if (word.len && number_u64(word, &period) == 0) {
		struct slice after = rest, next = take_word(&after);

		if (is_event(next) || (!next.len && any)) {
			h->period = period;
			word = next;
			h->rest = rest;
			rest = after;
		}
	}
	if (is_event(word)) {
		h->event = (struct slice){ word.p, word.len - 1 };
		h->rest = rest;
		any = timed = true;
	}
	h->certain = timed;
	return any && (timed || !h->rest.len);
}

/* "1234/1235", "1234", "-1" */
static bool parse_ids(struct slice word, struct perf_header *h)
{
	size_t sign = word.len && word.p[0] == '-', n = digits(word, sign), m;

	if (!n)
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
	return digits(h->tid, m) && m + digits(h->tid, m) == h->tid.len;
}

/* The beginning of the line up to the blank at `at` is the comm. */
static bool parse_from(struct slice line, size_t at, struct perf_header *h, bool *ids)
{
	struct slice rest = slice_trim_start((struct slice){ line.p + at, line.len - at });

	*h = (struct perf_header){ .period = 1 };
	h->comm = slice_trim_end((struct slice){ line.p, at });
	*ids = parse_ids(take_word(&rest), h);
	if (!*ids)
		return false;
	h->rest = rest;
	return parse_rest(rest, h);
}

bool perf_header_parse(struct slice line, struct perf_header *out)
{
	struct perf_header loose = { 0 };
	bool found = false, ids;

	line = slice_trim_start(slice_trim_end(line));
	/* a comm may have blanks, and numbers: what follows the pid decides which it is */
	for (size_t at = 1; at < line.len; at++) {
		if (!is_blank(line.p[at]) || is_blank(line.p[at - 1]))
			continue;
		if (parse_from(line, at, out, &ids))
			return true;
		if (ids && !found) {
			loose = *out;
			found = true;
		}
	}
	*out = loose;
	return found && !loose.rest.len;
}

/* ---- frames */

bool perf_looks_like_frame(struct slice line)
{
	struct slice rest = slice_trim_start(line);
	size_t n = 0;

	if (!line.len || rest.len == line.len)
		return false;
	while (n < rest.len && is_hex(rest.p[n]))
		n++;
	return n && n < rest.len && is_blank(rest.p[n]);
}

/* Takes "(DSO)" off the end; the dso may hold brackets, too: "(/lib/x (deleted))". */
static bool take_dso(struct slice *s, struct slice *dso)
{
	size_t depth = 0, i = s->len;

	if (!s->len || s->p[s->len - 1] != ')')
		return false;
	while (i-- > 0) {
		depth += s->p[i] == ')';
		if (s->p[i] == '(' && --depth == 0)
			break;
	}
	/* brackets that do not match: the last one behind a blank it is, then */
	if (depth || (i && !is_blank(s->p[i - 1]))) {
		for (i = s->len - 1; i > 0; i--) {
			if (s->p[i] == '(' && is_blank(s->p[i - 1]))
				break;
		}
		if (s->p[i] != '(' || (i && !is_blank(s->p[i - 1])))
			return false;
	}
	*dso = (struct slice){ s->p + i + 1, s->len - i - 2 };
	*s = slice_trim_end((struct slice){ s->p, i });
	return true;
}

/* Takes "+0x1c" off: what it is without the '+', or empty. */
static struct slice take_offset(struct slice *s)
{
	struct slice offset = { "", 0 };
	size_t i = s->len;

	while (i && is_hex(s->p[i - 1]))
		i--;
	if (i == s->len || i < 4 || memcmp(s->p + i - 3, "+0x", 3) != 0)
		return offset;
	offset = (struct slice){ s->p + i - 2, s->len - i + 2 };
	s->len = i - 3;
	return offset;
}

static bool contains(struct slice s, struct slice part)
{
	return s.len && memmem(s.p, s.len, part.p, part.len) != NULL;
}

/* "/lib/modules/…/nf.ko.xz" */
static bool is_module_file(struct slice name)
{
	static const struct slice packed[] = { SLICE(".xz"), SLICE(".gz"), SLICE(".zst") };

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		slice_cut_end(&name, packed[i]);
	slice_cut_end(&name, SLICE(".debug"));
	return slice_cut_end(&name, SLICE(".ko"));
}

/* "/tmp/perf-12.map", "/tmp/jitted-12-1.so", "[JIT] tid 12" */
static bool is_jit(struct slice dso, struct slice name)
{
	if (slice_starts(dso, SLICE("[JIT]")))
		return true;
	if (slice_starts(name, SLICE("perf-")) && digits(name, 5))
		return slice_eq((struct slice){ name.p + 5 + digits(name, 5),
						name.len - 5 - digits(name, 5) }, SLICE(".map"));
	return slice_starts(name, SLICE("jitted-")) && slice_cut_end(&name, SLICE(".so"));
}

/* Brackets that are memory of a process, not a module of the kernel. */
static bool is_user_memory(struct slice dso)
{
	static const struct slice names[] = {
		SLICE("[vdso]"), SLICE("[vdso32]"), SLICE("[vdsox32]"), SLICE("[vsyscall]"),
		SLICE("[stack]"), SLICE("[heap]"), SLICE("[vvar]"), SLICE("[uprobes]"),
		SLICE("[sigpage]"), SLICE("[vectors]"), SLICE("[anon]"), SLICE("[unknown]"),
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (slice_eq(dso, names[i]))
			return true;
	}
	return slice_starts(dso, SLICE("[anon:")) || slice_starts(dso, SLICE("[stack:"));
}

static struct slice made_module(struct intern *modules, struct slice name)
{
	struct strbuf sb = STRBUF_INIT;
	struct slice made;

	strbuf_addf(&sb, "[kernel:%.*s]", (int)(name.len < 256 ? name.len : 256), name.p);
	made = intern_get(modules, intern_add(modules, strbuf_slice(&sb)));
	strbuf_release(&sb);
	return made;
}

static void set_module(struct slice dso, struct intern *modules, struct stackline_frame *f)
{
	struct slice name = slice_basename(dso);

	f->kind = STACKLINE_USER;
	f->module = dso;
	if (!dso.len || slice_eq(dso, SLICE("[unknown]"))) {
		f->module.len = 0;
	} else if (slice_starts(dso, SLICE("[kernel:"))) {
		f->kind = STACKLINE_KERNEL;
	} else if (slice_starts(dso, SLICE("[kernel")) ||
		   slice_starts(dso, SLICE("[guest.kernel"))) {
		f->kind = STACKLINE_KERNEL;
		f->module = SLICE("[kernel]");
	} else if (is_jit(dso, name)) {
		f->kind = STACKLINE_JIT;
		f->module = SLICE("[jit]");
	} else if (slice_starts(name, SLICE("bpf_prog_")) || slice_eq(dso, SLICE("[bpf]"))) {
		f->kind = STACKLINE_KERNEL;
		f->module = SLICE("[kernel:bpf]");
	} else if (slice_starts(name, SLICE("vmlinux")) || is_module_file(name) ||
		   contains(dso, SLICE("/vmlinux"))) {
		f->kind = STACKLINE_KERNEL;
	} else if (dso.p[0] == '[' && dso.len > 2 && dso.p[dso.len - 1] == ']' &&
		   !is_user_memory(dso)) {
		f->kind = STACKLINE_KERNEL;
		f->module = made_module(modules, (struct slice){ dso.p + 1, dso.len - 2 });
	}
	f->in_kernel = f->kind == STACKLINE_KERNEL;
}

bool perf_frame_parse(struct slice line, struct intern *modules, struct stackline_frame *out)
{
	struct slice rest = slice_trim(line), dso = { "", 0 }, address = { "", 0 };
	bool has_dso;

	*out = (struct stackline_frame){ .module = { "", 0 }, .offset = { "", 0 },
					 .source = { "", 0 } };
	if (perf_looks_like_frame((struct slice){ line.p, (size_t)(rest.p + rest.len - line.p) }))
		address = take_word(&rest);
	has_dso = take_dso(&rest, &dso);
	if (!address.len && !has_dso)
		return false;
	out->inlined = slice_eq(dso, SLICE("inlined"));
	if (out->inlined) {
		/* of the kernel's half of the addresses: the frame it is in is, too */
		out->in_kernel = address.len == 16 && slice_starts(address, SLICE("ffff"));
	} else {
		slice_cut_end(&dso, SLICE(" (deleted)"));
		if (dso.len && dso.p[0] == '/')
			take_offset(&dso);
		set_module(dso, modules, out);
	}
	if (slice_eq(rest, SLICE("[unknown]")) || !rest.len) {
		out->kind = STACKLINE_UNKNOWN;
		out->name = (struct slice){ "", 0 };
		return true;
	}
	out->offset = take_offset(&rest);
	out->name = rest;
	return true;
}
