#include "sideband.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"

/* A process's life is about 2 KB of records; the first of them wakes the reader. */
enum { RING_BYTES = 256 << 10 };

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	const uint8_t *data;
};

/* A record copied out of its ring, at `at` in sideband.bytes. */
struct copied {
	uint64_t time;
	size_t at;
	uint32_t order; /* among equal times */
	uint16_t size;
};

struct sideband {
	struct ring *rings;
	size_t nrings;
	size_t page_size;
	struct strbuf bytes;
	struct copied *copied;
	size_t len, cap;
};

static int open_dummy(int cpu, bool build_id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.disabled = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = build_id,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int ring_open(struct ring *ring, int cpu, size_t page_size, struct strbuf *err)
{
	void *p;

	ring->fd = open_dummy(cpu, true);
	if (ring->fd < 0 && errno == EINVAL)
		ring->fd = open_dummy(cpu, false);
	if (ring->fd < 0 && errno == ENODEV)
		return 0; /* offline by now */
	if (ring->fd < 0)
		return fail(err, -errno, "CPU %d: cannot follow processes: %s%s", cpu,
			    strerror(errno),
			    errno == EACCES || errno == EPERM
				    ? " (run it with sudo, or with CAP_PERFMON)"
			    : errno == EMFILE ? ": raise the limit (ulimit -n)"
					      : "");
	p = mmap(NULL, page_size + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (p == MAP_FAILED)
		return fail(err, -errno, "CPU %d: cannot map a ring of %d KB: %s%s", cpu,
			    RING_BYTES >> 10, strerror(errno),
			    errno == EPERM ? " (see kernel.perf_event_mlock_kb)" : "");
	ring->page = p;
	ring->data = (const uint8_t *)p + page_size;
	ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0);
	return 0;
}

int sideband_open(struct sideband **out, const uint64_t *cpus, size_t ncpus, struct strbuf *err)
{
	struct sideband *sb = xcalloc(1, sizeof(*sb));
	int r = 0;

	*out = sb;
	sb->page_size = (size_t)sysconf(_SC_PAGESIZE);
	sb->rings = xcalloc(ncpus, sizeof(*sb->rings));
	sb->nrings = ncpus;
	for (size_t i = 0; i < ncpus; i++)
		sb->rings[i].fd = -1;
	for (size_t i = 0; i < ncpus && !r; i++)
		r = ring_open(&sb->rings[i], (int)cpus[i], sb->page_size, err);
	return r;
}

void sideband_close(struct sideband *sb)
{
	if (!sb)
		return;
	for (size_t i = 0; i < sb->nrings; i++) {
		if (sb->rings[i].page)
			munmap(sb->rings[i].page, sb->page_size + RING_BYTES);
		if (sb->rings[i].fd >= 0)
			close(sb->rings[i].fd);
	}
	free(sb->rings);
	free(sb->copied);
	strbuf_release(&sb->bytes);
	free(sb);
}

size_t sideband_count(const struct sideband *sb)
{
	return sb->nrings;
}

size_t sideband_pollfds(const struct sideband *sb, struct pollfd *fds)
{
	size_t n = 0;

	for (size_t i = 0; i < sb->nrings; i++)
		if (sb->rings[i].fd >= 0)
			fds[n++] = (struct pollfd){ .fd = sb->rings[i].fd, .events = POLLIN };
	return n;
}

/* n bytes at a ring position, which may wrap, appended to sb->bytes. */
static void copy_out(struct sideband *sb, const struct ring *ring, uint64_t pos, size_t n)
{
	size_t at = pos & (RING_BYTES - 1);
	size_t first = n < RING_BYTES - at ? n : RING_BYTES - at;

	strbuf_add(&sb->bytes, ring->data + at, first);
	strbuf_add(&sb->bytes, ring->data, n - first);
}

/* With sample_id_all and PERF_SAMPLE_TIME alone, a record ends in its time. */
static void ring_read(struct sideband *sb, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		struct copied c = { .at = sb->bytes.len, .order = (uint32_t)sb->len };
		struct perf_event_header header;

		copy_out(sb, ring, tail, sizeof(header));
		memcpy(&header, sb->bytes.buf + c.at, sizeof(header));
		sb->bytes.len = c.at;
		if (header.size < sizeof(header) + sizeof(c.time))
			break; /* cannot be; do not spin */
		copy_out(sb, ring, tail, header.size);
		memcpy(&c.time, sb->bytes.buf + sb->bytes.len - sizeof(c.time), sizeof(c.time));
		c.size = header.size;
		sb->copied = grow(sb->copied, sb->len, &sb->cap, sizeof(*sb->copied));
		sb->copied[sb->len++] = c;
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
	const struct copied *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* The NUL-padded string that fills the rest of a record. */
static struct slice get_name(struct cursor *c)
{
	struct slice s = cursor_slice(c, cursor_left(c));

	return (struct slice){ s.p, strnlen(s.p, s.len) };
}

static bool get_mmap2(struct cursor *c, uint16_t misc, struct sideband_event *e)
{
	e->type = SIDEBAND_MMAP;
	e->pid = cursor_u32(c);
	cursor_skip(c, 4);
	e->start = cursor_u64(c);
	e->length = cursor_u64(c);
	e->offset = cursor_u64(c);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		size_t n = cursor_u8(c);

		cursor_skip(c, 3);
		e->build_id = cursor_slice(c, 20);
		e->build_id.len = n < 20 ? n : 20;
	} else {
		e->dev_major = cursor_u32(c);
		e->dev_minor = cursor_u32(c);
		e->inode = cursor_u64(c);
		cursor_skip(c, 8);
	}
	cursor_skip(c, 8); /* prot, flags */
	e->name = get_name(c);
	return (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER && e->length;
}

static bool get_comm(struct cursor *c, uint16_t misc, struct sideband_event *e)
{
	uint32_t tid;

	e->type = misc & PERF_RECORD_MISC_COMM_EXEC ? SIDEBAND_EXEC : SIDEBAND_COMM;
	e->pid = cursor_u32(c);
	tid = cursor_u32(c);
	e->name = get_name(c);
	return e->type == SIDEBAND_EXEC || tid == e->pid;
}

static bool get_task(struct cursor *c, uint32_t type, struct sideband_event *e)
{
	uint32_t tid;

	e->type = type == PERF_RECORD_FORK ? SIDEBAND_FORK : SIDEBAND_EXIT;
	e->pid = cursor_u32(c);
	e->ppid = cursor_u32(c);
	tid = cursor_u32(c);
	return tid == e->pid;
}

static bool get_ksymbol(struct cursor *c, struct sideband_event *e)
{
	uint16_t flags;

	e->type = SIDEBAND_KSYM;
	e->start = cursor_u64(c);
	e->length = cursor_u32(c);
	cursor_skip(c, 2);
	flags = cursor_u16(c);
	e->name = get_name(c);
	return !(flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
}

static bool decode(const void *buf, size_t len, struct sideband_event *e)
{
	struct cursor c = cursor_of(buf, len - sizeof(uint64_t));
	uint32_t type = cursor_u32(&c);
	uint16_t misc = cursor_u16(&c);
	bool wanted = false;

	cursor_skip(&c, 2);
	switch (type) {
	case PERF_RECORD_MMAP2:
		wanted = get_mmap2(&c, misc, e);
		break;
	case PERF_RECORD_COMM:
		wanted = get_comm(&c, misc, e);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		wanted = get_task(&c, type, e);
		break;
	case PERF_RECORD_KSYMBOL:
		wanted = get_ksymbol(&c, e);
		break;
	case PERF_RECORD_LOST:
		cursor_skip(&c, 8);
		e->type = SIDEBAND_LOST;
		e->lost = cursor_u64(&c);
		wanted = true;
		break;
	}
	return wanted && !c.bad;
}

void sideband_read(struct sideband *sb, sideband_fn *fn, void *ctx)
{
	for (size_t i = 0; i < sb->nrings; i++)
		if (sb->rings[i].page)
			ring_read(sb, &sb->rings[i]);
	if (sb->len)
		qsort(sb->copied, sb->len, sizeof(*sb->copied), by_time);
	for (size_t i = 0; i < sb->len; i++) {
		struct sideband_event e = { .time = sb->copied[i].time };

		if (decode(sb->bytes.buf + sb->copied[i].at, sb->copied[i].size, &e))
			fn(ctx, &e);
	}
	sb->len = 0;
	strbuf_reset(&sb->bytes);
}
