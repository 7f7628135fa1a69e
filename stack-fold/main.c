/*
 * stack-fold: stack lines, perf script's text or folded lines in, merged and sorted folded
 * lines out; of two files, before and after, differential lines.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/number.h"
#include "base/stream.h"
#include "base/utf8.h"
#include "fold.h"
#include "input.h"

enum { DONE = 0, FAILED = 1, USAGE = 2, DAMAGED = 3 };

struct options {
	struct style style;
	enum events_unit unit;
	struct slice event; /* empty: any, or the first */
	uint64_t min_count;
	bool count;
	bool for_samples;
	bool diff, normalize;
	bool quiet, verbose;
	char **files; /* NULL-terminated; of a differential two */
};

static const char usage_text[] =
	"usage: stack-fold [OPTION…] [FILE…]\n"
	"       stack-fold --diff [OPTION…] BEFORE AFTER\n"
	"Merges stack lines, folded lines, or the output of perf script, bpftrace or DTrace into\n"
	"sorted folded lines.\n"
	"\n"
	"Which samples, and what they count:\n"
	"      --event NAME      samples of this event (perf script: the first that comes)\n"
	"      --count           each sample counts one, whatever its period or weight\n"
	"      --unit UNIT       convert weights to samples or ns\n"
	"      --min-count N     leave out stacks whose sum is less\n"
	"Stacks:\n"
	"      --by LIST         root frames: comm,pid,tid,cpu,event or none (comm)\n"
	"      --user            user frames only\n"
	"      --kernel          kernel frames only\n"
	"      --skip-after SYM  without the callers of this function\n"
	"      --collapse-recursion  a function directly under itself once\n"
	"      --reverse         the leaf first\n"
	"Names:\n"
	"      --shorten         without parameters and template arguments\n"
	"      --offsets         keep offsets: NAME+0xOFF\n"
	"      --modules         name modules: MODULE`NAME\n"
	"      --no-annotate     no _[k], _[j], _[i] behind names\n"
	"Two files:\n"
	"      --diff            two counts a line: those of BEFORE and of AFTER\n"
	"      --normalize       scale those of BEFORE to the sum of AFTER's\n"
	"  -q, --quiet           no notes\n"
	"  -v, --verbose         totals on stderr\n"
	"  -h, --help            this text\n"
	"  -V, --version         the version\n";

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

enum {
	OPT_BY = 256, OPT_USER, OPT_KERNEL, OPT_UNIT, OPT_OFFSETS, OPT_MODULES, OPT_NO_ANNOTATE,
	OPT_DIFF, OPT_NORMALIZE, OPT_EVENT, OPT_COUNT, OPT_MIN_COUNT, OPT_SKIP_AFTER, OPT_COLLAPSE,
	OPT_REVERSE, OPT_SHORTEN,
};

