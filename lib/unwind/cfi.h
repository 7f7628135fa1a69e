/*
 * The entries of .eh_frame and .debug_frame: CIEs and FDEs (LSB 5, 10.6; DWARF 5, 6.4.1).
 * The programs in them are run by unwind/cfa.h. Nothing is allocated; what is handed out
 * points into the section.
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct cfi_section {
	const uint8_t *buf;
	size_t len;
	uint64_t vaddr;   /* of buf[0], for pointers relative to their own place */
	bool debug_frame; /* in the format of .debug_frame */
	bool terminated;  /* a zero terminator is the end, and not only of what one object had */
};

/* A CIE or FDE as it lies in the section. */
struct cfi_entry {
	size_t offset; /* of the entry */
	size_t body;   /* of what follows the CIE id or pointer */
	size_t end;
	bool is_cie;
	size_t cie; /* of an FDE: the offset of its CIE; SIZE_MAX if it is out of bounds */
};

struct cfi_cie {
	size_t offset;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;        /* the column of the return address */
	uint8_t encoding;   /* EH_PE_* of addresses in its FDEs */
	bool augmented;     /* its FDEs carry the length of augmentation data */
	bool signal;        /* 'S': a signal frame */
	size_t start, end;  /* of the initial instructions */
};

struct cfi_fde {
	uint64_t vaddr, size; /* the code: [vaddr, vaddr + size), which does not wrap */
	size_t start, end;    /* of the instructions */
};

/*
 * The entry at *pos, which moves on to the next.
 * 1; 0 at the end of the section; -EINVAL if there is no telling where the next one is.
 */
int cfi_next(const struct cfi_section *sec, size_t *pos, struct cfi_entry *entry);

/* The CIE at an offset. 0, or -EINVAL (malformed, or with what is not known). */
int cfi_cie_parse(const struct cfi_section *sec, size_t offset, struct cfi_cie *cie);

/* An FDE, `cie` being the one at entry->cie. 0, or -EINVAL (malformed). */
int cfi_fde_parse(const struct cfi_section *sec, const struct cfi_entry *entry,
		  const struct cfi_cie *cie, struct cfi_fde *fde);

/*
 * A pointer in one of the encodings EH_PE_* at the cursor, which is over sec->buf, so
 * that its position tells the address. Zero stays zero, as relative to nothing. `function`
 * is the base of funcrel. Sets c->bad for encodings that need memory or a base that the
 * section does not tell: indirect, textrel, datarel.
 */
uint64_t cfi_pointer(const struct cfi_section *sec, struct cursor *c, uint8_t encoding,
		     uint64_t function);

#endif
