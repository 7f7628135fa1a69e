/* A run of bytes owned by someone else; not NUL-terminated, may hold any byte. */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
	const char *p;
	size_t len;
};

#define SLICE(literal) ((struct slice){ (literal), sizeof(literal) - 1 })

static inline struct slice slice_str(const char *s)
{
	return (struct slice){ s, strlen(s) };
}

static inline bool slice_eq(struct slice a, struct slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline bool slice_starts(struct slice s, struct slice prefix)
{
	return s.len >= prefix.len && memcmp(s.p, prefix.p, prefix.len) == 0;
}

/* Takes `end` off the end of *s; false, with *s as it was, if it does not end so. */
static inline bool slice_cut_end(struct slice *s, struct slice end)
{
	if (s->len < end.len ||
	    (end.len && memcmp(s->p + s->len - end.len, end.p, end.len) != 0))
		return false;
	s->len -= end.len;
	return true;
}

/* Without the blanks and TABs that it begins with. */
static inline struct slice slice_trim_start(struct slice s)
{
	while (s.len && (*s.p == ' ' || *s.p == '\t')) {
		s.p++;
		s.len--;
	}
	return s;
}

/* Without the blanks, TABs and CRs that it ends with. */
static inline struct slice slice_trim_end(struct slice s)
{
	while (s.len && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t' ||
			 s.p[s.len - 1] == '\r'))
		s.len--;
	return s;
}

static inline struct slice slice_trim(struct slice s)
{
	return slice_trim_end(slice_trim_start(s));
}

/* What is behind the last '/', or all of it. */
static inline struct slice slice_basename(struct slice path)
{
	size_t at = path.len;

	while (at && path.p[at - 1] != '/')
		at--;
	return at ? (struct slice){ path.p + at, path.len - at } : path;
}

/* Bytewise order, a prefix before what it is a prefix of. */
static inline int slice_cmp(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

#endif
