#include "module.h"

#include "base/number.h"

static const struct slice nothing = { "", 0 };

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Up to the first of the characters, or the whole. */
static struct slice until(struct slice s, const char *stops)
{
	size_t n = 0;

	while (n < s.len && !strchr(stops, s.p[n]))
		n++;
	return (struct slice){ s.p, n };
}

/* The word before the first "::" that is in no brackets. */
static struct slice outer_scope(struct slice s)
{
	int open = 0;

	/* "<T as Trait>::f" is T's. */
	while (s.len && (*s.p == '<' || *s.p == '&' || *s.p == '*')) {
		s.p++;
		s.len--;
	}
	for (size_t i = 0; i + 1 < s.len; i++) {
		char c = s.p[i];
		size_t from = i;

		if (c == '(' || c == '<' || c == '[' || c == '{')
			open++;
		if ((c == ')' || c == '>' || c == ']' || c == '}') && open)
			open--;
		if (open || c != ':' || s.p[i + 1] != ':')
			continue;
		/* "operator new::f", "foo<int>::bar": a template's name is before its brackets. */
		while (from && s.p[from - 1] == '>') {
			int depth = 0;

			do {
				from--;
				depth += (s.p[from] == '>') - (s.p[from] == '<');
			} while (from && depth);
		}
		i = from;
		while (from && is_word(s.p[from - 1]))
			from--;
		/* "java/util/HashMap::get" is no scope's. */
		if (from && s.p[from - 1] == '/')
			return nothing;
		return (struct slice){ s.p + from, i - from };
	}
	return nothing;
}

static bool is_suffix(struct slice s)
{
	static const char *const suffixes[] = { "cold", "part", "isra", "constprop", "llvm",
						"lto_priv", "clone", "resolver", "so" };

	s = until(s, ".");
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (slice_eq(s, slice_str(suffixes[i])))
			return true;
	return s.len && number_is_digit(*s.p);
}

/* Java's package or Go's, or the module of an interpreter: names with '.' or '/' between. */
static struct slice package(struct slice label)
{
	struct slice s = until(label, "(<[ :;");
	size_t slash = 0, dot;

	/* The JVM's "Ljava/util/HashMap;". */
	if (s.len && s.len < label.len && label.p[s.len] == ';' && *s.p == 'L') {
		s.p++;
		s.len--;
	}
	for (size_t i = 0; i < s.len; i++) {
		if (!is_word(s.p[i]) && !strchr("/.-~@%+", s.p[i]))
			return nothing;
		if (s.p[i] == '/')
			slash = i + 1;
	}
	if (slash == s.len)
		return nothing;
	if (slash > 1 && is_upper(s.p[slash]))
		return (struct slice){ s.p, slash - 1 };
	dot = slash + until((struct slice){ s.p + slash, s.len - slash }, ".").len;
	if (dot == s.len || dot == 0 || is_upper(*s.p) ||
	    is_suffix((struct slice){ s.p + dot + 1, s.len - dot - 1 }))
		return nothing;
	if (!slash) {
		for (size_t i = dot; i + 1 < s.len; i++)
			if (s.p[i] == '.' && is_upper(s.p[i + 1]))
				return (struct slice){ s.p, i };
	}
	return (struct slice){ s.p, dot };
}

struct slice module_of(struct slice label)
{
	struct slice before = until(label, "`");
	struct slice scope;

	if (before.len < label.len)
		return before;
	scope = outer_scope(label);
	return scope.len ? scope : package(label);
}
