/*
 * Any text as that of bpftrace, which of its forms the text tells, or DTrace, which an
 * option chooses: see block_kind.h. Each kind looks at it, as it does before it is read.
 */
#include "block_kind.h"

static void sniff_all(struct slice head)
{
	for (int whole = 0; whole < 2; whole++) {
		bpftrace_sniff(head, whole);
		bpftrace_json_sniff(head, whole);
		/* to a kind that has all of the text, no more of it can come */
		check(dtrace_sniff(head, whole) != SNIFF_MORE || !whole);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int (*read)(struct reading *r) = dtrace_read;

	if (size > 1)
		sniff_all((struct slice){ (const char *)data + 1, size - 1 });
	if (size && data[0] & 64)
		read = size > 1 && data[1] == '{' ? bpftrace_json_read : bpftrace_read;
	fold_text(data, size, read);
	return 0;
}
