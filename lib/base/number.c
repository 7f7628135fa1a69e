#include "base/number.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"

int number_u64(struct slice s, uint64_t *out)
{
	uint64_t v = 0;

	if (!s.len)
		return -EINVAL;
	for (size_t i = 0; i < s.len; i++) {
		unsigned d = (unsigned char)s.p[i] - '0';

		if (d > 9)
			return -EINVAL;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, d, &v))
			return -ERANGE;
	}
	*out = v;
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int number_hex(struct slice s, uint64_t *out)
{
	uint64_t v = 0;
	size_t i = 0;

	if (s.len > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X'))
		i = 2;
	if (i == s.len)
		return -EINVAL;
	for (; i < s.len; i++) {
		int d = hex_digit(s.p[i]);

		if (d < 0)
			return -EINVAL;
		if (v >> 60)
			return -ERANGE;
		v = v << 4 | (unsigned)d;
	}
	*out = v;
	return 0;
}

int number_seconds(struct slice s, uint64_t *ns)
{
	const char *dot = s.len ? memchr(s.p, '.', s.len) : NULL;
	struct slice whole = { s.p, dot ? (size_t)(dot - s.p) : s.len };
	uint64_t sec = 0, frac = 0, scale = 100000000;
	int r;

	if (whole.len || !dot) {
		r = number_u64(whole, &sec);
		if (r)
			return r;
	}
	if (dot) {
		size_t n = s.len - whole.len - 1;

		if (!n)
			return -EINVAL;
		for (size_t i = 0; i < n; i++, scale /= 10) {
			unsigned d = (unsigned char)dot[1 + i] - '0';

			if (d > 9)
				return -EINVAL;
			frac += d * scale;
		}
	}
	if (__builtin_mul_overflow(sec, 1000000000ull, &sec) ||
	    __builtin_add_overflow(sec, frac, &sec))
		return -ERANGE;
	*ns = sec;
	return 0;
}

int number_list(struct slice s, uint64_t max, uint64_t **list, size_t *n)
{
	uint64_t *v = NULL;
	size_t len = 0, cap = 0, at = 0;
	int r = 0;

	do {
		const char *comma = at < s.len ? memchr(s.p + at, ',', s.len - at) : NULL;
		size_t end = comma ? (size_t)(comma - s.p) : s.len;
		struct slice item = { s.p + at, end - at };
		const char *dash = item.len ? memchr(item.p, '-', item.len) : NULL;
		struct slice first = { item.p, dash ? (size_t)(dash - item.p) : item.len };
		uint64_t from, to;

		r = number_u64(first, &from);
		to = from;
		if (!r && dash)
			r = number_u64((struct slice){ dash + 1, item.len - first.len - 1 }, &to);
		if (!r && from > to)
			r = -EINVAL;
		if (!r && to > max)
			r = -ERANGE;
		for (uint64_t x = from; !r && x <= to; x++) {
			v = grow(v, len, &cap, sizeof(*v));
			v[len++] = x;
		}
		at = end + 1;
	} while (!r && at <= s.len);
	if (r) {
		free(v);
		return r;
	}
	*list = v;
	*n = len;
	return 0;
}
