/*
 * Captures from text, for tests: `mkcap < TEXT > CAPTURE`. A line is a record,
 *
 *   header boot=0 machine=62 version=1 release=6.1 command=bpf-sample
 *   event  id=1 unit=0 period=10101010 name=cpu-clock
 *   proc   image=1 parent=0 pid=100 ns=100 uid=1000 origin=0 start=0 comm=burn
 *   exit   image=1 time=0
 *   file   id=1 flags=0 dev=8:1 inode=7 size=0 mtime=0 build=a1b2 path=/bin/burn
 *   map    image=1 file=1 start=0x1000 length=0x1000 offset=0
 *   ksym   addr=… size=0x10 module=nf_tables name=…
 *   sym    scope=0 id=1 addr=0x10 size=8 name=…
 *   stack  id=1 kind=1 end=0 ips=0x1010!,0x1020     leaf first; '!' marks an exact one
 *   sample event=1 image=1 tid=100 k=0 u=1 weight=3 comm=burn [time=5 cpu=2]
 *   lost   cause=1 event=1 count=1 weight=1
 *   end    fired=1 filtered=0 weight=1 lost=0 skipped=0
 *   type   7777 hex=00112233            a record of any type, as it is
 *
 * what is left out is 0 or empty, %XX is a byte, '#' a comment. "repeat N" before a
 * record writes it N times; there a value '@' is the count from 1, '@*8' eight times
 * that.
 */
#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "capture/capture_writer.h"

static char *line_words[32];
static size_t line_n;
static uint64_t counter;

static const char *value(const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 1; i < line_n; i++)
		if (strncmp(line_words[i], key, len) == 0 && line_words[i][len] == '=')
			return line_words[i] + len + 1;
	return "";
}

static uint64_t parse_number(const char *s)
{
	if (*s == '@')
		return counter * (s[1] == '*' ? strtoull(s + 2, NULL, 0) : 1);
	return strtoull(s, NULL, 0);
}

static uint64_t num(const char *key)
{
	return parse_number(value(key));
}

static struct slice str(const char *key)
{
	static struct strbuf bufs[8];
	static unsigned turn;
	struct strbuf *sb = &bufs[turn++ % 8];
	const char *s = value(key);

	strbuf_reset(sb);
	for (; *s; s++) {
		if (*s == '%' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2])) {
			char hex[3] = { s[1], s[2] };

			strbuf_addch(sb, (char)strtoul(hex, NULL, 16));
			s += 2;
		} else if (*s == '@') {
			strbuf_addu64(sb, counter);
		} else {
			strbuf_addch(sb, *s);
		}
	}
	return strbuf_slice(sb);
}

static struct slice bytes(const char *key)
{
	static struct strbuf sb;
	const char *s = value(key);

	strbuf_reset(&sb);
	for (; s[0] && s[1]; s += 2) {
		char hex[3] = { s[0], s[1] };

		strbuf_addch(&sb, (char)strtoul(hex, NULL, 16));
	}
	return strbuf_slice(&sb);
}

static void stack_ips(struct capture_stack *s)
{
	static uint64_t ip[CAPTURE_STACK_MAX], exact[CAPTURE_STACK_MAX / 64];
	const char *v = value("ips");
	unsigned n = 0;

	memset(exact, 0, sizeof(exact));
	while (*v && n < CAPTURE_STACK_MAX) {
		size_t len = strcspn(v, ",!");

		ip[n] = parse_number(v);
		if (v[len] == '!') {
			exact[n / 64] |= 1ull << n % 64;
			len++;
		}
		n++;
		v += len + (v[len] == ',');
	}
	s->n = (uint16_t)n;
	s->ip = ip;
	s->exact = exact;
}

/* Any type, any payload. */
static void write_raw(struct output *out, uint16_t type, struct slice payload)
{
	uint16_t head[2] = { type, 0 };
	uint32_t length = (uint32_t)(8 + payload.len);

	output_write(out, head, sizeof(head));
	output_write(out, &length, sizeof(length));
	output_slice(out, payload);
}

