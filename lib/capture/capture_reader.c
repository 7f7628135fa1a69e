#include "capture/capture_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"

void capture_reader_init(struct capture_reader *r, struct input *in)
{
	*r = (struct capture_reader){ .in = in };
}

void capture_reader_release(struct capture_reader *r)
{
	free(r->ips);
	r->ips = NULL;
}

static void get_header(struct cursor *c, struct capture_header *h)
{
	size_t release, command;

	cursor_skip(c, 8); /* the magic, checked by capture_decode */
	h->version = cursor_u32(c);
	h->machine = cursor_u16(c);
	h->cpus = cursor_u16(c);
	h->page_size = cursor_u32(c);
	h->boot_id = cursor_u32(c);
	h->mono_ns = cursor_u64(c);
	h->real_ns = cursor_u64(c);
	release = cursor_u16(c);
	command = cursor_u16(c);
	cursor_skip(c, 4);
	h->release = cursor_slice(c, release);
	h->command = cursor_slice(c, command);
}

static void get_event(struct cursor *c, struct capture_event *e)
{
	size_t name;

	e->id = cursor_u32(c);
	e->unit = cursor_u16(c);
	name = cursor_u16(c);
	e->period_ns = cursor_u64(c);
	e->name = cursor_slice(c, name);
}

static void get_proc(struct cursor *c, struct capture_proc *p)
{
	size_t comm;

	p->image = cursor_u32(c);
	p->parent = cursor_u32(c);
	p->pid = cursor_u32(c);
	p->ns_pid = cursor_u32(c);
	p->uid = cursor_u32(c);
	p->origin = cursor_u16(c);
	comm = cursor_u16(c);
	p->start_ns = cursor_u64(c);
	p->comm = cursor_slice(c, comm);
}

static void get_file(struct cursor *c, struct capture_file *f)
{
	size_t path, build_id;

	f->id = cursor_u32(c);
	f->flags = cursor_u32(c);
	f->dev_major = cursor_u32(c);
	f->dev_minor = cursor_u32(c);
	f->inode = cursor_u64(c);
	f->size = cursor_u64(c);
	f->mtime_ns = cursor_u64(c);
	path = cursor_u16(c);
	build_id = cursor_u16(c);
	cursor_skip(c, 4);
	f->path = cursor_slice(c, path);
	f->build_id = cursor_slice(c, build_id);
	if (build_id > CAPTURE_BUILD_ID_MAX)
		c->bad = true;
}

static void get_map(struct cursor *c, struct capture_map *m)
{
	uint64_t end;

	m->image = cursor_u32(c);
	m->file = cursor_u32(c);
	m->start = cursor_u64(c);
	m->length = cursor_u64(c);
	m->offset = cursor_u64(c);
	if (!m->length || __builtin_add_overflow(m->start, m->length, &end) ||
	    __builtin_add_overflow(m->offset, m->length, &end))
		c->bad = true;
}

static void get_ksym(struct cursor *c, struct capture_ksym *k)
{
	size_t module, name;

	k->addr = cursor_u64(c);
	k->size = cursor_u64(c);
	module = cursor_u16(c);
	name = cursor_u16(c);
	cursor_skip(c, 4);
	k->module = cursor_slice(c, module);
	k->name = cursor_slice(c, name);
}

static void get_sym(struct cursor *c, struct capture_sym *s)
{
	size_t name;

	s->scope = cursor_u32(c);
	s->id = cursor_u32(c);
	s->addr = cursor_u64(c);
	s->size = cursor_u64(c);
	name = cursor_u16(c);
	cursor_skip(c, 6);
	s->name = cursor_slice(c, name);
	if (s->scope > CAPTURE_SYM_IMAGE)
		c->bad = true;
}

static void get_stack(struct cursor *c, struct capture_stack *s)
{
	s->id = cursor_u32(c);
	s->kind = cursor_u8(c);
	s->end = cursor_u8(c);
	s->n = cursor_u16(c);
	s->ip = cursor_bytes(c, s->n * sizeof(*s->ip));
	s->exact = cursor_bytes(c, (s->n + 63u) / 64 * sizeof(*s->exact));
	if (s->n > CAPTURE_STACK_MAX || s->kind > CAPTURE_STACK_USER)
		c->bad = true;
}

static void get_sample(struct cursor *c, uint32_t flags, struct capture_sample *s)
{
	struct slice comm;

	s->flags = flags;
	s->event = cursor_u32(c);
	s->image = cursor_u32(c);
	s->tid = cursor_u32(c);
	s->kstack = cursor_u32(c);
	s->ustack = cursor_u32(c);
	s->cpu = cursor_u32(c);
	s->weight = cursor_u64(c);
	s->time_ns = cursor_u64(c);
	comm = cursor_slice(c, CAPTURE_COMM);
	s->comm = (struct slice){ comm.p, strnlen(comm.p, comm.len) };
	if (!s->weight)
		c->bad = true;
}

