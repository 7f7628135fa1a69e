/*
 * What unwinding one frame takes, and how the rows that lead to it lie in memory. The
 * BPF programs include this, too, so it includes nothing but <linux/types.h>.
 *
 * Addresses are those of the file (elf_image_vaddr). Registers: sp and fp are rsp and
 * rbp on x86_64, sp and x29 on arm64; the CFA (canonical frame address, DWARF 5, 6.4) is
 * the caller's sp.
 */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

#include <linux/types.h>

/* How the CFA is found. */
enum unwind_cfa {
	UNWIND_CFA_NONE = 0,    /* the address is outside of any function described */
	UNWIND_CFA_ROOT,        /* the return address is undefined: the outermost frame */
	UNWIND_CFA_UNSUPPORTED, /* described, but not in a form that fits here, or badly */
	UNWIND_CFA_SP,          /* sp + cfa_off */
	UNWIND_CFA_FP,          /* fp + cfa_off */
	UNWIND_CFA_DEREF_SP,    /* *(sp + cfa_off) + cfa_add */
	UNWIND_CFA_DEREF_FP,    /* *(fp + cfa_off) + cfa_add */
	UNWIND_CFA_PLT,         /* sp + cfa_off + ((ip & 15) >= cfa_add ? 8 : 0) */
};

/* Where the caller's fp and the return address are. */
enum unwind_where {
	UNWIND_SAME = 0,  /* still in its register: fp; of ra the one of unwind_regs.lr */
	UNWIND_AT_CFA,    /* *(cfa + off) */
	UNWIND_AT_SP,     /* *(sp + off), of this frame's sp */
	UNWIND_AT_FP,     /* *(fp + off), of this frame's fp */
	UNWIND_UNDEFINED, /* lost; only of fp */
};

enum unwind_flags {
	UNWIND_SIGNAL = 1, /* a signal frame: the caller's ip is not a return address */
	UNWIND_SIGNED = 2, /* the return address carries a pointer authentication code (arm64) */
};

/* Without padding, so that equal rules are equal bytes; all zero is NONE. */
struct unwind_rule {
	__u8 cfa; /* enum unwind_cfa; what follows is 0 for the first three */
	__u8 cfa_add;
	__u8 fp : 4; /* enum unwind_where */
	__u8 ra : 4; /* enum unwind_where */
	__u8 flags;
	__s32 cfa_off;
	__s32 fp_off;
	__s32 ra_off;
};

/*
 * Rows are grouped by pages of 64 KiB of address. Within a page they are sorted by `low`,
 * all different, and the first one has low 0, so that a look-up never leaves its page:
 * it takes the last row with low <= (address & 0xffff).
 */
enum { UNWIND_PAGE_SHIFT = 16, UNWIND_PAGE_ROWS = 1 << UNWIND_PAGE_SHIFT };

struct unwind_row {
	__u16 low;  /* the row's first address, within its page */
	__u16 rule; /* index into the rules; 0 is NONE */
};

enum { UNWIND_RULES_MAX = 65536 };

#endif
