/*
 * Unwind tables against libdw: for each ELF file named, at every row boundary of either
 * side, at the last byte before it, and at addresses that have no row, the rule must be
 * the one that dwarf_cfi_addrframe gives.
 *
 *	cfi [-t SECONDS] FILE…     of CPU time
 *	cfi -r FILE                the rule of each address on stdin, in readelf's words
 *
 * Files without unwind information or of other machines are passed over, and so are those
 * left when the time is up. Prints one line of totals (and the forms that are not
 * supported), differences before it. Status 0 if there are none.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "elf/elf_image.h"
#include "unwind/table.h"

enum { SP = 7, FP = 6, RA = 16, SHOWN_MAX = 20, FORMS_MAX = 64, GAP_STEP = 16, GAP_SAMPLES = 64 };

struct totals {
	uint64_t files, passed_over, rows, checks, unsupported, differences, bytes, fdes, bad;
	double seconds; /* of building */
};

static struct {
	char text[120];
	uint64_t n;
} forms[FORMS_MAX];

static void count_form(const char *what, const Dwarf_Op *ops, size_t nops)
{
	char text[120];
	int n = snprintf(text, sizeof(text), "%s:", what);

	for (size_t i = 0; i < nops && n < 100; i++) {
		n += snprintf(text + n, sizeof(text) - n, " %02x", ops[i].atom);
		if (ops[i].atom == DW_OP_bregx || ops[i].atom == DW_OP_regx)
			n += snprintf(text + n, sizeof(text) - n, "(%" PRIu64 ")", ops[i].number);
	}
	for (size_t i = 0; i < FORMS_MAX; i++) {
		if (!forms[i].n)
			strcpy(forms[i].text, text);
		if (!strcmp(forms[i].text, text)) {
			forms[i].n++;
			return;
		}
	}
}

/* reg + off, or what is at that address; of at most one register. */
struct value {
	bool is_known, deref;
	uint64_t reg;
	int64_t off, add;
};

static struct value evaluate(const Dwarf_Op *ops, size_t nops)
{
	struct value v = { 0 };

	for (size_t i = 0; i < nops; i++) {
		uint8_t atom = ops[i].atom;

		if (i == 0 && atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
			v.reg = atom - DW_OP_breg0;
			v.off = (int64_t)ops[i].number;
		} else if (i == 0 && atom == DW_OP_bregx) {
			v.reg = ops[i].number;
			v.off = (int64_t)ops[i].number2;
		} else if (i && atom == DW_OP_deref && !v.deref) {
			v.deref = true;
		} else if (i && atom == DW_OP_plus_uconst) {
			*(v.deref ? &v.add : &v.off) += (int64_t)ops[i].number;
		} else if (i && i + 1 < nops && ops[i + 1].atom == DW_OP_plus &&
			   atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
			*(v.deref ? &v.add : &v.off) += atom - DW_OP_lit0;
			i++;
		} else {
			return v;
		}
	}
	v.is_known = nops > 0;
	return v;
}

static bool is_plt(const Dwarf_Op *ops, size_t nops)
{
	return nops == 9 && ops[0].atom == DW_OP_breg7 && ops[1].atom == DW_OP_breg16 &&
	       ops[1].number == 0 && ops[2].atom == DW_OP_lit15 && ops[3].atom == DW_OP_and &&
	       ops[4].atom >= DW_OP_lit0 && ops[4].atom <= DW_OP_lit15 &&
	       ops[5].atom == DW_OP_ge && ops[6].atom == DW_OP_lit3 &&
	       ops[7].atom == DW_OP_shl && ops[8].atom == DW_OP_plus;
}

