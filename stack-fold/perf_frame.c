#include "perf_lines.h"

#include "base/strbuf.h"
#include "perf_words.h"

/*
 * "  dd 813 [003] 1.5:", "   1 12/13 cycles:", "  cc  ffffffff8225fd19 f": a command, whose name
 * looks like an address, that is not where perf has one. `rest` is what follows it.
 */
static bool is_comm(struct slice line, struct slice rest)
{
	size_t n = perf_digits(rest, 0);

	if (perf_is_address(line, line))
		return false;
	if (n && n + 1 < rest.len && rest.p[n] == '/' && number_is_digit(rest.p[n + 1]))
		return true;
	while (rest.len) {
		if (perf_is_address(line, rest) || perf_is_time(perf_take_word(&rest)))
			return true;
	}
	return false;
}

bool perf_looks_like_frame(struct slice line)
{
	struct slice rest = slice_trim_start(line);
	size_t n = perf_hex_digits(rest), at = n;

	if (!n || rest.len == line.len)
		return false;
	while (at < rest.len && rest.p[at] == ' ')
		at++;
	if (at == rest.len || rest.p[at] == '\r' || rest.p[at] == '\n')
		return perf_is_address(line, rest); /* alone */
	if (at == n)
		return rest.p[n] == '\t' && n < 16; /* behind 16 digits an instruction follows */
	return line.p[0] == '\t' || !is_comm(line, (struct slice){ rest.p + at, rest.len - at });
}

bool perf_is_aligned_frame(struct slice line)
{
	return perf_looks_like_frame(line) && perf_is_address(line, line);
}

struct slice perf_frame_in_payload(struct slice payload)
{
	const char *jump = memmem(payload.p, payload.len, " => ", 4);
	struct slice frame = { payload.p, 0 };
	size_t at = 0;

	/* of a branch the address it comes from */
	if (jump)
		payload.len = (size_t)(jump - payload.p);
	while (at < payload.len) {
		struct slice here = { payload.p + at, payload.len - at };
		struct slice rest = slice_trim_start(here), word;
		size_t n = perf_hex_digits(rest);

		/* behind what is asked for besides, such as the address of data, it is wide */
		if (perf_is_address(payload, here) ||
		    (!at && n && n < rest.len && rest.p[n] == ' '))
			frame = here;
		word = perf_take_word(&rest);
		at = (size_t)(word.p + word.len - payload.p);
	}
	return frame;
}

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
	/* a header has that behind its time or event */
	if (!line.len || !perf_is_blank(line.p[0]) || memmem(line.p, line.len, ": ", 2))
		return false;
	if (line.p[line.len - 1] == ']') {
		i = line.len - 1;
		while (i && perf_hex_digits((struct slice){ line.p + i - 1, 1 }))
			i--;
		return i > 1 && i < line.len - 1 && line.p[i - 1] == '[';
	}
	i = line.len;
	while (i && number_is_digit(line.p[i - 1]))
		i--;
	return i > 2 && i < line.len && line.p[i - 1] == ':';
}

/* "0x401136/0x401150/P/-/-/0", "main+0x4/f+0x0/M/-/-/12": of -F brstack and brstacksym */
static bool has_branch(struct slice line)
{
	for (size_t i = 0; i + 7 < line.len; i++) {
		if (line.p[i] == '/' && strchr("MPN-", line.p[i + 1]) && line.p[i + 2] == '/' &&
		    strchr("X-", line.p[i + 3]) && line.p[i + 4] == '/' &&
		    strchr("A-", line.p[i + 5]) && line.p[i + 6] == '/')
			return true;
	}
	return false;
}

