/*
 * Folded lines: "frame;frame;frame COUNT", root first, specified in folded.5.
 * Frames end in _[k] (kernel), _[j] (JIT) or _[i] (inlined) where annotated.
 */
#ifndef LINES_FOLDED_H
#define LINES_FOLDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strbuf.h"
#include "base/stream.h"

struct folded {
	struct slice stack; /* may be empty */
	uint64_t count;
};

/*
 * Takes a line apart that comes without its LF (a CR and blanks before it are passed
 * over). The count is what stands behind the last blank: digits, perhaps with a '.' and
 * none or more digits behind it, of any length. 1: both are set; 0: an empty line or a
 * comment; -EINVAL: *why (a literal) tells what is wrong. A comment begins with '#'
 * and either a blank follows or there is no count: "#init;f 3" is a stack.
 */
int folded_split(struct slice line, struct slice *stack, struct slice *count, const char **why);

/*
 * Takes a further count off the end of a stack: the one before, if the line is that of a
 * differential. False, and the stack as it was, if there is none.
 */
bool folded_split_before(struct slice *stack, struct slice *before);

/* As folded_split, for a whole number below 2^64; a fraction of zeros is passed over. */
int folded_parse(struct slice line, struct folded *out, const char **why);

/*
 * Takes the first frame off *stack; false when none is left. "a;;b" has an empty
 * one; a ';' at the end opens none.
 */
bool folded_next(struct slice *stack, struct slice *frame);

/* Writes one line. */
void folded_write(struct output *out, struct slice stack, uint64_t count);

/* Writes one differential line: "frame;frame BEFORE AFTER". */
void folded_write_differential(struct output *out, struct slice stack, uint64_t before,
			       uint64_t after);

/* Appends a frame's name as folded text: cleaned, ';' becomes ':'. */
void folded_add_frame(struct strbuf *sb, struct slice name);

#endif
