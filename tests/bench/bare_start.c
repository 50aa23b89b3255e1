// SPDX-License-Identifier: BSD-3-Clause
/*
 * bare_start.c - the floor of a start: N processes that start, wait for each other once, and end.
 *
 *	posix_spawn ──> process ── maps a page, counts itself ── sleeps until all are there ──> end
 *	                process ── the last one wakes all ────────────────────────────────────> end
 *
 * No library.  No rank of a job can do with less: a process of its own, and one wait for all
 * others, which MPI_Finalize needs.  The processes are C programs linked dynamically, as the
 * benchmark is.
 *
 * Prints "= together s SECONDS" from the first start until the last process has been waited for,
 * and "= alone s SECONDS" for the same processes without the wait for each other. */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct shared {
	_Atomic uint32_t come, go;
};

static double bare_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct shared *shared_map(int fd)
{
	void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

/* A started process: counts itself in the file, and ends when n have come. */
static int wait_for_all(int fd, uint32_t n)
{
	struct shared *p = shared_map(fd);

	if (atomic_fetch_add(&p->come, 1) + 1 == n) {
		atomic_store(&p->go, 1);
		syscall(SYS_futex, &p->go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
	while (atomic_load(&p->go) == 0)
		syscall(SYS_futex, &p->go, FUTEX_WAIT, 0, NULL, NULL, 0);
	return 0;
}

/* Starts n processes and waits for all.  Returns the seconds. */
static double rank_start(const char *self, int n, int fd)
{
	char number[16], file[16];
	char *argv[] = {(char *)(uintptr_t)self, number, file, NULL};
	double begin = bare_now();

	snprintf(number, sizeof(number), "%d", n);
	snprintf(file, sizeof(file), "%d", fd);
	for (int i = 0; i < n; i++) {
		pid_t pid;

		if (posix_spawn(&pid, self, NULL, NULL, argv, NULL) != 0) {
			perror("bare_start: posix_spawn");
			exit(1);
		}
	}
	while (wait(NULL) > 0)
		;
	return bare_now() - begin;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, fd;
	double alone;

	if (argc == 3)
		return atoi(argv[2]) < 0 ? 0 : wait_for_all(atoi(argv[2]), (uint32_t)n);
	fd = memfd_create("bare_start", 0);
	if (n < 1 || fd < 0 || ftruncate(fd, sizeof(struct shared)) != 0) {
		fprintf(stderr, "usage: bare_start N\n");
		return 1;
	}
	alone = rank_start("/proc/self/exe", n, -1);
	printf("= alone s %.6f\n= together s %.6f\n", alone, rank_start("/proc/self/exe", n, fd));
	return 0;
}
