/* Stack lines: the reader on lines of every sort, and reader after writer on any names. */
#include "lines/stackline.h"

#include <errno.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "tap.h"

/* A slice as a string for is_str; valid until the next call. */
static const char *text_of(struct slice s)
{
	static struct strbuf sb;

	strbuf_reset(&sb);
	strbuf_addslice(&sb, s);
	return strbuf_str(&sb);
}

static void test_line(void)
{
	struct slice line = SLICE("12\tcpu-clock\t99\t3\t7\t8\ta b\t/x`main+0x1\t[kernel]`y\r");
	struct stackline s;
	struct slice frame;
	const char *why;

	ok(stackline_parse(line, &s, &why) == 1, "a whole line");
	is_u64(s.weight, 12, "weight");
	is_str(text_of(s.event), "cpu-clock", "event");
	is_str(text_of(s.time), "99", "time");
	is_str(text_of(s.cpu), "3", "cpu");
	is_str(text_of(s.pid), "7", "pid");
	is_str(text_of(s.tid), "8", "tid");
	is_str(text_of(s.comm), "a b", "comm");
	ok(stackline_next(&s.frames, &frame), "a first frame");
	is_str(text_of(frame), "/x`main+0x1", "it is the root");
	ok(stackline_next(&s.frames, &frame), "a second frame");
	is_str(text_of(frame), "[kernel]`y", "without the CR");
	ok(!stackline_next(&s.frames, &frame), "and no more");

	ok(stackline_parse(SLICE("1\te\t-\t-\t-\t-\tc"), &s, &why) == 1 && s.frames.len == 0,
	   "a line may have no frames");
	ok(s.frames.p == s.comm.p + 1, "its frames are the empty end of the line");
	ok(stackline_parse(SLICE("1\te\t-\t-\t-\t-\tc\t"), &s, &why) == 1 && s.frames.len == 0,
	   "also with a TAB behind the comm");
	ok(stackline_parse(SLICE("1\te\t-\t-\t-\t-\t\tf"), &s, &why) == 1 && s.comm.len == 0,
	   "a comm may be empty");
	s.frames = SLICE("a\t\tb");
	ok(stackline_next(&s.frames, &frame) && stackline_next(&s.frames, &frame) &&
	   frame.len == 0 && stackline_next(&s.frames, &frame) && frame.len == 1,
	   "two TABs have an empty frame between them");
}

static void test_bad_lines(void)
{
	static const char *const bad[] = {
		"1", "1\te\t-\t-\t-\t-", "\t\t\t\t\t\t\t", "x\te\t-\t-\t-\t-\tc\tf",
		"-1\te\t-\t-\t-\t-\tc\tf", "+1\te\t-\t-\t-\t-\tc\tf", " 1\te\t-\t-\t-\t-\tc\tf",
		"0\te\t-\t-\t-\t-\tc\tf", "1.5\te\t-\t-\t-\t-\tc\tf",
		"18446744073709551616\te\t-\t-\t-\t-\tc\tf", "1\te\tx\t-\t-\t-\tc\tf",
		"1\te\t-\t1a\t-\t-\tc\tf", "1\te\t-\t-\t--\t-\tc\tf", "1\te\t-\t-\t-\t\tc\tf",
		"a;b 12",
	};
	struct stackline s;
	const char *why;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why = NULL;
		ok(stackline_parse(slice_str(bad[i]), &s, &why) == -EINVAL && why && *why,
		   "malformed line %zu has a reason", i);
	}
	ok(stackline_parse(SLICE("18446744073709551615\te\t-\t-\t-\t-\tc\tf"), &s, &why) == 1 &&
	   s.weight == UINT64_MAX, "the largest weight");
	ok(stackline_parse(SLICE(""), &s, &why) == 0, "an empty line");
	ok(stackline_parse(SLICE("\r"), &s, &why) == 0, "a CR alone");
	ok(stackline_parse(SLICE("#"), &s, &why) == 0, "a comment");
}

static void is_frame(const char *text, enum stackline_kind kind, const char *module,
		     const char *name, const char *offset, const char *source, bool inlined,
		     bool in_kernel)
{
	struct stackline_frame f;

	stackline_frame(slice_str(text), &f);
	ok(f.kind == kind, "%s: kind %d", text, kind);
	is_str(text_of(f.module), module, "%s: module", text);
	is_str(text_of(f.name), name, "%s: name", text);
	is_str(text_of(f.offset), offset, "%s: offset", text);
	is_str(text_of(f.source), source, "%s: source", text);
	ok(f.inlined == inlined, "%s: inlined %d", text, inlined);
	ok(f.in_kernel == in_kernel, "%s: in the kernel %d", text, in_kernel);
}