static void write_record(struct capture_writer *w, const char *kind)
{
	struct capture_record rec = { 0 };

	if (strcmp(kind, "header") == 0) {
		rec.type = CAPTURE_HEADER;
		rec.header = (struct capture_header){
			*value("version") ? (uint32_t)num("version") : CAPTURE_VERSION,
			(uint16_t)num("machine"), (uint16_t)num("cpus"), 4096,
			(uint32_t)num("boot"),
			num("mono"), num("real"), str("release"), str("command") };
	} else if (strcmp(kind, "event") == 0) {
		rec.type = CAPTURE_EVENT;
		rec.event = (struct capture_event){ (uint32_t)num("id"), (uint16_t)num("unit"),
			num("period"), str("name") };
	} else if (strcmp(kind, "proc") == 0) {
		rec.type = CAPTURE_PROC;
		rec.proc = (struct capture_proc){ (uint32_t)num("image"), (uint32_t)num("parent"),
			(uint32_t)num("pid"), (uint32_t)num("ns"), (uint32_t)num("uid"),
			(uint16_t)num("origin"), num("start"), str("comm") };
	} else if (strcmp(kind, "exit") == 0) {
		rec.type = CAPTURE_EXIT;
		rec.exit = (struct capture_exit){ (uint32_t)num("image"), num("time") };
	} else if (strcmp(kind, "file") == 0) {
		const char *minor = strchr(value("dev"), ':');

		rec.type = CAPTURE_FILE;
		rec.file = (struct capture_file){ (uint32_t)num("id"), (uint32_t)num("flags"),
			(uint32_t)num("dev"), minor ? (uint32_t)parse_number(minor + 1) : 0,
			num("inode"), num("size"), num("mtime"), bytes("build"), str("path") };
	} else if (strcmp(kind, "map") == 0) {
		rec.type = CAPTURE_MAP;
		rec.map = (struct capture_map){ (uint32_t)num("image"), (uint32_t)num("file"),
			num("start"), num("length"), num("offset") };
	} else if (strcmp(kind, "ksym") == 0) {
		rec.type = CAPTURE_KSYM;
		rec.ksym = (struct capture_ksym){ num("addr"), num("size"), str("module"),
			str("name") };
	} else if (strcmp(kind, "sym") == 0) {
		rec.type = CAPTURE_SYM;
		rec.sym = (struct capture_sym){ (uint32_t)num("scope"), (uint32_t)num("id"),
			num("addr"), num("size"), str("name") };
	} else if (strcmp(kind, "stack") == 0) {
		rec.type = CAPTURE_STACK;
		rec.stack.id = (uint32_t)num("id");
		rec.stack.kind = (uint8_t)num("kind");
		rec.stack.end = (uint8_t)num("end");
		stack_ips(&rec.stack);
	} else if (strcmp(kind, "sample") == 0) {
		rec.type = CAPTURE_SAMPLE;
		rec.sample = (struct capture_sample){ *value("time") ? CAPTURE_SAMPLE_TIME : 0,
			(uint32_t)num("event"), (uint32_t)num("image"), (uint32_t)num("tid"),
			(uint32_t)num("k"), (uint32_t)num("u"), (uint32_t)num("cpu"),
			num("weight"), num("time"), str("comm") };
	} else if (strcmp(kind, "lost") == 0) {
		rec.type = CAPTURE_LOST;
		rec.lost = (struct capture_lost){ (uint32_t)num("cause"), (uint32_t)num("event"),
			num("count"), num("weight") };
	} else if (strcmp(kind, "end") == 0) {
		rec.type = CAPTURE_END;
		rec.end = (struct capture_totals){ num("fired"), num("filtered"), num("weight"),
			num("lost"), num("skipped") };
	} else if (strcmp(kind, "type") == 0 && line_n > 1) {
		write_raw(w->out, (uint16_t)parse_number(line_words[1]), bytes("hex"));
		return;
	} else {
		errx(2, "no such record: %s", kind);
	}
	capture_write(w, &rec);
}

static void split(char *line)
{
	line_n = 0;
	for (char *word = strtok(line, " \t\n"); word && line_n < 32; word = strtok(NULL, " \t\n"))
		line_words[line_n++] = word;
}

static void write_line(struct capture_writer *w, char *line)
{
	uint64_t times = 1;

	if (*line == '#')
		return;
	split(line);
	if (line_n > 2 && strcmp(line_words[0], "repeat") == 0) {
		times = strtoull(line_words[1], NULL, 0);
		line_n -= 2;
		memmove(line_words, line_words + 2, line_n * sizeof(*line_words));
	}
	for (counter = 1; line_n && counter <= times; counter++)
		write_record(w, line_words[0]);
}

int main(void)
{
	struct capture_writer w;
	struct output out;
	struct input in;
	struct slice line;
	int failed;

	output_init(&out, STDOUT_FILENO);
	capture_writer_init(&w, &out);
	input_init(&in, STDIN_FILENO, NULL);
	while (input_line(&in, &line) == 1) {
		char *copy = xmemdup0(line.p, line.len);

		write_line(&w, copy);
		free(copy);
	}
	input_release(&in);
	capture_writer_release(&w);
	failed = output_close(&out);
	if (failed)
		errx(1, "%s", strerror(-failed));
	return 0;
}
