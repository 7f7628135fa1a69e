/*
 * Tables of images made here: order, overlaps, gaps, pages, sections found in every way,
 * damage and limits.
 */
#include "unwind/table.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "frames.h"
#include "tap.h"

enum { CODE = 0x100000, CODE_SIZE = 0x80000, FRAMES = 0x10000 };

/* How an image tells where its unwind information is. */
enum form { EH_FRAME, HEADER, DEBUG_FRAME, COMPRESSED, NOBITS };

/* .eh_frame_hdr in front of the frames, of the size that is read of it. */
static const size_t header_size = 16;

static void make_image(struct strbuf *out, const struct frames *f, enum form form)
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(ehdr),
		.e_phoff = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = form == HEADER ? 0 : 3,
		.e_shstrndx = form == HEADER ? 0 : 2,
	};
	uint64_t at = sizeof(ehdr) + 3 * sizeof(Elf64_Phdr), size = f->sb.len;
	Elf64_Phdr segments[3] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = CODE,
		  .p_memsz = CODE_SIZE },
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = FRAMES - header_size,
		  .p_offset = at, .p_filesz = header_size + size, .p_memsz = header_size + size },
		{ .p_type = form == HEADER ? PT_GNU_EH_FRAME : PT_NULL,
		  .p_vaddr = FRAMES - header_size, .p_offset = at,
		  .p_filesz = header_size, .p_memsz = header_size },
	};
	uint8_t header[16] = { 1, EH_PE_PCREL | EH_PE_SDATA4, EH_PE_OMIT, EH_PE_OMIT, 12 };
	Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_name = form >= DEBUG_FRAME && form != NOBITS ? 11 : 1,
		  .sh_type = form == NOBITS ? SHT_NOBITS : SHT_PROGBITS, .sh_addr = FRAMES,
		  .sh_flags = form == COMPRESSED ? SHF_COMPRESSED : 0 },
		{ .sh_name = 24, .sh_type = SHT_STRTAB, .sh_size = sizeof(names) },
	};
	Elf64_Chdr chdr = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = size };
	uLongf packed_len = compressBound(size);
	uint8_t *packed = xmalloc(packed_len);

	strbuf_reset(out);
	ehdr.e_shoff = form == HEADER ? 0 : at + header_size;
	strbuf_add(out, &ehdr, sizeof(ehdr));
	strbuf_add(out, segments, sizeof(segments));
	strbuf_add(out, header, sizeof(header));
	sections[2].sh_offset = ehdr.e_shoff + sizeof(sections);
	sections[1].sh_offset = sections[2].sh_offset + sizeof(names);
	sections[1].sh_size = size;
	if (form == COMPRESSED) {
		compress(packed, &packed_len, (const uint8_t *)f->sb.buf, size);
		sections[1].sh_size = sizeof(chdr) + packed_len;
	}
	if (form != HEADER) {
		strbuf_add(out, sections, sizeof(sections));
		strbuf_add(out, names, sizeof(names));
	}
	if (form == COMPRESSED) {
		strbuf_add(out, &chdr, sizeof(chdr));
		strbuf_add(out, packed, packed_len);
	} else {
		strbuf_addslice(out, strbuf_slice(&f->sb));
	}
	free(packed);
}

static int build(struct unwind_table **table, struct unwind_rules *rules, const struct frames *f,
		 enum form form)
{
	struct strbuf bytes = STRBUF_INIT, err = STRBUF_INIT;
	struct elf_image *img = NULL;
	int rc;

	*table = NULL;
	make_image(&bytes, f, form);
	rc = elf_image_memory(&img, bytes.buf, bytes.len, &err);
	if (!rc)
		rc = unwind_table_build(table, img, rules, &err);
	if (rc && !err.len)
		rc = 1; /* a failure that says nothing */
	elf_image_free(img);
	strbuf_release(&bytes);
	strbuf_release(&err);
	return rc;
}

static void begin(struct frames *f)
{
	*f = (struct frames){ .vaddr = FRAMES };
	frames_cie(f, "zR", EH_PE_PCREL | EH_PE_SDATA4, 16, USUAL);
}

/* A function whose CFA is sp + off from the start. */
static void function(struct frames *f, uint64_t vaddr, uint32_t size, uint8_t off)
{
	frames_fde(f, vaddr, size, PROGRAM(CFA_DEF_CFA_OFFSET, off));
}

