// SPDX-License-Identifier: BSD-3-Clause
/* failure_detector.c - under other launchers, each rank of a host watches the next one in MPI.
 *
 *   rank 0 ---> rank 1 ---> rank 2 ---> rank 0        pidfd: readable when the process has died
 *                 '- has finalized: rank 0 watches rank 2
 *
 * hydra and mpirun end a job whose rank has died, if they are not told otherwise.  srun does not,
 * and the other ranks would wait for ever.
 *
 *      rank 2 dies ──┬── failures are not survived ──> abort_job, if the launcher does not
 *                    └── HAFT_FT ──> its state is BOOT_ABORTED by one of the watchers, which puts
 *                                    a notice into the segment, as mpiexec of ours would
 *
 * The thread blocks in poll, takes no signal and touches nothing of the user. */
#include "libmpi/boot/failure_detector.h"
#include "libmpi/core/thread_start.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libmpi/core/setting.h"
#include "libshm/shm.h"

#define STACK          ((size_t)256 * 1024) /* address space; the thread uses 2 KiB and its TLS */
#define NOTICE_WAIT_MS 100 /* for a watcher that puts a notice; then it has died meanwhile */

static struct {
	pthread_t thread;
	struct shm_seg *seg;
	int seat;
	void (*abort_job)(int code, const char *text);
	int stop;     /* an eventfd; readable: the thread is to end */
	int launcher; /* or -1 */
	short death;
	bool runs;
} detector;

static struct boot_rank *rank_record(int seat)
{
	return shm_seg_job_rank(detector.seg, seat);
}

/* True if that rank needs no watching: it has finalized, or has written the abort record. */
static bool rank_ended(int seat)
{
	uint32_t state = atomic_load(&rank_record(seat)->state);

	return state == BOOT_DONE || state == BOOT_ABORTED;
}

/* The next rank in MPI after this one; this one if there is no other. */
static int rank_watched(void)
{
	int n = shm_seg_nranks(detector.seg), i = (detector.seat + 1) % n;

	while (i != detector.seat && rank_ended(i))
		i = (i + 1) % n;
	return i;
}

/* Waits until the thread is to end, `ms' at most.  True: it is to end. */
static bool detector_stopped(int ms)
{
	struct pollfd p = {.fd = detector.stop, .events = POLLIN};

	return poll(&p, 1, ms) > 0;
}

/* --- failures that are survived ------------------------------------------------------------- */

/* Has a rank of this host called a function for failures, or been told to survive them? */
static bool failures_survived(void)
{
	bool any = false;

	if (haft_setting_get(SETTING_FT) == HAFT_FT_NO)
		return false;
	for (int i = 0; i < shm_seg_nranks(detector.seg); i++)
		any |= atomic_load(&rank_record(i)->ft) != BOOT_FT_NONE;
	return any;
}

/* Puts a notice, as one of several watchers: a segment has one writer of notices at a time. */
static void notice_put(const struct boot_notice *notice)
{
	struct boot_job *job = shm_seg_job(detector.seg);
	uint32_t was = 0;

	for (int ms = 0; ms < NOTICE_WAIT_MS; ms++, was = 0) {
		if (atomic_compare_exchange_strong(&job->notice_taken, &was, 1))
			break;
		usleep(1000);
	}
	(void)shm_notice_put(detector.seg, notice);
	atomic_store(&job->notice_taken, 0);
}

/* A rank has died, and the job goes on.  True: it is known to all of this host. */
static bool rank_survived(int seat)
{
	struct boot_notice notice = {.number = boot_number_at(seat),
		.rank = boot_number_at(seat),
		.pid = atomic_load(&rank_record(seat)->pid),
		.how = BOOT_END_DIED,
		.when_s = (int64_t)time(NULL)};
	uint32_t was = atomic_load(&rank_record(seat)->state);

	if (!failures_survived())
		return false;
	if (was != BOOT_ABORTED && was != BOOT_DONE &&
		atomic_compare_exchange_strong(&rank_record(seat)->state, &was, BOOT_ABORTED))
		notice_put(&notice);
	return true;
}

static void rank_lost(int seat)
{
	char text[128];

	if (rank_survived(seat))
		return;
	if (detector_stopped(DETECTOR_GRACE_MS) || rank_ended(seat))
		return;
	snprintf(text, sizeof(text), "rank %d (process %d) has died before MPI_Finalize",
		boot_number_at(seat), (int)atomic_load(&rank_record(seat)->pid));
	detector.abort_job(1, text);
}

static void launcher_lost(void)
{
	if (!detector_stopped(DETECTOR_GRACE_MS))
		detector.abort_job(1, "the launcher of the job has died");
}

/* A descriptor that is readable when the process of that seat has died.  -1: errno says why. */
static int pidfd_of(int seat)
{
	if (seat == detector.seat) {
		errno = 0;
		return -1;
	}
	return (int)syscall(SYS_pidfd_open, (pid_t)atomic_load(&rank_record(seat)->pid), 0);
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

void boot_detector_start(
	const struct boot *b, const struct kvs *k, void (*abort_job)(int code, const char *text))
{
	pthread_attr_t attr;

	detector.seg = b->seg;
	detector.abort_job = abort_job;
	detector.seat = b->seat;
	detector.launcher = k->ops != NULL ? k->fd : -1;
	detector.death = k->death;
	detector.stop = eventfd(0, EFD_CLOEXEC);
	if (detector.stop < 0 || pthread_attr_init(&attr) != 0)
		return;
	pthread_attr_setstacksize(&attr, STACK);
	detector.runs = haft_thread_start(&detector.thread, &attr, detector_run, NULL) == 0;
	pthread_attr_destroy(&attr);
	if (!detector.runs)
		close(detector.stop);
}

HAFT_START void boot_detector_stop(void)
{
	if (!detector.runs)
		return;
	eventfd_write(detector.stop, 1);
	pthread_join(detector.thread, NULL);
	close(detector.stop);
	detector.runs = false;
}