static const struct option long_options[] = {
	{ "by", required_argument, NULL, OPT_BY },
	{ "user", no_argument, NULL, OPT_USER },
	{ "kernel", no_argument, NULL, OPT_KERNEL },
	{ "unit", required_argument, NULL, OPT_UNIT },
	{ "offsets", no_argument, NULL, OPT_OFFSETS },
	{ "modules", no_argument, NULL, OPT_MODULES },
	{ "no-annotate", no_argument, NULL, OPT_NO_ANNOTATE },
	{ "event", required_argument, NULL, OPT_EVENT },
	{ "count", no_argument, NULL, OPT_COUNT },
	{ "min-count", required_argument, NULL, OPT_MIN_COUNT },
	{ "skip-after", required_argument, NULL, OPT_SKIP_AFTER },
	{ "collapse-recursion", no_argument, NULL, OPT_COLLAPSE },
	{ "reverse", no_argument, NULL, OPT_REVERSE },
	{ "shorten", no_argument, NULL, OPT_SHORTEN },
	{ "diff", no_argument, NULL, OPT_DIFF },
	{ "normalize", no_argument, NULL, OPT_NORMALIZE },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static void set_by(struct options *opt, const char *list)
{
	struct strbuf why = STRBUF_INIT;

	if (style_set_by(&opt->style, slice_str(list), &why) < 0) {
		warnx("--by: %s", why.buf);
		usage();
	}
}

static void set_only(struct options *opt, enum style_only only)
{
	if (opt->style.only != ONLY_ANY && opt->style.only != only) {
		warnx("--user and --kernel exclude each other");
		usage();
	}
	opt->style.only = only;
}

static void set_unit(struct options *opt, const char *unit)
{
	if (strcmp(unit, "samples") == 0) {
		opt->unit = UNIT_SAMPLES;
	} else if (strcmp(unit, "ns") == 0) {
		opt->unit = UNIT_NS;
	} else {
		warnx("--unit: samples or ns");
		usage();
	}
}

static void set_min_count(struct options *opt, const char *text)
{
	if (number_u64(slice_str(text), &opt->min_count) < 0) {
		warnx("--min-count: '%s' is not a whole number", text);
		usage();
	}
}

/* An option about stacks, folded ones among them. */
static bool set_for_stacks(struct options *opt, int c)
{
	switch (c) {
	case OPT_USER:
		set_only(opt, ONLY_USER);
		break;
	case OPT_KERNEL:
		set_only(opt, ONLY_KERNEL);
		break;
	case OPT_SKIP_AFTER:
		opt->style.skip_after = slice_str(optarg);
		break;
	case OPT_COLLAPSE:
		opt->style.collapse = true;
		break;
	case OPT_REVERSE:
		opt->style.reverse = true;
		break;
	case OPT_SHORTEN:
		opt->style.shorten = true;
		break;
	case OPT_NO_ANNOTATE:
		opt->style.annotate = false;
		break;
	case OPT_MIN_COUNT:
		set_min_count(opt, optarg);
		break;
	default:
		return false;
	}
	return true;
}

/* An option that says how samples become stacks. */
static bool set_for_samples(struct options *opt, int c)
{
	switch (c) {
	case OPT_BY:
		set_by(opt, optarg);
		break;
	case OPT_EVENT:
		opt->event = slice_str(optarg);
		break;
	case OPT_COUNT:
		opt->count = true;
		break;
	case OPT_UNIT:
		set_unit(opt, optarg);
		break;
	case OPT_OFFSETS:
		opt->style.offsets = true;
		break;
	case OPT_MODULES:
		opt->style.modules = true;
		break;
	default:
		return false;
	}
	opt->for_samples = true;
	return true;
}

/* Sees to it that a differential has its two files, and nothing else what is its own. */
static void check_diff(const struct options *opt, int files)
{
	if (opt->diff && files != 2)
		warnx("--diff: two files, the one before and the one after");
	else if (opt->diff && strcmp(opt->files[0], "-") == 0 && strcmp(opt->files[1], "-") == 0)
		warnx("--diff: the standard input cannot be both files");
	else if (opt->normalize && !opt->diff)
		warnx("--normalize: only with --diff");
	else
		return;
	usage();
}

static void parse_options(struct options *opt, int argc, char **argv)
{
	static char *stdin_only[] = { "-", NULL };
	int c;

	*opt = (struct options){ .style = STYLE_DEFAULT };
	argv[0] = program_invocation_short_name; /* in getopt's messages as in ours */
	while ((c = getopt_long(argc, argv, "qvhV", long_options, NULL)) != -1) {
		if (set_for_samples(opt, c) || set_for_stacks(opt, c))
			continue;
		switch (c) {
		case OPT_DIFF:
			opt->diff = true;
			break;
		case OPT_NORMALIZE:
			opt->normalize = true;
			break;
		case 'q':
			opt->quiet = true;
			break;
		case 'v':
			opt->verbose = true;
			break;
		case 'h':
			print_and_exit(usage_text);
		case 'V':
			print_and_exit("stack-fold " VERSION "\n");
		default:
			usage();
		}
	}
	opt->files = optind < argc ? argv + optind : stdin_only;
	check_diff(opt, argc - optind);
}

/* Folds one input; a status. `stop` is set where no other input could help. */
static int fold_file(struct fold *f, const char *path, struct damage *damage, bool *stop)
{
	struct strbuf why = STRBUF_INIT;
	int status = DONE;
	struct input in;
	int r = input_open(&in, path);

	if (r < 0) {
		input_failed(&why, path, r);
		status = FAILED;
	} else {
		r = fold_input(f, &in, input_name(path), damage, &why);
		input_close(&in);
		*stop = r == -ENOTSUP || r == -ENODATA;
		if (r < 0)
			status = r == -ENOTSUP ? USAGE : FAILED;
	}
	if (r < 0)
		warnx("%s", why.buf);
	strbuf_release(&why);
	return status;
}

static int fold_files(struct fold *f, char **files, struct damage *damage, bool *stop)
{
	int status = DONE;

	for (; *files && !*stop; files++) {
		int s = fold_file(f, *files, damage, stop);

		if (s != DONE)
			status = s;
	}
	return status;
}

static void note_no_samples(const char *file)
{
	struct strbuf name = STRBUF_INIT;

	strbuf_addclean(&name, slice_str(input_name(file)));
	warnx("%s: no samples", name.buf);
	strbuf_release(&name);
}

/* Both files, or none of it: half a differential would say that all is new or gone. */
static int fold_diff(struct fold *f, const struct options *opt, struct damage *damage, bool *stop)
{
	uint64_t samples = 0;

	for (int i = 0; i < 2; i++) {
		int status;

		if (i == 1)
			sums_turn(&f->sums);
		status = fold_file(f, opt->files[i], damage, stop);
		if (status != DONE) {
			*stop = true;
			return status;
		}
		if (f->samples == samples && !opt->quiet)
			note_no_samples(opt->files[i]);
		samples = f->samples;
	}
	if (opt->normalize && sums_normalize(&f->sums) == -ERANGE) {
		warnx("--normalize: a sum of counts has more than 64 bits");
		*stop = true;
		return FAILED;
	}
	return DONE;
}

static int write_sums(const struct fold *f, uint64_t min_count)
{
	struct output out;
	int r;

	output_init(&out, STDOUT_FILENO);
	sums_write(&f->sums, min_count, &out);
	r = output_close(&out);
	if (r < 0)
		warnx("standard output: %s", strerror(-r));
	return r < 0 ? FAILED : DONE;
}

static const char *kind_text(const struct fold *f)
{
	return f->style.only == ONLY_USER ? "user" : "kernel";
}

/* What a user would want to know that the folded lines do not show. */
static void print_notes(const struct fold *f, const struct options *opt)
{
	struct strbuf text = STRBUF_INIT;
	bool by_event = style_has(&opt->style, FIELD_EVENT);

	if (chosen_note(&f->chosen, &text))
		warnx("%s", text.buf);
	if (f->no_counts)
		warnx("left out: %" PRIu64 " %s, such as histograms", f->no_counts,
		      f->no_counts == 1 ? "value that is no count of a stack" :
		      "values that are no counts of stacks");
	if (!f->samples && !opt->diff) /* which has told of each file */
		warnx("no samples in the input");
	if (f->samples && f->left_out == f->samples)
		warnx("none of the %" PRIu64 " samples has %s frames", f->samples, kind_text(f));
	if (opt->unit == UNIT_ANY && !by_event && events_mixed(&f->events, opt->count, &text))
		warnx("%s", text.buf);
	if (f->no_cpu)
		warnx("--by cpu: some samples tell no cpu%s", f->no_cpu_of_lines ?
		      "; sample with bpf-sample -T" : "");
	if (f->samples && opt->style.skip_after.len && !f->style.skip_came) {
		strbuf_reset(&text);
		strbuf_addclean(&text, opt->style.skip_after);
		warnx("--skip-after: no stack has a frame %s; a whole name is needed, as the "
		      "output spells it, without _[k], _[j], _[i]", text.buf);
	}
	strbuf_release(&text);
}

static void print_totals(const struct fold *f)
{
	if (f->sums.differential)
		warnx("lines: %" PRIu64 ", distinct stacks: %zu, sum before: %" PRIu64
		      ", after: %" PRIu64, f->samples, f->sums.stacks.len, f->sums.before_total,
		      f->sums.total);
	else
		warnx("lines: %" PRIu64 ", distinct stacks: %zu, sum: %" PRIu64, f->samples,
		      f->sums.stacks.len, f->sums.total);
	if (f->left_out)
		warnx("left out, without %s frames: lines: %" PRIu64 ", sum: %" PRIu64,
		      kind_text(f), f->left_out, f->left_out_weight);
}

/* Names what was wrong with the input's lines; a status. */
static int report_damage(const struct fold *f, const struct damage *damage)
{
	if (damage->lines == 1)
		warnx("%s", damage->first.buf);
	else if (damage->lines)
		warnx("%s (the first of %" PRIu64 " malformed lines)", damage->first.buf,
		      damage->lines);
	if (f->sums.saturated)
		warnx("a sum does not fit into 64 bits and stays at %" PRIu64, UINT64_MAX);
	return damage->lines || f->sums.saturated ? DAMAGED : DONE;
}

int main(int argc, char **argv)
{
	struct damage damage = { 0 };
	struct options opt;
	struct fold fold;
	bool stop = false;
	int status, damaged;

	parse_options(&opt, argc, argv);
	stream_begin();
	input_outlive_interrupt();
	fold_init(&fold);
	fold.style = opt.style;
	fold.unit = opt.unit;
	fold.count = opt.count;
	fold.chosen.name = opt.event;
	fold.chosen.all = !opt.event.len && style_has(&opt.style, FIELD_EVENT);
	fold.for_samples = opt.for_samples;
	status = opt.diff ? fold_diff(&fold, &opt, &damage, &stop) :
		fold_files(&fold, opt.files, &damage, &stop);
	damaged = report_damage(&fold, &damage);
	if (!stop) {
		if (write_sums(&fold, opt.min_count) != DONE)
			status = FAILED;
		else if (!opt.quiet && status == DONE)
			print_notes(&fold, &opt);
		if (opt.verbose)
			print_totals(&fold);
	}
	fold_release(&fold);
	damage_release(&damage);
	return status != DONE ? status : damaged;
}
