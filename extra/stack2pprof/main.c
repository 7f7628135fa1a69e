/* stack2pprof: stack lines in, a gzipped profile for pprof and the servers that know it out. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stream.h"
#include "base/utf8.h"
#include "profile.h"

enum { DONE = 0, FAILED = 1, USAGE = 2, DAMAGED = 3 };

/* Lines that could not be read. */
struct damage {
	uint64_t lines;
	struct strbuf first; /* "FILE:LINE: reason" of the first one */
};

static const char usage_text[] =
	"usage: stack2pprof [FILE…] > profile.pb.gz\n"
	"Writes stack lines (FILEs or standard input) as a gzipped pprof profile.\n"
	"\n"
	"  -h, --help     this text\n"
	"  -V, --version  the version\n";

static _Noreturn void usage(void)
{
	fputs(usage_text, stderr);
	exit(USAGE);
}

static _Noreturn void print_and_exit(const char *text)
{
	if (fputs(text, stdout) < 0 || fclose(stdout) != 0)
		err(FAILED, "standard output");
	exit(DONE);
}

/* The files, NULL-terminated. */
static char **parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	static char *stdin_only[] = { "-", NULL };
	int c;

	argv[0] = program_invocation_short_name; /* in getopt's messages as in ours */
	while ((c = getopt_long(argc, argv, "hV", longs, NULL)) != -1) {
		switch (c) {
		case 'h':
			print_and_exit(usage_text);
		case 'V':
			print_and_exit("stack2pprof " VERSION "\n");
		default:
			usage();
		}
	}
	if (isatty(STDOUT_FILENO)) {
		warnx("a profile is binary: redirect it to a file or a pipe");
		usage();
	}
	return optind < argc ? argv + optind : stdin_only;
}

static void note_damage(struct damage *d, const char *name, uint64_t line, const char *why)
{
	if (d->lines++ == 0) {
		strbuf_addclean(&d->first, slice_str(name));
		strbuf_addf(&d->first, ":%" PRIu64 ": %s", line, why);
	}
}

/* 0, or the negative errno of a failed read. */
static int read_lines(struct profile *p, int fd, const char *name, struct damage *damage)
{
	uint64_t number = 0;
	struct input in;
	struct slice line;
	const char *why;
	int r;

	input_init(&in, fd, NULL);
	input_watch(&in, STDOUT_FILENO);
	while ((r = input_line(&in, &line)) > 0) {
		number++;
		if (profile_line(p, line, &why) < 0)
			note_damage(damage, name, number, why);
	}
	input_release(&in);
	return r;
}

static bool read_file(struct profile *p, const char *path, struct damage *damage)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "standard input" : path;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : read_lines(p, fd, name, damage);

	if (!is_stdin && fd >= 0)
		close(fd);
	if (r < 0) {
		struct strbuf clean = STRBUF_INIT;

		strbuf_addclean(&clean, slice_str(name));
		warnx("%s: %s", strbuf_str(&clean), strerror(-r));
		strbuf_release(&clean);
	}
	return r == 0;
}

static int report(const struct profile *p, const struct damage *damage)
{
	if (damage->lines == 1)
		warnx("%s; the line is left out", damage->first.buf);
	else if (damage->lines)
		warnx("%s (the first of %" PRIu64 " lines left out)", damage->first.buf,
		      damage->lines);
	if (p->saturated)
		warnx("some sums are above 2^63 - 1, and written as that");
	return damage->lines ? DAMAGED : DONE;
}

static int write_all(struct profile *p)
{
	struct columns cols;
	struct output out;
	int r;

	if (!p->lines) {
		warnx("no stack lines (as stack-resolve writes them) in the input, so there is "
		      "nothing to write");
		return FAILED;
	}
	if (columns_choose(&cols, p) < 0) {
		warnx("more than %d events: take some of them out by their field, with awk(1)",
		      COLUMNS_MAX);
		return FAILED;
	}
	output_init(&out, STDOUT_FILENO);
	profile_write(p, &cols, &out);
	r = output_close(&out);
	if (r < 0)
		warnx("standard output: %s", strerror(-r));
	return r < 0 ? FAILED : DONE;
}

int main(int argc, char **argv)
{
	char **files = parse_options(argc, argv);
	struct damage damage = { 0 };
	struct profile profile;
	int status;

	stream_begin();
	input_outlive_interrupt();
	profile_init(&profile);
	for (char **file = files; *file; file++) {
		if (!read_file(&profile, *file, &damage))
			return FAILED;
	}
	status = report(&profile, &damage);
	if (write_all(&profile) != DONE)
		status = FAILED;
	profile_release(&profile);
	strbuf_release(&damage.first);
	return status;
}
