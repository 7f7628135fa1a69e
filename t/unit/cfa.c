/* Programs of FDEs: what each instruction does to the rows, and what is malformed. */
#include "unwind/cfa.h"

#include <elf.h>
#include <errno.h>

#include "frames.h"
#include "tap.h"

enum { AT = 0x4000, SIZE = 0x100, ROWS_MAX = 200 };

/* What the rows of a function are, as text: "+0 sp+8 fp= ra@-8; …", "bad" from a fault on. */
static const char *rows_text;

static void describe_place(struct strbuf *out, const char *name, unsigned where, int32_t off)
{
	static const char *const at[] = { "=", "@", "@sp", "@fp", "?" };

	strbuf_addf(out, " %s%s", name, at[where]);
	if (where != UNWIND_SAME && where != UNWIND_UNDEFINED)
		strbuf_addf(out, "%+d", off);
}

static void describe(struct strbuf *out, const struct unwind_rule *r)
{
	static const char *const cfa[] = { "none", "root", "unsupported", "sp", "fp", "*sp", "*fp",
					   "plt" };

	strbuf_addstr(out, cfa[r->cfa]);
	if (r->cfa <= UNWIND_CFA_UNSUPPORTED)
		return;
	strbuf_addf(out, "%+d", r->cfa_off);
	if (r->cfa_add)
		strbuf_addf(out, ",%u", r->cfa_add);
	describe_place(out, "fp", r->fp, r->fp_off);
	describe_place(out, "ra", r->ra, r->ra_off);
	if (r->flags & UNWIND_SIGNAL)
		strbuf_addstr(out, " signal");
	if (r->flags & UNWIND_SIGNED)
		strbuf_addstr(out, " signed");
}

static void run_rows(struct strbuf *out, const struct cfa_start *start, const struct cfi_fde *fde)
{
	static struct cfa_run run;
	struct unwind_rule rule;
	uint64_t vaddr;
	int rc, n = 0;

	cfa_begin(&run, start, fde);
	while ((rc = cfa_next(&run, &vaddr, &rule)) == 1 && n++ < ROWS_MAX) {
		strbuf_addf(out, "%s+%u ", out->len ? "; " : "", (unsigned)(vaddr - AT));
		describe(out, &rule);
	}
	if (rc)
		strbuf_addf(out, "%s+%u bad", out->len ? "; " : "", (unsigned)(vaddr - AT));
}

/* The rows of an FDE in a section of its own. */
static void rows_of(uint16_t e_machine, const char *letters, const uint8_t *initial,
		    size_t initial_len, const uint8_t *program, size_t len)
{
	static struct strbuf out;
	const struct cfa_machine *m = cfa_machine(e_machine);
	struct frames f = { .vaddr = 0x10000 };
	struct cfi_section sec;
	struct cfa_start start;
	struct cfi_entry entry;
	struct cfi_cie cie;
	struct cfi_fde fde;
	size_t pos = 0;

	strbuf_reset(&out);
	frames_cie(&f, letters, EH_PE_PCREL | EH_PE_SDATA4, m->ra, initial, initial_len);
	frames_fde(&f, AT, SIZE, program, len);
	sec = frames_section(&f);
	cfi_next(&sec, &pos, &entry);
	if (cfi_cie_parse(&sec, 0, &cie) || cfa_start(&start, m, &sec, &cie))
		strbuf_addstr(&out, "bad CIE");
	else if (cfi_next(&sec, &pos, &entry) != 1 || cfi_fde_parse(&sec, &entry, &cie, &fde))
		strbuf_addstr(&out, "bad FDE");
	else
		run_rows(&out, &start, &fde);
	rows_text = strbuf_str(&out);
	strbuf_release(&f.sb);
}

static void rows(const char *want, const uint8_t *program, size_t len)
{
	rows_of(EM_X86_64, "zR", USUAL, program, len);
	is_str(rows_text, want, "%s", want);
}

