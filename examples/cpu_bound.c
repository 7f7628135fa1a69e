/*
 * Recursion to a known depth: `cpu_bound [SECONDS [DEPTH]]` (10 s, 64). Nearly all
 * samples have the stack main → descend × DEPTH → grind. Build it with frame
 * pointers: `make examples`.
 */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noipa))
#endif

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Works for some 10 ms at a time, so that going down and up costs next to nothing. */
KEEP static void grind(void)
{
	uint64_t x = 1;

	__asm__ volatile("" : : "r"(__builtin_frame_address(0))); /* a frame even in a leaf */
	for (unsigned i = 0; i < 10000000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
}

KEEP static void descend(unsigned levels)
{
	if (levels > 1)
		descend(levels - 1);
	else
		grind();
	/* Something left to do: the call above is no tail call, and no loop. */
	__asm__ volatile("" : : "r"(levels) : "memory");
}

int main(int argc, char **argv)
{
	char *end1 = "", *end2 = "";
	double seconds = argc > 1 ? strtod(argv[1], &end1) : 10;
	unsigned long depth = argc > 2 ? strtoul(argv[2], &end2, 10) : 64;
	double start = now();

	if (argc > 3 || *end1 || *end2 || !(seconds > 0) || depth < 1 || depth > 10000)
		errx(2, "usage: cpu_bound [SECONDS [DEPTH]] (depth 1 to 10000)");
	do
		descend((unsigned)depth);
	while (now() - start < seconds);
	return 0;
}
