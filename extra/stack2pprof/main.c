/* stack2pprof: stack lines in, a gzipped profile for pprof and the servers that know it out. */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/line_files.h"
#include "base/stream.h"
#include "profile.h"

enum { DONE = 0, FAILED = 1, USAGE = 2, DAMAGED = 3 };

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

static int take_line(void *profile, struct slice line, const char **why)
{
	return profile_line(profile, line, why);
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
	struct strbuf why = STRBUF_INIT;
	struct damage damage = { 0 };
	struct profile profile;
	int status;

	stream_begin();
	input_outlive_interrupt();
	profile_init(&profile);
	if (line_files_read(files, take_line, &profile, &damage, &why) < 0) {
		warnx("%s", why.buf);
		return FAILED;
	}
	status = report(&profile, &damage);
	if (write_all(&profile) != DONE)
		status = FAILED;
	profile_release(&profile);
	damage_release(&damage);
	return status;
}