static void advances(void)
{
	rows("+0 sp+8 fp= ra@-8", PROGRAM(CFA_NOP));
	rows("+0 sp+8 fp= ra@-8; +5 sp+16 fp= ra@-8; +6 sp+24 fp= ra@-8; +7 sp+32 fp= ra@-8; "
	     "+8 sp+40 fp= ra@-8; +9 sp+48 fp= ra@-8",
	     PROGRAM(CFA_ADVANCE_LOC | 5, CFA_DEF_CFA_OFFSET, 16, CFA_ADVANCE_LOC1, 1,
		     CFA_DEF_CFA_OFFSET, 24, CFA_ADVANCE_LOC2, 1, 0, CFA_DEF_CFA_OFFSET, 32,
		     CFA_ADVANCE_LOC4, 1, 0, 0, 0, CFA_DEF_CFA_OFFSET, 40, CFA_MIPS_ADVANCE_LOC8, 1,
		     0, 0, 0, 0, 0, 0, 0, CFA_DEF_CFA_OFFSET, 48));
	/* Beyond the end there are no rows, and nothing is read. */
	rows("+0 sp+8 fp= ra@-8; +255 sp+8 fp= ra@-8",
	     PROGRAM(CFA_ADVANCE_LOC1, 255, CFA_ADVANCE_LOC | 1, 0x3f, 0x3f));
	rows("+0 bad", PROGRAM(CFA_MIPS_ADVANCE_LOC8, 255, 255, 255, 255, 255, 255, 255, 255));
}

/* set_loc has an encoded address, here relative to its own place. */
static void set_loc(void)
{
	/* CIE: 24 bytes; FDE: length, pointer, start, size, augmentation: 17; the opcode: 1. */
	uint32_t place = 0x10000 + 24 + 17 + 1, to = AT + 0x20 - place;

	rows("+0 sp+8 fp= ra@-8; +32 sp+16 fp= ra@-8",
	     PROGRAM(CFA_SET_LOC, (uint8_t)to, (uint8_t)(to >> 8), (uint8_t)(to >> 16),
		     (uint8_t)(to >> 24), CFA_DEF_CFA_OFFSET, 16));
	to = AT - 1 - place;
	rows("+0 bad", PROGRAM(CFA_SET_LOC, (uint8_t)to, (uint8_t)(to >> 8), (uint8_t)(to >> 16),
			       (uint8_t)(to >> 24)));
}

