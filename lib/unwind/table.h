/*
 * The unwind information of one ELF file as sorted rows, small enough for the kernel:
 * 4 bytes a row (rule.h), each an index into rules that all tables share.
 *
 * From .eh_frame, found by its section or, in a file without sections, by the
 * PT_GNU_EH_FRAME segment; from .debug_frame (which may be compressed) only where there
 * is no .eh_frame. x86_64 and arm64.
 *
 * An address has the row of the last function (FDE) that starts at or below it, as a
 * binary search of .eh_frame_hdr would have it; beyond that function's end it is NONE.
 * Of several with one start the first in the section goes. What is malformed spoils the
 * FDE it is in, whose range becomes UNSUPPORTED; a malformed chain of entries ends the
 * section there, and what was before it stays.
 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "elf/elf_image.h"
#include "unwind/rule.h"

/*
 * Distinct rules, by index; 0 is NONE and 1 is UNSUPPORTED. An index never changes its
 * meaning and `len` only grows, so what is beyond the last `len` is all that is new to a
 * copy. When all UNWIND_RULES_MAX are taken, further rules become UNSUPPORTED.
 * One table is built at a time. Zero-initialized is empty and valid.
 */
struct unwind_rules {
	struct unwind_rule *rules;
	size_t len, cap;
	uint32_t *slots; /* index + 1, 0 free */
	size_t nslots;
	uint64_t refused; /* rows that became UNSUPPORTED because all were taken */
};

enum { UNWIND_RULE_NONE = 0, UNWIND_RULE_UNSUPPORTED = 1 };

/* The index of a rule, added if it is new. */
uint16_t unwind_rules_add(struct unwind_rules *rules, const struct unwind_rule *rule);

void unwind_rules_release(struct unwind_rules *rules);

struct unwind_table {
	/* Arrays that can be copied as they are. Page i is that of address
	 * (first_page + i) << 16; its rows are [pages[i], pages[i + 1]). */
	struct unwind_row *rows;
	size_t nrows;
	uint32_t *pages; /* npages + 1 entries */
	size_t npages;
	uint64_t first_page;

	const char *source;    /* ".eh_frame" or ".debug_frame" */
	size_t nfdes;          /* functions, with those that are bad */
	size_t nbad;           /* functions whose description is malformed */
	bool damaged;          /* the chain of entries itself is */
};

/*
 * Builds the table of a file; the image is not needed afterwards. Time and memory are
 * proportional to the size of the section, which may be at most UNWIND_SECTION_MAX.
 * 0; -ENOENT (no unwind information), -EOPNOTSUPP (another machine, 32-bit), -EINVAL
 * (malformed, nothing of use), -E2BIG (over the limits), or what elf_image_read says.
 */
int unwind_table_build(struct unwind_table **out, const struct elf_image *img,
		       struct unwind_rules *rules, struct strbuf *err);

/* NULL is passed over. */
void unwind_table_free(struct unwind_table *table);

/* The rule of an address of the file; never NULL. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table,
					    const struct unwind_rules *rules, uint64_t vaddr);

/* Bytes of memory. */
size_t unwind_table_bytes(const struct unwind_table *table);

enum {
	UNWIND_SECTION_MAX = 64 << 20, /* bytes */
	UNWIND_PAGES_MAX = 65536,      /* 4 GiB of code, first address to last */
};

#endif
