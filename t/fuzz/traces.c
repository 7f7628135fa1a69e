/* Any text as that of bpftrace or DTrace, which an option chooses: see block_kind.h. */
#include "block_kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fold_text(data, size, size && data[0] & 64 ? bpftrace_read : dtrace_read);
	return 0;
}
