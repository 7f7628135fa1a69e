/*
 * bpf-sample: samples on-CPU stacks in the kernel and writes them, with all that
 * will be gone later, as a capture. See bpf-sample.1 and lib/capture/capture.5.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/stream.h"
#include "base/utf8.h"
#include "batch.h"
#include "capture/capture_writer.h"
#include "clock.h"
#include "command.h"
#include "files.h"
#include "images.h"
#include "ksyms.h"
#include "options.h"
#include "recorder.h"
#include "report.h"
#include "sampler.h"
#include "sideband.h"
#include "targets.h"
#include "unwinder.h"

/* A ring that fills fast is put into records before its interval ends. */
enum { BATCH_FULL = 1 << 15, CATCH_UP_NS = 20000000 };

static struct options options;

/* Everything that lives as long as the capture. */
struct run {
	struct output out;
	struct capture_writer writer;
	struct sampler *sampler;
	struct sideband *sideband;
	struct files files;
	struct images images;
	struct ksyms ksyms;
	struct unwinder unwinder;
	struct recorder recorder;
	struct batch batch;
	struct targets targets;
	struct command command;
	struct report report;
	uint64_t caught_up_ns;      /* when the side-band events were last read */
	uint64_t lost, lost_events; /* that LOST records tell already */
};

static _Noreturn void die(const struct strbuf *why)
{
	struct strbuf clean = STRBUF_INIT;

	strbuf_addclean(&clean, strbuf_slice(why));
	errx(1, "%s", strbuf_str(&clean));
}

static int open_output(void)
{
	int fd = STDOUT_FILENO;

	if (options.output) {
		fd = open(options.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			err(1, "%s", options.output);
	} else if (isatty(fd)) {
		errx(2, "a capture is binary: pipe it into stack-resolve, or write it with "
			"-o FILE");
	}
	return fd;
}

/* All CPUs that are online: processes move between them. */
static uint64_t *online_cpus(size_t *n)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	uint64_t *cpus;
	char buf[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, buf, sizeof(buf));

	if (len < 0)
		err(1, "%s", path);
	close(fd);
	while (len > 0 && buf[len - 1] == '\n')
		len--;
	if (number_list((struct slice){ buf, (size_t)len }, 8191, &cpus, n))
		errx(1, "%s: not a list of CPUs", path);
	return cpus;
}

static void check_online(const uint64_t *asked, size_t n, const uint64_t *online, size_t nonline)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < nonline && online[k] != asked[i])
			k++;
		if (k == nonline)
			errx(1, "CPU %llu is not online (see %s)", (unsigned long long)asked[i],
			     "/sys/devices/system/cpu/online");
	}
}

/* Readable once the sampling is to end. */
static int stop_fd = -1;

static void on_stop(int sig)
{
	uint64_t one = 1;

	(void)sig;
	if (write(stop_fd, &one, sizeof(one)) < 0)
		return; /* cannot be: nobody has written before */
}

/*
 * The first SIGINT, SIGTERM or SIGHUP ends the sampling; a second one ends the process,
 * should nobody read what is left. Under nohup(1) SIGHUP stays ignored.
 */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_stop, .sa_flags = SA_RESTART | SA_RESETHAND };

	stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stop_fd < 0)
		err(1, "eventfd");
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction old;

		if (!sigaction(signals[i], NULL, &old) &&
		    (signals[i] != SIGHUP || old.sa_handler != SIG_IGN))
			sigaction(signals[i], &sa, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
}

/* Two descriptors a CPU, and those of files that are looked at. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* All that processes have done so far, to the images and to the kernel's unwinder. */
static void catch_up(void *ctx)
{
	struct run *run = ctx;

	run->caught_up_ns = now_ns();
	sideband_read(run->sideband, images_event, &run->images);
	unwinder_refresh(&run->unwinder);
}

static void on_ksym(void *ctx, const struct sideband_event *e)
{
	ksyms_event(ctx, e);
}

