/* The command line of bpf-sample. */
#ifndef BPF_SAMPLE_OPTIONS_H
#define BPF_SAMPLE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
	uint64_t duration_ns; /* 0: until a signal or the command's end */
	uint64_t interval_ns;
	uint32_t hz;
	uint32_t max_stacks;
	uint32_t max_depth;   /* frames of a user stack */
	uint32_t stack_copy;  /* bytes */
	uint64_t unwind_mem;  /* bytes */
	enum { UNWIND_AUTO, UNWIND_TABLES, UNWIND_FP } unwind;
	uint64_t *pids, *tids, *cpus;
	size_t npids, ntids, ncpus;
	const char *cgroup, *output;
	bool only_user, only_kernel, idle, quiet, verbose;
	char **command;       /* NULL: none */
};

/* Exits with 0 after --help or --version and with 2 on a wrong command line. */
void options_parse(struct options *o, int argc, char **argv);
void options_release(struct options *o);

#endif
