/*
 * Any text as that of bpftrace or DTrace, as the program reads it: it is folded or told to
 * be damaged, and the sums add up. The first byte chooses options.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../stack-fold/reading.h"
#include "base/utf8.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned options = size ? data[0] : 0;
	struct strbuf err = STRBUF_INIT;
	struct input in;
	struct fold f;
	struct reading r = { .fold = &f, .in = &in, .name = "x", .err = &err };
	int fd = memfd_create("text", 0), ret;
	uint64_t total = 0;

	check(fd >= 0 && (size < 2 || write(fd, data + 1, size - 1) == (ssize_t)(size - 1)));
	lseek(fd, 0, SEEK_SET);
	fold_init(&f);
	f.style.offsets = options & 1;
	f.style.modules = options & 2;
	f.style.shorten = options & 4;
	f.style.reverse = options & 8;
	f.style.collapse = options & 16;
	f.style.only = (enum style_only)((options >> 5 & 3) % 3);
	f.chosen.all = options & 128;
	input_init(&in, fd, NULL);
	ret = options & 64 ? bpftrace_read(&r) : dtrace_read(&r);
	check(ret == 0);
	for (uint32_t id = 0; id < f.sums.stacks.len; id++) {
		check(utf8_is_clean(intern_get(&f.sums.stacks, id)));
		total += f.sums.counts[id];
	}
	check(f.sums.saturated || f.sums.total == UINT64_MAX || total == f.sums.total);
	check((r.damage.lines > 0) == (r.damage.first.len > 0));
	input_release(&in);
	fold_release(&f);
	strbuf_release(&r.damage.first);
	strbuf_release(&err);
	close(fd);
	return 0;
}
