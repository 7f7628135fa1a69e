/* Writes .eh_frame by hand, for the tests of lib/unwind. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>

#include "base/strbuf.h"
#include "unwind/cfi.h"
#include "unwind/dwarf_cfi.h"

struct frames {
	struct strbuf sb;
	uint64_t vaddr;   /* of its first byte */
	size_t entry;     /* the one being written */
	size_t cie;       /* the last CIE */
};

/* Instructions, as bytes. */
#define PROGRAM(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

/* What x86_64 compilers begin with: CFA = rsp + 8, the return address at CFA - 8. */
#define USUAL PROGRAM(CFA_DEF_CFA, 7, 8, CFA_OFFSET | 16, 1)

static inline void put(struct frames *f, uint64_t v, size_t size)
{
	strbuf_add(&f->sb, &v, size); /* little-endian, as all the machines here are */
}

static inline void frames_open(struct frames *f)
{
	f->entry = f->sb.len;
	put(f, 0, 4);
}

static inline void frames_close(struct frames *f)
{
	uint32_t len;

	while (f->sb.len % 8)
		put(f, CFA_NOP, 1);
	len = (uint32_t)(f->sb.len - f->entry - 4);
	memcpy(f->sb.buf + f->entry, &len, 4);
}

/* A CIE with code alignment 1 and data alignment -8; `letters` "zR" or "zRS". */
static inline void frames_cie(struct frames *f, const char *letters, uint8_t encoding, uint8_t ra,
			      const uint8_t *program, size_t len)
{
	frames_open(f);
	f->cie = f->entry;
	put(f, 0, 4);
	put(f, 1, 1);
	strbuf_add(&f->sb, letters, strlen(letters) + 1);
	put(f, 1, 1);
	put(f, 0x78, 1);
	put(f, ra, 1);
	put(f, 1, 1);
	put(f, encoding, 1);
	strbuf_add(&f->sb, program, len);
	frames_close(f);
}

/* An FDE of the last CIE, which has the encoding pcrel | sdata4. */
static inline void frames_fde(struct frames *f, uint64_t start, uint32_t size,
			      const uint8_t *program, size_t len)
{
	frames_open(f);
	put(f, f->sb.len - f->cie, 4);
	put(f, start - (f->vaddr + f->sb.len), 4);
	put(f, size, 4);
	put(f, 0, 1);
	strbuf_add(&f->sb, program, len);
	frames_close(f);
}

static inline struct cfi_section frames_section(const struct frames *f)
{
	return (struct cfi_section){ .buf = (const uint8_t *)f->sb.buf, .len = f->sb.len,
				     .vaddr = f->vaddr };
}

#endif