/* The table as text: "100000:sp+8 100010:none …", with pages, as a copy would see it. */
static const char *text_of(const struct unwind_table *t, const struct unwind_rules *rules)
{
	static const char *const others[] = { "none", "root", "unsupported" };
	static struct strbuf out;

	strbuf_reset(&out);
	for (size_t i = 0; i < t->npages; i++) {
		for (uint32_t k = t->pages[i]; k < t->pages[i + 1]; k++) {
			const struct unwind_rule *r = &rules->rules[t->rows[k].rule];
			uint64_t page = (t->first_page + i) << UNWIND_PAGE_SHIFT;

			strbuf_addf(&out, "%s%llx:", out.len ? " " : "",
				    (unsigned long long)page + t->rows[k].low);
			if (r->cfa == UNWIND_CFA_SP)
				strbuf_addf(&out, "sp%+d", r->cfa_off);
			else
				strbuf_addstr(&out, others[r->cfa]);
		}
	}
	return strbuf_str(&out);
}

/* Uses the frames up. */
static void rows(const char *what, struct frames *f, enum form form, const char *want)
{
	struct unwind_rules rules = { 0 };
	struct unwind_table *table;
	int rc = build(&table, &rules, f, form);

	if (is_u64((uint64_t)-rc, 0, "%s: is built", what))
		is_str(text_of(table, &rules), want, "%s", what);
	unwind_table_free(table);
	unwind_rules_release(&rules);
	strbuf_release(&f->sb);
}

static void order(void)
{
	struct frames f;

	begin(&f);
	function(&f, CODE, 0x10, 8);
	function(&f, CODE + 0x10, 0x10, 16);
	rows("neighbours", &f, EH_FRAME, "100000:sp+8 100010:sp+16 100020:none");
	begin(&f);
	function(&f, CODE + 0x40, 0x10, 16);
	function(&f, CODE + 0x10, 0x10, 8);
	rows("out of order, with a gap", &f, EH_FRAME,
	     "100000:none 100010:sp+8 100020:none 100040:sp+16 100050:none");
	begin(&f);
	function(&f, CODE, 0x10, 8);
	function(&f, CODE + 0x10, 0x10, 8);
	rows("alike ones are merged", &f, EH_FRAME, "100000:sp+8 100020:none");
	begin(&f);
	function(&f, CODE, 0x100, 8);
	function(&f, CODE + 0x10, 0x10, 16);
	rows("the later start wins and its end is an end", &f, EH_FRAME,
	     "100000:sp+8 100010:sp+16 100020:none");
	begin(&f);
	function(&f, CODE, 0x20, 8);
	function(&f, CODE, 0x30, 16);
	function(&f, CODE + 0x10, 0x30, 24);
	rows("the first of one start", &f, EH_FRAME, "100000:sp+8 100010:sp+24 100040:none");
	begin(&f);
	function(&f, CODE, 0x10, 8);
	function(&f, CODE + 8, 0, 16);
	function(&f, CODE - 0x10, 0x10, 16);
	function(&f, CODE + CODE_SIZE, 0x10, 16);
	function(&f, CODE + CODE_SIZE - 0x10, 0x100, 24);
	rows("empty, outside of code, reaching out of it", &f, EH_FRAME,
	     "100000:sp+8 100010:none 110000:none 120000:none 130000:none 140000:none "
	     "150000:none 160000:none 170000:none 17fff0:sp+24 180000:none");
	begin(&f);
	frames_fde(&f, CODE, 0x20, PROGRAM(CFA_ADVANCE_LOC | 1, CFA_DEF_CFA_OFFSET, 16,
					   CFA_ADVANCE_LOC | 0, CFA_DEF_CFA_OFFSET, 24,
					   CFA_ADVANCE_LOC | 3, CFA_DEF_CFA_OFFSET, 24,
					   CFA_ADVANCE_LOC | 4, CFA_UNDEFINED, 16));
	rows("rows without length, rows alike", &f, EH_FRAME,
	     "100000:sp+8 100001:sp+24 100008:root 100020:none");
}

static void pages(void)
{
	struct frames f;

	begin(&f);
	function(&f, CODE + 0x8000, 0x20000, 8);
	rows("a function over pages", &f, EH_FRAME,
	     "100000:none 108000:sp+8 110000:sp+8 120000:sp+8 128000:none");
	begin(&f);
	function(&f, CODE + 0x10000, 0x10000, 8);
	function(&f, CODE + 0x20000, 0x10000, 16);
	rows("functions that are pages", &f, EH_FRAME, "110000:sp+8 120000:sp+16 130000:none");
}

static void found(void)
{
	struct frames f;

	begin(&f);
	function(&f, CODE, 0x10, 8);
	put(&f, 0, 4);
	/* What follows in the segment is not .eh_frame and looks like it. */
	function(&f, CODE, 0x20, 16);
	rows("without sections, up to the terminator", &f, HEADER, "100000:sp+8 100010:none");

	for (enum form form = DEBUG_FRAME; form <= COMPRESSED; form++) {
		f = (struct frames){ .vaddr = FRAMES };
		frames_open(&f);
		put(&f, 0xffffffff, 4);
		strbuf_add(&f.sb, PROGRAM(3, 0, 1, 0x78, 16, CFA_DEF_CFA, 7, 8,
					   CFA_OFFSET | 16, 1));
		frames_close(&f);
		frames_open(&f);
		put(&f, 0, 4);
		put(&f, CODE + 0x10, 8);
		put(&f, 0x50, 8);
		frames_close(&f);
		rows(form == COMPRESSED ? ".debug_frame, compressed" : ".debug_frame", &f, form,
		     "100000:none 100010:sp+8 100060:none");
	}
}

