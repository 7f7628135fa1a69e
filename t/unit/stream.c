/* Streams over real pipes and files: short writes, errors, lines of any length. */
#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

enum { BIG = 3 << 20 };

/* Byte i of the stream that the tests send. */
static char byte_at(size_t i)
{
	return (char)(i * 31 + i / 251);
}

struct drain {
	int fd;
	size_t len;
	bool same;
};

/* Reads slowly, a few bytes at a time, so that the writer meets a full pipe. */
static void *drain_pipe(void *arg)
{
	struct drain *d = arg;
	char buf[777];
	ssize_t n;

	d->same = true;
	while ((n = read(d->fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			d->same &= buf[i] == byte_at(d->len + (size_t)i);
		d->len += (size_t)n;
	}
	return NULL;
}

static void test_short_writes(bool nonblock)
{
	struct drain d = { 0 };
	struct output out;
	pthread_t thread;
	char *block = malloc(BIG);
	size_t at = 0;
	int fds[2];

	if (pipe(fds) != 0)
		abort();
	/* with a non-blocking end write gives as much as fits, then EAGAIN */
	if (nonblock)
		fcntl(fds[1], F_SETFL, O_NONBLOCK);
	d.fd = fds[0];
	pthread_create(&thread, NULL, drain_pipe, &d);
	output_init(&out, fds[1]);
	for (size_t i = 0; i < BIG; i++)
		block[i] = byte_at(i);
	for (size_t n = 1; at < BIG; n = n * 3 + 1) {
		size_t len = n < BIG - at ? n : BIG - at;

		output_write(&out, block + at, len);
		at += len;
	}
	is_u64(out.total, BIG, "the output counts what it was given");
	ok(output_close(&out) == 0, "closed without an error");
	pthread_join(thread, NULL);
	close(fds[0]);
	is_u64(d.len, BIG, "all bytes came through the pipe%s", nonblock ? ", not blocking" : "");
	ok(d.same, "in order");
	free(block);
}

static void test_output_errors(void)
{
	struct output out;
	int fds[2];

	output_init(&out, open("/dev/full", O_WRONLY));
	output_write(&out, "x", 1);
	is_u64((uint64_t)-output_flush(&out), ENOSPC, "a full disk");
	output_write(&out, "y", 1);
	is_u64((uint64_t)-output_close(&out), ENOSPC, "the first error stays");

	if (pipe(fds) != 0)
		abort();
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	output_init(&out, fds[1]);
	output_write(&out, "x", 1);
	is_u64((uint64_t)-output_close(&out), EPIPE, "nobody reads");

	output_init(&out, -1);
	output_write(&out, "x", 1);
	is_u64((uint64_t)-output_close(&out), EBADF, "no file at all");
	output_init(&out, -1);
	is_u64((uint64_t)-output_close(&out), EBADF, "the close's own error");
}

/* An unlinked file with these bytes, to be read from its start. */
static int file_of(const char *bytes, size_t len)
{
	char path[] = "/tmp/stream.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	unlink(path);
	return fd;
}

static void test_lines(void)
{
	static const char text[] = "a\n\nb\0c\n\r\nlast";
	static const struct slice want[] = {
		SLICE("a"), SLICE(""), SLICE("b\0c"), SLICE("\r"), SLICE("last"),
	};
	struct slice line;
	struct input in;
	int fd = file_of(text, sizeof(text) - 1);

	input_init(&in, fd, NULL);
	for (size_t i = 0; i < 5; i++)
		ok(input_line(&in, &line) == 1 && slice_eq(line, want[i]), "line %zu", i);
	is_u64(in.offset, sizeof(text) - 1, "the offset is that behind the last line");
	is_u64((uint64_t)input_line(&in, &line), 0, "the end");
	is_u64((uint64_t)input_line(&in, &line), 0, "and again");
	input_release(&in);
	close(fd);
}

/* Lines of lengths around the buffer's, each of one letter. */
static void test_long_lines(void)
{
	static const size_t lengths[] = {
		1, 65535, 65536, 65537, 0, 40000, 40000, 131071, 131072, 1 << 20, 3, 5 << 20, 2,
	};
	const size_t n = sizeof(lengths) / sizeof(lengths[0]);
	struct slice line;
	struct input in;
	char *text;
	size_t len = 0;
	int fd;

	for (size_t i = 0; i < n; i++)
		len += lengths[i] + 1;
	text = malloc(len);
	len = 0;
	for (size_t i = 0; i < n; i++) {
		memset(text + len, (int)('a' + i), lengths[i]);
		len += lengths[i];
		text[len++] = '\n';
	}
	fd = file_of(text, len);
	input_init(&in, fd, NULL);
	for (size_t i = 0, at = 0; i < n; at += lengths[i++] + 1) {
		bool whole = input_line(&in, &line) == 1 && line.len == lengths[i] &&
			     memcmp(line.p, text + at, line.len) == 0;

		ok(whole, "a line of %zu bytes", lengths[i]);
	}
	is_u64((uint64_t)input_line(&in, &line), 0, "and no more");
	input_release(&in);
	close(fd);
	free(text);
}

static void test_need(void)
{
	char text[1000];
	struct input in;
	int fd;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = byte_at(i);
	fd = file_of(text, sizeof(text));
	input_init(&in, fd, NULL);
	ok(input_need(&in, 10) >= 10 && in.buf[in.pos + 9] == byte_at(9), "ten bytes in place");
	input_advance(&in, 995);
	is_u64(in.offset, 995, "passed over");
	is_u64(input_need(&in, 10), 5, "fewer only at the end");
	ok(in.eof && in.error == 0, "which is no error");
	input_release(&in);
	close(fd);
}

static void test_input_errors(void)
{
	struct slice line;
	struct input in;
	int fd = open("/", O_RDONLY | O_DIRECTORY);

	input_init(&in, fd, NULL);
	is_u64((uint64_t)-input_line(&in, &line), EISDIR, "a directory");
	input_release(&in);
	close(fd);
	input_init(&in, -1, NULL);
	is_u64((uint64_t)-input_line(&in, &line), EBADF, "no file at all");
	is_u64(input_need(&in, 1), 0, "nothing can be had from it");
	input_release(&in);
}

/* An input that would block has its output flushed before. */
static void test_flush_before_block(void)
{
	int up[2], down[2];
	struct output out;
	struct input in;
	struct slice line;
	char c = 0;

	if (pipe(up) != 0 || pipe(down) != 0)
		abort();
	output_init(&out, down[1]);
	input_init(&in, up[0], &out);
	output_write(&out, "!", 1);
	if (write(up[1], "a\nb\n", 4) != 4)
		abort();
	ok(input_line(&in, &line) == 1 && input_line(&in, &line) == 1, "two lines at once");
	is_u64(out.len, 1, "nothing is flushed while there is input");
	if (fork() == 0) {
		/* gives the next line only once the output came */
		close(down[1]);
		if (read(down[0], &c, 1) == 1 && c == '!')
			_exit(write(up[1], "c\n", 2) != 2);
		_exit(1);
	}
	ok(input_line(&in, &line) == 1 && slice_eq(line, SLICE("c")), "flushed, then the next");
	input_release(&in);
	output_close(&out);
}

int main(void)
{
	alarm(60); /* a test that waits for ever has failed */
	test_short_writes(false);
	test_short_writes(true);
	test_output_errors();
	test_lines();
	test_long_lines();
	test_need();
	test_input_errors();
	test_flush_before_block();
	return done_testing();
}
