/*
 * How a sample is written. The replay decides what a sample is and in which process its
 * frames have their names; a form puts it into text, piece by piece.
 */
#ifndef STACK_RESOLVE_FORM_H
#define STACK_RESOLVE_FORM_H

#include <stdbool.h>

#include "capture/capture.h"
#include "lines/stackline.h"

struct form {
	bool leaf_first;    /* the order of frames; else root first */
	bool needs_time;    /* time_ns of the head is always set, has_time or not */
	/* What stands before an event's samples, those of a file, and a capture's. May be NULL. */
	void (*event)(struct strbuf *sb, const struct stackline_event *ev);
	void (*file)(struct strbuf *sb, struct slice build_id, struct slice path);
	void (*capture)(struct strbuf *sb, const struct capture_header *h);
	/* begin, then frames and remarks, then end */
	void (*begin)(struct strbuf *sb, const struct stackline_head *head);
	void (*frame)(struct strbuf *sb, uint64_t ip, struct slice text);
	void (*remark)(struct strbuf *sb, const char *what, const char *text);
	void (*end)(struct strbuf *sb);
};

extern const struct form form_stack_lines;
extern const struct form form_perf;
extern const struct form form_perf_header; /* with '#' lines about the capture before it */

#endif
