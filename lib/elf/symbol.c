#include "elf/symbol.h"

static bool underscored(struct slice s)
{
	return s.len && s.p[0] == '_';
}

bool symbol_before(enum symbol_binding a_bind, struct slice a, enum symbol_binding b_bind,
		   struct slice b)
{
	if (a_bind != b_bind)
		return a_bind < b_bind;
	if (underscored(a) != underscored(b))
		return underscored(b);
	if (a.len != b.len)
		return a.len < b.len;
	return slice_cmp(a, b) < 0;
}

struct slice symbol_unversioned(struct slice name)
{
	const char *at = name.len > 1 ? memchr(name.p + 1, '@', name.len - 1) : NULL;
	const char *end = name.p + name.len;

	/* A version starts with a letter: "foo@8" is a name (stdcall, as Wine's libraries have). */
	if (at && at + 1 < end && (at[1] < '0' || at[1] > '9'))
		name.len = (size_t)(at - name.p);
	return name;
}
