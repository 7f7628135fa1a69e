/*
 * The functions of an ELF image, found by address.
 *
 * From .symtab if it names a function, else from .dynsym. A function is a defined
 * STT_FUNC or STT_GNU_IFUNC, or an STT_NOTYPE in an executable section (_start and
 * other assembly); mapping symbols ($x, $d) are none.
 *
 * A sized symbol ends where its size says: an address beyond it has no name rather
 * than a wrong one. One of size 0 reaches up to the next symbol or the end of its
 * section, and gives way to a sized one that covers it. Of symbols within each other
 * the innermost (the last to start) wins; at one address symbol_before decides, and
 * an unsized alias takes the size of a sized one.
 */
#ifndef ELF_SYMTAB_H
#define ELF_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "elf/elf_image.h"
#include "elf/symbol.h"

struct symtab;

/*
 * Reads the table; the image is not needed afterwards. Memory is proportional to the
 * symbol and string tables of the file, which may have at most 8 million symbols and
 * 256 MB of names. An image without symbols gives an empty table.
 * 0; -EINVAL (malformed), -E2BIG (over the limits), or what elf_image_read says.
 */
int symtab_read(struct symtab **out, const struct elf_image *img, struct strbuf *err);

/* NULL is passed over. */
void symtab_free(struct symtab *tab);

/*
 * The function that covers an address in the file's own terms (elf_image_vaddr).
 * The name is without its symbol version and cut at 16 KB. False if there is none.
 */
bool symtab_find(const struct symtab *tab, uint64_t vaddr, struct symbol *out);

/* How many functions it can name, and what it takes of memory. */
size_t symtab_count(const struct symtab *tab);
size_t symtab_bytes(const struct symtab *tab);

/* ".symtab", ".dynsym", or "" when neither names a function. */
const char *symtab_source(const struct symtab *tab);

#endif
