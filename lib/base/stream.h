/*
 * Files and pipes with every error seen. An output latches its first failure and
 * swallows what follows, so callers write freely and test once, at the end.
 * An input reads ahead, hands out bytes in place, and flushes an output before it
 * would block, which is what makes a filter deliver while its input pauses.
 */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/slice.h"
#include "base/strbuf.h"

struct output {
	int fd;
	char *buf;
	size_t len, cap;
	uint64_t total; /* bytes given to it so far */
	int error;      /* 0, or the negative errno of the first failed write */
};

/* Does not take the fd over before output_close. */
void output_init(struct output *out, int fd);
void output_write(struct output *out, const void *data, size_t len);

static inline void output_slice(struct output *out, struct slice s)
{
	output_write(out, s.p, s.len);
}

/* Writes out what is buffered. 0 or the first error so far. */
int output_flush(struct output *out);

/*
 * Flushes, closes the fd, frees the buffer. 0 or the first error, the close's own
 * included (a full disk may show only there).
 */
int output_close(struct output *out);

struct input {
	int fd;
	char *buf;
	size_t pos, len, cap;
	uint64_t offset; /* of buf[pos] in the stream */
	bool eof;
	int error;            /* 0, or the negative errno of a failed read */
	struct output *flush; /* flushed before a read that would block; may be NULL */
	int watch_fd;         /* see input_watch; -1 none */
};

/* Does not take the fd over; input_release frees the buffer only. */
void input_init(struct input *in, int fd, struct output *flush);
void input_release(struct input *in);

/*
 * The same for a file, "-" being the standard input, with nothing to flush. 0, or a
 * negative errno, and then there is nothing to close. input_close ends it.
 */
int input_open(struct input *in, const char *path);
void input_close(struct input *in);

/* What messages call an input of that path. */
const char *input_name(const char *path);

/* Replaces *err by "NAME: reason", cleaned; `error` is a negative errno. */
void input_failed(struct strbuf *err, const char *path, int error);

/*
 * For a filter that writes only at the end of its input: while it waits for input, a
 * pipe at out_fd that has lost its reader ends it as writing there would, by SIGPIPE
 * (or with -EPIPE as the input's error where that is ignored). An input with an output
 * to flush watches that one without being told.
 */
void input_watch(struct input *in, int out_fd);

/*
 * Sees to it that at least n bytes are buffered, fewer only at the end of the
 * stream or after an error (see in->error). Returns how many are; they start at
 * in->buf + in->pos and stay valid until the next call that reads.
 */
size_t input_need(struct input *in, size_t n);

/* Passes over n buffered bytes. */
void input_advance(struct input *in, size_t n);

/*
 * At the beginning of a text: passes over a byte order mark, with which Windows programs begin
 * one of UTF-8.
 */
void input_skip_byte_order_mark(struct input *in);

/*
 * The next line without its LF, of any length, valid until the next call; the
 * last one may lack its LF. 1, 0 at the end, or the negative errno of the read.
 */
int input_line(struct input *in, struct slice *line);

/*
 * To be called first by a program that writes files: descriptors 0 to 2 that are closed
 * are taken, so that no file of ours becomes one of them and gets what is meant for a
 * terminal; using one fails (EBADF) as if it were closed. And a file beyond the size
 * limit is a failed write (EFBIG), not a signal.
 */
void stream_begin(void);

/*
 * For filters: the first SIGINT is passed over, a second one ends the process.
 * Ctrl-C in a pipeline reaches every stage; the first stage stops on it and the
 * others must live to deliver what it wrote.
 */
void input_outlive_interrupt(void);

#endif
