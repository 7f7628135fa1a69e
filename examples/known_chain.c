/*
 * A chain of 20 functions that calls itself down again and again, each function of another
 * kind: `known_chain [SECONDS]` (10 s). Each works a little before and after its call, so
 * that samples fall everywhere, prologues and epilogues among it. Who calls whom:
 *
 *	main, c01_plain, c02_stack_arguments, c03_alloca, c04_vla, c05_sorter, (qsort),
 *	c06_compare, c07_all_registers, c08_deep_frame, c09_avx, c10_realigned, c11_tail,
 *	c12_library, c13_callback, c14_raiser, (a signal), c15_handler, c16_recursive × 4,
 *	c17_framed, c18_assembly, c19_red_zone, c20_leaf
 *
 * c11_tail jumps to c12_library, which is known_chain_library.c's and is reached through
 * the PLT, so one of the two is on the stack. c13_callback calls c16_recursive instead of
 * c14_raiser all but every 64th time; c19_red_zone and c20_leaf call nothing, c18_assembly
 * calls both.
 *
 * `known_chain hold` starts a thread for each of them that stays in it, then sleeps.
 */
#include <alloca.h>
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "known_chain.h"

enum { FUNCTIONS = 20, RECURSION = 4 };

static _Thread_local volatile int hold; /* the function to stay in */
static _Thread_local unsigned rounds;

/* A little work that the compiler cannot move, or lots of it. */
#define WORK(number)                                                                         \
	do {                                                                                 \
		for (int work = 0; work < 3 || hold == (number); work++)                    \
			__asm__ volatile("");                                                \
	} while (0)

/* After a call: something is left to do, so it is no tail call. */
#define STAY __asm__ volatile("" : : : "memory")

KEEP void c20_leaf(void)
{
	WORK(20);
}

KEEP long c19_red_zone(long n)
{
	volatile long below[4] = { n, n + 1, n + 2, n + 3 };

	WORK(19);
	return below[n & 3];
}

#ifdef __x86_64__
#define USE_ALL_REGISTERS(v)                                                                 \
	__asm__ volatile("" : "+r"(v) : : "rbx", "rbp", "r12", "r13", "r14", "r15")

/* Its frame is described by hand, as an assembler programmer does. */
void c18_assembly(long n);
__asm__("	.text\n"
	"	.globl	c18_assembly\n"
	"	.type	c18_assembly, @function\n"
	"c18_assembly:\n"
	"	.cfi_startproc\n"
	"	pushq	%rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbx, -16\n"
	"	movq	%rdi, %rbx\n"
	"	subq	$48, %rsp\n"
	"	.cfi_def_cfa_offset 64\n"
	"	call	c19_red_zone\n"
	"	pushq	%rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq	%rax\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call	c20_leaf\n"
	"	cmpl	$0, 8(%rsp)\n"
	"	jns	2f\n"
	"1:	pause\n"
	"	jmp	1b\n"
	"2:	addq	$16, %rsp\n"
	"	.cfi_adjust_cfa_offset -16\n"
	"	addq	$48, %rsp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	popq	%rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size	c18_assembly, .-c18_assembly\n");
#else
#define USE_ALL_REGISTERS(v) __asm__ volatile("" : "+r"(v))

KEEP void c18_assembly(long n)
{
	c19_red_zone(n);
	WORK(18);
	c20_leaf();
	STAY;
}
#endif

KEEP FRAMED void c17_framed(long n)
{
	WORK(17);
	c18_assembly(hold == 18 ? -1 : n);
	WORK(17);
}

KEEP void c16_recursive(unsigned levels)
{
	WORK(levels == 1 ? 16 : -1);
	if (levels > 1)
		c16_recursive(levels - 1);
	else
		c17_framed(levels);
	STAY;
	WORK(-1);
}

KEEP void c15_handler(int signal)
{
	WORK(15);
	c16_recursive(RECURSION);
	STAY;
	WORK(signal ? -1 : 0);
}

KEEP void c14_raiser(void)
{
	WORK(14);
	pthread_kill(pthread_self(), SIGUSR1);
	WORK(-1);
}

KEEP int c13_callback(int n)
{
	WORK(13);
	if (n % 64 == 0)
		c14_raiser();
	else
		c16_recursive(RECURSION);
	STAY;
	WORK(-1);
	return n;
}

