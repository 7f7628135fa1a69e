/* The capture's writer and reader: every record there and back, cuts, concatenation. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "capture/capture_reader.h"
#include "capture/capture_writer.h"
#include "tap.h"

/* What `write` puts into an output, as bytes. */
static struct strbuf written(void (*write)(struct capture_writer *w))
{
	struct strbuf sb = STRBUF_INIT;
	struct capture_writer w;
	struct output out;
	int fd = memfd_create("capture", 0);
	off_t len;

	output_init(&out, dup(fd));
	capture_writer_init(&w, &out);
	write(&w);
	capture_writer_release(&w);
	output_close(&out);
	len = lseek(fd, 0, SEEK_END);
	strbuf_reserve(&sb, (size_t)len);
	sb.len = (size_t)pread(fd, sb.buf, (size_t)len, 0);
	close(fd);
	return sb;
}

/* An input that holds len bytes and is at its end. */
static struct input memory_input(char *p, size_t len)
{
	return (struct input){ .fd = -1, .buf = p, .len = len, .cap = len, .eof = true };
}

static void put(struct capture_writer *w, struct capture_record rec)
{
	capture_write(w, &rec);
}

static void put_header(struct capture_writer *w)
{
	put(w, (struct capture_record){ .type = CAPTURE_HEADER, .header = {
		.version = CAPTURE_VERSION, .machine = 62, .cpus = 4, .page_size = 4096,
		.boot_id = 0xdeadbeef, .mono_ns = 1, .real_ns = 2, .release = SLICE("6.1.0"),
		.command = SLICE("bpf-sample -d 1") } });
}

static uint64_t ips[70], exact[2] = { 1, 2 };

static void put_all(struct capture_writer *w)
{
	put_header(w);
	put(w, (struct capture_record){ .type = CAPTURE_EVENT, .event = {
		7, CAPTURE_UNIT_NS, 123456789012, SLICE("off-cpu:futex") } });
	put(w, (struct capture_record){ .type = CAPTURE_PROC, .proc = {
		1, 2, 300, 4, UINT32_MAX, CAPTURE_ORIGIN_EXEC, 5, SLICE("comm") } });
	put(w, (struct capture_record){ .type = CAPTURE_FILE, .file = {
		9, CAPTURE_FILE_DELETED | CAPTURE_FILE_EMBEDDED, 8, 1, 1ull << 40, 10, 11,
		SLICE("0123456789abcdefghij"), SLICE("/usr/bin/x") } });
	put(w, (struct capture_record){ .type = CAPTURE_MAP, .map = {
		1, 9, 0x7fffff000000, 0x1000, 0x2000 } });
	put(w, (struct capture_record){ .type = CAPTURE_KSYM, .ksym = {
		0xffffffff81000000, 16, SLICE("bpf"), SLICE("do_it") } });
	put(w, (struct capture_record){ .type = CAPTURE_SYM, .sym = {
		CAPTURE_SYM_IMAGE, 1, 0x1000, 8, SLICE("LazyCompile:~foo /a b.js:1") } });
	for (unsigned n = 0; n <= 70; n += 35)
		put(w, (struct capture_record){ .type = CAPTURE_STACK, .stack = {
			5 + n, CAPTURE_STACK_USER, CAPTURE_END_FAULT, (uint16_t)n, ips, exact } });
	put(w, (struct capture_record){ .type = CAPTURE_SAMPLE, .sample = {
		CAPTURE_SAMPLE_TIME, 7, 1, 301, 5, 6, 3, UINT64_MAX, 99,
		SLICE("0123456789abcde") } });
	put(w, (struct capture_record){ .type = CAPTURE_EXIT, .exit = { 1, 77 } });
	put(w, (struct capture_record){ .type = CAPTURE_LOST, .lost = {
		CAPTURE_LOST_STACKS, 7, 2, 3 } });
	put(w, (struct capture_record){ .type = CAPTURE_END, .end = { 1, 2, 3, 4, 5 } });
}

static const char *str(struct slice s)
{
	static char *copy;

	free(copy);
	return copy = xmemdup0(s.p, s.len);
}

static void check_stack(const struct capture_stack *s, unsigned n, size_t shift)
{
	bool same = s->n == n && s->kind == CAPTURE_STACK_USER && s->end == CAPTURE_END_FAULT &&
		    s->id == 5 + n;

	for (unsigned i = 0; same && i < n; i++)
		same = s->ip[i] == ips[i] && capture_stack_exact(s, i) == (i == 0 || i == 65);
	ok(same, "STACK of %u addresses, at %zu", n, shift);
}

