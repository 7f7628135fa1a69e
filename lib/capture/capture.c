#include "capture/capture.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/number.h"

#define TEXT(table, i) ((i) < sizeof(table) / sizeof(*table) && table[i] ? table[i] : "unknown")

const char *capture_end_text(unsigned end)
{
	static const char *const text[] = {
		[CAPTURE_END_COMPLETE] = "complete",
		[CAPTURE_END_DEPTH] = "depth limit",
		[CAPTURE_END_NO_MAP] = "no mapping yet",
		[CAPTURE_END_NO_ROW] = "no unwind info",
		[CAPTURE_END_UNSUPPORTED] = "unsupported code",
		[CAPTURE_END_FAULT] = "unreadable stack",
		[CAPTURE_END_SANITY] = "broken frame chain",
	};

	return TEXT(text, end);
}

const char *capture_lost_text(unsigned cause)
{
	static const char *const text[] = {
		[CAPTURE_LOST_RING] = "sample ring full",
		[CAPTURE_LOST_EVENTS] = "mapping events",
		[CAPTURE_LOST_STACKS] = "stack not stored",
	};

	return TEXT(text, cause);
}

const char *capture_unit_text(unsigned unit)
{
	static const char *const text[] = {
		[CAPTURE_UNIT_SAMPLES] = "samples",
		[CAPTURE_UNIT_NS] = "ns",
		[CAPTURE_UNIT_BYTES] = "bytes",
	};

	return TEXT(text, unit);
}

uint32_t capture_boot_id(void)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	uint64_t id = 0;
	char digits[8];

	if (fd < 0)
		return 0;
	if (read(fd, digits, sizeof(digits)) != sizeof(digits) ||
	    number_hex((struct slice){ digits, sizeof(digits) }, &id) < 0)
		id = 0;
	close(fd);
	return (uint32_t)id;
}