static bool translate_cfa(Dwarf_Frame *frame, struct unwind_rule *rule)
{
	Dwarf_Op *ops;
	size_t nops;
	struct value v;

	if (dwarf_frame_cfa(frame, &ops, &nops) < 0 || !nops) {
		count_form("no CFA", NULL, 0);
		return false;
	}
	if (is_plt(ops, nops)) {
		rule->cfa = UNWIND_CFA_PLT;
		rule->cfa_off = (int32_t)ops[0].number;
		rule->cfa_add = ops[4].atom - DW_OP_lit0;
		return true;
	}
	v = evaluate(ops, nops);
	if (!v.is_known || (v.reg != SP && v.reg != FP) || v.off != (int32_t)v.off ||
	    v.add != (uint8_t)v.add) {
		count_form("CFA", ops, nops);
		return false;
	}
	rule->cfa = v.deref ? (v.reg == SP ? UNWIND_CFA_DEREF_SP : UNWIND_CFA_DEREF_FP) :
			      (v.reg == SP ? UNWIND_CFA_SP : UNWIND_CFA_FP);
	rule->cfa_off = (int32_t)v.off;
	rule->cfa_add = (uint8_t)v.add;
	return true;
}

enum { IN_RDI = 16 }; /* beside enum unwind_where: what UNWIND_SAME is of the return address */

/* Where register reg is; -1 if not in a form of ours. */
static int translate_register(Dwarf_Frame *frame, int reg, int32_t *off)
{
	Dwarf_Op mem[3], *ops;
	size_t nops;
	struct value v;
	char name[16];

	snprintf(name, sizeof(name), "r%d", reg);
	if (dwarf_frame_register(frame, reg, mem, &ops, &nops) < 0)
		return -1;
	if (!nops)
		return ops ? UNWIND_UNDEFINED : UNWIND_SAME;
	if (ops[0].atom == DW_OP_call_frame_cfa) {
		/* An expression begins with the CFA on the stack, used or not. */
		if (nops == 1) {
			*off = 0;
			return UNWIND_AT_CFA;
		}
		if (nops == 2 && ops[1].atom == DW_OP_plus_uconst) {
			*off = (int32_t)ops[1].number;
			return UNWIND_AT_CFA;
		}
		v = evaluate(ops + 1, nops - 1);
	} else if (reg == RA && nops == 1 &&
		   (ops[0].atom == DW_OP_reg5 ||
		    (ops[0].atom == DW_OP_regx && ops[0].number == 5))) {
		return IN_RDI;
	} else {
		v = evaluate(ops, nops);
	}
	if (!v.is_known || v.deref || (v.reg != SP && v.reg != FP) || v.off != (int32_t)v.off) {
		count_form(name, ops, nops);
		return -1;
	}
	*off = (int32_t)v.off;
	return v.reg == SP ? UNWIND_AT_SP : UNWIND_AT_FP;
}

/* Whether the caller's sp is the CFA, or, in signal frames, said in the same words. */
static bool sp_is_cfa(Dwarf_Frame *frame, const struct unwind_rule *rule)
{
	Dwarf_Op mem[3], *ops;
	size_t nops;
	struct value v;

	if (dwarf_frame_register(frame, SP, mem, &ops, &nops) < 0)
		return false;
	if (nops == 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_stack_value)
		return true;
	if (nops == 3 && ops[0].atom == DW_OP_call_frame_cfa &&
	    ops[1].atom == DW_OP_plus_uconst && !ops[1].number && ops[2].atom == DW_OP_stack_value)
		return true;
	v = evaluate(ops + (nops && ops[0].atom == DW_OP_call_frame_cfa),
		     nops - (nops && ops[0].atom == DW_OP_call_frame_cfa));
	if (v.is_known && !v.deref && v.reg == SP && rule->cfa == UNWIND_CFA_DEREF_SP &&
	    !rule->cfa_add && v.off == rule->cfa_off)
		return true;
	count_form("r7", ops, nops);
	return false;
}

/* libdw's view of an address, and the end of the range it holds for. */
static struct unwind_rule oracle_rule(Dwarf_CFI *cfi, uint64_t vaddr, uint64_t *end)
{
	struct unwind_rule rule = { 0 }, unsupported = { .cfa = UNWIND_CFA_UNSUPPORTED };
	Dwarf_Frame *frame;
	Dwarf_Addr from, to;
	bool is_signal;
	int where;

