/*
 * What a look-up of an address yields, whatever table it came from, and the one rule
 * by which every table chooses among the names of one address.
 */
#ifndef ELF_SYMBOL_H
#define ELF_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct symbol {
	uint64_t addr, size; /* [addr, addr + size) */
	struct slice name;   /* as in the table, mangled; it lives as long as the table */
};

/* By preference. */
enum symbol_binding {
	SYMBOL_GLOBAL,
	SYMBOL_WEAK,
	SYMBOL_LOCAL,
};

/*
 * Whether name a goes before name b of the same address: global over weak over
 * local, then none over some leading underscores, then the shorter, then bytewise.
 */
bool symbol_before(enum symbol_binding a_bind, struct slice a, enum symbol_binding b_bind,
		   struct slice b);

/* The name without its symbol version: "memcpy" of "memcpy@@GLIBC_2.14". */
struct slice symbol_unversioned(struct slice name);

#endif
