#include "elf/elf_image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"

/*
 * Bounds on what one file may make us hold. Linked files have a few dozen sections
 * and notes of a few hundred bytes; relocatable objects with more sections than this
 * do not run.
 */
#define SECTIONS_MAX (1u << 17)
#define SEGMENTS_MAX (1u << 17)
#define SECTION_NAMES_MAX (16u << 20)
#define NOTES_MAX (64u << 10)
#define BUILD_ID_MAX 64

struct elf_image {
	int fd;
	const uint8_t *mem; /* instead of fd; NULL for a file */
	uint64_t size;
	uint64_t entry;
	bool is64;
	uint16_t machine, type;
	struct elf_segment *segments;
	size_t nsegments;
	struct elf_section *sections;
	size_t nsections;
	char *section_names; /* .shstrtab and a NUL */
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_len;
};

/* The fields of the two ehdr layouts that are used after the identification. */
struct header {
	uint64_t phoff, shoff;
	uint16_t phentsize, shentsize;
	uint32_t phnum, shnum, shstrndx;
};

int elf_image_read(const struct elf_image *img, uint64_t offset, void *buf, size_t len,
		   struct strbuf *err)
{
	size_t done = 0;

	if (offset > img->size || len > img->size - offset)
		return fail(err, -EINVAL, "%zu bytes at %#llx lie beyond the end of the file", len,
			    (unsigned long long)offset);
	if (img->mem) {
		if (len)
			memcpy(buf, img->mem + offset, len);
		return 0;
	}
	while (done < len) {
		ssize_t n = pread(img->fd, (char *)buf + done, len - done, (off_t)(offset + done));

		if (n == 0)
			return fail(err, -EIO, "the file has shrunk while it was read");
		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return fail(err, -errno, "read: %s", strerror(errno));
	}
	return 0;
}

/* An address, offset or size: a word of the file's class. */
static uint64_t read_word(struct cursor *c, bool is64)
{
	return is64 ? cursor_u64(c) : cursor_u32(c);
}

static struct elf_segment read_segment(struct cursor *c, bool is64)
{
	struct elf_segment s = { .type = cursor_u32(c) };

	if (is64)
		s.flags = cursor_u32(c);
	s.offset = read_word(c, is64);
	s.vaddr = read_word(c, is64);
	read_word(c, is64); /* p_paddr */
	s.filesz = read_word(c, is64);
	s.memsz = read_word(c, is64);
	if (!is64)
		s.flags = cursor_u32(c);
	s.align = read_word(c, is64);
	return s;
}

/* *name is sh_name, an offset into .shstrtab. */
static struct elf_section read_section(struct cursor *c, bool is64, uint32_t *name, uint32_t *info)
{
	struct elf_section s = { .name = SLICE("") };

	*name = cursor_u32(c);
	s.type = cursor_u32(c);
	s.flags = read_word(c, is64);
	s.addr = read_word(c, is64);
	s.offset = read_word(c, is64);
	s.size = read_word(c, is64);
	s.link = cursor_u32(c);
	*info = cursor_u32(c);
	read_word(c, is64); /* sh_addralign */
	s.entsize = read_word(c, is64);
	return s;
}

static int read_header(struct elf_image *img, struct header *h, struct strbuf *err)
{
	uint8_t buf[sizeof(Elf64_Ehdr)] = { 0 };
	size_t len = img->size < sizeof(buf) ? (size_t)img->size : sizeof(buf);
	struct cursor c = cursor_of(buf, len);
	int r = elf_image_read(img, 0, buf, len, err);

	if (r)
		return r;
	if (len < SELFMAG || memcmp(buf, ELFMAG, SELFMAG) != 0)
		return fail(err, -ENOEXEC, "not an ELF file");
	if (buf[EI_CLASS] != ELFCLASS64 && buf[EI_CLASS] != ELFCLASS32)
		return fail(err, -ENOEXEC, "unknown ELF class %u", buf[EI_CLASS]);
	if (buf[EI_DATA] != ELFDATA2LSB)
		return fail(err, -ENOEXEC, "ELF of another byte order (EI_DATA %u)", buf[EI_DATA]);
	img->is64 = buf[EI_CLASS] == ELFCLASS64;
	cursor_skip(&c, EI_NIDENT);
	img->type = cursor_u16(&c);
	img->machine = cursor_u16(&c);
	cursor_u32(&c);              /* e_version */
	img->entry = read_word(&c, img->is64);
	h->phoff = read_word(&c, img->is64);
	h->shoff = read_word(&c, img->is64);
	cursor_u32(&c); /* e_flags */
	cursor_u16(&c); /* e_ehsize */
	h->phentsize = cursor_u16(&c);
	h->phnum = cursor_u16(&c);
	h->shentsize = cursor_u16(&c);
	h->shnum = cursor_u16(&c);
	h->shstrndx = cursor_u16(&c);
	if (c.bad)
		return fail(err, -EINVAL, "the ELF header is cut short");
	return 0;
}

