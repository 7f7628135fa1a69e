/* fold2speedscope: folded lines in, a file for the viewer speedscope out. */
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
#include "lines/folded.h"
#include "profiles.h"

enum { DONE = 0, FAILED = 1, USAGE = 2, DAMAGED = 3 };

struct options {
	struct slice name;
	const char *unit;
	char **files; /* NULL-terminated */
};

/* Lines that could not be read. */
struct damage {
	uint64_t lines;
	struct strbuf first; /* "FILE:LINE: reason" of the first one */
};

/* Lines that could be read, and those of them that have two counts. */
struct tally {
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

static void note_damage(struct damage *d, const char *name, uint64_t line, const char *why)
{
	if (d->lines++ == 0) {
		strbuf_addclean(&d->first, slice_str(name));
		strbuf_addf(&d->first, ":%" PRIu64 ": %s", line, why);
	}
}

static void tally_line(struct tally *tally, struct slice stack)
{
	struct slice before;

	tally->lines++;
	tally->two += folded_split_before(&stack, &before);
}

/* 0, or the negative errno of a failed read. */
static int read_lines(struct profiles *p, int fd, const char *name, struct damage *damage,
		      struct tally *tally)
{
	uint64_t number = 0;
	struct input in;
	struct slice line;
	int r;

	input_init(&in, fd, NULL);
	input_watch(&in, STDOUT_FILENO);
	while ((r = input_line(&in, &line)) > 0) {
		struct folded folded;
		const char *why;
		int parsed = folded_parse(line, &folded, &why);

		number++;
		if (parsed < 0)
			note_damage(damage, name, number, why);
		if (parsed <= 0)
			continue;
		tally_line(tally, folded.stack);
		if (folded.count)
			profiles_add(p, folded.stack, folded.count);
	}
	input_release(&in);
	return r;
}

static bool read_file(struct profiles *p, const char *path, struct damage *damage,
		      struct tally *tally)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "standard input" : path;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : read_lines(p, fd, name, damage, tally);

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
	struct profiles profiles = { 0 };
	struct damage damage = { 0 };
	struct tally tally = { 0 };
	int status;

	stream_begin();
	input_outlive_interrupt();
	for (char **file = o.files; *file; file++) {
		if (!read_file(&profiles, *file, &damage, &tally))
			return FAILED;
	}
	status = report(&profiles, &damage);
	if (tally.lines && tally.two == tally.lines) {
		warnx("these are differential lines, of two counts each: a profile has one");
		status = FAILED;
	} else if (!profiles.len) {
		warnx("no samples in the input, so there is nothing to write");
		status = FAILED;
	} else if (write_all(&profiles, &o) != DONE) {
		status = FAILED;
	}
	profiles_release(&profiles);
	strbuf_release(&damage.first);
	return status;
}
