/* The distinct rules that all tables share. */
#ifndef UNWIND_RULES_H
#define UNWIND_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"

/*
 * By index; 0 is NONE and 1 is UNSUPPORTED. An index never changes its
 * meaning and `len` only grows, so what is beyond the last `len` is all that is new to a
 * copy. When all UNWIND_RULES_MAX are taken, further rules become UNSUPPORTED; and no
 * table adds more than UNWIND_RULES_PER_TABLE, or one file could spoil all others (the
 * largest programs have some two thousand).
 * One table is built at a time. Zero-initialized is empty and valid.
 */
struct unwind_rules {
	struct unwind_rule *rules;
	size_t len, cap;
	uint32_t *slots; /* index + 1, 0 free */
	size_t nslots;
	size_t limit;     /* of len, for the table that is being built; 0 none of its own */
	uint64_t refused; /* rows that became UNSUPPORTED because all were taken */
};

enum { UNWIND_RULE_NONE = 0, UNWIND_RULE_UNSUPPORTED = 1, UNWIND_RULES_PER_TABLE = 4096 };

/* The index of a rule, added if it is new. */
uint16_t unwind_rules_add(struct unwind_rules *rules, const struct unwind_rule *rule);

void unwind_rules_release(struct unwind_rules *rules);

#endif
