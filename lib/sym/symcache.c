#include "sym/symcache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map64.h"

/* What stat says of a file whose content is the same. */
struct identity {
	uint64_t dev, inode, size;
	int64_t mtime_ns, ctime_ns;
};

struct slot {
	struct symcache_table table; /* symbols NULL: free */
	struct identity identity;
	uint64_t used;       /* the clock at its last use */
	uint32_t generation; /* grows when the slot changes hands */
	size_t bytes;
};

struct symcache {
	struct slot *slots;
	size_t len, cap;
	struct map64 by_identity; /* hash of the identity → slot; a collision costs a re-read */
	size_t budget, bytes;
	uint64_t clock;
};

struct symcache *symcache_new(size_t budget)
{
	struct symcache *cache = xcalloc(1, sizeof(*cache));

	cache->budget = budget;
	return cache;
}

static uint64_t identity_hash(const struct identity *id)
{
	return hash_bytes(id, sizeof(*id));
}

static void slot_drop(struct symcache *cache, struct slot *s)
{
	map64_delete(&cache->by_identity, identity_hash(&s->identity));
	cache->bytes -= s->bytes;
	elf_image_free(s->table.image);
	symtab_free(s->table.symbols);
	*s = (struct slot){ .generation = s->generation };
}

void symcache_free(struct symcache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->len; i++)
		if (cache->slots[i].table.symbols)
			slot_drop(cache, &cache->slots[i]);
	free(cache->slots);
	map64_release(&cache->by_identity);
	free(cache);
}

/* Makes room for `need` bytes; returns a slot that is free. */
static struct slot *slot_take(struct symcache *cache, size_t need)
{
	for (;;) {
		struct slot *oldest = NULL, *free_one = NULL;

		for (size_t i = 0; i < cache->len; i++) {
			struct slot *s = &cache->slots[i];

			if (!s->table.symbols)
				free_one = s;
			else if (!oldest || s->used < oldest->used)
				oldest = s;
		}
		if (oldest && cache->bytes + need > cache->budget) {
			slot_drop(cache, oldest);
			continue;
		}
		if (free_one)
			return free_one;
		cache->slots = grow(cache->slots, cache->len, &cache->cap, sizeof(*cache->slots));
		cache->slots[cache->len] = (struct slot){ 0 };
		return &cache->slots[cache->len++];
	}
}

/* Whether the file behind st is the one the capture means, as far as stat can tell. */
static int check_stat(const struct capture_file *want, const struct stat *st, struct strbuf *err)
{
	uint64_t mtime_ns = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
			    (uint64_t)st->st_mtim.tv_nsec;
	bool same;

	if (!S_ISREG(st->st_mode))
		return fail(err, -EINVAL, "not a regular file");
	if (want->build_id.len)
		return 0;
	if (want->flags & CAPTURE_FILE_OTHER_NS)
		return fail(err, -ESTALE, "of another mount namespace, and without a build-id");
	if (want->flags & CAPTURE_FILE_DELETED)
		return fail(err, -ESTALE, "deleted or replaced when it was captured");
	if (want->size && want->mtime_ns)
		same = want->size == (uint64_t)st->st_size && want->mtime_ns == mtime_ns;
	else if (want->inode)
		same = want->inode == st->st_ino && want->dev_major == major(st->st_dev) &&
		       want->dev_minor == minor(st->st_dev);
	else
		return fail(err, -ESTALE, "the capture has nothing to recognize it by");
	return same ? 0 : fail(err, -ESTALE, "replaced since the capture");
}

static int check_build_id(const struct capture_file *want, const struct elf_image *image,
			  struct strbuf *err)
{
	if (!want->build_id.len || slice_eq(want->build_id, elf_image_build_id(image)))
		return 0;
	return fail(err, -ESTALE, want->flags & CAPTURE_FILE_OTHER_NS
			? "of another mount namespace; the file here has another build-id"
			: "replaced since the capture: its build-id differs");
}

static int slot_fill(struct symcache *cache, const struct identity *id, int fd,
		     const struct capture_file *want, struct slot **out, struct strbuf *err)
{
	struct symcache_table table = { 0 };
	struct slot *s;
	size_t bytes;
	int ret;

	ret = elf_image_open(&table.image, fd, err);
	if (ret < 0)
		return ret;
	/* before the symbols, so that of a replaced file no more is read */
	ret = check_build_id(want, table.image, err);
	if (ret == 0)
		ret = symtab_read(&table.symbols, table.image, err);
	if (ret < 0) {
		elf_image_free(table.image);
		return ret;
	}
	bytes = symtab_bytes(table.symbols) + 4096;
	s = slot_take(cache, bytes);
	*s = (struct slot){ table, *id, 0, s->generation + 1, bytes };
	cache->bytes += bytes;
	*map64_put(&cache->by_identity, identity_hash(id), NULL) = (uint64_t)(s - cache->slots);
	*out = s;
	return 0;
}

static int open_regular(const struct capture_file *want, struct stat *st, struct strbuf *err)
{
	char *path;
	int fd = -1, ret = 0;

	if (!want->path.len || want->path.p[0] != '/' || memchr(want->path.p, 0, want->path.len))
		return fail(err, -ENOENT, "not an absolute path");
	path = xmemdup0(want->path.p, want->path.len);
	/* stat first: opening a device may do something, even if it is closed at once */
	if (stat(path, st) < 0)
		ret = fail(err, -errno, "%s", strerror(errno));
	else
		ret = check_stat(want, st, err);
	if (ret == 0) {
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, st) < 0)
			ret = fail(err, -errno, "%s", strerror(errno));
		else
			ret = check_stat(want, st, err);
	}
	if (ret < 0 && fd >= 0)
		close(fd);
	free(path);
	return ret < 0 ? ret : fd;
}

int symcache_get(struct symcache *cache, struct symcache_ref *ref, const struct capture_file *want,
		 const struct symcache_table **out, struct strbuf *err)
{
	struct identity id;
	struct stat st;
	struct slot *s = NULL;
	uint64_t *found;
	int fd, ret = 0;

	if (ref->generation && ref->slot < cache->len) {
		s = &cache->slots[ref->slot];
		if (s->generation != ref->generation || !s->table.symbols)
			s = NULL;
	}
	if (!s) {
		fd = open_regular(want, &st, err);
		if (fd < 0)
			return fd;
		id = (struct identity){ st.st_dev, st.st_ino, (uint64_t)st.st_size,
			st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec,
			st.st_ctim.tv_sec * 1000000000ll + st.st_ctim.tv_nsec };
		found = map64_get(&cache->by_identity, identity_hash(&id));
		if (found && memcmp(&cache->slots[*found].identity, &id, sizeof(id)) == 0) {
			s = &cache->slots[*found];
			ret = check_build_id(want, s->table.image, err);
		} else {
			ret = slot_fill(cache, &id, fd, want, &s, err);
		}
		close(fd);
		if (ret < 0)
			return ret;
		*ref = (struct symcache_ref){ (uint32_t)(s - cache->slots), s->generation };
	}
	s->used = ++cache->clock;
	*out = &s->table;
	return 0;
}
