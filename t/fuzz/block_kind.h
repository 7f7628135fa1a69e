/*
 * What the fuzz targets of stack-fold's kinds with samples of several lines have in common:
 * any text, as the program reads it, is folded or told to be damaged, and the sums add up.
 * The first byte chooses options.
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

static void fold_text(const uint8_t *data, size_t size, int (*read)(struct reading *r))
{
	unsigned options = size ? data[0] : 0;
	struct strbuf err = STRBUF_INIT;
	struct input in;
	struct fold f;
	struct reading r = { .fold = &f, .in = &in, .name = "x", .err = &err };
	int fd = memfd_create("text", 0);
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
	check(read(&r) == 0);
	for (uint32_t id = 0; id < f.sums.stacks.len; id++) {
		check(utf8_is_clean(intern_get(&f.sums.stacks, id)));
		total += f.sums.counts[id];
	}
	check(f.sums.saturated || f.sums.total == UINT64_MAX || total == f.sums.total);
	check((r.damage.lines > 0) == (r.damage.first.len > 0));
	input_release(&in);
	fold_release(&f);
	damage_release(&r.damage);
	strbuf_release(&err);
	close(fd);
}
