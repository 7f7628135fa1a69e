#include "unwind/table.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "unwind/cfa.h"
#include "unwind/cfi.h"
#include "unwind/frame_section.h"

/* Files have one executable segment, or a few; what is beyond these has no rows. */
enum { CODE_MAX = 64 };

struct code {
	uint64_t start, end;
};

struct function {
	uint64_t vaddr;
	uint32_t entry; /* its offset in the section */
	uint32_t size;
};

struct builder {
	struct unwind_table *table;
	struct unwind_rules *rules;
	const struct cfa_machine *machine;
	struct cfi_section sec;

	struct code code[CODE_MAX];
	size_t ncode;
	struct function *functions;
	size_t nfunctions, functions_cap;

	/* The CIE met last; FDEs of one object file have it in common. */
	size_t cie_offset; /* SIZE_MAX: none, as in an entry that has none; an error, too */
	int cie_error, start_error;
	struct cfa_start start;
	struct cfa_run run;

	/* The row not yet written, which one at the same address replaces. */
	bool pending;
	uint64_t pending_vaddr;
	uint16_t pending_rule;
	uint16_t rule; /* of the row written last */
	size_t rows_cap, pages_cap;
	struct unwind_rule last; /* and its index: neighbours are often alike */
	uint16_t last_index;
};

/* ---- functions */

static void find_code(struct builder *b, const struct elf_image *img)
{
	const struct elf_segment *segs;
	size_t n;

	segs = elf_image_segments(img, &n);
	for (size_t i = 0; i < n && b->ncode < CODE_MAX; i++)
		if (segs[i].type == PT_LOAD && segs[i].flags & PF_X && segs[i].memsz &&
		    segs[i].vaddr + segs[i].memsz > segs[i].vaddr)
			b->code[b->ncode++] =
				(struct code){ segs[i].vaddr, segs[i].vaddr + segs[i].memsz };
}

/* Cuts a function to the code it starts in; false if it is in none. */
static bool within_code(const struct builder *b, struct cfi_fde *fde)
{
	for (size_t i = 0; i < b->ncode; i++) {
		if (fde->vaddr < b->code[i].start || fde->vaddr >= b->code[i].end)
			continue;
		if (fde->size > b->code[i].end - fde->vaddr)
			fde->size = b->code[i].end - fde->vaddr;
		return true;
	}
	return false;
}

static int load_cie(struct builder *b, size_t offset)
{
	struct cfi_cie cie;

	if (b->cie_offset == offset)
		return b->cie_error;
	b->cie_offset = offset;
	b->cie_error = cfi_cie_parse(&b->sec, offset, &cie);
	if (!b->cie_error)
		b->start_error = cfa_start(&b->start, b->machine, &b->sec, &cie);
	return b->cie_error;
}

static int read_fde(struct builder *b, const struct cfi_entry *entry, struct cfi_fde *fde)
{
	int rc = load_cie(b, entry->cie);

	return rc ? rc : cfi_fde_parse(&b->sec, entry, &b->start.cie, fde);
}