static const char *type_text(unsigned type)
{
	static const char *const text[] = {
		"",     "HEADER", "EVENT", "PROC",  "EXIT",   "FILE", "MAP",
		"KSYM", "SYM",	  "STACK", "SAMPLE", "LOST", "END",
	};

	return text[type];
}

int capture_decode(const void *buf, size_t len, struct capture_record *rec, struct strbuf *err)
{
	struct cursor c = cursor_of(buf, len);
	uint16_t flags;

	rec->type = cursor_u16(&c);
	flags = cursor_u16(&c);
	cursor_skip(&c, 4);
	switch (rec->type) {
	case CAPTURE_HEADER:
		if (cursor_left(&c) < 8 || memcmp(c.buf + c.pos, CAPTURE_MAGIC, 8) != 0)
			return fail(err, -EBADMSG, "HEADER record without the capture's magic");
		get_header(&c, &rec->header);
		break;
	case CAPTURE_EVENT:
		get_event(&c, &rec->event);
		break;
	case CAPTURE_PROC:
		get_proc(&c, &rec->proc);
		break;
	case CAPTURE_EXIT:
		rec->exit.image = cursor_u32(&c);
		cursor_skip(&c, 4);
		rec->exit.time_ns = cursor_u64(&c);
		break;
	case CAPTURE_FILE:
		get_file(&c, &rec->file);
		break;
	case CAPTURE_MAP:
		get_map(&c, &rec->map);
		break;
	case CAPTURE_KSYM:
		get_ksym(&c, &rec->ksym);
		break;
	case CAPTURE_SYM:
		get_sym(&c, &rec->sym);
		break;
	case CAPTURE_STACK:
		get_stack(&c, &rec->stack);
		break;
	case CAPTURE_SAMPLE:
		get_sample(&c, flags, &rec->sample);
		break;
	case CAPTURE_LOST:
		rec->lost.cause = cursor_u32(&c);
		rec->lost.event = cursor_u32(&c);
		rec->lost.count = cursor_u64(&c);
		rec->lost.weight = cursor_u64(&c);
		break;
	case CAPTURE_END:
		rec->end.fired = cursor_u64(&c);
		rec->end.filtered = cursor_u64(&c);
		rec->end.weight = cursor_u64(&c);
		rec->end.lost = cursor_u64(&c);
		rec->end.skipped = cursor_u64(&c);
		break;
	default:
		return 0;
	}
	if (c.bad)
		return fail(err, -EBADMSG, "malformed %s record", type_text(rec->type));
	return 1;
}

/* STACK payloads hold u64 arrays at any alignment of the input's buffer. */
static int decode_in_place(struct capture_reader *r, const char *p, size_t len,
			   struct capture_record *rec, struct strbuf *err)
{
	if (((uintptr_t)p & 7) != 0) {
		if (len > r->ips_cap) {
			r->ips_cap = len * 2;
			r->ips = xrealloc(r->ips, r->ips_cap);
		}
		memcpy(r->ips, p, len);
		p = (const char *)r->ips;
	}
	return capture_decode(p, len, rec, err);
}

/*
 * Where in len bytes at p a HEADER record begins: its type and flags, a length, the
 * magic and a version. SIZE_MAX if none does.
 */
static size_t find_header(const char *p, size_t len)
{
	static const char start[4] = { CAPTURE_HEADER };
	const char *at = p;
	uint32_t length;

	while ((at = memmem(at, len - (size_t)(at - p), CAPTURE_MAGIC, 8))) {
		if (at - p >= CAPTURE_RECORD_HEADER && memcmp(at - 8, start, sizeof(start)) == 0) {
			memcpy(&length, at - 4, sizeof(length));
			if (length <= CAPTURE_RECORD_MAX && length % 8 == 0)
				return (size_t)(at - p) - CAPTURE_RECORD_HEADER;
		}
		at++;
	}
	return SIZE_MAX;
}

/* Passes over what lies before the next HEADER; true if there is one. */
static bool resynchronize(struct capture_reader *r)
{
	enum { PIECE = 1 << 16, WHOLE = CAPTURE_RECORD_HEADER + 8 };

	for (;;) {
		size_t have = input_need(r->in, PIECE);
		size_t at = find_header(r->in->buf + r->in->pos, have);

		if (at != SIZE_MAX) {
			input_advance(r->in, at);
			return true;
		}
		if (have < PIECE) {
			input_advance(r->in, have);
			return false;
		}
		input_advance(r->in, have - (WHOLE - 1));
	}
}

