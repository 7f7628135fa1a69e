/*
 * Tables of images made here. `symtab FILE` instead prints the source of FILE's table
 * and, for each hexadecimal address on stdin, the address, what is found and its
 * file offset: t/symbols-oracle.t compares that with what readelf says.
 */
#include "elf/symtab.h"

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/stream.h"
#include "tap.h"

enum { TEXT = 1, DATA, SYMTAB, STRTAB, NSECTIONS };

/* An image with .text at 0x1000–0x2000, .data at 0x3000–0x4000, and a symbol table. */
struct maker {
	Elf64_Shdr sections[NSECTIONS];
	Elf64_Sym *syms;
	size_t nsyms, cap;
	struct strbuf names;
};

static void maker_init(struct maker *m)
{
	*m = (struct maker){
		.sections = {
			[TEXT] = { .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_addr = 0x1000, .sh_size = 0x1000 },
			[DATA] = { .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE,
				   .sh_addr = 0x3000, .sh_size = 0x1000 },
			[SYMTAB] = { .sh_type = SHT_SYMTAB, .sh_link = STRTAB,
				     .sh_entsize = sizeof(Elf64_Sym) },
			[STRTAB] = { .sh_type = SHT_STRTAB },
		},
	};
	strbuf_addch(&m->names, '\0');
}

static void put(struct maker *m, uint64_t addr, uint64_t size, unsigned char bind,
		unsigned char type, uint16_t section, const char *name)
{
	m->syms = grow(m->syms, m->nsyms, &m->cap, sizeof(*m->syms));
	m->syms[m->nsyms++] = (Elf64_Sym){
		.st_name = (Elf64_Word)m->names.len,
		.st_info = ELF64_ST_INFO(bind, type),
		.st_shndx = section,
		.st_value = addr,
		.st_size = size,
	};
	strbuf_addstr(&m->names, name);
	strbuf_addch(&m->names, '\0');
}

static void func(struct maker *m, uint64_t addr, uint64_t size, unsigned char bind,
		 const char *name)
{
	put(m, addr, size, bind, STT_FUNC, TEXT, name);
}

/* The bytes of the image, with the sections' places filled in unless they were set. */
static void make(struct maker *m, struct strbuf *out)
{
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_shoff = sizeof(ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = NSECTIONS,
	};
	uint64_t at = sizeof(ehdr) + sizeof(m->sections);

	if (!m->sections[SYMTAB].sh_offset) {
		m->sections[SYMTAB].sh_offset = at;
		m->sections[SYMTAB].sh_size = m->nsyms * sizeof(*m->syms);
	}
	at += m->nsyms * sizeof(*m->syms);
	if (!m->sections[STRTAB].sh_offset) {
		m->sections[STRTAB].sh_offset = at;
		m->sections[STRTAB].sh_size = m->names.len;
	}
	strbuf_reset(out);
	strbuf_add(out, &ehdr, sizeof(ehdr));
	strbuf_add(out, m->sections, sizeof(m->sections));
	strbuf_add(out, m->syms, m->nsyms * sizeof(*m->syms));
	strbuf_addslice(out, strbuf_slice(&m->names));
	free(m->syms);
	strbuf_release(&m->names);
}

/* Uses the maker up. */
static int read_made(struct maker *m, struct symtab **tab)
{
	struct strbuf bytes = STRBUF_INIT, err = STRBUF_INIT;
	struct elf_image *img;
	int r;

	make(m, &bytes);
	*tab = NULL;
	r = elf_image_memory(&img, bytes.buf, bytes.len, &err);
	if (r == 0)
		r = symtab_read(tab, img, &err);
	if (r && !err.len)
		r = 1; /* no reason given */
	elf_image_free(img);
	strbuf_release(&bytes);
	strbuf_release(&err);
	return r;
}

