/*
 * Builds the unwind table of each file named, and prints a line: rows, functions, bytes,
 * microseconds of CPU time (the best of five), its distinct rules, the file.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "elf/elf_image.h"
#include "unwind/table.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static void measure(const char *path)
{
	struct strbuf error = STRBUF_INIT;
	struct unwind_rules rules = { 0 };
	struct unwind_table *table = NULL;
	struct elf_image *img;
	double start, took, best = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	if (elf_image_open(&img, fd, &error))
		errx(1, "%s: %s", path, strbuf_str(&error));
	for (int i = 0; i < 5; i++) {
		unwind_table_free(table);
		unwind_rules_release(&rules);
		start = now();
		if (unwind_table_build(&table, img, &rules, &error))
			errx(1, "%s: %s", path, strbuf_str(&error));
		took = now() - start;
		best = !best || took < best ? took : best;
	}
	printf("%zu %zu %zu %.0f %zu %s\n", table->nrows, table->nfdes, unwind_table_bytes(table),
	       best, rules.len, path);
	unwind_table_free(table);
	unwind_rules_release(&rules);
	elf_image_free(img);
	close(fd);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		measure(argv[i]);
	return 0;
}
