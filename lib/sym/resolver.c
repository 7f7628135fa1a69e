#include "sym/resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/utf8.h"
#include "lines/perfscript.h"
#include "lines/stackline.h"
#include "proc/mapset.h"
#include "sym/builds.h"
#include "sym/demangle.h"
#include "sym/frame_cache.h"
#include "sym/perfmap.h"
#include "sym/symcache.h"
#include "sym/symset.h"

struct file {
	struct capture_file is; /* path and build_id are the file's own */
	char *path;
	char build_id[CAPTURE_BUILD_ID_MAX];
	struct symset embedded;
	struct symcache_ref table;
	bool no_table;   /* was tried, and cannot be used */
	char *problem;   /* why */
	const char *source;
	uint64_t table_symbols, table_bytes;
	uint32_t frames; /* owner of texts: by offset in the file << 1 | back */
	uint32_t names;  /* owner of demangled names: by the symbol's address */
	struct builds_file build;
	uint64_t addresses, named;
};

struct resolver_image {
	uint32_t id, pid, ns_pid, uid;
	struct mapset *maps; /* of indexes into files */
	struct symset jit;
	uint32_t frames; /* owner of texts of JIT code: by address << 1 | back */
	size_t charged;
};

struct resolver {
	struct resolver_options opt;
	uint32_t boot_id;       /* the capture's, 0 unknown */
	struct map64 images;    /* id → struct resolver_image * */
	struct map64 file_ids;  /* id → index */
	struct file **files;    /* in order of definition; [0] unused, for undefined ones */
	size_t nfiles, files_cap;
	struct symset kernel;
	uint32_t kernel_frames; /* owner of texts: by address << 1 | back */
	size_t state;           /* bytes charged */

	struct symcache *tables;
	struct frame_cache texts;

	void (*tell_build)(void *ctx, struct slice build_id, struct slice module);
	void *tell_ctx;
	struct builds builds;

	struct perfmap *perfmap;  /* of perfmap_image, NULL if it has none */
	uint32_t perfmap_image;   /* 0: none looked for */
	struct map64 warned;      /* hashes of paths */
	uint64_t unreadable;
	struct strbuf out, name, err;
};

/* ---- taking in records */

static int charge(struct resolver *r, size_t bytes, size_t *owner, struct strbuf *err)
{
	if (bytes > RESOLVER_STATE_MAX - r->state)
		return fail(err, -ENOSPC, "more than %d MB of processes, mappings and symbols",
			    RESOLVER_STATE_MAX >> 20);
	r->state += bytes;
	if (owner)
		*owner += bytes;
	return 0;
}

static void image_free(struct resolver *r, struct resolver_image *image)
{
	r->state -= image->charged;
	mapset_free(image->maps);
	symset_release(&image->jit);
	if (r->perfmap_image == image->id) {
		perfmap_free(r->perfmap);
		r->perfmap = NULL;
		r->perfmap_image = 0;
	}
	free(image);
}

void resolver_exit(struct resolver *r, uint32_t id)
{
	struct resolver_image *image = resolver_image(r, id);

	if (image) {
		map64_delete(&r->images, id);
		image_free(r, image);
	}
}

static void file_report(struct resolver *r, const struct file *f)
{
	struct resolver_file_stats s = {
		.path = f->is.path,
		.source = f->source ? f->source : f->embedded.total ? "capture" : "",
		.problem = f->problem ? f->problem : "",
		.symbols = f->table_symbols + f->embedded.total,
		.table_bytes = f->table_bytes,
		.addresses = f->addresses,
		.named = f->named,
	};

	if (r->opt.file_done && f->addresses)
		r->opt.file_done(r->opt.ctx, &s);
}

static void file_free(struct file *f)
{
	symset_release(&f->embedded);
	free(f->problem);
	free(f->path);
	free(f);
}

