#include "options.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"

enum {
	HZ_DEFAULT = 99,
	HZ_MAX = 100000,
	INTERVAL_MS = 1000,
	MAX_STACKS = 1 << 14,
	MAX_STACKS_MAX = 1 << 20,
	CPU_MAX = 8191,
	DEPTH = 127,
	DEPTH_MAX = 1023,
	STACK_COPY = 32768,
	UNWIND_MEM_MB = 128,
	STATUS_USAGE = 2,
};

static const char usage_text[] =
	"usage: bpf-sample [-d SECONDS] [-F HZ] [-p PID,...] [-t TID,...] [-C CPULIST]\n"
	"                  [--cgroup PATH] [-u | -k] [--idle] [-i MS] [--max-stacks N]\n"
	"                  [--unwind auto|tables|fp] [--max-depth N] [--unwind-mem MB]\n"
	"                  [--stack-copy BYTES] [-o FILE] [-qv] [-- COMMAND ARG...]\n";

static const char help_text[] =
	"Samples on-CPU stacks and writes a capture.\n"
	"\n"
	"  sudo bpf-sample -d 10 | stack-resolve | stack-fold | fold2svg > g.svg\n"
	"\n"
	"  -d, --duration SECONDS  stop after so long; else on SIGINT or with COMMAND\n"
	"  -F, --frequency HZ      samples a second on each CPU (99)\n"
	"  -p, --pid PID,...       only these processes and the children they start\n"
	"  -t, --tid TID,...       only these threads\n"
	"  -C, --cpu CPULIST       only these CPUs (0-3,7)\n"
	"      --cgroup PATH       only tasks in this cgroup (v2) and below\n"
	"  -u, --user              only user stacks\n"
	"  -k, --kernel            only kernel stacks\n"
	"      --idle              sample the idle task, too\n"
	"  -i, --interval MS       drain the kernel's maps so often (1000)\n"
	"      --max-stacks N      distinct stacks of one interval kept in the kernel (16384)\n"
	"      --unwind MODE       auto, tables (.eh_frame), or fp (frame pointers) (auto)\n"
	"      --max-depth N       frames of a user stack, up to 1023 (127)\n"
	"      --unwind-mem MB     kernel memory for unwind tables (128)\n"
	"      --stack-copy BYTES  of a new process's stack, up to 32768 (32768)\n"
	"  -o, --output FILE       write there instead of standard output\n"
	"  -q, --quiet             no progress, summary or warnings\n"
	"  -v, --verbose           more of them\n"
	"  -h, --help              this text\n"
	"  -V, --version           the version\n";

static _Noreturn void usage(void)
{
	fputs(usage_text, stderr);
	exit(STATUS_USAGE);
}

static uint32_t number_option(const char *name, const char *text, uint64_t min, uint64_t max)
{
	uint64_t v;

	if (number_u64(slice_str(text), &v) || v < min || v > max) {
		warnx("%s '%s': a whole number from %llu to %llu is expected", name, text,
		      (unsigned long long)min, (unsigned long long)max);
		usage();
	}
	return (uint32_t)v;
}

static uint64_t duration_option(const char *text)
{
	uint64_t ns;

	if (number_seconds(slice_str(text), &ns) || !ns) {
		warnx("-d '%s': a number of seconds above 0 is expected", text);
		usage();
	}
	return ns;
}

/* Appends a comma-separated list to one that may have begun. */
static void list_option(const char *name, const char *text, uint64_t min, uint64_t max,
			uint64_t **list, size_t *n)
{
	uint64_t *more;
	size_t nmore;

	if (number_list(slice_str(text), max, &more, &nmore)) {
		warnx("%s '%s': a list of numbers up to %llu is expected", name, text,
		      (unsigned long long)max);
		usage();
	}
	*list = xreallocarray(*list, *n + nmore, sizeof(**list));
	for (size_t i = 0; i < nmore; i++) {
		if (more[i] < min) {
			warnx("%s '%s': numbers begin at %llu", name, text,
			      (unsigned long long)min);
			usage();
		}
		(*list)[(*n)++] = more[i];
	}
	free(more);
}

static int unwind_option(const char *text)
{
	static const char *const names[] = {
		[UNWIND_AUTO] = "auto",
		[UNWIND_TABLES] = "tables",
		[UNWIND_FP] = "fp",
	};

	for (int i = 0; i < (int)(sizeof(names) / sizeof(*names)); i++)
		if (!strcmp(text, names[i]))
			return i;
	warnx("--unwind '%s': auto, tables or fp is expected", text);
	usage();
}

