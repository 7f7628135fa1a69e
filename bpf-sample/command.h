/*
 * The command to sample: forked at once, so that its pid is known, and held before
 * its exec until everything is set up.
 */
#ifndef BPF_SAMPLE_COMMAND_H
#define BPF_SAMPLE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/strbuf.h"

struct command {
	pid_t pid;
	int pidfd;   /* readable when it has ended */
	int go_fd;   /* a byte lets it exec */
	int fail_fd; /* its errno if it could not */
};

/*
 * Call it before signals and limits are changed, which it would inherit. With stdout_taken (the
 * capture goes there) what it prints goes to stderr. Negative errno.
 */
int command_fork(struct command *c, char **argv, bool stdout_taken, struct strbuf *err);

/* Lets it exec. An exec that fails is an error here. */
int command_go(struct command *c, const char *name, struct strbuf *err);

/*
 * Ends it: with SIGTERM and a short wait if it still runs. Appends what became of it:
 * "exited with status 2", "was killed by signal 9 (Killed)".
 */
void command_end(struct command *c, struct strbuf *text);

#endif
