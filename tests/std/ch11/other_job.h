// SPDX-License-Identifier: BSD-3-Clause
/* other_job.h - starts this program again as a job of its own: a singleton, which shares no mpiexec
 * with the caller.  With MPIEXEC and N in the environment: as N ranks of another mpiexec. */
#ifndef TESTS_STD_CH11_OTHER_JOB_H
#define TESTS_STD_CH11_OTHER_JOB_H

#include "tests/check.h"
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The environment without what says which rank of which job this process is. */
static inline char **other_job_env(void)
{
	static char *env[4096];
	int n = 0;

	for (char **v = environ; *v != NULL && n < 4095; v++)
		if (strncmp(*v, "HAFT_JOB=", 9) != 0 && strncmp(*v, "PMI_", 4) != 0)
			env[n++] = *v;
	env[n] = NULL;
	return env;
}

/* Starts it with two words. */
static inline pid_t other_job_start(const char *word, const char *word2)
{
	char self[4096], *argv[8], *mpiexec = getenv("MPIEXEC"), *n = getenv("N");
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int k = 0;
	pid_t pid;

	CHECK(len > 0);
	self[len] = '\0';
	if (mpiexec != NULL) {
		argv[k++] = mpiexec;
		argv[k++] = (char *)(uintptr_t) "-n";
		argv[k++] = n != NULL ? n : (char *)(uintptr_t) "2";
	}
	argv[k++] = self;
	argv[k++] = (char *)(uintptr_t)word;
	argv[k++] = (char *)(uintptr_t)word2;
	argv[k] = NULL;
	CHECK(posix_spawn(&pid, argv[0], NULL, NULL, argv, other_job_env()) == 0);
	return pid;
}

/* Waits for its end, which must be a good one. */
static inline void other_job_end(pid_t pid)
{
	int status = -1;

	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif
