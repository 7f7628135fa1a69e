#include "label.h"

#include "base/utf8.h"

enum { WIDE_FROM = 0x1100 };

/* What stands for the byte in XML; NULL for itself. */
static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;"; /* "]]>" is an error in character data */
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void add_escaped(struct strbuf *sb, struct slice s)
{
	size_t from = 0;

	for (size_t i = 0; i < s.len; i++) {
		const char *as = entity(s.p[i]);
		size_t n = 1;

		if (!as && s.len - i >= 3 && memcmp(s.p + i, "\xef\xbf", 2) == 0 &&
		    (unsigned char)s.p[i + 2] >= 0xbe) {
			as = "\xef\xbf\xbd";
			n = 3;
		}
		if (!as)
			continue;
		strbuf_add(sb, s.p + from, i - from);
		strbuf_addstr(sb, as);
		i += n - 1;
		from = i + 1;
	}
	strbuf_add(sb, s.p + from, s.len - from);
}

void label_add_xml(struct strbuf *sb, struct slice text)
{
	struct strbuf clean = STRBUF_INIT;

	if (!utf8_is_clean(text)) {
		strbuf_addclean(&clean, text);
		text = strbuf_slice(&clean);
	}
	add_escaped(sb, text);
	strbuf_release(&clean);
}

static unsigned columns_of(uint32_t cp)
{
	return cp >= WIDE_FROM ? 2 : 1;
}

/* From the blank on. */
static const unsigned char ascii_widths[] = {
	32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34,
	64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54,
	100, 69, 69, 70, 77, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
	61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50,
	50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62,
	64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
};

static unsigned width_of(uint32_t cp)
{
	if (cp >= ' ' && cp - ' ' < sizeof(ascii_widths))
		return ascii_widths[cp - ' '];
	return cp >= WIDE_FROM ? 105 : 80;
}

/* That of the character at text.p[*at], which it passes over. */
static unsigned next_width(struct slice text, size_t *at, unsigned (*of)(uint32_t cp))
{
	uint32_t cp = 0;
	size_t n = utf8_decode(text.p + *at, text.len - *at, &cp);

	*at += n ? n : 1;
	return of(cp);
}

static struct slice fit(struct slice text, size_t room, unsigned (*of)(uint32_t cp), bool *cut)
{
	size_t at = 0, width = 0, keep = 0;

	*cut = false;
	while (at < text.len) {
		width += next_width(text, &at, of);
		if (width > room) {
			*cut = true;
			return (struct slice){ text.p, keep };
		}
		if (width + 2 * of('.') <= room)
			keep = at;
	}
	return text;
}

struct slice label_fit(struct slice text, size_t columns, bool *cut)
{
	return fit(text, columns, columns_of, cut);
}

struct slice label_fit_width(struct slice text, unsigned width, bool *cut)
{
	return fit(text, width, width_of, cut);
}

unsigned label_width(struct slice text)
{
	unsigned width = 0;

	for (size_t at = 0; at < text.len;)
		width += next_width(text, &at, width_of);
	return width;
}