/* From nothing to a kernel that samples; ends the process when that cannot be. */
static void start(struct run *run, char **argv)
{
	struct strbuf why = STRBUF_INIT, line = STRBUF_INIT;
	size_t nonline;
	uint64_t *online = online_cpus(&nonline);
	struct sampler_config config = {
		.hz = options.hz,
		.max_stacks = options.max_stacks,
		.want_idle = options.idle,
		.want_user = !options.only_kernel,
		.want_kernel = !options.only_user,
		.by_tables = options.unwind != UNWIND_FP,
		.tables_optional = options.unwind == UNWIND_AUTO,
		.max_depth = options.max_depth,
		.max_copy = options.stack_copy,
		.by_pid = options.npids || options.command,
		.by_tid = options.ntids,
		.cgroup = options.cgroup,
		.cpus = options.ncpus ? options.cpus : online,
		.ncpus = options.ncpus ? options.ncpus : nonline,
		.verbose = options.verbose,
	};
	bool only_known = config.by_pid || config.by_tid;

	check_online(options.cpus, options.ncpus, online, nonline);
	if (targets_find(&run->targets, options.pids, options.npids, options.tids, options.ntids,
			 &why))
		die(&why);
	if (options.command)
		targets_add_process(&run->targets, (uint32_t)run->command.pid);
	if (sampler_open(&run->sampler, &config, &why) ||
	    targets_sample(&run->targets, run->sampler, &why))
		die(&why);

	if (config.by_tables && !sampler_by_tables(run->sampler) && !options.quiet)
		warnx("this kernel cannot run the unwinder (-v says why): user stacks are "
		      "followed by frame pointers");
	files_init(&run->files, &run->writer);
	images_init(&run->images, &run->files, only_known);
	ksyms_init(&run->ksyms, &run->writer);
	run->images.on_ksym = on_ksym;
	run->images.ctx = &run->ksyms;
	unwinder_init(&run->unwinder, run->sampler, &run->images, &run->files,
		      options.unwind_mem, options.max_depth);
	run->unwinder.catch_up = catch_up;
	run->unwinder.ctx = run;
	run->unwinder.quiet = options.quiet;
	sampler_on_late(run->sampler, unwinder_late, &run->unwinder);
	recorder_init(&run->recorder, &run->writer, &run->images, &run->files, &run->ksyms,
		      &run->unwinder, options.quiet);
	if (sideband_open(&run->sideband, online, nonline, &why) ||
	    (only_known ? targets_scan(&run->targets, &run->images, &why)
			: images_scan_all(&run->images, &why)))
		die(&why);

	for (char **arg = argv; *arg; arg++)
		strbuf_addf(&line, "%s%s", arg == argv ? "" : " ", *arg);
	recorder_begin(&run->recorder, options.hz, (uint16_t)config.ncpus, strbuf_slice(&line));
	output_flush(&run->out);
	if (sampler_start(run->sampler, &why))
		die(&why);
	report_start(&run->report, now_ns());
	if (options.command && command_go(&run->command, options.command[0], &why))
		die(&why);
	strbuf_release(&line);
	strbuf_release(&why);
	free(online);
}

/* One interval into the capture. */
static void drain(struct run *run)
{
	struct strbuf why = STRBUF_INIT;
	uint64_t counters[COUNTER_MAX], swap_ns;

	if (sampler_drain(run->sampler, &run->batch, &swap_ns, &why) ||
	    sampler_counters(run->sampler, counters, &why))
		die(&why);
	catch_up(run);
	run->unwinder.clock++;
	recorder_batch(&run->recorder, &run->batch, swap_ns);
	batch_reset(&run->batch);
	recorder_lost(&run->recorder, CAPTURE_LOST_RING, counters[COUNTER_LOST] - run->lost, true);
	recorder_lost(&run->recorder, CAPTURE_LOST_EVENTS, run->images.lost - run->lost_events,
		      false);
	run->lost = counters[COUNTER_LOST];
	run->lost_events = run->images.lost;
	output_flush(&run->out);
	strbuf_release(&why);
	report_progress(&run->report, now_ns(), &run->recorder, run->lost);
}

/*
 * Waits until something wants attention, at most until `deadline`. True when the
 * sampling is to end: a signal, the command's end, nobody left who reads.
 */
