#include "recorder.h"

#include <elf.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "clock.h"
#include "jit.h"

/* Ids of stacks start again then, so that neither side's memory grows with time. */
enum { STACK_IDS = 1 << 16, EVENT_ID = 1 };

void recorder_init(struct recorder *r, struct capture_writer *writer, struct images *images,
		   struct files *files, struct ksyms *ksyms, struct unwinder *unwinder,
		   bool quiet)
{
	*r = (struct recorder){
		.writer = writer,
		.images = images,
		.files = files,
		.ksyms = ksyms,
		.unwinder = unwinder,
		.notes_quiet = quiet,
	};
}

void recorder_release(struct recorder *r)
{
	map64_release(&r->stacks);
	free(r->of_entry);
}

static uint16_t machine(const struct utsname *uts)
{
	if (!strcmp(uts->machine, "x86_64"))
		return EM_X86_64;
	return !strcmp(uts->machine, "aarch64") ? EM_AARCH64 : EM_NONE;
}

void recorder_begin(struct recorder *r, uint32_t hz, uint16_t ncpus, struct slice command)
{
	struct capture_record rec = { .type = CAPTURE_HEADER };
	struct utsname uts;

	uname(&uts);
	rec.header = (struct capture_header){
		.version = CAPTURE_VERSION,
		.machine = machine(&uts),
		.cpus = ncpus,
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
		.boot_id = capture_boot_id(),
		.mono_ns = clock_ns(CLOCK_MONOTONIC),
		.real_ns = clock_ns(CLOCK_REALTIME),
		.release = slice_str(uts.release),
		.command = command,
	};
	capture_write(r->writer, &rec);
	rec.type = CAPTURE_EVENT;
	rec.event = (struct capture_event){
		.id = EVENT_ID,
		.unit = CAPTURE_UNIT_SAMPLES,
		/* a frequency of the software clock is a fixed period: kernel/events/core.c
		 * perf_swevent_init_hrtimer */
		.period_ns = 1000000000u / hz,
		.name = SLICE("cpu-clock"),
	};
	capture_write(r->writer, &rec);
}

/* Prints what a part found worth telling, once it was said. */
static void print_note(const struct recorder *r, struct strbuf *note)
{
	if (note->len && !r->notes_quiet) {
		struct strbuf clean = STRBUF_INIT;

		strbuf_addclean(&clean, strbuf_slice(note));
		warnx("%s", strbuf_str(&clean));
		strbuf_release(&clean);
	}
	strbuf_reset(note);
}

static void write_proc(struct recorder *r, struct image *image, const struct batch_entry *e)
{
	struct capture_record rec = { .type = CAPTURE_PROC };

	image->id = ++r->last_image;
	rec.proc = (struct capture_proc){
		.image = image->id,
		.parent = image->parent_id,
		.pid = image->pid,
		.ns_pid = image->ns_pid,
		.uid = image->uid,
		.origin = image->origin,
		.start_ns = image->begin,
		.comm = slice_str(image->comm[0] ? image->comm : e->key.comm),
	};
	capture_write(r->writer, &rec);
}

/* The mapping behind a sampled user address: MAP and FILE records, and symbols wanted. */
static void hit_address(struct recorder *r, struct image *image, uint64_t addr)
{
	const struct mapping *m = mapset_find(image->maps, addr);
	struct capture_record rec = { .type = CAPTURE_MAP };
	struct file_hit hit;

	if (!m)
		return;
	hit = images_hit(r->images, image, m, addr);
	unwinder_touch(r->unwinder, m->file);
	if (files_hit(r->files, m->file, &hit))
		jit_hit(image, addr, r->files->own_mnt_ns);
	if (m->mark == image->id)
		return;
	rec.map = (struct capture_map){
		.image = image->id,
		.file = m->file,
		.start = m->start,
		.length = m->end - m->start,
		.offset = m->offset,
	};
	capture_write(r->writer, &rec);
	mapset_mark(&image->maps, addr, image->id);
}

static bool is_exact(const struct batch_stack *s, unsigned i)
{
	return s->exact[i / 64] >> (i % 64) & 1;
}

static void hit_stack(struct recorder *r, struct image *image, const struct batch_stack *s)
{
	for (unsigned i = 0; i < s->n; i++)
		hit_address(r, image, s->ip[i] - !is_exact(s, i));
}

static void hit_kernel(struct recorder *r, const struct batch_stack *s, struct strbuf *note)
{
	for (unsigned i = 0; i < s->n; i++)
		ksyms_hit(r->ksyms, s->ip[i] - !is_exact(s, i), note);
}

/* The id of a stack, whose STACK record (and symbols, of a kernel one) is written if new. */
static uint32_t stack_id(struct recorder *r, uint64_t hash, const struct batch_stack *s,
			 struct strbuf *note)
{
	struct capture_record rec = { .type = CAPTURE_STACK };
	uint64_t *id;
	bool added;

