/*
 * Many small things with one lifetime: allocation is a pointer bump, release
 * frees all. Zero-initialized is empty and valid. Nothing is freed singly.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/slice.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first */
	size_t used;                /* of the newest chunk */
	size_t total;               /* bytes taken from the system */
};

/* `size` bytes, 8-byte aligned, not cleared. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of len bytes followed by a NUL, unaligned (strings pack tightly). */
char *arena_dup(struct arena *a, const void *data, size_t len);

/* Frees everything; the arena is empty and usable again. */
void arena_release(struct arena *a);

#endif
