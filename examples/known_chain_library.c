/* The part of known_chain.c that lies in a shared library of its own. */
#include "known_chain.h"

KEEP int c12_library(int (*f)(int), int n, int hold)
{
	volatile int hold_here = hold;

	for (int work = 0; work < 3 || hold_here; work++)
		__asm__ volatile("");
	n += f(n);
	for (int work = 0; work < 3; work++)
		__asm__ volatile("");
	return n;
}