/* "NAME ADDR+SIZE", or "" when nothing is found. */
static const char *found(const struct symtab *tab, uint64_t addr)
{
	static char buf[256];
	struct symbol s;

	buf[0] = '\0';
	if (symtab_find(tab, addr, &s))
		snprintf(buf, sizeof(buf), "%.*s %#" PRIx64 "+%#" PRIx64, (int)s.name.len, s.name.p,
			 s.addr, s.size);
	return buf;
}

static void test_extents(void)
{
	struct symtab *tab;
	struct maker m;

	maker_init(&m);
	func(&m, 0x1000, 0x10, STB_GLOBAL, "first");
	func(&m, 0x1020, 0, STB_GLOBAL, "unsized");
	func(&m, 0x1040, 0x40, STB_GLOBAL, "outer");
	func(&m, 0x1050, 0x10, STB_LOCAL, "inner");
	func(&m, 0x1054, 0x4, STB_LOCAL, "innermost");
	func(&m, 0x1070, 0, STB_GLOBAL, "label_in_outer");
	func(&m, 0x1078, 0x20, STB_GLOBAL, "across");
	put(&m, 0x1f00, 0, STB_GLOBAL, STT_NOTYPE, TEXT, "_start");
	put(&m, 0x2000, 0, STB_GLOBAL, STT_NOTYPE, TEXT, "_etext");
	if (!ok(read_made(&m, &tab) == 0, "read"))
		return;
	is_str(symtab_source(tab), ".symtab", "from .symtab");
	is_str(found(tab, 0xfff), "", "below the first");
	is_str(found(tab, 0x1000), "first 0x1000+0x10", "its first byte");
	is_str(found(tab, 0x100f), "first 0x1000+0x10", "its last byte");
	is_str(found(tab, 0x1010), "", "beyond its size it has no name");
	is_str(found(tab, 0x1020), "unsized 0x1020+0x20", "an unsized one");
	is_str(found(tab, 0x103f), "unsized 0x1020+0x20", "up to the next");
	is_str(found(tab, 0x104f), "outer 0x1040+0x40", "before one within");
	is_str(found(tab, 0x1050), "inner 0x1050+0x10", "the one within");
	is_str(found(tab, 0x1057), "innermost 0x1054+0x4", "the one within that");
	is_str(found(tab, 0x1058), "inner 0x1050+0x10", "behind it");
	is_str(found(tab, 0x1060), "outer 0x1040+0x40", "behind both");
	is_str(found(tab, 0x1074), "outer 0x1040+0x40", "an unsized one gives way to a sized one");
	is_str(found(tab, 0x107c), "across 0x1078+0x20", "where two overlap the later one");
	is_str(found(tab, 0x1097), "across 0x1078+0x20", "to its end");
	is_str(found(tab, 0x1098), "", "and no further");
	is_str(found(tab, 0x1fff), "_start 0x1f00+0x100", "to the end of the section");
	is_str(found(tab, 0x2000), "", "where a label names nothing");
	is_u64(symtab_count(tab), 7, "functions");
	symtab_free(tab);
}

