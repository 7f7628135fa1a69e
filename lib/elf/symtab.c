#include "elf/symtab.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/spans.h"

#define SYMBOLS_MAX (8u << 20)
#define STRINGS_MAX (256u << 20)
#define NAME_MAX_LEN (16u << 10)
#define CHUNK_SYMBOLS 4096

struct function {
	uint64_t addr, end;
	uint32_t name; /* in strings */
	uint32_t len;  /* of the name as shown */
};

struct symtab {
	struct spans spans; /* ids are places in `functions` */
	struct function *functions;
	size_t nfunctions;
	char *strings; /* the whole string table and a NUL: suffixes are shared in it */
	size_t strings_len;
	const char *source;
};

/* A function symbol of the file, before it is known what it gets to name. */
struct candidate {
	uint64_t addr;
	uint64_t end; /* of an unsized one: where its section ends */
	uint32_t name;
	uint8_t bind; /* enum symbol_binding */
	bool sized;
};

struct candidates {
	struct candidate *items;
	size_t len, cap;
};

/* Elf32_Sym and Elf64_Sym differ in the order of their fields, too. */
struct raw_symbol {
	uint32_t name;
	uint8_t type, bind;
	uint16_t section;
	uint64_t addr, size;
};

static struct raw_symbol read_symbol(struct cursor *c, bool is64)
{
	struct raw_symbol s = { .name = cursor_u32(c) };
	uint8_t info;

	if (!is64) {
		s.addr = cursor_u32(c);
		s.size = cursor_u32(c);
	}
	info = cursor_u8(c);
	cursor_u8(c); /* st_other */
	s.section = cursor_u16(c);
	if (is64) {
		s.addr = cursor_u64(c);
		s.size = cursor_u64(c);
	}
	s.type = ELF64_ST_TYPE(info);
	s.bind = ELF64_ST_BIND(info);
	return s;
}

static enum symbol_binding binding(uint8_t bind)
{
	switch (bind) {
	case STB_LOCAL:
		return SYMBOL_LOCAL;
	case STB_WEAK:
		return SYMBOL_WEAK;
	default: /* STB_GLOBAL, STB_GNU_UNIQUE */
		return SYMBOL_GLOBAL;
	}
}

/* Adds the symbol to *c if it is a function as symtab.h defines it. */
static void consider(struct candidates *c, const struct symtab *tab, const struct elf_image *img,
		     struct raw_symbol s)
{
	const struct elf_section *sections, *in = NULL;
	struct candidate *item;
	size_t nsections;
	char first;

	if (s.type != STT_FUNC && s.type != STT_GNU_IFUNC && s.type != STT_NOTYPE)
		return;
	if (s.section == SHN_UNDEF || s.name >= tab->strings_len)
		return;
	first = tab->strings[s.name];
	sections = elf_image_sections(img, &nsections);
	if (s.section < nsections)
		in = &sections[s.section];
	/* Mapping symbols begin with '$', labels the assembler and annobin leave with '.'. */
	if (s.type == STT_NOTYPE &&
	    (!in || !(in->flags & SHF_EXECINSTR) || first == '$' || first == '.'))
		return;
	if (first == '\0')
		return;
	/* Bit 0 of an ARM function says that it is in Thumb code. */
	if (elf_image_machine(img) == EM_ARM && s.type != STT_NOTYPE)
		s.addr &= ~(uint64_t)1;
	if (s.size == 0) {
		if (!in || s.addr < in->addr || s.addr - in->addr >= in->size)
			return;
		if (in->size > UINT64_MAX - in->addr)
			return;
	} else if (s.size > UINT64_MAX - s.addr) {
		return;
	}
	c->items = grow(c->items, c->len, &c->cap, sizeof(*c->items));
	item = &c->items[c->len++];
	*item = (struct candidate){
		.addr = s.addr,
		.end = s.size ? s.addr + s.size : in->addr + in->size,
		.name = s.name,
		.bind = binding(s.bind),
		.sized = s.size != 0,
	};
}

static int read_strings(struct symtab *tab, const struct elf_image *img, uint32_t link,
			struct strbuf *err)
{
	size_t n;
	const struct elf_section *sections = elf_image_sections(img, &n);

	if (link >= n || sections[link].type != SHT_STRTAB)
		return fail(err, -EINVAL, "a symbol table without its strings");
	if (sections[link].size > STRINGS_MAX)
		return fail(err, -E2BIG, "%llu bytes of symbol names",
			    (unsigned long long)sections[link].size);
	if (sections[link].offset > elf_image_size(img) ||
	    sections[link].size > elf_image_size(img) - sections[link].offset)
		return fail(err, -EINVAL, "the symbol names lie beyond the end of the file");
	tab->strings_len = (size_t)sections[link].size;
	tab->strings = xmalloc(tab->strings_len + 1);
	tab->strings[tab->strings_len] = '\0';
	return elf_image_read(img, sections[link].offset, tab->strings, tab->strings_len, err);
}

static int read_candidates(struct candidates *c, struct symtab *tab, const struct elf_image *img,
			   const struct elf_section *table, struct strbuf *err)
{
	bool is64 = elf_image_is64(img);
	size_t entsize = is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t left = table->size / entsize, offset = table->offset;
	void *buf;
	int r;

	if (left > SYMBOLS_MAX)
		return fail(err, -E2BIG, "%llu symbols", (unsigned long long)left);
	if (table->entsize != entsize)
		return fail(err, -EINVAL, "symbols of %llu bytes",
			    (unsigned long long)table->entsize);
	r = read_strings(tab, img, table->link, err);
	buf = xmalloc(CHUNK_SYMBOLS * entsize);
	while (r == 0 && left) {
		size_t n = left < CHUNK_SYMBOLS ? (size_t)left : CHUNK_SYMBOLS;
		struct cursor cur = cursor_of(buf, n * entsize);

		r = elf_image_read(img, offset, buf, n * entsize, err);
		for (size_t i = 0; r == 0 && i < n; i++)
			consider(c, tab, img, read_symbol(&cur, is64));
		left -= n;
		offset += n * entsize;
	}
	free(buf);
	return r;
}

