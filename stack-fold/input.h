/*
 * The inputs, one after the other: each is of the kind that its first meaningful
 * line shows.
 */
#ifndef STACK_FOLD_INPUT_H
#define STACK_FOLD_INPUT_H

#include "base/strbuf.h"
#include "fold.h"

/* What was wrong with the lines of all inputs. */
struct damage {
	uint64_t lines;
	struct strbuf first; /* "FILE:LINE: reason" of the first one */
};

/*
 * Folds all that fd delivers; `name` stands for it in messages. 0, or with the
 * reason in *err, cleaned and beginning with the name:
 * -EPROTO    nothing in it is of a kind that is known
 * -ENODATA, -ENOTSUP  as for the lines (fold.h): stop
 *  other     the read failed; what came before is folded
 */
int fold_input(struct fold *f, int fd, const char *name, struct damage *damage,
	       struct strbuf *err);

#endif
