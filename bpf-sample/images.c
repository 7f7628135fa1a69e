#include "images.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/stream.h"
#include "clock.h"
#include "proc/procmaps.h"
#include "spaces.h"

void images_init(struct images *im, struct files *files, bool only_known)
{
	*im = (struct images){ .files = files, .only_known = only_known };
}

void image_free(struct image *image)
{
	space_free(image->space);
	mapset_free(image->maps);
	free(image);
}

void images_release(struct images *im)
{
	struct map64_slot *slot;
	size_t pos = 0;

	while ((slot = map64_next(&im->by_pid, &pos))) {
		struct image *image = (struct image *)(uintptr_t)slot->value, *older;

		for (; image; image = older) {
			older = image->older;
			image_free(image);
		}
	}
	map64_release(&im->by_pid);
	free(im->changed);
}

static struct image *newest(const struct images *im, uint32_t pid)
{
	uint64_t *at = map64_get(&im->by_pid, pid);

	return at ? (struct image *)(uintptr_t)*at : NULL;
}

/* A new newest image of its pid; takes the mapset over. */
static struct image *image_new(struct images *im, uint32_t pid, uint64_t begin, uint16_t origin,
			       struct mapset *maps)
{
	uint64_t *at = map64_put(&im->by_pid, pid, NULL);
	struct image *image = xcalloc(1, sizeof(*image));

	image->pid = pid;
	image->begin = begin;
	image->origin = origin;
	image->uid = UINT32_MAX;
	image->maps = maps;
	image->older = (struct image *)(uintptr_t)*at;
	if (image->older && !image->older->dead)
		image->older->dead = begin ? begin : now_ns();
	*at = (uintptr_t)image;
	return image;
}

static void set_comm(struct image *image, struct slice name)
{
	size_t n = name.len < sizeof(image->comm) ? name.len : sizeof(image->comm) - 1;

	memset(image->comm, 0, sizeof(image->comm));
	memcpy(image->comm, name.p, n);
}

static void add_mapping(struct images *im, struct image *image, uint64_t start, uint64_t end,
			uint64_t offset, const struct file_key *key)
{
	struct mapping m = {
		.start = start,
		.end = end,
		.offset = offset,
		.file = files_id(im->files, key),
	};

	mapset_insert(&image->maps, &m);
	if (image->space && !image->space_stale) {
		image->space_stale = true;
		im->changed = grow(im->changed, im->nchanged, &im->changed_cap,
				   sizeof(*im->changed));
		im->changed[im->nchanged++] = image;
	}
}

struct image *images_next_changed(struct images *im)
{
	while (im->nchanged) {
		struct image *image = im->changed[--im->nchanged];

		if (image->space_stale)
			return image;
	}
	return NULL;
}

static int open_proc(uint32_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void scan_comm(struct image *image)
{
	char buf[64];
	int fd = open_proc(image->pid, "comm");
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf));

	if (n > 0)
		set_comm(image, (struct slice){ buf, (size_t)n - (buf[n - 1] == '\n') });
	if (fd >= 0)
		close(fd);
}

static void scan_maps(struct images *im, struct image *image, int fd)
{
	struct strbuf path = STRBUF_INIT;
	struct procmaps_line m;
	struct slice line;
	struct input in;

	input_init(&in, fd, NULL);
	while (input_line(&in, &line) > 0) {
		struct file_key key;

		if (procmaps_parse(line, &m) || !m.exec || m.start >= m.end)
			continue;
		strbuf_reset(&path);
		procmaps_unescape(&path, m.path);
		if (m.deleted)
			strbuf_addstr(&path, " (deleted)");
		key = (struct file_key){
			.path = strbuf_slice(&path),
			.dev_major = m.dev_major,
			.dev_minor = m.dev_minor,
			.inode = m.inode,
			.time = now_ns(),
		};
		add_mapping(im, image, m.start, m.end, m.offset, &key);
	}
	input_release(&in);
	strbuf_release(&path);
}

/* A thread of the process that has not ended: its leader, or if that has, another; 0 none. */
static uint32_t live_thread(uint32_t pid)
{
	char path[64];
	struct dirent *entry;
	uint64_t tid, found = 0;
	char byte;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		if (number_u64(slice_str(entry->d_name), &tid))
			continue;
		/* what has ended has no memory left */
		fd = open_proc((uint32_t)tid, "maps");
		if (fd >= 0 && read(fd, &byte, 1) == 1)
			found = tid;
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	return (uint32_t)found;
}

/* Into the newest image, or into a new one. */
int images_scan(struct images *im, uint32_t pid)
{
	struct image *image = newest(im, pid);
	uint64_t now = now_ns();
	uint32_t tid = live_thread(pid);
	int fd = open_proc(tid ? tid : pid, "maps");

	if (fd < 0)
		return -ESRCH;
	if (!image || image->dead)
		image = image_new(im, pid, 0, CAPTURE_ORIGIN_SCAN, mapset_new());
	image->scanned = now;
	scan_maps(im, image, fd);
	if (!image->comm[0])
		scan_comm(image);
	close(fd);
	return 0;
}

int images_scan_all(struct images *im, struct strbuf *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	uint64_t pid;

	if (!dir)
		return fail(err, -errno, "/proc: %s", strerror(errno));
	while ((entry = readdir(dir)))
		if (!number_u64(slice_str(entry->d_name), &pid) && pid <= UINT32_MAX)
			images_scan(im, (uint32_t)pid);
	closedir(dir);
	return 0;
}

