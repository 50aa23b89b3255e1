// SPDX-License-Identifier: BSD-3-Clause
/* rank_start.c - the system calls between vfork and exec.
 *
 * The child runs on mpiexec's memory and stack: it makes system calls only, writes only struct
 * rank_child, and never returns. */
#include "tools/mpiexec/rank_start.h"
#include "tools/mpiexec/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shared by parent and vforked child. */
struct rank_child {
	const struct rank_common *s;
	const struct app *a;
	const struct rank_ends *e;
	volatile int err;
	const char *volatile step;
};

/* Records the failed step and ends the child. */
__attribute__((noreturn)) static void rank_child_fail(struct rank_child *c, const char *step)
{
	c->err = errno;
	c->step = step;
	_exit(EXIT_NONE);
}

/* Restores the signals that mpiexec has changed. */
static void rank_child_signals(const struct rank_child *c)
{
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &c->s->mask, NULL);
}

__attribute__((noreturn)) static void rank_child_run(struct rank_child *c)
{
	const struct rank_common *s = c->s;
	const struct app *a = c->a;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->by)
		_exit(EXIT_NONE);
	setpgid(0, 0);
	limit_memory_rank();
	if (dup2(c->e->in, 0) < 0 || dup2(c->e->out, 1) < 0 || dup2(c->e->err, 2) < 0)
		rank_child_fail(c, "dup2");
	if (a->wdir != NULL && chdir(a->wdir) != 0)
		rank_child_fail(c, a->wdir);
	if (c->e->cpus != NULL && sched_setaffinity(0, sizeof(*c->e->cpus), c->e->cpus) != 0)
		rank_child_fail(c, "the CPUs that it is to be bound to");
	fcntl(s->seg_fd, F_SETFD, 0);
	if (s->profile_fd >= 0)
		fcntl(s->profile_fd, F_SETFD, 0);
	if (c->e->listen >= 0)
		fcntl(c->e->listen, F_SETFD, 0);
	if (c->e->pmi >= 0)
		fcntl(c->e->pmi, F_SETFD, 0);
	setrlimit(RLIMIT_NOFILE, &s->files);
	rank_child_signals(c);
	execve(a->file, a->argv, c->e->envp);
	if (errno == ENOEXEC)
		execve("/bin/sh", a->script, c->e->envp);
	rank_child_fail(c, a->file);
}

pid_t rank_start(const struct rank_common *s, const struct app *a, const struct rank_ends *e,
	const char **step)
{
	struct rank_child c = {.s = s, .a = a, .e = e};
	pid_t pid;

	pid = vfork();
	if (pid == 0)
		rank_child_run(&c);
	if (pid < 0)
		c.step = "fork";
	if (pid > 0 && c.err != 0) {
		waitpid(pid, NULL, 0);
		errno = c.err;
		pid = -1;
	}
	*step = c.step;
	return pid;
}
