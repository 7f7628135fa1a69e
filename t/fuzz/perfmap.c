/* A perf map; each line that is understood and not overridden is found again. */
#include <stdlib.h>

#include "base/alloc.h"
#include "sym/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of exactly that size, so that a read past it shows. */
	char *text = xmalloc(size ? size : 1);
	struct perfmap *pm;
	struct symbol s;

	if (size)
		memcpy(text, data, size);
	pm = perfmap_parse(text, size, size % 64);
	for (uint64_t a = 0; a < 0x10000; a += 13)
		if (perfmap_find(pm, a, &s) && (a < s.addr || a - s.addr >= s.size || !s.name.len))
			abort();
	perfmap_free(pm);
	return 0;
}