static void test_frames(void)
{
	const enum stackline_kind user = STACKLINE_USER, kernel = STACKLINE_KERNEL,
		jit = STACKLINE_JIT, unknown = STACKLINE_UNKNOWN, remark = STACKLINE_REMARK;

	is_frame("/l/libc.so.6`malloc+0x1c", user, "/l/libc.so.6", "malloc", "0x1c", "", 0, 0);
	is_frame("/l/a`f", user, "/l/a", "f", "", "", 0, 0);
	is_frame("/l/a`f (inlined)", user, "/l/a", "f", "", "", 1, 0);
	is_frame("/l/a`f+0x2 @a b.c:12", user, "/l/a", "f", "0x2", "a b.c:12", 0, 0);
	is_frame("/l/a`f+0x2 @a.c:12 (inlined)", user, "/l/a", "f", "0x2", "a.c:12", 1, 0);
	is_frame("[kernel]`do_x+0xab", kernel, "[kernel]", "do_x", "0xab", "", 0, 1);
	is_frame("[kernel:nf]`x", kernel, "[kernel:nf]", "x", "", "", 0, 1);
	is_frame("[kernel]`0xffffffff81000000", unknown, "[kernel]", "0xffffffff81000000", "", "",
		 0, 1);
	is_frame("[jit]`a b;c+0x1", jit, "[jit]", "a b;c", "0x1", "", 0, 0);
	is_frame("/l/a`0x1f30", unknown, "/l/a", "0x1f30", "", "", 0, 0);
	is_frame("[vdso]`clock_gettime", user, "[vdso]", "clock_gettime", "", "", 0, 0);
	is_frame("[truncated: no unwind info]", remark, "", "[truncated: no unwind info]", "", "",
		 0, 0);
	is_frame("", remark, "", "", "", "", 0, 0);
	is_frame("`", user, "", "", "", "", 0, 0);
	is_frame("/l/a`", user, "/l/a", "", "", "", 0, 0);
	is_frame("/l/a`x`y+0x1", user, "/l/a", "x`y", "0x1", "", 0, 0);
	is_frame("/l/a`+0x10", user, "/l/a", "+0x10", "", "", 0, 0);
	is_frame("/l/a`f+0x", user, "/l/a", "f+0x", "", "", 0, 0);
	is_frame("/l/a`f+0xG", user, "/l/a", "f+0xG", "", "", 0, 0);
	is_frame("/l/a`f+0x8+0x10", user, "/l/a", "f+0x8", "0x10", "", 0, 0);
	is_frame("/l/a`0x12+0x3", user, "/l/a", "0x12", "0x3", "", 0, 0);
	is_frame("/l/a`operator@:1", user, "/l/a", "operator@:1", "", "", 0, 0);
	is_frame("/l/a`f @:1", user, "/l/a", "f @:1", "", "", 0, 0);
	is_frame("/l/a`f :1", user, "/l/a", "f :1", "", "", 0, 0);
	is_frame("[kernelx]`f", user, "[kernelx]", "f", "", "", 0, 0);
	is_frame("/l/a`[lost: x]", user, "/l/a", "[lost: x]", "", "", 0, 0);
}

static void test_events(void)
{
	struct stackline_event ev;
	struct strbuf sb = STRBUF_INIT;

	ok(stackline_parse_event(SLICE("# event cpu-clock samples 10101010\r"), &ev), "an event");
	is_str(text_of(ev.name), "cpu-clock", "its name");
	is_str(text_of(ev.unit), "samples", "its unit");
	is_u64(ev.period_ns, 10101010, "its period");
	ok(stackline_parse_event(SLICE("# event a b ns 0"), &ev) && ev.name.len == 3,
	   "a name with a blank");
	ok(!stackline_parse_event(SLICE("# event "), &ev), "nothing");
	ok(!stackline_parse_event(SLICE("# event x 1"), &ev), "no unit");
	ok(!stackline_parse_event(SLICE("# event x ns 1x"), &ev), "no period");
	ok(!stackline_parse_event(SLICE("# events x ns 1"), &ev), "another comment");
	ok(!stackline_parse_event(SLICE("1\te\t-\t-\t-\t-\tc\tf"), &ev), "a stack line");

	ev = (struct stackline_event){ SLICE("a\nb"), SLICE("ns"), UINT64_MAX };
	stackline_add_event(&sb, &ev);
	is_str(sb.buf, "# event a\xef\xbf\xbd" "b ns 18446744073709551615\n", "written clean");
	strbuf_release(&sb);
}

