#include "base/utf8.h"

size_t utf8_decode(const char *s, size_t len, uint32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t v, min;
	size_t n;

	if (!len)
		return 0;
	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] < 0xe0)
		n = 2, v = p[0] & 0x1f, min = 0x80;
	else if (p[0] >= 0xe0 && p[0] < 0xf0)
		n = 3, v = p[0] & 0x0f, min = 0x800;
	else if (p[0] >= 0xf0 && p[0] < 0xf5)
		n = 4, v = p[0] & 0x07, min = 0x10000;
	else
		return 0;
	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < min || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 0;
	*cp = v;
	return n;
}

static bool is_unsafe(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069);
}

/* Whether each of eight bytes is printable ASCII: 0x20 to 0x7e. */
static bool is_printable8(const char *p)
{
	const uint64_t ones = 0x0101010101010101ull, high = 0x80 * ones;
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	/* none has its high bit, none gets it by adding 1, none lacks it after adding 0x60 */
	return !((w | (w + ones)) & high) && !(~(w + 0x60 * ones) & high);
}

/* The length of the safe run at the start of s. */
static size_t clean_run(struct slice s)
{
	size_t i = 0;

	while (i < s.len) {
		unsigned char c;
		uint32_t cp;
		size_t n;

		while (s.len - i >= 8 && is_printable8(s.p + i))
			i += 8;
		if (i == s.len)
			break;
		c = (unsigned char)s.p[i];
		if (c >= 0x20 && c < 0x7f) {
			i++;
			continue;
		}
		n = utf8_decode(s.p + i, s.len - i, &cp);
		if (!n || is_unsafe(cp))
			break;
		i += n;
	}
	return i;
}

bool utf8_is_clean(struct slice s)
{
	return clean_run(s) == s.len;
}

void strbuf_addclean(struct strbuf *sb, struct slice s)
{
	while (s.len) {
		size_t run = clean_run(s);
		uint32_t cp;
		size_t n;

		strbuf_add(sb, s.p, run);
		s.p += run;
		s.len -= run;
		if (!s.len)
			break;
		strbuf_addstr(sb, "\xef\xbf\xbd");
		n = utf8_decode(s.p, s.len, &cp);
		n = n ? n : 1;
		s.p += n;
		s.len -= n;
	}
}