KEEP int c11_tail(int n)
{
	WORK(11);
	return c12_library(c13_callback, n + 1, hold == 12);
}

/* An aligned block and one of unknown size: the argument pointer is kept in r10. */
KEEP long c10_realigned(int n)
{
	volatile long block[8] __attribute__((aligned(64))) = { n };
	volatile char *more = alloca((size_t)(n % 7) * 16 + 16);

	more[0] = (char)n;
	WORK(10);
	block[1] = c11_tail(n);
	WORK(-1);
	return block[0] + more[0];
}

#ifdef __x86_64__
__attribute__((target("avx2")))
#endif
KEEP long c09_avx(int n)
{
	volatile vector v = { n, 1, 2, 3 };
	long sum;

	WORK(9);
	sum = c10_realigned(n);
	WORK(-1);
	v += (vector){ sum, 2, 3, 4 };
	return v[0];
}

KEEP int c08_deep_frame(int n)
{
	volatile char block[20000];

	block[0] = block[sizeof(block) - 1] = (char)n;
	WORK(8);
	n += (int)c09_avx(n);
	WORK(-1);
	return n + block[0];
}

KEEP long c07_all_registers(long a, long b, long c, long d, long e, long f)
{
	long x = a * 3, y = b * 5, z = c * 7, v = d * 11, w = e * 13, u = f * 17;

	WORK(7);
	x += c08_deep_frame((int)a);
	USE_ALL_REGISTERS(x);
	WORK(-1);
	return x + y + z + v + w + u;
}

KEEP int c06_compare(const void *left, const void *right)
{
	int a = *(const int *)left, b = *(const int *)right;

	WORK(6);
	a += (int)(c07_all_registers((int)(++rounds & 0xffff), a, b, 4, 5, 6) & 0);
	WORK(-1);
	return a < b ? -1 : a > b;
}

KEEP void c05_sorter(int n)
{
	int values[] = { n, n * 7 % 5, n * 3 % 11 };

	WORK(5);
	qsort(values, sizeof(values) / sizeof(*values), sizeof(*values), c06_compare);
	WORK(values[0] == 99 ? 0 : -1);
}

KEEP int c04_vla(int n)
{
	volatile int vla[n % 50 + 1];

	vla[0] = n;
	WORK(4);
	c05_sorter(n);
	WORK(-1);
	return vla[0];
}

KEEP int c03_alloca(int n)
{
	volatile char *p = alloca((size_t)n % 333 + 8);

	p[0] = (char)n;
	WORK(3);
	n += c04_vla(n);
	WORK(-1);
	return n + p[0];
}

KEEP long c02_stack_arguments(long a, long b, long c, long d, long e, long f, long g, long h,
			      long i)
{
	WORK(2);
	a += c03_alloca((int)i);
	WORK(-1);
	return a + b + c + d + e + f + g + h + i;
}

KEEP int c01_plain(int n)
{
	WORK(1);
	n += (int)c02_stack_arguments(1, 2, 3, 4, 5, 6, 7, 8, n);
	WORK(-1);
	return n;
}

static void *stay(void *number)
{
	hold = (int)(long)number;
	for (;;)
		c01_plain(7);
	return NULL;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = c15_handler };
	char *end = "";
	double seconds = argc == 2 && strcmp(argv[1], "hold") ? strtod(argv[1], &end) : 10;
	double start = now();
	pthread_t thread;

	if (argc > 2 || *end || !(seconds > 0))
		errx(2, "usage: known_chain [SECONDS | hold]");
#ifdef __x86_64__
	if (!__builtin_cpu_supports("avx2"))
		errx(1, "this processor has no AVX2");
#endif
	sigaction(SIGUSR1, &action, NULL);
	if (argc == 2 && !strcmp(argv[1], "hold")) {
		for (long i = 1; i <= FUNCTIONS; i++)
			if (pthread_create(&thread, NULL, stay, (void *)i))
				errx(1, "cannot start a thread");
		for (;;)
			pause();
	}
	do
		for (int i = 0; i < 100; i++)
			c01_plain(i);
	while (now() - start < seconds);
	return 0;
}
