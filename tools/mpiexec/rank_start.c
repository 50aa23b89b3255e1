// SPDX-License-Identifier: BSD-3-Clause
/* rank_start.c - the system calls between vfork and exec.
 *
 * The child runs on mpiexec's memory, which waits until exec: it makes system calls only, writes
 * only struct rank_child, and never returns.
 *
 *     number of a descriptor  0 ........... FD_OWN ...................................
 *                             the next rank's      mpiexec's: three of each rank
 *
 * exec closes one by one the descriptors that are not the rank's, 170 us of 1,024 ranks' each.  So
 * the child begins with mpiexec's own table of descriptors, and leaves it for a copy of the low
 * part.  Where the kernel cannot do that, vfork copies all. */
#define _GNU_SOURCE 1
#include "tools/mpiexec/rank_start.h"
#include "tools/mpiexec/limits.h"
#include "tools/mpiexec/priority.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_STACK     32768 /* system calls only */
#define NR_CLOSE_RANGE  436   /* Linux 5.9, on all machines; headers may be older */
#define RANGE_UNSHARE   2u    /* CLOSE_RANGE_UNSHARE */
#define WITHOUT_RUNTIME __attribute__((no_sanitize_address, no_sanitize_thread))

/* Shared by parent and vforked child. */
struct rank_child {
	const struct rank_common *s;
	const struct app *a;
	const struct rank_ends *e;
	volatile int err;
	const char *volatile step;
	bool shares; /* mpiexec's table of descriptors, and leaves it ... */
	int fds_end; /* ... for a copy that ends here */
};

int fd_keep(int fd)
{
	int high = fd >= 0 && fd < FD_OWN ? fcntl(fd, F_DUPFD_CLOEXEC, FD_OWN) : -1;

	if (high < 0)
		return fd;
	close(fd);
	return high;
}

int fd_inherited_end(void)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *e;
	int end = d != NULL ? 0 : INT_MAX;

	while (d != NULL && (e = readdir(d)) != NULL) {
		int fd = atoi(e->d_name), flags = fcntl(fd, F_GETFD);

		if (fd >= end && flags >= 0 && (flags & FD_CLOEXEC) == 0)
			end = fd + 1;
	}
	if (d != NULL)
		closedir(d);
	return end;
}

/* Closes the descriptors from `from' on in this process alone. */
static bool fd_range_leave(int from)
{
	return syscall(NR_CLOSE_RANGE, (unsigned)from, ~0u, RANGE_UNSHARE) == 0;
}

/* Behind the descriptors of a rank: no number from here on is one's. */
static int rank_fds_end(const struct rank_common *s, const struct rank_ends *e)
{
	const int fds[] = {e->in, e->out, e->err, e->listen, e->pmi, s->seg_fd, s->profile_fd};
	int end = s->inherited_end > FD_OWN ? s->inherited_end : FD_OWN;

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		end = fds[i] >= end ? fds[i] + 1 : end;
	return end;
}

/* Records the failed step and ends the child. */
__attribute__((noreturn)) WITHOUT_RUNTIME static void rank_child_fail(
	struct rank_child *c, const char *step)
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

__attribute__((noreturn)) WITHOUT_RUNTIME static void rank_child_run(struct rank_child *c)
{
	const struct rank_common *s = c->s;
	const struct app *a = c->a;

	if (c->shares && !fd_range_leave(c->fds_end))
		rank_child_fail(c, "a table of files");
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
	if (c->e->fork_server)
		priority_of_server();
	else
		priority_of_rank();
	execve(a->file, a->argv, c->e->envp);
	if (errno == ENOEXEC)
		execve("/bin/sh", a->script, c->e->envp);
	rank_child_fail(c, a->file);
}

WITHOUT_RUNTIME static int rank_child_main(void *c)
{
	rank_child_run(c);
}

/* As vfork, but the child shares mpiexec's descriptors.  -1: that cannot be done here. */
static pid_t rank_fork_sharing(struct rank_child *c)
{
	static _Alignas(64) char stack[CHILD_STACK];
	static int able = -1;
	const char *preload = getenv("LD_PRELOAD");
	bool valgrind = preload != NULL && strstr(preload, "/vgpreload_") != NULL;
	pid_t pid;

	if (able < 0) /* valgrind ends a program that calls clone so */
		able = !valgrind && fd_range_leave(INT_MAX); /* closes nothing */
	if (able == 0)
		return -1;
	c->shares = true;
	pid = clone(rank_child_main, stack + sizeof(stack),
		CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, c);
	if (pid < 0)
		c->shares = false;
	return pid;
}

pid_t rank_start(const struct rank_common *s, const struct app *a, const struct rank_ends *e,
	const char **step)
{
	struct rank_child c = {.s = s, .a = a, .e = e, .fds_end = rank_fds_end(s, e)};
	pid_t pid = rank_fork_sharing(&c);

	if (pid < 0)
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
