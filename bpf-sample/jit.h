/*
 * Symbols of code made at run time. While a process lives, the addresses hit in
 * memory without a file are collected, with a way to its /tmp (also in a container);
 * when it has exited, and at the end, its perf map is read and what was hit is
 * written into the capture.
 */
#ifndef BPF_SAMPLE_JIT_H
#define BPF_SAMPLE_JIT_H

#include "capture/capture_writer.h"
#include "images.h"

/* addr as it is looked up: a return address less 1. */
void jit_hit(struct image *image, uint64_t addr, uint32_t own_mnt_ns);

/*
 * Writes SYM records for all hit so far, and forgets them. *note is set if a map was
 * refused.
 */
void jit_write_symbols(struct image *image, struct capture_writer *writer, struct strbuf *note);

/* NULL is passed over. */
void jit_free(struct jit *jit);

#endif
