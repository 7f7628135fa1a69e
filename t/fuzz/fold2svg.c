/*
 * Any bytes as folded lines, drawn: what comes out is well-formed, and holds no script but
 * ours. The first byte chooses the options.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../fold2svg/picture.h"
#include "base/utf8.h"
#include "lines/folded.h"

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
	check(i < 5);
}

static void check_clean(struct slice s)
{
	const char *lf;

	while ((lf = memchr(s.p, '\n', s.len))) {
		struct slice line = { s.p, (size_t)(lf - s.p) };

		while (line.len && *line.p == '\t')
			line.p++, line.len--;
		check(utf8_is_clean(line));
		s.len -= (size_t)(lf + 1 - s.p);
		s.p = lf + 1;
	}
	check(!s.len);
}

static void check_xml(struct slice rest)
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
	check(slice_eq(rest, SLICE("\n")) && scripts == 1);
}

static void draw(struct flametree *tree, unsigned char choice, struct slice text)
{
	int fd = memfd_create("svg", MFD_CLOEXEC);
	struct picture pic = {
		.title = text,
		.subtitle = choice & 1 ? text : SLICE(""),
		.countname = choice & 2 ? text : SLICE("samples"),
		.width = choice & 4 ? PICTURE_WIDTH_MIN : 1200,
		.frame_height = choice & 8 ? 1 : 16,
		.minwidth = choice & 16 ? 2 : 0,
		.minwidth_percent = choice & 32,
		.inverted = choice & 64,
	};
	struct flame flame = flametree_finish(tree);
	struct output out;
	char *svg;

	check(fd >= 0);
	output_init(&out, fd);
	picture_write(&out, &pic, &flame);
	check(output_flush(&out) == 0);
	svg = malloc(out.total + 1);
	check(svg && pread(fd, svg, out.total, 0) == (ssize_t)out.total);
	svg[out.total] = '\0';
	check_xml((struct slice){ svg, out.total });
	free(svg);
	flame_release(&flame);
	output_close(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = { (const char *)data + 1, size ? size - 1 : 0 };
	struct slice first = SLICE("");
	struct flametree tree = { 0 };

	while (rest.len) {
		const char *lf = memchr(rest.p, '\n', rest.len);
		struct slice line = { rest.p, lf ? (size_t)(lf - rest.p) : rest.len };
		struct folded folded;
		const char *why;

		if (!first.len)
			first = line;
		if (folded_parse(line, &folded, &why) > 0)
			flametree_add(&tree, folded.stack, folded.count, &why);
		rest.p += line.len + (lf != NULL);
		rest.len -= line.len + (lf != NULL);
	}
	if (tree.total)
		draw(&tree, data[0], first);
	flametree_release(&tree);
	return 0;
}