bool perf_is_about_sample(struct slice line)
{
	static const struct slice begins[] = {
		SLICE("insn: "), SLICE("ilen: "), SLICE("ABI:"), SLICE("BPF output: "),
		SLICE("BPF string: "), SLICE("... not reaching sample"),
		SLICE("mismatch of LBR data and executable"),
	};
	struct slice rest = slice_trim(line), word;

	/* -F srccode: "|33   x = y;" */
	if (line.len > 1 && line.p[0] == '|' && number_is_digit(line.p[1]))
		return true;
	if (!line.len || !perf_is_blank(line.p[0]) || perf_looks_like_frame(line))
		return false;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (slice_starts(rest, begins[i]))
			return true;
	}
	if (is_source_line(line) || has_branch(rest))
		return true;
	/* -F brstackinsn: a function's name, and its instructions */
	if (line.p[0] == '\t' && rest.len > 1 && rest.p[rest.len - 1] == ':')
		return true;
	word = rest;
	word.len = perf_hex_digits(rest);
	if (word.len == 16 && word.len < rest.len && rest.p[16] == '\t')
		return true;
	/* a BPF output's "0008: 6e 67" */
	return word.len == 4 && rest.len > 5 && rest.p[4] == ':' && rest.p[5] == ' ';
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
	if (depth || (i && !perf_is_blank(s->p[i - 1]))) {
		for (i = s->len - 1; i > 0; i--) {
			if (s->p[i] == '(' && perf_is_blank(s->p[i - 1]))
				break;
		}
		if (s->p[i] != '(' || (i && !perf_is_blank(s->p[i - 1])))
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

	while (i && perf_hex_digits((struct slice){ s->p + i - 1, 1 }))
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

/*
 * "/tmp/perf-12.map", "/tmp/jitted-12-1.so", "[JIT] tid 12", and Android's "[JIT app cache]",
 * "/memfd:jit-cache", …
 */
static bool is_jit(struct slice dso, struct slice name)
{
	size_t end;

	if (slice_starts(dso, SLICE("[JIT")) || slice_starts(name, SLICE("memfd:jit-")) ||
	    slice_starts(name, SLICE("dalvik-jit-code-cache")) ||
	    slice_starts(dso, SLICE("[anon:dalvik-jit-code-cache")))
		return true;
	if (slice_starts(name, SLICE("perf-")) && perf_digits(name, 5)) {
		end = 5 + perf_digits(name, 5);
		return slice_eq((struct slice){ name.p + end, name.len - end }, SLICE(".map"));
	}
	return slice_starts(name, SLICE("jitted-")) && slice_cut_end(&name, SLICE(".so"));
}

/* Brackets that are memory of a process, not a module of the kernel: those have plain names. */
static bool is_user_memory(struct slice dso)
{
	static const struct slice names[] = {
		SLICE("[vdso]"), SLICE("[vdso32]"), SLICE("[vdsox32]"), SLICE("[vsyscall]"),
		SLICE("[stack]"), SLICE("[heap]"), SLICE("[vvar]"), SLICE("[vvar_vclock]"),
		SLICE("[uprobes]"), SLICE("[sigpage]"), SLICE("[vectors]"), SLICE("[anon]"),
		SLICE("[unknown]"),
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (slice_eq(dso, names[i]))
			return true;
	}
	return memchr(dso.p, ':', dso.len) || memchr(dso.p, ' ', dso.len);
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

/* "0 [truncated: no unwind info] ([unknown])", as stack-resolve --perf writes it. */
static bool is_remark(struct slice address, struct slice name, struct slice dso)
{
	return slice_eq(address, SLICE("0")) && slice_eq(dso, SLICE("[unknown]")) &&
		(slice_starts(name, SLICE("[truncated: ")) || slice_starts(name, SLICE("[lost: ")));
}

/* In the kernel's half of a 64-bit machine's addresses, but for the page of [vsyscall]. */
static bool is_kernel_address(struct slice address)
{
	return address.len == 16 && slice_starts(address, SLICE("ffff")) &&
		!slice_starts(address, SLICE("ffffffffff600"));
}

bool perf_frame_parse(struct slice line, struct intern *modules, struct stackline_frame *out)
{
	struct slice rest = slice_trim(line), dso = { "", 0 }, address = { "", 0 };
	bool has_dso;

	*out = (struct stackline_frame){ .module = { "", 0 }, .offset = { "", 0 },
					 .source = { "", 0 } };
	if (perf_looks_like_frame((struct slice){ line.p, (size_t)(rest.p + rest.len - line.p) }))
		address = perf_take_word(&rest);
	else if (perf_is_about_sample(line))
		return false;
	has_dso = take_dso(&rest, &dso);
	if (!address.len && !has_dso)
		return false;
	out->inlined = slice_eq(dso, SLICE("inlined"));
	if (out->inlined) {
		out->in_kernel = is_kernel_address(address);
	} else {
		slice_cut_end(&dso, SLICE(" (deleted)"));
		take_offset(&dso);
		set_module(dso, modules, out);
		if (!has_dso && is_kernel_address(address)) {
			out->kind = STACKLINE_KERNEL;
			out->in_kernel = true;
		}
	}
	if (slice_eq(rest, SLICE("[unknown]")) || !rest.len) {
		out->name = (struct slice){ "", 0 };
		if (out->kind == STACKLINE_JIT)
			out->module = dso; /* which map lacks it */
		else
			out->kind = STACKLINE_UNKNOWN;
		return true;
	}
	out->name = rest;
	if (is_remark(address, rest, dso))
		out->kind = STACKLINE_REMARK;
	else
		out->offset = take_offset(&out->name);
	return true;
}
