/*
 * How a stack becomes folded text: which root frames stand before it, which frames are
 * kept, in which order, and how a frame is spelt. The same for every kind of input.
 */
#ifndef STACK_FOLD_STYLE_H
#define STACK_FOLD_STYLE_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "stack.h"

enum style_only { ONLY_ANY, ONLY_USER, ONLY_KERNEL };

struct style {
	enum stack_field by[FIELDS]; /* root frames, outermost first */
	int nby;
	enum style_only only;        /* frames of the other kind are left out */
	struct slice skip_after;     /* a function: its callers are left out; empty: none */
	bool skip_came;              /* set when a stack with it is folded */
	bool collapse;               /* a frame directly under one spelt the same is left out */
	bool reverse;                /* the leaf first, behind the root frames */
	bool shorten;                /* without parameters and template arguments */
	bool offsets;                /* NAME+0xOFF */
	bool modules;                /* MODULE`NAME */
	bool annotate;               /* _[k], _[j], _[i] */
};

/* Only the comm as root, annotated. */
#define STYLE_DEFAULT ((struct style){ .by = { FIELD_COMM }, .nby = 1, .annotate = true })

/* Sets the root frames from "comm,pid" or "none". 0, or -EINVAL with the reason in *err. */
int style_set_by(struct style *st, struct slice list, struct strbuf *err);

/* Whether the field is one of the root frames. */
bool style_has(const struct style *st, enum stack_field field);

/*
 * Replaces *text by the folded stack. skip_after is a name as it is in the stack, or as it
 * would be folded, without the annotation; with the style's other options or without. False
 * if no frame is of the kind asked for; *text is then undefined.
 */
bool style_fold(struct style *st, const struct stack *stack, struct strbuf *text);

/*
 * The same for the text of a folded stack, as far as a name tells: its annotation tells
 * the kernel's frames. There are no root frames to be told from others. The frames are
 * left in *scratch.
 */
bool style_refold(struct style *st, struct slice folded, struct stack *scratch,
		  struct strbuf *text);

/* Whether refolding would change anything. */
bool style_refolds(const struct style *st);

#endif
