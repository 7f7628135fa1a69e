/* Any bytes as a name: bounded output, and what was there before stays. */
#include <stdlib.h>

#include "sym/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_addch(&out, 'x');
	demangle(&out, (struct slice){ (const char *)data, size });
	if (out.buf[0] != 'x' || out.buf[out.len] != '\0' || out.len > 1 + 256 * 1024 + size)
		abort();
	strbuf_release(&out);
	return 0;
}