void resolver_begin(struct resolver *r, const struct capture_header *h)
{
	struct map64_slot *slot;
	size_t pos = 0;

	while ((slot = map64_next(&r->images, &pos)))
		image_free(r, (struct resolver_image *)(uintptr_t)slot->value);
	map64_release(&r->images);
	for (size_t i = 1; i < r->nfiles; i++) {
		file_report(r, r->files[i]);
		file_free(r->files[i]);
	}
	r->nfiles = 1;
	builds_trim(&r->builds);
	map64_release(&r->file_ids);
	symset_release(&r->kernel);
	r->kernel_frames = frame_cache_owner(&r->texts);
	r->state = 0;
	r->boot_id = h ? h->boot_id : 0;
}

struct resolver *resolver_new(const struct resolver_options *opt)
{
	struct resolver *r = xcalloc(1, sizeof(*r));

	r->opt = *opt;
	r->tables = symcache_new(RESOLVER_TABLES_MAX);
	frame_cache_init(&r->texts);
	r->kernel_frames = frame_cache_owner(&r->texts);
	r->files = grow(NULL, 0, &r->files_cap, sizeof(*r->files));
	r->nfiles = 1;
	return r;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	resolver_begin(r, NULL);
	free(r->files);
	symcache_free(r->tables);
	frame_cache_release(&r->texts);
	map64_release(&r->warned);
	builds_release(&r->builds);
	strbuf_release(&r->out);
	strbuf_release(&r->name);
	strbuf_release(&r->err);
	free(r);
}

void resolver_tell_builds(struct resolver *r,
			  void (*tell)(void *ctx, struct slice build_id, struct slice module),
			  void *ctx)
{
	r->tell_build = tell;
	r->tell_ctx = ctx;
}

struct resolver_image *resolver_image(const struct resolver *r, uint32_t id)
{
	const uint64_t *v = map64_get(&r->images, id);

	return v ? (struct resolver_image *)(uintptr_t)*v : NULL;
}

uint32_t resolver_image_pid(const struct resolver_image *image)
{
	return image->pid;
}

int resolver_proc(struct resolver *r, const struct capture_proc *p, struct strbuf *err)
{
	struct resolver_image *image;
	size_t charged = 0;
	int ret;

	resolver_exit(r, p->image);
	ret = charge(r, sizeof(*image) + 128, &charged, err);
	if (ret < 0)
		return ret;
	image = xcalloc(1, sizeof(*image));
	image->id = p->image;
	image->pid = p->pid;
	image->ns_pid = p->ns_pid;
	image->uid = p->uid;
	image->frames = frame_cache_owner(&r->texts);
	image->charged = charged;
	*map64_put(&r->images, p->image, NULL) = (uintptr_t)image;
	return 0;
}

int resolver_file(struct resolver *r, const struct capture_file *rec, struct strbuf *err)
{
	struct file *f;
	int ret;

	ret = charge(r, sizeof(*f) + 256 + 2 * rec->path.len, NULL, err);
	if (ret < 0) {
		map64_delete(&r->file_ids, rec->id);
		return ret;
	}
	f = xcalloc(1, sizeof(*f));
	f->is = *rec;
	f->path = xmemdup0(rec->path.p, rec->path.len);
	f->is.path.p = f->path;
	if (rec->build_id.len)
		memcpy(f->build_id, rec->build_id.p, rec->build_id.len);
	f->is.build_id.p = f->build_id;
	f->frames = frame_cache_owner(&r->texts);
	f->names = frame_cache_owner(&r->texts);
	f->build = builds_file(&r->builds, rec->path);
	r->files = grow(r->files, r->nfiles, &r->files_cap, sizeof(*r->files));
	*map64_put(&r->file_ids, rec->id, NULL) = r->nfiles;
	r->files[r->nfiles++] = f;
	return 0;
}

