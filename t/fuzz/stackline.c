/*
 * The stack-line reader on any line, and its promises: slices lie in the line, the
 * pieces of a frame make up its text, and what is written of it reads the same.
 */
#include "lines/stackline.h"

#include <stdlib.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

static bool within(struct slice inner, struct slice outer)
{
	return !inner.len || (inner.p >= outer.p && inner.p + inner.len <= outer.p + outer.len);
}

static void check_frame(struct slice text, struct strbuf *sb)
{
	struct stackline_frame f, again;

	stackline_frame(text, &f);
	check(within(f.module, text) && within(f.name, text));
	check(within(f.offset, text) && within(f.source, text));
	check(f.module.len + f.name.len + f.offset.len + f.source.len <= text.len);
	if (f.kind == STACKLINE_REMARK) {
		check(slice_eq(f.name, text));
		return;
	}
	/* clean names come back as they were */
	strbuf_reset(sb);
	stackline_add_symbol(sb, f.module, f.name.len ? f.name : SLICE("x"), 0x10, 0);
	stackline_frame(strbuf_slice(sb), &again);
	check(slice_eq(again.offset, SLICE("0x10")) && !again.inlined && !again.source.len);
	check(again.in_kernel == f.in_kernel);
}

static void check_line(struct slice line, struct strbuf *sb)
{
	struct stackline_event ev;
	struct stackline_file file;
	struct stackline s;
	struct slice text;
	const char *why;
	int r = stackline_parse(line, &s, &why);

	if (stackline_parse_event(line, &ev))
		check(r == 0 && within(ev.name, line) && within(ev.unit, line));
	if (stackline_parse_file(line, &file)) {
		check(r == 0 && within(file.build_id, line) && within(file.path, line));
		check(file.path.len && file.build_id.len % 2 == 0);
	}
	if (r < 0)
		check(why && *why);
	if (r <= 0)
		return;
	check(s.weight && within(s.event, line) && within(s.time, line) && within(s.cpu, line));
	check(within(s.pid, line) && within(s.tid, line) && within(s.comm, line));
	check(within(s.frames, line));
	while (stackline_next(&s.frames, &text)) {
		check(within(text, line) && !memchr(text.p, '\t', text.len));
		check_frame(text, sb);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = { (const char *)data, size };
	struct strbuf sb = STRBUF_INIT;

	check_frame(rest, &sb);
	while (rest.len) {
		const char *lf = memchr(rest.p, '\n', rest.len);
		struct slice line = { rest.p, lf ? (size_t)(lf - rest.p) : rest.len };

		check_line(line, &sb);
		rest.p += line.len + (lf != NULL);
		rest.len -= line.len + (lf != NULL);
	}
	strbuf_release(&sb);
	return 0;
}
