#include "lines/perfscript.h"

#include "base/number.h"
#include "base/utf8.h"

static void join(struct strbuf *sb, size_t from)
{
	for (size_t i = from; i < sb->len; i++) {
		if (sb->buf[i] == ' ')
			sb->buf[i] = '_';
	}
}

/* Without backticks, which stack lines do not have there either. */
static void add_path(struct strbuf *sb, struct slice path)
{
	size_t from = sb->len;

	stackline_add_module(sb, path);
	join(sb, from);
}

/* Whether the word at s[i] could be a pid, or a pid and a tid. */
static bool is_like_pid(const char *s, size_t i, size_t len)
{
	if (i == len || !number_is_digit(s[i]))
		return false;
	while (i < len && (number_is_digit(s[i]) || s[i] == '/'))
		i++;
	return i == len || s[i] == ' ';
}

static void add_comm(struct strbuf *sb, struct slice comm)
{
	size_t from = sb->len, len;
	char *s;

	strbuf_addclean(sb, comm.len ? comm : SLICE("-"));
	s = sb->buf + from;
	len = sb->len - from;
	if (s[0] == '#')
		s[0] = '_';
	for (size_t i = 0; i < len && s[i] == ' '; i++)
		s[i] = '_';
	for (size_t i = len; i > 0 && s[i - 1] == ' '; i--)
		s[i - 1] = '_';
	for (size_t i = 0; i < len; i++) {
		if (s[i] == ';')
			s[i] = ':';
		else if (s[i] == ' ' && is_like_pid(s, i + 1, len))
			s[i] = '_';
	}
	if (len == 1)
		strbuf_addch(sb, ' ');
}

/* Decimal, with zeros before it up to `width` digits. */
static void add_padded(struct strbuf *sb, uint64_t v, unsigned width)
{
	uint64_t least = 1;

	while (--width)
		least *= 10;
	for (; least > 1 && v < least; least /= 10)
		strbuf_addch(sb, '0');
	strbuf_addu64(sb, v);
}

void perfscript_begin(struct strbuf *sb, const struct stackline_head *head)
{
	size_t from;

	add_comm(sb, head->comm);
	strbuf_addch(sb, ' ');
	strbuf_addu64(sb, head->has_pid ? head->pid : 0);
	strbuf_addch(sb, '/');
	strbuf_addu64(sb, head->has_pid ? head->tid : 0);
	strbuf_addstr(sb, " [");
	add_padded(sb, head->cpu, 3);
	strbuf_addstr(sb, "] ");
	strbuf_addu64(sb, head->time_ns / 1000000000);
	strbuf_addch(sb, '.');
	add_padded(sb, head->time_ns / 1000 % 1000000, 6);
	strbuf_addstr(sb, ":    ");
	strbuf_addu64(sb, head->weight);
	strbuf_addch(sb, ' ');
	from = sb->len;
	strbuf_addclean(sb, head->event.len ? head->event : SLICE("-"));
	join(sb, from);
	strbuf_addstr(sb, ":\n");
}

static void add_dso(struct strbuf *sb, struct slice module)
{
	static const struct slice kernel_module = SLICE("[kernel:");

	if (slice_eq(module, SLICE("[kernel]"))) {
		strbuf_addstr(sb, "[kernel.kallsyms]");
	} else if (slice_eq(module, SLICE("[anon]"))) {
		strbuf_addstr(sb, "//anon");
	} else if (slice_starts(module, kernel_module)) {
		strbuf_addch(sb, '[');
		add_path(sb, (struct slice){ module.p + kernel_module.len,
					       module.len - kernel_module.len });
	} else {
		add_path(sb, module.len ? module : SLICE("[unknown]"));
	}
}

void perfscript_add_symbol(struct strbuf *sb, struct slice module, struct slice name,
			   int64_t offset, uint64_t addr)
{
	(void)addr;
	if (!name.len) {
		strbuf_addstr(sb, "[unknown]");
	} else {
		size_t from = sb->len;

		strbuf_addclean(sb, name);
		for (; from < sb->len && sb->buf[from] == ' '; from++)
			sb->buf[from] = '_';
		if (offset >= 0) {
			strbuf_addstr(sb, "+0x");
			strbuf_addhex(sb, (uint64_t)offset);
		}
	}
	strbuf_addstr(sb, " (");
	add_dso(sb, module);
	strbuf_addch(sb, ')');
}

/* One reservation for all of it: a profile has millions of these. */
void perfscript_add_frame(struct strbuf *sb, uint64_t ip, struct slice text)
{
	unsigned digits = ip ? (67u - (unsigned)__builtin_clzll(ip)) / 4 : 1;
	char *p;

	strbuf_reserve(sb, 1 + digits + 1 + text.len + 1);
	p = sb->buf + sb->len;
	*p++ = '\t';
	for (unsigned i = digits; i-- > 0; ip >>= 4)
		p[i] = "0123456789abcdef"[ip & 15];
	p += digits;
	*p++ = ' ';
	memcpy(p, text.p, text.len);
	p += text.len;
	*p++ = '\n';
	*p = '\0';
	sb->len = (size_t)(p - sb->buf);
}

void perfscript_add_remark(struct strbuf *sb, const char *what, const char *text)
{
	strbuf_addf(sb, "\t0 [%s: %s] ([unknown])\n", what, text);
}

void perfscript_end(struct strbuf *sb)
{
	strbuf_addch(sb, '\n');
}