static void cfas(void)
{
	rows("+0 fp+16 fp= ra@-8", PROGRAM(CFA_DEF_CFA, 6, 16));
	rows("+0 fp+32 fp= ra@-8", PROGRAM(CFA_DEF_CFA_SF, 6, 0x7c));
	rows("+0 fp+8 fp= ra@-8", PROGRAM(CFA_DEF_CFA_REGISTER, 6));
	rows("+0 sp-8 fp= ra@-8", PROGRAM(CFA_DEF_CFA_OFFSET_SF, 1));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_REGISTER, 10));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_OFFSET, 0x80, 0x80, 0x80, 0x80, 0x08));
	rows("+0 sp+16 fp= ra@-8", PROGRAM(CFA_DEF_CFA_EXPRESSION, 2, OP_BREG0 + 7, 16));
	/* GCC's realigned stacks: the old sp is kept in the frame. */
	rows("+0 *fp-8 fp@fp+0 ra@-8",
	     PROGRAM(CFA_DEF_CFA_EXPRESSION, 3, OP_BREG0 + 6, 0x78, OP_DEREF,
		     CFA_EXPRESSION, 6, 2, OP_BREG0 + 6, 0));
	/* Assembly that realigns: the old sp is kept, and a word above it is meant. */
	rows("+0 *sp+64,8 fp@-16 ra@-8",
	     PROGRAM(CFA_DEF_CFA_EXPRESSION, 6, OP_BREG0 + 7, 0xc0, 0, OP_DEREF, OP_PLUS_UCONST, 8,
		     CFA_OFFSET | 6, 2));
	rows("+0 *sp+4,9 fp= ra@-8",
	     PROGRAM(CFA_DEF_CFA_EXPRESSION, 10, OP_BREG0 + 7, 0, OP_CONST1U, 4, OP_PLUS, OP_DEREF,
		     OP_NOP, OP_LIT0 + 9, OP_PLUS, OP_NOP));
	rows("+0 plt+8,11 fp= ra@-8",
	     PROGRAM(CFA_DEF_CFA_EXPRESSION, 11, OP_BREG0 + 7, 8, OP_BREG0 + 16, 0, OP_LIT0 + 15,
		     OP_AND, OP_LIT0 + 11, OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS));
	/* As above but for the shift. */
	rows("+0 unsupported",
	     PROGRAM(CFA_DEF_CFA_EXPRESSION, 11, OP_BREG0 + 7, 8, OP_BREG0 + 16, 0, OP_LIT0 + 15,
		     OP_AND, OP_LIT0 + 11, OP_GE, OP_LIT0 + 2, OP_SHL, OP_PLUS));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_EXPRESSION, 4, OP_BREG0 + 7, 8, OP_DEREF,
				       OP_DEREF));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_EXPRESSION, 3, OP_BREG0 + 3, 8, OP_DEREF));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_EXPRESSION, 1, OP_DEREF));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_EXPRESSION, 1, OP_PLUS));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_EXPRESSION, 1, OP_LIT0));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_EXPRESSION, 0));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_EXPRESSION, 1, OP_BREG0 + 7));
	rows("+0 unsupported", PROGRAM(CFA_DEF_CFA_EXPRESSION, 5, OP_LIT0, OP_LIT0, OP_LIT0,
				       OP_LIT0, OP_LIT0));
	rows("+0 bad", PROGRAM(CFA_DEF_CFA_EXPRESSION, 100, OP_BREG0 + 7));
	rows("+0 bad", PROGRAM(CFA_DEF_CFA_EXPRESSION, 2, OP_BREG0 + 7, 8, CFA_DEF_CFA_OFFSET, 8));
	rows("+0 bad", PROGRAM(CFA_DEF_CFA_EXPRESSION, 2, OP_BREG0 + 7, 8,
			       CFA_DEF_CFA_REGISTER, 6));
}

