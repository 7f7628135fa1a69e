#include "unwind/frame_section.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "unwind/dwarf_cfi.h"

static int read_bytes(const struct elf_image *img, uint64_t offset, uint64_t len, size_t max,
		      uint8_t **mem, struct strbuf *err)
{
	int rc;

	if (len > max)
		return fail(err, -E2BIG, "unwind information of %" PRIu64 " bytes", len);
	*mem = xmalloc(len ? len : 1);
	rc = elf_image_read(img, offset, *mem, len, err);
	if (rc)
		free(*mem);
	return rc;
}

static int inflate_section(uint8_t **mem, size_t *len, size_t max, struct strbuf *err)
{
	Elf64_Chdr header;
	uint8_t *out;
	uLongf got;
	int rc;

	if (*len < sizeof(header))
		return fail(err, -EINVAL, "a compressed section without a header");
	memcpy(&header, *mem, sizeof(header));
	if (header.ch_type != ELFCOMPRESS_ZLIB)
		return fail(err, -EOPNOTSUPP, "a section compressed in another way than by zlib");
	if (header.ch_size > max)
		return fail(err, -E2BIG, "unwind information of %" PRIu64 " bytes", header.ch_size);
	out = xmalloc(header.ch_size ? header.ch_size : 1);
	got = header.ch_size;
	rc = uncompress(out, &got, *mem + sizeof(header), *len - sizeof(header));
	if (rc != Z_OK || got != header.ch_size) {
		free(out);
		return fail(err, -EINVAL, "a compressed section that is malformed");
	}
	free(*mem);
	*mem = out;
	*len = got;
	return 0;
}

static int read_section(const struct elf_image *img, const struct elf_section *s, size_t max,
			uint8_t **mem, struct cfi_section *sec, struct strbuf *err)
{
	int rc = read_bytes(img, s->offset, s->size, max, mem, err);
	size_t len = s->size;

	if (!rc && s->flags & SHF_COMPRESSED) {
		rc = inflate_section(mem, &len, max, err);
		if (rc)
			free(*mem);
	}
	if (rc)
		return rc;
	*sec = (struct cfi_section){ .buf = *mem, .len = len, .vaddr = s->addr };
	return 0;
}

/*
 * .eh_frame_hdr (LSB 5, 10.6.2) tells where .eh_frame begins. Where it ends only its zero
 * terminator tells, so the rest of the segment comes along.
 */
static int read_by_header(const struct elf_image *img, size_t max, uint8_t **mem,
			  struct cfi_section *sec, struct strbuf *err)
{
	const struct elf_segment *segs, *hdr = NULL;
	struct cfi_section head;
	struct cursor c;
	uint8_t buf[16], encoding;
	uint64_t vaddr, len;
	size_t n;
	int rc;

	segs = elf_image_segments(img, &n);
	for (size_t i = 0; i < n && !hdr; i++)
		if (segs[i].type == PT_GNU_EH_FRAME && segs[i].filesz >= sizeof(buf))
			hdr = &segs[i];
	if (!hdr)
		return -ENOENT;
	rc = elf_image_read(img, hdr->offset, buf, sizeof(buf), err);
	if (rc)
		return rc;
	head = (struct cfi_section){ .buf = buf, .len = sizeof(buf), .vaddr = hdr->vaddr };
	c = cursor_of(buf, sizeof(buf));
	if (cursor_u8(&c) != 1)
		return fail(err, -EINVAL, ".eh_frame_hdr of another version");
	encoding = cursor_u8(&c);
	cursor_skip(&c, 2);
	vaddr = cfi_pointer(&head, &c, encoding, 0);
	if (c.bad)
		return fail(err, -EINVAL, ".eh_frame_hdr does not tell where .eh_frame is");
	for (size_t i = 0; i < n; i++) {
		if (segs[i].type != PT_LOAD || vaddr < segs[i].vaddr ||
		    vaddr - segs[i].vaddr >= segs[i].filesz)
			continue;
		len = segs[i].filesz - (vaddr - segs[i].vaddr);
		if (len > max)
			len = max; /* of a segment, which may hold much else */
		rc = read_bytes(img, segs[i].offset + (vaddr - segs[i].vaddr), len, max, mem, err);
		if (!rc)
			*sec = (struct cfi_section){ .buf = *mem, .len = len, .vaddr = vaddr,
						     .terminated = true };
		return rc;
	}
	return fail(err, -EINVAL, ".eh_frame is in no segment");
}

int frame_section_read(const struct elf_image *img, size_t max, uint8_t **mem,
		       struct cfi_section *sec, struct strbuf *err)
{
	const struct elf_section *s = elf_image_section(img, ".eh_frame");
	int rc;

	/* A file of debug information has the header of a section and not its content. */
	if (s && s->type != SHT_NOBITS && s->size > 4)
		return read_section(img, s, max, mem, sec, err);
	if (!s) {
		rc = read_by_header(img, max, mem, sec, err);
		if (rc != -ENOENT)
			return rc;
	}
	s = elf_image_section(img, ".debug_frame");
	if (!s || s->type == SHT_NOBITS || !s->size)
		return fail(err, -ENOENT, "no unwind information");
	rc = read_section(img, s, max, mem, sec, err);
	sec->debug_frame = true;
	return rc;
}
