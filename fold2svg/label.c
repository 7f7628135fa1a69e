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

/* The column behind the character at text.p[*at], which it passes over. */
static size_t next_column(struct slice text, size_t *at, size_t column)
{
	uint32_t cp = 0;
	size_t n = utf8_decode(text.p + *at, text.len - *at, &cp);

	*at += n ? n : 1;
	return column + (cp >= WIDE_FROM ? 2 : 1);
}

struct slice label_fit(struct slice text, size_t columns, bool *cut)
{
	size_t at = 0, column = 0, keep = 0;

	*cut = false;
	while (at < text.len) {
		column = next_column(text, &at, column);
		if (column > columns) {
			*cut = true;
			return (struct slice){ text.p, keep };
		}
		if (column + 2 <= columns)
			keep = at;
	}
	return text;
}
