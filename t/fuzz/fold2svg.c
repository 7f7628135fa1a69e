/*
 * Any bytes as folded lines, drawn: what comes out is well-formed, and holds no script but
 * ours. The first byte chooses options of the picture, and a second one, if its highest bit
 * is set, those of the tree and the colours.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../fold2svg/input.h"
#include "../../fold2svg/picture.h"
#include "base/utf8.h"

enum { DEPTH_MAX = 8 };

static void check(bool holds)
{
	if (!holds)
		abort();
}

static bool take(struct slice *rest, struct slice what)
{
	if (!slice_starts(*rest, what))
		return false;
	rest->p += what.len;
	rest->len -= what.len;
	return true;
}

static void skip_behind(struct slice *rest, struct slice what)
{
	const char *at = memmem(rest->p, rest->len, what.p, what.len);

	check(at);
	rest->len -= (size_t)(at - rest->p) + what.len;
	rest->p = at + what.len;
}

static struct slice take_name(struct slice *rest)
{
	struct slice name = { rest->p, strspn(rest->p, "abcdefghijklmnopqrstuvwxyz") };

	check(name.len);
	take(rest, name);
	return name;
}

/* Past the attributes and the '>'; true if the element is empty. */
static bool take_attributes(struct slice *rest)
{
	while (!take(rest, SLICE(">"))) {
		if (take(rest, SLICE("/>")))
			return true;
		if (*rest->p == '"') {
			size_t n = strcspn(rest->p + 1, "\"<") + 1;

			check(rest->p[n] == '"');
			take(rest, (struct slice){ rest->p, n + 1 });
		} else {
			check(rest->len && *rest->p != '<' && *rest->p != '\'');
			take(rest, (struct slice){ rest->p, 1 });
		}
	}
	return false;
}

static void take_text(struct slice *rest)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	size_t i = 0;

	if (*rest->p != '&') {
		check(!slice_starts(*rest, SLICE("]]>")));
		check(!slice_starts(*rest, SLICE("\xef\xbf\xbe")));
		check(!slice_starts(*rest, SLICE("\xef\xbf\xbf")));
		take(rest, (struct slice){ rest->p, 1 });
		return;
	}
	while (i < 5 && !take(rest, slice_str(entities[i])))
		i++;
	if (i < 5)
		return;
	/* another encoding than UTF-8: characters by number */
	check(take(rest, SLICE("&#")));
	take(rest, (struct slice){ rest->p, strspn(rest->p, "0123456789") });
	check(rest->p[-1] != '#' && take(rest, SLICE(";")));
}

/* The script has tabs, between words, too. */
static void check_clean(struct slice s)
{
	while (s.len) {
		size_t n = strcspn(s.p, "\n\t");

		check(utf8_is_clean((struct slice){ s.p, n }) && n < s.len);
		take(&s, (struct slice){ s.p, n + 1 });
	}
}

static void check_xml(struct slice rest, size_t want_scripts)
{
	struct slice open[DEPTH_MAX];
	size_t depth = 0, scripts = 0;

	check_clean(rest);
	skip_behind(&rest, SLICE("?>\n"));
	do {
		if (take(&rest, SLICE("<![CDATA["))) {
			skip_behind(&rest, SLICE("]]>"));
		} else if (take(&rest, SLICE("</"))) {
			check(depth && slice_eq(open[--depth], take_name(&rest)));
			check(take(&rest, SLICE(">")));
		} else if (take(&rest, SLICE("<"))) {
			struct slice name = take_name(&rest);

			scripts += slice_eq(name, SLICE("script"));
			check(depth < DEPTH_MAX);
			if (!take_attributes(&rest))
				open[depth++] = name;
		} else {
			check(rest.len);
			take_text(&rest);
		}
	} while (depth);
	check(slice_eq(rest, SLICE("\n")) && scripts == want_scripts);
}

/* Frames lie within their callers, and side by side. */
static void check_flame(const struct flame *flame)
{
	uint64_t self = 0;

	for (size_t i = 0; i < flame->len; i++) {
		const struct flame_frame *f = &flame->frames[i];

		check(f->total >= f->self && f->total > 0);
		check(f->start + f->total <= flame->frames[0].total);
		check(i ? f->depth && f->depth <= f[-1].depth + 1 && f->name < flame->names_len
			: !f->depth && !f->start);
		check(f->depth <= flame->deepest);
		self += f->self;
	}
	check(self == flame->frames[0].total);
	for (size_t i = 1; i < flame->names_len; i++)
		check(slice_cmp(flame->names[i - 1], flame->names[i]) < 0);
}

/* A file of these bytes, read from its start on. */
static int file_of(struct slice bytes)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	check(fd >= 0 && write(fd, bytes.p, bytes.len) == (ssize_t)bytes.len);
	check(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void draw(struct flametree *tree, const struct picture *pic)
{
	int fd = memfd_create("svg", MFD_CLOEXEC);
	struct flame flame = flametree_finish(tree);
	struct output out;
	char *svg;

	check_flame(&flame);
	check(fd >= 0);
	output_init(&out, fd);
	picture_write(&out, pic, &flame);
	check(output_flush(&out) == 0);
	svg = malloc(out.total + 1);
	check(svg && pread(fd, svg, out.total, 0) == (ssize_t)out.total);
	svg[out.total] = '\0';
	check_xml((struct slice){ svg, out.total }, !pic->no_js);
	free(svg);
	flame_release(&flame);
	output_close(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char choice = size ? data[0] : 0, other = choice & 128 && size > 1 ? data[1] : 0;
	size_t skip = size ? choice & 128 && size > 1 ? 2 : 1 : 0;
	struct slice text = { (const char *)data + skip, size - skip }, first = text;
	const struct classic classic = { .palette = other % CLASSIC_COUNT, .hash = other & 1 };
	struct flametree tree = {
		.reverse = other & 1, .chart = other & 2, .base_before = other & 4,
	};
	struct lines lines = { .tree = &tree, .chain = other & 8 };
	struct input in;
	int fd = file_of(text);
	struct picture pic;

	if (memchr(text.p, '\n', text.len))
		first.len = (size_t)((const char *)memchr(text.p, '\n', text.len) - text.p);
	pic = (struct picture){
		.title = first,
		.subtitle = choice & 1 ? first : SLICE(""),
		.notes = choice & 1 ? first : SLICE(""),
		.countname = choice & 2 ? first : SLICE("samples"),
		.nametype = choice & 2 ? first : SLICE("Function:"),
		.fonttype = choice & 2 ? first : SLICE(""),
		.encoding = choice & 8 ? SLICE("ISO-8859-1") : SLICE(""),
		.width = choice & 4 ? PICTURE_WIDTH_MIN : 1200,
		.frame_height = choice & 8 ? 1 : 16,
		.minwidth = choice & 16 ? 2 : 0,
		.minwidth_percent = choice & 32,
		.inverted = choice & 64,
		.reversed = tree.reverse, .chart = tree.chart, .base_before = tree.base_before,
		.no_js = other & 16,
		.negate = other & 32,
		.factor = { 1 + other, -(int)(other & 3) },
		.colors = other >> 6 > COLORS_CLASSIC ? COLORS_KIND : other >> 6,
		.classic = &classic,
	};
	input_init(&in, fd, NULL);
	check(lines_read(&lines, &in, "file") == 0);
	input_release(&in);
	lines_end(&lines);
	if (tree.total)
		draw(&tree, &pic);
	close(fd);
	lines_release(&lines);
	flametree_release(&tree);
	return 0;
}