/*
 * Counts that do not fit their 16 bits stand in the first section header (elf(5):
 * e_phnum, e_shnum, e_shstrndx).
 */
static bool read_extended_counts(struct elf_image *img, struct header *h)
{
	uint8_t buf[sizeof(Elf64_Shdr)];
	struct cursor c = cursor_of(buf, h->shentsize);
	struct elf_section first;
	uint32_t name, info;

	if (elf_image_read(img, h->shoff, buf, h->shentsize, NULL))
		return false;
	first = read_section(&c, img->is64, &name, &info);
	if (h->shnum == 0)
		h->shnum = first.size > SECTIONS_MAX ? SECTIONS_MAX + 1 : (uint32_t)first.size;
	if (h->shstrndx == SHN_XINDEX)
		h->shstrndx = first.link;
	if (h->phnum == PN_XNUM)
		h->phnum = info;
	return true;
}

static int read_segments(struct elf_image *img, const struct header *h, struct strbuf *err)
{
	size_t entsize = img->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	size_t len = h->phnum * entsize;
	struct cursor c;
	void *buf;
	int r;

	if (h->phnum == 0)
		return 0;
	if (h->phnum > SEGMENTS_MAX)
		return fail(err, -EINVAL, "%u program headers", h->phnum);
	if (h->phentsize != entsize)
		return fail(err, -EINVAL, "program headers of %u bytes", h->phentsize);
	if (h->phoff > img->size || len > img->size - h->phoff)
		return fail(err, -EINVAL, "the program headers lie beyond the end of the file");
	buf = xmalloc(len);
	r = elf_image_read(img, h->phoff, buf, len, err);
	if (r == 0) {
		img->segments = xcalloc(h->phnum, sizeof(*img->segments));
		img->nsegments = h->phnum;
		c = cursor_of(buf, len);
		for (size_t i = 0; i < img->nsegments; i++)
			img->segments[i] = read_segment(&c, img->is64);
	}
	free(buf);
	return r;
}

/* Gives the sections their names; without a proper .shstrtab they stay nameless. */
static void name_sections(struct elf_image *img, uint32_t shstrndx, const uint32_t *names)
{
	const struct elf_section *strings;
	size_t len;

	if (shstrndx >= img->nsections)
		return;
	strings = &img->sections[shstrndx];
	if (strings->type != SHT_STRTAB || strings->size > SECTION_NAMES_MAX)
		return;
	len = (size_t)strings->size;
	img->section_names = xmalloc(len + 1);
	img->section_names[len] = '\0';
	if (elf_image_read(img, strings->offset, img->section_names, len, NULL))
		return;
	for (size_t i = 0; i < img->nsections; i++)
		if (names[i] < len)
			img->sections[i].name = slice_str(img->section_names + names[i]);
}

static void read_sections(struct elf_image *img, const struct header *h)
{
	size_t len = (size_t)h->shnum * h->shentsize;
	struct cursor c = { 0 };
	uint32_t *names, info;
	void *buf;

	if (h->shnum > SECTIONS_MAX || h->shoff > img->size || len > img->size - h->shoff)
		return;
	buf = xmalloc(len + 1);
	if (elf_image_read(img, h->shoff, buf, len, NULL) == 0 && h->shnum) {
		c = cursor_of(buf, len);
		names = xcalloc(h->shnum, sizeof(*names));
		img->sections = xcalloc(h->shnum, sizeof(*img->sections));
		img->nsections = h->shnum;
		for (size_t i = 0; i < img->nsections; i++)
			img->sections[i] = read_section(&c, img->is64, &names[i], &info);
		name_sections(img, h->shstrndx, names);
		free(names);
	}
	free(buf);
}

