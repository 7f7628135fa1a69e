#include "form.h"

#include <elf.h>
#include <inttypes.h>
#include <time.h>

#include "base/utf8.h"
#include "lines/perfscript.h"

/* ---- stack lines */

static void line_capture(struct strbuf *sb, const struct capture_header *h)
{
	struct stackline_start start = { .real_ns = h->real_ns, .mono_ns = h->mono_ns };

	if (h->real_ns)
		stackline_add_start(sb, &start);
}

static void line_frame(struct strbuf *sb, uint64_t ip, struct slice text)
{
	(void)ip;
	stackline_add_text(sb, text);
}

static void line_remark(struct strbuf *sb, const char *what, const char *text)
{
	strbuf_addf(sb, "\t[%s: %s]", what, text);
}

const struct form form_stack_lines = {
	.event = stackline_add_event,
	.file = stackline_add_file,
	.capture = line_capture,
	.begin = stackline_begin,
	.frame = line_frame,
	.remark = line_remark,
	.end = stackline_end,
};

/* ---- perf script's text */

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86_64";
	case EM_AARCH64:
		return "aarch64";
	default:
		return "unknown";
	}
}

/* What `perf script --header` begins with, as far as a capture tells. */
static void perf_capture(struct strbuf *sb, const struct capture_header *h)
{
	time_t seconds = (time_t)(h->real_ns / 1000000000);
	struct tm tm;
	char date[64];

	strbuf_addstr(sb, "# ========\n");
	/* the C locale's names, and UTC: the same capture, the same text */
	if (gmtime_r(&seconds, &tm) && strftime(date, sizeof(date), "%a %b %e %T %Y", &tm))
		strbuf_addf(sb, "# captured on    : %s\n", date);
	strbuf_addstr(sb, "# header version : 1\n# os release : ");
	strbuf_addclean(sb, h->release);
	strbuf_addf(sb, "\n# arch : %s\n# nrcpus online : %u\n# cmdline : ",
		    machine_name(h->machine), h->cpus);
	strbuf_addclean(sb, h->command);
	strbuf_addstr(sb, "\n# ========\n#\n");
}

#define PERF_FORM \
	.leaf_first = true, .needs_time = true, .begin = perfscript_begin, \
	.frame = perfscript_add_frame, .remark = perfscript_add_remark, .end = perfscript_end

const struct form form_perf = { PERF_FORM };
const struct form form_perf_header = { PERF_FORM, .capture = perf_capture };
