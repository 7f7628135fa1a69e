#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/map64.h"
#include "clock.h"
#include "elf/elf_image.h"
#include "elf/symtab.h"
#include "proc/procmaps.h"
#include "rootfs.h"

enum {
	SYMTABS_KEPT = 8 << 20, /* bytes; beyond them a table is read again when it is needed */
	FDS_KEPT = 512,         /* files held open so that they can be read after their process */
};

struct file {
	uint32_t id;
	bool written;
	uint64_t mapped_ns; /* when it was first seen mapped, realtime */
	struct capture_file rec;
	uint8_t build_id[CAPTURE_BUILD_ID_MAX];
	/* of an embedded file */
	int fd;                    /* -1 if it is not held open */
	struct elf_image *image;
	struct symtab *symtab;
	struct map64 seen;         /* file offsets looked up, or to be */
	struct map64 syms;         /* addresses of symbols written */
	uint64_t *todo;            /* offsets */
	size_t ntodo, todo_cap;
};

void files_init(struct files *fs, struct capture_writer *writer)
{
	struct stat st;

	*fs = (struct files){ .writer = writer };
	fs->realtime_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	if (!stat("/proc/self/ns/mnt", &st))
		fs->own_mnt_ns = (uint32_t)st.st_ino;
}

static void file_close(struct files *fs, struct file *f)
{
	if (f->fd >= 0) {
		close(f->fd);
		fs->open_fds--;
	}
	f->fd = -1;
}

void files_release(struct files *fs)
{
	for (size_t i = 0; i < fs->keys.len; i++) {
		struct file *f = fs->files[i];

		file_close(fs, f);
		elf_image_free(f->image);
		symtab_free(f->symtab);
		map64_release(&f->seen);
		map64_release(&f->syms);
		free(f->todo);
		free(f);
	}
	free(fs->files);
	free(fs->dirty);
	intern_release(&fs->keys);
}

/* Mappings that no ELF file is behind; the names are the kernel's (mm/, fs/proc/task_mmu.c). */
static bool is_anonymous(struct slice path)
{
	return !path.len || path.p[0] != '/' || slice_starts(path, SLICE("//")) ||
	       slice_starts(path, SLICE("/memfd:")) || slice_starts(path, SLICE("/dev/zero")) ||
	       slice_starts(path, SLICE("/SYSV")) || slice_starts(path, SLICE("/anon_hugepage"));
}

uint32_t files_id(struct files *fs, const struct file_key *key)
{
	static const struct slice deleted = SLICE(" (deleted)");
	struct slice path = key->path;
	struct strbuf bytes = STRBUF_INIT;
	struct file *f;
	size_t known = fs->keys.len;
	uint32_t flags = 0, id;

	if (path.len > deleted.len &&
	    memcmp(path.p + path.len - deleted.len, deleted.p, deleted.len) == 0) {
		path.len -= deleted.len;
		flags = CAPTURE_FILE_DELETED;
	}
	if (slice_eq(path, SLICE("[vdso]"))) {
		flags = CAPTURE_FILE_VDSO;
	} else if (is_anonymous(path)) {
		flags = CAPTURE_FILE_ANON;
		if (!path.len || slice_starts(path, SLICE("//anon")) ||
		    slice_starts(path, SLICE("[anon")))
			path = SLICE("[anon]");
	}
	strbuf_addslice(&bytes, path);
	strbuf_addch(&bytes, '\0');
	if (key->build_id.len)
		strbuf_addslice(&bytes, key->build_id);
	else if (!flags || flags == CAPTURE_FILE_DELETED)
		strbuf_addf(&bytes, "%u:%u:%llu", key->dev_major, key->dev_minor,
			    (unsigned long long)key->inode);
	id = intern_add(&fs->keys, strbuf_slice(&bytes));
	strbuf_release(&bytes);
	if (id < known)
		return id + 1;

	f = xcalloc(1, sizeof(*f));
	f->id = id + 1;
	f->fd = -1;
	f->mapped_ns = key->time + fs->realtime_ns;
	f->rec = (struct capture_file){
		.id = f->id,
		.flags = flags,
		.dev_major = key->dev_major,
		.dev_minor = key->dev_minor,
		.inode = key->inode,
		.path = { intern_get(&fs->keys, id).p, path.len },
	};
	if (key->build_id.len && key->build_id.len <= sizeof(f->build_id)) {
		memcpy(f->build_id, key->build_id.p, key->build_id.len);
		f->rec.build_id = (struct slice){ (char *)f->build_id, key->build_id.len };
	}
	fs->files = grow(fs->files, id, &fs->cap, sizeof(*fs->files));
	fs->files[id] = f;
	return f->id;
}

