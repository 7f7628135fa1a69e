/* fold2svg: folded lines in, one self-contained flame graph out. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "base/stream.h"
#include "base/utf8.h"
#include "flametree.h"
#include "lines/folded.h"
#include "picture.h"

enum { DONE = 0, FAILED = 1, USAGE = 2, PARTLY = 3 };

enum { WIDTH_DEFAULT = 1200, WIDTH_MAX = 100000, HEIGHT_DEFAULT = 16, HEIGHT_MAX = 1000 };

struct options {
	struct picture pic;
	char **files; /* NULL-terminated; none: stdin */
};

struct tally {
	uint64_t bad;        /* lines that could not be read */
	struct strbuf first; /* where and why, of the first of them */
};

static const char usage_text[] =
	"usage: fold2svg [--title TEXT] [--subtitle TEXT] [--width PX] [--height PX]\n"
	"                [--minwidth PX|N%] [--countname WORD] [--inverted] [FILE ...]\n"
	"Draws folded lines (FILEs or standard input) as an SVG flame graph.\n"
	"  --title TEXT      heading (Flame Graph, or Icicle Graph with --inverted)\n"
	"  --subtitle TEXT   a second line under it\n"
	"  --width PX        of the picture (1200; in a browser as wide as the window)\n"
	"  --height PX       of each frame (16)\n"
	"  --minwidth PX|N%  leave out narrower frames (0.1)\n"
	"  --countname WORD  what is counted (samples)\n"
	"  --inverted        root at the top\n"
	"  -h, --help        this text\n"
	"  -V, --version     version\n";

__attribute__((noreturn)) static void usage_error(void)
{
	fputs(usage_text, stderr);
	exit(USAGE);
}

/* Ends the program if the text for --help or --version could not be written. */
__attribute__((noreturn)) static void print_and_exit(const char *text)
{
	if (fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		err(FAILED, "standard output");
	exit(DONE);
}

/* A whole number of px, in bounds, or a usage error. */
static unsigned parse_px(const char *option, const char *value, unsigned min, unsigned max)
{
	uint64_t n;

	if (number_u64(slice_str(value), &n) || n < min || n > max) {
		warnx("--%s: '%s' is not a whole number from %u to %u", option, value, min, max);
		usage_error();
	}
	return (unsigned)n;
}

/* "0.1" (px) or "0.5%". */
static void parse_minwidth(const char *value, struct picture *pic)
{
	size_t len = strspn(value, "0123456789.");
	double max = WIDTH_MAX;
	char *end;

	pic->minwidth = strtod(value, &end);
	pic->minwidth_percent = strcmp(value + len, "%") == 0;
	if (pic->minwidth_percent)
		max = 100;
	/* strspn, since strtod would take signs, blanks, hexadecimal, and "inf", too */
	if (!len || end != value + len || (*end && !pic->minwidth_percent) || pic->minwidth > max) {
		warnx("--minwidth: '%s' is not a width, such as 0.1 (px) or 0.5%%", value);
		usage_error();
	}
}

static struct options parse_options(int argc, char **argv)
{
	enum { TITLE = 256, SUBTITLE, WIDTH, HEIGHT, MINWIDTH, COUNTNAME, INVERTED };
	static const struct option longs[] = {
		{ "title", required_argument, NULL, TITLE },
		{ "subtitle", required_argument, NULL, SUBTITLE },
		{ "width", required_argument, NULL, WIDTH },
		{ "height", required_argument, NULL, HEIGHT },
		{ "minwidth", required_argument, NULL, MINWIDTH },
		{ "countname", required_argument, NULL, COUNTNAME },
		{ "inverted", no_argument, NULL, INVERTED },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	struct options o = {
		.pic = {
			.countname = SLICE("samples"),
			.width = WIDTH_DEFAULT,
			.fluid = true,
			.frame_height = HEIGHT_DEFAULT,
			.minwidth = 0.1,
		},
	};
	int c;

	while ((c = getopt_long(argc, argv, "hV", longs, NULL)) != -1) {
		switch (c) {
		case TITLE:
			o.pic.title = slice_str(optarg);
			break;
		case SUBTITLE:
			o.pic.subtitle = slice_str(optarg);
			break;
		case WIDTH:
			o.pic.width = parse_px("width", optarg, PICTURE_WIDTH_MIN, WIDTH_MAX);
			o.pic.fluid = false;
			break;
		case HEIGHT:
			o.pic.frame_height = parse_px("height", optarg, 1, HEIGHT_MAX);
			break;
		case MINWIDTH:
			parse_minwidth(optarg, &o.pic);
			break;
		case COUNTNAME:
			o.pic.countname = slice_str(optarg);
			break;
		case INVERTED:
			o.pic.inverted = true;
			break;
		case 'h':
			print_and_exit(usage_text);
		case 'V':
			print_and_exit("fold2svg " VERSION "\n");
		default:
			usage_error();
		}
	}
	if (!o.pic.title.len)
		o.pic.title = o.pic.inverted ? SLICE("Icicle Graph") : SLICE("Flame Graph");
	o.files = argv + optind;
	return o;
}

static void tally_bad(struct tally *tally, const char *name, uint64_t line, const char *why)
{
	if (!tally->bad++) {
		strbuf_addclean(&tally->first, slice_str(name));
		strbuf_addf(&tally->first, ":%llu: %s", (unsigned long long)line, why);
	}
}

/* 0, or the negative errno of a failed read. */
static int read_lines(int fd, const char *name, struct flametree *tree, struct tally *tally)
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
		if (parsed > 0)
			parsed = flametree_add(tree, folded.stack, folded.count, &why);
		if (parsed < 0)
			tally_bad(tally, name, number, why);
	}
	input_release(&in);
	return r;
}

