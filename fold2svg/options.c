#include "options.h"

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/utf8.h"

enum { WIDTH_DEFAULT = 1200, WIDTH_MAX = 100000, HEIGHT_DEFAULT = 16, HEIGHT_MAX = 1000 };
enum { FONTSIZE_MAX = 100, FONTWIDTH_MAX = 10 };

static const char usage_text[] =
	"usage: fold2svg [OPTIONS] [FILE ...]\n"
	"Draws folded lines (FILEs or standard input) as an SVG flame graph. Options are those\n"
	"of flamegraph.pl, and a few more; they may be shortened, and stand behind FILEs.\n"
	"Texts\n"
	"  --title TEXT      heading (Flame Graph, Icicle Graph or Flame Chart)\n"
	"  --subtitle TEXT   a second line under it\n"
	"  --countname WORD  what is counted (samples)\n"
	"  --nametype WORD   what the names are (Function:)\n"
	"  --notes TEXT      for who reads the file's source\n"
	"Layout\n"
	"  --width PX        of the picture (1200; in a browser as wide as the window)\n"
	"  --height PX       of each frame (16)\n"
	"  --minwidth PX|N%  leave out narrower frames (0.1)\n"
	"  --inverted        root at the top\n"
	"  --fonttype NAME   font of all text\n"
	"  --fontsize PX     of the text in frames (as fits their height)\n"
	"  --fontwidth EM    of a character (that of a fixed-width font)\n"
	"Colours\n"
	"  --colors NAME     by kind (default) or module of the frame, or flamegraph.pl's:\n"
	"                    hot mem io\n"
	"                    wakeup chain java js perl python rust red green blue aqua yellow\n"
	"                    purple orange\n"
	"  --bgcolors NAME   of the page: yellow, blue, green, grey, or #rrggbb\n"
	"  --hash, --random  another function of the name, for flamegraph.pl's colours\n"
	"  --cp              keep names' colours in the file palette.map\n"
	"  --negate          differentials: more and less in each other's colours\n"
	"  --nameattr FILE   attributes of names: lines of NAME, TAB, KEY=VALUE, TAB, ...\n"
	"The tree\n"
	"  --reverse         merge stacks from their leaves\n"
	"  --flamechart      in the order of the input\n"
	"  --base WHICH      differentials: widths are the counts before or after (after)\n"
	"  --total N         what the whole width stands for, if more than the sum\n"
	"  --factor N        counts are multiplied by this where they are shown (1)\n"
	"The file\n"
	"  --encoding NAME   to be declared (UTF-8)\n"
	"  --no-js           no script: a picture only\n"
	"  -h, --help        this text\n"
	"  -V, --version     version\n";

__attribute__((noreturn)) static void usage_error(void)
{
	fputs(usage_text, stderr);
	exit(USAGE);
}

/* The value cleaned, and why it is none for that option. */
__attribute__((noreturn)) static void bad_value(const char *option, const char *value,
						const char *why)
{
	struct strbuf clean = STRBUF_INIT;

	strbuf_addclean(&clean, slice_str(value));
	warnx("--%s: '%s' is %s", option, strbuf_str(&clean), why);
	usage_error();
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
	struct slice digits = slice_str(value + (*value == '+'));
	char why[80];
	uint64_t n;

	if (!number_u64(digits, &n) && n >= min && n <= max)
		return (unsigned)n;
	snprintf(why, sizeof(why), "not a whole number from %u to %u", min, max);
	bad_value(option, value, why);
}

static struct decimal parse_decimal(const char *option, const char *value)
{
	struct decimal d;

	if (decimal_parse(slice_str(value), &d))
		bad_value(option, value, "not a number, such as 0.5 or 1000");
	return d;
}

/* Above 0 and up to `max`. */
static double parse_number(const char *option, const char *value, double max)
{
	struct decimal d = parse_decimal(option, value);
	double v = strtod(value, NULL);
	char why[80];

	if (d.mantissa && v <= max)
		return v;
	snprintf(why, sizeof(why), "not a number above 0 and up to %g", max);
	bad_value(option, value, why);
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
	if (!len || end != value + len || (*end && !pic->minwidth_percent) || pic->minwidth > max)
		bad_value("minwidth", value, "not a width, such as 0.1 (px) or 0.5%");
}

static void parse_colors(const char *value, struct options *o)
{
	o->colors_given = true;
	if (strcmp(value, "kind") == 0 || strcmp(value, "module") == 0) {
		o->pic.colors = *value == 'k' ? COLORS_KIND : COLORS_MODULE;
		return;
	}
	for (int p = 0; p < CLASSIC_COUNT; p++)
		if (strcmp(value, classic_word(p)) == 0) {
			o->pic.colors = COLORS_CLASSIC;
			o->classic.palette = p;
			return;
		}
	bad_value("colors", value, "not the name of a palette");
}

