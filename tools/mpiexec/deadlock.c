// SPDX-License-Identifier: BSD-3-Clause
/* deadlock.c - ends a job in which all processes wait for each other.
 *
 *     rank 0  ...|~~~~~ sleeps in MPI_Recv from rank 1 ~~~~~~~~~~~~~~|
 *     rank 1  .....|~~~ sleeps in MPI_Barrier: rank 0 is late ~~~~~~~|
 *     checks       |       |       |       |       |       |       |  a message, and the job ends
 *                                  |<-- HAFT_ENDED seconds, twice -->|
 *
 * It is certain, not only likely, if each process that lives
 *  - sleeps in MPI, has one thread, and only timeouts have woken it; and
 *  - waits for an event that processes of this job alone can cause.
 * Then no process will ever do it.  A job with a process that computes, polls, reads a file or
 * waits for a client is never taken for one that is locked.
 *
 * A message may be on its way.  In shared memory it takes a nap at most; between hosts a connection
 * may stand still for some time, so the sleeps must be longer there.  The checks guard against a
 * machine that was frozen: they must find equal sleeps several times. */
#include "tools/mpiexec/deadlock.h"

#include <stdio.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/rank_needs.h"

#define CHECKS_EQUAL 4 /* so many checks, one after the other, must find one state */
#define HOSTS_TIMES  3 /* times HAFT_ENDED, if the job has several hosts */

/* True if only processes of the job can end the wait of rank r, which sleeps and has one thread. */
static bool deadlock_bound(const struct job *j, int r)
{
	struct needs e = rank_needs(j, r);

	if (rank_has_threads(j, r))
		return false;
	if (e.any || e.several)
		return e.closed || e.enders[0].n > 0;
	return e.n > 0;
}

/* All processes that live are bound: the sum of the times since when they sleep, for comparison
 * with the next check.  0: one is not, or none lives. */
static uint64_t deadlock_state(const struct job *j, uint64_t now, uint64_t ns)
{
	uint64_t state = 0;

	for (int r = 0; r < j->n; r++) {
		const struct rank_view *s = &j->seen[r];

		if (j->rank[r].world == NULL || (s->known && (!s->alive || s->state == BOOT_DONE)))
			continue;
		if (!rank_sleeps(j, r, now, ns) || !deadlock_bound(j, r))
			return 0;
		state = state * 31 + s->sleep;
	}
	return state;
}

/* A process that waits for certain others; -1: none. */
static int deadlock_first(const struct job *j)
{
	for (int r = 0; r < j->n; r++)
		if (j->rank[r].world != NULL && j->seen[r].alive && rank_needs(j, r).n > 0)
			return r;
	return -1;
}

/* How many processes live. */
static int deadlock_size(const struct job *j)
{
	int n = 0;

	for (int r = 0; r < j->n; r++)
		n += j->rank[r].world != NULL && j->seen[r].alive;
	return n;
}

int deadlock_find(struct job *j, uint64_t now, char *whom, size_t room)
{
	struct deadlock *d = &j->deadlock;
	uint64_t ns = j->remote != NULL ? HOSTS_TIMES * j->ended_ns : j->ended_ns;
	uint64_t state = deadlock_state(j, now, ns / CHECKS_EQUAL);
	int n, r;

	d->checks = state != 0 && state == d->state ? d->checks + 1 : state != 0;
	d->state = state;
	if (d->checks < CHECKS_EQUAL || deadlock_state(j, now, ns) == 0)
		return -1;
	n = deadlock_size(j);
	r = deadlock_first(j);
	if (r < 0) {
		for (r = 0; j->rank[r].world == NULL || !j->seen[r].alive;)
			r++;
		snprintf(whom, room, "any rank, %s (a deadlock)",
			n > 1 ? "as all others do" : "and no other process is there");
		return r;
	}
	snprintf(whom, room, "%s%s", job_rank_name(j, rank_needs(j, r).to[0]),
		n > 1 ? ", and all processes wait for each other (a deadlock)"
		      : ", which is itself (a deadlock)");
	return r;
}
