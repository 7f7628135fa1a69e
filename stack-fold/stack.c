#include "stack.h"

#include <stdlib.h>

#include "base/alloc.h"

void stack_reset(struct stack *s)
{
	s->n = 0;
}

void stack_add(struct stack *s, const struct stackline_frame *f)
{
	s->frames = grow(s->frames, s->n, &s->cap, sizeof(*s->frames));
	s->frames[s->n++] = *f;
}

void stack_turn(struct stack *s)
{
	for (size_t i = 0, k = s->n; i + 1 < k; i++) {
		struct stackline_frame f = s->frames[i];

		s->frames[i] = s->frames[--k];
		s->frames[k] = f;
	}
}

void stack_release(struct stack *s)
{
	free(s->frames);
	*s = (struct stack){ 0 };
}