int resolver_map(struct resolver *r, const struct capture_map *rec, struct strbuf *err)
{
	struct resolver_image *image = resolver_image(r, rec->image);
	const uint64_t *file = map64_get(&r->file_ids, rec->file);
	struct mapping m = { .start = rec->start, .end = rec->start + rec->length,
			     .offset = rec->offset, .file = file ? (uint32_t)*file : 0 };
	size_t n = 0;
	int ret;

	if (!image)
		return fail(err, -ENOENT, "mapping of image %" PRIu32 ", which is not defined",
			    rec->image);
	if (image->maps)
		mapset_all(image->maps, &n);
	if (n >= RESOLVER_MAPPINGS_MAX)
		return fail(err, -ENOSPC, "more than %d mappings of one process",
			    RESOLVER_MAPPINGS_MAX);
	/* one may split another, and arrays grow by doubling */
	ret = charge(r, 3 * sizeof(m), &image->charged, err);
	if (ret < 0)
		return ret;
	if (!image->maps)
		image->maps = mapset_new();
	mapset_insert(&image->maps, &m);
	if (!file)
		return fail(err, -ENOENT, "mapping of file %" PRIu32 ", which is not defined",
			    rec->file);
	return 0;
}

static int add_symbol(struct resolver *r, struct symset *set, size_t *owner,
		      const struct symset_entry *e, struct strbuf *err)
{
	/* twice for growth by doubling and for merging; an arena's first piece */
	int ret = charge(r, 2 * (sizeof(*e) + e->name.len + e->module.len) +
				    (set->total ? 0 : 4096), owner, err);

	if (ret == 0)
		symset_add(set, e);
	return ret;
}

int resolver_ksym(struct resolver *r, const struct capture_ksym *k, struct strbuf *err)
{
	struct symset_entry e = { .addr = k->addr, .size = k->size, .name = k->name,
				  .module = k->module };

	/* the same address may have been other code, or had no name */
	r->kernel_frames = frame_cache_owner(&r->texts);
	return add_symbol(r, &r->kernel, NULL, &e, err);
}

int resolver_sym(struct resolver *r, const struct capture_sym *s, struct strbuf *err)
{
	struct symset_entry e = { .addr = s->addr, .size = s->size, .name = s->name };

	if (s->scope == CAPTURE_SYM_FILE) {
		const uint64_t *file = map64_get(&r->file_ids, s->id);

		if (!file)
			return fail(err, -ENOENT, "symbol of file %" PRIu32
				    ", which is not defined", s->id);
		return add_symbol(r, &r->files[*file]->embedded, NULL, &e, err);
	} else {
		struct resolver_image *image = resolver_image(r, s->id);

		if (!image)
			return fail(err, -ENOENT, "symbol of image %" PRIu32
				    ", which is not defined", s->id);
		image->frames = frame_cache_owner(&r->texts);
		return add_symbol(r, &image->jit, &image->charged, &e, err);
	}
}

/* ---- frames */

/*
 * The readable form of a symbol's name; of names that many addresses share it is kept
 * for `owner` by the symbol's address. Owner 0: not kept.
 */
static struct slice readable(struct resolver *r, uint32_t owner, uint64_t addr,
			     struct slice name)
{
	struct slice known;

	name = symbol_unversioned(name);
	if (r->opt.no_demangle || name.len < 2 || name.p[0] != '_')
		return name;
	if (owner && frame_cache_get(&r->texts, owner, addr, &known))
		return known;
	strbuf_reset(&r->name);
	demangle(&r->name, name);
	return owner ? frame_cache_put(&r->texts, owner, addr, strbuf_slice(&r->name))
		     : strbuf_slice(&r->name);
}

/* Builds the text in r->out. */
static struct slice frame(struct resolver *r, struct slice module, struct slice name,
			  uint64_t offset, uint64_t addr)
{
	int64_t shown = r->opt.no_offsets || offset > INT64_MAX ? -1 : (int64_t)offset;

	strbuf_reset(&r->out);
	if (r->opt.perf)
		perfscript_add_symbol(&r->out, module, name, shown, addr);
	else
		stackline_add_symbol(&r->out, module, name, shown, addr);
	return strbuf_slice(&r->out);
}

