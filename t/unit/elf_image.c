/*
 * Images made here byte by byte, and this program's own. `elf_image FILE` prints the
 * build-id and what each executable segment's ends map to, `elf_image FILE OFFSET` the
 * address of an offset: t/symbols-oracle.t compares that with what readelf says.
 */
#include "elf/elf_image.h"

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

struct file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[4];
	struct {
		Elf64_Nhdr nhdr;
		char name[4];
		uint8_t desc[20];
	} note;
	uint8_t rest[512];
};

static struct file sound_file(void)
{
	struct file f = {
		.ehdr = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_phoff = offsetof(struct file, phdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 4,
		},
		.phdr = {
			/* Data and code overlap in the file, as without -z separate-code. */
			{ .p_type = PT_LOAD, .p_flags = PF_R, .p_offset = 0, .p_vaddr = 0x10000,
			  .p_filesz = 0x200, .p_memsz = 0x200 },
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x180,
			  .p_vaddr = 0x21180, .p_filesz = 0x100, .p_memsz = 0x100 },
			{ .p_type = PT_NOTE, .p_offset = offsetof(struct file, note),
			  .p_filesz = sizeof(f.note), .p_align = 4 },
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = UINT64_MAX - 8,
			  .p_vaddr = UINT64_MAX - 8, .p_filesz = UINT64_MAX },
		},
		.note = {
			.nhdr = { 4, 20, NT_GNU_BUILD_ID },
			.name = "GNU",
			.desc = { 1, 2, 3, [19] = 20 },
		},
	};

	return f;
}

static void test_sound(void)
{
	struct file f = sound_file();
	struct elf_image *img;
	uint64_t v;
	uint8_t byte;

	if (!ok(elf_image_memory(&img, &f, sizeof(f), NULL) == 0, "a sound image"))
		return;
	ok(elf_image_is64(img) && elf_image_machine(img) == EM_X86_64 &&
		   elf_image_type(img) == ET_DYN && elf_image_size(img) == sizeof(f),
	   "its header");
	ok(slice_eq(elf_image_build_id(img), (struct slice){ (char *)f.note.desc, 20 }),
	   "its build-id");
	ok(elf_image_vaddr(img, 0x10, &v) && v == 0x10010, "an offset in the first segment");
	ok(elf_image_vaddr(img, 0x180, &v) && v == 0x21180, "of two segments, the executable");
	ok(elf_image_vaddr(img, 0x27f, &v) && v == 0x2127f, "its last byte");
	ok(!elf_image_vaddr(img, 0x280, &v), "no segment");
	ok(elf_image_offset(img, 0x21180, &v) && v == 0x180, "an address");
	ok(elf_image_offset(img, 0x10190, &v) && v == 0x190, "one of the other segment");
	ok(!elf_image_offset(img, 0x21280, &v) && !elf_image_offset(img, 0, &v), "none");
	ok(elf_image_vaddr(img, UINT64_MAX - 1, &v) && v == UINT64_MAX - 1,
	   "a segment that wraps around is harmless");
	ok(elf_image_read(img, sizeof(f) - 1, &byte, 1, NULL) == 0, "the last byte");
	ok(elf_image_read(img, sizeof(f), &byte, 1, NULL) == -EINVAL, "one beyond");
	ok(elf_image_read(img, UINT64_MAX, &byte, 1, NULL) == -EINVAL, "far beyond");
	elf_image_free(img);
}

static int open_changed(const struct file *f, size_t len)
{
	struct strbuf err = STRBUF_INIT;
	struct elf_image *img;
	int r = elf_image_memory(&img, f, len, &err);

	if (r && (!err.len || img))
		r = 1; /* no reason given */
	elf_image_free(img);
	strbuf_release(&err);
	return r;
}

