/*
 * Memory that cannot fail: out of memory ends the process with one line on
 * stderr and status 1. This is the only place in lib that ends a process; a
 * profiler that cannot allocate a few kilobytes has nothing useful left to do.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

/* As malloc, calloc and realloc, but never NULL for a size above zero. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);

enum { LARGE_PAGE = 2 << 20 };

/*
 * As xmalloc, for what will be filled from its start: of LARGE_PAGE or more it starts
 * where a large page can.
 */
void *xmalloc_pages(size_t size);

/* realloc to n items of `size` bytes; the product is checked for overflow. */
void *xreallocarray(void *p, size_t n, size_t size);

/* A NUL-terminated copy of len bytes; the caller frees it. */
char *xmemdup0(const void *data, size_t len);

/*
 * Makes room for one more item in a growing array: `p` holds n items of `size`
 * bytes with room for *cap. Returns the array, perhaps moved. Growth doubles; from a large page
 * on it begins with 32 MB of addresses, of which only what is filled takes memory.
 */
void *grow(void *p, size_t n, size_t *cap, size_t size);

#endif
