#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

void strbuf_release(struct strbuf *sb)
{
	free(sb->buf);
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_reserve(struct strbuf *sb, size_t extra)
{
	size_t need = sb->len + extra + 1;
	size_t cap = sb->cap ? sb->cap : 64;

	if (need <= sb->cap)
		return;
	while (cap < need)
		cap *= 2;
	sb->buf = xrealloc(sb->buf, cap);
	sb->cap = cap;
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	strbuf_reserve(sb, 64);
	n = vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, ap);
	if (n > 0 && (size_t)n >= sb->cap - sb->len) {
		strbuf_reserve(sb, (size_t)n);
		n = vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, again);
	}
	if (n > 0)
		sb->len += (size_t)n;
	va_end(again);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_addu64(struct strbuf *sb, uint64_t v)
{
	char tmp[20];
	size_t i = sizeof(tmp);

	if (v < 10) {
		strbuf_addch(sb, (char)('0' + v));
		return;
	}
	do {
		tmp[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	strbuf_add(sb, tmp + i, sizeof(tmp) - i);
}

void strbuf_addhex(struct strbuf *sb, uint64_t v)
{
	char tmp[16];
	size_t i = sizeof(tmp);

	do {
		tmp[--i] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	strbuf_add(sb, tmp + i, sizeof(tmp) - i);
}

int fail(struct strbuf *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	strbuf_reset(err);
	va_start(ap, fmt);
	strbuf_vaddf(err, fmt, ap);
	va_end(ap);
	return code;
}
