#include "capture/capture_writer.h"

#include <string.h>

void capture_writer_init(struct capture_writer *w, struct output *out)
{
	*w = (struct capture_writer){ .out = out };
}

void capture_writer_release(struct capture_writer *w)
{
	strbuf_release(&w->rec);
}

static void put16(struct capture_writer *w, uint16_t v)
{
	strbuf_add(&w->rec, &v, sizeof(v));
}

static void put32(struct capture_writer *w, uint32_t v)
{
	strbuf_add(&w->rec, &v, sizeof(v));
}

static void put64(struct capture_writer *w, uint64_t v)
{
	strbuf_add(&w->rec, &v, sizeof(v));
}

/*
 * Strings end at a NUL, and no address is the magic: so a HEADER begins nowhere but
 * where one is meant, and a reader can find it behind a capture that was cut.
 */
static struct slice cut(struct slice s)
{
	size_t max = s.len > UINT16_MAX ? UINT16_MAX : s.len;

	return (struct slice){ s.p, max ? strnlen(s.p, max) : 0 };
}

static void put_header(struct capture_writer *w, const struct capture_header *h)
{
	struct slice release = cut(h->release), command = cut(h->command);

	strbuf_add(&w->rec, CAPTURE_MAGIC, 8);
	put32(w, h->version);
	put16(w, h->machine);
	put16(w, h->cpus);
	put32(w, h->page_size);
	put32(w, h->boot_id);
	put64(w, h->mono_ns);
	put64(w, h->real_ns);
	put16(w, (uint16_t)release.len);
	put16(w, (uint16_t)command.len);
	put32(w, 0);
	strbuf_addslice(&w->rec, release);
	strbuf_addslice(&w->rec, command);
}

static void put_event(struct capture_writer *w, const struct capture_event *e)
{
	struct slice name = cut(e->name);

	put32(w, e->id);
	put16(w, e->unit);
	put16(w, (uint16_t)name.len);
	put64(w, e->period_ns);
	strbuf_addslice(&w->rec, name);
}

static void put_proc(struct capture_writer *w, const struct capture_proc *p)
{
	struct slice comm = cut(p->comm);

	put32(w, p->image);
	put32(w, p->parent);
	put32(w, p->pid);
	put32(w, p->ns_pid);
	put32(w, p->uid);
	put16(w, p->origin);
	put16(w, (uint16_t)comm.len);
	put64(w, p->start_ns);
	strbuf_addslice(&w->rec, comm);
}

static void put_file(struct capture_writer *w, const struct capture_file *f)
{
	struct slice path = cut(f->path);

	put32(w, f->id);
	put32(w, f->flags);
	put32(w, f->dev_major);
	put32(w, f->dev_minor);
	put64(w, f->inode);
	put64(w, f->size);
	put64(w, f->mtime_ns);
	put16(w, (uint16_t)path.len);
	put16(w, (uint16_t)f->build_id.len);
	put32(w, 0);
	strbuf_addslice(&w->rec, path);
	strbuf_addslice(&w->rec, f->build_id);
}

static void put_stack(struct capture_writer *w, const struct capture_stack *s)
{
	uint64_t magic;

	put32(w, s->id);
	strbuf_addch(&w->rec, (char)s->kind);
	strbuf_addch(&w->rec, (char)s->end);
	put16(w, s->n);
	memcpy(&magic, CAPTURE_MAGIC, sizeof(magic));
	for (unsigned i = 0; i < s->n; i++)
		put64(w, s->ip[i] == magic ? 0 : s->ip[i]);
	strbuf_add(&w->rec, s->exact, (s->n + 63u) / 64 * sizeof(*s->exact));
}

static void put_sample(struct capture_writer *w, const struct capture_sample *s)
{
	char comm[CAPTURE_COMM] = { 0 };
	size_t len = s->comm.len < sizeof(comm) ? s->comm.len : sizeof(comm) - 1;

	if (len)
		memcpy(comm, s->comm.p, len);
	put32(w, s->event);
	put32(w, s->image);
	put32(w, s->tid);
	put32(w, s->kstack);
	put32(w, s->ustack);
	put32(w, s->cpu);
	put64(w, s->weight);
	put64(w, s->time_ns);
	strbuf_add(&w->rec, comm, sizeof(comm));
}

static void put_payload(struct capture_writer *w, const struct capture_record *rec)
{
	struct slice a, b;

	switch (rec->type) {
	case CAPTURE_HEADER:
		put_header(w, &rec->header);
		break;
	case CAPTURE_EVENT:
		put_event(w, &rec->event);
		break;
	case CAPTURE_PROC:
		put_proc(w, &rec->proc);
		break;
	case CAPTURE_EXIT:
		put32(w, rec->exit.image);
		put32(w, 0);
		put64(w, rec->exit.time_ns);
		break;
	case CAPTURE_FILE:
		put_file(w, &rec->file);
		break;
	case CAPTURE_MAP:
		put32(w, rec->map.image);
		put32(w, rec->map.file);
		put64(w, rec->map.start);
		put64(w, rec->map.length);
		put64(w, rec->map.offset);
		break;
	case CAPTURE_KSYM:
		a = cut(rec->ksym.module);
		b = cut(rec->ksym.name);
		put64(w, rec->ksym.addr);
		put64(w, rec->ksym.size);
		put16(w, (uint16_t)a.len);
		put16(w, (uint16_t)b.len);
		put32(w, 0);
		strbuf_addslice(&w->rec, a);
		strbuf_addslice(&w->rec, b);
		break;
	case CAPTURE_SYM:
		a = cut(rec->sym.name);
		put32(w, rec->sym.scope);
		put32(w, rec->sym.id);
		put64(w, rec->sym.addr);
		put64(w, rec->sym.size);
		put16(w, (uint16_t)a.len);
		put16(w, 0);
		put32(w, 0);
		strbuf_addslice(&w->rec, a);
		break;
	case CAPTURE_STACK:
		put_stack(w, &rec->stack);
		break;
	case CAPTURE_SAMPLE:
		put_sample(w, &rec->sample);
		break;
	case CAPTURE_LOST:
		put32(w, rec->lost.cause);
		put32(w, rec->lost.event);
		put64(w, rec->lost.count);
		put64(w, rec->lost.weight);
		break;
	case CAPTURE_END:
		put64(w, rec->end.fired);
		put64(w, rec->end.filtered);
		put64(w, rec->end.weight);
		put64(w, rec->end.lost);
		put64(w, rec->end.skipped);
		break;
	}
}

void capture_write(struct capture_writer *w, const struct capture_record *rec)
{
	static const char zero[8];
	uint16_t flags = rec->type == CAPTURE_SAMPLE ? (uint16_t)rec->sample.flags : 0;
	uint32_t length;

	strbuf_reset(&w->rec);
	put16(w, rec->type);
	put16(w, flags);
	put32(w, 0);
	put_payload(w, rec);
	strbuf_add(&w->rec, zero, -w->rec.len & 7);
	length = (uint32_t)w->rec.len;
	memcpy(w->rec.buf + 4, &length, sizeof(length));
	output_write(w->out, w->rec.buf, w->rec.len);
}
