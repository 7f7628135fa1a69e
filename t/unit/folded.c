/* Folded lines: the reader on lines of every sort, and reader after writer. */
#include "lines/folded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "tap.h"

static const char *text_of(struct slice s)
{
	static struct strbuf sb;

	strbuf_reset(&sb);
	strbuf_addslice(&sb, s);
	return strbuf_str(&sb);
}

static void is_line(const char *line, const char *stack, uint64_t count)
{
	struct folded f;
	const char *why;

	if (!ok(folded_parse(slice_str(line), &f, &why) == 1, "'%s' is a stack", line))
		return;
	is_str(text_of(f.stack), stack, "its stack");
	is_u64(f.count, count, "its count");
}

static void test_parse(void)
{
	static const char *const bad[] = {
		"5", "a", "a;b", "a -5", "a 1.5", "a 5x", "a 0x5", "a +5", "a 18446744073709551616",
		"a 99999999999999999999999",
	};
	static const char *const none[] = { "", " ", "\r", " \t\r", "#", "# a 5", "#\ta 5", "#a" };
	struct folded f;
	const char *why;

	is_line("a;b 5", "a;b", 5);
	is_line("a;b\t5", "a;b", 5);
	is_line("a;b  5", "a;b ", 5);
	is_line("a;b 5 \t\r", "a;b", 5);
	is_line("a;b c 12 5", "a;b c 12", 5);
	is_line(" 5", "", 5);
	is_line("a 0", "a", 0);
	is_line("a 18446744073709551615", "a", UINT64_MAX);
	is_line("#a;b 5", "#a;b", 5);
	is_line("a 007", "a", 7);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why = NULL;
		ok(folded_parse(slice_str(bad[i]), &f, &why) == -EINVAL && why && *why,
		   "'%s' is malformed, with a reason", bad[i]);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ok(folded_parse(slice_str(none[i]), &f, &why) == 0, "nothing in line %zu", i);
}

static void is_split(const char *line, const char *want)
{
	struct strbuf got = STRBUF_INIT;
	struct slice stack, count, before;
	const char *why = NULL;
	int r = folded_split(slice_str(line), &stack, &count, &why);

	if (r > 0) {
		bool two = folded_split_before(&stack, &before);

		strbuf_addf(&got, "<%.*s>", (int)stack.len, stack.p);
		if (two)
			strbuf_addf(&got, "%.*s,", (int)before.len, before.p);
		strbuf_addslice(&got, count);
	} else if (r < 0) {
		strbuf_addstr(&got, why);
	}
	is_str(strbuf_str(&got), want, "parts of '%s'", line);
	strbuf_release(&got);
}

static void test_split(void)
{
	is_split("a;b 5", "<a;b>5");
	is_split("a;b 0.50\r", "<a;b>0.50");
	is_split("a;b 5.", "<a;b>5.");
	is_split("a;b 3 5", "<a;b>3,5");
	is_split("a;b 3.25\t 5 ", "<a;b>3.25,5");
	is_split("a 1 2 3", "<a 1>2,3");
	is_split(" 3 5", "<>3,5");
	is_split("3 5", "<3>5");
	is_split(" 5", "<>5");
	is_split("a b3 5", "<a b3>5");
	is_split("a 1.2.3 5", "<a 1.2.3>5");
	is_split("a -3 5", "<a -3>5");
	is_split("#a 3 5", "<#a>3,5");
	is_split("# a 3 5", "");
	is_split("#a b", "");
	is_split("a -5", "the count is negative");
	is_split("a -b", "no count (a number behind the last blank)");
	is_split("a 1e3", "the count is no plain number");
	is_split("a 1.2.3", "the count is no plain number");
	is_split("a .5", "no count (a number behind the last blank)");
	is_split("5", "no count (a number behind the last blank)");
}

static void is_frames(const char *stack, const char *want)
{
	struct slice s = slice_str(stack), frame;
	struct strbuf got = STRBUF_INIT;

	while (folded_next(&s, &frame)) {
		strbuf_addch(&got, '<');
		strbuf_addslice(&got, frame);
		strbuf_addch(&got, '>');
	}
	is_str(strbuf_str(&got), want, "frames of '%s'", stack);
	strbuf_release(&got);
}

/* What was written to a file by `count` through folded_write. */
static void is_written(struct slice stack, uint64_t count, const char *want)
{
	char path[] = "/tmp/folded.XXXXXX", buf[128];
	struct output out;
	ssize_t n;
	int fd = mkstemp(path), again = dup(fd);

	output_init(&out, fd);
	folded_write(&out, stack, count);
	ok(output_close(&out) == 0, "written");
	n = pread(again, buf, sizeof(buf) - 1, 0);
	buf[n > 0 ? n : 0] = '\0';
	is_str(buf, want, "a line");
	close(again);
	unlink(path);
}

static void test_names(void)
{
	static const struct {
		struct slice given;
		const char *want;
	} names[] = {
		{ SLICE("a;b;;c"), "x;a:b::c" },
		{ SLICE(";"), "x;:" },
		{ SLICE("a\nb\t\xff"), "x;a\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd" },
		{ SLICE(""), "x;" },
		{ SLICE("std::function<int (int, int)>"), "x;std::function<int (int, int)>" },
	};
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		strbuf_reset(&sb);
		strbuf_addstr(&sb, "x;");
		folded_add_frame(&sb, names[i].given);
		is_str(sb.buf, names[i].want, "name %zu as a frame, what was there left alone", i);
	}
	strbuf_release(&sb);
}

int main(void)
{
	test_parse();
	test_split();
	is_frames("", "");
	is_frames("a", "<a>");
	is_frames("a;b", "<a><b>");
	is_frames("a;;b", "<a><><b>");
	is_frames(";a", "<><a>");
	is_frames("a;", "<a>");
	is_written(SLICE("a;b"), 0, "a;b 0\n");
	is_written(SLICE("a b 12"), UINT64_MAX, "a b 12 18446744073709551615\n");
	is_written(SLICE(""), 7, " 7\n");
	test_names();
	return done_testing();
}
