// SPDX-License-Identifier: BSD-3-Clause
/* failures.c - deaths that the job survives (HAFT_FT).
 *
 *     rank 3 is killed ──> SIGCHLD ──> failure_survived ──┬── notice, to the segment of this host
 *                                                         └── FRAME_NOTICE: into those of others
 *
 * mpiexec is the parent of its ranks, or has a proxy that is.  So it never takes a living rank for
 * dead, and knows of a death as soon as the kernel does.  The ranks need no heartbeats.
 *
 * By default (auto) a death is survived once a process of a connected world has called a function
 * for failures.  Other programs end as they always did. */
#include "tools/mpiexec/failures.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "libmpi/boot/boot.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/death_notice.h"
#include "tools/mpiexec/output.h"

enum { MODE_AUTO, MODE_NO, MODE_YES };

void failures_init(struct job *j, const struct plan *p)
{
	j->failures.mode = haft_setting_launch(SETTING_FT, p->app[0].envp + 1);
}

/* Is there a living process in the worlds that are marked? */
static bool survivors(const struct job *j)
{
	for (const struct world *w = j->world; w != NULL; w = w->next)
		if (w->mark && w->alive > 0)
			return true;
	return false;
}

/* The most that a process of a marked world has done about failures. */
static uint32_t failures_known(const struct job *j, bool dead)
{
	uint32_t most = j->failures.known;

	if (j->remote != NULL)
		return most;
	for (const struct world *w = j->world; w != NULL; w = w->next) {
		uint32_t ft = w->mark ? local_ft(&j->local, w, dead) : BOOT_FT_NONE;

		most = ft > most ? ft : most;
	}
	return most;
}

/* A rank has failed: tells it to the user, once.  That of an aborted group has been told. */
static void failure_tell(struct job *j, const struct death *d)
{
	struct failures *f = &j->failures;

	if (f->count++ == 0)
		f->code = job_death_code(d->status);
	if (j->rank[d->rank].aborted)
		return;
	job_death_tell(j, d->rank, d->status, d->state);
	out_say("the job goes on without it (HAFT_FT)");
}

/* enum boot_end of a death. */
static int failure_end(const struct job *j, const struct death *d, bool failed)
{
	if (j->rank[d->rank].aborted)
		return BOOT_END_ABORTED;
	if (!failed)
		return BOOT_END_LEFT;
	return d->state == BOOT_NEW ? BOOT_END_NEW : BOOT_END_FAILED;
}

/* Is this death a failure, where failures are survived? */
static bool death_is_failure(const struct death *d)
{
	bool bad = WIFSIGNALED(d->status) || WEXITSTATUS(d->status) != 0;

	return d->state == BOOT_DONE ? WIFSIGNALED(d->status) : bad || boot_inside(d->state);
}

bool failure_survived(struct job *j, const struct death *dead)
{
	const struct rank *k = &j->rank[dead->rank];
	struct death by_abort = *dead;
	const struct death *d = k->aborted ? &by_abort : dead;
	bool failed = k->aborted || death_is_failure(dead);
	uint32_t known;

	if (k->aborted) /* whatever signal has ended it */
		by_abort.status = (k->abort_code & 255 ? k->abort_code & 255 : 1) << 8;

	if (j->ending || j->failures.mode == MODE_NO || j->rank[d->rank].world->ending ||
		d->state == BOOT_ABORTED)
		return false;
	if (!failed && d->state != BOOT_DONE)
		return false;
	job_mark_connected(j, j->rank[d->rank].world);
	known = failures_known(j, true);
	if (j->failures.mode == MODE_AUTO && known == BOOT_FT_NONE)
		return false;
	if (!survivors(
		    j)) { /* the others may have handled it, and ended in good order, before us */
		if (!failed || known < BOOT_FT_HANDLED)
			return false;
		failure_tell(j, d);
		return true;
	}
	if (!notice_send(j, d, failure_end(j, d, failed)) || !failed)
		return false;
	failure_tell(j, d);
	return true;
}

/* Does a process live on a host that is not lost? */
static bool hosts_have_survivor(const struct job *j, const bool *lost)
{
	for (int r = 0; r < j->n; r++)
		if (j->rank[r].alive && !lost[j->rank[r].host])
			return true;
	return false;
}

bool failure_hosts_survived(struct job *j, const bool *lost)
{
	struct failures *f = &j->failures;

	if (j->ending || f->mode == MODE_NO || !hosts_have_survivor(j, lost) ||
		(f->mode == MODE_AUTO && f->known == BOOT_FT_NONE))
		return false;
	for (int r = 0; r < j->n; r++) {
		struct death d = {.rank = r};

		if (!j->rank[r].alive || !lost[j->rank[r].host])
			continue;
		if (!notice_send(j, &d, BOOT_END_HOST))
			return false;
		if (f->count++ == 0)
			f->code = 1;
	}
	out_say("the job goes on without them (HAFT_FT)");
	return true;
}

void failures_end(struct job *j)
{
	struct failures *f = &j->failures;

	if (f->count == 0)
		return;
	for (struct world *w = j->world; w != NULL; w = w->next)
		w->mark = true;
	if (j->code == 0 && failures_known(j, true) < BOOT_FT_HANDLED)
		j->code = f->code;
}
