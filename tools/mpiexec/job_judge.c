// SPDX-License-Identifier: BSD-3-Clause
/* job_judge.c - judges the deaths of ranks: which of them are failures, and which is the first.
 *
 *   a rank dies ──> job_died ──┬─ it has aborted ──────────────> abort_tell ──┐
 *                              ├─ code != 0, or a signal ──────> death_fail ──┼─> job_world_fail
 *                              ├─ so, a child, no MPI_Init ────> spawn_failure_judge: its world
 *                              ├─ 0, in MPI: others look ──────> death_fail ──┘
 *                              ├─ 0, without MPI_Init ─────────> job.c looks who waits for it
 *                              '─ because of another's loss ───> kept back until that is known */
#include "tools/mpiexec/job.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/failures.h"
#include "tools/mpiexec/death_notice.h"
#include "tools/mpiexec/names.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/stacks.h"

/* True if a rank has aborted the job, and this is neither reported nor kept back. */
static bool abort_read(struct job *j)
{
	const struct boot_job *b = j->remote == NULL ? local_abort(&j->local) : NULL;
	struct abort_call *a = &j->abort;

	if (b != NULL && !a->told && !j->wait.abort.told) {
		*a = (struct abort_call){.told = true,
			.rank = job_entry(j, b->first + b->rank),
			.pid = b->pid,
			.code = b->code,
			.lost = job_entry(j, local_lost(&j->local, b)),
			.text = text_new("%s", b->text)};
		if (j->worlds > 1)
			local_abort_clear(&j->local);
	}
	return a->told;
}

static void abort_forget(struct abort_call *a)
{
	if (a->told)
		free(a->text);
	a->told = false;
}

/* Ends the worlds that are connected to that of the aborting rank.  The exit code of mpiexec is
 * that of the abort if world 0 is one of them. */
static void abort_end(struct job *j, const struct abort_call *a)
{
	struct world *w = a->rank >= 0 && a->rank < j->n ? j->rank[a->rank].world : NULL;
	int code = a->code & 255;

	w = w != NULL ? w : j->world;
	if (code == 0 && a->code != 0)
		code = 1;
	if (code == 0 && job_connected(j, w, j->world))
		job_end(j, SIGTERM, END_GRACE_MS);
	else
		job_world_fail(j, w, code);
}

/* Reports an abort and ends the job. */
static void abort_tell(struct job *j, struct abort_call *a)
{
	if (a->rank >= 0 && a->rank < j->n)
		out_rest(a->rank, clock_now_ns());
	if (a->text[0] != '\0')
		out_say_raw(a->text);
	if (a->rank >= 0 && a->rank < j->n)
		out_say("%s has aborted the job with code %d", job_process_name(j, a->rank, a->pid),
			a->code);
	else
		out_say("process %d has aborted the job with code %d", a->pid, a->code);
	abort_end(j, a);
	abort_forget(a);
}

void job_aborts_forget(struct job *j)
{
	abort_forget(&j->abort);
	abort_forget(&j->wait.abort);
}

void job_death_tell(struct job *j, int r, int status, uint32_t state)
{
	const char *name = job_process_name(j, r, j->rank[r].pid);
	const char *when = state == BOOT_RUNNING           ? " before MPI_Finalize"
			   : state == BOOT_SESSION_LEFT    ? " and a session not finalized"
			   : state == BOOT_FINALIZE_FAILED ? " after an MPI_Finalize that failed"
							   : "";

	out_rest(r, clock_now_ns());
	if (WIFSIGNALED(status))
		crash_tell(j, r, status);
	else if (WEXITSTATUS(status) > 128 && WEXITSTATUS(status) - 128 < SIGRTMIN)
		out_say("%s exited with code %d%s (128 + signal %d: %s)", name, WEXITSTATUS(status),
			when, WEXITSTATUS(status) - 128, strsignal(WEXITSTATUS(status) - 128));
	else
		out_say("%s exited with code %d%s", name, WEXITSTATUS(status), when);
}

int job_death_code(int status)
{
	int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

	return code != 0 ? code : 1;
}

/* Output cannot be written, which has been said, and a rank has died of it, as in `./a.out | head'.
 * If it was in MPI, others may wait for it: all end, without more words. */
static void death_of_output(struct job *j, const struct death *d)
{
	j->code = j->code != 0 ? j->code : 128 + SIGPIPE;
	if (boot_inside(d->state))
		job_world_fail(j, j->rank[d->rank].world, 128 + SIGPIPE);
}

