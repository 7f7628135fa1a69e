#include "targets.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"

/* The process of a thread (Tgid of proc(5) status), 0 if there is no such thread. */
static uint32_t process_of(uint32_t tid)
{
	char path[64], line[256];
	unsigned tgid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %u", &tgid) == 1)
			break;
	fclose(f);
	return tgid;
}

static void add(struct targets *t, uint32_t pid, uint32_t tid)
{
	t->list = xreallocarray(t->list, t->len + 1, sizeof(*t->list));
	t->list[t->len++] = (struct target){
		.pid = pid,
		.tid = tid,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
	};
}

int targets_find(struct targets *t, const uint64_t *pids, size_t npids, const uint64_t *tids,
		 size_t ntids, struct strbuf *err)
{
	*t = (struct targets){ 0 };
	for (size_t i = 0; i < npids; i++) {
		uint32_t pid = (uint32_t)pids[i], leader = process_of(pid);

		if (!leader)
			return fail(err, -ESRCH, "no process %u", pid);
		if (leader != pid)
			return fail(err, -ESRCH,
				    "%u is a thread of process %u: use -t %u, or -p %u", pid,
				    leader, pid, leader);
		add(t, pid, 0);
	}
	for (size_t i = 0; i < ntids; i++) {
		uint32_t tid = (uint32_t)tids[i], pid = process_of(tid);

		if (!pid)
			return fail(err, -ESRCH, "no thread %u", tid);
		add(t, pid, tid);
	}
	return 0;
}

void targets_add_process(struct targets *t, uint32_t pid)
{
	add(t, pid, 0);
	/* whoever waits for it tells of its end */
	t->list[t->len - 1].ended = true;
}

int targets_sample(struct targets *t, struct sampler *sampler, struct strbuf *err)
{
	int r = 0;

	t->sampler = sampler;
	for (size_t i = 0; i < t->len && !r; i++)
		r = t->list[i].tid ? sampler_add_tid(sampler, t->list[i].tid, err)
				   : sampler_add_pid(sampler, t->list[i].pid, err);
	return r;
}

int targets_scan(struct targets *t, struct images *images, struct strbuf *err)
{
	for (size_t i = 0; i < t->len; i++)
		if (images_scan(images, t->list[i].pid))
			return fail(err, -ESRCH, "process %u has ended", t->list[i].pid);
	return 0;
}

static bool has_ended(const struct target *target)
{
	struct pollfd fd = { .fd = target->pidfd, .events = POLLIN };
	char path[64];

	if (target->pidfd >= 0 && poll(&fd, 1, 0) > 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%u/task/%u", target->pid, target->tid);
	return target->tid && access(path, F_OK);
}

/* Neither gone nor a zombie that nobody has waited for; its leader may have ended first. */
static bool is_alive(uint32_t pid)
{
	char path[64], line[512];
	const char *state;
	struct stat st;
	bool zombie;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	/* the name before the state may hold parentheses */
	state = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	zombie = state && (state[2] == 'Z' || state[2] == 'X');
	fclose(f);
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return !zombie || (!stat(path, &st) && st.st_nlink > 3);
}

static bool any_left(const struct targets *t)
{
	uint32_t id;

	for (bool more = sampler_next_pid(t->sampler, NULL, &id); more;
	     more = sampler_next_pid(t->sampler, &id, &id))
		if (is_alive(id))
			return true;
	for (size_t i = 0; i < t->len; i++)
		if (t->list[i].tid && !t->list[i].ended)
			return true;
	return false;
}

bool targets_gone(struct targets *t, bool quiet)
{
	for (size_t i = 0; i < t->len; i++) {
		struct target *target = &t->list[i];

		if (target->ended || !has_ended(target))
			continue;
		target->ended = true;
		if (!quiet && target->tid)
			warnx("thread %u has ended", target->tid);
		else if (!quiet)
			warnx("process %u has ended", target->pid);
	}
	return t->len && !any_left(t);
}

void targets_release(struct targets *t)
{
	for (size_t i = 0; i < t->len; i++)
		if (t->list[i].pidfd >= 0)
			close(t->list[i].pidfd);
	free(t->list);
}
