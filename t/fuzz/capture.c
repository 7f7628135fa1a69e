/* A capture, from its bytes to stack lines. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../stack-resolve/replay.h"
#include "base/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay_as(const struct form *form, struct resolver *resolver, const uint8_t *data,
		      size_t size)
{
	char *copy = xmalloc(size ? size : 1);
	struct input in = { .fd = -1, .buf = copy, .len = size, .cap = size, .eof = true };
	struct replay replay;
	struct output out;

	memcpy(copy, data, size);
	output_init(&out, open("/dev/null", O_WRONLY));
	replay_init(&replay, resolver, form, &out);
	replay.quiet = true;
	replay_input(&replay, &in, "fuzz");
	replay_release(&replay);
	output_close(&out);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *silence;
	static struct resolver *resolver, *perf; /* they forget each capture at its end */

	/* what it says of bad input is of no interest; reports go to the descriptor, not here */
	if (!silence) {
		stderr = silence = fopen("/dev/null", "w");
		resolver = resolver_new(&(struct resolver_options){ 0 });
		perf = resolver_new(&(struct resolver_options){ .perf = true });
	}
	replay_as(&form_stack_lines, resolver, data, size);
	replay_as(&form_perf_header, perf, data, size);
	return 0;
}
