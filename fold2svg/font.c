#include "font.h"

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == ' ' || c == '-' || c == '_' || c == '.' || c >= 0x80;
}

static bool is_generic(struct slice name)
{
	static const char *const generic[] = { "serif", "sans-serif", "monospace", "cursive",
					       "fantasy", "system-ui", "ui-monospace",
					       "ui-sans-serif", "ui-serif", "ui-rounded" };

	for (size_t i = 0; i < sizeof(generic) / sizeof(*generic); i++)
		if (slice_eq(name, slice_str(generic[i])))
			return true;
	return false;
}

static struct slice trim(struct slice s)
{
	while (s.len && strchr(" '\"", s.p[0])) {
		s.p++;
		s.len--;
	}
	while (s.len && strchr(" '\"", s.p[s.len - 1]))
		s.len--;
	return s;
}

static void add_name(struct strbuf *sb, struct slice name)
{
	if (is_generic(name)) {
		strbuf_addslice(sb, name);
		return;
	}
	strbuf_addch(sb, '\'');
	for (size_t i = 0; i < name.len; i++) {
		if (is_plain((unsigned char)name.p[i]))
			strbuf_addch(sb, name.p[i]);
		else
			strbuf_addf(sb, "\\%x ", (unsigned char)name.p[i]);
	}
	strbuf_addch(sb, '\'');
}

void font_add_family(struct strbuf *sb, struct slice names)
{
	bool first = true;

	while (names.len) {
		const char *comma = memchr(names.p, ',', names.len);
		struct slice name = { names.p, comma ? (size_t)(comma - names.p) : names.len };

		names.p += name.len + (comma != NULL);
		names.len -= name.len + (comma != NULL);
		name = trim(name);
		if (!name.len)
			continue;
		if (!first)
			strbuf_addch(sb, ',');
		first = false;
		add_name(sb, name);
	}
}