static int framing_lost(struct capture_reader *r, struct strbuf *err)
{
	uint64_t at = r->in->offset;

	input_advance(r->in, 1);
	if (!resynchronize(r))
		return fail(err, r->in->error ? r->in->error : -EPROTO,
			    "byte %" PRIu64 ": impossible record length; the last %" PRIu64
			    " bytes cannot be read",
			    at, r->in->offset - at);
	r->ended = true;
	return fail(err, -EBADMSG,
		    "byte %" PRIu64 ": impossible record length; another capture begins at byte %"
		    PRIu64, at, r->in->offset);
}

static int end_of_input(struct capture_reader *r, size_t have, struct strbuf *err)
{
	uint64_t at = r->in->offset;

	if (r->in->error)
		return fail(err, r->in->error, "byte %" PRIu64 ": %s", at + have,
			    strerror(-r->in->error));
	if (!r->started && !have)
		return fail(err, -EPROTO, at ? "not a capture" : "empty: not a capture");
	if (have)
		return fail(err, -ENODATA, "byte %" PRIu64 ": truncated within a record",
			    at + have);
	if (!r->ended)
		return fail(err, -ENODATA, "byte %" PRIu64 ": truncated, no END record", at);
	return 0;
}

/*
 * Whether a HEADER may begin in the last bytes of a record and end behind it. Only
 * then is it worth waiting for more input before the record is handed out.
 */
static bool may_begin_header(const char *p, size_t len)
{
	for (size_t k = 1; k < CAPTURE_RECORD_HEADER + 8 && k < len; k++) {
		const char *at = p + len - k;
		char want[17] = { CAPTURE_HEADER };

		if (*at != CAPTURE_HEADER)
			continue;
		if (k > 4)
			memcpy(want + 4, at + 4, k < 8 ? k - 4 : 4);
		memcpy(want + 8, CAPTURE_MAGIC, 8);
		if (memcmp(at, want, k) == 0 && (k < 8 || at[4] || at[5] || at[6]))
			return true;
	}
	return false;
}

static bool is_header(const char *p, size_t length)
{
	return p[0] == CAPTURE_HEADER && p[1] == 0 && length >= CAPTURE_RECORD_HEADER + 8 &&
	       memcmp(p + CAPTURE_RECORD_HEADER, CAPTURE_MAGIC, 8) == 0;
}

int capture_reader_next(struct capture_reader *r, struct capture_record *rec, struct strbuf *err)
{
	struct input *in = r->in;
	struct strbuf why = STRBUF_INIT;
	int ret;

	do {
		size_t have, seen, inner;
		uint32_t length;
		const char *p;

		input_advance(in, r->last);
		r->last = 0;
		have = input_need(in, CAPTURE_RECORD_HEADER);
		if (have < CAPTURE_RECORD_HEADER)
			return end_of_input(r, have, err);
		p = in->buf + in->pos;
		memcpy(&length, p + 4, sizeof(length));
		if (length < CAPTURE_RECORD_HEADER || length % 8 || length > CAPTURE_RECORD_MAX)
			return r->started ? framing_lost(r, err)
					  : fail(err, -EPROTO, "not a capture");
		have = input_need(in, length);
		if (have >= length && may_begin_header(in->buf + in->pos, length))
			have = input_need(in, length + CAPTURE_RECORD_HEADER + 8u);
		p = in->buf + in->pos;
		if (!r->started && (have < CAPTURE_RECORD_HEADER + 8 || !is_header(p, length)))
			return in->error ? end_of_input(r, have, err)
					 : fail(err, -EPROTO, "not a capture");
		seen = length + CAPTURE_RECORD_HEADER + 7u;
		inner = find_header(p + 1, (have < seen ? have : seen) - 1);
		if (inner != SIZE_MAX && inner + 1 < length) {
			r->last = inner + 1;
			r->ended = true;
			return fail(err, -EBADMSG, "byte %" PRIu64 ": truncated within a record; "
				    "another capture begins at byte %" PRIu64,
				    in->offset, in->offset + inner + 1);
		}
		if (have < length)
			return end_of_input(r, have, err);
		if (r->started && !r->ended && is_header(p, length)) {
			r->ended = true;
			return fail(err, -EBADMSG, "byte %" PRIu64 ": truncated, no END record "
				    "before another capture", in->offset);
		}
		r->last = length;
		rec->offset = in->offset;
		ret = decode_in_place(r, p, length, rec, &why);
		if (ret < 0)
			fail(err, ret, "byte %" PRIu64 ": %s", rec->offset, strbuf_str(&why));
	} while (ret == 0);
	strbuf_release(&why);
	if (ret < 0)
		return r->started ? ret : fail(err, -EPROTO, "not a capture");
	if (rec->type == CAPTURE_HEADER && rec->header.version != CAPTURE_VERSION)
		return fail(err, -EPROTO, "byte %" PRIu64 ": capture version %u; this reads %u",
			    rec->offset, rec->header.version, (unsigned)CAPTURE_VERSION);
	r->started = true;
	r->ended = rec->type == CAPTURE_END;
	return 1;
}
