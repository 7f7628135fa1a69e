/*
 * Runs a fuzz target over files, without a fuzzer: `NAME FILE…`. One TAP check a
 * file, printed once the target has come back from it; a sanitizer ends the
 * process before that, and prove sees the missing plan.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes of a file in a block of exactly that size, so that a read past it shows. */
static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long end;

	if (!f || fseek(f, 0, SEEK_END) || (end = ftell(f)) < 0)
		err(1, "%s", path);
	rewind(f);
	*size = (size_t)end;
	data = malloc(*size);
	if ((!data && *size) || fread(data, 1, *size, f) != *size)
		err(1, "%s", path);
	fclose(f);
	return data;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t size;
		uint8_t *data = read_file(argv[i], &size);

		LLVMFuzzerTestOneInput(data, size);
		free(data);
		printf("ok %d - %s\n", i, argv[i]);
		fflush(stdout);
	}
	printf("1..%d\n", argc - 1);
	return argc < 2;
}
