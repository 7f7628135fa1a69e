#include "uncovered.h"

#include <elf.h>
#include <string.h>

#include "base/alloc.h"

enum {
	ENTRY_GAP = 4096, /* bytes */
	CODE_GAP = 32768,
	CRT_MAX = 256,    /* bytes of .init or .fini */
};

/*
 * The dynamic loader's entry point is hand-written and has no unwind information; nothing
 * called it. A short gap in the table around e_entry is an outermost frame.
 */
static void root_at_entry(struct unwind_table *t, struct unwind_rules *rules, uint64_t entry)
{
	static const struct unwind_rule root = { .cfa = UNWIND_CFA_ROOT };
	uint64_t page = (entry >> UNWIND_PAGE_SHIFT) - t->first_page;
	uint16_t low = (uint16_t)entry;
	struct unwind_row *row, *end;

	if (!entry || page >= t->npages)
		return;
	row = t->rows + t->pages[page];
	end = t->rows + t->pages[page + 1];
	while (row + 1 < end && row[1].low <= low)
		row++;
	if (row->rule == UNWIND_RULE_NONE && row + 1 < end && row[1].low - row->low <= ENTRY_GAP)
		row->rule = unwind_rules_add(rules, &root);
}

/*
 * Code that was not made by a compiler which describes it, but is too much to be a gap
 * between functions: V8's built-in functions in node and Chromium, for one. It is walked
 * as that of a JIT is, by frame pointers, which is a rule like any other.
 */
static void frame_pointers_in_gaps(struct unwind_table *t, struct unwind_rules *rules)
{
	static const struct unwind_rule by_fp = {
		.cfa = UNWIND_CFA_FP,
		.cfa_off = 16,
		.fp = UNWIND_AT_CFA,
		.fp_off = -16,
		.ra = UNWIND_AT_CFA,
		.ra_off = -8,
	};
	uint16_t rule = unwind_rules_add(rules, &by_fp);
	size_t first = 0; /* row of the gap */
	uint64_t start = 0;
	bool in_gap = false;

	for (size_t page = 0; page < t->npages; page++) {
		for (size_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
			uint64_t at = (uint64_t)page << UNWIND_PAGE_SHIFT | t->rows[i].low;

			if (t->rows[i].rule == UNWIND_RULE_NONE) {
				if (!in_gap) {
					first = i;
					start = at;
				}
				in_gap = true;
				continue;
			}
			if (in_gap && at - start >= CODE_GAP)
				for (size_t k = first; k < i; k++)
					t->rows[k].rule = rule;
			in_gap = false;
		}
	}
}

/*
 * Makes [start, end) of a page, of which nothing is known, have a rule. False if there is
 * something known in it.
 */
static bool set_range(struct unwind_table *t, uint64_t start, uint64_t end, uint16_t rule)
{
	uint64_t page = (start >> UNWIND_PAGE_SHIFT) - t->first_page;
	uint16_t low = (uint16_t)start, high = (uint16_t)end;
	struct unwind_row put[2] = { { low, rule }, { high, UNWIND_RULE_NONE } };
	size_t at, n = 2, over = 0;

	if (page >= t->npages || (end - 1) >> UNWIND_PAGE_SHIFT != start >> UNWIND_PAGE_SHIFT ||
	    !high)
		return false;
	at = t->pages[page];
	while (at + 1 < t->pages[page + 1] && t->rows[at + 1].low <= low)
		at++;
	if (t->rows[at].rule != UNWIND_RULE_NONE ||
	    (at + 1 < t->pages[page + 1] && t->rows[at + 1].low < high))
		return false;
	if (t->rows[at].low == low)
		over = 1; /* its place is taken */
	else
		at++;
	if (at + over < t->pages[page + 1] && t->rows[at + over].low == high)
		n = 1; /* what begins there is known */
	t->rows = xreallocarray(t->rows, t->nrows + n, sizeof(*t->rows));
	memmove(t->rows + at + n, t->rows + at + over,
		(t->nrows - at - over) * sizeof(*t->rows));
	memcpy(t->rows + at, put, n * sizeof(*put));
	t->nrows += n - over;
	for (size_t i = page + 1; i <= t->npages; i++)
		t->pages[i] += (uint32_t)(n - over);
	return true;
}

/*
 * _init and _fini are put together by the linker from pieces that are not described, and
 * run when a process starts and ends: sub $8,%rsp; …; add $8,%rsp; ret.
 */
static void crt_section(struct unwind_table *t, struct unwind_rules *rules,
			const struct elf_image *img, const char *name)
{
	static const unsigned char endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const unsigned char push[] = { 0x48, 0x83, 0xec, 0x08 };
	static const unsigned char pop_ret[] = { 0x48, 0x83, 0xc4, 0x08, 0xc3 };
	struct unwind_rule rule = {
		.cfa = UNWIND_CFA_SP,
		.cfa_off = 8,
		.ra = UNWIND_AT_CFA,
		.ra_off = -8,
	};
	const struct elf_section *s = elf_image_section(img, name);
	unsigned char code[CRT_MAX];
	uint16_t outside, inside;
	size_t from = 0, ret;

	if (elf_image_machine(img) != EM_X86_64 || !s || s->type != SHT_PROGBITS ||
	    s->size > sizeof(code) || s->size < sizeof(push) + sizeof(pop_ret) ||
	    elf_image_read(img, s->offset, code, s->size, NULL))
		return;
	if (!memcmp(code, endbr, sizeof(endbr)))
		from = sizeof(endbr);
	ret = s->size - 1;
	if (from + sizeof(push) + sizeof(pop_ret) > s->size ||
	    memcmp(code + from, push, sizeof(push)) ||
	    memcmp(code + s->size - sizeof(pop_ret), pop_ret, sizeof(pop_ret)))
		return;
	from += sizeof(push);
	outside = unwind_rules_add(rules, &rule);
	rule.cfa_off = 16;
	inside = unwind_rules_add(rules, &rule);
	set_range(t, s->addr, s->addr + from, outside);
	set_range(t, s->addr + from, s->addr + ret, inside);
	set_range(t, s->addr + ret, s->addr + s->size, outside);
}

void uncovered_describe(struct unwind_table *t, struct unwind_rules *rules,
			const struct elf_image *img)
{
	root_at_entry(t, rules, elf_image_entry(img));
	crt_section(t, rules, img, ".init");
	crt_section(t, rules, img, ".fini");
	frame_pointers_in_gaps(t, rules);
}
