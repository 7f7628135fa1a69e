#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_WAIT_MS = 2000 };

static _Noreturn void run(char **argv, bool stdout_taken, int go_fd, int fail_fd)
{
	char byte;
	int code;

	signal(SIGXFSZ, SIG_DFL); /* ignored since stream_begin */
	if (stdout_taken)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	/* bpf-sample's end without a byte is ours */
	if (read(go_fd, &byte, 1) != 1)
		_exit(1);
	execvp(argv[0], argv);
	code = errno;
	if (write(fail_fd, &code, sizeof(code)) < 0)
		_exit(1);
	_exit(127);
}

int command_fork(struct command *c, char **argv, bool stdout_taken, struct strbuf *err)
{
	int go[2], failed[2];

	*c = (struct command){ .pid = -1, .pidfd = -1, .go_fd = -1, .fail_fd = -1 };
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return fail(err, -errno, "pipe: %s", strerror(errno));
	c->pid = fork();
	if (c->pid < 0)
		return fail(err, -errno, "fork: %s", strerror(errno));
	if (c->pid == 0) {
		close(go[1]);
		run(argv, stdout_taken, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	c->go_fd = go[1];
	c->fail_fd = failed[0];
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd < 0)
		return fail(err, -errno, "pidfd_open: %s", strerror(errno));
	return 0;
}

int command_go(struct command *c, const char *name, struct strbuf *err)
{
	int code = 0;

	if (write(c->go_fd, "", 1) != 1)
		return fail(err, -errno, "%s: cannot start: %s", name, strerror(errno));
	/* ends without a byte at the exec, which closes the other side */
	if (read(c->fail_fd, &code, sizeof(code)) == (ssize_t)sizeof(code))
		return fail(err, -code, "%s: %s", name, strerror(code));
	return 0;
}

void command_end(struct command *c, struct strbuf *text)
{
	struct pollfd ended = { .fd = c->pidfd, .events = POLLIN };
	bool told = false;
	int status;

	close(c->go_fd);
	close(c->fail_fd);
	if (poll(&ended, 1, 0) == 0) {
		kill(c->pid, SIGTERM);
		told = true;
	}
	if (poll(&ended, 1, END_WAIT_MS) <= 0) {
		strbuf_addstr(text, "was told to end (SIGTERM) and still runs");
		return;
	}
	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return;
	if (WIFSIGNALED(status))
		strbuf_addf(text, "%s signal %d (%s)",
			    told && WTERMSIG(status) == SIGTERM ? "was ended by" : "was killed by",
			    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		strbuf_addf(text, "exited with status %d", WEXITSTATUS(status));
}
