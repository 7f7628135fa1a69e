/* Any text as perf script's, looked at as the program does before it reads: see block_kind.h. */
#include "block_kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 1) {
		struct slice head = { (const char *)data + 1, size - 1 };

		perf_script_sniff(head, false);
		/* where it has all of the text, no more of it can come */
		check(perf_script_sniff(head, true) != SNIFF_MORE);
	}
	fold_text(data, size, perf_script_read);
	return 0;
}