/* The file on disk cannot be used: said once a path, if the reader could do something about it. */
static void file_refuse(struct resolver *r, struct file *f, int why)
{
	struct strbuf text = STRBUF_INIT;
	bool added = true;

	f->no_table = true;
	f->problem = xmemdup0(strbuf_str(&r->err), r->err.len);
	/* bounded like everything else: a million names are not worth remembering */
	if (r->warned.len < 1 << 16)
		map64_put(&r->warned, hash_bytes(f->path, f->is.path.len), &added);
	/* of an embedded one all that is needed is in the capture */
	if (!added || f->is.flags & CAPTURE_FILE_EMBEDDED)
		return;
	r->unreadable++;
	if (why == -ESTALE && !(f->is.flags & CAPTURE_FILE_OTHER_NS) && r->opt.warn) {
		strbuf_addclean(&text, f->is.path);
		strbuf_addf(&text, ": %s; addresses only", strbuf_str(&r->err));
		r->opt.warn(r->opt.ctx, strbuf_str(&text));
	}
	strbuf_release(&text);
}

static const struct symcache_table *file_table(struct resolver *r, struct file *f)
{
	const struct symcache_table *table = NULL;
	int ret;

	if (f->no_table)
		return NULL;
	ret = symcache_get(r->tables, &f->table, &f->is, &table, &r->err);
	if (ret < 0) {
		file_refuse(r, f, ret);
		return NULL;
	}
	if (!f->source) {
		f->source = symtab_source(table->symbols);
		f->table_symbols = symtab_count(table->symbols);
		f->table_bytes = symtab_bytes(table->symbols);
	}
	return table;
}

static bool has_name(const struct file *f)
{
	return f->is.path.len && !(f->is.flags & CAPTURE_FILE_VDSO);
}

/* Before a frame of the file is shown. */
static void file_tell_build(struct resolver *r, const struct file *f)
{
	if (r->tell_build && has_name(f) && !builds_is_told(&r->builds, &f->build) &&
	    builds_tell(&r->builds, &f->build, f->is.build_id))
		r->tell_build(r->tell_ctx, f->is.build_id, f->is.path);
}

/* The frame of a file offset; `back` is 1 where the address shown lies one behind. */
static struct slice file_frame(struct resolver *r, struct file *f, uint64_t offset, unsigned back)
{
	uint64_t key = offset << 1 | back, addr = offset + back, vaddr;
	struct slice module = f->is.flags & CAPTURE_FILE_VDSO ? SLICE("[vdso]")
			    : f->is.path.len ? f->is.path : SLICE("[unknown]");
	const struct symcache_table *table;
	struct symset_entry e;
	struct symbol sym;
	struct slice text;

	file_tell_build(r, f);
	if (frame_cache_get(&r->texts, f->frames, key, &text))
		return text;
	f->addresses++;
	if (f->embedded.total && symset_find(&f->embedded, offset, &e)) {
		f->named++;
		text = frame(r, module, readable(r, 0, 0, e.name), offset + back - e.addr, addr);
		return frame_cache_put(&r->texts, f->frames, key, text);
	}
	table = f->is.flags & CAPTURE_FILE_VDSO ? NULL : file_table(r, f);
	if (table && elf_image_vaddr(table->image, offset, &vaddr)) {
		addr = vaddr + back;
		if (symtab_find(table->symbols, vaddr, &sym)) {
			f->named++;
			text = frame(r, module, readable(r, f->names, sym.addr, sym.name),
				     addr - sym.addr, addr);
			return frame_cache_put(&r->texts, f->frames, key, text);
		}
	}
	return frame_cache_put(&r->texts, f->frames, key, frame(r, module, SLICE(""), 0, addr));
}

/* The perf map on disk, if it can be that of the capture's process; NULL without one. */
static const struct perfmap *image_perfmap(struct resolver *r, const struct resolver_image *image)
{
	char name[32];
	int tmp, fd;

	if (r->perfmap_image == image->id)
		return r->perfmap;
	perfmap_free(r->perfmap);
	r->perfmap = NULL;
	r->perfmap_image = image->id;
	if ((image->ns_pid && image->ns_pid != image->pid) || !r->boot_id ||
	    r->boot_id != capture_boot_id())
		return NULL;
	tmp = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (tmp < 0)
		return NULL;
	snprintf(name, sizeof(name), "perf-%" PRIu32 ".map", image->pid);
	fd = perfmap_open(tmp, name, image->uid, NULL);
	if (fd >= 0) {
		if (perfmap_read(&r->perfmap, fd, RESOLVER_PERFMAP_MAX, NULL) < 0)
			r->perfmap = NULL;
		close(fd);
	}
	close(tmp);
	return r->perfmap;
}