static void collect(struct builder *b)
{
	struct cfi_entry entry;
	struct cfi_fde fde;
	size_t pos = 0;
	int rc;

	while ((rc = cfi_next(&b->sec, &pos, &entry)) == 1) {
		if (entry.is_cie)
			continue;
		if (read_fde(b, &entry, &fde)) {
			b->table->nbad++;
			continue;
		}
		if (!fde.size || !within_code(b, &fde))
			continue;
		if (b->nfunctions == UNWIND_FDES_MAX) {
			rc = -E2BIG;
			break;
		}
		b->functions = grow(b->functions, b->nfunctions, &b->functions_cap,
				    sizeof(*b->functions));
		b->functions[b->nfunctions++] = (struct function){
			.vaddr = fde.vaddr,
			.entry = (uint32_t)entry.offset,
			.size = fde.size < UINT32_MAX ? (uint32_t)fde.size : UINT32_MAX,
		};
	}
	b->table->damaged = rc < 0;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static void sort_functions(struct builder *b)
{
	for (size_t i = 1; i < b->nfunctions; i++) {
		if (by_vaddr(&b->functions[i - 1], &b->functions[i]) > 0) {
			qsort(b->functions, b->nfunctions, sizeof(*b->functions), by_vaddr);
			return;
		}
	}
}

/* ---- rows */

static int append_row(struct builder *b, uint16_t low, uint16_t rule)
{
	struct unwind_table *t = b->table;

	if (t->nrows == UNWIND_ROWS_MAX)
		return -E2BIG;
	t->rows = grow(t->rows, t->nrows, &b->rows_cap, sizeof(*t->rows));
	t->rows[t->nrows++] = (struct unwind_row){ low, rule };
	return 0;
}

/* Begins pages up to that of vaddr, each with the row that reaches into it. */
static int begin_pages(struct builder *b, uint64_t vaddr)
{
	struct unwind_table *t = b->table;
	uint64_t page = vaddr >> UNWIND_PAGE_SHIFT;
	int rc;

	if (!t->npages)
		t->first_page = page;
	if (page - t->first_page >= UNWIND_PAGES_MAX)
		return -E2BIG;
	while (t->first_page + t->npages <= page) {
		t->pages = grow(t->pages, t->npages, &b->pages_cap, sizeof(*t->pages));
		t->pages[t->npages++] = (uint32_t)t->nrows;
		/* A row that starts with the page itself is about to come. */
		if (t->first_page + t->npages <= page || vaddr & (UNWIND_PAGE_ROWS - 1)) {
			rc = append_row(b, 0, b->rule);
			if (rc)
				return rc;
		}
	}
	return 0;
}

static int flush_row(struct builder *b)
{
	uint16_t low = b->pending_vaddr & (UNWIND_PAGE_ROWS - 1);
	int rc;

	if (!b->pending || b->pending_rule == b->rule)
		return 0;
	rc = begin_pages(b, b->pending_vaddr);
	if (!rc)
		rc = append_row(b, low, b->pending_rule);
	b->rule = b->pending_rule;
	return rc;
}

/* A row; addresses do not descend. */
static int add_row(struct builder *b, uint64_t vaddr, uint16_t rule)
{
	int rc = 0;

	if (!b->pending || vaddr != b->pending_vaddr)
		rc = flush_row(b);
	b->pending = true;
	b->pending_vaddr = vaddr;
	b->pending_rule = rule;
	return rc;
}

static uint16_t rule_index(struct builder *b, const struct unwind_rule *rule)
{
	if (memcmp(rule, &b->last, sizeof(*rule)) != 0) {
		b->last = *rule;
		b->last_index = unwind_rules_add(b->rules, rule);
	}
	return b->last_index;
}

/* The rows of one function as far as `end`, where another one begins or it ends. */
static int add_function(struct builder *b, const struct function *f, uint64_t end)
{
	struct cfi_entry entry;
	struct cfi_fde fde;
	struct unwind_rule rule;
	size_t pos = f->entry;
	uint64_t vaddr = f->vaddr;
	int got = -EINVAL, rc;

	/* It has been parsed before; only its program is new. */
	if (cfi_next(&b->sec, &pos, &entry) == 1 && !read_fde(b, &entry, &fde) && !b->start_error) {
		cfa_begin(&b->run, &b->start, &fde);
		while ((got = cfa_next(&b->run, &vaddr, &rule)) == 1 && vaddr < end) {
			rc = add_row(b, vaddr, rule_index(b, &rule));
			if (rc)
				return rc;
		}
	}
	if (got >= 0 || vaddr >= end)
		return 0;
	b->table->nbad++;
	return add_row(b, vaddr, UNWIND_RULE_UNSUPPORTED);
}

static int add_functions(struct builder *b)
{
	int rc = 0;

	for (size_t i = 0; i < b->nfunctions && !rc; i++) {
		const struct function *f = &b->functions[i];
		uint64_t end = f->vaddr + f->size;

		if (i && f->vaddr == f[-1].vaddr)
			continue;
		/* The next with another start. */
		for (size_t k = i + 1; k < b->nfunctions && b->functions[k].vaddr < end; k++) {
			if (b->functions[k].vaddr != f->vaddr) {
				end = b->functions[k].vaddr;
				break;
			}
		}
		rc = add_function(b, f, end);
		if (!rc)
			rc = add_row(b, end, UNWIND_RULE_NONE);
		b->table->nfdes++;
	}
	return rc ? rc : flush_row(b);
}

/* Closes the page index and gives back what was not used. */
static void finish(struct builder *b)
{
	struct unwind_table *t = b->table;

	t->pages = xreallocarray(t->pages, t->npages + 1, sizeof(*t->pages));
	t->pages[t->npages] = (uint32_t)t->nrows;
	t->rows = xreallocarray(t->rows, t->nrows ? t->nrows : 1, sizeof(*t->rows));
}

static int build(struct builder *b, const struct elf_image *img, struct strbuf *err)
{
	uint8_t *mem;
	int rc;

	rc = frame_section_read(img, UNWIND_SECTION_MAX, &mem, &b->sec, err);
	if (rc)
		return rc;
	b->table->source = b->sec.debug_frame ? ".debug_frame" : ".eh_frame";
	find_code(b, img);
	collect(b);
	sort_functions(b);
	b->rules->limit = b->rules->len + UNWIND_RULES_PER_TABLE;
	rc = add_functions(b);
	b->rules->limit = 0;
	free(b->functions);
	free(mem);
	if (rc)
		return fail(err, rc, "more code or rows than a table holds");
	if (!b->table->nrows && (b->table->nbad || b->table->damaged))
		return fail(err, -EINVAL, "%s is malformed", b->table->source);
	if (!b->table->nrows)
		return fail(err, -ENOENT, "%s describes no function", b->table->source);
	finish(b);
	return 0;
}

int unwind_table_build(struct unwind_table **out, const struct elf_image *img,
		       struct unwind_rules *rules, struct strbuf *err)
{
	const struct cfa_machine *machine = cfa_machine(elf_image_machine(img));
	struct builder *b;
	int rc;

	if (!machine || !elf_image_is64(img))
		return fail(err, -EOPNOTSUPP, "no unwinding for this machine");
	b = xcalloc(1, sizeof(*b));
	b->table = xcalloc(1, sizeof(*b->table));
	b->rules = rules;
	b->machine = machine;
	b->cie_offset = SIZE_MAX;
	b->cie_error = -EINVAL;
	unwind_rules_add(rules, &b->last); /* NONE, which b->last_index is that of */
	rc = build(b, img, err);
	if (rc)
		unwind_table_free(b->table);
	else
		*out = b->table;
	free(b);
	return rc;
}

void unwind_table_free(struct unwind_table *table)
{
	if (!table)
		return;
	free(table->rows);
	free(table->pages);
	free(table);
}

const struct unwind_rule *unwind_table_find(const struct unwind_table *table,
					    const struct unwind_rules *rules, uint64_t vaddr)
{
	uint64_t page = (vaddr >> UNWIND_PAGE_SHIFT) - table->first_page;
	uint16_t low = vaddr & (UNWIND_PAGE_ROWS - 1);
	uint32_t from, to;

	if (page >= table->npages)
		return &rules->rules[UNWIND_RULE_NONE];
	/* rows[from].low <= low < rows[to].low */
	from = table->pages[page];
	to = table->pages[page + 1];
	while (to - from > 1) {
		uint32_t mid = from + (to - from) / 2;

		if (table->rows[mid].low <= low)
			from = mid;
		else
			to = mid;
	}
	return &rules->rules[table->rows[from].rule];
}

size_t unwind_table_bytes(const struct unwind_table *table)
{
	return sizeof(*table) + table->nrows * sizeof(*table->rows) +
	       (table->npages + 1) * sizeof(*table->pages);
}
