/* An ELF image and its symbols; whatever is found, its name lies within the table. */
#include <stdlib.h>

#include "elf/elf_image.h"
#include "elf/symtab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct symtab *tab, uint64_t addr)
{
	struct symbol s;
	struct strbuf copy = STRBUF_INIT;

	if (!symtab_find(tab, addr, &s))
		return;
	if (addr < s.addr || addr - s.addr >= s.size || !s.name.len)
		abort();
	strbuf_addslice(&copy, s.name);
	strbuf_release(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf err = STRBUF_INIT;
	struct elf_image *img;
	struct symtab *tab;

	if (elf_image_memory(&img, data, size, &err) == 0) {
		uint64_t vaddr, offset;

		for (size_t i = 0; i < size && i < 4096; i += 61)
			if (elf_image_vaddr(img, i, &vaddr))
				elf_image_offset(img, vaddr, &offset);
		if (symtab_read(&tab, img, &err) == 0) {
			for (uint64_t a = 0; a < 0x4000; a += 7)
				look_up(tab, a);
			for (size_t i = 0; i + 8 <= size && i < 4096; i += 8) {
				memcpy(&vaddr, data + i, 8);
				look_up(tab, vaddr);
			}
			symtab_free(tab);
		}
		elf_image_free(img);
	}
	strbuf_release(&err);
	return 0;
}
