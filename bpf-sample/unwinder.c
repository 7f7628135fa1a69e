#include "unwinder.h"

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "../bpf/stack_hash.h"
#include "base/alloc.h"
#include "base/utf8.h"
#include "elf/elf_image.h"
#include "uncovered.h"

/* A stack that was copied, to be read at the process's addresses. */
struct copied_stack {
	uint64_t sp;
	const uint8_t *bytes;
	size_t len;
	uint32_t absent; /* bit i: page i could not be read */
};

static bool is_absent(const struct copied_stack *c, uint64_t addr)
{
	return c->absent >> (addr / LAYOUT_COPY_PAGE - c->sp / LAYOUT_COPY_PAGE) & 1;
}

static int copied_read(void *ctx, __u64 *dst, __u64 addr)
{
	const struct copied_stack *c = ctx;
	uint64_t at = addr - c->sp;

	if (at > c->len || c->len - at < sizeof(*dst) || is_absent(c, addr) ||
	    is_absent(c, addr + sizeof(*dst) - 1))
		return -EFAULT;
	memcpy(dst, c->bytes + at, sizeof(*dst));
	return 0;
}

#define UNWIND_READ(ctx, dst, addr) copied_read(ctx, dst, addr)
#include "unwind/step.h"

/* An executable segment: offsets in the file, and what to add for its own addresses. */
struct unwind_segment {
	uint64_t start, end;
	uint64_t delta;
};

enum {
	SEGMENTS_MAX = 64,
	RETRY = 30, /* intervals */
};

struct unwind_file {
	enum { FILE_UNKNOWN, FILE_NO_TABLE, FILE_TABLE } state;
	struct unwind_segment segments[SEGMENTS_MAX];
	size_t nsegments;
	struct table_block *blocks; /* the kernel's own memory; NULL while it is dropped */
	size_t nblocks;
	uint64_t used;
	uint32_t same_as;           /* the file id of the same file by another name, 0 none */
	uint64_t again;             /* without a table: when to try again, 0 never */
	bool told;
};

/* Table ids are file ids, after those that mean something else. */
static uint32_t table_id(uint32_t file)
{
	return file + TABLE_FIRST;
}

void unwinder_init(struct unwinder *u, struct sampler *sampler, struct images *images,
		   struct files *files, uint64_t budget, uint32_t max_depth)
{
	*u = (struct unwinder){
		.maps = sampler_maps(sampler),
		.images = images,
		.files = files,
		.budget = budget,
		.max_depth = max_depth,
	};
	spaces_init(&u->spaces, u->maps);
}

static void unmap_blocks(struct unwind_file *f)
{
	if (f->blocks)
		munmap(f->blocks, f->nblocks * sizeof(*f->blocks));
	f->blocks = NULL;
}

void unwinder_release(struct unwinder *u)
{
	for (size_t i = 0; i < u->nfiles; i++)
		unmap_blocks(&u->files_by_id[i]);
	free(u->files_by_id);
	free(u->list);
	unwind_rules_release(&u->rules);
	intern_release(&u->identities);
	map64_release(&u->owners);
	spaces_release(&u->spaces);
}

/* The file whose table an id uses: one file may have ids by several names. */
static uint32_t owner_of(const struct unwinder *u, uint32_t id)
{
	return id <= u->nfiles && u->files_by_id[id - 1].same_as ? u->files_by_id[id - 1].same_as
								 : id;
}

static struct unwind_file *file_of(struct unwinder *u, uint32_t id)
{
	if (id > u->nfiles) {
		size_t n = id * 2;

		u->files_by_id = xreallocarray(u->files_by_id, n, sizeof(*u->files_by_id));
		memset(u->files_by_id + u->nfiles, 0,
		       (n - u->nfiles) * sizeof(*u->files_by_id));
		u->nfiles = n;
	}
	return &u->files_by_id[id - 1];
}

void unwinder_touch(struct unwinder *u, uint32_t file)
{
	file = owner_of(u, file);
	if (file <= u->nfiles)
		u->files_by_id[file - 1].used = u->clock;
}

/* ---- tables */

static void drop_table(struct unwinder *u, uint32_t id)
{
	struct unwind_file *f = file_of(u, id);
	uint32_t key = table_id(id);

	bpf_map_delete_elem(u->maps.tables, &key);
	u->bytes -= f->nblocks * sizeof(*f->blocks);
	u->tables_dropped++;
	unmap_blocks(f);
}

/*
 * Drops the least recently used until `need` bytes more fit the budget. What samples use
 * in this very interval stays: tables that do not fit together would only chase each other.
 */