/* Every record, the buffer `shift` bytes off its alignment. */
static void check_all(struct strbuf *cap, size_t shift)
{
	char *buf = xmalloc(cap->len + 16);
	struct input in = memory_input(buf + shift, cap->len);
	struct capture_reader r;
	struct capture_record rec;
	struct strbuf err = STRBUF_INIT;

	memcpy(buf + shift, cap->buf, cap->len);
	capture_reader_init(&r, &in);
#define NEXT(t) is_u64(capture_reader_next(&r, &rec, &err) == 1 ? rec.type : 0, t, #t)
	NEXT(CAPTURE_HEADER);
	is_u64(rec.header.boot_id, 0xdeadbeef, "boot id");
	is_u64(rec.header.real_ns, 2, "clock");
	is_str(str(rec.header.command), "bpf-sample -d 1", "command");
	is_str(str(rec.header.release), "6.1.0", "release");
	NEXT(CAPTURE_EVENT);
	is_u64(rec.event.period_ns, 123456789012, "period");
	is_u64(rec.event.unit, CAPTURE_UNIT_NS, "unit");
	is_str(str(rec.event.name), "off-cpu:futex", "event name");
	NEXT(CAPTURE_PROC);
	is_u64(rec.proc.uid, UINT32_MAX, "uid");
	is_u64(rec.proc.ns_pid, 4, "inner pid");
	is_u64(rec.proc.origin, CAPTURE_ORIGIN_EXEC, "origin");
	is_str(str(rec.proc.comm), "comm", "comm");
	NEXT(CAPTURE_FILE);
	is_u64(rec.file.inode, 1ull << 40, "inode");
	is_u64(rec.file.mtime_ns, 11, "mtime");
	is_str(str(rec.file.build_id), "0123456789abcdefghij", "build-id");
	is_str(str(rec.file.path), "/usr/bin/x", "path");
	NEXT(CAPTURE_MAP);
	is_u64(rec.map.start, 0x7fffff000000, "start");
	is_u64(rec.map.offset, 0x2000, "offset");
	NEXT(CAPTURE_KSYM);
	is_str(str(rec.ksym.module), "bpf", "module");
	is_str(str(rec.ksym.name), "do_it", "kernel symbol");
	NEXT(CAPTURE_SYM);
	is_u64(rec.sym.scope, CAPTURE_SYM_IMAGE, "scope");
	is_str(str(rec.sym.name), "LazyCompile:~foo /a b.js:1", "JIT symbol");
	for (unsigned n = 0; n <= 70; n += 35) {
		NEXT(CAPTURE_STACK);
		check_stack(&rec.stack, n, shift);
	}
	NEXT(CAPTURE_SAMPLE);
	is_u64(rec.sample.weight, UINT64_MAX, "weight");
	is_u64(rec.sample.flags, CAPTURE_SAMPLE_TIME, "flags");
	is_u64(rec.sample.time_ns, 99, "time");
	is_u64(rec.sample.cpu, 3, "cpu");
	is_str(str(rec.sample.comm), "0123456789abcde", "comm of 15 bytes");
	NEXT(CAPTURE_EXIT);
	is_u64(rec.exit.time_ns, 77, "exit time");
	NEXT(CAPTURE_LOST);
	is_u64(rec.lost.weight, 3, "lost weight");
	NEXT(CAPTURE_END);
	is_u64(rec.end.lost, 4, "total lost");
	is_u64(rec.end.skipped, 5, "total skipped");
	ok(capture_reader_next(&r, &rec, &err) == 0, "the end");
	capture_reader_release(&r);
	strbuf_release(&err);
	free(buf);
#undef NEXT
}

struct outcome {
	unsigned headers, ends, samples, faults;
	int last;
	struct strbuf first_fault;
};

static struct outcome read_all(char *p, size_t len)
{
	/* a block of its own size, so that a sanitizer sees a read past it */
	char *copy = xmemdup0(p, len);
	struct input in = memory_input(xrealloc(copy, len ? len : 1), len);
	struct outcome o = { 0 };
	struct capture_reader r;
	struct capture_record rec;
	struct strbuf err = STRBUF_INIT;

	capture_reader_init(&r, &in);
	for (;;) {
		o.last = capture_reader_next(&r, &rec, &err);
		if (o.last < 0 && !o.first_fault.len)
			strbuf_addslice(&o.first_fault, strbuf_slice(&err));
		if (o.last == -EBADMSG)
			o.faults++;
		else if (o.last != 1)
			break;
		o.headers += o.last == 1 && rec.type == CAPTURE_HEADER;
		o.ends += o.last == 1 && rec.type == CAPTURE_END;
		o.samples += o.last == 1 && rec.type == CAPTURE_SAMPLE;
	}
	capture_reader_release(&r);
	strbuf_release(&err);
	free(in.buf);
	return o;
}

/* The lengths of whole records of a capture up to `limit`. */
static unsigned whole_samples(const struct strbuf *cap, size_t limit)
{
	unsigned n = 0;
	uint32_t length;

	for (size_t at = 0; at + 8 <= limit; at += length) {
		memcpy(&length, cap->buf + at + 4, sizeof(length));
		n += at + length <= limit && cap->buf[at] == CAPTURE_SAMPLE;
	}
	return n;
}