static void test_kinds(void)
{
	struct symtab *tab;
	struct maker m;

	maker_init(&m);
	put(&m, 0x1000, 8, STB_GLOBAL, STT_OBJECT, TEXT, "object");
	put(&m, 0x1010, 8, STB_GLOBAL, STT_GNU_IFUNC, TEXT, "ifunc");
	put(&m, 0x1020, 8, STB_GLOBAL, STT_FUNC, SHN_UNDEF, "undefined");
	put(&m, 0x1030, 8, STB_LOCAL, STT_NOTYPE, TEXT, "$x");
	put(&m, 0x1038, 8, STB_LOCAL, STT_NOTYPE, TEXT, ".Llabel");
	put(&m, 0x3000, 8, STB_GLOBAL, STT_NOTYPE, DATA, "data_label");
	put(&m, 0x1040, 8, STB_GLOBAL, STT_FUNC, TEXT, "");
	put(&m, 0x1050, 8, STB_GLOBAL, STT_FUNC, SHN_ABS, "absolute");
	put(&m, 0x1060, 0, STB_GLOBAL, STT_FUNC, SHN_ABS, "absolute_unsized");
	put(&m, 0x1070, 8, STB_GLOBAL, STT_FUNC, TEXT, "versioned@@VERS_1.0");
	put(&m, 0x1080, 8, STB_GLOBAL, STT_FUNC, TEXT, "stdcall@8");
	put(&m, 0x1090, UINT64_MAX, STB_GLOBAL, STT_FUNC, TEXT, "wraps");
	put(&m, 0x10a0, 8, STB_GLOBAL, STT_FILE, SHN_ABS, "file.c");
	put(&m, 0x10b0, 8, STB_GLOBAL, STT_FUNC, TEXT, "bad name");
	m.syms[m.nsyms - 1].st_name = 0x7fffffff;
	if (!ok(read_made(&m, &tab) == 0, "read"))
		return;
	is_str(found(tab, 0x1000), "", "an object");
	is_str(found(tab, 0x1010), "ifunc 0x1010+0x8", "an indirect function");
	is_str(found(tab, 0x1020), "", "an undefined function");
	is_str(found(tab, 0x1030), "", "a mapping symbol");
	is_str(found(tab, 0x1038), "", "an assembler's label");
	is_str(found(tab, 0x3000), "", "a label in data");
	is_str(found(tab, 0x1040), "", "no name");
	is_str(found(tab, 0x1050), "absolute 0x1050+0x8", "an absolute function");
	is_str(found(tab, 0x1060), "", "one without a size");
	is_str(found(tab, 0x1070), "versioned 0x1070+0x8", "a version is taken off");
	is_str(found(tab, 0x1080), "stdcall@8 0x1080+0x8", "what is no version is not");
	is_str(found(tab, 0x1090), "", "a size that wraps around");
	is_str(found(tab, 0x10a0), "", "a file");
	is_str(found(tab, 0x10b0), "", "a name beyond the names");
	symtab_free(tab);
}

static void test_aliases(void)
{
	static const struct {
		unsigned char a_bind, b_bind;
		const char *a, *b; /* a goes first */
	} cases[] = {
		{ STB_GLOBAL, STB_WEAK, "a_long_name", "b" },
		{ STB_WEAK, STB_LOCAL, "_a_long_name", "b" },
		{ STB_GNU_UNIQUE, STB_WEAK, "a_long_name", "b" },
		{ STB_GLOBAL, STB_GLOBAL, "a_long_name", "_b" },
		{ STB_GLOBAL, STB_GLOBAL, "_b", "__a_long" },
		{ STB_LOCAL, STB_LOCAL, "bb", "aaa" },
		{ STB_GLOBAL, STB_GLOBAL, "aa", "ab" },
	};
	struct symtab *tab;
	struct maker m;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int turn = 0; turn < 2; turn++) {
			struct symbol s = { 0 };

			maker_init(&m);
			if (turn)
				func(&m, 0x1000, 8, cases[i].b_bind, cases[i].b);
			func(&m, 0x1000, 8, cases[i].a_bind, cases[i].a);
			if (!turn)
				func(&m, 0x1000, 8, cases[i].b_bind, cases[i].b);
			ok(read_made(&m, &tab) == 0 && symtab_find(tab, 0x1004, &s) &&
				   slice_eq(s.name, slice_str(cases[i].a)),
			   "%s before %s", cases[i].a, cases[i].b);
			symtab_free(tab);
		}

	maker_init(&m);
	func(&m, 0x1000, 0x10, STB_GLOBAL, "short_global");
	func(&m, 0x1000, 0x20, STB_LOCAL, "long_local");
	func(&m, 0x1000, 0x8, STB_WEAK, "shorter_weak");
	func(&m, 0x1100, 0x10, STB_LOCAL, "sized_local");
	func(&m, 0x1100, 0, STB_GLOBAL, "unsized_global");
	if (ok(read_made(&m, &tab) == 0, "read")) {
		is_str(found(tab, 0x1004), "short_global 0x1000+0x10", "global, though shorter");
		is_str(found(tab, 0x1018), "long_local 0x1000+0x20",
		       "beyond it the one that covers");
		is_str(found(tab, 0x110f), "unsized_global 0x1100+0x10",
		       "an unsized alias takes the size of a sized one");
		is_str(found(tab, 0x1110), "", "and ends with it");
	}
	symtab_free(tab);
}