static bool make_room(struct unwinder *u, uint64_t need)
{
	if (need > u->budget)
		return false;
	while (u->bytes + need > u->budget) {
		uint32_t oldest = 0;

		for (uint32_t id = 1; id <= u->nfiles; id++) {
			const struct unwind_file *f = &u->files_by_id[id - 1];

			if (f->blocks && (!oldest || f->used < u->files_by_id[oldest - 1].used))
				oldest = id;
		}
		if (!oldest || u->files_by_id[oldest - 1].used >= u->clock)
			return false;
		drop_table(u, oldest);
	}
	return true;
}

static int send_rules(struct unwinder *u)
{
	for (; u->rules_sent < u->rules.len; u->rules_sent++) {
		uint32_t key = (uint32_t)u->rules_sent;

		if (bpf_map_update_elem(u->maps.rules, &key, &u->rules.rules[key], BPF_ANY))
			return -errno;
	}
	return 0;
}

static size_t blocks_of(size_t entries)
{
	return (entries + TABLE_BLOCK - 1) / TABLE_BLOCK;
}

/* Puts a table into the kernel; f->blocks is then its memory there. */
static int send_table(struct unwinder *u, uint32_t id, struct unwind_file *f,
		      const struct unwind_table *t)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	size_t pages = blocks_of(t->npages + 1);
	size_t n = 1 + pages + blocks_of(t->nrows);
	uint32_t key = table_id(id);
	void *p;
	int fd, r;

	if (!make_room(u, n * sizeof(*f->blocks)))
		return -ENOSPC;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_table", sizeof(uint32_t),
			    sizeof(struct table_block), (uint32_t)n, &opts);
	if (fd < 0)
		return -errno;
	p = mmap(NULL, n * sizeof(*f->blocks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		r = -errno;
		close(fd);
		return r;
	}
	f->blocks = p;
	f->nblocks = n;
	f->blocks[0].header = (struct table_header){
		.first_page = t->first_page,
		.npages = (uint32_t)t->npages,
		.rows_block = (uint32_t)(1 + pages),
	};
	memcpy(f->blocks + 1, t->pages, (t->npages + 1) * sizeof(*t->pages));
	memcpy(f->blocks + 1 + pages, t->rows, t->nrows * sizeof(*t->rows));
	r = send_rules(u);
	if (!r && bpf_map_update_elem(u->maps.tables, &key, &fd, BPF_ANY))
		r = -errno;
	close(fd);
	if (r) {
		unmap_blocks(f);
		return r;
	}
	u->bytes += n * sizeof(*f->blocks);
	u->tables_built++;
	u->rows += t->nrows;
	return 0;
}

static void take_segments(struct unwind_file *f, const struct elf_image *image)
{
	const struct elf_segment *s;
	size_t n;

	f->nsegments = 0;
	s = elf_image_segments(image, &n);
	for (size_t i = 0; i < n && f->nsegments < SEGMENTS_MAX; i++) {
		if (s[i].type != PT_LOAD || !(s[i].flags & PF_X))
			continue;
		f->segments[f->nsegments++] = (struct unwind_segment){
			.start = s[i].offset,
			.end = s[i].offset + s[i].filesz,
			.delta = s[i].vaddr - s[i].offset,
		};
	}
}

/*
 * A library is mapped under one name and identity by the scan of /proc and another by
 * the side-band events: the file system tells that it is one. (A build-id would not do:
 * anyone can give a program that of another, and so its table to that.) Takes the id of a
 * file that is open now; returns that of the first that was the same file.
 */
static uint32_t same_file(struct unwinder *u, uint32_t id, int fd)
{
	uint64_t *owner;
	struct stat st;
	uint64_t key[5];

	if (fd < 0 || fstat(fd, &st))
		return id;
	key[0] = st.st_dev;
	key[1] = st.st_ino;
	key[2] = (uint64_t)st.st_size;
	key[3] = (uint64_t)st.st_ctim.tv_sec;
	key[4] = (uint64_t)st.st_ctim.tv_nsec;
	owner = map64_put(&u->owners,
			  intern_add(&u->identities, (struct slice){ (char *)key, sizeof(key) }),
			  NULL);
	if (!*owner)
		*owner = id;
	return (uint32_t)*owner;
}

static void tell(const struct unwinder *u, uint32_t file, const struct strbuf *why, int code)
{
	struct strbuf text = STRBUF_INIT;

	if (u->quiet)
		return;
	strbuf_addclean(&text, files_path(u->files, file));
	strbuf_addstr(&text, ": unwound by frame pointers: ");
	strbuf_addclean(&text, why->len ? strbuf_slice(why) : slice_str(strerror(-code)));
	warnx("%s", strbuf_str(&text));
	strbuf_release(&text);
}

