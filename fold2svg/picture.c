#include "picture.h"

#include <strings.h>

#include "data.h"
#include "document.h"
#include "font.h"
#include "frames.h"
#include "label.h"
#include "layout.h"
#include "legend.h"

static const char script[] =
	"<script><![CDATA[\n(function () {\n"
#include "fold2svg/script.inc"
	"})();\n]]></script>\n";
static const char picture_style[] =
#include "fold2svg/picture.inc"
	;
static const char script_style[] =
	"<style>\n"
#include "fold2svg/style.inc"
	"</style>\n";

/* px of an em in picture.css; the title is bold, and so wider by a seventh */
enum { TITLE_EM = 18 * 8 / 7 + 1, SUBTITLE_EM = 13 };

/* XML's form of an encoding's name; what is not of it could end the declaration. */
static bool is_encoding(struct slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i], lower = (char)(c | 0x20);

		if (!(lower >= 'a' && lower <= 'z') &&
		    !(i && ((c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-')))
			return false;
	}
	return name.len > 0;
}

static struct slice encoding_of(const struct picture *pic)
{
	struct slice e = pic->encoding;

	if (!is_encoding(e) || (e.len == 4 && strncasecmp(e.p, "utf8", 4) == 0) ||
	    (e.len == 5 && strncasecmp(e.p, "utf-8", 5) == 0))
		return SLICE("UTF-8");
	return e;
}

static void add_colours(struct strbuf *sb, const struct layout *l, bool dark)
{
	strbuf_addf(sb, ".flame{background:#%06x;color:#%06x}.flame .page{fill:#%06x}"
		    ".flame text{fill:#%06x}\n",
		    palette_page(dark), palette_ink(dark), palette_page(dark), palette_ink(dark));
	palette_add_css(sb, dark);
	if (l->pic->colors == COLORS_MODULE)
		palette_add_hue_css(sb, dark);
	if (l->flame->changes)
		palette_add_change_css(sb, dark);
}

/* On a background that the user has chosen, text is as fits it, in light and dark alike. */
static void add_background_rules(struct strbuf *sb, const uint32_t *bgcolors)
{
	uint32_t top = palette_ink_on(bgcolors[0]), bottom = palette_ink_on(bgcolors[1]);

	strbuf_addf(sb, ".flame{background:#%06x;color:#%06x}.flame .header text{fill:#%06x}"
		    ".flame .note{fill:#%06x}\n", bgcolors[0], top, top, bottom);
}

static void add_style(struct strbuf *sb, const struct layout *l)
{
	const struct picture *pic = l->pic;

	strbuf_addstr(sb, "<style>\n");
	if (pic->has_bgcolors) {
		add_colours(sb, l, palette_ink_on(pic->bgcolors[0]) != 0);
		add_background_rules(sb, pic->bgcolors);
	} else {
		add_colours(sb, l, false);
		strbuf_addstr(sb, "@media (prefers-color-scheme: dark) {\n");
		add_colours(sb, l, true);
		strbuf_addstr(sb, "}\n");
	}
	if (pic->colors == COLORS_CLASSIC)
		strbuf_addstr(sb, ".flame .ib{fill:#000}.flame .iw{fill:#fff}\n");
	strbuf_addstr(sb, picture_style);
	if (pic->fonttype.len) {
		struct strbuf family = STRBUF_INIT;

		font_add_family(&family, pic->fonttype);
		strbuf_addstr(sb, ".flame,.flame .frames text{font-family:");
		label_add_xml(sb, strbuf_slice(&family));
		strbuf_addstr(sb, "}\n");
		strbuf_release(&family);
	}
	strbuf_addstr(sb, "</style>\n");
}

/* What was to be said to who reads the source; newlines stay. */
static void add_notes(struct strbuf *sb, struct slice notes)
{
	strbuf_addstr(sb, "<desc>");
	for (;;) {
		const char *lf = notes.len ? memchr(notes.p, '\n', notes.len) : NULL;
		size_t len = lf ? (size_t)(lf - notes.p) : notes.len;

		label_add_xml(sb, (struct slice){ notes.p, len });
		if (!lf)
			break;
		strbuf_addch(sb, '\n');
		notes.p += len + 1;
		notes.len -= len + 1;
	}
	strbuf_addstr(sb, "</desc>\n");
}

static void add_page(struct strbuf *sb, const struct picture *pic)
{
	if (!pic->has_bgcolors)
		strbuf_addstr(sb, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
	else if (pic->bgcolors[0] == pic->bgcolors[1])
		strbuf_addf(sb, "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
			    pic->bgcolors[0]);
	else
		strbuf_addf(sb, "<linearGradient id=\"flame-page\" x2=\"0\" y2=\"1\">"
			    "<stop offset=\"5%%\" stop-color=\"#%06x\"/>"
			    "<stop offset=\"95%%\" stop-color=\"#%06x\"/></linearGradient>\n"
			    "<rect width=\"100%%\" height=\"100%%\" "
			    "fill=\"url(#flame-page)\"/>\n", pic->bgcolors[0], pic->bgcolors[1]);
}

static void add_open(struct strbuf *sb, const struct layout *l)
{
	const struct picture *pic = l->pic;

	strbuf_addstr(sb, "<?xml version=\"1.0\" encoding=\"");
	strbuf_addslice(sb, encoding_of(pic));
	strbuf_addf(sb,
		    "\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"%u\" "
		    "height=\"%llu\" viewBox=\"0 0 %u %llu\">\n<title>",
		    pic->width, (unsigned long long)l->height, pic->width,
		    (unsigned long long)l->height);
	label_add_xml(sb, pic->title);
	strbuf_addstr(sb, "</title>\n");
	if (pic->notes.len)
		add_notes(sb, pic->notes);
	add_style(sb, l);
}

static void add_line(struct strbuf *sb, const char *class, unsigned y, struct slice text,
		     unsigned width)
{
	bool cut;

	strbuf_addf(sb, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, LAYOUT_PAD, y);
	label_add_xml(sb, label_fit_width(text, width, &cut));
	strbuf_addstr(sb, cut ? "..</text>\n" : "</text>\n");
}

static void add_header(struct strbuf *sb, const struct layout *l)
{
	strbuf_addstr(sb, "<g class=\"header\">\n");
	add_line(sb, "title", LAYOUT_TITLE_Y, l->pic->title, l->inner * 100 / TITLE_EM);
	if (l->pic->subtitle.len)
		add_line(sb, "subtitle", LAYOUT_SUBTITLE_Y, l->pic->subtitle,
			 l->inner * 100 / SUBTITLE_EM);
	legend_add(sb, l);
	strbuf_addstr(sb, "</g>\n");
}

static void add_footer(struct strbuf *sb, const struct layout *l)
{
	const struct picture *pic = l->pic;

	strbuf_addf(sb, "<text class=\"small note\" x=\"%u\" y=\"%llu\">", LAYOUT_PAD,
		    (unsigned long long)l->height - 10);
	if (l->hidden) {
		count_add(sb, l->hidden, 0, (struct decimal){ .mantissa = 1 });
		strbuf_addf(sb, " frame%s narrower than %g%s not drawn", l->hidden == 1 ? "" : "s",
			    pic->minwidth, pic->minwidth_percent ? "%" : " px");
	}
	strbuf_addstr(sb, "</text>\n</g>\n");
}

static void write_data(struct document *doc, const struct layout *l)
{
	struct strbuf legend = STRBUF_INIT, family = STRBUF_INIT;
	struct data data = {
		.pic = l->pic, .flame = l->flame, .looks = l->looks,
		.font_size = l->font, .font_width = l->column / l->font,
		.modules = l->modules, .modules_len = l->modules_len,
	};

	legend_add_kinds(&legend, l);
	font_add_family(&family, l->pic->fonttype);
	data.legend = strbuf_slice(&legend);
	data.fonttype = strbuf_slice(&family);
	data_write(doc, &data);
	strbuf_release(&legend);
	strbuf_release(&family);
}

void picture_write(struct output *out, const struct picture *pic, const struct flame *flame)
{
	struct document doc = {
		.out = out,
		.ascii = !slice_eq(encoding_of(pic), SLICE("UTF-8")),
	};
	struct strbuf sb = STRBUF_INIT;
	struct looks looks;
	struct layout l;

	looks_init(&looks, pic, flame);
	layout_init(&l, pic, flame, &looks);

	add_open(&sb, &l);
	document_write(&doc, &sb);
	/* First, so that a browser neither lays out nor waits for what the script hides. */
	if (!pic->no_js) {
		document_write_text(&doc, SLICE(script_style));
		write_data(&doc, &l);
		document_write_script(&doc, SLICE(script));
	}
	strbuf_addstr(&sb, "<g class=\"static\">\n");
	add_page(&sb, pic);
	document_write(&doc, &sb);
	frames_write(&doc, &l);
	add_header(&sb, &l);
	add_footer(&sb, &l);
	strbuf_addstr(&sb, "</svg>\n");
	document_write(&doc, &sb);

	strbuf_release(&sb);
	layout_release(&l);
	looks_release(&looks);
}