/* Handles the death of a rank as a failure. */
static void death_fail(struct job *j, const struct death *d)
{
	int status = d->status, code;

	if (j->ending) {
		j->hurt = true;
		return;
	}
	if (j->rank[d->rank].world->ending)
		return;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE && out_broken()) {
		death_of_output(j, d);
		return;
	}
	code = job_death_code(status);
	if (j->code != 0 && j->rank[d->rank].world->id == 0)
		j->more++;
	else
		job_death_tell(j, d->rank, status, d->state);
	if (d->state != BOOT_DONE || WIFSIGNALED(status))
		job_world_fail(j, j->rank[d->rank].world, code);
	else if (job_connected(j, j->rank[d->rank].world, j->world))
		j->code = j->code != 0 ? j->code : code;
}

void job_host_lost(struct job *j, int host)
{
	for (int r = 0; r < j->n; r++) {
		if (j->rank[r].host != host || !j->rank[r].alive)
			continue;
		j->rank[r].alive = false;
		j->rank[r].world->alive--;
		j->alive--;
		names_drop(job_number(j, r));
	}
}

/* --- the first failure ---------------------------------------------------------------------- */

/*
 *     rank 3 is killed -------------------- its proxy reports --------------------.
 *        '--> rank 1 loses its connection, and aborts -- its proxy reports --.    |
 *                                                                            v    v
 *                                       wait: rank 1 reports the loss of rank 3;  rank 3 is named
 *
 * Over sockets, a rank that loses a peer may be reported before that peer.  Its failure is kept
 * back until the end of the lost rank is known.  If the lost rank has itself lost a third rank,
 * that one is waited for, and so on.  If it has not ended, or exited with 0, the first failure
 * is named. */

static bool death_bad(const struct death *d)
{
	return !WIFEXITED(d->status) || WEXITSTATUS(d->status) != 0;
}

/* The rank whose loss caused this failure; -1: none, or it was after MPI_Finalize. */
static int lost_by(const struct job *j, const struct death *d)
{
	if (j->abort.told)
		return j->abort.lost;
	return d->state != BOOT_DONE ? d->lost : -1;
}

static void wait_forget(struct job *j)
{
	abort_forget(&j->wait.abort);
	j->wait.until_ns = 0;
}

void job_first_failure(struct job *j)
{
	struct lost_wait *w = &j->wait;

	w->until_ns = 0;
	abort_forget(&j->abort);
	if (w->abort.told)
		abort_tell(j, &w->abort);
	else
		death_fail(j, &w->death);
}

/* Continues to wait for rank `lost', if it can still be reported. */
static void wait_on(struct job *j, int lost)
{
	struct rank *k = lost >= 0 && lost < j->n ? &j->rank[lost] : NULL;

	j->wait.lost = lost;
	if (k != NULL && k->suspect) {
		k->suspect = false;
		wait_forget(j);
		death_fail(j, &(struct death){.rank = lost, .state = k->end});
	} else if (k == NULL || !k->alive || j->alive == 0) {
		job_first_failure(j);
	}
}

static void wait_begin(struct job *j, const struct death *d, int lost)
{
	j->wait = (struct lost_wait){.until_ns = clock_now_ns() + LOST_MS * NS_PER_MS,
		.death = *d,
		.abort = j->abort,
		.lost = lost};
	j->abort.told = false;
}

/* Judges a death while the end of another rank is waited for.  `lost' is the rank that the dead one
 * had lost, or -1.  Returns true if nothing is left to be judged. */
static bool wait_judge(struct job *j, const struct death *d, int lost)
{
	struct lost_wait *w = &j->wait;
	struct abort_call *a = &j->abort;
	bool left_before_end = d->rank == w->lost && d->state == BOOT_RUNNING && !death_bad(d);
	bool own_fault = d->state != BOOT_ABORTED && (left_before_end || death_bad(d));
	bool end_of_wait =
		lost < 0 && (a->told || own_fault); /* no other rank explains this death */
	bool same_host = a->told && a->rank >= 0 && j->rank[a->rank].host == j->rank[w->lost].host;
	int next = same_host || (d->rank == w->lost && lost >= 0) ? lost : w->lost;

	if (end_of_wait) {
		wait_forget(j);
		if (left_before_end && !a->told)
			death_fail(j, d);
		return left_before_end && !a->told;
	}
	abort_forget(a);
	wait_on(j, next);
	return true;
}

/* --- the dead ------------------------------------------------------------------------------- */

/* Returns true if the death is judged, or kept back. */
static bool lost_judge(struct job *j, const struct death *d)
{
	bool aborted = abort_read(j);
	int lost = lost_by(j, d);
	/* a rank aborted because of this death, and was reported just before it */
	bool about = aborted && lost == d->rank && j->abort.rank != d->rank;

	if (j->wait.until_ns == 0) {
		if (lost < 0 || (!aborted && !death_bad(d)))
			return false;
		wait_begin(j, d, lost);
		if (!about) {
			wait_on(j, lost);
			return true;
		}
	}
	if (about) {
		abort_forget(&j->abort);
		lost = lost_by(j, d);
	}
	return wait_judge(j, d, lost);
}

