#include "document.h"

#include "base/utf8.h"

/* As JavaScript has it in strings: by the 16-bit units of UTF-16. */
static void add_units(struct strbuf *sb, uint32_t cp)
{
	if (cp >= 0x10000)
		strbuf_addf(sb, "\\u%04x\\u%04x", 0xd800 + ((cp - 0x10000) >> 10),
			    0xdc00 + ((cp - 0x10000) & 0x3ff));
	else
		strbuf_addf(sb, "\\u%04x", cp);
}

static void write_ascii(struct output *out, struct slice text, bool script)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < text.len;) {
		uint32_t cp;
		size_t n = utf8_decode(text.p + i, text.len - i, &cp);

		if (!n || cp < 0x80) {
			strbuf_addch(&sb, text.p[i]);
			n = 1;
		} else if (script) {
			add_units(&sb, cp);
		} else {
			strbuf_addf(&sb, "&#%u;", cp);
		}
		i += n;
	}
	output_write(out, sb.buf, sb.len);
	strbuf_release(&sb);
}

static void write_text(struct document *doc, struct slice text, bool script)
{
	if (doc->ascii)
		write_ascii(doc->out, text, script);
	else
		output_slice(doc->out, text);
}

void document_write(struct document *doc, struct strbuf *sb)
{
	write_text(doc, strbuf_slice(sb), false);
	strbuf_reset(sb);
}

void document_write_text(struct document *doc, struct slice text)
{
	write_text(doc, text, false);
}

void document_write_script(struct document *doc, struct slice text)
{
	write_text(doc, text, true);
}
