// SPDX-License-Identifier: BSD-3-Clause
/* watch.c - under other launchers, each rank of a host watches the next one that is in MPI.
 *
 *   rank 0 ---> rank 1 ---> rank 2 ---> rank 0        pidfd: readable when the process has died
 *                 '- done: rank 0 watches rank 2
 *
 * Hydra and mpirun end a job whose rank has died; srun does not, and the others would wait for
 * ever. The thread blocks in poll and takes no signal; it has no lock and nothing of the user's. */
#include "libmpi/boot/watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libshm/shm.h"

#define STACK ((size_t)256 * 1024) /* address space; the thread needs 2 KiB, and room for TLS */

static struct {
	pthread_t thread;
	struct shm_seg *seg;
	int near;
	int stop;     /* an eventfd; readable: the thread shall end */
	int launcher; /* or -1 */
	short death;
	bool runs;
} watch;

static struct boot_rank *place(int near)
{
	return shm_seg_job_rank(watch.seg, near);
}

/* True if that rank needs no watching: it has left MPI, or says itself why it ends. */
static bool over(int near)
{
	uint32_t state = atomic_load(&place(near)->state);

	return state == BOOT_DONE || state == BOOT_ABORTED;
}

/* The next rank that must live; our own if there is none. */
static int next(void)
{
	int n = shm_seg_nranks(watch.seg), i = (watch.near + 1) % n;

	while (i != watch.near && over(i))
		i = (i + 1) % n;
	return i;
}

/* Waits until the watch is over.  False: until `ms' have passed. */
static bool stopped(int ms)
{
	struct pollfd p = {.fd = watch.stop, .events = POLLIN};

	return poll(&p, 1, ms) > 0;
}

static void rank_lost(int near)
{
	char text[128];

	if (stopped(WATCH_GRACE_MS) || over(near))
		return;
	snprintf(text, sizeof text, "rank %d (process %d) has died before MPI_Finalize",
		boot_rank_of(near), (int)atomic_load(&place(near)->pid));
	boot_abort(1, text);
}

static void launcher_lost(void)
{
	if (!stopped(WATCH_GRACE_MS))
		boot_abort(1, "the launcher of the job has died");
}

/* A descriptor that is readable when that rank's process has died, -1 with errno. */
static int process_open(int near)
{
	if (near == watch.near) {
		errno = 0;
		return -1;
	}
	return (int)syscall(SYS_pidfd_open, (pid_t)atomic_load(&place(near)->pid), 0);
}

static void *run(void *arg)
{
	enum { STOP, LAUNCHER, RANK, ALL };
	struct pollfd p[ALL] = {{.fd = watch.stop, .events = POLLIN},
		{.fd = watch.launcher, .events = watch.death}, {.events = POLLIN}};

	while (p[STOP].revents == 0) {
		int who = next();
		bool lost;

		p[RANK].fd = process_open(who);
		lost = p[RANK].fd < 0 && errno == ESRCH;
		while (poll(p, ALL, lost ? 0 : -1) < 0 && errno == EINTR)
			continue;
		if (p[RANK].fd >= 0)
			close(p[RANK].fd);
		if (p[STOP].revents != 0)
			break;
		if (p[LAUNCHER].revents != 0)
			launcher_lost();
		if ((lost || p[RANK].revents != 0) && !over(who))
			rank_lost(who);
	}
	return arg;
}

void watch_start(const struct boot *b, const struct kvs *k)
{
	sigset_t all, before;
	pthread_attr_t attr;

	watch.seg = b->seg;
	watch.near = b->near;
	watch.launcher = k->way != NULL ? k->fd : -1;
	watch.death = k->death;
	watch.stop = eventfd(0, EFD_CLOEXEC);
	if (watch.stop < 0 || pthread_attr_init(&attr) != 0)
		return;
	pthread_attr_setstacksize(&attr, STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	watch.runs = pthread_create(&watch.thread, &attr, run, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (!watch.runs)
		close(watch.stop);
}

void watch_stop(void)
{
	if (!watch.runs)
		return;
	eventfd_write(watch.stop, 1);
	pthread_join(watch.thread, NULL);
	close(watch.stop);
	watch.runs = false;
}
