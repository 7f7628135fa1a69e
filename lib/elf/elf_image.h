/*
 * One ELF file: its segments, sections and build-id (elf(5), <elf.h>). 64-bit and
 * 32-bit, little-endian.
 *
 * The file is read with pread, piece by piece, and never mapped: its owner may
 * truncate it while root reads it, and behind a mapping that is a SIGBUS, while a
 * read is merely short. Opening takes the headers and the notes, a few kilobytes
 * whatever the size of the file; whoever needs more asks elf_image_read.
 *
 * Immutable once open, so that it may be shared by readers.
 */
#ifndef ELF_ELF_IMAGE_H
#define ELF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strbuf.h"

struct elf_image;

struct elf_segment {
	uint32_t type, flags; /* PT_*, PF_* */
	uint64_t offset, vaddr, filesz, memsz, align;
};

struct elf_section {
	struct slice name; /* lives as long as the image */
	uint32_t type, link;
	uint64_t flags, addr, offset, size, entsize;
};

/*
 * Opens the regular file behind fd. The fd stays the caller's, its position is not
 * used, and it must stay open as long as the image is read from. A section table
 * that is missing or lies outside the file (a truncated or sstripped one) leaves
 * the image without sections; a bad program header table is an error.
 * 0; -ENOEXEC (no ELF, or of another class or byte order), -EINVAL (malformed, or
 * not a regular file), or the negative errno of the read.
 */
int elf_image_open(struct elf_image **out, int fd, struct strbuf *err);

/* The same of len bytes in memory (the vdso): the caller's, and they must outlive the image. */
int elf_image_memory(struct elf_image **out, const void *buf, size_t len, struct strbuf *err);

/* NULL is passed over. */
void elf_image_free(struct elf_image *img);

/*
 * The NT_GNU_BUILD_ID, from the PT_NOTE segments, else from the SHT_NOTE sections;
 * empty if there is none. At most 64 bytes (ld makes 20, 16 or 8); it lives as long
 * as the image.
 */
struct slice elf_image_build_id(const struct elf_image *img);

/*
 * The address, in the file's own terms (that of its symbols), of the code at a file
 * offset: mapping offset + (ip - mapping start). Where segments overlap in the file
 * an executable one goes first. False if no PT_LOAD holds the offset.
 */
bool elf_image_vaddr(const struct elf_image *img, uint64_t offset, uint64_t *vaddr);

/* The inverse: the file offset of an address. False if the file has no bytes for it. */
bool elf_image_offset(const struct elf_image *img, uint64_t vaddr, uint64_t *offset);

/* e_machine, e_type; whether ELFCLASS64; the size in bytes when it was opened. */
uint16_t elf_image_machine(const struct elf_image *img);
uint16_t elf_image_type(const struct elf_image *img);
bool elf_image_is64(const struct elf_image *img);
uint64_t elf_image_size(const struct elf_image *img);

/* e_entry: where a program, or the dynamic loader, begins; 0 if nowhere. */
uint64_t elf_image_entry(const struct elf_image *img);

/* The program and section headers, *n of them, as the file gives them: untrusted. */
const struct elf_segment *elf_image_segments(const struct elf_image *img, size_t *n);
const struct elf_section *elf_image_sections(const struct elf_image *img, size_t *n);

/* The first section of that name, or NULL. */
const struct elf_section *elf_image_section(const struct elf_image *img, const char *name);

/*
 * Exactly len bytes at a file offset. 0, -EINVAL (beyond the size at opening),
 * -EIO (the file has shrunk since), or the negative errno of the read.
 */
int elf_image_read(const struct elf_image *img, uint64_t offset, void *buf, size_t len,
		   struct strbuf *err);

#endif