static void test_writer(void)
{
	struct stackline_head head = {
		.weight = 5, .event = SLICE("e"), .comm = SLICE(""),
	};
	struct strbuf sb = STRBUF_INIT;

	stackline_begin(&sb, &head);
	stackline_add_text(&sb, SLICE("[lost: x]"));
	stackline_end(&sb);
	is_str(sb.buf, "5\te\t-\t-\t-\t-\t-\t[lost: x]\n", "what does not apply is a dash");

	strbuf_reset(&sb);
	head.has_time = head.has_pid = true;
	head.time_ns = UINT64_MAX;
	head.comm = SLICE("a\tb\n\x1b[31m\xff");
	stackline_begin(&sb, &head);
	stackline_end(&sb);
	is_str(sb.buf, "5\te\t18446744073709551615\t0\t0\t0\t"
	       "a\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd[31m\xef\xbf\xbd\n",
	       "a comm cannot break the line");

	strbuf_reset(&sb);
	stackline_add_symbol(&sb, SLICE("/a`b"), SLICE("x\ty"), 0, 0);
	is_str(sb.buf, "/a\xef\xbf\xbd" "b`x\xef\xbf\xbdy+0x0", "a module cannot hold a backtick");
	strbuf_reset(&sb);
	stackline_add_symbol(&sb, SLICE("/a"), SLICE("x"), -1, 7);
	is_str(sb.buf, "/a`x", "no offset");
	strbuf_reset(&sb);
	stackline_add_symbol(&sb, SLICE("/a"), SLICE(""), 3, 0xabc);
	is_str(sb.buf, "/a`0xabc", "no name: the address");
	strbuf_release(&sb);
}

/* xorshift; the same bytes in each run */
static uint64_t rng = 88172645463325252ull;
static unsigned roll(unsigned n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (unsigned)(rng % n);
}

static struct slice any_name(char *buf, size_t max)
{
	static const char spice[] =
		"\t\n\r`;<>&\"' +0x@:#[]()\x1b\x7f\xc2\x85\xe2\x80\xa8\xff_af19";
	size_t n = roll((unsigned)max);

	for (size_t i = 0; i < n; i++)
		buf[i] = roll(3) ? spice[roll(sizeof(spice))] : (char)roll(256);
	return (struct slice){ buf, n };
}

/* What the reader should give for a name that the writer was given. */
static bool cleaned_is(struct slice got, struct slice given, char tick, const char *empty)
{
	struct strbuf sb = STRBUF_INIT, ticked = STRBUF_INIT;
	bool same;

	for (size_t i = 0; i < given.len; i++) {
		if (given.p[i] == tick)
			strbuf_addch(&ticked, '\x01');
		else
			strbuf_addch(&ticked, given.p[i]);
	}
	strbuf_addclean(&sb, strbuf_slice(&ticked));
	if (!sb.len)
		strbuf_addstr(&sb, empty);
	same = slice_eq(got, strbuf_slice(&sb));
	strbuf_release(&sb);
	strbuf_release(&ticked);
	return same;
}