static void on_fork(struct images *im, const struct sideband_event *e)
{
	struct image *parent = newest(im, e->ppid), *image = newest(im, e->pid);

	if (im->only_known && !parent)
		return;
	if (image && !image->dead && image->scanned > e->time)
		return; /* the scan found it already */
	image = image_new(im, e->pid, e->time, CAPTURE_ORIGIN_FORK,
			  parent ? mapset_share(parent->maps) : mapset_new());
	image->ppid = e->ppid;
	if (parent) {
		image->parent_id = parent->id;
		memcpy(image->comm, parent->comm, sizeof(image->comm));
		image->space = space_share(parent->space);
	}
}

static void on_exec(struct images *im, const struct sideband_event *e)
{
	struct image *old = newest(im, e->pid), *image;

	if (im->only_known && !old)
		return;
	if (old && old->scanned > e->time)
		return;
	image = image_new(im, e->pid, e->time, CAPTURE_ORIGIN_EXEC, mapset_new());
	if (old) {
		image->ppid = old->ppid;
		image->parent_id = old->id;
	}
	set_comm(image, e->name);
}

static void on_mmap(struct images *im, const struct sideband_event *e)
{
	struct image *image = newest(im, e->pid);
	struct file_key key = {
		.path = e->name,
		.build_id = e->build_id,
		.dev_major = e->dev_major,
		.dev_minor = e->dev_minor,
		.inode = e->inode,
		.time = e->time,
	};
	uint64_t end;

	if (!image && im->only_known)
		return;
	if (image && image->scanned > e->time)
		return;
	if (__builtin_add_overflow(e->start, e->length, &end))
		return;
	if (!image)
		image = image_new(im, e->pid, 0, CAPTURE_ORIGIN_SEEN, mapset_new());
	add_mapping(im, image, e->start, end, e->offset, &key);
}

void images_event(void *ctx, const struct sideband_event *e)
{
	struct images *im = ctx;
	struct image *image;

	switch (e->type) {
	case SIDEBAND_FORK:
		on_fork(im, e);
		break;
	case SIDEBAND_EXEC:
		on_exec(im, e);
		break;
	case SIDEBAND_MMAP:
		on_mmap(im, e);
		break;
	case SIDEBAND_COMM:
		image = newest(im, e->pid);
		if (image)
			set_comm(image, e->name);
		break;
	case SIDEBAND_EXIT:
		image = newest(im, e->pid);
		if (image && !image->dead)
			image->leader_ended = e->time;
		break;
	case SIDEBAND_KSYM:
		im->on_ksym(im->ctx, e);
		break;
	case SIDEBAND_LOST:
		im->lost += e->lost;
		break;
	}
}

struct image *images_find(struct images *im, uint32_t pid, uint64_t born)
{
	struct image *image = newest(im, pid);

	for (; image; image = image->older)
		if (image->begin <= born)
			return image;
	/*
	 * Its beginning was not seen: events were lost, or it is a kernel thread or the
	 * idle task. What /proc says now may be a later program's, but only if it exec'd
	 * within this interval.
	 */
	image = newest(im, pid);
	if (image && !image->dead)
		return image;
	if (images_scan(im, pid))
		image_new(im, pid, born, CAPTURE_ORIGIN_SEEN, mapset_new());
	image = newest(im, pid);
	image->origin = CAPTURE_ORIGIN_SEEN;
	image->begin = born;
	return image;
}

void images_sampled(struct image *image, uint32_t tid, const struct sample_info *info)
{
	image->tid = tid;
	image->uid = info->uid;
	image->ns_pid = info->ns_pid;
	image->mnt_ns = info->mnt_ns;
}

struct file_hit images_hit(const struct images *im, const struct image *image,
			   const struct mapping *m, uint64_t addr)
{
	struct file_hit hit = {
		.mnt_ns = image->mnt_ns,
		.start = m->start,
		.end = m->end,
		.offset = m->offset + (addr - m->start),
	};

	while (image && hit.npids < FILE_HIT_PIDS) {
		hit.pids[hit.npids++] = image->tid ? image->tid : image->pid;
		image = image->ppid && image->ppid != image->pid ? newest(im, image->ppid) : NULL;
	}
	return hit;
}

struct image *images_take_dead(struct images *im, uint64_t before, size_t *pos)
{
	struct map64_slot *slot;
	size_t at = *pos;

	while ((slot = map64_next(&im->by_pid, &at))) {
		struct image *image = (struct image *)(uintptr_t)slot->value, *newer = NULL;

		/* a process lives until its last thread ends, which no event of its leader tells */
		if (image->leader_ended && !image->dead) {
			if (live_thread(image->pid))
				image->leader_ended = UINT64_MAX;
			else if (image->leader_ended == UINT64_MAX)
				image->dead = now_ns();
			else
				image->dead = image->leader_ended;
		}
		for (; image; newer = image, image = image->older) {
			if (!image->dead || image->dead >= before)
				continue;
			if (newer)
				newer->older = image->older;
			else if (image->older)
				slot->value = (uintptr_t)image->older;
			else
				map64_delete(&im->by_pid, image->pid);
			return image;
		}
		*pos = at;
	}
	return NULL;
}