void options_parse(struct options *o, int argc, char **argv)
{
	enum {
		OPT_CGROUP = 256,
		OPT_IDLE,
		OPT_MAX_STACKS,
		OPT_UNWIND,
		OPT_MAX_DEPTH,
		OPT_UNWIND_MEM,
		OPT_STACK_COPY,
	};
	static const struct option longs[] = {
		{ "duration", required_argument, NULL, 'd' },
		{ "frequency", required_argument, NULL, 'F' },
		{ "pid", required_argument, NULL, 'p' },
		{ "tid", required_argument, NULL, 't' },
		{ "cpu", required_argument, NULL, 'C' },
		{ "cgroup", required_argument, NULL, OPT_CGROUP },
		{ "user", no_argument, NULL, 'u' },
		{ "kernel", no_argument, NULL, 'k' },
		{ "idle", no_argument, NULL, OPT_IDLE },
		{ "interval", required_argument, NULL, 'i' },
		{ "max-stacks", required_argument, NULL, OPT_MAX_STACKS },
		{ "unwind", required_argument, NULL, OPT_UNWIND },
		{ "max-depth", required_argument, NULL, OPT_MAX_DEPTH },
		{ "unwind-mem", required_argument, NULL, OPT_UNWIND_MEM },
		{ "stack-copy", required_argument, NULL, OPT_STACK_COPY },
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	int c;

	*o = (struct options){
		.hz = HZ_DEFAULT,
		.interval_ns = INTERVAL_MS * 1000000ull,
		.max_stacks = MAX_STACKS,
		.max_depth = DEPTH,
		.stack_copy = STACK_COPY,
		.unwind_mem = (uint64_t)UNWIND_MEM_MB << 20,
	};
	/* '+': what follows COMMAND is its own */
	while ((c = getopt_long(argc, argv, "+d:F:p:t:C:uki:o:qvhV", longs, NULL)) != -1) {
		switch (c) {
		case 'd':
			o->duration_ns = duration_option(optarg);
			break;
		case 'F':
			o->hz = number_option("-F", optarg, 1, HZ_MAX);
			break;
		case 'p':
			list_option("-p", optarg, 1, INT32_MAX, &o->pids, &o->npids);
			break;
		case 't':
			list_option("-t", optarg, 1, INT32_MAX, &o->tids, &o->ntids);
			break;
		case 'C':
			list_option("-C", optarg, 0, CPU_MAX, &o->cpus, &o->ncpus);
			break;
		case OPT_CGROUP:
			o->cgroup = optarg;
			break;
		case 'u':
			o->only_user = true;
			break;
		case 'k':
			o->only_kernel = true;
			break;
		case OPT_IDLE:
			o->idle = true;
			break;
		case 'i':
			o->interval_ns = number_option("-i", optarg, 10, 3600000) * 1000000ull;
			break;
		case OPT_MAX_STACKS:
			o->max_stacks = number_option("--max-stacks", optarg, 1, MAX_STACKS_MAX);
			break;
		case OPT_UNWIND:
			o->unwind = unwind_option(optarg);
			break;
		case OPT_MAX_DEPTH:
			o->max_depth = number_option("--max-depth", optarg, 1, DEPTH_MAX);
			break;
		case OPT_UNWIND_MEM:
			o->unwind_mem = (uint64_t)number_option("--unwind-mem", optarg, 1, 1 << 20)
					<< 20;
			break;
		case OPT_STACK_COPY:
			o->stack_copy = number_option("--stack-copy", optarg, 0, STACK_COPY);
			break;
		case 'o':
			o->output = optarg;
			break;
		case 'q':
			o->quiet = true;
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'h':
			fputs(usage_text, stdout);
			fputs(help_text, stdout);
			exit(fflush(stdout) ? 1 : 0);
		case 'V':
			puts("bpf-sample " VERSION);
			exit(fflush(stdout) ? 1 : 0);
		default:
			usage();
		}
	}
	if (o->only_user && o->only_kernel) {
		warnx("-u and -k exclude each other");
		usage();
	}
	if (optind < argc)
		o->command = argv + optind;
}

void options_release(struct options *o)
{
	free(o->pids);
	free(o->tids);
	free(o->cpus);
}
