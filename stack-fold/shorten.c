#include "shorten.h"

#include <ctype.h>

static const struct slice anonymous = SLICE("(anonymous namespace)");

/* The place behind the bracket that ends the one at `at`; 0 if none does. */
static size_t behind(struct slice name, size_t at)
{
	char open = name.p[at], close = open == '<' ? '>' : ')';
	size_t depth = 0;

	for (size_t i = at; i < name.len; i++) {
		char c = name.p[i];

		if (c == close && c == '>' && name.p[i - 1] == '-')
			continue; /* "->" */
		if (c == open)
			depth++;
		else if (c == close && --depth == 0)
			return i + 1;
	}
	return 0;
}

static bool ends_in_operator(const struct strbuf *sb, size_t from)
{
	static const struct slice word = SLICE("operator");
	size_t len = sb->len - from;

	if (len < word.len || memcmp(sb->buf + sb->len - word.len, word.p, word.len) != 0)
		return false;
	return len == word.len || !(isalnum((unsigned char)sb->buf[sb->len - word.len - 1]) ||
				    sb->buf[sb->len - word.len - 1] == '_');
}

/* How much of the name at `at` is an operator's own: "()", "<<", "<=>"; 0 none. */
static size_t operator_len(struct slice name, size_t at)
{
	size_t n = 0;

	if (at + 1 < name.len && name.p[at] == '(' && name.p[at + 1] == ')')
		return 2;
	while (n < 3 && at + n < name.len && strchr("<=>-", name.p[at + n]))
		n++;
	/* "operator< <int>" is spelt with a blank, "operator<<int>" is not a shift of int */
	return n;
}

/* Where arguments end that begin at `at`; `at` if what is there belongs to the name. */
static size_t arguments_end(struct slice name, size_t at, bool first)
{
	struct slice rest = { name.p + at, name.len - at };
	size_t end;

	if (name.p[at] == '(') {
		if (slice_starts(rest, anonymous) || (at + 1 < name.len && name.p[at + 1] == '*'))
			return at;
	} else if (first || strchr(": (,&*[{", name.p[at - 1])) {
		return at;
	}
	end = behind(name, at);
	return end ? end : at;
}

void shorten_name(struct strbuf *sb, struct slice name)
{
	size_t from = sb->len, at = 0;

	while (at < name.len) {
		char c = name.p[at];
		size_t n = 0, end;

		if (c != '(' && c != '<') {
			strbuf_addch(sb, c);
			at++;
			continue;
		}
		if (ends_in_operator(sb, from))
			n = operator_len(name, at);
		if (n) {
			strbuf_add(sb, name.p + at, n);
			at += n;
			/* "operator<< <char>": a blank keeps them apart */
			if (at + 1 < name.len && name.p[at] == ' ' && name.p[at + 1] == '<') {
				end = behind(name, at + 1);
				at = end ? end : at;
			}
			continue;
		}
		end = arguments_end(name, at, at == 0);
		if (end > at) {
			at = end;
			continue;
		}
		/* it belongs to the name, whatever is in it */
		end = at == 0 || c == '(' ? behind(name, at) : 0;
		if (!end)
			end = at + 1;
		strbuf_add(sb, name.p + at, end - at);
		at = end;
	}
	/* " const" and the like stood behind the parameters */
	if (sb->len - from > 6 && memcmp(sb->buf + sb->len - 6, " const", 6) == 0 &&
	    sb->len - from < name.len) {
		sb->len -= 6;
		sb->buf[sb->len] = '\0';
	}
}
