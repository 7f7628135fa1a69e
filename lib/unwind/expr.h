/*
 * The few forms of DWARF expressions (DWARF 5, 2.5) that rules can hold. Call frame
 * information of x86_64 has them for PLT entries, for functions that realign their
 * stack, for signal frames, and in assembly that keeps its caller's sp in its frame.
 */
#ifndef UNWIND_EXPR_H
#define UNWIND_EXPR_H

#include <stddef.h>
#include <stdint.h>

enum expr_kind {
	EXPR_OTHER = 0, /* another form, or malformed */
	EXPR_REG,       /* reg + off */
	EXPR_DEREF,     /* *(reg + off) + add */
	EXPR_PLT,       /* reg + off + ((ip & 15) >= add ? 8 : 0), reg being the sp */
};

struct expr {
	enum expr_kind kind;
	uint64_t reg; /* its number in DWARF */
	int64_t off, add;
};

/* The form of an expression of len bytes, for a machine with these numbers of sp and ip. */
struct expr expr_parse(const uint8_t *buf, size_t len, uint64_t sp, uint64_t ip);

#endif
