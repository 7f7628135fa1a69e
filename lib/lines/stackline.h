/*
 * Stack lines: one symbolized stack a line, specified in stack-lines.5.
 *
 *   weight event time cpu pid tid comm frame frame …      (TAB between fields)
 *
 * root first, user frames before kernel frames. A frame is MODULE`NAME+0xOFF with
 * an optional " @file:line" and then an optional " (inlined)" behind it; one without
 * a backtick is a remark of ours, such as "[truncated: no unwind info]" or "[lost: sample ring
 * full]". Lines that begin with '#' are comments; the one that begins "# event "
 * tells what an event's weights are, the one that begins "# file " which build of a
 * file its path stands for, and "# start " when a capture began.
 */
#ifndef LINES_STACKLINE_H
#define LINES_STACKLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strbuf.h"

/* Slices lie in the parsed line; "-" where a field does not apply. */
struct stackline {
	uint64_t weight;
	struct slice event, time, cpu, pid, tid, comm;
	struct slice frames; /* TAB-separated, may be empty */
};

enum stackline_kind {
	STACKLINE_USER,
	STACKLINE_KERNEL,  /* [kernel], [kernel:module] */
	STACKLINE_JIT,     /* [jit] */
	STACKLINE_UNKNOWN, /* an address without a symbol, user or kernel */
	STACKLINE_REMARK,  /* no module: [truncated: …], [lost: …] */
};

struct stackline_frame {
	enum stackline_kind kind;
	struct slice module; /* before the backtick; empty for a remark */
	struct slice name;   /* without offset and suffixes; "0x1f30" if unknown */
	struct slice offset; /* "0x1c", empty if none */
	struct slice source; /* "file.c:123", empty if none */
	bool inlined;
	bool in_kernel;      /* also for an unknown address */
};

/*
 * A "# event NAME UNIT PERIOD_NS" comment: one sample of NAME stands for
 * period_ns nanoseconds (0: none), its weights are in UNIT (samples, ns, bytes).
 */
struct stackline_event {
	struct slice name, unit;
	uint64_t period_ns;
};

/* A "# file BUILD-ID PATH" comment: from here on the module `path` is that build. */
struct stackline_file {
	struct slice build_id; /* lower-case hexadecimal digits, two a byte; empty: unknown */
	struct slice path;     /* as in frames */
};

/* A "# start REAL_NS MONO_NS" comment: a capture began then; `time` is as mono_ns. */
struct stackline_start {
	uint64_t real_ns, mono_ns; /* CLOCK_REALTIME and CLOCK_MONOTONIC of one moment */
};

/*
 * Parses a line without its LF (a CR before it is passed over). 1: *out is set;
 * 0: a comment or an empty line; -EINVAL: *why (a literal) tells what is wrong.
 */
int stackline_parse(struct slice line, struct stackline *out, const char **why);

/* True if the line is an event comment; fills *out. */
bool stackline_parse_event(struct slice line, struct stackline_event *out);

/* Likewise for the other comments. */
bool stackline_parse_file(struct slice line, struct stackline_file *out);
bool stackline_parse_start(struct slice line, struct stackline_start *out);

/* Takes the first frame's text off *frames; false when none is left. */
bool stackline_next(struct slice *frames, struct slice *text);

/*
 * Takes one frame's text apart. Any text has a reading; it never fails. A symbol
 * whose own name ends like an offset ("f+0x8") is told from f only where an offset
 * stands behind it.
 */
void stackline_frame(struct slice text, struct stackline_frame *out);

/* A line to be built: its seven leading fields, then frames, then stackline_end. */
struct stackline_head {
	uint64_t weight;
	struct slice event, comm;
	bool has_time;  /* time_ns and cpu apply */
	bool has_pid;   /* pid and tid apply */
	uint64_t time_ns;
	uint32_t cpu, pid, tid;
};

/*
 * These append to sb; event and comm are cleaned (base/utf8.h) and become "-" when
 * empty. Frames are given as finished text: see stackline_add_symbol.
 */
void stackline_begin(struct strbuf *sb, const struct stackline_head *head);
void stackline_add_text(struct strbuf *sb, struct slice frame); /* TAB + text as it is */
void stackline_end(struct strbuf *sb);                          /* LF */
void stackline_add_event(struct strbuf *sb, const struct stackline_event *ev);
void stackline_add_start(struct strbuf *sb, const struct stackline_start *start);

/* A file comment; build_id are the bytes themselves, perhaps none; the path is cleaned. */
void stackline_add_file(struct strbuf *sb, struct slice build_id, struct slice path);

/* Appends a module, cleaned. The first backtick ends it: one in it becomes U+FFFD. */
void stackline_add_module(struct strbuf *sb, struct slice module);

/*
 * Appends a frame's text (no TAB): module and name cleaned; `offset` is left out if
 * negative. An empty name writes the address `addr` instead.
 */
void stackline_add_symbol(struct strbuf *sb, struct slice module, struct slice name,
			  int64_t offset, uint64_t addr);

#endif
