/*
 * A capture cut at every byte, and with every byte changed: stack-resolve's own loop
 * over it, in this process. t/capture-damage.t does the same to the program.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../stack-resolve/replay.h"
#include "base/alloc.h"
#include "tap.h"

static int null_fd;
static struct resolver *resolver; /* one for all: it forgets each capture at its end */

struct outcome {
	int status;
	uint64_t samples;
	bool told;
};

/*
 * warnx() writes to what stderr is: a string, to see whether something was said. A
 * sanitizer's report goes to the descriptor as ever.
 */
static struct outcome replay_bytes(const char *p, size_t len)
{
	char *copy = xmalloc(len ? len : 1);
	struct input in = { .fd = -1, .buf = copy, .len = len, .cap = len, .eof = true };
	FILE *real_stderr = stderr;
	char *said = NULL;
	size_t said_len = 0;
	struct outcome o = { 0 };
	struct replay replay;
	struct output out;

	memcpy(copy, p, len);
	output_init(&out, dup(null_fd));
	replay_init(&replay, resolver, &form_stack_lines, &out);
	replay.quiet = true;
	stderr = open_memstream(&said, &said_len);
	o.status = replay_input(&replay, &in, "damaged");
	fclose(stderr);
	stderr = real_stderr;
	o.samples = replay.samples;
	o.told = said_len > 0;
	free(said);
	replay_release(&replay);
	output_close(&out);
	free(copy);
	return o;
}

static uint64_t whole_samples(const char *cap, size_t limit)
{
	uint64_t n = 0;
	uint32_t length;

	for (size_t at = 0; at + 8 <= limit; at += length) {
		memcpy(&length, cap + at + 4, sizeof(length));
		n += at + length <= limit && cap[at] == CAPTURE_SAMPLE && cap[at + 1] == 0;
	}
	return n;
}

static void check_cuts(const char *cap, size_t len)
{
	unsigned status = 0, silent = 0, missing = 0;

	for (size_t cut = 0; cut < len; cut++) {
		struct outcome o = replay_bytes(cap, cut);

		status += o.status != 1 && o.status != 3;
		silent += !o.told;
		missing += o.samples != whole_samples(cap, cut);
	}
	is_u64(status, 0, "cut at each of %zu bytes: status 1 or 3", len);
	is_u64(silent, 0, "and a message");
	is_u64(missing, 0, "and every whole sample before the cut");
}

static void check_flips(char *cap, size_t len)
{
	static const unsigned char set[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	unsigned status = 0, silent = 0, tried = 0;

	for (size_t i = 0; i < len; i++) {
		char old = cap[i];

		for (unsigned k = 0; k < 8 + sizeof(set); k++) {
			struct outcome o;

			cap[i] = k < 8 ? (char)(old ^ 1 << k) : (char)set[k - 8];
			o = replay_bytes(cap, len);
			status += o.status != 0 && o.status != 1 && o.status != 3;
			silent += o.status != 0 && !o.told;
			tried++;
		}
		cap[i] = old;
	}
	is_u64(status, 0, "%u single bytes changed: status 0, 1 or 3", tried);
	is_u64(silent, 0, "and a message with each that is not 0");
}

int main(void)
{
	static char cap[1 << 16];
	int fd = open("t/data/small.cap", O_RDONLY);
	ssize_t len = fd < 0 ? -1 : read(fd, cap, sizeof(cap));

	resolver = resolver_new(&(struct resolver_options){ 0 });
	null_fd = open("/dev/null", O_WRONLY);
	if (!ok(len > 2000 && len < (ssize_t)sizeof(cap), "t/data/small.cap"))
		return done_testing();
	is_u64((uint64_t)replay_bytes(cap, (size_t)len).status, 0, "it is whole");
	check_cuts(cap, (size_t)len);
	check_flips(cap, (size_t)len);
	resolver_free(resolver);
	return done_testing();
}
