#include "unwind/expr.h"

#include <stdbool.h>

#include "base/cursor.h"
#include "unwind/dwarf_cfi.h"

/* A sum as the operations so far leave it. */
struct term {
	enum { CONST, REG, MEM } kind;
	uint64_t reg;
	uint64_t off; /* within the address of MEM */
	uint64_t add; /* to the value; the only part of CONST */
};

enum {
	DEPTH_MAX = 4,
	LENGTH_MAX = 64, /* bytes; it is parsed for each row, and those of ours are short */
};

/*
 * The one expression of all lazy PLT entries, as gas and ld write it: entries are 16 bytes
 * long and push one word at an offset that differs between kinds of PLT.
 */
static bool match_plt(struct cursor c, uint64_t sp, uint64_t ip, struct expr *e)
{
	static const uint8_t tail[] = { OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS };
	const uint8_t *rest;
	uint8_t at;

	if (cursor_u8(&c) != OP_BREG0 + sp)
		return false;
	e->reg = sp;
	e->off = cursor_sleb(&c);
	if (cursor_u8(&c) != OP_BREG0 + ip || cursor_sleb(&c) != 0)
		return false;
	if (cursor_u8(&c) != OP_LIT0 + 15 || cursor_u8(&c) != OP_AND)
		return false;
	at = cursor_u8(&c);
	if (at < OP_LIT0 || at > OP_LIT0 + 15)
		return false;
	e->add = at - OP_LIT0;
	rest = cursor_bytes(&c, sizeof(tail));
	if (!rest || memcmp(rest, tail, sizeof(tail)) != 0 || cursor_left(&c))
		return false;
	e->kind = EXPR_PLT;
	return true;
}

static bool read_constant(struct cursor *c, uint8_t op, uint64_t *v)
{
	switch (op) {
	case OP_CONST1U:
		*v = cursor_u8(c);
		return true;
	case OP_CONST1S:
		*v = (uint64_t)(int64_t)(int8_t)cursor_u8(c);
		return true;
	case OP_CONST2U:
		*v = cursor_u16(c);
		return true;
	case OP_CONST2S:
		*v = (uint64_t)(int64_t)(int16_t)cursor_u16(c);
		return true;
	case OP_CONST4U:
		*v = cursor_u32(c);
		return true;
	case OP_CONST4S:
		*v = (uint64_t)(int64_t)(int32_t)cursor_u32(c);
		return true;
	case OP_CONSTU:
		*v = cursor_uleb(c);
		return true;
	case OP_CONSTS:
		*v = (uint64_t)cursor_sleb(c);
		return true;
	}
	*v = (uint64_t)op - OP_LIT0;
	return op >= OP_LIT0 && op <= OP_LIT31;
}

/* Applies one operation to the stack; false if that leads out of the forms known. */
static bool step(struct cursor *c, struct term *stack, size_t *n)
{
	uint8_t op = cursor_u8(c);
	struct term *top = *n ? &stack[*n - 1] : NULL;
	struct term *below = *n > 1 ? &stack[*n - 2] : NULL;
	uint64_t v;

	if (op == OP_NOP)
		return true;
	if (op == OP_DEREF) {
		if (!top || top->kind != REG)
			return false;
		*top = (struct term){ .kind = MEM, .reg = top->reg, .off = top->add };
		return true;
	}
	if (op == OP_PLUS_UCONST) {
		if (!top)
			return false;
		top->add += cursor_uleb(c);
		return true;
	}
	if (op == OP_PLUS) {
		if (!below || (top->kind != CONST && below->kind != CONST))
			return false;
		v = top->add + below->add;
		if (below->kind == CONST)
			*below = *top;
		below->add = v;
		--*n;
		return true;
	}
	if (*n == DEPTH_MAX)
		return false;
	if (op >= OP_BREG0 && op <= OP_BREG31) {
		stack[(*n)++] = (struct term){ .kind = REG, .reg = op - OP_BREG0,
					       .add = (uint64_t)cursor_sleb(c) };
		return true;
	}
	if (!read_constant(c, op, &v))
		return false;
	stack[(*n)++] = (struct term){ .kind = CONST, .add = v };
	return true;
}

struct expr expr_parse(const uint8_t *buf, size_t len, uint64_t sp, uint64_t ip)
{
	struct cursor c = cursor_of(buf, len);
	struct expr e = { 0 };
	struct term stack[DEPTH_MAX];
	size_t n = 0;

	if (match_plt(c, sp, ip, &e))
		return e;
	e = (struct expr){ .kind = EXPR_OTHER };
	if (len > LENGTH_MAX)
		return e;
	while (cursor_left(&c))
		if (!step(&c, stack, &n))
			return e;
	if (c.bad || !n)
		return e;
	e.reg = stack[n - 1].reg;
	if (stack[n - 1].kind == REG) {
		e.kind = EXPR_REG;
		e.off = (int64_t)stack[n - 1].add;
	} else if (stack[n - 1].kind == MEM) {
		e.kind = EXPR_DEREF;
		e.off = (int64_t)stack[n - 1].off;
		e.add = (int64_t)stack[n - 1].add;
	}
	return e;
}
