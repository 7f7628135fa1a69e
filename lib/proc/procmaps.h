/*
 * /proc/PID/maps lines (proc(5), kernel fs/proc/task_mmu.c show_map_vma).
 */
#ifndef PROC_PROCMAPS_H
#define PROC_PROCMAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strbuf.h"

struct procmaps_line {
	uint64_t start, end, offset, inode;
	uint32_t dev_major, dev_minor;
	bool exec;
	bool deleted;      /* " (deleted)" was taken off the path */
	struct slice path; /* still escaped; empty for anonymous memory */
};

/* Parses a line without its LF. 0 or -EINVAL. */
int procmaps_parse(struct slice line, struct procmaps_line *out);

/* Appends the path with the kernel's octal escapes (\012 for LF) undone. */
void procmaps_unescape(struct strbuf *sb, struct slice path);

#endif
