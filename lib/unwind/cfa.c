#include "unwind/cfa.h"

#include <elf.h>
#include <errno.h>

#include "unwind/dwarf_cfi.h"
#include "unwind/expr.h"

static const struct cfa_machine machines[] = {
	{ .e_machine = EM_X86_64, .sp = 7, .fp = 6, .ra = 16, .ip = 16, .in_reg = 5 },
	{ .e_machine = EM_AARCH64, .sp = 31, .fp = 29, .ra = 30, .ip = 32, .in_reg = 30,
	  .link = true, .a_key = true },
};

const struct cfa_machine *cfa_machine(uint16_t e_machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].e_machine == e_machine)
			return &machines[i];
	return NULL;
}

/* ---- rules out of states */

static bool fits32(int64_t v)
{
	return v == (int32_t)v;
}

static struct expr parse(const struct cfa_start *start, uint32_t at, uint32_t len)
{
	return expr_parse(start->sec->buf + at, len, start->machine->sp, start->machine->ip);
}

/* Whether the caller's sp is the CFA, as all rules have it. */
static bool sp_is_cfa(const struct cfa_start *start, const struct cfa_place *sp,
		      const struct unwind_rule *rule)
{
	struct expr e;

	switch (sp->how) {
	case CFA_NOTHING:
		return true;
	case CFA_VALUE:
		return sp->off == 0;
	case CFA_SAVED_EXPR: /* signal frames say both by the same place */
		if (rule->cfa != UNWIND_CFA_DEREF_SP || rule->cfa_add)
			return false;
		e = parse(start, sp->expr, sp->expr_len);
		return e.kind == EXPR_REG && e.reg == start->machine->sp && e.off == rule->cfa_off;
	default:
		return false;
	}
}

static bool rule_cfa(const struct cfa_start *start, const struct cfa_state *state,
		     struct unwind_rule *rule)
{
	const struct cfa_machine *m = start->machine;
	struct expr e = { EXPR_REG, state->reg, state->off, 0 };

	if (!state->defined)
		return false;
	if (state->by_expr)
		e = parse(start, state->expr, state->expr_len);
	if (!fits32(e.off) || e.add < 0 || e.add > UINT8_MAX || (e.reg != m->sp && e.reg != m->fp))
		return false;
	switch (e.kind) {
	case EXPR_REG:
		rule->cfa = e.reg == m->sp ? UNWIND_CFA_SP : UNWIND_CFA_FP;
		break;
	case EXPR_DEREF:
		rule->cfa = e.reg == m->sp ? UNWIND_CFA_DEREF_SP : UNWIND_CFA_DEREF_FP;
		break;
	case EXPR_PLT:
		rule->cfa = UNWIND_CFA_PLT;
		break;
	default:
		return false;
	}
	rule->cfa_off = (int32_t)e.off;
	rule->cfa_add = (uint8_t)e.add;
	return true;
}

/* Where a register is; -1 if it cannot be said. `own` is the register itself. */
static int rule_place(const struct cfa_start *start, const struct cfa_place *place, uint64_t own,
		      int32_t *off)
{
	const struct cfa_machine *m = start->machine;
	struct expr e;

	switch (place->how) {
	case CFA_NOTHING:
		return UNWIND_SAME;
	case CFA_LOST:
		return UNWIND_UNDEFINED;
	case CFA_SAVED:
		if (!fits32(place->off))
			return -1;
		*off = (int32_t)place->off;
		return UNWIND_AT_CFA;
	case CFA_IN_REGISTER:
		return (uint64_t)place->off == own ? UNWIND_SAME : -1;
	case CFA_SAVED_EXPR:
		e = parse(start, place->expr, place->expr_len);
		if (e.kind != EXPR_REG || !fits32(e.off) || (e.reg != m->sp && e.reg != m->fp))
			return -1;
		*off = (int32_t)e.off;
		return e.reg == m->sp ? UNWIND_AT_SP : UNWIND_AT_FP;
	default:
		return -1;
	}
}

static void make_rule(const struct cfa_start *start, const struct cfa_state *state,
		      struct unwind_rule *rule)
{
	const struct cfa_machine *m = start->machine;
	int fp, ra;

	*rule = (struct unwind_rule){ 0 };
	if (state->ra.how == CFA_LOST) {
		rule->cfa = UNWIND_CFA_ROOT;
		return;
	}
	if (!rule_cfa(start, state, rule) || !sp_is_cfa(start, &state->sp, rule))
		goto unsupported;
	ra = rule_place(start, &state->ra, m->in_reg, &rule->ra_off);
	fp = rule_place(start, &state->fp, m->fp, &rule->fp_off);
	if (fp < 0 || ra < 0 || (state->ra.how == CFA_NOTHING && !m->link))
		goto unsupported;
	rule->fp = fp;
	rule->ra = ra;
	rule->flags = (start->cie.signal ? UNWIND_SIGNAL : 0) |
		      (state->is_signed ? UNWIND_SIGNED : 0);
	return;
unsupported:
	*rule = (struct unwind_rule){ .cfa = UNWIND_CFA_UNSUPPORTED };
}

