/*
 * Finds the unwind information of a file and reads it into memory: .eh_frame by its
 * section, else by PT_GNU_EH_FRAME; else .debug_frame, decompressed if need be.
 */
#ifndef UNWIND_FRAME_SECTION_H
#define UNWIND_FRAME_SECTION_H

#include <stdint.h>

#include "base/strbuf.h"
#include "elf/elf_image.h"
#include "unwind/cfi.h"

/*
 * At most `max` bytes, in memory that the caller frees (*mem, of which sec->buf is a part).
 * 0; -ENOENT (there is none), -EINVAL (malformed), -E2BIG, -EOPNOTSUPP (compressed in
 * another way than by zlib), or what elf_image_read says.
 */
int frame_section_read(const struct elf_image *img, size_t max, uint8_t **mem,
		       struct cfi_section *sec, struct strbuf *err);

#endif
