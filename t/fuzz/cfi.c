/*
 * Bytes as .eh_frame or .debug_frame, of x86_64 or arm64 (the first byte says which); what
 * comes of them is a table whose look-ups stay within it, in sorted order.
 */
#include <elf.h>
#include <stdlib.h>

#include "unwind/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CODE = 0x1000, CODE_SIZE = 0x7ff000, FRAMES = 0x800000 };

static void make_image(struct strbuf *out, const uint8_t *data, size_t size, uint8_t how)
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = how & 1 ? EM_AARCH64 : EM_X86_64,
		.e_phoff = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shoff = sizeof(ehdr) + sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	Elf64_Phdr code = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = CODE,
			    .p_memsz = CODE_SIZE };
	uint64_t at = ehdr.e_shoff + 3 * sizeof(Elf64_Shdr);
	Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_name = how & 2 ? 11 : 1, .sh_type = SHT_PROGBITS, .sh_addr = FRAMES,
		  .sh_flags = how & 4 ? SHF_COMPRESSED : 0, .sh_offset = at + sizeof(names),
		  .sh_size = size },
		{ .sh_name = 24, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = sizeof(names) },
	};

	strbuf_add(out, &ehdr, sizeof(ehdr));
	strbuf_add(out, &code, sizeof(code));
	strbuf_add(out, sections, sizeof(sections));
	strbuf_add(out, names, sizeof(names));
	strbuf_add(out, data, size);
}

static void check_table(const struct unwind_table *t, const struct unwind_rules *rules)
{
	if (!t->npages || t->pages[0] != 0 || t->pages[t->npages] != t->nrows)
		abort();
	for (size_t i = 0; i < t->npages; i++) {
		uint64_t page = (t->first_page + i) << UNWIND_PAGE_SHIFT;

		if (t->pages[i] >= t->pages[i + 1] || t->rows[t->pages[i]].low != 0)
			abort();
		for (uint32_t k = t->pages[i]; k < t->pages[i + 1]; k++) {
			const struct unwind_row *row = &t->rows[k];

			if (row->rule >= rules->len || (k > t->pages[i] && row->low <= row[-1].low))
				abort();
			if (unwind_table_find(t, rules, page + row->low) !=
			    &rules->rules[row->rule])
				abort();
		}
	}
	if (unwind_table_find(t, rules, CODE + CODE_SIZE)->cfa != UNWIND_CFA_NONE)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf bytes = STRBUF_INIT, err = STRBUF_INIT;
	struct unwind_rules rules = { 0 };
	struct unwind_table *table;
	struct elf_image *img;

	if (!size)
		return 0;
	make_image(&bytes, data + 1, size - 1, data[0]);
	if (elf_image_memory(&img, bytes.buf, bytes.len, &err))
		abort();
	if (!unwind_table_build(&table, img, &rules, &err)) {
		check_table(table, &rules);
		unwind_table_free(table);
	} else if (!err.len) {
		abort();
	}
	elf_image_free(img);
	unwind_rules_release(&rules);
	strbuf_release(&bytes);
	strbuf_release(&err);
	return 0;
}
