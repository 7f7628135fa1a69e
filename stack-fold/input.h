/*
 * The inputs, one after the other: each is of the kind that its first meaningful
 * line shows.
 */
#ifndef STACK_FOLD_INPUT_H
#define STACK_FOLD_INPUT_H

#include "base/damage.h"
#include "base/stream.h"
#include "fold.h"

/*
 * Folds all of an input; `name` stands for it in messages. Its damage is added. 0, or with the
 * reason in *err, cleaned and beginning with the name:
 * -EPROTO    nothing in it is of a kind that is known
 * -ENODATA, -ENOTSUP  as for the lines (fold.h): stop
 *  other     the read failed; what came before is folded
 */
int fold_input(struct fold *f, struct input *in, const char *name, struct damage *damage,
	       struct strbuf *err);

#endif
