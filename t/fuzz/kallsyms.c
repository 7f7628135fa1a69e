/* kallsyms text, through a file as it is read in earnest. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sym/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct strbuf err = STRBUF_INIT;
	struct kallsyms *ks;
	struct ksymbol s;
	struct input in;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	input_init(&in, fd, NULL);
	if (kallsyms_read(&ks, &in, &err) == 0) {
		if (!kallsyms_count(ks))
			abort();
		for (uint64_t a = 0; a < 0x4000; a += 13)
			if (kallsyms_find(ks, a, &s) &&
			    (a < s.addr || a - s.addr >= s.size || !s.name.len))
				abort();
		kallsyms_find(ks, UINT64_MAX, &s);
		kallsyms_free(ks);
	} else if (!err.len) {
		abort();
	}
	input_release(&in);
	close(fd);
	strbuf_release(&err);
	return 0;
}
