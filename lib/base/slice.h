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

/* Bytewise order, a prefix before what it is a prefix of. */
static inline int slice_cmp(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

#endif