static void check_cuts(struct strbuf *cap)
{
	unsigned wrong_end = 0, wrong_samples = 0, lost_second = 0, unnoticed = 0;

	for (size_t cut = 0; cut < cap->len; cut++) {
		struct outcome o = read_all(cap->buf, cut);
		struct strbuf both = STRBUF_INIT;

		wrong_end += o.last != -ENODATA && o.last != -EPROTO;
		wrong_samples += o.samples != whole_samples(cap, cut);
		strbuf_release(&o.first_fault);

		strbuf_add(&both, cap->buf, cut);
		strbuf_add(&both, cap->buf, cap->len);
		o = read_all(both.buf, both.len);
		/* within the first magic nothing tells a capture from anything else */
		if (cut == 0 || cut >= 16) {
			lost_second += o.ends != 1 || o.last != 0 ||
				       o.samples != whole_samples(cap, cut) + 1;
			unnoticed += cut && !o.faults;
		}
		strbuf_release(&o.first_fault);
		strbuf_release(&both);
	}
	is_u64(wrong_end, 0, "cut anywhere: truncated, or not a capture");
	is_u64(wrong_samples, 0, "cut anywhere: every whole record before the cut");
	is_u64(lost_second, 0, "cut anywhere and another behind it: that one is whole");
	is_u64(unnoticed, 0, "cut anywhere and another behind it: the cut is told");
}

static void put_no_end(struct capture_writer *w)
{
	put_header(w);
}

static void check_concatenation(struct strbuf *cap)
{
	struct strbuf both = STRBUF_INIT, open = written(put_no_end);
	struct outcome o;

	strbuf_add(&both, cap->buf, cap->len);
	strbuf_add(&both, cap->buf, cap->len);
	o = read_all(both.buf, both.len);
	is_u64(o.headers * 10 + o.ends, 22, "two captures, one after the other");
	is_u64((uint64_t)o.last, 0, "end well");
	is_u64(o.faults, 0, "and without a fault");
	strbuf_release(&o.first_fault);

	strbuf_reset(&both);
	strbuf_add(&both, open.buf, open.len);
	strbuf_add(&both, cap->buf, cap->len);
	o = read_all(both.buf, both.len);
	is_u64(o.headers * 10 + o.ends, 21, "one without END and a whole one");
	is_str(strbuf_str(&o.first_fault),
	       "byte 80: truncated, no END record before another capture", "are told of");
	is_u64(open.len, 80, "at the byte where it ends");
	strbuf_release(&o.first_fault);

	/* lost framing: an impossible length in the middle */
	strbuf_reset(&both);
	strbuf_add(&both, cap->buf, cap->len);
	strbuf_add(&both, cap->buf, cap->len);
	both.buf[open.len + 4] = 3;
	o = read_all(both.buf, both.len);
	is_u64(o.headers * 10 + o.ends, 21, "behind lost framing the next capture is read");
	is_u64(o.faults, 1, "with one fault");
	strbuf_release(&o.first_fault);
	both.len = cap->len;
	o = read_all(both.buf, both.len);
	ok(o.last == -EPROTO, "lost framing without another capture ends the reading");
	strbuf_release(&o.first_fault);
	strbuf_release(&both);
	strbuf_release(&open);
}

static void put_hostile(struct capture_writer *w)
{
	static const char header[] = "\1\0\0\0\110\0\0\0BPFCAP\r\n\1\0\0";
	uint64_t ip[2] = { 0x4800000001, 0 }, bit = 0;

	memcpy(&ip[1], CAPTURE_MAGIC, 8);
	put_header(w);
	put(w, (struct capture_record){ .type = CAPTURE_SYM, .sym = {
		CAPTURE_SYM_IMAGE, 1, 0x1000, 8, { header, sizeof(header) } } });
	put(w, (struct capture_record){ .type = CAPTURE_STACK, .stack = {
		1, CAPTURE_STACK_USER, 0, 2, ip, &bit } });
	put(w, (struct capture_record){ .type = CAPTURE_END });
}

int main(void)
{
	struct strbuf cap, hostile = written(put_hostile);
	struct outcome o;

	for (unsigned i = 0; i < 70; i++)
		ips[i] = 0x7f0000000000 + i * 0x11;
	cap = written(put_all);
	for (size_t shift = 0; shift < 8; shift++)
		check_all(&cap, shift);
	check_cuts(&cap);
	check_concatenation(&cap);
	o = read_all(hostile.buf, hostile.len);
	is_u64(o.headers * 10 + o.faults, 10, "names and addresses cannot feign a capture");
	strbuf_release(&o.first_fault);
	strbuf_release(&hostile);
	strbuf_release(&cap);
	str(SLICE(""));
	return done_testing();
}
