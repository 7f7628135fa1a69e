#include "../../fold2svg/label.h"

#include "tap.h"

static void is_xml(const char *text, size_t len, const char *want, const char *what)
{
	struct strbuf sb = STRBUF_INIT;

	label_add_xml(&sb, (struct slice){ text, len });
	is_str(strbuf_str(&sb), want, "%s", what);
	strbuf_release(&sb);
}

static void is_fit(const char *text, size_t columns, const char *want)
{
	char got[64];
	bool cut;
	struct slice s = label_fit(slice_str(text), columns, &cut);

	snprintf(got, sizeof(got), "%.*s%s", (int)s.len, s.p, cut ? ".." : "");
	is_str(got, want, "'%s' in %zu columns", text, columns);
}

static void is_fit_width(const char *text, unsigned width, const char *want)
{
	char got[64];
	bool cut;
	struct slice s = label_fit_width(slice_str(text), width, &cut);

	snprintf(got, sizeof(got), "%.*s%s", (int)s.len, s.p, cut ? ".." : "");
	is_str(got, want, "'%s' in %u hundredths of an em", text, width);
}

int main(void)
{
	is_xml("", 0, "", "nothing");
	is_xml("plain", 5, "plain", "plain text");
	is_xml("<a b=\"c\" d='e'>&", 16, "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;", "markup");
	is_xml("]]>", 3, "]]&gt;", "the end of a CDATA section");
	is_xml("a\0b\x1b", 4, "a\xef\xbf\xbd" "b\xef\xbf\xbd", "control characters");
	is_xml("\xff\xc3", 2, "\xef\xbf\xbd\xef\xbf\xbd", "bytes that are not UTF-8");
	is_xml("\xef\xbf\xbe<\xef\xbf\xbf", 7, "\xef\xbf\xbd&lt;\xef\xbf\xbd",
	       "U+FFFE and U+FFFF, which XML forbids");
	is_xml("\xef\xbf\xbc\xf0\x9f\x94\xa5", 7, "\xef\xbf\xbc\xf0\x9f\x94\xa5", "others stay");

	is_fit("", 3, "");
	is_fit("abc", 3, "abc");
	is_fit("abcd", 3, "a..");
	is_fit("abcd", 4, "abcd");
	is_fit("abcdefgh", 7, "abcde..");
	is_fit("abc", 2, "..");
	is_fit("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 3, "\xc3\xa4..");
	is_fit("\xe5\x87\xbd\xe6\x95\xb0", 4, "\xe5\x87\xbd\xe6\x95\xb0");
	is_fit("\xe5\x87\xbd\xe6\x95\xb0\xe5\x87\xbd", 5, "\xe5\x87\xbd..");
	is_u64(label_width(SLICE("")), 0, "no text is not wide");
	is_u64(label_width(SLICE("il")), 56, "narrow characters");
	is_u64(label_width(SLICE("MW~")), 270, "wide ones, the last of ASCII");
	is_u64(label_width(SLICE("\xe5\x87\xbd\xc3\xa4\xff")), 265,
	       "others, and a byte that is none");
	is_fit_width("", 0, "");
	is_fit_width("WWW", 297, "WWW");
	is_fit_width("WWW", 296, "WW..");
	is_fit_width("WWW", 261, "W..");
	is_fit_width("illness", 262, "illn..");
	is_fit_width("x", 59, "..");
	return done_testing();
}
