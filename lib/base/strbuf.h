/*
 * Growable bytes. `buf` is always NUL-terminated once anything was added, and
 * may hold NULs within `len`. Zero-initialized is empty and valid; what it owns
 * is freed by strbuf_release, which leaves it empty and usable again.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stdint.h>

#include "base/slice.h"

struct strbuf {
	char *buf;
	size_t len;
	size_t cap;
};

#define STRBUF_INIT { 0 }

void strbuf_release(struct strbuf *sb);

/* Room for `extra` further bytes and a NUL without another allocation. */
void strbuf_reserve(struct strbuf *sb, size_t extra);

/* Empties it and keeps the memory. */
static inline void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->buf)
		sb->buf[0] = '\0';
}

/* Inline, as the next three: most of a tool's output goes through them in small pieces. */
static inline void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	if (sb->cap - sb->len <= len)
		strbuf_reserve(sb, len);
	if (len)
		memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

static inline void strbuf_addch(struct strbuf *sb, char c)
{
	if (sb->cap - sb->len <= 1)
		strbuf_reserve(sb, 1);
	sb->buf[sb->len++] = c;
	sb->buf[sb->len] = '\0';
}

static inline void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

static inline void strbuf_addslice(struct strbuf *sb, struct slice s)
{
	strbuf_add(sb, s.p, s.len);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap);

/* Decimal, and lower-case hexadecimal without a prefix; no stdio, for hot paths. */
void strbuf_addu64(struct strbuf *sb, uint64_t v);
void strbuf_addhex(struct strbuf *sb, uint64_t v);

/* The NUL-terminated content; "" when nothing was ever added. */
static inline const char *strbuf_str(const struct strbuf *sb)
{
	return sb->buf ? sb->buf : "";
}

static inline struct slice strbuf_slice(const struct strbuf *sb)
{
	return (struct slice){ strbuf_str(sb), sb->len };
}

/*
 * The way lib reports a failure: replaces *err (may be NULL) by the formatted
 * reason and returns `code`, a negative errno. `return fail(err, -EINVAL, "…")`.
 */
int fail(struct strbuf *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
