#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Noreturn void die_oom(void)
{
	static const char msg[] = "out of memory\n";

	/* write, not stdio: stdio may want memory itself */
	if (write(STDERR_FILENO, msg, sizeof(msg) - 1) < 0)
		_exit(1);
	_exit(1);
}

/*
 * Large arrays in large pages: a page fault for each 4 KB costs more than what is then done
 * with them. From its page's start, where malloc's own mapping begins: a hint to
 * a part would split the mapping in two, which mremap cannot grow.
 */
static void *hint_large(void *p, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)p & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + size + page - 1) & ~(page - 1);

	madvise((void *)start, end - start, MADV_HUGEPAGE);
	return p;
}

static void *checked(void *p, size_t size)
{
	if (!p)
		die_oom();
	return size >= LARGE_PAGE ? hint_large(p, size) : p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1), size);
}

void *xmalloc_pages(size_t size)
{
	void *p;

	if (size < LARGE_PAGE)
		return xmalloc(size);
	if (posix_memalign(&p, LARGE_PAGE, size))
		die_oom();
	return hint_large(p, size);
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1), n * size);
}

void *xrealloc(void *p, size_t size)
{
	return checked(realloc(p, size ? size : 1), size);
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		die_oom();
	return xrealloc(p, n * size);
}

char *xmemdup0(const void *data, size_t len)
{
	char *p = xmalloc(len + 1);

	if (len)
		memcpy(p, data, len);
	p[len] = '\0';
	return p;
}

/* Of addresses, at once: what is not used costs nothing, and large pages stay where they are. */
enum { GROW_LARGE = 32 << 20 };

static void *grow_large(void *p, size_t n, size_t *cap, size_t size)
{
	void *large = xmalloc_pages(GROW_LARGE);

	memcpy(large, p, n * size);
	free(p);
	*cap = GROW_LARGE / size;
	return large;
}

void *grow(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	if (n && n * size < LARGE_PAGE && n * 2 * size >= LARGE_PAGE)
		return grow_large(p, n, cap, size);
	*cap = *cap ? *cap * 2 : 16;
	return xreallocarray(p, *cap, size);
}