	id = map64_put(&r->stacks, hash, &added);
	if (!added)
		return (uint32_t)*id;
	*id = ++r->last_stack;
	r->distinct_stacks++;
	if (s->kind == CAPTURE_STACK_KERNEL)
		hit_kernel(r, s, note);
	rec.stack = (struct capture_stack){
		.id = r->last_stack,
		.kind = s->kind,
		.end = s->end,
		.n = s->n,
		.ip = s->ip,
		.exact = s->exact,
	};
	capture_write(r->writer, &rec);
	return r->last_stack;
}

static void write_sample(struct recorder *r, const struct batch *b, const struct batch_entry *e,
			 const struct image *image, struct strbuf *note)
{
	struct capture_record rec = { .type = CAPTURE_SAMPLE };
	const struct batch_stack *kstack = batch_stack(b, e->key.kstack);
	const struct batch_stack *ustack = batch_stack(b, e->key.ustack);

	/* both stacks defined under the same run of ids */
	if (r->last_stack + 2 > STACK_IDS) {
		map64_release(&r->stacks);
		r->last_stack = 0;
	}
	rec.sample = (struct capture_sample){
		.event = EVENT_ID,
		.image = image->id,
		.tid = e->key.tid,
		.kstack = kstack ? stack_id(r, e->key.kstack, kstack, note) : 0,
		.ustack = ustack ? stack_id(r, e->key.ustack, ustack, note) : 0,
		.weight = e->info.count,
		.comm = { e->key.comm, strnlen(e->key.comm, sizeof(e->key.comm)) },
	};
	capture_write(r->writer, &rec);
	r->weight += e->info.count;
	if (ustack && ustack->end < sizeof(r->ends) / sizeof(*r->ends))
		r->ends[ustack->end] += e->info.count;
}

/* Symbols that a JIT left behind, and EXIT. */
static void finish_image(struct recorder *r, struct image *image, struct strbuf *note)
{
	struct capture_record rec = { .type = CAPTURE_EXIT };

	if (image->id) {
		jit_write_symbols(image, r->writer, note);
		print_note(r, note);
		rec.exit = (struct capture_exit){ image->id, image->dead };
		capture_write(r->writer, &rec);
	}
	jit_free(image->jit);
	image_free(image);
}

void recorder_batch(struct recorder *r, const struct batch *b, uint64_t swap_ns)
{
	struct strbuf note = STRBUF_INIT;
	struct image *image;
	size_t pos = 0;

	if (b->len > r->of_entry_cap) {
		r->of_entry_cap = b->len * 2;
		r->of_entry = xreallocarray(r->of_entry, r->of_entry_cap, sizeof(*r->of_entry));
	}
	/* first whatever the samples need: processes, mappings, files, symbols of files */
	for (size_t i = 0; i < b->len; i++) {
		const struct batch_entry *e = &b->entries[i];
		const struct batch_stack *ustack = batch_stack(b, e->key.ustack);

		image = r->of_entry[i] = images_find(r->images, e->key.pid, e->key.born);
		images_sampled(image, e->key.tid, &e->info);
		if (!image->id)
			write_proc(r, image, e);
		if (ustack)
			hit_stack(r, image, ustack);
	}
	files_write_symbols(r->files);
	for (size_t i = 0; i < b->len; i++)
		write_sample(r, b, &b->entries[i], r->of_entry[i], &note);
	print_note(r, &note);

	/* an exiting process may be sampled after its exit was told, but not for long */
	while ((image = images_take_dead(r->images, r->prev_swap_ns, &pos)))
		finish_image(r, image, &note);
	r->prev_swap_ns = swap_ns;
	strbuf_release(&note);
}

void recorder_lost(struct recorder *r, uint32_t cause, uint64_t count, bool is_weight)
{
	struct capture_record rec = { .type = CAPTURE_LOST };

	if (!count)
		return;
	rec.lost = (struct capture_lost){
		.cause = cause,
		.event = is_weight ? EVENT_ID : 0,
		.count = count,
		.weight = is_weight ? count : 0,
	};
	capture_write(r->writer, &rec);
}

void recorder_end(struct recorder *r, const struct capture_totals *totals)
{
	struct capture_record rec = { .type = CAPTURE_END };
	struct strbuf note = STRBUF_INIT;
	struct map64_slot *slot;
	size_t pos = 0;

	while ((slot = map64_next(&r->images->by_pid, &pos))) {
		struct image *image = (struct image *)(uintptr_t)slot->value;

		for (; image; image = image->older) {
			if (image->id)
				jit_write_symbols(image, r->writer, &note);
			print_note(r, &note);
			jit_free(image->jit);
			image->jit = NULL;
		}
	}
	rec.end = *totals;
	capture_write(r->writer, &rec);
	strbuf_release(&note);
}
