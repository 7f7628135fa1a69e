/*
 * Runs the program of one FDE: call frame instructions (DWARF 5, 6.4.2) to rows, one
 * after the other. Followed are the CFA and the registers sp, fp and the return address;
 * what is said of others is passed over.
 */
#ifndef UNWIND_CFA_H
#define UNWIND_CFA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "unwind/cfi.h"
#include "unwind/rule.h"

/* The numbers of the registers in DWARF (the psABI of each machine). */
struct cfa_machine {
	uint16_t e_machine;
	uint8_t sp, fp, ra;
	uint8_t ip;   /* in expressions */
	uint16_t in_reg; /* the one register that step.h follows a return address in */
	bool link;    /* without a rule, the return address is in its register */
	bool a_key;   /* 0x2d tells whether the return address is signed (arm64) */
};

/* That of an ELF file's e_machine (64-bit), or NULL. */
const struct cfa_machine *cfa_machine(uint16_t e_machine);

enum cfa_how {
	CFA_NOTHING = 0, /* said nothing, or that it is as it was */
	CFA_LOST,        /* undefined */
	CFA_SAVED,       /* at CFA + off */
	CFA_VALUE,       /* is CFA + off */
	CFA_IN_REGISTER, /* in register off */
	CFA_SAVED_EXPR,  /* at what an expression yields */
	CFA_OTHER,       /* what another expression yields */
};

struct cfa_place {
	enum cfa_how how;
	int64_t off;
	uint32_t expr, expr_len; /* within the section */
};

struct cfa_state {
	bool defined;            /* there is a CFA */
	bool by_expr;            /* by the expression, else reg + off */
	bool is_signed;
	uint64_t reg;
	int64_t off;
	uint32_t expr, expr_len;
	struct cfa_place sp, fp, ra;
};

/* What the FDEs of one CIE begin with. */
struct cfa_start {
	const struct cfa_machine *machine;
	const struct cfi_section *sec;
	struct cfi_cie cie;
	struct cfa_state state;
};

/*
 * Runs the initial instructions of a CIE. Section and machine must outlive it; the
 * section is below 4 GiB. 0, or -EINVAL (malformed, or another return address column).
 */
int cfa_start(struct cfa_start *start, const struct cfa_machine *machine,
	      const struct cfi_section *sec, const struct cfi_cie *cie);

enum {
	CFA_REMEMBER_MAX = 64,   /* states remembered at a time; compilers need one or two */
	CFA_INITIAL_MAX = 256,   /* bytes of a CIE's instructions, which every FDE pays for */
};

/* A run over one FDE; large, so keep one and begin it anew. */
struct cfa_run {
	const struct cfa_start *start;
	struct cursor c;
	uint64_t function, loc, end;
	struct cfa_state state;
	bool done;
	size_t nremembered;
	struct cfa_state remembered[CFA_REMEMBER_MAX];
};

void cfa_begin(struct cfa_run *run, const struct cfa_start *start, const struct cfi_fde *fde);

/*
 * The next row, which reaches to the one after it or the end of the FDE: 1 with its
 * address and rule, 0 when there are no more, or -EINVAL: malformed from *vaddr on.
 * Addresses do not descend and lie within the FDE; rows may be equal or without length.
 */
int cfa_next(struct cfa_run *run, uint64_t *vaddr, struct unwind_rule *rule);

#endif