static bool parse_rgb(const char *value, uint32_t *rgb)
{
	uint64_t v;

	if (value[0] != '#' || strlen(value) != 7 || value[2] == 'x' || value[2] == 'X' ||
	    number_hex(slice_str(value + 1), &v))
		return false;
	*rgb = (uint32_t)v;
	return true;
}

/* The gradients are flamegraph.pl's. */
static void parse_bgcolors(const char *value, struct picture *pic)
{
	static const struct {
		const char *word;
		uint32_t from, to;
	} gradients[] = {
		{ "yellow", 0xeeeeee, 0xeeeeb0 },
		{ "blue", 0xeeeeee, 0xe0e0ff },
		{ "green", 0xeef2ee, 0xe0ffe0 },
		{ "grey", 0xf8f8f8, 0xe8e8e8 },
		{ "gray", 0xf8f8f8, 0xe8e8e8 },
	};

	pic->has_bgcolors = true;
	if (parse_rgb(value, &pic->bgcolors[0])) {
		pic->bgcolors[1] = pic->bgcolors[0];
		return;
	}
	for (size_t i = 0; i < sizeof(gradients) / sizeof(gradients[0]); i++)
		if (strcmp(value, gradients[i].word) == 0) {
			pic->bgcolors[0] = gradients[i].from;
			pic->bgcolors[1] = gradients[i].to;
			return;
		}
	bad_value("bgcolors", value, "not yellow, blue, green, grey, or as #rrggbb");
}

/*
 * The document is written in ASCII but for UTF-8, so it is true to what it declares if
 * that has ASCII as it is. UTF-16, EBCDIC, UTF-7 or HZ have not.
 */
static void parse_encoding(const char *value, struct picture *pic)
{
	static const char *const words[] = {
		"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-*", "iso8859-*", "iso_8859-*",
		"latin*", "windows-125*", "windows-874", "cp125*", "cp437", "cp85*", "cp86*",
		"ibm437", "ibm85*", "ibm86*", "koi8-*", "gb2312", "gbk", "gb18030", "big5*",
		"euc-*", "shift_jis", "sjis", "windows-31j", "tis-620", "macintosh",
	};
	bool plain = value[strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					 "0123456789._-")] == '\0';

	for (size_t i = 0; plain && i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);
		bool prefix = words[i][n - 1] == '*';

		if (prefix ? strncasecmp(value, words[i], n - 1) == 0 && strlen(value) >= n
			   : strcasecmp(value, words[i]) == 0) {
			pic->encoding = slice_str(value);
			return;
		}
	}
	bad_value("encoding", value, "not a known encoding that has ASCII in it, such as UTF-8");
}

static void parse_base(const char *value, struct picture *pic)
{
	pic->base_before = strcmp(value, "before") == 0;
	if (!pic->base_before && strcmp(value, "after") != 0)
		bad_value("base", value, "neither before nor after");
}

/*
 * Perl's Getopt::Long, which flamegraph.pl has, takes names in any case. Those of the next
 * option are made lower-case; getopt has it first or behind words that are no options.
 */
static void lower_next_name(char **argv, int next)
{
	for (; argv[next] && strcmp(argv[next], "--") != 0; next++) {
		char *p = argv[next];

		if (p[0] != '-' || !p[1])
			continue;
		if (p[2]) /* -V is not -v */
			for (p++; *p && *p != '='; p++)
				*p = (char)tolower((unsigned char)*p);
		return;
	}
}

enum {
	TITLE = 256, SUBTITLE, COUNTNAME, NAMETYPE, NOTES, WIDTH, HEIGHT, MINWIDTH, INVERTED,
	FONTTYPE, FONTSIZE, FONTWIDTH, COLORS, BGCOLORS, HASH, RANDOM, CP, NEGATE, NAMEATTR,
	REVERSE, FLAMECHART, BASE, TOTAL, FACTOR, ENCODING, NO_JS,
};

static const struct option longs[] = {
	{ "title", required_argument, NULL, TITLE },
	{ "subtitle", required_argument, NULL, SUBTITLE },
	{ "countname", required_argument, NULL, COUNTNAME },
	{ "nametype", required_argument, NULL, NAMETYPE },
	{ "notes", required_argument, NULL, NOTES },
	{ "width", required_argument, NULL, WIDTH },
	{ "height", required_argument, NULL, HEIGHT },
	{ "minwidth", required_argument, NULL, MINWIDTH },
	{ "inverted", no_argument, NULL, INVERTED },
	{ "fonttype", required_argument, NULL, FONTTYPE },
	{ "fontsize", required_argument, NULL, FONTSIZE },
	{ "fontwidth", required_argument, NULL, FONTWIDTH },
	{ "colors", required_argument, NULL, COLORS },
	{ "bgcolors", required_argument, NULL, BGCOLORS },
	{ "hash", no_argument, NULL, HASH },
	{ "random", no_argument, NULL, RANDOM },
	{ "cp", no_argument, NULL, CP },
	{ "negate", no_argument, NULL, NEGATE },
	{ "nameattr", required_argument, NULL, NAMEATTR },
	{ "reverse", no_argument, NULL, REVERSE },
	{ "flamechart", no_argument, NULL, FLAMECHART },
	{ "base", required_argument, NULL, BASE },
	{ "total", required_argument, NULL, TOTAL },
	{ "factor", required_argument, NULL, FACTOR },
	{ "encoding", required_argument, NULL, ENCODING },
	{ "no-js", no_argument, NULL, NO_JS },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	/* what is unambiguous among flamegraph.pl's options stays so beside ours */
	{ "b", required_argument, NULL, BGCOLORS },
	{ "no", required_argument, NULL, NOTES },
	{ 0 },
};