static size_t align_up(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* Looks for the build-id among the notes at a place in the file. */
static bool read_notes(struct elf_image *img, uint64_t offset, uint64_t size, uint64_t align)
{
	size_t len = size < NOTES_MAX ? (size_t)size : NOTES_MAX;
	/* Only notes of 8-byte alignment (.note.gnu.property) pad to that (gABI, and readelf). */
	size_t pad = align == 8 ? 8 : 4;
	uint8_t *buf = xmalloc(len + 1);
	struct cursor c = cursor_of(buf, len);

	if (elf_image_read(img, offset, buf, len, NULL))
		c.bad = true;
	while (cursor_left(&c) >= sizeof(Elf64_Nhdr)) {
		size_t namesz = cursor_u32(&c), descsz = cursor_u32(&c);
		uint32_t type = cursor_u32(&c);
		struct slice name = cursor_slice(&c, namesz), desc;

		cursor_seek(&c, align_up(c.pos, pad));
		desc = cursor_slice(&c, descsz);
		if (!c.bad && type == NT_GNU_BUILD_ID && namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(name.p, ELF_NOTE_GNU, namesz) == 0 && desc.len &&
		    desc.len <= BUILD_ID_MAX) {
			memcpy(img->build_id, desc.p, desc.len);
			img->build_id_len = desc.len;
			break;
		}
		cursor_seek(&c, align_up(c.pos, pad));
	}
	free(buf);
	return img->build_id_len > 0;
}

static void find_build_id(struct elf_image *img)
{
	for (size_t i = 0; i < img->nsegments; i++) {
		const struct elf_segment *s = &img->segments[i];

		if (s->type == PT_NOTE && read_notes(img, s->offset, s->filesz, s->align))
			return;
	}
	for (size_t i = 0; i < img->nsections; i++) {
		const struct elf_section *s = &img->sections[i];

		if (s->type == SHT_NOTE && read_notes(img, s->offset, s->size, 4))
			return;
	}
}

static int image_parse(struct elf_image **out, struct elf_image *img, struct strbuf *err)
{
	struct header h = { 0 };
	int r = read_header(img, &h, err);

	if (r == 0) {
		size_t entsize = img->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
		bool sections = h.shoff && h.shentsize == entsize &&
				read_extended_counts(img, &h);

		r = read_segments(img, &h, err);
		if (r == 0 && sections)
			read_sections(img, &h);
	}
	if (r) {
		elf_image_free(img);
		return r;
	}
	find_build_id(img);
	*out = img;
	return 0;
}

int elf_image_open(struct elf_image **out, int fd, struct strbuf *err)
{
	struct elf_image *img;
	struct stat st;

	*out = NULL;
	if (fstat(fd, &st))
		return fail(err, -errno, "fstat: %s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(err, -EINVAL, "not a regular file");
	img = xcalloc(1, sizeof(*img));
	img->fd = fd;
	img->size = (uint64_t)st.st_size;
	return image_parse(out, img, err);
}

int elf_image_memory(struct elf_image **out, const void *buf, size_t len, struct strbuf *err)
{
	struct elf_image *img = xcalloc(1, sizeof(*img));

	*out = NULL;
	img->fd = -1;
	img->mem = buf ? buf : (const void *)"";
	img->size = buf ? len : 0;
	return image_parse(out, img, err);
}

void elf_image_free(struct elf_image *img)
{
	if (!img)
		return;
	free(img->segments);
	free(img->sections);
	free(img->section_names);
	free(img);
}

struct slice elf_image_build_id(const struct elf_image *img)
{
	return (struct slice){ (const char *)img->build_id, img->build_id_len };
}

/* Whether [start, start + size) holds x; no sum that could wrap. */
static bool holds(uint64_t start, uint64_t size, uint64_t x)
{
	return x >= start && x - start < size;
}

bool elf_image_vaddr(const struct elf_image *img, uint64_t offset, uint64_t *vaddr)
{
	bool found = false;

	for (size_t i = 0; i < img->nsegments; i++) {
		const struct elf_segment *s = &img->segments[i];

		if (s->type != PT_LOAD || !holds(s->offset, s->filesz, offset))
			continue;
		if (!found || (s->flags & PF_X))
			*vaddr = s->vaddr + (offset - s->offset);
		found = true;
		if (s->flags & PF_X)
			break;
	}
	return found;
}

bool elf_image_offset(const struct elf_image *img, uint64_t vaddr, uint64_t *offset)
{
	bool found = false;

	for (size_t i = 0; i < img->nsegments; i++) {
		const struct elf_segment *s = &img->segments[i];

		if (s->type != PT_LOAD || !holds(s->vaddr, s->filesz, vaddr))
			continue;
		if (!found || (s->flags & PF_X))
			*offset = s->offset + (vaddr - s->vaddr);
		found = true;
		if (s->flags & PF_X)
			break;
	}
	return found;
}

uint16_t elf_image_machine(const struct elf_image *img)
{
	return img->machine;
}

uint64_t elf_image_entry(const struct elf_image *img)
{
	return img->entry;
}

uint16_t elf_image_type(const struct elf_image *img)
{
	return img->type;
}

bool elf_image_is64(const struct elf_image *img)
{
	return img->is64;
}

uint64_t elf_image_size(const struct elf_image *img)
{
	return img->size;
}

const struct elf_segment *elf_image_segments(const struct elf_image *img, size_t *n)
{
	*n = img->nsegments;
	return img->segments;
}

const struct elf_section *elf_image_sections(const struct elf_image *img, size_t *n)
{
	*n = img->nsections;
	return img->sections;
}

const struct elf_section *elf_image_section(const struct elf_image *img, const char *name)
{
	for (size_t i = 0; i < img->nsections; i++)
		if (slice_eq(img->sections[i].name, slice_str(name)))
			return &img->sections[i];
	return NULL;
}
