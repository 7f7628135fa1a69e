/*
 * The kernel's symbols: /proc/kallsyms, a saved copy of it, or a System.map.
 * A line is "ADDRESS TYPE NAME" and for what is not of the kernel proper a TAB and
 * "[MODULE]" (kernel/kallsyms.c s_show); types are those of nm(1), BPF programs and
 * trampolines are 't' in "[bpf]".
 */
#ifndef SYM_KALLSYMS_H
#define SYM_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strbuf.h"
#include "base/stream.h"

struct kallsyms;

struct ksymbol {
	uint64_t addr, size; /* size: up to the next symbol of any type */
	struct slice module; /* "" the kernel proper, "nf_tables", "bpf" */
	struct slice name;   /* both live as long as the table */
};

/*
 * Reads the rest of the input. Only text symbols (t, T, w, W) name an address, but
 * the others bound them; aliases are chosen by symbol_before (T global, W and w weak,
 * t local). What the kernel hides (address 0) and malformed lines are passed over,
 * the latter counted. At most 8 million symbols and 256 MB of names.
 * 0; -EPERM when all addresses are zero (kptr_restrict, or no CAP_SYSLOG), -EINVAL when
 * no line names a text symbol, -E2BIG over the limits, or the negative errno of the read.
 */
int kallsyms_read(struct kallsyms **out, struct input *in, struct strbuf *err);

/* NULL is passed over. */
void kallsyms_free(struct kallsyms *ks);

/*
 * The text symbol that covers addr; false if there is none. The last symbol of the
 * kernel or of a module, which nothing bounds, reaches at most 64 KB.
 */
bool kallsyms_find(const struct kallsyms *ks, uint64_t addr, struct ksymbol *out);

/* How many text symbols it names, how many lines were malformed, bytes of memory. */
size_t kallsyms_count(const struct kallsyms *ks);
uint64_t kallsyms_bad(const struct kallsyms *ks);
size_t kallsyms_bytes(const struct kallsyms *ks);

#endif