/* ---- instructions */

static struct cfa_place *place_of(struct cfa_run *run, uint64_t reg)
{
	const struct cfa_machine *m = run->start->machine;

	return reg == m->fp ? &run->state.fp :
	       reg == m->ra ? &run->state.ra :
	       reg == m->sp ? &run->state.sp : NULL;
}

static void set_place(struct cfa_run *run, uint64_t reg, enum cfa_how how, int64_t off)
{
	struct cfa_place *place = place_of(run, reg);

	if (place)
		*place = (struct cfa_place){ .how = how, .off = off };
}

static void set_place_expr(struct cfa_run *run, uint64_t reg, enum cfa_how how)
{
	struct cfa_place *place = place_of(run, reg);
	uint64_t len = cursor_uleb(&run->c);
	size_t at = run->c.pos;

	cursor_skip(&run->c, len);
	if (place && !run->c.bad)
		*place = (struct cfa_place){ how, 0, (uint32_t)at, (uint32_t)len };
}

static void restore_place(struct cfa_run *run, uint64_t reg)
{
	const struct cfa_machine *m = run->start->machine;
	const struct cfa_state *initial = &run->start->state;
	struct cfa_place *place = place_of(run, reg);

	if (place)
		*place = reg == m->fp ? initial->fp : reg == m->ra ? initial->ra : initial->sp;
}

/* Factored offsets; the product wraps rather than overflows, and then fits no rule. */
static int64_t factored(const struct cfa_run *run, uint64_t v)
{
	return (int64_t)(v * (uint64_t)run->start->cie.data_align);
}

static void define_cfa(struct cfa_run *run, uint64_t reg, int64_t off)
{
	run->state.defined = true;
	run->state.by_expr = false;
	run->state.reg = reg;
	run->state.off = off;
}

static void define_cfa_expr(struct cfa_run *run)
{
	uint64_t len = cursor_uleb(&run->c);

	run->state.defined = run->state.by_expr = true;
	run->state.expr = (uint32_t)run->c.pos;
	run->state.expr_len = (uint32_t)len;
	cursor_skip(&run->c, len);
}

static bool remember(struct cfa_run *run)
{
	if (run->nremembered == CFA_REMEMBER_MAX)
		return false;
	run->remembered[run->nremembered++] = run->state;
	return true;
}

/* As in GCC's unwinder, the CFA is part of what is remembered. */
static bool recall(struct cfa_run *run)
{
	if (!run->nremembered)
		return false;
	run->state = run->remembered[--run->nremembered];
	return true;
}

/* An instruction that says something about a row; false if it is not one. */
static bool instruct(struct cfa_run *run, uint8_t op)
{
	struct cursor *c = &run->c;
	uint64_t reg;

	switch (op & 0xc0) {
	case CFA_OFFSET:
		set_place(run, op & 0x3f, CFA_SAVED, factored(run, cursor_uleb(c)));
		return true;
	case CFA_RESTORE:
		restore_place(run, op & 0x3f);
		return true;
	}
	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_OFFSET_EXTENDED:
		reg = cursor_uleb(c);
		set_place(run, reg, CFA_SAVED, factored(run, cursor_uleb(c)));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		reg = cursor_uleb(c);
		set_place(run, reg, CFA_SAVED, factored(run, (uint64_t)cursor_sleb(c)));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		reg = cursor_uleb(c);
		set_place(run, reg, CFA_SAVED, factored(run, -cursor_uleb(c)));
		return true;
	case CFA_VAL_OFFSET:
		reg = cursor_uleb(c);
		set_place(run, reg, CFA_VALUE, factored(run, cursor_uleb(c)));
		return true;
	case CFA_VAL_OFFSET_SF:
		reg = cursor_uleb(c);
		set_place(run, reg, CFA_VALUE, factored(run, (uint64_t)cursor_sleb(c)));
		return true;
	case CFA_RESTORE_EXTENDED:
		restore_place(run, cursor_uleb(c));
		return true;
	case CFA_UNDEFINED:
		set_place(run, cursor_uleb(c), CFA_LOST, 0);
		return true;
	case CFA_SAME_VALUE:
		reg = cursor_uleb(c);
		/* The caller's sp is the CFA and not this one's, unless told so. */
		if (reg == run->start->machine->sp)
			set_place(run, reg, CFA_OTHER, 0);
		else
			set_place(run, reg, CFA_NOTHING, 0);
		return true;
	case CFA_REGISTER:
		reg = cursor_uleb(c);
		set_place(run, reg, CFA_IN_REGISTER, (int64_t)cursor_uleb(c));
		return true;
	case CFA_EXPRESSION:
		set_place_expr(run, cursor_uleb(c), CFA_SAVED_EXPR);
		return true;
	case CFA_VAL_EXPRESSION:
		set_place_expr(run, cursor_uleb(c), CFA_OTHER);
		return true;
	case CFA_REMEMBER_STATE:
		return remember(run);
	case CFA_RESTORE_STATE:
		return recall(run);
	case CFA_DEF_CFA:
		reg = cursor_uleb(c);
		define_cfa(run, reg, (int64_t)cursor_uleb(c));
		return true;
	case CFA_DEF_CFA_SF:
		reg = cursor_uleb(c);
		define_cfa(run, reg, factored(run, (uint64_t)cursor_sleb(c)));
		return true;
	case CFA_DEF_CFA_REGISTER: /* these change half of what must be there */
		run->state.reg = cursor_uleb(c);
		return run->state.defined && !run->state.by_expr;
	case CFA_DEF_CFA_OFFSET:
		run->state.off = (int64_t)cursor_uleb(c);
		return run->state.defined && !run->state.by_expr;
	case CFA_DEF_CFA_OFFSET_SF:
		run->state.off = factored(run, (uint64_t)cursor_sleb(c));
		return run->state.defined && !run->state.by_expr;
	case CFA_DEF_CFA_EXPRESSION:
		define_cfa_expr(run);
		return true;
	case CFA_AARCH64_NEGATE_RA_STATE: /* of SPARC elsewhere */
		run->state.is_signed = !run->state.is_signed;
		return run->start->machine->a_key;
	case CFA_GNU_ARGS_SIZE:
		cursor_uleb(c);
		return true;
	}
	return false;
}

