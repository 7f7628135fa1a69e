/*
 * stack-resolve: captures of bpf-sample into stack lines, or into text like that of perf
 * script, with names for the addresses.
 */
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
#include "replay.h"
#include "sym/kallsyms.h"
#include "sym/resolver.h"

enum { STATUS_FAILED = 1, STATUS_USAGE = 2 };

static struct options {
	const char *kallsyms;
	bool no_offsets, no_demangle, perf, perf_each, perf_header, quiet, verbose;
} opt;

static const char usage_text[] =
"usage: stack-resolve [-qv] [--kallsyms FILE] [--no-offsets] [--no-demangle]\n"
"                     [--perf] [--perf-each] [--perf-header] [FILE ...]\n"
"Reads captures of bpf-sample (files, '-' or standard input) and writes stack lines.\n"
"\n"
"      --kallsyms FILE  kernel symbols, for those that the capture does not have\n"
"      --no-offsets     NAME instead of NAME+0xOFFSET\n"
"      --no-demangle    C++, Rust and D names as they are in the symbol table\n"
"      --perf           text as perf script has it, for tools that read that\n"
"      --perf-each      likewise, a sample of weight N as N samples, for those that count\n"
"      --perf-header    likewise, with '#' lines about the capture before it\n"
"  -q, --quiet          no warnings\n"
"  -v, --verbose        what was read of each file, on standard error\n"
"  -h, --help           this text\n"
"  -V, --version        the version\n"
"\n"
"  sudo bpf-sample -d 10 | stack-resolve | stack-fold | fold2svg > g.svg\n"
"  stack-resolve < app.cap | grep libssl\n"
"  stack-resolve --perf < app.cap | stackcollapse-perf.pl | flamegraph.pl > g.svg\n";

static int usage(void)
{
	fputs(usage_text, stderr);
	return STATUS_USAGE;
}

/* True if the program goes on; else *status is set. */
static bool parse_options(int argc, char **argv, int *status)
{
	enum { KALLSYMS = 256, NO_OFFSETS, NO_DEMANGLE, PERF, PERF_EACH, PERF_HEADER };
	static const struct option longs[] = {
		{ "kallsyms", required_argument, NULL, KALLSYMS },
		{ "no-offsets", no_argument, NULL, NO_OFFSETS },
		{ "no-demangle", no_argument, NULL, NO_DEMANGLE },
		{ "perf", no_argument, NULL, PERF },
		{ "perf-each", no_argument, NULL, PERF_EACH },
		{ "perf-header", no_argument, NULL, PERF_HEADER },
		{ "quiet", no_argument, NULL, 'q' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	int c;

	*status = 0;
	while ((c = getopt_long(argc, argv, "qvhV", longs, NULL)) != -1) {
		switch (c) {
		case KALLSYMS:
			opt.kallsyms = optarg;
			break;
		case NO_OFFSETS:
			opt.no_offsets = true;
			break;
		case NO_DEMANGLE:
			opt.no_demangle = true;
			break;
		case PERF_EACH:
			opt.perf = opt.perf_each = true;
			break;
		case PERF_HEADER:
			opt.perf = opt.perf_header = true;
			break;
		case PERF:
			opt.perf = true;
			break;
		case 'q':
			opt.quiet = true;
			break;
		case 'v':
			opt.verbose = true;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return false;
		case 'V':
			puts("stack-resolve " VERSION);
			return false;
		default:
			*status = usage();
			return false;
		}
	}
	return true;
}

static void warn_of_file(void *ctx, const char *text)
{
	enum { MANY = 20 };
	unsigned *told = ctx;

	if (opt.quiet || *told > MANY)
		return;
	if ((*told)++ == MANY)
		warnx("more files of this kind are not told of");
	else
		warnx("%s", text);
}

static void tell_file(void *ctx, const struct resolver_file_stats *s)
{
	struct strbuf path = STRBUF_INIT;

	(void)ctx;
	strbuf_addclean(&path, s->path);
	warnx("%s: %" PRIu64 " of %" PRIu64 " addresses named, by %s (%" PRIu64 " symbols, %" PRIu64
	      " KB)%s%s", strbuf_str(&path), s->named, s->addresses,
	      *s->source ? s->source : "nothing", s->symbols, s->table_bytes >> 10,
	      *s->problem ? ": " : "", s->problem);
	strbuf_release(&path);
}

static struct kallsyms *read_kallsyms(const char *path)
{
	struct kallsyms *ks = NULL;
	struct strbuf err = STRBUF_INIT;
	struct input in;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		warn("%s", path);
		return NULL;
	}
	input_init(&in, fd, NULL);
	if (kallsyms_read(&ks, &in, &err) < 0) {
		warnx("%s: %s", path, strbuf_str(&err));
		ks = NULL;
	}
	input_release(&in);
	close(fd);
	strbuf_release(&err);
	return ks;
}

/* One of the files named, "-" or NULL for standard input. */
static int resolve_file(struct replay *replay, const char *path)
{
	bool standard = !path || strcmp(path, "-") == 0;
	struct input in;
	int fd = STDIN_FILENO, status;

	if (!standard) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			warn("%s", path);
			return STATUS_FAILED;
		}
	} else if (isatty(fd)) {
		warnx("standard input is a terminal; try: stack-resolve < app.cap");
		return usage();
	}
	input_init(&in, fd, replay->out);
	status = replay_input(replay, &in, standard ? "standard input" : path);
	input_release(&in);
	if (!standard)
		close(fd);
	return status;
}