/* The table of a file that a sample hit, built if it is not there. */
static struct unwind_file *load_file(struct unwinder *u, const struct mapping *m,
				     const struct image *image)
{
	uint32_t id = owner_of(u, m->file), same;
	struct unwind_file *f = file_of(u, id);
	struct unwind_table *table = NULL;
	struct strbuf why = STRBUF_INIT;
	struct file_image open;
	struct file_hit hit;
	int r;

	f->used = u->clock;
	if (f->blocks || (f->state == FILE_NO_TABLE && (!f->again || u->clock < f->again)))
		return f;
	u->changes++;
	f->state = FILE_NO_TABLE;
	f->again = 0;
	hit = images_hit(u->images, image, m, m->start);
	open = files_open(u->files, m->file, &hit);
	same = open.elf ? same_file(u, id, open.fd) : id;
	if (same != id) {
		f->state = FILE_UNKNOWN;
		f->same_as = same;
		file_image_close(&open);
		return load_file(u, m, image);
	}
	if (open.elf) {
		take_segments(f, open.elf);
		r = f->nsegments ? unwind_table_build(&table, open.elf, &u->rules, &why) : -ENOENT;
		if (!r) {
			uncovered_describe(table, &u->rules, open.elf);
			r = table->nrows ? send_table(u, id, f, table) : -ENOENT;
		}
		if (!r)
			f->state = FILE_TABLE;
		if (r == -ENOSPC) {
			f->again = u->clock + RETRY;
			fail(&why, r, "its table does not fit: raise --unwind-mem");
		}
		if (r && r != -ENOENT && r != -EOPNOTSUPP && !f->told) {
			f->told = true;
			tell(u, m->file, &why, r);
		}
		unwind_table_free(table);
	}
	file_image_close(&open);
	strbuf_release(&why);
	return f;
}

/* What to take off an address of a mapping for the file's own address. */
static bool bias_of(const struct unwind_file *f, const struct mapping *m, __u64 *bias)
{
	const uint64_t page = 4096, mask = ~(page - 1);
	uint64_t end = m->offset + (m->end - m->start);
	const struct unwind_segment *best = NULL;
	int score = 0;

	for (size_t i = 0; i < f->nsegments; i++) {
		const struct unwind_segment *s = &f->segments[i];
		int fits = 1 + 2 * ((s->start & mask) == (m->offset & mask)) +
			   (((s->end + page - 1) & mask) == end) +
			   4 * (((s->start + s->delta) & mask) == m->start);

		/* segments may share a page of the file: the one whose bounds are the mapping's */
		if (s->start < end && m->offset < s->end && fits > score) {
			best = s;
			score = fits;
		}
	}
	if (best)
		*bias = m->start - (m->offset + best->delta);
	return best;
}

static const struct unwind_rule *find_rule(const struct unwinder *u, const struct unwind_file *f,
					   uint64_t vaddr)
{
	const struct table_header *head = &f->blocks[0].header;
	uint64_t page = (vaddr >> UNWIND_PAGE_SHIFT) - head->first_page;
	const uint32_t *pages = f->blocks[1].words;
	const struct unwind_row *rows = (const void *)&f->blocks[head->rows_block];
	uint32_t lo, hi;

	if (page >= head->npages)
		return &u->rules.rules[UNWIND_RULE_NONE];
	lo = pages[page];
	hi = pages[page + 1];
	while (lo + 1 < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (rows[mid].low <= (uint16_t)vaddr)
			lo = mid;
		else
			hi = mid;
	}
	return &u->rules.rules[rows[lo].rule];
}

/* ---- spaces */

static void write_space(struct unwinder *u, struct image *image)
{
	const struct mapping *m;
	size_t n, len = 0;

	m = mapset_all(image->maps, &n);
	if (n > u->list_cap) {
		u->list_cap = n * 2;
		u->list = xreallocarray(u->list, u->list_cap, sizeof(*u->list));
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t id = owner_of(u, m[i].file);
		const struct unwind_file *f = file_of(u, id);
		struct space_mapping s = { .start = m[i].start, .end = m[i].end };

		if (files_is_anonymous(u->files, m[i].file) || f->state == FILE_NO_TABLE)
			s.table = TABLE_FRAME_POINTER;
		else if (f->state == FILE_TABLE && bias_of(f, &m[i], &s.bias))
			s.table = table_id(id);
		else if (f->state == FILE_TABLE)
			s.table = TABLE_FRAME_POINTER;
		/* code of a JIT lies in many mappings side by side */
		if (len && s.table == TABLE_FRAME_POINTER && u->list[len - 1].table == s.table &&
		    u->list[len - 1].end == s.start)
			u->list[len - 1].end = s.end;
		else
			u->list[len++] = s;
	}
	space_write(image->space, u->list, len);
	image->space_stale = false;
}