/* The frame of a JIT symbol: for perf its file is the process's perf map. */
static struct slice jit_frame(struct resolver *r, const struct resolver_image *image,
			      struct slice name, uint64_t start, uint64_t ip)
{
	char map[32];

	if (!r->opt.perf)
		return frame(r, SLICE("[jit]"), name, ip - start, ip);
	snprintf(map, sizeof(map), "/tmp/perf-%" PRIu32 ".map", image->pid);
	return frame(r, slice_str(map), name, ip - start, ip);
}

/* The frame of an address that no file is behind. */
static struct slice memory_frame(struct resolver *r, struct resolver_image *image, bool mapped,
				 uint64_t at, unsigned back, bool last, bool *pending)
{
	const struct perfmap *disk;
	uint64_t key = at << 1 | back, ip = at + back;
	struct symset_entry e;
	struct symbol sym;
	struct slice text;

	if (frame_cache_get(&r->texts, image->frames, key, &text))
		return text;
	if (image->jit.total && symset_find(&image->jit, at, &e)) {
		text = jit_frame(r, image, e.name, e.addr, ip);
		return frame_cache_put(&r->texts, image->frames, key, text);
	}
	if (mapped && last && (disk = image_perfmap(r, image)) && perfmap_find(disk, at, &sym)) {
		text = jit_frame(r, image, sym.name, sym.addr, ip);
		return frame_cache_put(&r->texts, image->frames, key, text);
	}
	if (mapped && !last)
		*pending = true;
	return frame(r, mapped ? SLICE("[anon]") : SLICE("[unknown]"), SLICE(""), 0, ip);
}

struct slice resolver_user(struct resolver *r, struct resolver_image *image, uint64_t ip,
			   bool exact, bool last, bool *pending)
{
	unsigned back = !exact && ip;
	uint64_t at = ip - back;
	const struct mapping *m = NULL;
	struct file *f;

	if (!image)
		return frame(r, SLICE("[unknown]"), SLICE(""), 0, ip);
	if (image->maps)
		m = mapset_find(image->maps, at);
	if (!m)
		return memory_frame(r, image, false, at, back, last, pending);
	if (!m->file)
		return frame(r, SLICE("[unknown]"), SLICE(""), 0, ip);
	f = r->files[m->file];
	if (f->is.flags & CAPTURE_FILE_ANON)
		return memory_frame(r, image, true, at, back, last, pending);
	return file_frame(r, f, at - m->start + m->offset, back);
}

struct slice resolver_kernel(struct resolver *r, uint64_t ip, bool exact)
{
	unsigned back = !exact && ip;
	uint64_t at = ip - back, key = at << 1 | back;
	struct strbuf *module = &r->err;
	struct symset_entry e = { 0 };
	struct ksymbol k;
	struct slice text;

	if (frame_cache_get(&r->texts, r->kernel_frames, key, &text))
		return text;
	if (!symset_find(&r->kernel, at, &e) && r->opt.kallsyms &&
	    kallsyms_find(r->opt.kallsyms, at, &k))
		e = (struct symset_entry){ .addr = k.addr, .name = k.name, .module = k.module };
	strbuf_reset(module);
	strbuf_addstr(module, "[kernel");
	if (e.module.len) {
		strbuf_addch(module, ':');
		strbuf_addslice(module, e.module);
	}
	strbuf_addch(module, ']');
	text = frame(r, strbuf_slice(module), e.name.len ? readable(r, 0, 0, e.name) : e.name,
		     ip - e.addr, ip);
	return frame_cache_put(&r->texts, r->kernel_frames, key, text);
}

uint64_t resolver_unreadable(const struct resolver *r)
{
	return r->unreadable;
}
