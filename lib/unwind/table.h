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
 * Of several with one start the first in the section goes. An FDE that is malformed is
 * UNSUPPORTED from the fault to its end; a malformed chain of entries ends the section
 * there, and what was before it stays. FDEs outside of executable segments (of code that
 * the linker dropped) are none.
 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "elf/elf_image.h"
#include "unwind/rules.h"

struct unwind_table {
	/* Arrays that can be copied as they are. Page i is that of address
	 * (first_page + i) << 16; its rows are [pages[i], pages[i + 1]). */
	struct unwind_row *rows;
	size_t nrows;
	uint32_t *pages; /* npages + 1 entries */
	size_t npages;
	uint64_t first_page;

	const char *source; /* ".eh_frame" or ".debug_frame" */
	size_t nfdes;       /* functions */
	size_t nbad;        /* those of them that are malformed */
	bool damaged;       /* the chain of entries is, or more of them than are followed */
};

/* Limits, which keep what a hostile file can take below 64 MB. */
enum {
	UNWIND_SECTION_MAX = 24 << 20, /* bytes of .eh_frame */
	UNWIND_FDES_MAX = 1 << 20,
	UNWIND_ROWS_MAX = 4 << 20,
	UNWIND_PAGES_MAX = 65536, /* 4 GiB of code, first address to last */
};

/*
 * Builds the table of a file; the image is not needed afterwards. Time and memory are
 * proportional to the size of the section.
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

#endif
