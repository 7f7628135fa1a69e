#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/utf8.h"

enum { OUTPUT_CAP = 1 << 16, INPUT_CAP = 1 << 16 };

void output_init(struct output *out, int fd)
{
	*out = (struct output){ .fd = fd, .cap = OUTPUT_CAP };
	out->buf = xmalloc(out->cap);
}

static void output_drain(struct output *out, const char *p, size_t len)
{
	while (len && !out->error) {
		ssize_t n = write(out->fd, p, len);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			/* someone made the shared description non-blocking */
			struct pollfd pfd = { .fd = out->fd, .events = POLLOUT };

			poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			out->error = -errno;
		}
	}
}

int output_flush(struct output *out)
{
	output_drain(out, out->buf, out->len);
	out->len = 0;
	return out->error;
}

void output_write(struct output *out, const void *data, size_t len)
{
	out->total += len;
	if (len > out->cap - out->len) {
		output_flush(out);
		if (len >= out->cap) {
			output_drain(out, data, len);
			return;
		}
	}
	if (len)
		memcpy(out->buf + out->len, data, len);
	out->len += len;
}

int output_close(struct output *out)
{
	output_flush(out);
	if (close(out->fd) < 0 && !out->error)
		out->error = -errno;
	free(out->buf);
	out->buf = NULL;
	return out->error;
}

void input_init(struct input *in, int fd, struct output *flush)
{
	*in = (struct input){ .fd = fd, .cap = INPUT_CAP, .flush = flush };
	in->watch_fd = flush ? flush->fd : -1;
	in->buf = xmalloc(in->cap);
}

void input_release(struct input *in)
{
	free(in->buf);
	in->buf = NULL;
}

static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

int input_open(struct input *in, const char *path)
{
	int fd = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	input_init(in, fd, NULL);
	return 0;
}

void input_close(struct input *in)
{
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	input_release(in);
}

const char *input_name(const char *path)
{
	return is_standard(path) ? "standard input" : path;
}

void input_failed(struct strbuf *err, const char *path, int error)
{
	strbuf_reset(err);
	strbuf_addclean(err, slice_str(input_name(path)));
	strbuf_addf(err, ": %s", strerror(-error));
}

void input_watch(struct input *in, int out_fd)
{
	in->watch_fd = out_fd;
}

/* Waits for input. False if whoever reads what is made of it is gone. */
static bool input_wait(struct input *in)
{
	struct pollfd fds[2] = {
		{ .fd = in->fd, .events = POLLIN },
		{ .fd = in->watch_fd }, /* POLLERR comes unasked */
	};

	if (in->flush && in->flush->len && poll(fds, 1, 0) == 0)
		output_flush(in->flush);
	if (in->watch_fd < 0)
		return true;
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return !(fds[1].revents & POLLERR);
}

/* Reads once, appending to the buffer; sets eof or error when there is no more. */
static void input_read(struct input *in)
{
	struct pollfd pfd = { .fd = in->fd, .events = POLLIN };
	ssize_t n;

	if (in->pos == in->len) {
		in->pos = in->len = 0;
	} else if (in->len == in->cap && in->pos > in->cap / 2) {
		memmove(in->buf, in->buf + in->pos, in->len - in->pos);
		in->len -= in->pos;
		in->pos = 0;
	}
	if (in->len == in->cap) {
		in->cap *= 2;
		in->buf = xrealloc(in->buf, in->cap);
	}
	if (!input_wait(in)) {
		raise(SIGPIPE);
		in->error = -EPIPE;
		in->eof = true;
		return;
	}
	for (;;) {
		n = read(in->fd, in->buf + in->len, in->cap - in->len);
		if (n >= 0)
			break;
		if (errno == EAGAIN) {
			poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			in->error = -errno;
			in->eof = true;
			return;
		}
	}
	if (n == 0)
		in->eof = true;
	in->len += (size_t)n;
}

size_t input_need(struct input *in, size_t n)
{
	while (in->len - in->pos < n && !in->eof)
		input_read(in);
	return in->len - in->pos;
}

void input_advance(struct input *in, size_t n)
{
	in->pos += n;
	in->offset += n;
}

void input_skip_byte_order_mark(struct input *in)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t n = sizeof(mark) - 1;

	/* a byte that is none of it is not waited behind */
	for (size_t i = 0; i < n; i++) {
		if (input_need(in, i + 1) <= i || in->buf[in->pos + i] != mark[i])
			return;
	}
	input_advance(in, n);
}

int input_line(struct input *in, struct slice *line)
{
	size_t seen = 0;

	for (;;) {
		size_t have = in->len - in->pos;
		const char *p = in->buf + in->pos;
		const char *lf = have > seen ? memchr(p + seen, '\n', have - seen) : NULL;

		if (lf) {
			*line = (struct slice){ p, (size_t)(lf - p) };
			input_advance(in, line->len + 1);
			return 1;
		}
		if (in->eof) {
			if (in->error)
				return in->error;
			*line = (struct slice){ p, have };
			input_advance(in, have);
			return have > 0;
		}
		seen = have;
		input_read(in);
	}
}

void stream_begin(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		/* open takes the lowest free number; the wrong direction makes use of it fail */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
			break;
	}
	signal(SIGXFSZ, SIG_IGN);
}

static void pass_over(int sig)
{
	(void)sig;
}

void input_outlive_interrupt(void)
{
	struct sigaction sa = { .sa_handler = pass_over, .sa_flags = SA_RESTART | SA_RESETHAND };

	sigaction(SIGINT, &sa, NULL);
}
