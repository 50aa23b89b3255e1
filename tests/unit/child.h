// SPDX-License-Identifier: BSD-3-Clause
/* child.h - runs a function in a forked child and says how it ended.  For what must abort, and for
 * fork itself. */
#ifndef TESTS_UNIT_CHILD_H
#define TESTS_UNIT_CHILD_H

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's standard error. */
static char child_err[4096];

/* Runs fn in a child with standard error caught.  Returns its exit code (fn's result), or
 * -signal. */
static inline int child_run(int (*fn)(void))
{
	int fd[2], status;
	ssize_t n;
	size_t len = 0;
	pid_t pid;

	if (pipe(fd) != 0)
		return 127;
	pid = fork();
	if (pid == 0) {
		signal(SIGABRT, SIG_DFL);
		dup2(fd[1], 2);
		close(fd[0]);
		_exit(fn());
	}
	close(fd[1]);
	while (len < sizeof(child_err) - 1 &&
		(n = read(fd[0], child_err + len, sizeof(child_err) - 1 - len)) > 0)
		len += (size_t)n;
	child_err[len] = 0;
	close(fd[0]);
	if (waitpid(pid, &status, 0) != pid)
		return 126;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