/* Whether anyone may open it by this name: read for others, search for others on the way. */
static bool is_world_readable(const struct file *f)
{
	char *copy = xmemdup0(f->rec.path.p, f->rec.path.len);
	struct stat st;
	bool ok = !stat(copy, &st) && (st.st_mode & S_IROTH);

	for (char *slash = copy; ok && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		ok = !stat(copy, &st) && (st.st_mode & S_IXOTH);
		*slash = '/';
	}
	free(copy);
	return ok;
}

/* Never waits (a FIFO at the path), never takes a terminal. */
enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

/*
 * Whether the open file is the one that was mapped. The build-id decides where the
 * mapping came with one; else the inode (overlay and btrfs give mappings another
 * device than stat does), which must not have changed since: a file that is written
 * again, or that has got the number of one deleted, is not the one.
 */
static uint64_t stat_changed_ns(const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec * 1000000000u + (uint64_t)st->st_ctim.tv_nsec;
}

static bool is_same_file(const struct file *f, const struct elf_image *image,
			 const struct stat *st)
{
	if (f->rec.build_id.len)
		return image && slice_eq(elf_image_build_id(image), f->rec.build_id);
	return (!f->rec.inode || f->rec.inode == st->st_ino) && stat_changed_ns(st) <= f->mapped_ns;
}

/*
 * Takes what was opened (a negative errno is none) if it is the mapped file: *image is
 * its ELF image, NULL if it is none. Else closes it.
 */
static bool take(struct file *f, int fd, struct elf_image **image, struct stat *st)
{
	*image = NULL;
	if (fd < 0)
		return false;
	if (!fstat(fd, st) && S_ISREG(st->st_mode)) {
		if (elf_image_open(image, fd, NULL))
			*image = NULL;
		if (is_same_file(f, *image, st))
			return true;
	}
	elf_image_free(*image);
	*image = NULL;
	close(fd);
	return false;
}

/* What the file itself tells is more than the mapping did. */
static void describe(struct file *f, const struct elf_image *image, const struct stat *st)
{
	struct slice id = image ? elf_image_build_id(image) : (struct slice){ "", 0 };

	f->rec.size = (uint64_t)st->st_size;
	f->rec.mtime_ns = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
			  (uint64_t)st->st_mtim.tv_nsec;
	if (!f->rec.inode) {
		f->rec.inode = st->st_ino;
		f->rec.dev_major = major(st->st_dev);
		f->rec.dev_minor = minor(st->st_dev);
	}
	if (!f->rec.build_id.len && id.len && id.len <= sizeof(f->build_id)) {
		memcpy(f->build_id, id.p, id.len);
		f->rec.build_id = (struct slice){ (char *)f->build_id, id.len };
	}
}

/* The vdso of this process: every one of the machine's word size has the same image. */
static struct elf_image *open_vdso(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct elf_image *image = NULL;
	struct procmaps_line m;
	struct slice line;
	struct input in;

	if (fd < 0)
		return NULL;
	input_init(&in, fd, NULL);
	while (!image && input_line(&in, &line) > 0)
		if (!procmaps_parse(line, &m) && slice_eq(m.path, SLICE("[vdso]")) &&
		    elf_image_memory(&image, (const void *)(uintptr_t)m.start, m.end - m.start,
				     NULL))
			image = NULL;
	input_release(&in);
	close(fd);
	return image;
}

/* Through its process, or one that started it and may share its root; one must still live. */
static int open_by_process(struct file *f, const char *path, const struct file_hit *hit,
			   struct elf_image **image, struct stat *st)
{
	char way[96];
	int fd;

	snprintf(way, sizeof(way), "/proc/%u/map_files/%llx-%llx", hit->pids[0],
		 (unsigned long long)hit->start, (unsigned long long)hit->end);
	fd = open(way, OPEN_FLAGS);
	if (take(f, fd, image, st))
		return fd;
	for (size_t i = 0; i < hit->npids; i++) {
		fd = rootfs_open(hit->pids[i], path, OPEN_FLAGS);
		if (take(f, fd, image, st))
			return fd;
	}
	return -ENOENT;
}

/*
 * Opens it: under its own name, as stack-resolve will (in another namespace a name is not
 * enough), else through a process. *own_name tells which; fd -1: it cannot be opened.
 */
static struct file_image open_any(const struct files *fs, struct file *f,
				  const struct file_hit *hit, struct stat *st, bool *own_name)
{
	char *path = xmemdup0(f->rec.path.p, f->rec.path.len);
	bool other_ns = hit->mnt_ns && fs->own_mnt_ns && hit->mnt_ns != fs->own_mnt_ns;
	struct file_image out = { .fd = -1 };

	if (!other_ns || f->rec.build_id.len)
		out.fd = open(path, OPEN_FLAGS);
	*own_name = take(f, out.fd, &out.elf, st);
	if (!*own_name)
		out.fd = open_by_process(f, path, hit, &out.elf, st);
	free(path);
	return out;
}