static void test_faults(void)
{
	struct symtab *tab;
	struct maker m;

	maker_init(&m);
	ok(read_made(&m, &tab) == 0 && symtab_count(tab) == 0 && !*symtab_source(tab),
	   "no symbols: an empty table");
	is_str(found(tab, 0x1000), "", "finds nothing");
	symtab_free(tab);

	maker_init(&m);
	func(&m, 0x1000, 8, STB_GLOBAL, "f");
	m.sections[SYMTAB].sh_offset = 64;
	m.sections[SYMTAB].sh_size = (9ull << 20) * sizeof(Elf64_Sym);
	ok(read_made(&m, &tab) == -E2BIG, "too many symbols");
	maker_init(&m);
	func(&m, 0x1000, 8, STB_GLOBAL, "f");
	m.sections[SYMTAB].sh_offset = 64;
	m.sections[SYMTAB].sh_size = 100 * sizeof(Elf64_Sym);
	ok(read_made(&m, &tab) == -EINVAL, "symbols beyond the end of the file");
	maker_init(&m);
	func(&m, 0x1000, 8, STB_GLOBAL, "f");
	m.sections[SYMTAB].sh_entsize = 1;
	ok(read_made(&m, &tab) == -EINVAL, "symbols of another size");
	maker_init(&m);
	func(&m, 0x1000, 8, STB_GLOBAL, "f");
	m.sections[SYMTAB].sh_link = 99;
	ok(read_made(&m, &tab) == -EINVAL, "no names");
	maker_init(&m);
	func(&m, 0x1000, 8, STB_GLOBAL, "f");
	m.sections[SYMTAB].sh_link = TEXT;
	ok(read_made(&m, &tab) == -EINVAL, "names that are none");
	maker_init(&m);
	func(&m, 0x1000, 8, STB_GLOBAL, "f");
	m.sections[STRTAB].sh_offset = 64;
	m.sections[STRTAB].sh_size = 200 << 20;
	ok(read_made(&m, &tab) == -EINVAL, "names beyond the end of the file");
}

static int describe(const char *path)
{
	struct strbuf err = STRBUF_INIT;
	struct elf_image *img;
	struct symtab *tab;
	struct slice line;
	struct input in;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || elf_image_open(&img, fd, &err) || symtab_read(&tab, img, &err))
		errx(1, "%s: %s", path, strbuf_str(&err));
	printf("%s\n", symtab_source(tab));
	input_init(&in, 0, NULL);
	while (input_line(&in, &line) > 0) {
		uint64_t addr, offset = 0, back = 0;
		struct symbol s;
		bool placed;

		if (number_hex(line, &addr))
			errx(1, "not an address: %.*s", (int)line.len, line.p);
		placed = elf_image_offset(img, addr, &offset);
		if (placed && (!elf_image_vaddr(img, offset, &back) || back != addr))
			errx(1, "%s: %" PRIx64 " is at %" PRIx64 ", which is at %" PRIx64, path,
			     addr, offset, back);
		if (symtab_find(tab, addr, &s))
			printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %.*s\n", addr, s.addr, s.size,
			       (int)s.name.len, s.name.p);
		else
			printf("%" PRIx64 " -\n", addr);
	}
	input_release(&in);
	symtab_free(tab);
	elf_image_free(img);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return describe(argv[1]);
	test_extents();
	test_kinds();
	test_aliases();
	test_faults();
	return done_testing();
}
