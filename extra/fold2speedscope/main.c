/* fold2speedscope: folded lines in, a file for the viewer speedscope out. */
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
#include "lines/folded.h"
#include "profiles.h"

enum { DONE = 0, FAILED = 1, USAGE = 2, DAMAGED = 3 };

struct options {
	struct slice name;
	const char *unit;
	char **files; /* NULL-terminated */
};

/* The lines, and those of them that could be read and have two counts. */
struct folding {
	struct profiles profiles;
	uint64_t lines, two;
};

static const char usage_text[] =
	"usage: fold2speedscope [--name TEXT] [--unit UNIT] [FILE…]\n"
	"Writes folded lines (FILEs or standard input) as a file for speedscope.\n"
	"\n"
	"      --name TEXT   of the whole (profile)\n"
	"      --unit UNIT   of the counts: samples, ns or bytes (samples)\n"
	"  -h, --help        this text\n"
	"  -V, --version     the version\n";

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

static const char *unit_of(const char *unit)
{
	static const char *const units[][2] = {
		{ "samples", "none" }, { "ns", "nanoseconds" }, { "bytes", "bytes" },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i][0]) == 0)
			return units[i][1];
	}
	warnx("--unit: samples, ns or bytes");
	usage();
}

static struct options parse_options(int argc, char **argv)
{
	enum { NAME = 256, UNIT };
	static const struct option longs[] = {
		{ "name", required_argument, NULL, NAME },
		{ "unit", required_argument, NULL, UNIT },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	static char *stdin_only[] = { "-", NULL };
	struct options o = { .name = SLICE("profile"), .unit = "none" };
	int c;

	argv[0] = program_invocation_short_name; /* in getopt's messages as in ours */
	while ((c = getopt_long(argc, argv, "hV", longs, NULL)) != -1) {
		switch (c) {
		case NAME:
			o.name = slice_str(optarg);
			break;
		case UNIT:
			o.unit = unit_of(optarg);
			break;
		case 'h':
			print_and_exit(usage_text);
		case 'V':
			print_and_exit("fold2speedscope " VERSION "\n");
		default:
			usage();
		}
	}
	o.files = optind < argc ? argv + optind : stdin_only;
	return o;
}

static int take_line(void *ctx, struct slice line, const char **why)
{
	struct folding *f = ctx;
	struct folded folded;
	struct slice stack, before;
	int r = folded_parse(line, &folded, why);

	if (r <= 0)
		return r;
	stack = folded.stack;
	f->lines++;
	f->two += folded_split_before(&stack, &before);
	if (folded.count)
		profiles_add(&f->profiles, folded.stack, folded.count);
	return r;
}

static int report(const struct profiles *p, const struct damage *damage)
{
	if (damage->lines == 1)
		warnx("%s; the line is left out", damage->first.buf);
	else if (damage->lines)
		warnx("%s (the first of %" PRIu64 " lines left out)", damage->first.buf,
		      damage->lines);
	if (p->inexact)
		warnx("counts add up to more than 2^53, which speedscope rounds");
	return damage->lines ? DAMAGED : DONE;
}

static int write_all(const struct profiles *p, const struct options *o)
{
	struct output out;
	int r;

	output_init(&out, STDOUT_FILENO);
	profiles_write(p, o->name, o->unit, &out);
	r = output_close(&out);
	if (r < 0)
		warnx("standard output: %s", strerror(-r));
	return r < 0 ? FAILED : DONE;
}

int main(int argc, char **argv)
{
	struct options o = parse_options(argc, argv);
	struct strbuf why = STRBUF_INIT;
	struct damage damage = { 0 };
	struct folding f = { 0 };
	int status;

	stream_begin();
	input_outlive_interrupt();
	if (line_files_read(o.files, take_line, &f, &damage, &why) < 0) {
		warnx("%s", why.buf);
		return FAILED;
	}
	status = report(&f.profiles, &damage);
	if (f.lines && f.two == f.lines) {
		warnx("these are differential lines, of two counts each: a profile has one");
		status = FAILED;
	} else if (!f.profiles.len) {
		warnx("no samples in the input, so there is nothing to write");
		status = FAILED;
	} else if (write_all(&f.profiles, &o) != DONE) {
		status = FAILED;
	}
	profiles_release(&f.profiles);
	damage_release(&damage);
	return status;
}
