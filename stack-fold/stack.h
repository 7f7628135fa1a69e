/*
 * A sample's stack as each reader leaves it and style.h folds it. Slices lie in what the
 * reader has read, or in what it keeps.
 */
#ifndef STACK_FOLD_STACK_H
#define STACK_FOLD_STACK_H

#include <stddef.h>

#include "lines/stackline.h"

enum stack_field { FIELD_COMM, FIELD_PID, FIELD_TID, FIELD_CPU, FIELD_EVENT, FIELDS };

/* Zero-initialized is empty and valid. */
struct stack {
	struct slice fields[FIELDS]; /* empty where the input does not tell */
	bool no_comm; /* the input has none at all: not even a "-" stands for it */
	struct stackline_frame *frames; /* root first */
	size_t n, cap;
};

/* Forgets the frames; the fields stay. */
void stack_reset(struct stack *s);

void stack_add(struct stack *s, const struct stackline_frame *f);

/* For readers that meet the leaf first. */
void stack_turn(struct stack *s);

void stack_release(struct stack *s);

#endif
