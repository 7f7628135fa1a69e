/*
 * Runs a command and prints the seconds that it took and its largest memory in kB; the
 * command's own output goes to the file named first.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static _Noreturn void run(const char *output, char **command)
{
	int in = open("/dev/null", O_RDONLY);
	int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		err(1, "%s", output);
	execvp(command[0], command);
	err(1, "%s", command[0]);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double start;
	int status;
	pid_t pid;

	if (argc < 3)
		errx(2, "usage: measure OUTPUT COMMAND [ARG…]");
	start = now();
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0)
		run(argv[1], argv + 2);
	if (wait4(pid, &status, 0, &usage) < 0)
		err(1, "wait4");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		errx(1, "%s failed", argv[2]);
	printf("%.3f %ld\n", now() - start, usage.ru_maxrss);
	return 0;
}
