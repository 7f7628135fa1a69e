/* What known_chain.c and its shared library have in common. */
#ifndef KNOWN_CHAIN_H
#define KNOWN_CHAIN_H

#if defined(__clang__)
#define KEEP __attribute__((noinline))
#define FRAMED __attribute__((optnone))
#else
#define KEEP __attribute__((noipa))
#define FRAMED __attribute__((optimize("no-omit-frame-pointer")))
#endif

/* 32 bytes, which AVX code keeps aligned on the stack. */
typedef long vector __attribute__((vector_size(32)));

/* Calls f(n); stays here if told so. */
int c12_library(int (*f)(int), int n, int hold);

#endif