static void registers(void)
{
	rows("+0 sp+8 fp@-16 ra@-8", PROGRAM(CFA_OFFSET | 6, 2));
	rows("+0 sp+8 fp= ra@-8", PROGRAM(CFA_OFFSET | 3, 2));
	rows("+0 sp+8 fp@-24 ra@-8", PROGRAM(CFA_OFFSET_EXTENDED, 6, 3));
	rows("+0 sp+8 fp@+8 ra@-8", PROGRAM(CFA_OFFSET_EXTENDED_SF, 6, 0x7f));
	rows("+0 sp+8 fp@+16 ra@-8", PROGRAM(CFA_GNU_NEGATIVE_OFFSET_EXTENDED, 6, 2));
	rows("+0 sp+8 fp? ra@-8", PROGRAM(CFA_UNDEFINED, 6));
	rows("+0 sp+8 fp= ra@-8", PROGRAM(CFA_OFFSET | 6, 2, CFA_SAME_VALUE, 6));
	rows("+0 sp+8 fp= ra@-8", PROGRAM(CFA_REGISTER, 6, 6));
	rows("+0 unsupported", PROGRAM(CFA_REGISTER, 6, 11));
	rows("+0 unsupported", PROGRAM(CFA_VAL_OFFSET, 6, 2));
	rows("+0 unsupported", PROGRAM(CFA_VAL_EXPRESSION, 6, 2, OP_BREG0 + 6, 0));
	rows("+0 sp+8 fp@sp-16 ra@-8", PROGRAM(CFA_EXPRESSION, 6, 2, OP_BREG0 + 7, 0x70));
	rows("+0 unsupported", PROGRAM(CFA_EXPRESSION, 6, 2, OP_BREG0 + 3, 0));
	rows("+0 sp+8 fp= ra@-8", PROGRAM(CFA_EXPRESSION, 3, 2, OP_BREG0 + 3, 0));
	rows("+0 root", PROGRAM(CFA_UNDEFINED, 16));
	rows("+0 unsupported", PROGRAM(CFA_SAME_VALUE, 16));
	rows("+0 unsupported", PROGRAM(CFA_REGISTER, 16, 2));
	rows("+0 sp+8 fp= ra=", PROGRAM(CFA_REGISTER, 16, 5)); /* vfork keeps it in rdi */
	rows("+0 sp+8 fp= ra@-8", PROGRAM(CFA_VAL_OFFSET, 7, 0));
	rows("+0 sp+8 fp= ra@-8", PROGRAM(CFA_VAL_OFFSET_SF, 7, 0));
	rows("+0 unsupported", PROGRAM(CFA_VAL_OFFSET, 7, 1));
	rows("+0 unsupported", PROGRAM(CFA_SAME_VALUE, 7));
	rows("+0 unsupported", PROGRAM(CFA_OFFSET | 7, 2));
	rows("+0 sp+8 fp@-16 ra@-8; +1 sp+8 fp= ra@-8; +2 sp+8 fp@-16 ra@-8; +3 sp+8 fp= ra@-8",
	     PROGRAM(CFA_OFFSET | 6, 2, CFA_ADVANCE_LOC | 1, CFA_RESTORE | 6, CFA_ADVANCE_LOC | 1,
		     CFA_OFFSET | 6, 2, CFA_ADVANCE_LOC | 1, CFA_RESTORE_EXTENDED, 6));
	rows("+0 root; +1 sp+8 fp= ra@-8",
	     PROGRAM(CFA_UNDEFINED, 16, CFA_ADVANCE_LOC | 1, CFA_RESTORE | 16));
	rows("+0 sp+8 fp= ra@-8", PROGRAM(CFA_GNU_ARGS_SIZE, 0x80, 1));
}

/* What would be parsed again for each row is not, if it is longer than any that is meant. */
static void long_expression(void)
{
	uint8_t program[4 + 2 * 31] = { CFA_DEF_CFA_EXPRESSION, 2 + 2 * 30, OP_BREG0 + 7, 8 };

	for (size_t i = 4; i < sizeof(program); i += 2)
		program[i] = 0x23; /* DW_OP_plus_uconst 0 */
	rows("+0 sp+8 fp= ra@-8", program, 4 + 2 * 30);
	program[1] += 2;
	rows("+0 sp+8 fp= ra@-8", program, 4 + 2 * 31);
	{
		uint8_t longer[4 + 2 * 32] = { 0 };

		memcpy(longer, program, sizeof(program));
		longer[1] += 2;
		longer[4 + 2 * 31] = 0x23;
		rows("+0 unsupported", longer, sizeof(longer));
	}
}

static void states(void)
{
	uint8_t deep[2 * CFA_REMEMBER_MAX + 1];

	rows("+0 sp+8 fp= ra@-8; +1 fp+16 fp@-16 ra@-8; +2 sp+8 fp= ra@-8",
	     PROGRAM(CFA_REMEMBER_STATE, CFA_ADVANCE_LOC | 1, CFA_DEF_CFA, 6, 16, CFA_OFFSET | 6, 2,
		     CFA_ADVANCE_LOC | 1, CFA_RESTORE_STATE));
	rows("+0 bad", PROGRAM(CFA_RESTORE_STATE));
	memset(deep, CFA_REMEMBER_STATE, CFA_REMEMBER_MAX);
	memset(deep + CFA_REMEMBER_MAX, CFA_RESTORE_STATE, CFA_REMEMBER_MAX);
	rows("+0 sp+8 fp= ra@-8", deep, 2 * CFA_REMEMBER_MAX);
	memset(deep, CFA_REMEMBER_STATE, CFA_REMEMBER_MAX + 1);
	rows("+0 bad", deep, CFA_REMEMBER_MAX + 1);
}

