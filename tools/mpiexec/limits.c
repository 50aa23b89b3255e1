// SPDX-License-Identifier: BSD-3-Clause
/* limits.c - limits of this host that a large job meets.
 *
 *     descriptors, processes    a system call of mpiexec fails: its line names the limit
 *     memory                    the kernel kills a process, in silence: it is to be a rank, whose
 *                               death mpiexec tells, and not mpiexec
 *
 * A process has a size for the kernel, and with oom_score_adj a share of all memory more.  A rank
 * may be smaller than mpiexec, so it gets RANK_SHARE.  /proc/vmstat counts the killed ones. */
#include "tools/mpiexec/limits.h"

#include "tools/mpiexec/util.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SCORE      "/proc/self/oom_score_adj"
#define RANK_SHARE 100 /* thousandths of all memory, or of the limit of the cgroup */
#define SCORE_MOST 1000
#define READS_MAX  16 /* deaths for which /proc/vmstat is read: mpiexec kills ranks, too */

static struct {
	char score[16]; /* oom_score_adj of a rank; "": it keeps that of mpiexec */
	int reads;
	long killed; /* when the job began; -1: not known */
} memory = {.killed = -1};

const char *limit_words(int err)
{
	static char words[96];
	bool files = err == EMFILE;
	struct rlimit r;

	words[0] = '\0';
	if ((files || err == EAGAIN) && getrlimit(files ? RLIMIT_NOFILE : RLIMIT_NPROC, &r) == 0 &&
		r.rlim_cur != RLIM_INFINITY)
		snprintf(words, sizeof(words),
			files ? " (ulimit -n: %llu)" : " (ulimit -u: %llu; pids.max of the cgroup)",
			(unsigned long long)r.rlim_cur);
	return words;
}

/* --- memory --------------------------------------------------------------------------------- */

/* A number that follows a name in a file of /proc; the name may be "".  -1: there is none. */
static long number_in(const char *path, const char *name)
{
	FILE *f = fopen(path, "re");
	char line[128];
	size_t len = strlen(name);
	long n = -1;

	while (f != NULL && n < 0 && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, len) == 0)
			n = strtol(line + len, NULL, 10);
	if (f != NULL)
		fclose(f);
	return n;
}

void limit_memory_begin(void)
{
	long score = number_in(SCORE, "");

	memory.killed = number_in("/proc/vmstat", "oom_kill ");
	if (score >= 0 && score + RANK_SHARE <= SCORE_MOST)
		snprintf(memory.score, sizeof(memory.score), "%ld", score + RANK_SHARE);
}

void limit_memory_rank(void)
{
	int fd = memory.score[0] != '\0' ? open(SCORE, O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	(void)!write(fd, memory.score, strlen(memory.score)); /* or it keeps that of mpiexec */
	close(fd);
}

/* How many processes of this host it has killed since then. */
static long killed_since(void)
{
	return memory.killed >= 0 ? number_in("/proc/vmstat", "oom_kill ") - memory.killed : 0;
}

bool limit_memory_met(void)
{
	return killed_since() > 0;
}

char *limit_memory_words(void)
{
	long n = memory.reads++ < READS_MAX ? killed_since() : 0;

	if (n <= 0)
		return NULL;
	return text_new("; since the job began the kernel has killed %ld process%s of this host "
			"for lack of memory",
		n, n > 1 ? "es" : "");
}