static bool wait_for_events(struct run *run, struct pollfd *fds, uint64_t deadline)
{
	enum { SIGNAL, STDOUT, COMMAND, RING, FIRST_SIDEBAND };
	uint64_t now = now_ns();
	uint64_t rest = run->caught_up_ns + CATCH_UP_NS;
	uint64_t until = rest > now && rest < deadline ? rest : deadline;
	uint64_t left = until > now ? until - now : 0;
	struct timespec timeout = { (time_t)(left / 1000000000), (long)(left % 1000000000) };
	struct strbuf why = STRBUF_INIT;
	bool sideband = false;
	size_t n;

	fds[SIGNAL] = (struct pollfd){ .fd = stop_fd, .events = POLLIN };
	fds[STDOUT] = (struct pollfd){ .fd = run->out.fd }; /* POLLERR comes unasked */
	fds[COMMAND] = (struct pollfd){ .fd = run->command.pidfd, .events = POLLIN };
	fds[RING] = (struct pollfd){ .fd = sampler_ring_fd(run->sampler), .events = POLLIN };
	n = FIRST_SIDEBAND;
	/* new mappings are told to the kernel at once, but a busy machine's together */
	if (rest <= now)
		n += sideband_pollfds(run->sideband, fds + FIRST_SIDEBAND);
	if (ppoll(fds, n, &timeout, NULL) <= 0)
		return false;
	for (size_t i = FIRST_SIDEBAND; i < n; i++)
		sideband |= fds[i].revents != 0;
	if (sideband)
		catch_up(run);
	if (fds[RING].revents && sampler_read_ring(run->sampler, &run->batch, &why))
		die(&why);
	return fds[SIGNAL].revents || fds[STDOUT].revents & (POLLERR | POLLHUP) ||
	       fds[COMMAND].revents;
}

static void sample(struct run *run, uint64_t began)
{
	uint64_t end = options.duration_ns ? began + options.duration_ns : UINT64_MAX;
	uint64_t next = began + options.interval_ns;
	struct pollfd *fds = xcalloc(4 + sideband_count(run->sideband), sizeof(*fds));
	bool done = false;

	while (!done && now_ns() < end && !run->out.error) {
		done = wait_for_events(run, fds, next < end ? next : end);
		if (done || (now_ns() < next && run->batch.len < BATCH_FULL))
			continue;
		drain(run);
		next = now_ns() + options.interval_ns;
		done = targets_gone(&run->targets, options.quiet);
	}
	report_stop(&run->report, now_ns());
	sampler_stop(run->sampler);
	free(fds);
}

/* What is left in the kernel, and the totals. */
static void finish(struct run *run)
{
	struct strbuf why = STRBUF_INIT;
	uint64_t c[COUNTER_MAX];

	drain(run);
	if (sampler_counters(run->sampler, c, &why))
		die(&why);
	recorder_end(&run->recorder, &(struct capture_totals){
					     .fired = c[COUNTER_FIRED],
					     .filtered = c[COUNTER_FILTERED],
					     .weight = run->recorder.weight,
					     .lost = c[COUNTER_LOST],
					     .skipped = c[COUNTER_SKIPPED],
				     });
	report_summary(&run->report, &run->recorder, c, run->images.lost, run->out.total,
		       sampler_memory(run->sampler) + run->unwinder.bytes);
	strbuf_release(&why);
}

static void report_command(struct run *run)
{
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;

	if (!options.command)
		return;
	command_end(&run->command, &text);
	strbuf_addclean(&name, slice_str(options.command[0]));
	if (!options.quiet)
		warnx("%s %s", strbuf_str(&name), strbuf_str(&text));
	strbuf_release(&text);
	strbuf_release(&name);
}

int main(int argc, char **argv)
{
	struct run run = { .command.pidfd = -1 };
	struct strbuf why = STRBUF_INIT;
	int status = 0, r;

	stream_begin();
	options_parse(&options, argc, argv);
	output_init(&run.out, open_output());
	capture_writer_init(&run.writer, &run.out);
	/* before anything that it would inherit */
	if (options.command && command_fork(&run.command, options.command, !options.output, &why))
		die(&why);
	catch_signals();
	raise_file_limit();
	report_init(&run.report, options.quiet, options.verbose);

	start(&run, argv);
	sample(&run, run.report.began);
	finish(&run);
	r = output_close(&run.out);
	report_command(&run);
	if (r) {
		/* nobody reads on: not a failure to tell about, but not a whole capture */
		if (r != -EPIPE)
			warnx("%s: %s", options.output ? options.output : "standard output",
			      strerror(-r));
		status = 1;
	}

	recorder_release(&run.recorder);
	ksyms_release(&run.ksyms);
	images_release(&run.images);
	unwinder_release(&run.unwinder);
	files_release(&run.files);
	batch_release(&run.batch);
	capture_writer_release(&run.writer);
	sideband_close(run.sideband);
	sampler_close(run.sampler);
	targets_release(&run.targets);
	strbuf_release(&why);
	options_release(&options);
	return status;
}
