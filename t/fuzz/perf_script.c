/* Any text as perf script's: see block_kind.h. */
#include "block_kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fold_text(data, size, perf_script_read);
	return 0;
}
