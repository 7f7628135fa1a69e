/*
 * The one way lib reads untrusted binary data: a position within (buf, len) that
 * cannot leave it. A read past the end yields zero, sets `bad`, and every later
 * read does the same, so a parser may read a whole structure and test once.
 * Little-endian.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/slice.h"

struct cursor {
	const uint8_t *buf;
	size_t len;
	size_t pos;
	bool bad;
};

static inline struct cursor cursor_of(const void *buf, size_t len)
{
	return (struct cursor){ .buf = buf, .len = len };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->bad ? 0 : c->len - c->pos;
}

/* n bytes in place, or NULL with `bad` set. */
static inline const void *cursor_bytes(struct cursor *c, size_t n)
{
	const uint8_t *p = c->buf + c->pos;

	if (c->bad || n > c->len - c->pos) {
		c->bad = true;
		return NULL;
	}
	c->pos += n;
	return p;
}

/* As cursor_bytes; on failure an empty slice. */
static inline struct slice cursor_slice(struct cursor *c, size_t n)
{
	const char *p = cursor_bytes(c, n);

	return (struct slice){ p ? p : "", p ? n : 0 };
}

static inline void cursor_skip(struct cursor *c, size_t n)
{
	(void)cursor_bytes(c, n);
}

/* Goes to an absolute position; past the end is bad. */
static inline void cursor_seek(struct cursor *c, size_t pos)
{
	if (pos > c->len)
		c->bad = true;
	else if (!c->bad)
		c->pos = pos;
}

#define CURSOR_READ(name, type)                                   \
	static inline type cursor_##name(struct cursor *c)        \
	{                                                         \
		const void *p = cursor_bytes(c, sizeof(type));    \
		type v = 0;                                       \
		if (p)                                            \
			memcpy(&v, p, sizeof(v));                 \
		return v;                                         \
	}
CURSOR_READ(u8, uint8_t)
CURSOR_READ(u16, uint16_t)
CURSOR_READ(u32, uint32_t)
CURSOR_READ(u64, uint64_t)
#undef CURSOR_READ

/*
 * LEB128 (DWARF 5, 7.6), of at most 10 bytes: enough for 64 bits, and a longer one is
 * bad. Bits beyond the 64th are dropped.
 */
static inline uint64_t cursor_uleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70 && cursor_left(c); shift += 7) {
		uint8_t byte = c->buf[c->pos++];

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70 && cursor_left(c); shift += 7) {
		uint8_t byte = c->buf[c->pos++];

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			v |= ~0ull << (shift + 7);
		return (int64_t)v;
	}
	c->bad = true;
	return 0;
}

/* The bytes up to a NUL, which is passed over; without one, bad and empty. */
static inline struct slice cursor_cstr(struct cursor *c)
{
	const char *p = (const char *)c->buf + c->pos;
	const char *nul = cursor_left(c) ? memchr(p, 0, c->len - c->pos) : NULL;

	if (!nul) {
		c->bad = true;
		return (struct slice){ "", 0 };
	}
	c->pos += (size_t)(nul - p) + 1;
	return (struct slice){ p, (size_t)(nul - p) };
}

#endif
