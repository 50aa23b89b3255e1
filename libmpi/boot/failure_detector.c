// SPDX-License-Identifier: BSD-3-Clause
/* failure_detector.c - under other launchers, each rank of a host watches the next one that is in MPI.
 *
 *   rank 0 ---> rank 1 ---> rank 2 ---> rank 0        pidfd: readable when the process has died
 *                 '- done: rank 0 watches rank 2
 *
 * Hydra and mpirun end a job whose rank has died; srun does not, and the others would wait for
 * ever. The thread blocks in poll and takes no signal; it has no lock and nothing of the user's. */
#include "libmpi/boot/failure_detector.h"

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
} detector;

static struct boot_rank *rank_record(int near)
{
	return shm_seg_job_rank(detector.seg, near);
}

/* True if that rank needs no watching: it has left MPI, or says itself why it ends. */
static bool rank_ended(int near)
{
	uint32_t state = atomic_load(&rank_record(near)->state);

	return state == BOOT_DONE || state == BOOT_ABORTED;
}

/* The next rank that must live; our own if there is none. */
static int rank_watched(void)
{
	int n = shm_seg_nranks(detector.seg), i = (detector.near + 1) % n;

	while (i != detector.near && rank_ended(i))
		i = (i + 1) % n;
	return i;
}

/* Waits until the watch is over.  False: until `ms' have passed. */
static bool detector_stopped(int ms)
{
	struct pollfd p = {.fd = detector.stop, .events = POLLIN};

	return poll(&p, 1, ms) > 0;
}

static void rank_lost(int near)
{
	char text[128];

	if (detector_stopped(DETECTOR_GRACE_MS) || rank_ended(near))
		return;
	snprintf(text, sizeof text, "rank %d (process %d) has died before MPI_Finalize",
		boot_rank_of(near), (int)atomic_load(&rank_record(near)->pid));
	boot_abort(1, text);
}

static void launcher_lost(void)
{
	if (!detector_stopped(DETECTOR_GRACE_MS))
		boot_abort(1, "the launcher of the job has died");
}

/* A descriptor that is readable when that rank's process has died, -1 with errno. */
static int pidfd_of(int near)
{
	if (near == detector.near) {
		errno = 0;
		return -1;
	}
	return (int)syscall(SYS_pidfd_open, (pid_t)atomic_load(&rank_record(near)->pid), 0);
}

static void *detector_run(void *arg)
{
	enum { STOP, LAUNCHER, RANK, ALL };
	struct pollfd p[ALL] = {{.fd = detector.stop, .events = POLLIN},
		{.fd = detector.launcher, .events = detector.death}, {.events = POLLIN}};

	while (p[STOP].revents == 0) {
		int who = rank_watched();
		bool lost;

		p[RANK].fd = pidfd_of(who);
		lost = p[RANK].fd < 0 && errno == ESRCH;
		while (poll(p, ALL, lost ? 0 : -1) < 0 && errno == EINTR)
			continue;
		if (p[RANK].fd >= 0)
			close(p[RANK].fd);
		if (p[STOP].revents != 0)
			break;
		if (p[LAUNCHER].revents != 0)
			launcher_lost();
		if ((lost || p[RANK].revents != 0) && !rank_ended(who))
			rank_lost(who);
	}
	return arg;
}

void boot_detector_start(const struct boot *b, const struct kvs *k)
{
	sigset_t all, before;
	pthread_attr_t attr;

	detector.seg = b->seg;
	detector.near = b->near;
	detector.launcher = k->way != NULL ? k->fd : -1;
	detector.death = k->death;
	detector.stop = eventfd(0, EFD_CLOEXEC);
	if (detector.stop < 0 || pthread_attr_init(&attr) != 0)
		return;
	pthread_attr_setstacksize(&attr, STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	detector.runs = pthread_create(&detector.thread, &attr, detector_run, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (!detector.runs)
		close(detector.stop);
}

void boot_detector_stop(void)
{
	if (!detector.runs)
		return;
	eventfd_write(detector.stop, 1);
	pthread_join(detector.thread, NULL);
	close(detector.stop);
	detector.runs = false;
}
