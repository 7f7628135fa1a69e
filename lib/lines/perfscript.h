/*
 * The text of perf script, in the strictest form that its readers have in common:
 *
 *	comm PID/TID [CPU] SECONDS.uuuuuu:    PERIOD event:
 *	<TAB>hexaddr sym+0xoff (dso)
 *
 * leaf first, an empty line behind each sample. What would break a reader is spelt so
 * that it does not (stackcollapse-perf.pl and speedscope match by regular expressions,
 * inferno and Perfetto split at blanks, the Firefox Profiler drops a frame whose dso has
 * a blank):
 *
 *	comm	a '#' or blank that begins it, a blank that ends it, and one before a word of
 *		digits, which might be taken for the pid, become '_'; a ';' becomes ':'; behind
 *		a comm of one byte are two blanks, for a comm is taken to have two characters
 *	event	blanks become '_'
 *	sym	blanks that begin it become '_'
 *	dso	blanks become '_'
 */
#ifndef LINES_PERFSCRIPT_H
#define LINES_PERFSCRIPT_H

#include "base/strbuf.h"
#include "lines/stackline.h"

/*
 * The line that begins a sample; the weight is its period. time_ns and cpu are written in
 * any case, pid and tid are 0 where they do not apply.
 */
void perfscript_begin(struct strbuf *sb, const struct stackline_head *head);

/*
 * Appends what follows a frame's address, "sym+0xoff (dso)". Arguments as those of
 * stackline_add_symbol, modules by their names there: "[kernel]" is written
 * "[kernel.kallsyms]", "[kernel:NAME]" "[NAME]", "[anon]" "//anon", all others as they are.
 * A frame without a name is "[unknown]"; `addr` is not written.
 */
void perfscript_add_symbol(struct strbuf *sb, struct slice module, struct slice name,
			   int64_t offset, uint64_t addr);

/* A frame's line, of a text as perfscript_add_symbol made it. */
void perfscript_add_frame(struct strbuf *sb, uint64_t ip, struct slice text);

/* A remark such as "[truncated: no unwind info]" as a frame at address 0. */
void perfscript_add_remark(struct strbuf *sb, const char *what, const char *text);

/* The empty line. */
void perfscript_end(struct strbuf *sb);

#endif