static void faults(void)
{
	rows("+0 sp+8 fp= ra@-8; +3 bad", PROGRAM(CFA_ADVANCE_LOC | 3, 0x3f));
	rows("+0 bad", PROGRAM(CFA_AARCH64_NEGATE_RA_STATE));
	/* Closing an entry pads with nops, which an operand would take in. */
	rows("+0 bad", PROGRAM(CFA_DEF_CFA, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
			       0x80, 0x80));
	rows_of(EM_X86_64, "zR", PROGRAM(CFA_ADVANCE_LOC | 1), PROGRAM(CFA_NOP));
	is_str(rows_text, "bad CIE", "a CIE does not advance");
	rows_of(EM_X86_64, "zR", PROGRAM(CFA_DEF_CFA, 7, 8, CFA_RESTORE | 6), PROGRAM(CFA_NOP));
	is_str(rows_text, "bad CIE", "nor restore");
	rows_of(EM_X86_64, "zR", PROGRAM([CFA_INITIAL_MAX] = 0), PROGRAM(CFA_NOP));
	is_str(rows_text, "bad CIE", "nor go on and on");
	rows_of(EM_X86_64, "zR", PROGRAM(CFA_NOP), PROGRAM(CFA_NOP));
	is_str(rows_text, "+0 unsupported", "no CFA at all");
	rows_of(EM_X86_64, "zR", PROGRAM(CFA_NOP), PROGRAM(CFA_DEF_CFA_OFFSET, 8));
	is_str(rows_text, "+0 bad", "half a CFA");
}

static void signals(void)
{
	/* The trampoline of glibc: all is at places relative to sp. */
	rows_of(EM_X86_64, "zRS",
		PROGRAM(CFA_DEF_CFA_EXPRESSION, 4, OP_BREG0 + 7, 0xa0, 1, OP_DEREF),
		PROGRAM(CFA_EXPRESSION, 6, 3, OP_BREG0 + 7, 0xf8, 0, CFA_EXPRESSION, 7, 3,
			OP_BREG0 + 7, 0xa0, 1, CFA_EXPRESSION, 16, 3, OP_BREG0 + 7, 0xa8, 1));
	is_str(rows_text, "+0 *sp+160 fp@sp+120 ra@sp+168 signal", "a signal frame");
	rows_of(EM_X86_64, "zRS",
		PROGRAM(CFA_DEF_CFA_EXPRESSION, 4, OP_BREG0 + 7, 0xa0, 1, OP_DEREF),
		PROGRAM(CFA_EXPRESSION, 7, 3, OP_BREG0 + 7, 0xa8, 1, CFA_EXPRESSION, 16, 3,
			OP_BREG0 + 7, 0xa8, 1));
	is_str(rows_text, "+0 unsupported", "an sp that is not the CFA");
}

static void arm64(void)
{
	rows_of(EM_AARCH64, "zR", PROGRAM(CFA_DEF_CFA, 31, 0),
		PROGRAM(CFA_ADVANCE_LOC | 4, CFA_AARCH64_NEGATE_RA_STATE, CFA_ADVANCE_LOC | 4,
			CFA_DEF_CFA_OFFSET, 16, CFA_OFFSET | 29, 2, CFA_OFFSET | 30, 1));
	is_str(rows_text, "+0 sp+0 fp= ra=; +4 sp+0 fp= ra= signed; +8 sp+16 fp@-16 ra@-8 signed",
	       "arm64: the return address in its register, signed, saved");
	ok(!cfa_machine(EM_386), "other machines are not known");
}

int main(void)
{
	advances();
	set_loc();
	cfas();
	registers();
	long_expression();
	states();
	faults();
	signals();
	arm64();
	return done_testing();
}