static void test_faults(void)
{
	struct file f = sound_file();
	struct elf_image *img;
	unsigned wrong = 0;

	ok(open_changed(&f, 0) == -ENOEXEC, "empty");
	ok(open_changed(&f, 3) == -ENOEXEC, "three bytes");
	for (size_t len = 4; len < offsetof(struct file, phdr[4]); len++) {
		int r = open_changed(&f, len);

		wrong += r != -EINVAL && r != -ENOEXEC;
	}
	is_u64(wrong, 0, "cut anywhere in its headers it is refused with a reason");
	f.ehdr.e_ident[EI_DATA] = ELFDATA2MSB;
	ok(open_changed(&f, sizeof(f)) == -ENOEXEC, "big-endian");
	f = sound_file();
	f.ehdr.e_ident[EI_CLASS] = 3;
	ok(open_changed(&f, sizeof(f)) == -ENOEXEC, "another class");
	f = sound_file();
	f.ehdr.e_phentsize = 55;
	ok(open_changed(&f, sizeof(f)) == -EINVAL, "program headers of another size");
	f = sound_file();
	f.ehdr.e_phoff = UINT64_MAX - 8;
	ok(open_changed(&f, sizeof(f)) == -EINVAL, "program headers beyond the end");
	f = sound_file();
	f.ehdr.e_shoff = sizeof(f) - 8;
	f.ehdr.e_shentsize = sizeof(Elf64_Shdr);
	f.ehdr.e_shnum = 3;
	ok(open_changed(&f, sizeof(f)) == 0, "sections beyond the end are done without");

	f = sound_file();
	f.note.nhdr.n_descsz = 0xfffffff0;
	ok(elf_image_memory(&img, &f, sizeof(f), NULL) == 0 && elf_image_build_id(img).len == 0,
	   "a note that is too long is none");
	elf_image_free(img);
	f = sound_file();
	memcpy(f.note.name, "GNX", 4);
	ok(elf_image_memory(&img, &f, sizeof(f), NULL) == 0 && elf_image_build_id(img).len == 0,
	   "another owner's note is none");
	elf_image_free(img);
	f = sound_file();
	f.note.nhdr.n_descsz = 8;
	ok(elf_image_memory(&img, &f, sizeof(f), NULL) == 0 && elf_image_build_id(img).len == 8,
	   "a build-id of 8 bytes");
	elf_image_free(img);
}

static void test_files(void)
{
	struct strbuf err = STRBUF_INIT;
	struct file f = sound_file();
	struct elf_image *img;
	uint64_t offset, vaddr;
	size_t n;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (ok(elf_image_open(&img, fd, &err) == 0, "this program %s", strbuf_str(&err))) {
		const struct elf_section *text = elf_image_section(img, ".text");

		ok(text && (text->flags & SHF_EXECINSTR), "has a .text");
		ok(text && elf_image_offset(img, text->addr, &offset) && offset == text->offset &&
			   elf_image_vaddr(img, offset, &vaddr) && vaddr == text->addr,
		   "in its place");
		ok(elf_image_sections(img, &n) && n > 10, "and %zu sections", n);
		ok(elf_image_segments(img, &n) && n > 3, "and %zu segments", n);
		ok(!elf_image_section(img, ".no-such"), "and not others");
	}
	elf_image_free(img);
	close(fd);

	fd = open("/", O_RDONLY | O_CLOEXEC);
	ok(elf_image_open(&img, fd, &err) == -EINVAL && !img, "a folder: %s", strbuf_str(&err));
	close(fd);
	ok(elf_image_open(&img, -1, &err) == -EBADF && !img, "no file: %s", strbuf_str(&err));

	/* Someone truncates it while it is open. */
	fd = memfd_create("elf", MFD_CLOEXEC);
	ok(write(fd, &f, sizeof(f)) == sizeof(f) && elf_image_open(&img, fd, &err) == 0 &&
		   ftruncate(fd, 100) == 0 &&
		   elf_image_read(img, 64, f.rest, 100, &err) == -EIO,
	   "a file that shrinks: %s", strbuf_str(&err));
	elf_image_free(img);
	close(fd);
	strbuf_release(&err);
}

static int describe(const char *path, const char *offset)
{
	struct strbuf err = STRBUF_INIT;
	struct elf_image *img;
	const struct elf_segment *segs;
	struct slice id;
	uint64_t v;
	size_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || elf_image_open(&img, fd, &err))
		errx(1, "%s: %s", path, strbuf_str(&err));
	if (offset) {
		if (elf_image_vaddr(img, strtoull(offset, NULL, 16), &v))
			printf("%" PRIx64 "\n", v);
		elf_image_free(img);
		close(fd);
		return 0;
	}
	id = elf_image_build_id(img);
	for (size_t i = 0; i < id.len; i++)
		printf("%02x", (unsigned char)id.p[i]);
	putchar('\n');
	segs = elf_image_segments(img, &n);
	for (size_t i = 0; i < n; i++)
		if (segs[i].type == PT_LOAD && (segs[i].flags & PF_X) && segs[i].filesz) {
			if (elf_image_vaddr(img, segs[i].offset, &v))
				printf("%" PRIx64 " %" PRIx64 "\n", segs[i].offset, v);
			if (elf_image_vaddr(img, segs[i].offset + segs[i].filesz - 1, &v))
				printf("%" PRIx64 " %" PRIx64 "\n",
				       segs[i].offset + segs[i].filesz - 1, v);
		}
	elf_image_free(img);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return describe(argv[1], argv[2]);
	test_sound();
	test_faults();
	test_files();
	return done_testing();
}