/* By address; of one address the unsized first, then the longest first. */
static int candidate_cmp(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized ? 1 : -1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static struct slice shown_name(const struct symtab *tab, uint32_t name)
{
	const char *p = tab->strings + name;

	return symbol_unversioned((struct slice){ p, strnlen(p, NAME_MAX_LEN) });
}

static bool better(const struct symtab *tab, const struct candidate *a, const struct candidate *b)
{
	if (a->bind != b->bind || a->name == b->name)
		return a->bind < b->bind;
	return symbol_before(a->bind, shown_name(tab, a->name), b->bind, shown_name(tab, b->name));
}

/*
 * Leaves of n candidates for one address those that get to name something, the longest
 * first and each preferred to the ones before it, and returns how many. `limit` is
 * where the next address begins, `covered` whether a sized symbol from below covers
 * this one.
 */
static size_t choose(const struct symtab *tab, struct candidate *group, size_t n, uint64_t limit,
		     bool covered)
{
	uint64_t sized_end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n && !sized_end; i++)
		if (group[i].sized)
			sized_end = group[i].end;
	if (!sized_end && covered)
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct candidate c = group[i];

		if (!c.sized)
			c.end = sized_end ? sized_end : c.end < limit ? c.end : limit;
		if (kept && !better(tab, &c, &group[kept - 1]))
			continue;
		if (kept && group[kept - 1].end == c.end)
			kept--;
		group[kept++] = c;
	}
	return kept;
}

/* Makes the table of the candidates, which are changed. */
static void build(struct symtab *tab, struct candidate *items, size_t n)
{
	uint64_t covered_to = 0;
	size_t kept = 0;

	qsort(items, n, sizeof(*items), candidate_cmp);
	for (size_t i = 0, next; i < n; i = next) {
		uint64_t addr = items[i].addr;
		size_t chosen;

		for (next = i + 1; next < n && items[next].addr == addr; next++)
			;
		chosen = choose(tab, items + i, next - i,
				next < n ? items[next].addr : UINT64_MAX, covered_to > addr);
		for (size_t k = i; k < i + chosen; k++) {
			/* The last to start has the highest id: the innermost. */
			spans_push(&tab->spans, addr, items[k].end, (uint32_t)kept);
			if (items[k].sized && items[k].end > covered_to)
				covered_to = items[k].end;
			items[kept++] = items[k];
		}
	}
	spans_seal(&tab->spans);
	tab->nfunctions = kept;
	tab->functions = xcalloc(kept + 1, sizeof(*tab->functions));
	for (size_t i = 0; i < kept; i++)
		tab->functions[i] = (struct function){
			.addr = items[i].addr,
			.end = items[i].end,
			.name = items[i].name,
			.len = (uint32_t)shown_name(tab, items[i].name).len,
		};
}

/* Fills the table from the first section of a type; it stays empty if there is none. */
static int read_table(struct symtab *tab, const struct elf_image *img, uint32_t type,
		      struct strbuf *err)
{
	size_t n;
	const struct elf_section *sections = elf_image_sections(img, &n), *table = NULL;
	struct candidates c = { 0 };
	int r;

	for (size_t i = 0; i < n && !table; i++)
		if (sections[i].type == type)
			table = &sections[i];
	if (!table)
		return 0;
	r = read_candidates(&c, tab, img, table, err);
	if (r == 0 && c.len) {
		build(tab, c.items, c.len);
		tab->source = type == SHT_SYMTAB ? ".symtab" : ".dynsym";
	} else {
		free(tab->strings);
		tab->strings = NULL;
		tab->strings_len = 0;
	}
	free(c.items);
	return r;
}

int symtab_read(struct symtab **out, const struct elf_image *img, struct strbuf *err)
{
	struct symtab *tab = xcalloc(1, sizeof(*tab));
	int r;

	*out = NULL;
	tab->source = "";
	r = read_table(tab, img, SHT_SYMTAB, err);
	if (r == 0 && tab->nfunctions == 0)
		r = read_table(tab, img, SHT_DYNSYM, err);
	if (r) {
		symtab_free(tab);
		return r;
	}
	*out = tab;
	return 0;
}

void symtab_free(struct symtab *tab)
{
	if (!tab)
		return;
	spans_release(&tab->spans);
	free(tab->functions);
	free(tab->strings);
	free(tab);
}

bool symtab_find(const struct symtab *tab, uint64_t vaddr, struct symbol *out)
{
	const struct function *f;
	uint32_t id;

	if (!spans_find(&tab->spans, vaddr, &id))
		return false;
	f = &tab->functions[id];
	*out = (struct symbol){ f->addr, f->end - f->addr, { tab->strings + f->name, f->len } };
	return true;
}

size_t symtab_count(const struct symtab *tab)
{
	return tab->nfunctions;
}

size_t symtab_bytes(const struct symtab *tab)
{
	return sizeof(*tab) + spans_bytes(&tab->spans) + tab->strings_len +
	       tab->nfunctions * sizeof(*tab->functions);
}

const char *symtab_source(const struct symtab *tab)
{
	return tab->source;
}
