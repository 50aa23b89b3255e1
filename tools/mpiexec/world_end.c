// SPDX-License-Identifier: BSD-3-Clause
/* world_end.c - ends worlds and the job, and forgets worlds that have ended.
 *
 *   job_world_fail ──> its world and those connected: SIGTERM, END_GRACE_MS later SIGKILL
 *        │             (job_worlds_clock)
 *        └─ all worlds ──> job_fail ──> job_end: all processes; the loop ends when they are dead
 *
 *   all processes dead ──> world_drain: their background processes get SIGTERM, their output is
 *                          read DRAIN_MS longer ──> world_drop: its entries are free */
#include "tools/mpiexec/job.h"

#include <signal.h>
#include <stdlib.h>
#include "tools/mpiexec/death_notice.h"
#include "tools/mpiexec/mpir.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/stacks.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/tool_server.h"

void job_signal(struct job *j, int sig)
{
	if (j->remote != NULL)
		remote_signal(j->remote, FRAME_SIGNAL, sig);
	else
		local_signal(&j->local, sig);
}

void job_world_signal(struct job *j, const struct world *w, int sig)
{
	if (j->remote != NULL)
		remote_signal_world(j->remote, w, sig);
	else
		local_signal_world(&j->local, w, sig);
}

void job_end(struct job *j, int sig, int64_t grace_ms)
{
	uint64_t at = clock_now_ns() + (uint64_t)grace_ms * NS_PER_MS;

	if (j->code != 0)
		mpir_failed(j);
	j->ending = true;
	if (j->kill_ns == 0 || at < j->kill_ns)
		j->kill_ns = at;
	if (j->remote != NULL)
		remote_signal(j->remote, FRAME_END, sig);
	else
		local_end(&j->local, sig, j->code);
}

void job_release(struct job *j)
{
	if (j->remote != NULL)
		remote_release(j->remote);
	else
		local_release(&j->local);
}

void job_tool_server(struct job *j, char *const *argv)
{
	char *why = NULL;

	if (j->remote != NULL)
		remote_tool_server(j->remote, argv);
	else
		why = tool_server_start(argv, &j->local.common.mask);
	if (why != NULL)
		out_say("%s", why);
	free(why);
}

void job_fail(struct job *j, int code)
{
	j->code = j->code != 0 ? j->code : code;
	job_end(j, SIGTERM, END_GRACE_MS);
}

void job_world_fail(struct job *j, struct world *from, int code)
{
	bool all = true;

	job_mark_connected(j, from);
	for (struct world *w = j->world; w != NULL; w = w->next)
		all = all && (w->mark || w->alive == 0);
	if (j->world->mark)
		j->code = j->code != 0 ? j->code : code;
	if (all) {
		job_end(j, SIGTERM, END_GRACE_MS);
		return;
	}
	for (struct world *w = j->world; w != NULL; w = w->next) {
		if (!w->mark || w->ending)
			continue;
		w->ending = true;
		w->kill_ns = clock_now_ns() + END_GRACE_MS * NS_PER_MS;
		job_world_signal(j, w, SIGTERM);
		job_world_signal(j, w, SIGCONT);
	}
}

/* --- worlds that have ended ----------------------------------------------------------------- */

static bool world_over(const struct job *j, const struct world *w)
{
	for (int i = 0; i < w->n; i++) {
		int r = w->entry[i];

		if (r >= 0 && (j->rank[r].alive || j->rank[r].suspect || out_stream_open(r)))
			return false;
	}
	return w->alive == 0 && !w->starting;
}

void job_world_remove(struct job *j, struct world *w)
{
	struct world **at = &j->world;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	for (int i = 0; i < w->n; i++)
		if (w->entry[i] >= 0) {
			out_forget(w->entry[i]);
			free(j->rank[w->entry[i]].addr);
			crash_drop(&j->rank[w->entry[i]]);
			j->rank[w->entry[i]] = (struct rank){.world = NULL};
			j->seen[w->entry[i]] = (struct rank_view){.known = false};
		}
	job_world_cut(j, w->id);
	j->worlds--;
}

static void world_drop(struct job *j, struct world *w)
{
	for (int i = 0; i < w->n; i++)
		if (w->entry[i] >= 0 && j->rank[w->entry[i]].absent)
			notice_no_init(j, w->entry[i]);
	job_world_remove(j, w);
	if (j->remote == NULL)
		local_forget(&j->local, w);
	else
		remote_forget(j->remote, w);
	world_free(w);
}

/* True if its processes have ended, and their output has not: processes that they have started may
 * hold it. */
static bool world_drains(const struct job *j, const struct world *w)
{
	bool open = false;

	for (int i = 0; i < w->n; i++)
		open |= w->entry[i] >= 0 && out_stream_open(w->entry[i]);
	return w->id > 0 && w->alive == 0 && open && j->remote == NULL;
}

/* Ends the background processes of a world that has ended, and stops reading their output after
 * DRAIN_MS. */
static void world_drain(struct job *j, struct world *w, uint64_t now)
{
	if (!world_drains(j, w))
		return;
	if (w->drain_ns == 0) {
		w->drain_ns = now + DRAIN_MS * NS_PER_MS;
		job_world_signal(j, w, SIGTERM);
		return;
	}
	for (int i = 0; i < w->n && now >= w->drain_ns; i++)
		if (w->entry[i] >= 0)
			out_cut_rank(w->entry[i], now);
}

int job_worlds_timeout(const struct job *j, uint64_t now)
{
	int ms = -1;

	for (const struct world *w = j->world; w != NULL; w = w->next) {
		uint64_t at = w->ending && !w->killed ? w->kill_ns : w->drain_ns;
		int left = at > now ? (int)((at - now) / NS_PER_MS) + 1 : 0;

		if (at == 0 || (w->killed && w->drain_ns == 0))
			continue;
		ms = ms < 0 || left < ms ? left : ms;
	}
	return ms;
}

/* Forgets the worlds that have ended, except world 0. */
static void worlds_forget(struct job *j)
{
	struct world *next;

	for (struct world *w = j->world->next; w != NULL; w = next) {
		next = w->next;
		if (world_over(j, w))
			world_drop(j, w);
	}
}

void job_worlds_clock(struct job *j, uint64_t now)
{
	for (struct world *w = j->world; w != NULL; w = w->next) {
		if (w->ending && !w->killed && now >= w->kill_ns) {
			job_world_signal(j, w, SIGKILL);
			w->killed = true;
		}
		world_drain(j, w, now);
	}
	worlds_forget(j);
}