void unwinder_refresh(struct unwinder *u)
{
	struct image *image;

	while ((image = images_next_changed(u->images))) {
		/* whoever has ended has no entry to change */
		if (!image->dead && !image->leader_ended)
			space_own(&image->space, image->pid, image->begin == 0);
		if (image->space->version && image->space->refs == 1)
			write_space(u, image);
		else
			image->space_stale = false;
	}
}

/* ---- samples that the kernel could not unwind */

enum { JUNK = -3 }; /* a frame pointer led to what is no code */

/* One step as the kernel's walk_step (bpf/unwind.h), by the same tables. */
static int step(struct unwinder *u, struct image *image, struct unwind_regs *regs, bool *exact,
		bool *guessed, struct copied_stack *c)
{
	uint64_t addr = regs->ip - !*exact;
	const struct mapping *m = mapset_find(image->maps, addr);
	const struct unwind_rule *rule;
	struct unwind_file *f;
	__u64 bias;
	int end;

	if (!m)
		return *guessed ? JUNK : CAPTURE_END_NO_MAP;
	*exact = false;
	*guessed = true;
	if (files_is_anonymous(u->files, m->file))
		return unwind_by_frame_pointer(regs, c);
	f = load_file(u, m, image);
	if (!f->blocks || !bias_of(f, m, &bias))
		return unwind_by_frame_pointer(regs, c);
	*guessed = false;
	rule = find_rule(u, f, addr - bias);
	*exact = rule->flags & UNWIND_SIGNAL;
	end = unwind_apply(rule, regs, c);
	if (end == UNWIND_CALLER && !unwind_user_address(regs->ip))
		return CAPTURE_END_SANITY;
	return end;
}

static uint64_t walk(struct unwinder *u, struct image *image, const struct sample_record *rec)
{
	struct unwind_regs regs = {
		.ip = rec->ip,
		.sp = rec->sp,
		.fp = rec->fp,
		.lr = rec->scratch,
	};
	struct copied_stack c = {
		.sp = rec->sp - LAYOUT_RED_ZONE,
		.bytes = rec->copy,
		.len = rec->copied,
		.absent = rec->absent,
	};
	struct stack_deep *s = &u->stack;
	bool exact = !rec->in_syscall, guessed = false;
	uint64_t h;
	int end;

	memset(&s->head, 0, sizeof(s->head));
	s->head.kind = CAPTURE_STACK_USER;
	do {
		if (exact)
			s->head.exact[s->head.n / 64] |= 1ull << (s->head.n % 64);
		s->ip[s->head.n++] = regs.ip;
		end = step(u, image, &regs, &exact, &guessed, &c);
	} while (end == UNWIND_CALLER && s->head.n < u->max_depth);
	if (end == JUNK) {
		s->head.n--;
		end = CAPTURE_END_SANITY;
	}
	s->head.end = (uint8_t)(end == UNWIND_CALLER ? CAPTURE_END_DEPTH : end);

	h = stack_hash_begin(&s->head);
	for (unsigned i = 0; i < s->head.n; i++)
		h = stack_hash_step(h, s->ip[i]);
	return h ? h : 1;
}

void unwinder_late(void *ctx, struct batch *b, const struct sample_record *rec)
{
	struct unwinder *u = ctx;
	struct sample_key key = rec->key;
	uint64_t changes = u->changes;
	struct image *image;

	u->late++;
	u->catch_up(u->ctx);
	image = images_find(u->images, key.pid, key.born);
	images_sampled(image, key.tid, &rec->info);
	key.ustack = walk(u, image, rec);
	if (rec->in_exec && u->stack.head.end != CAPTURE_END_COMPLETE)
		key.ustack = 0; /* as in the kernel: sample_user */
	else
		batch_add_stack(b, key.ustack, &u->stack.head, u->stack.ip);
	batch_add(b, &key, &rec->info);

	if (!image->space || image->space->id != rec->space) {
		space_free(image->space);
		image->space = spaces_get(&u->spaces, rec->space);
	}
	if (!image->dead && (!image->space->version || changes != u->changes ||
			     image->space_stale))
		write_space(u, image);
}
