// SPDX-License-Identifier: BSD-3-Clause
/* tool_server.c - see tool_server.h. */
#include "tools/mpiexec/tool_server.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/mpiexec/util.h"

static pid_t tool_server; /* 0: there is none */

/* In the vforked child: a process group of its own, which dies with mpiexec. */
__attribute__((noreturn)) static void server_exec(
	char *const *argv, const sigset_t *mask, int null, volatile int *err)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	dup2(null, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO); /* a proxy's stdout is its link */
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	*err = errno;
	_exit(127);
}

char *tool_server_start(char *const *argv, const sigset_t *mask)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	volatile int err = 0;
	pid_t pid;

	pid = vfork();
	if (pid == 0)
		server_exec(argv, mask, null, &err);
	if (pid < 0)
		err = errno;
	if (null >= 0)
		close(null);
	if (pid > 0 && err == 0)
		tool_server = pid;
	else if (pid > 0)
		waitpid(pid, NULL, 0);
	return err != 0 ? text_new("the tool's server %s: %s", argv[0], strerror(err)) : NULL;
}

void tool_server_end(void)
{
	if (tool_server > 0)
		kill(-tool_server, SIGTERM);
	tool_server = 0;
}
