#include "lines/stackline.h"

#include "base/utf8.h"

/* One of the leading fields; "-" stands for nothing. */
static void add_word(struct strbuf *sb, struct slice s)
{
	if (s.len)
		strbuf_addclean(sb, s);
	else
		strbuf_addch(sb, '-');
}

static void add_number(struct strbuf *sb, bool has, uint64_t v)
{
	strbuf_addch(sb, '\t');
	if (has)
		strbuf_addu64(sb, v);
	else
		strbuf_addch(sb, '-');
}

void stackline_begin(struct strbuf *sb, const struct stackline_head *head)
{
	strbuf_addu64(sb, head->weight);
	strbuf_addch(sb, '\t');
	add_word(sb, head->event);
	add_number(sb, head->has_time, head->time_ns);
	add_number(sb, head->has_time, head->cpu);
	add_number(sb, head->has_pid, head->pid);
	add_number(sb, head->has_pid, head->tid);
	strbuf_addch(sb, '\t');
	add_word(sb, head->comm);
}

void stackline_add_text(struct strbuf *sb, struct slice frame)
{
	strbuf_addch(sb, '\t');
	strbuf_addslice(sb, frame);
}

void stackline_end(struct strbuf *sb)
{
	strbuf_addch(sb, '\n');
}

void stackline_add_event(struct strbuf *sb, const struct stackline_event *ev)
{
	strbuf_addstr(sb, "# event ");
	add_word(sb, ev->name);
	strbuf_addch(sb, ' ');
	add_word(sb, ev->unit);
	strbuf_addch(sb, ' ');
	strbuf_addu64(sb, ev->period_ns);
	strbuf_addch(sb, '\n');
}

void stackline_add_start(struct strbuf *sb, const struct stackline_start *start)
{
	strbuf_addstr(sb, "# start ");
	strbuf_addu64(sb, start->real_ns);
	strbuf_addch(sb, ' ');
	strbuf_addu64(sb, start->mono_ns);
	strbuf_addch(sb, '\n');
}

void stackline_add_module(struct strbuf *sb, struct slice module)
{
	const char *tick;

	while (module.len && (tick = memchr(module.p, '`', module.len))) {
		size_t n = (size_t)(tick - module.p);

		strbuf_addclean(sb, (struct slice){ module.p, n });
		strbuf_addstr(sb, "\xef\xbf\xbd");
		module.p += n + 1;
		module.len -= n + 1;
	}
	strbuf_addclean(sb, module);
}

void stackline_add_file(struct strbuf *sb, struct slice build_id, struct slice path)
{
	static const char digits[] = "0123456789abcdef";

	strbuf_addstr(sb, "# file ");
	if (!build_id.len)
		strbuf_addch(sb, '-');
	for (size_t i = 0; i < build_id.len; i++) {
		strbuf_addch(sb, digits[(unsigned char)build_id.p[i] >> 4]);
		strbuf_addch(sb, digits[build_id.p[i] & 15]);
	}
	strbuf_addch(sb, ' ');
	stackline_add_module(sb, path);
	strbuf_addch(sb, '\n');
}

void stackline_add_symbol(struct strbuf *sb, struct slice module, struct slice name,
			  int64_t offset, uint64_t addr)
{
	stackline_add_module(sb, module);
	strbuf_addch(sb, '`');
	if (!name.len) {
		strbuf_addstr(sb, "0x");
		strbuf_addhex(sb, addr);
		return;
	}
	strbuf_addclean(sb, name);
	if (offset >= 0) {
		strbuf_addstr(sb, "+0x");
		strbuf_addhex(sb, (uint64_t)offset);
	}
}