/* Whether op moves on to another address, which then is *loc. Sets c.bad if backwards. */
static bool advance(struct cfa_run *run, uint8_t op, uint64_t *loc)
{
	struct cursor *c = &run->c;
	uint64_t delta;

	if ((op & 0xc0) == CFA_ADVANCE_LOC) {
		delta = op & 0x3f;
	} else {
		switch (op) {
		case CFA_ADVANCE_LOC1:
			delta = cursor_u8(c);
			break;
		case CFA_ADVANCE_LOC2:
			delta = cursor_u16(c);
			break;
		case CFA_ADVANCE_LOC4:
			delta = cursor_u32(c);
			break;
		case CFA_MIPS_ADVANCE_LOC8:
			delta = cursor_u64(c);
			break;
		case CFA_SET_LOC:
			*loc = cfi_pointer(run->start->sec, c, run->start->cie.encoding,
					   run->function);
			c->bad |= *loc < run->loc;
			return true;
		default:
			return false;
		}
	}
	c->bad |= __builtin_mul_overflow(delta, run->start->cie.code_align, &delta);
	c->bad |= __builtin_add_overflow(run->loc, delta, loc);
	return true;
}

static void begin(struct cfa_run *run, const struct cfa_start *start, size_t from, size_t to)
{
	run->start = start;
	run->c = cursor_of(start->sec->buf, to);
	cursor_seek(&run->c, from);
	run->state = start->state;
	run->nremembered = 0;
	run->done = false;
}

int cfa_start(struct cfa_start *start, const struct cfa_machine *machine,
	      const struct cfi_section *sec, const struct cfi_cie *cie)
{
	struct cfa_run run;

	*start = (struct cfa_start){ .machine = machine, .sec = sec, .cie = *cie };
	if (cie->ra != machine->ra || cie->end - cie->start > CFA_INITIAL_MAX)
		return -EINVAL;
	begin(&run, start, cie->start, cie->end);
	while (cursor_left(&run.c)) {
		uint8_t op = cursor_u8(&run.c);

		/* There is nothing yet that a register could be restored to. */
		if ((op & 0xc0) == CFA_RESTORE || op == CFA_RESTORE_EXTENDED ||
		    !instruct(&run, op))
			return -EINVAL;
	}
	if (run.c.bad)
		return -EINVAL;
	start->state = run.state;
	return 0;
}

void cfa_begin(struct cfa_run *run, const struct cfa_start *start, const struct cfi_fde *fde)
{
	begin(run, start, fde->start, fde->end);
	run->function = run->loc = fde->vaddr;
	run->end = fde->vaddr + fde->size;
}

int cfa_next(struct cfa_run *run, uint64_t *vaddr, struct unwind_rule *rule)
{
	uint64_t loc;

	if (run->done)
		return 0;
	*vaddr = run->loc;
	while (cursor_left(&run->c)) {
		uint8_t op = cursor_u8(&run->c);

		if (advance(run, op, &loc)) {
			if (run->c.bad)
				break;
			make_rule(run->start, &run->state, rule);
			run->loc = loc;
			run->done = loc >= run->end;
			return 1;
		}
		if (!instruct(run, op))
			run->c.bad = true;
	}
	run->done = true;
	if (run->c.bad)
		return -EINVAL;
	make_rule(run->start, &run->state, rule);
	return 1;
}
