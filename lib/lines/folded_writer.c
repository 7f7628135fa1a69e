#include "lines/folded.h"

#include "base/utf8.h"

enum { COUNT_MAX = 21 }; /* a blank and 20 digits */

/* Puts a blank and the count before tail[i]; the place where they begin. */
static size_t put_count(char *tail, size_t i, uint64_t count)
{
	do {
		tail[--i] = (char)('0' + count % 10);
		count /= 10;
	} while (count);
	tail[--i] = ' ';
	return i;
}

void folded_write(struct output *out, struct slice stack, uint64_t count)
{
	char tail[COUNT_MAX + 1];
	size_t i = sizeof(tail);

	tail[--i] = '\n';
	i = put_count(tail, i, count);
	output_slice(out, stack);
	output_write(out, tail + i, sizeof(tail) - i);
}

void folded_write_differential(struct output *out, struct slice stack, uint64_t before,
			       uint64_t after)
{
	char tail[2 * COUNT_MAX + 1];
	size_t i = sizeof(tail);

	tail[--i] = '\n';
	i = put_count(tail, i, after);
	i = put_count(tail, i, before);
	output_slice(out, stack);
	output_write(out, tail + i, sizeof(tail) - i);
}

void folded_add_frame(struct strbuf *sb, struct slice name)
{
	size_t at = sb->len;

	strbuf_addclean(sb, name);
	for (char *p; at < sb->len; at = (size_t)(p - sb->buf) + 1) {
		p = memchr(sb->buf + at, ';', sb->len - at);
		if (!p)
			break;
		*p = ':';
	}
}