/* What went wrong in any file shows, the plainer failure first. */
static int worse(int a, int b)
{
	if (a == STATUS_FAILED || b == STATUS_FAILED)
		return STATUS_FAILED;
	return a > b ? a : b;
}

static int run(char **files, struct resolver *resolver, struct output *out)
{
	struct replay replay;
	int status = 0;

	replay_init(&replay, resolver, !opt.perf ? &form_stack_lines :
		    opt.perf_header ? &form_perf_header : &form_perf, out);
	replay.each = opt.perf_each;
	replay.quiet = opt.quiet;
	if (!*files)
		status = resolve_file(&replay, NULL);
	for (; *files && !out->error; files++)
		status = worse(status, resolve_file(&replay, *files));
	if (opt.verbose)
		warnx("%" PRIu64 " samples, %" PRIu64 " lines, %" PRIu64
		      " of them held back for symbols of JIT code", replay.samples, replay.lines,
		      replay.waited);
	else if (!opt.quiet && resolver_unreadable(resolver))
		warnx("files that could not be used for symbols: %" PRIu64 "; -v tells why",
		      resolver_unreadable(resolver));
	replay_release(&replay);
	return status;
}

int main(int argc, char **argv)
{
	struct kallsyms *kallsyms = NULL;
	struct resolver *resolver;
	struct output out;
	unsigned told = 0;
	int status;

	if (!parse_options(argc, argv, &status))
		return fflush(stdout) ? STATUS_FAILED : status;
	stream_begin();
	input_outlive_interrupt();
	if (opt.kallsyms && !(kallsyms = read_kallsyms(opt.kallsyms)))
		return STATUS_FAILED;
	resolver = resolver_new(&(struct resolver_options){
		.no_offsets = opt.no_offsets,
		.no_demangle = opt.no_demangle,
		.perf = opt.perf,
		.kallsyms = kallsyms,
		.warn = warn_of_file,
		.file_done = opt.verbose ? tell_file : NULL,
		.ctx = &told,
	});
	output_init(&out, STDOUT_FILENO);
	status = run(argv + optind, resolver, &out);
	if (output_close(&out) < 0) {
		warnx("cannot write: %s", strerror(-out.error));
		status = STATUS_FAILED;
	}
	resolver_free(resolver);
	kallsyms_free(kallsyms);
	return status;
}
