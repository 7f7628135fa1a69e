#include "lines/folded.h"

#include "base/utf8.h"

void folded_write(struct output *out, struct slice stack, uint64_t count)
{
	char tail[22]; /* a blank, 20 digits, LF */
	size_t i = sizeof(tail);

	tail[--i] = '\n';
	do {
		tail[--i] = (char)('0' + count % 10);
		count /= 10;
	} while (count);
	tail[--i] = ' ';
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