	*end = vaddr + 1;
	if (dwarf_cfi_addrframe(cfi, vaddr, &frame) != 0)
		/* 29: DWARF_E_NO_MATCH of libdwP.h; others are of malformed entries. */
		return strcmp(dwarf_errmsg(dwarf_errno()), "no matching address range") ?
			       unsupported : rule;
	if (dwarf_frame_info(frame, &from, &to, &is_signal) != RA) {
		free(frame);
		return unsupported;
	}
	*end = to;
	where = translate_register(frame, RA, &rule.ra_off);
	if (where == UNWIND_UNDEFINED) {
		free(frame);
		return (struct unwind_rule){ .cfa = UNWIND_CFA_ROOT };
	}
	rule.ra = where == IN_RDI ? UNWIND_SAME : where & 15;
	if (where < 0 || where == UNWIND_SAME || !translate_cfa(frame, &rule) ||
	    !sp_is_cfa(frame, &rule)) {
		free(frame);
		return unsupported;
	}
	where = translate_register(frame, FP, &rule.fp_off);
	rule.fp = where & 15;
	rule.flags = is_signal ? UNWIND_SIGNAL : 0;
	free(frame);
	return where < 0 ? unsupported : rule;
}

static const char *show(const struct unwind_rule *r)
{
	static char buf[4][100];
	static int i;

	i = (i + 1) % 4;
	snprintf(buf[i], sizeof(buf[i]), "cfa %d %+d (%d), fp %d %+d, ra %d %+d, flags %d", r->cfa,
		 r->cfa_off, r->cfa_add, r->fp, r->fp_off, r->ra, r->ra_off, r->flags);
	return buf[i];
}

struct check {
	const char *path;
	const struct unwind_table *table;
	const struct unwind_rules *rules;
	Dwarf_CFI *cfi;
	struct totals *totals;
};

/* One address; returns the end of libdw's row. */
static uint64_t check_at(struct check *ck, uint64_t vaddr)
{
	uint64_t end;
	struct unwind_rule want = oracle_rule(ck->cfi, vaddr, &end);
	const struct unwind_rule *got = unwind_table_find(ck->table, ck->rules, vaddr);

	ck->totals->checks++;
	if (!memcmp(&want, got, sizeof(want)))
		return end;
	if (ck->totals->differences++ < SHOWN_MAX)
		printf("%s 0x%" PRIx64 ": got %s; libdw %s\n", ck->path, vaddr, show(got),
		       show(&want));
	return end;
}

/* A row of ours: the whole of it, piece by piece of libdw's. */
static void check_row(struct check *ck, uint64_t from, uint64_t to, uint16_t rule)
{
	uint64_t step;

	if (rule == UNWIND_RULE_NONE) {
		step = (to - from) / GAP_SAMPLES;
		step = step < GAP_STEP ? GAP_STEP : step & -(uint64_t)GAP_STEP;
		for (uint64_t at = from; at < to; at = (at & -(uint64_t)GAP_STEP) + step)
			check_at(ck, at);
	} else {
		for (uint64_t at = from; at < to;)
			at = check_at(ck, at);
	}
	check_at(ck, to - 1);
	ck->totals->unsupported += rule == UNWIND_RULE_UNSUPPORTED;
}

static void check_table(struct check *ck)
{
	const struct unwind_table *t = ck->table;
	uint64_t page, from, to;

	for (size_t i = 0; i < t->npages; i++) {
		page = (t->first_page + i) << UNWIND_PAGE_SHIFT;
		for (uint32_t k = t->pages[i]; k < t->pages[i + 1]; k++) {
			from = page + t->rows[k].low;
			to = k + 1 < t->pages[i + 1] ? page + t->rows[k + 1].low :
						       page + UNWIND_PAGE_ROWS;
			check_row(ck, from, to, t->rows[k].rule);
		}
	}
}

