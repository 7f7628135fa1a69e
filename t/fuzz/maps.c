/* Lines of /proc/PID/maps, put into a set of mappings. */
#include <stdlib.h>

#include "proc/mapset.h"
#include "proc/procmaps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;
	struct mapset *set = mapset_new();
	struct strbuf path = STRBUF_INIT;
	uint32_t file = 0;

	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		struct slice line = { p, (size_t)((lf ? lf : end) - p) };
		struct procmaps_line l;

		p = lf ? lf + 1 : end;
		if (procmaps_parse(line, &l))
			continue;
		struct mapping m = { l.start, l.end, l.offset, ++file, 0 };
		const struct mapping *got;

		mapset_insert(&set, &m);
		got = mapset_find(set, l.start);
		if (!got || got->file != file)
			abort();
		strbuf_reset(&path);
		procmaps_unescape(&path, l.path);
		if (path.len > l.path.len)
			abort();
	}
	strbuf_release(&path);
	mapset_free(set);
	return 0;
}
