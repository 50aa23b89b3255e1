// SPDX-License-Identifier: BSD-3-Clause
/* job.c - the job while it runs: looks at all ranks, stdin, dead children, the end.  See job.h. */
#include "tools/mpiexec/job.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/failures.h"
#include "tools/mpiexec/stdin_forward.h"
#include "tools/mpiexec/gdb_run.h"
#include "tools/mpiexec/job_show.h"
#include "tools/mpiexec/death_notice.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/profile.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/stacks.h"
#include "tools/mpiexec/tool_server.h"
#include "tools/mpiexec/top.h"

/* The first live rank of a world in MPI, or -1. */
static int rank_running(const struct job *j, const struct world *w)
{
	for (int r = 0; r < j->n; r++)
		if (j->rank[r].world == w && j->rank[r].alive && j->seen[r].state == BOOT_RUNNING)
			return r;
	return -1;
}

/* True if a rank has ended without MPI_Init and none of its background processes may still call
 * it. */
static bool rank_absent(const struct job *j, int r, uint64_t now)
{
	const struct rank *k = &j->rank[r];

	return k->world != NULL && k->absent && j->seen[r].state == BOOT_NEW &&
	       (!j->seen[r].left || now - k->ended_ns > ABSENT_MAX_S * NS_PER_S);
}

/* A spawned process has ended without MPI_Init.  Its parents get MPI_ERR_SPAWN, and may go on; the
 * others of its world would wait for it for ever, and end. */
static void spawn_failure_end(struct job *j, int r, bool waits)
{
	struct world *w = j->rank[r].world;

	notice_no_init(j, r);
	if (!waits)
		return;
	job_world_cut(j, w->id);
	job_world_fail(j, w, 1);
}

/* Ends the job if a rank is in MPI and another has ended without it: MPI_Finalize would wait for
 * ever. */
static void absent_check(struct job *j)
{
	uint64_t now = clock_now_ns();

	for (int r = 0; r < j->n; r++) {
		bool absent = rank_absent(j, r, now) && !j->rank[r].world->ending;
		int waits = absent ? rank_running(j, j->rank[r].world) : -1;

		if (absent && j->rank[r].world->id > 0) {
			spawn_failure_end(j, r, waits >= 0);
			continue;
		}
		if (waits < 0)
			continue;
		out_say("%s ended without MPI_Init, and %s, which is in "
			"MPI, would wait for it for ever",
			job_process_name(j, r, j->rank[r].pid), job_rank_name(j, waits));
		job_world_fail(j, j->rank[r].world, 1);
		return;
	}
}

static int processes_count(const struct job *j)
{
	int n = 0;

	for (int r = 0; r < j->n; r++)
		n += job_shows(j, r);
	return n;
}

void job_answer(struct job *j)
{
	unsigned asked = j->asked;

	j->asked = 0;
	if ((asked & ASK_SUSPECTS) != 0)
		job_judge_suspects(j);
	if ((asked & ASK_REPORT) != 0) {
		int n = processes_count(j);

		out_say("what the %d process%s of the job %s:", n, n > 1 ? "es" : "",
			n > 1 ? "do" : "does");
		job_report(j);
	}
	if ((asked & ASK_TIMEOUT) != 0 && !j->ending) {
		out_say("the job has not ended after %g s; what its process%s %s:",
			j->plan->timeout, j->n > 1 ? "es" : "", j->n > 1 ? "do" : "does");
		job_report(j);
		j->code = EXIT_TIMEOUT;
		job_end(j, SIGTERM, END_GRACE_MS);
	}
	if ((asked & ASK_ABSENT) != 0 && !j->ending)
		absent_check(j);
	if ((asked & ASK_ENDED) != 0 && !j->ending)
		ended_check(j, clock_now_ns(), false);
	if ((asked & ASK_HANG) != 0 && !j->ending) {
		bool said = hang_check(j, clock_now_ns()) || j->hang.said;

		ended_check(j, clock_now_ns(), said);
	}
}

void job_ask(struct job *j, unsigned what)
{
	if (j->asked == 0) /* else the answers may be on their way */
		j->seen_from_ns = clock_now_ns();
	j->asked |= what;
	if (j->remote != NULL) {
		remote_poll(j->remote);
		return;
	}
	local_see(&j->local, j->seen);
	job_answer(j);
}

size_t job_stdin_room(struct job *j)
{
	if (j->stdin_fd < 0)
		return 0;
	return j->remote != NULL ? remote_stdin_room(j->remote) : stdin_room();
}

void job_stdin(struct job *j, const void *v, size_t len)
{
	if (j->remote != NULL) {
		remote_stdin(j->remote, v, len);
		if (len == 0)
			j->stdin_fd = -1;
		return;
	}
	if (len > 0)
		stdin_push(v, len);
	else
		stdin_end();
	if (len == 0 || !stdin_has_reader())
		j->stdin_fd = -1;
}

static void here_died(void *arg, const struct death *d)
{
	struct death at = *d;

	at.lost = job_entry(arg, d->lost);
	job_died(arg, &at);
}

static void child_died(void *arg, pid_t pid, int status)
{
	struct job *j = arg;

	if (gdb_reap(pid))
		job_signal(j, SIGCONT); /* ranks that it has not let go on */
	else if (j->remote != NULL)
		remote_reap(j->remote, pid, status);
}

void job_reap(struct job *j)
{
	local_reap(&j->local, here_died, child_died, j);
}

bool job_over(const struct job *j)
{
	return j->alive == 0 && !gdb_runs() && (j->remote == NULL || remote_over(j->remote));
}

/* Frees the worlds.  The programs of world 0 are the plan's. */
static void worlds_fini(struct job *j)
{
	struct world *next;

	for (struct world *w = j->world; w != NULL; w = next) {
		next = w->next;
		if (w->id == 0) {
			w->app = NULL;
			w->napps = 0;
		}
		world_free(w);
	}
}

int job_fini(struct job *j)
{
	int lost;

	if (j->wait.until_ns != 0 && j->code == 0)
		job_first_failure(j); /* the user has ended the job meanwhile */
	stacks_end(j);
	foreign_mpi_say(j);
	failures_end(j);
	top_end();
	profile_end(j);
	tool_server_end();
	local_fini(&j->local);
	if (j->remote != NULL)
		remote_fini(j->remote);
	lost = out_fini();
	crash_others(j);
	job_show_ends(j);
	if (j->code == 0 || (j->code == 128 + SIGPIPE && lost != 0))
		j->code = lost;
	if (j->failures.count > 0)
		fprintf(stderr, "mpiexec: %s%d process%s failed, and the job went on (HAFT_FT)\n",
			j->ending ? "before its end " : "", j->failures.count,
			j->failures.count > 1 ? "es" : "");
	if (j->more > 0)
		fprintf(stderr, "mpiexec: %d more process%s failed\n", j->more,
			j->more > 1 ? "es" : "");
	job_aborts_forget(j);
	worlds_fini(j);
	free(j->edge);
	free(j->seen);
	for (int i = 0; i < j->n; i++) {
		free(j->rank[i].addr);
		crash_drop(&j->rank[i]);
	}
	free(j->rank);
	return j->code;
}