/* Those that tell of the picture as a whole: texts, font, page. */
static bool take_text(struct picture *pic, int option, const char *value)
{
	switch (option) {
	case TITLE:
		pic->title = slice_str(value);
		return true;
	case SUBTITLE:
		pic->subtitle = slice_str(value);
		return true;
	case COUNTNAME:
		pic->countname = slice_str(value);
		return true;
	case NAMETYPE:
		pic->nametype = slice_str(value);
		return true;
	case NOTES:
		pic->notes = slice_str(value);
		return true;
	case FONTTYPE:
		pic->fonttype = slice_str(value);
		return true;
	case ENCODING:
		parse_encoding(value, pic);
		return true;
	case BGCOLORS:
		parse_bgcolors(value, pic);
		return true;
	}
	return false;
}

static bool take_number(struct options *o, int option, const char *value)
{
	switch (option) {
	case WIDTH:
		o->pic.width = parse_px("width", value, PICTURE_WIDTH_MIN, WIDTH_MAX);
		o->pic.fluid = false;
		return true;
	case HEIGHT:
		o->pic.frame_height = parse_px("height", value, 1, HEIGHT_MAX);
		return true;
	case MINWIDTH:
		parse_minwidth(value, &o->pic);
		return true;
	case FONTSIZE:
		o->pic.fontsize = parse_number("fontsize", value, FONTSIZE_MAX);
		return true;
	case FONTWIDTH:
		o->pic.fontwidth = parse_number("fontwidth", value, FONTWIDTH_MAX);
		return true;
	case TOTAL:
		o->total = parse_decimal("total", value);
		o->total_text = value;
		return true;
	case FACTOR:
		o->pic.factor = parse_decimal("factor", value);
		if (!o->pic.factor.mantissa)
			bad_value("factor", value, "no factor: all counts would be 0");
		return true;
	}
	return false;
}

static bool take_other(struct options *o, int option, const char *value)
{
	switch (option) {
	case COLORS:
		parse_colors(value, o);
		return true;
	case BASE:
		parse_base(value, &o->pic);
		return true;
	case NAMEATTR:
		o->nameattr = value;
		return true;
	case HASH:
		o->classic.hash = true;
		return true;
	case RANDOM:
		o->classic.random = true;
		return true;
	case CP:
		o->cp = true;
		return true;
	case INVERTED:
		o->pic.inverted = true;
		return true;
	case NEGATE:
		o->pic.negate = true;
		return true;
	case REVERSE:
		o->pic.reversed = true;
		return true;
	case FLAMECHART:
		o->pic.chart = true;
		return true;
	case NO_JS:
		o->pic.no_js = true;
		return true;
	}
	return false;
}

/* What follows from all options together. */
static void settle(struct options *o)
{
	struct picture *pic = &o->pic;

	if (!pic->title.len)
		pic->title = pic->chart ? SLICE("Flame Chart")
			   : pic->inverted ? SLICE("Icicle Graph") : SLICE("Flame Graph");
	if (o->cp && o->colors_given && pic->colors != COLORS_CLASSIC) {
		warnx("--cp keeps flamegraph.pl's colours, not those of kinds and modules");
		usage_error();
	}
	/* whose default is "hot" */
	if (o->cp)
		pic->colors = COLORS_CLASSIC;
	pic->classic = &o->classic;
}

void options_parse(struct options *o, int argc, char **argv)
{
	int c;

	*o = (struct options){
		.pic = {
			.countname = SLICE("samples"),
			.nametype = SLICE("Function:"),
			.width = WIDTH_DEFAULT,
			.fluid = true,
			.frame_height = HEIGHT_DEFAULT,
			.minwidth = 0.1,
			.factor = { .mantissa = 1 },
		},
	};
	argv[0] = program_invocation_short_name; /* in getopt's messages as in ours */
	for (;;) {
		lower_next_name(argv, optind);
		c = getopt_long_only(argc, argv, "hV", longs, NULL);
		if (c == -1)
			break;
		if (c == 'h')
			print_and_exit(usage_text);
		if (c == 'V')
			print_and_exit("fold2svg " VERSION "\n");
		if (!take_text(&o->pic, c, optarg) && !take_number(o, c, optarg) &&
		    !take_other(o, c, optarg))
			usage_error();
	}
	settle(o);
	o->files = argv + optind;
}
