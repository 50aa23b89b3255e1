// SPDX-License-Identifier: BSD-3-Clause
/* guard.c - see guard.h. */
#include "tools/mpiexec/guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/mpiexec/job_plan.h"

#define ENVIRON_MAX 1048576 /* bytes of an environment that are searched */

/* True if the environment of process `pid' contains `mark'. */
static bool process_has(const char *pid, const char *mark, char *buf)
{
	char path[64];
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (len < ENVIRON_MAX && (n = read(fd, buf + len, ENVIRON_MAX - len)) > 0)
		len += (size_t)n;
	close(fd);
	return memmem(buf, len, mark, strlen(mark)) != NULL;
}

/* Kills processes that have left their group but kept the job's environment. */
static void orphans_kill(const char *mark)
{
	char *buf = malloc(ENVIRON_MAX);
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (buf != NULL && d != NULL && (e = readdir(d)) != NULL) {
		pid_t pid = (pid_t)atoi(e->d_name);

		if (isdigit((unsigned char)e->d_name[0]) && pid != getpid() &&
			process_has(e->d_name, mark, buf))
			kill(pid, SIGKILL);
	}
	if (d != NULL)
		closedir(d);
	free(buf);
}

__attribute__((noreturn)) static void guard_run(const struct guard *g, uint64_t cookie, pid_t by)
{
	sigset_t all, died;
	char mark[64];

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigemptyset(&died);
	sigaddset(&died, SIGTERM);
	prctl(PR_SET_NAME, "haft-guard");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setsid();
	close_range(0, ~0u, 0); /* an open pipe here would delay the end of file elsewhere */
	if (chdir("/") != 0)
		_exit(1);
	while (getppid() == by)
		sigwaitinfo(&died, NULL);
	for (int i = 0; i < GUARD_GROUPS; i++)
		if (g->group[i] > 1)
			kill(-g->group[i], SIGKILL);
	/* The format of BOOT_VAR.  "by" tells apart two mpiexecs (proxies) of one job on this
	 * machine. */
	snprintf(mark, sizeof(mark), "by=%d,cookie=%016llx", (int)by, (unsigned long long)cookie);
	orphans_kill(mark);
	_exit(0);
}

void guard_init(struct guard *g, uint64_t cookie)
{
	size_t len = GUARD_GROUPS * sizeof(*g->group);
	pid_t by = getpid();

	g->group = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (g->group == MAP_FAILED)
		fatal(1, "no memory: %s", strerror(errno));
	g->pid = fork();
	if (g->pid == 0)
		guard_run(g, cookie, by);
	if (g->pid < 0)
		g->pid = 0;
}

void guard_fini(struct guard *g)
{
	if (g->pid == 0)
		return;
	kill(g->pid, SIGKILL);
	waitpid(g->pid, NULL, 0);
	g->pid = 0;
}
