#include "ksyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stream.h"
#include "clock.h"
#include "sym/kallsyms.h"

/* Reading it takes some 50 ms; code without symbols must not cause that each interval. */
#define READ_AGAIN_NS 10000000000ull
enum { EVENTS_MAX = 65536 };

struct ksym_event {
	uint64_t addr, size;
	const char *name;
};

void ksyms_init(struct ksyms *ks, struct capture_writer *writer)
{
	*ks = (struct ksyms){ .writer = writer };
}

void ksyms_release(struct ksyms *ks)
{
	kallsyms_free(ks->table);
	map64_release(&ks->written);
	map64_release(&ks->missing);
	arena_release(&ks->names);
	free(ks->events);
}

void ksyms_event(struct ksyms *ks, const struct sideband_event *e)
{
	/* whatever was there before */
	map64_delete(&ks->written, e->start);
	if (ks->nevents == EVENTS_MAX)
		return;
	if (!ks->nevents || e->start < ks->events_low)
		ks->events_low = e->start;
	if (e->start + e->length > ks->events_high)
		ks->events_high = e->start + e->length;
	ks->events = grow(ks->events, ks->nevents, &ks->events_cap, sizeof(*ks->events));
	ks->events[ks->nevents++] = (struct ksym_event){
		.addr = e->start,
		.size = e->length,
		.name = arena_dup(&ks->names, e->name.p, e->name.len),
	};
}

static void read_table(struct ksyms *ks, struct strbuf *note)
{
	struct strbuf why = STRBUF_INIT;
	struct kallsyms *table = NULL;
	struct input in;
	int fd, r;

	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		r = fail(&why, -errno, "%s", strerror(errno));
	} else {
		input_init(&in, fd, NULL);
		r = kallsyms_read(&table, &in, &why);
		input_release(&in);
		close(fd);
	}
	if (!r) {
		kallsyms_free(ks->table);
		ks->table = table;
	} else if (!ks->warned) {
		ks->warned = true;
		fail(note, r, "kernel functions will be addresses: /proc/kallsyms: %s%s",
		     strbuf_str(&why),
		     r == -EPERM ? " (set kernel.kptr_restrict to 0 or 1, or add CAP_SYSLOG)" : "");
	}
	strbuf_release(&why);
}

/* The newest code at the address, what the events told included. */
static bool find(struct ksyms *ks, uint64_t addr, struct ksymbol *out)
{
	size_t n = addr >= ks->events_low && addr < ks->events_high ? ks->nevents : 0;

	while (n-- > 0) {
		const struct ksym_event *e = &ks->events[n];

		if (addr - e->addr < e->size) {
			*out = (struct ksymbol){
				.addr = e->addr,
				.size = e->size,
				.module = SLICE("bpf"),
				.name = slice_str(e->name),
			};
			return true;
		}
	}
	return ks->table && kallsyms_find(ks->table, addr, out);
}

void ksyms_hit(struct ksyms *ks, uint64_t addr, struct strbuf *note)
{
	struct capture_record rec = { .type = CAPTURE_KSYM };
	struct ksymbol sym;
	bool found, added;

	if (!ks->read_ns) {
		ks->read_ns = now_ns();
		read_table(ks, note);
	}
	found = find(ks, addr, &sym);
	if (!found) {
		map64_put(&ks->missing, addr, &added);
		if (!added || !ks->table || now_ns() - ks->read_ns < READ_AGAIN_NS)
			return;
		ks->read_ns = now_ns();
		read_table(ks, note);
		if (!find(ks, addr, &sym))
			return;
	}
	map64_put(&ks->written, sym.addr, &added);
	if (!added)
		return;
	rec.ksym = (struct capture_ksym){ sym.addr, sym.size, sym.module, sym.name };
	capture_write(ks->writer, &rec);
}
