/*
 * Folded stacks as speedscope's profiles: one for each root frame, in the order in which
 * these come, all of them with the frames' names in common. A frame of a stack takes four
 * bytes, a stack eight more.
 */
#ifndef FOLD2SPEEDSCOPE_PROFILES_H
#define FOLD2SPEEDSCOPE_PROFILES_H

#include "base/intern.h"
#include "base/map64.h"
#include "base/strbuf.h"
#include "base/stream.h"

struct profile;

/* Zero-initialized is empty and valid. */
struct profiles {
	struct intern names;    /* of frames, cleaned (base/utf8.h) */
	struct map64 by_root;   /* name → place in list */
	struct profile *list;
	size_t len, cap;
	struct strbuf clean;
	bool inexact;           /* a sum has more than 53 bits: readers round it */
};

/* A stack of `weight`; one without frames is one of a frame without a name. */
void profiles_add(struct profiles *p, struct slice stack, uint64_t weight);

/*
 * Writes the file, as speedscope's file-format-schema.json has it: type "sampled", the
 * weights in `unit` ("none", "nanoseconds", "bytes").
 */
void profiles_write(const struct profiles *p, struct slice name, const char *unit,
		    struct output *out);

void profiles_release(struct profiles *p);

#endif
