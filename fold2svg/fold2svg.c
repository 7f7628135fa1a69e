/* fold2svg: folded lines in, one self-contained flame graph out. */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/stream.h"
#include "base/utf8.h"
#include "flametree.h"
#include "input.h"
#include "nameattr.h"
#include "options.h"
#include "palmap.h"
#include "picture.h"

static const char palette_file[] = "palette.map";

static bool read_file(const char *path, struct lines *lines)
{
	struct strbuf why = STRBUF_INIT;
	struct input in;
	int r = input_open(&in, path);

	if (!r) {
		r = lines_read(lines, &in, input_name(path));
		input_close(&in);
	}
	if (r < 0) {
		input_failed(&why, path, r);
		warnx("%s", why.buf);
		strbuf_release(&why);
	}
	return r == 0;
}

static bool read_all(char *const *files, struct lines *lines)
{
	static char *const standard_input[] = { "-", NULL };

	for (files = *files ? files : standard_input; *files; files++)
		if (!read_file(*files, lines))
			return false;
	lines_end(lines);
	return true;
}

/* What --nameattr and --cp name; false with a message if it cannot be read. */
static bool read_aids(struct options *o, struct palmap *palmap)
{
	struct strbuf why = STRBUF_INIT, clean = STRBUF_INIT;
	bool good = true;

	if (o->nameattr) {
		o->pic.attrs = nameattr_read(o->nameattr, &why);
		good = o->pic.attrs != NULL;
	}
	if (good && o->cp) {
		o->classic.palmap = palmap;
		good = palmap_read(palmap, palette_file, &why) == 0;
	}
	if (!good) {
		strbuf_addclean(&clean, strbuf_slice(&why));
		warnx("%s", strbuf_str(&clean));
	}
	strbuf_release(&why);
	strbuf_release(&clean);
	return good;
}

static void report(const struct lines *lines)
{
	const struct damage *damage = &lines->damage;

	if (damage->lines)
		warnx("%s%s", damage->first.buf,
		      damage->lines == 1 ? "; the line is left out" : "");
	if (lines->rounded)
		warnx("counts are rounded to %u decimal%s, for which there is room in 64 bits",
		      lines->tree->decimals, lines->tree->decimals == 1 ? "" : "s");
	if (damage->lines > 1)
		warnx("%llu lines could not be read and are left out",
		      (unsigned long long)damage->lines);
}

/* --total in units of the tree's counts, of which it may have more decimals. */
static void settle_total(struct options *o, struct flame *flame)
{
	const char *why;
	uint64_t total;

	if (!o->total.mantissa)
		return;
	if (decimal_scale(o->total, flame->decimals, &total, &why) < 0)
		warnx("--total %s is passed over: %s", o->total_text, why);
	else if (total < flame->frames[0].total)
		warnx("--total %s is less than the sum of all counts and passed over",
		      o->total_text);
	else
		o->pic.total = total;
}

/* 0, or the negative errno of a failed write. */
static int draw(struct options *o, struct flametree *tree)
{
	struct flame flame = flametree_finish(tree);
	struct output out;

	settle_total(o, &flame);
	output_init(&out, STDOUT_FILENO);
	picture_write(&out, &o->pic, &flame);
	flame_release(&flame);
	return output_close(&out);
}

static int write_palette(const struct palmap *palmap)
{
	struct strbuf why = STRBUF_INIT;
	int r = palmap_write(palmap, palette_file, &why);

	if (r)
		warnx("%s", strbuf_str(&why));
	strbuf_release(&why);
	return r;
}

int main(int argc, char **argv)
{
	struct flametree tree = { 0 };
	struct lines lines = { .tree = &tree };
	struct palmap palmap = { 0 };
	struct options o;
	int status = DONE, r;

	options_parse(&o, argc, argv);
	stream_begin();
	input_outlive_interrupt();
	tree.reverse = o.pic.reversed;
	tree.chart = o.pic.chart;
	tree.base_before = o.pic.base_before;
	lines.limited = o.pic.chart;
	lines.decimals = CHART_DECIMALS;
	lines.chain = o.pic.colors == COLORS_CLASSIC && o.classic.palette == CLASSIC_CHAIN;
	if (!read_aids(&o, &palmap) || !read_all(o.files, &lines))
		return FAILED;
	report(&lines);
	if (lines.damage.lines)
		status = PARTLY;
	if (!tree.total) {
		warnx("no samples in the input, so there is nothing to draw");
		return FAILED;
	}
	if (decimal_places(o.total) > tree.decimals)
		flametree_scale(&tree, decimal_places(o.total), &(const char *){ NULL });
	r = draw(&o, &tree);
	if (r < 0) {
		warnx("standard output: %s", strerror(-r));
		status = FAILED;
	} else if (o.cp && write_palette(&palmap)) {
		status = FAILED;
	}
	flametree_release(&tree);
	lines_release(&lines);
	palmap_release(&palmap);
	return status;
}
