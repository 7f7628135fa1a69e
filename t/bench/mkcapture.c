/*
 * A capture to measure stack-resolve with: `mkcapture [-r ROUNDS] ADDRESSES FILE…` writes
 * one to stdout whose user stacks hold that many distinct addresses, spread evenly over
 * the code of the ELF files, 50 in a stack; each is sampled ROUNDS times (1).
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "capture/capture_writer.h"
#include "elf/elf_image.h"

enum { STACK = 50 };

struct code {
	uint64_t start, length; /* where it is mapped */
};

static struct capture_writer writer;

static void write_head(void)
{
	struct capture_record rec = { .type = CAPTURE_HEADER };

	rec.header = (struct capture_header){ .version = CAPTURE_VERSION, .cpus = 1,
					      .machine = EM_X86_64, .page_size = 4096 };
	capture_write(&writer, &rec);
	rec = (struct capture_record){ .type = CAPTURE_EVENT };
	rec.event = (struct capture_event){ .id = 1, .name = slice_str("cpu-clock"),
					    .period_ns = 10000000 };
	capture_write(&writer, &rec);
	rec = (struct capture_record){ .type = CAPTURE_PROC };
	rec.proc = (struct capture_proc){ .image = 1, .pid = 1, .comm = slice_str("bench") };
	capture_write(&writer, &rec);
}

/* FILE and MAP records for the executable segments of one file; maps it at `at`. */
static void write_file(uint32_t id, const char *path, uint64_t at, struct code **code, size_t *n,
		       size_t *cap)
{
	struct capture_record rec = { .type = CAPTURE_FILE };
	const struct elf_segment *seg;
	struct strbuf msg = { 0 };
	struct elf_image *img;
	struct stat st;
	size_t nseg;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		err(1, "%s", path);
	if (elf_image_open(&img, fd, &msg) < 0)
		errx(1, "%s: %s", path, msg.buf);
	rec.file = (struct capture_file){ .id = id, .inode = st.st_ino, .path = slice_str(path),
					  .dev_major = major(st.st_dev),
					  .dev_minor = minor(st.st_dev),
					  .size = (uint64_t)st.st_size,
					  .build_id = elf_image_build_id(img) };
	capture_write(&writer, &rec);
	seg = elf_image_segments(img, &nseg);
	for (size_t i = 0; i < nseg; i++) {
		uint64_t skew = seg[i].offset & 4095;
		uint64_t length = (seg[i].filesz + skew + 4095) / 4096 * 4096;

		if (seg[i].type != PT_LOAD || !(seg[i].flags & PF_X) || !seg[i].filesz)
			continue;
		rec = (struct capture_record){ .type = CAPTURE_MAP };
		rec.map = (struct capture_map){ .image = 1, .file = id, .start = at,
						.length = length,
						.offset = seg[i].offset - skew };
		capture_write(&writer, &rec);
		*code = grow(*code, *n, cap, sizeof(**code));
		(*code)[(*n)++] = (struct code){ at + skew, seg[i].filesz };
		at += rec.map.length;
	}
	elf_image_free(img);
	strbuf_release(&msg);
	close(fd);
}

static void write_sample(uint32_t stack)
{
	struct capture_record rec = { .type = CAPTURE_SAMPLE };

	rec.sample = (struct capture_sample){ .event = 1, .image = 1, .tid = 1, .ustack = stack,
					      .weight = 1, .comm = slice_str("bench") };
	capture_write(&writer, &rec);
}

static void write_stack(uint32_t id, const uint64_t *ip, uint16_t n)
{
	struct capture_record rec = { .type = CAPTURE_STACK };
	uint64_t exact = 1;

	rec.stack = (struct capture_stack){ .id = id, .kind = CAPTURE_STACK_USER, .n = n,
					    .ip = ip, .exact = &exact };
	capture_write(&writer, &rec);
	write_sample(id);
}

/* Every step-th byte of all code; the order is mixed, as a sampler's would be. */
static uint32_t write_stacks(uint64_t want, const struct code *code, size_t n)
{
	uint64_t total = 0, step, i = 0, *all = xcalloc(want, sizeof(*all));
	uint32_t stacks = 0, random = 1;

	for (size_t k = 0; k < n; k++)
		total += code[k].length;
	step = total / want;
	if (!step)
		errx(1, "less code than addresses");
	for (size_t k = 0; k < n; k++)
		for (uint64_t off = 0; off < code[k].length && i < want; off += step)
			all[i++] = code[k].start + off;
	want = i;
	for (i = want - 1; i > 0; i--) {
		uint64_t j, t;

		random = random * 1664525u + 1013904223u;
		j = random % (i + 1);
		t = all[i], all[i] = all[j], all[j] = t;
	}
	for (i = 0; i < want; i += STACK)
		write_stack(++stacks, all + i, (uint16_t)(want - i < STACK ? want - i : STACK));
	free(all);
	return stacks;
}

int main(int argc, char **argv)
{
	struct capture_record rec = { .type = CAPTURE_END };
	struct code *code = NULL;
	struct output out;
	size_t n = 0, cap = 0;
	uint64_t want, rounds = 1;
	uint32_t stacks;
	int failed;

	if (argc > 2 && strcmp(argv[1], "-r") == 0) {
		rounds = strtoull(argv[2], NULL, 10);
		argv += 2;
		argc -= 2;
	}
	want = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	if (!want || !rounds)
		errx(2, "usage: mkcapture [-r ROUNDS] ADDRESSES FILE...");
	output_init(&out, STDOUT_FILENO);
	capture_writer_init(&writer, &out);
	write_head();
	for (int i = 2; i < argc; i++)
		write_file((uint32_t)i - 1, argv[i], (uint64_t)i << 36, &code, &n, &cap);
	stacks = write_stacks(want, code, n);
	for (uint64_t i = 1; i < rounds; i++) {
		for (uint32_t id = 1; id <= stacks; id++)
			write_sample(id);
	}
	rec.end.weight = rec.end.fired = stacks * rounds;
	capture_write(&writer, &rec);
	capture_writer_release(&writer);
	free(code);
	failed = output_close(&out);
	if (failed)
		errx(1, "write: %s", strerror(-failed));
	return 0;
}