static bool round_trip(void)
{
	char b[4][24];
	struct slice event = any_name(b[0], 24), comm = any_name(b[1], 24);
	struct slice module = any_name(b[2], 24), name = any_name(b[3], 24);
	struct stackline_head head = {
		.weight = rng | 1, .event = event, .comm = comm, .has_time = roll(2),
		.has_pid = roll(2), .time_ns = rng, .cpu = roll(100), .pid = roll(4000000),
	};
	struct strbuf sb = STRBUF_INIT, frame = STRBUF_INIT;
	uint64_t addr = rng;
	int64_t offset = roll(10000);
	struct stackline_frame f;
	struct stackline s;
	struct slice raw = { "", 0 };
	const char *why;
	bool good;

	stackline_add_symbol(&frame, module, name, offset, addr);
	stackline_begin(&sb, &head);
	stackline_add_text(&sb, strbuf_slice(&frame));
	stackline_add_text(&sb, strbuf_slice(&frame));
	stackline_end(&sb);
	good = !memchr(sb.buf, '\n', sb.len - 1) && utf8_is_clean(strbuf_slice(&frame));
	good = good && stackline_parse((struct slice){ sb.buf, sb.len - 1 }, &s, &why) == 1;
	good = good && s.weight == head.weight && cleaned_is(s.event, event, '\t', "-") &&
	       cleaned_is(s.comm, comm, '\t', "-");
	good = good && stackline_next(&s.frames, &raw) && stackline_next(&s.frames, &raw) &&
	       !s.frames.len && slice_eq(raw, strbuf_slice(&frame));
	stackline_frame(raw, &f);
	good = good && cleaned_is(f.module, module, '`', "");
	if (name.len)
		good = good && cleaned_is(f.name, name, '\t', "") && f.offset.len > 2 &&
		       strtoll(text_of(f.offset), NULL, 16) == offset;
	else
		good = good && f.kind == STACKLINE_UNKNOWN &&
		       strtoull(text_of(f.name), NULL, 16) == addr;
	strbuf_release(&sb);
	strbuf_release(&frame);
	return good;
}

static void test_files(void)
{
	struct strbuf sb = STRBUF_INIT;
	struct stackline_file f;

	stackline_add_file(&sb, (struct slice){ "\x0a\xff\x10", 3 }, SLICE("/a b`c\n"));
	is_str(strbuf_str(&sb), "# file 0aff10 /a b\xef\xbf\xbd" "c\xef\xbf\xbd\n",
	       "a file comment");
	ok(stackline_parse_file((struct slice){ sb.buf, sb.len - 1 }, &f), "it is read");
	is_str(text_of(f.build_id), "0aff10", "its build-id");
	is_str(text_of(f.path), "/a b\xef\xbf\xbd" "c\xef\xbf\xbd", "its path, with a blank");
	ok(stackline_parse_file(SLICE("# file 00 x\r"), &f), "a CR is passed over");
	is_str(text_of(f.path), "x", "and not of the path");
	ok(stackline_parse_file(SLICE("# file - /a"), &f) && !f.build_id.len, "an unknown build");
	is_str(text_of(f.path), "/a", "and its path");
	ok(!stackline_parse_file(SLICE("# file - "), &f), "and no path");
	strbuf_reset(&sb);
	stackline_add_file(&sb, (struct slice){ "", 0 }, SLICE("/a"));
	is_str(strbuf_str(&sb), "# file - /a\n", "it is written");
	ok(!stackline_parse_file(SLICE("# file 0aff1 /a"), &f), "half a byte");
	ok(!stackline_parse_file(SLICE("# file 0AFF /a"), &f), "upper-case digits");
	ok(!stackline_parse_file(SLICE("# file  /a"), &f), "no build-id");
	ok(!stackline_parse_file(SLICE("# file 0aff "), &f), "no path");
	ok(!stackline_parse_file(SLICE("# file 0aff"), &f), "nor a blank");
	ok(!stackline_parse_file(SLICE("# event cpu-clock samples 1"), &f), "another comment");
	strbuf_release(&sb);
}

static void test_starts(void)
{
	struct stackline_start start = { UINT64_MAX, 7 }, got;
	struct strbuf sb = STRBUF_INIT;

	stackline_add_start(&sb, &start);
	is_str(strbuf_str(&sb), "# start 18446744073709551615 7\n", "a start comment");
	ok(stackline_parse_start((struct slice){ sb.buf, sb.len - 1 }, &got), "it is read");
	ok(got.real_ns == UINT64_MAX && got.mono_ns == 7, "as it was");
	ok(stackline_parse_start(SLICE("# start 1 2\r"), &got) && got.mono_ns == 2, "with a CR");
	ok(!stackline_parse_start(SLICE("# start 1"), &got), "one number");
	ok(!stackline_parse_start(SLICE("# start 1 x"), &got), "no number");
	ok(!stackline_parse_start(SLICE("# start 1 2 3"), &got), "three");
	ok(!stackline_parse_start(SLICE("# start 18446744073709551616 2"), &got), "too large");
	strbuf_release(&sb);
}

int main(void)
{
	unsigned i = 0;

	test_line();
	test_bad_lines();
	test_frames();
	test_events();
	test_files();
	test_starts();
	test_writer();
	while (i < 20000 && round_trip())
		i++;
	is_u64(i, 20000, "what the writer writes of any names, the reader reads");
	return done_testing();
}
