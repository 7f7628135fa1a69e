/*
 * Symbols of code that a process made at run time: /tmp/perf-PID.map, lines of
 * "START SIZE NAME", the numbers hexadecimal, the name up to the LF with any blanks
 * (Linux tools/perf/Documentation/jit-interface.txt). Anyone can put such a file in
 * /tmp, at any time and of any size, and its writer goes on while it is read.
 */
#ifndef SYM_PERFMAP_H
#define SYM_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "elf/symbol.h"

struct perfmap;

/*
 * Opens `name` relative to dirfd (as openat) without following a link in its last
 * part and without waiting (a FIFO), and returns the fd. It counts only as a regular
 * file that belongs to `uid`, the process's user, or to root; with UINT32_MAX, the
 * process's user not being known, to the calling user or to root.
 * -ENOENT without text in *err being needed (no map is the usual case), -EPERM for the
 * wrong owner, another kind of file or a symbolic link, or the negative errno of the open.
 */
int perfmap_open(int dirfd, const char *name, uint32_t uid, struct strbuf *err);

/*
 * One line without its LF, for who looks for a few addresses in a large map; the name
 * lies in the line. 0 or -EINVAL.
 */
int perfmap_line(struct slice line, struct symbol *out);

/*
 * Reads the file behind fd (any position; the fd stays the caller's). Later lines
 * override earlier ones where they overlap. Of a file larger than max_bytes the last
 * max_bytes count, and of very short lines the last max_bytes / 32: what is dropped is
 * the oldest. Memory is at most about 4 * max_bytes. A last line without LF is still
 * being written and is passed over without being counted.
 * 0, or the negative errno of the read.
 */
int perfmap_read(struct perfmap **out, int fd, size_t max_bytes, struct strbuf *err);

/*
 * The parser itself: takes text, of malloc's, over (also when it is empty or NULL);
 * `max_lines` is how many of the last lines count.
 */
struct perfmap *perfmap_parse(char *text, size_t len, size_t max_lines);

/* NULL is passed over. */
void perfmap_free(struct perfmap *pm);

/*
 * The newest symbol that covers addr; addr and size are those of its line, even where
 * a later line has taken a part. False if there is none.
 */
bool perfmap_find(const struct perfmap *pm, uint64_t addr, struct symbol *out);

/* Lines that name something, malformed lines, and whether older lines were dropped. */
size_t perfmap_count(const struct perfmap *pm);
uint64_t perfmap_bad(const struct perfmap *pm);
bool perfmap_cut(const struct perfmap *pm);

#endif