/* Describes it, and holds it open if stack-resolve's user could not open it. */
static void look_at_file(struct files *fs, struct file *f, const struct file_hit *hit)
{
	bool other_ns = hit->mnt_ns && fs->own_mnt_ns && hit->mnt_ns != fs->own_mnt_ns;
	struct file_image open;
	struct stat st;
	bool own_name;

	open = open_any(fs, f, hit, &st, &own_name);
	if (own_name)
		f->rec.flags &= ~(uint32_t)CAPTURE_FILE_DELETED;
	else
		f->rec.flags |= other_ns ? CAPTURE_FILE_OTHER_NS : CAPTURE_FILE_DELETED;
	if (open.fd >= 0)
		describe(f, open.elf, &st);
	if (open.elf && fs->open_fds < FDS_KEPT && !(own_name && is_world_readable(f))) {
		f->rec.flags |= CAPTURE_FILE_EMBEDDED;
		f->image = open.elf;
		f->fd = open.fd;
		fs->open_fds++;
	} else {
		file_image_close(&open);
	}
}

struct slice files_path(const struct files *fs, uint32_t id)
{
	return fs->files[id - 1]->rec.path;
}

bool files_is_anonymous(const struct files *fs, uint32_t id)
{
	return fs->files[id - 1]->rec.flags & CAPTURE_FILE_ANON;
}

struct file_image files_open(struct files *fs, uint32_t id, const struct file_hit *hit)
{
	struct file *f = fs->files[id - 1];
	struct file_image out = { .fd = -1 };
	struct stat st;
	bool own_name;

	if (f->rec.flags & CAPTURE_FILE_VDSO)
		out.elf = open_vdso();
	else if (!(f->rec.flags & CAPTURE_FILE_ANON))
		out = open_any(fs, f, hit, &st, &own_name);
	return out;
}

void file_image_close(struct file_image *f)
{
	elf_image_free(f->elf);
	if (f->fd >= 0)
		close(f->fd);
}

static void file_write(struct files *fs, struct file *f, const struct file_hit *hit)
{
	struct capture_record rec = { .type = CAPTURE_FILE };

	f->written = true;
	if (f->rec.flags & CAPTURE_FILE_VDSO) {
		f->image = open_vdso();
		if (f->image)
			f->rec.flags |= CAPTURE_FILE_EMBEDDED;
	} else if (!(f->rec.flags & CAPTURE_FILE_ANON)) {
		look_at_file(fs, f, hit);
	}
	rec.file = f->rec;
	capture_write(fs->writer, &rec);
}

bool files_hit(struct files *fs, uint32_t id, const struct file_hit *hit)
{
	struct file *f = fs->files[id - 1];
	bool added;

	if (!f->written)
		file_write(fs, f, hit);
	if (f->rec.flags & CAPTURE_FILE_EMBEDDED) {
		map64_put(&f->seen, hit->offset, &added);
		if (added) {
			if (!f->ntodo) {
				fs->dirty = grow(fs->dirty, fs->ndirty, &fs->dirty_cap,
						 sizeof(*fs->dirty));
				fs->dirty[fs->ndirty++] = f;
			}
			f->todo = grow(f->todo, f->ntodo, &f->todo_cap, sizeof(*f->todo));
			f->todo[f->ntodo++] = hit->offset;
		}
	}
	return f->rec.flags & CAPTURE_FILE_ANON;
}

static void write_symbol(struct files *fs, struct file *f, uint64_t offset)
{
	struct capture_record rec = { .type = CAPTURE_SYM };
	struct symbol sym;
	uint64_t vaddr;
	bool added;

	if (!elf_image_vaddr(f->image, offset, &vaddr) || !symtab_find(f->symtab, vaddr, &sym))
		return;
	map64_put(&f->syms, sym.addr, &added);
	if (!added)
		return;
	rec.sym = (struct capture_sym){
		.scope = CAPTURE_SYM_FILE,
		.id = f->id,
		.addr = offset - (vaddr - sym.addr),
		.size = sym.size,
		.name = sym.name,
	};
	capture_write(fs->writer, &rec);
}

void files_write_symbols(struct files *fs)
{
	for (size_t i = 0; i < fs->ndirty; i++) {
		struct file *f = fs->dirty[i];
		bool kept = f->symtab;

		if (!kept && symtab_read(&f->symtab, f->image, NULL))
			f->symtab = NULL;
		for (size_t k = 0; f->symtab && k < f->ntodo; k++)
			write_symbol(fs, f, f->todo[k]);
		f->ntodo = 0;
		if (kept || !f->symtab)
			continue;
		if (fs->symtab_bytes + symtab_bytes(f->symtab) > SYMTABS_KEPT) {
			symtab_free(f->symtab);
			f->symtab = NULL;
		} else {
			fs->symtab_bytes += symtab_bytes(f->symtab);
		}
	}
	fs->ndirty = 0;
}