/* Others may wait for the process from now on: see ended.c. */
static void ended_mark(struct job *j, struct rank *k)
{
	k->ended_ns = clock_now_ns();
	if (j->ended_check_ns == 0)
		j->ended_check_ns = ended_next(j, k->ended_ns);
}

/* True if a process lives that is connected to a world, and not of it.  A world that other hosts
 * still start is connected when they have. */
static bool world_has_parents(struct job *j, struct world *w)
{
	bool any = w->starting;

	job_mark_connected(j, w);
	for (const struct world *other = j->world; other != NULL; other = other->next)
		any |= other != w && other->mark && other->alive > 0;
	return any;
}

/* A spawned process has failed before MPI_Init.  Its parents get MPI_ERR_SPAWN, and go on, whether
 * failures are survived or not: no member of a communicator has failed.  Its siblings can do
 * nothing without it, and end.  False: that is not so, or no parent lives. */
static bool spawn_failure_judge(struct job *j, const struct death *d)
{
	struct rank *k = &j->rank[d->rank];
	struct world *w = k->world;
	bool output = WIFSIGNALED(d->status) && WTERMSIG(d->status) == SIGPIPE && out_broken();

	if (j->ending || k->aborted || w->id == 0 || w->ending || d->state != BOOT_NEW ||
		!death_bad(d) || output || !world_has_parents(j, w))
		return false;
	job_death_tell(j, d->rank, d->status, d->state);
	out_say("it had not called MPI_Init: its parents get MPI_ERR_SPAWN%s, and the job goes on",
		w->n > 1 ? ", the others of its spawn end" : "");
	ended_mark(j, k);
	notice_spawn_failed(j, d->rank, d->status);
	job_world_cut(j, w->id);
	job_world_fail(j, w, 1);
	return true;
}

/* An abort ends the job.  That of a process that is to end anyway is not told. */
static void abort_judge(struct job *j)
{
	struct abort_call *a = &j->abort;
	bool known = a->rank >= 0 && a->rank < j->n && j->rank[a->rank].world != NULL;

	if (known && j->rank[a->rank].world->ending)
		abort_forget(a);
	else
		abort_tell(j, a);
}

void job_died(struct job *j, const struct death *d)
{
	struct rank *k = &j->rank[d->rank];

	k->pid = d->pid;
	k->inside = d->state != BOOT_NEW;
	k->alive = false;
	k->ended = true;
	k->status = d->status;
	crash_take(k, d);
	k->world->alive--;
	j->alive--;
	names_drop(job_number(j, d->rank));
	if (d->state == BOOT_NEW && j->spawn_failure.first != k->world->first)
		j->spawn_failure = (struct spawn_failure){k->world->first, k->world->n,
			k->world->id, k->rank, k->pid, k->host, d->status};
	if (k->world->spawn_failure.n > 0)
		notice_spawn_failed(j, d->rank, d->status);
	if (spawn_failure_judge(j, d) || failure_survived(j, d) || (!j->ending && lost_judge(j, d)))
		return;
	if (!j->ending && j->abort.told) {
		abort_judge(j);
		return;
	}
	if (death_bad(d)) {
		death_fail(j, d);
		ended_mark(j, k);
		return;
	}
	if (boot_inside(d->state)) {
		k->suspect = true;
		k->end = d->state;
		job_ask(j, ASK_SUSPECTS);
		return;
	}
	k->absent = d->state == BOOT_NEW;
	ended_mark(j, k);
	if (k->absent && k->world->id > 0) /* its parents wait in a spawn that has failed */
		j->absent_check_ns = clock_now_ns();
	else if (k->absent && j->absent_check_ns == 0)
		j->absent_check_ns = clock_now_ns() + ABSENT_MS * NS_PER_MS;
}

/* True if a process lives that is connected to the one of entry `r', and has not called
 * MPI_Finalize. */
static bool is_connected_alive(const struct job *j, int r)
{
	job_mark_connected(j, j->rank[r].world);
	for (int i = 0; i < j->n; i++)
		if (i != r && j->rank[i].alive && j->rank[i].world->mark &&
			j->seen[i].state != BOOT_DONE)
			return true;
	return false;
}

void job_judge_suspects(struct job *j)
{
	for (int r = 0; r < j->n; r++) {
		if (!j->rank[r].suspect)
			continue;
		j->rank[r].suspect = false;
		/* A session left, or an MPI_Finalize that failed, is a failure in any case. */
		if (j->rank[r].end != BOOT_RUNNING || is_connected_alive(j, r))
			death_fail(j, &(struct death){.rank = r, .state = j->rank[r].end});
	}
}
