/*
 * A program with a known profile: `burn [SECONDS]` (without it, for ever).
 *
 *	main ─┬─ hot_seventy ── spin    70 % of the time
 *	      └─ cold_thirty ── spin    30 %
 *
 * Both call the same spin(), which counts rounds and not time, so the ratio holds
 * on any machine under any load. What a compiler or a linker may do to spoil it is
 * guarded against: inlining and cloning, a tail call (which would take the caller
 * off the stack), and folding of functions with identical code. Build it with frame
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

/* Behind a call it is something left to do: no tail call. Its text sets functions apart. */
#define STAY(name) __asm__ volatile("# " name : : : "memory")

KEEP static void spin(unsigned rounds)
{
	uint64_t x = rounds;

	__asm__ volatile("" : : "r"(__builtin_frame_address(0))); /* a frame even in a leaf */
	for (unsigned i = 0; i < rounds; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
}

/* An instruction of their own each, or identical code folding would make them one. */
KEEP static void hot_seventy(unsigned rounds)
{
	uint32_t mine = 70;

	__asm__ volatile("" : "+r"(mine));
	spin(7 * rounds);
	STAY("hot_seventy");
}

KEEP static void cold_thirty(unsigned rounds)
{
	uint32_t mine = 30;

	__asm__ volatile("" : "+r"(mine));
	spin(3 * rounds);
	STAY("cold_thirty");
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	char *end = "";
	double seconds = argc > 1 ? strtod(argv[1], &end) : 0;
	double start = now();
	uint32_t random = 1;

	if (argc > 2 || *end || (argc > 1 && !(seconds > 0)))
		errx(2, "usage: burn [SECONDS]");
	do {
		/* About 0.1 to 0.3 ms, uneven, so as not to beat with a sampler's clock. */
		unsigned rounds;

		random = random * 1664525u + 1013904223u;
		rounds = 8000 + (random >> 18);
		hot_seventy(rounds);
		cold_thirty(rounds);
	} while (argc < 2 || now() - start < seconds);
	return 0;
}