static void damage(void)
{
	struct unwind_rules rules = { 0 };
	struct unwind_table *t;
	struct frames f;

	begin(&f);
	function(&f, CODE, 0x10, 8);
	frames_fde(&f, CODE + 0x10, 0x10, PROGRAM(CFA_ADVANCE_LOC | 4, CFA_DEF_CFA_OFFSET, 16,
						  CFA_ADVANCE_LOC | 4, 0x3f));
	function(&f, CODE + 0x20, 0x10, 8);
	frames_cie(&f, "zX", 0, 16, USUAL);
	function(&f, CODE + 0x30, 0x10, 8);
	frames_cie(&f, "zR", EH_PE_PCREL | EH_PE_SDATA4, 3, USUAL);
	function(&f, CODE + 0x40, 0x10, 8);
	put(&f, 1000, 4);
	if (is_u64((uint64_t)-build(&t, &rules, &f, EH_FRAME), 0, "a damaged file has a table")) {
		is_str(text_of(t, &rules), "100000:sp+8 100014:sp+16 100018:unsupported "
		       "100020:sp+8 100030:none 100040:unsupported 100050:none",
		       "what is bad spoils itself and nothing else");
		ok(t->nbad == 3 && t->nfdes == 4 && t->damaged, "and is counted");
	}
	unwind_table_free(t);
	strbuf_release(&f.sb);

	begin(&f);
	put(&f, 1000, 4);
	ok(build(&t, &rules, &f, EH_FRAME) == -EINVAL, "nothing but damage");
	strbuf_release(&f.sb);
	begin(&f);
	ok(build(&t, &rules, &f, EH_FRAME) == -ENOENT, "no functions");
	function(&f, CODE, 0x10, 8);
	ok(build(&t, &rules, &f, NOBITS) == -ENOENT, "a section without content");
	strbuf_release(&f.sb);
	unwind_rules_release(&rules);
}

/* Every address of a table by look-up against a plain search. */
static void find(void)
{
	struct unwind_rules rules = { 0 };
	struct unwind_table *t;
	struct frames f;
	size_t wrong = 0;

	begin(&f);
	for (unsigned i = 0; i < 3000; i++)
		function(&f, CODE + 0x20 + i * 48, 32, (uint8_t)(8 * (1 + i % 15)));
	if (is_u64((uint64_t)-build(&t, &rules, &f, EH_FRAME), 0, "many functions")) {
		for (uint64_t a = CODE - 0x20000; a < CODE + CODE_SIZE; a++) {
			const struct unwind_rule *r = unwind_table_find(t, &rules, a);
			uint64_t i = (a - CODE - 0x20) / 48;
			bool in = a >= CODE + 0x20 && i < 3000 && (a - CODE - 0x20) % 48 < 32;

			wrong += r->cfa != (in ? UNWIND_CFA_SP : UNWIND_CFA_NONE) ||
				 (in && r->cfa_off != (int)(8 * (1 + i % 15)));
		}
		is_u64(wrong, 0, "each address has its rule");
		ok(unwind_table_find(t, &rules, 0)->cfa == UNWIND_CFA_NONE &&
		   unwind_table_find(t, &rules, UINT64_MAX)->cfa == UNWIND_CFA_NONE,
		   "and far ones have none");
		/* The other two pages begin where a row does anyway. */
		is_u64(t->nrows, 6000 + 1, "two rows a function, and one for the first page");
		is_u64(rules.len, 2 + 15, "rules are shared");
	}
	unwind_table_free(t);
	unwind_rules_release(&rules);
	strbuf_release(&f.sb);
}

static void rules_full(void)
{
	struct unwind_rules rules = { 0 };
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP };
	size_t wrong = 0;

	for (unsigned i = 2; i < UNWIND_RULES_MAX; i++) {
		rule.cfa_off = (int)i;
		wrong += unwind_rules_add(&rules, &rule) != i;
	}
	is_u64(wrong, 0, "rules have indices in order");
	rule.cfa_off = 5;
	is_u64(unwind_rules_add(&rules, &rule), 5, "a known rule keeps its index");
	rule.cfa_off = -5;
	is_u64(unwind_rules_add(&rules, &rule), UNWIND_RULE_UNSUPPORTED, "when all are taken");
	ok(rules.len == UNWIND_RULES_MAX && rules.refused == 1, "it is counted");
	unwind_rules_release(&rules);
}

int main(void)
{
	order();
	pages();
	found();
	damage();
	find();
	rules_full();
	return done_testing();
}