/* CPU time, which other work on the machine does not change. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void check_file(const char *path, struct unwind_rules *rules, struct totals *totals)
{
	struct strbuf error = STRBUF_INIT;
	struct elf_image *img = NULL;
	struct unwind_table *table = NULL;
	struct check ck = { .path = path, .rules = rules, .totals = totals };
	Dwarf *dwarf = NULL;
	Elf *elf = NULL;
	double start;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0 || elf_image_open(&img, fd, &error)) {
		totals->passed_over++;
		goto out;
	}
	start = now();
	rc = unwind_table_build(&table, img, rules, &error);
	if (rc) {
		totals->passed_over++;
		if (rc != -ENOENT && rc != -EOPNOTSUPP)
			printf("# %s: %s\n", path, strbuf_str(&error));
		goto out;
	}
	totals->seconds += now() - start;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!strcmp(table->source, ".eh_frame")) {
		ck.cfi = dwarf_getcfi_elf(elf);
	} else {
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		ck.cfi = dwarf_getcfi(dwarf);
	}
	if (!ck.cfi) {
		totals->passed_over++;
		printf("# %s: libdw: %s\n", path, dwarf_errmsg(-1));
		goto out;
	}
	ck.table = table;
	check_table(&ck);
	totals->files++;
	totals->rows += table->nrows;
	totals->bytes += unwind_table_bytes(table);
	totals->fdes += table->nfdes;
	totals->bad += table->nbad + table->damaged;
out:
	if (dwarf)
		dwarf_end(dwarf);
	else if (ck.cfi)
		dwarf_cfi_end(ck.cfi);
	if (elf)
		elf_end(elf);
	unwind_table_free(table);
	elf_image_free(img);
	if (fd >= 0)
		close(fd);
	strbuf_release(&error);
}

static void say_place(const char *name, unsigned where, int32_t off)
{
	if (where == UNWIND_AT_CFA)
		printf(" %s c%+d", name, off);
	else
		printf(" %s %s", name,
		       where == UNWIND_SAME || where == UNWIND_UNDEFINED ? "u" : "exp");
}

static int answer(const char *path)
{
	struct unwind_rules rules = { 0 };
	struct strbuf error = STRBUF_INIT;
	struct elf_image *img;
	struct unwind_table *table;
	uint64_t vaddr;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || elf_image_open(&img, fd, &error) ||
	    unwind_table_build(&table, img, &rules, &error)) {
		printf("%s: %s\n", path, strbuf_str(&error));
		return 1;
	}
	while (scanf("%" SCNx64, &vaddr) == 1) {
		const struct unwind_rule *r = unwind_table_find(table, &rules, vaddr);

		printf("%" PRIx64, vaddr);
		if (r->cfa == UNWIND_CFA_NONE)
			printf(" none");
		else if (r->cfa == UNWIND_CFA_ROOT)
			printf(" root");
		else if (r->cfa == UNWIND_CFA_UNSUPPORTED)
			printf(" unsupported");
		else if (r->cfa == UNWIND_CFA_SP || r->cfa == UNWIND_CFA_FP)
			printf(" %s%+d", r->cfa == UNWIND_CFA_SP ? "rsp" : "rbp", r->cfa_off);
		else
			printf(" exp");
		if (r->cfa > UNWIND_CFA_UNSUPPORTED) {
			say_place("rbp", r->fp, r->fp_off);
			say_place("ra", r->ra, r->ra_off);
		}
		putchar('\n');
	}
	unwind_table_free(table);
	elf_image_free(img);
	unwind_rules_release(&rules);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct unwind_rules rules = { 0 };
	struct totals totals = { 0 };
	double until = 0;
	int opt;

	while ((opt = getopt(argc, argv, "r:t:")) != -1) {
		if (opt == 'r')
			return answer(optarg);
		if (opt != 't')
			return 2;
		until = now() + atof(optarg);
	}
	elf_version(EV_CURRENT);
	for (int i = optind; i < argc && (!until || now() < until); i++)
		check_file(argv[i], &rules, &totals);
	for (size_t i = 0; i < FORMS_MAX && forms[i].n; i++)
		printf("# unsupported: %" PRIu64 " of %s\n", forms[i].n, forms[i].text);
	printf("%" PRIu64 " files (%" PRIu64 " without), %" PRIu64 " functions (%" PRIu64
	       " bad), %" PRIu64 " rows, %" PRIu64 " unsupported, %zu rules, %" PRIu64
	       " checks, %" PRIu64 " differences; %.2f bytes a row, %.1f million rows/s\n",
	       totals.files, totals.passed_over, totals.fdes, totals.bad, totals.rows,
	       totals.unsupported, rules.len, totals.checks, totals.differences,
	       (double)totals.bytes / (totals.rows ? totals.rows : 1),
	       totals.rows / 1e6 / (totals.seconds ? totals.seconds : 1));
	unwind_rules_release(&rules);
	return totals.differences != 0;
}
