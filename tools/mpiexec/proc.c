// SPDX-License-Identifier: BSD-3-Clause
/* proc.c - see proc.h. */
#include "tools/mpiexec/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libmpi/core/clock.h"

#define FAMILY_MAX 64   /* descendants of one rank to look at; beyond that *runs is true */
#define CHILDREN   1024 /* bytes of a list of children: enough for FAMILY_MAX numbers */

uint64_t proc_cpu(int pid)
{
	struct timespec t;
	clockid_t clock;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Reads the beginning of file `name' of thread `task' of process `pid' as a string.  Returns its
 * length; < 0: no such file. */
static ssize_t task_read(int pid, const char *task, const char *name, char *to, size_t len)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%.12s/%s", pid, task, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, to, len - 1);
	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n;
}

uint64_t proc_memory(int pid)
{
	unsigned long long all, resident;
	char name[16], text[128];

	snprintf(name, sizeof(name), "%d", pid);
	if (pid <= 0 || task_read(pid, name, "statm", text, sizeof(text)) <= 0 ||
		sscanf(text, "%llu %llu", &all, &resident) != 2)
		return 0;
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The state letter of a thread (proc(5)); 0: unknown. */
static char task_state(int pid, const char *task)
{
	char stat[512];
	char *p;

	if (task_read(pid, task, "stat", stat, sizeof(stat)) <= 0)
		return 0;
	p = strrchr(stat, ')'); /* behind the name, which may contain any character */
	return (char)(p != NULL && p[1] == ' ' ? p[2] : 0);
}

static DIR *tasks_open(int pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return opendir(path);
}

bool proc_runs(int pid)
{
	struct dirent *e;
	bool runs = false;
	DIR *d = tasks_open(pid);

	while (d != NULL && !runs && (e = readdir(d)) != NULL) {
		char state = (char)(e->d_name[0] != '.' ? task_state(pid, e->d_name) : 0);

		runs = state == 'R' || state == 'D';
	}
	if (d != NULL)
		closedir(d);
	return runs;
}

bool proc_stopped(int pid)
{
	char name[16];
	char state;

	snprintf(name, sizeof(name), "%d", pid);
	state = task_state(pid, name);
	return state == 'T' || state == 't';
}

/* --- families ------------------------------------------------------------------------------- */

struct family {
	int pid[FAMILY_MAX];
	int n;
};

/* Adds the children that one thread has started.  Returns false if /proc has no list, or they
 * are too many. */
static bool children_add(struct family *f, int pid, const char *task)
{
	char list[CHILDREN], *at = list, *end;
	ssize_t n = task_read(pid, task, "children", list, sizeof(list));

	if (n < 0 || n == sizeof(list) - 1)
		return false;
	for (long child = strtol(at, &end, 10); end != at; child = strtol(at, &end, 10)) {
		if (f->n == FAMILY_MAX)
			return false;
		f->pid[f->n++] = (int)child;
		at = end;
	}
	return true;
}

static bool children_of(struct family *f, int pid)
{
	struct dirent *e;
	bool all = true;
	DIR *d = tasks_open(pid);

	if (d == NULL)
		return false;
	while (all && (e = readdir(d)) != NULL)
		all = e->d_name[0] == '.' || children_add(f, pid, e->d_name);
	closedir(d);
	return all;
}

uint64_t proc_family_cpu(int root, int pid, bool *runs)
{
	struct family f = {.pid = {root}, .n = 1};
	bool found = false;
	uint64_t sum = 0;

	*runs = root <= 0;
	for (int i = 0; i < f.n && !*runs; i++) {
		found |= f.pid[i] == pid;
		*runs = proc_runs(f.pid[i]) || !children_of(&f, f.pid[i]);
		sum += proc_cpu(f.pid[i]);
	}
	*runs |= !found;
	return sum;
}