static void read_failed(const char *name, int error)
{
	struct strbuf clean = STRBUF_INIT;

	strbuf_addclean(&clean, slice_str(name));
	warnx("%s: %s", strbuf_str(&clean), strerror(error));
	strbuf_release(&clean);
}

static bool read_file(const char *path, struct flametree *tree, struct tally *tally)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "standard input" : path;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0) {
		read_failed(name, errno);
		return false;
	}
	r = read_lines(fd, name, tree, tally);
	if (!is_stdin)
		close(fd);
	if (r < 0)
		read_failed(name, -r);
	return r == 0;
}

static bool read_all(const struct options *o, struct flametree *tree, struct tally *tally)
{
	if (!*o->files)
		return read_file("-", tree, tally);
	for (char **file = o->files; *file; file++)
		if (!read_file(*file, tree, tally))
			return false;
	return true;
}

static void report(const struct tally *tally)
{
	if (tally->bad)
		warnx("%s%s", strbuf_str(&tally->first),
		      tally->bad == 1 ? "; the line is left out" : "");
	if (tally->bad > 1)
		warnx("%llu lines could not be read and are left out",
		      (unsigned long long)tally->bad);
}

/* 0, or the negative errno of a failed write. */
static int draw(const struct picture *pic, struct flametree *tree)
{
	struct flame flame = flametree_finish(tree);
	struct output out;

	output_init(&out, STDOUT_FILENO);
	picture_write(&out, pic, &flame);
	flame_release(&flame);
	return output_close(&out);
}

int main(int argc, char **argv)
{
	struct options o = parse_options(argc, argv);
	struct flametree tree = { 0 };
	struct tally tally = { 0 };
	int status = DONE, r;

	stream_begin();
	input_outlive_interrupt();
	if (!read_all(&o, &tree, &tally))
		return FAILED;
	report(&tally);
	if (tally.bad)
		status = PARTLY;
	if (!tree.total) {
		warnx("no samples in the input, so there is nothing to draw");
		return FAILED;
	}
	r = draw(&o.pic, &tree);
	if (r < 0) {
		warnx("standard output: %s", strerror(-r));
		status = FAILED;
	}
	flametree_release(&tree);
	strbuf_release(&tally.first);
	return status;
}
