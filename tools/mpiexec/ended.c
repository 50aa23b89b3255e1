// SPDX-License-Identifier: BSD-3-Clause
/* ended.c - ends a job in which a rank waits for one that can never answer.
 *
 *     rank 0  .....|~~~~~ sleeps in MPI_Recv from rank 1 ~~~~~|
 *     rank 1  ..| MPI_Session_finalize, exit                  |
 *                  |<----------- HAFT_ENDED seconds --------->|  a message, and the job ends
 *
 * A rank that has ended sends nothing after its last messages have arrived.  A rank that sleeps in
 * MPI_Finalize starts no new operations; one that sleeps in MPI_Comm_disconnect, none on that
 * communicator.  One in another collective call of the communicator does not come back to this one.
 * These cases are checked when the hang watch reads the waits (hang_watch.c), so that nothing more
 * is read for them.  Jobs whose processes all wait for each other: deadlock.c. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/rank_needs.h"
#include "tools/mpiexec/output.h"

#define CHECKS    4          /* checks in HAFT_ENDED seconds */
#define CHECK_MIN 250000000u /* ns between two checks at least */

void ended_init(struct job *j)
{
	j->ended_ns = (uint64_t)haft_setting_launch(SETTING_ENDED, environ) * NS_PER_S;
}

uint64_t ended_next(const struct job *j, uint64_t now)
{
	uint64_t step = j->ended_ns / CHECKS;

	return j->ended_ns == 0 ? 0 : now + (step > CHECK_MIN ? step : CHECK_MIN);
}

/* True if rank r has slept in one call of MPI for the whole time. */
static bool sleeps_long(const struct job *j, int r, uint64_t now)
{
	return rank_sleeps(j, r, now, j->ended_ns);
}

/* True if the process of rank r is gone, with everything that it started. */
static bool has_ended(const struct job *j, int r, uint64_t now)
{
	const struct rank_view *s = &j->seen[r];

	return !j->rank[r].alive && j->rank[r].ended_ns != 0 &&
	       now - j->rank[r].ended_ns >= j->ended_ns && s->known && !s->left;
}

/* True if rank r sleeps in MPI_Finalize, and has no thread that may call MPI meanwhile. */
static bool is_finalizing(const struct job *j, int r, uint64_t now)
{
	const struct rank_view *s = &j->seen[r];

	return j->rank[r].alive && sleeps_long(j, r, now) && !rank_has_threads(j, r) &&
	       strcmp(boot_wait_in(s->view.description)->call, "MPI_Finalize") == 0;
}

/* True if rank r waits until one of its messages is received. */
static bool sends(const struct job *j, int r)
{
	return boot_wait_in(j->seen[r].view.description)->kind == BOOT_WAIT_SEND;
}

/* True if rank i sleeps in MPI_Comm_disconnect of the communicator on which rank r waits for a
 * message: it sends and receives no more there. */
static bool is_disconnecting(const struct job *j, int i, int r, uint64_t now)
{
	const struct boot_wait *mine = boot_wait_in(j->seen[r].view.description);
	const struct boot_wait *other = boot_wait_in(j->seen[i].view.description);
	bool message = mine->kind == BOOT_WAIT_RECV || mine->kind == BOOT_WAIT_SEND;

	return message && mine->comm != 0 && mine->comm == other->comm &&
	       (mine->one == 0 || mine->open == 1) && j->rank[i].alive && sleeps_long(j, i, now) &&
	       j->seen[i].view.nothers == 0 && strcmp(other->call, "MPI_Comm_disconnect") == 0 &&
	       strcmp(mine->call, "MPI_Comm_disconnect") != 0;
}

/* Why rank i will start no more operations that rank r could wait for; NULL: it may. */
static const char *gone_reason(const struct job *j, int i, int r, uint64_t now)
{
	if (has_ended(j, i, now))
		return "has ended";
	if (is_disconnecting(j, i, r, now))
		return "is in MPI_Comm_disconnect of that communicator";
	return is_finalizing(j, i, now) ? "is in MPI_Finalize" : NULL;
}

/* True if all other ranks have ended, or are in MPI_Finalize: any of them could have been the
 * sender. */
static bool alone(const struct job *j, int r, uint64_t now)
{
	int others = 0;

	for (int i = 0; i < j->n; i++) {
		if (i == r || j->rank[i].world == NULL)
			continue;
		if (gone_reason(j, i, r, now) == NULL)
			return false;
		others++;
	}
	return others > 0;
}

/* True if process `number' has ended, or starts no more operations for rank r. */
static bool number_gone(const struct job *j, int number, int r, uint64_t now)
{
	int i = job_entry(j, number);

	return i >= 0 ? gone_reason(j, i, r, now) != NULL : job_forgets(j, number);
}

/* True if all processes that could end the wait of rank r have ended, or are in MPI_Finalize.
 * Rank r cannot end it: it sleeps, and has one thread. */
static bool enders_gone(const struct job *j, int r, const struct needs *e, uint64_t now)
{
	int self = job_number(j, r), others = 0;

	if (rank_has_threads(j, r))
		return false;
	for (int k = 0; k < BOOT_WAIT_ENDERS; k++) {
		const struct boot_numbers *row = &e->enders[k];

		for (int number = row->first; number < row->first + row->n; number++) {
			if (number == self)
				continue;
			if (!number_gone(j, number, r, now))
				return false;
			others++;
		}
	}
	return others > 0;
}

