#include "base/arena.h"

#include <stdlib.h>

#include "base/alloc.h"

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	_Alignas(8) char data[];
};

/*
 * Small first chunks, so that a tool with little to do stays small; where there is much, whole
 * large pages (alloc.h), and more of them the more there is: the end of one that is not used yet
 * is not taken from the system.
 */
enum { CHUNK_MIN = 4096, CHUNK_LARGE = LARGE_PAGE, CHUNK_MAX = 64 << 20 };

static size_t next_size(const struct arena *a)
{
	size_t size = a->chunks ? a->chunks->size * 2 : CHUNK_MIN;

	if (size < CHUNK_LARGE)
		return size;
	size = a->total / 2 & ~((size_t)CHUNK_LARGE - 1);
	size = size > CHUNK_LARGE ? size : CHUNK_LARGE;
	return (size < CHUNK_MAX ? size : CHUNK_MAX) - sizeof(struct arena_chunk);
}

static char *arena_take(struct arena *a, size_t size, size_t align)
{
	struct arena_chunk *c = a->chunks;
	size_t at = (a->used + align - 1) & ~(align - 1);
	size_t want;

	if (!c || at > c->size || size > c->size - at) {
		want = next_size(a);
		if (want < size)
			want = size;
		c = xmalloc_pages(sizeof(*c) + want);
		c->size = want;
		c->next = a->chunks;
		a->chunks = c;
		a->total += sizeof(*c) + want;
		at = 0;
	}
	a->used = at + size;
	return c->data + at;
}

void *arena_alloc(struct arena *a, size_t size)
{
	return arena_take(a, size, 8);
}

char *arena_dup(struct arena *a, const void *data, size_t len)
{
	char *p = arena_take(a, len + 1, 1);

	if (len)
		memcpy(p, data, len);
	p[len] = '\0';
	return p;
}

void arena_release(struct arena *a)
{
	struct arena_chunk *c = a->chunks, *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
	*a = (struct arena){ 0 };
}
