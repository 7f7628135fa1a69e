/* The folded reader on any line; what it gives reads the same when written again. */
#include "lines/folded.h"

#include <stdlib.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_again(const struct folded *f)
{
	struct strbuf sb = STRBUF_INIT;
	struct folded again;
	const char *why;

	strbuf_addslice(&sb, f->stack);
	strbuf_addch(&sb, ' ');
	strbuf_addu64(&sb, f->count);
	check(folded_parse(strbuf_slice(&sb), &again, &why) == 1);
	check(slice_eq(again.stack, f->stack) && again.count == f->count);
	strbuf_release(&sb);
}

static void check_line(struct slice line)
{
	struct strbuf sb = STRBUF_INIT;
	struct folded f;
	struct slice frame, stack;
	size_t bytes = 0;
	const char *why;
	int r = folded_parse(line, &f, &why);

	if (r < 0)
		check(why && *why);
	if (r == 1) {
		check(f.stack.p >= line.p && f.stack.p + f.stack.len <= line.p + line.len);
		check_again(&f);
		for (stack = f.stack; folded_next(&stack, &frame); bytes += frame.len + 1)
			check(!memchr(frame.p, ';', frame.len));
		check(bytes == f.stack.len || bytes == f.stack.len + 1);
	}
	folded_add_frame(&sb, line);
	check(!sb.len || !memchr(sb.buf, ';', sb.len));
	strbuf_release(&sb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = { (const char *)data, size };

	while (rest.len) {
		const char *lf = memchr(rest.p, '\n', rest.len);
		struct slice line = { rest.p, lf ? (size_t)(lf - rest.p) : rest.len };

		check_line(line);
		rest.p += line.len + (lf != NULL);
		rest.len -= line.len + (lf != NULL);
	}
	return 0;
}