/* Ends the job.  `whom' names what rank r waits for; `told': the report has just been printed. */
static void ended_fail(struct job *j, int r, const char *whom, bool told)
{
	out_say("%s waits in %.*s for %s: that would be for ever, and the job is ended "
		"(HAFT_ENDED)%s",
		job_rank_name(j, r), BOOT_WAIT_CALL - 1,
		boot_wait_in(j->seen[r].view.description)->call[0] != '\0'
			? boot_wait_in(j->seen[r].view.description)->call
			: "MPI",
		whom, told ? "" : "; its processes:");
	if (!told)
		job_report(j);
	job_world_fail(j, j->rank[r].world, 1);
}

/* A rank for which rank r waits, and which will start no more operations; -1: none.  Ranks in
 * MPI_Finalize wait for each other.  For those only a rank that has ended is too late, or one that
 * should have received a message; likewise for a rank with threads. */
static int ended_awaited(const struct job *j, int r, const struct needs *e, uint64_t now)
{
	bool ended_only = rank_has_threads(j, r) || (is_finalizing(j, r, now) && !sends(j, r));

	for (int i = 0; i < e->n; i++)
		if (ended_only ? has_ended(j, e->to[i], now)
			       : gone_reason(j, e->to[i], r, now) != NULL)
			return e->to[i];
	return -1;
}

/* A rank for which rank r waits in a collective call, and that has begun another one in its place
 * on the communicator; -1: none.  Only waits for messages have tags: waits in shared memory compare
 * the calls themselves. */
static int ended_other_call(const struct job *j, int r, const struct needs *e, uint64_t now)
{
	const struct boot_wait *mine = boot_wait_in(j->seen[r].view.description);

	for (int i = 0; i < e->n; i++) {
		const struct boot_wait *theirs = boot_wait_in(j->seen[e->to[i]].view.description);
		int differ = mine->tag ^ theirs->tag;

		if (mine->kind == BOOT_WAIT_COLL && theirs->kind == BOOT_WAIT_COLL &&
			mine->comm == theirs->comm && mine->tag >= 0 && theirs->tag >= 0 &&
			mine->tag < BOOT_WAIT_CALLS && theirs->tag < BOOT_WAIT_CALLS &&
			differ != 0 && (differ & ~BOOT_WAIT_WHICH) == 0 &&
			sleeps_long(j, e->to[i], now))
			return e->to[i];
	}
	return -1;
}

/* Names the process that rank r waits for and that can never answer, in a static buffer; NULL: the
 * wait may end. */
static const char *ended_whom(const struct job *j, int r, uint64_t now)
{
	static char whom[128];
	struct needs e = rank_needs(j, r);
	int gone = ended_awaited(j, r, &e, now), other = ended_other_call(j, r, &e, now);

	if (other >= 0)
		snprintf(whom, sizeof(whom),
			"%s, which is in another collective call of the communicator, or gave "
			"another root",
			job_rank_name(j, other));
	else if (gone >= 0)
		snprintf(whom, sizeof(whom), "%s, which %s", job_rank_name(j, gone),
			gone_reason(j, gone, r, now));
	else if (e.forgotten > 0)
		snprintf(whom, sizeof(whom), "a spawned process, which has ended with its world");
	else if ((e.any || e.several) && e.closed && !is_finalizing(j, r, now) && alone(j, r, now))
		snprintf(whom, sizeof(whom), "%s, and all others have ended",
			e.any ? "any rank" : "one of several");
	else if ((e.any || e.several) && !is_finalizing(j, r, now) && enders_gone(j, r, &e, now))
		snprintf(whom, sizeof(whom), "%s, and all of them have ended",
			e.any ? "any rank of a group" : "processes of any of its requests");
	else
		return NULL;
	return whom;
}

/* Sets the time of the next check: there is one while a rank has ended, or the last check has found
 * a possible deadlock. */
static void ended_next_set(struct job *j, uint64_t now)
{
	bool any = j->deadlock.checks > 0;

	for (int r = 0; r < j->n && !any; r++)
		any = j->rank[r].world != NULL && j->rank[r].ended_ns != 0;
	if (!any)
		j->ended_check_ns = 0;
	else if (j->ended_check_ns == 0)
		j->ended_check_ns = ended_next(j, now);
}

bool ended_check(struct job *j, uint64_t now, bool told)
{
	char all[160];
	int locked;

	for (int r = 0; r < j->n && j->ended_ns != 0; r++) {
		const char *whom;

		if (j->rank[r].world == NULL || !sleeps_long(j, r, now))
			continue;
		whom = ended_whom(j, r, now);
		if (whom == NULL)
			continue;
		ended_fail(j, r, whom, told);
		return true;
	}
	if (j->ended_ns == 0)
		return false;
	locked = deadlock_find(j, now, all, sizeof(all));
	if (locked >= 0) {
		ended_fail(j, locked, all, told);
		return true;
	}
	ended_next_set(j, now);
	return false;
}
