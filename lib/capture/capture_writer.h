/*
 * Writes capture records to an output. The caller sees to ids and order (defined
 * before use); the writer to framing, alignment and limits: strings beyond 64 KiB
 * are cut. Failures are the output's (stream.h): latched, tested at its close.
 */
#ifndef CAPTURE_CAPTURE_WRITER_H
#define CAPTURE_CAPTURE_WRITER_H

#include "base/stream.h"
#include "base/strbuf.h"
#include "capture/capture.h"

struct capture_writer {
	struct output *out;
	struct strbuf rec; /* the record being built */
};

void capture_writer_init(struct capture_writer *w, struct output *out);
void capture_writer_release(struct capture_writer *w);

/* Writes rec (its `offset` is ignored). */
void capture_write(struct capture_writer *w, const struct capture_record *rec);

#endif
