// SPDX-License-Identifier: BSD-3-Clause
/* hang_watch.c - detects a job in which all ranks sleep.
 *
 *     rank 0   ....run....|~~~~~~~~~~~~ sleeps in MPI ~~~~~~~~~~~
 *     rank 1   ...run..|~~~~~~|run|~~~~~~~~ sleeps ~~~~~~~~~~~~~~
 *     rank 2   .run.|~~~~~~~~~~~ outside of MPI, no CPU time ~~~~
 *     checks   |       |       | moved |  idle |  idle |       |
 *                                 |<---- HAFT_HANG seconds ---->|  report, once
 *
 * A sleeping rank records in the segment since when only timeouts have woken it.  mpiexec reads
 * these records HANG_CHECKS times in HAFT_HANG seconds, or every HAFT_ENDED seconds (ended.c);
 * ranks do no extra work.
 *
 * A rank counts as idle if
 *  - it sleeps in MPI, its process has used almost no CPU time, and no thread of it is runnable; or
 *  - it is outside of MPI, and neither it nor any process it has started has used CPU time; or
 *  - it has not called MPI_Init, whatever it does: perhaps it never will.
 * Ranks of the last two kinds may wait for a user or a server, or have much to do, so these are
 * reported once a job only.
 *
 * A job whose processes in MPI all wait in MPI_Comm_accept is a server, and not reported.
 *
 * On a busy machine one of many ranks has always just ended a nap.  Therefore ranks need not be
 * idle in one check: each must have been found idle once since the last check in which any rank
 * moved. Nothing can wake such ranks, because no rank has sent anything meanwhile.
 *
 * A sleep is identified by its start time on its host's clock.  Clocks of hosts cannot be compared,
 * and the age that a host sends grows on the way; still_ns takes the smallest value seen. */
#include "tools/mpiexec/job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/output.h"

#define CPU_SHARE 100 /* using 1/100 of the time is computing; naps use less than 1/300 */

/* The result of one check of a rank. */
enum finding { MOVED, COMPUTES, STILL, OVER, UNKNOWN };

void hang_init(struct job *j, uint64_t now)
{
	uint64_t v = (uint64_t)haft_setting_launch(SETTING_HANG, environ);

	j->hang = (struct hang){.limit_ns = v * NS_PER_S};
	if (v > 0 || j->ended_ns > 0)
		j->hang.check_ns = hang_next(j, now);
}

uint64_t hang_next(const struct job *j, uint64_t now)
{
	uint64_t step = j->hang.limit_ns / HANG_CHECKS;

	if (j->ended_ns != 0 && (step == 0 || j->ended_ns < step))
		step = j->ended_ns;
	return now + step;
}

/* Classifies a rank that does not sleep in MPI. */
static enum finding away_check(
	struct hang_rank *k, const struct rank_view *s, uint64_t used, uint64_t now)
{
	k->sleep = 0;
	if (s->state == BOOT_NEW) {
		k->away_ns = k->away_ns != 0 ? k->away_ns : now;
		k->still_ns = k->away_ns;
		return STILL;
	}
	if (s->state == BOOT_RUNNING && k->away_ns != 0 && used == 0 && !s->runs) {
		k->still_ns = k->away_ns;
		return STILL;
	}
	k->away_ns = s->state == BOOT_RUNNING && !s->runs ? now : 0;
	return MOVED;
}

static enum finding rank_check(struct job *j, int r, uint64_t now)
{
	struct hang_rank *k = &j->rank[r].watch;
	const struct rank_view *s = &j->seen[r];
	uint64_t since = now - k->known_ns, used = s->cpu_ns - k->cpu_ns;

	if (j->rank[r].world == NULL)
		return OVER;
	if (!s->known)
		return UNKNOWN;
	if (!s->alive || s->state == BOOT_DONE)
		return OVER;
	k->cpu_ns = s->cpu_ns;
	k->known_ns = now;
	if (s->state != BOOT_RUNNING || !s->view.asleep)
		return away_check(k, s, used, now);
	k->away_ns = 0;
	if (k->sleep != s->sleep) {
		k->sleep = s->sleep;
		k->still_ns = s->view.still_ns;
		return MOVED;
	}
	if (used > since / CPU_SHARE) {
		k->cpu_used_ns = now;
		return COMPUTES;
	}
	if (s->view.still_ns < k->still_ns)
		k->still_ns = s->view.still_ns; /* the smallest age is the exact one */
	return STILL;
}

/* Does the rank sleep as a server that waits for clients of other jobs?  A spawn may wait at a port
 * as well, but for its children. */
static bool rank_serves(const struct rank_view *s)
{
	const struct boot_wait *w = boot_wait_in(s->view.description);

	return s->known && s->view.nothers == 0 && w->kind == BOOT_WAIT_ACCEPT &&
	       strncmp(w->call, "MPI_Comm_spawn", 14) != 0;
}

/* The ranks that are idle, by where they are. */
struct idle {
	int inside;      /* in MPI, and wait for other ranks */
	int away;        /* outside of MPI */
	int before_init; /* before MPI_Init */
};

/* The time since which all ranks have been idle; 0: not all are, or none waits in MPI, except for
 * clients of other jobs. */
static uint64_t still_since(const struct job *j, struct idle *n)
{
	uint64_t still = 0;

	*n = (struct idle){.inside = 0};
	for (int r = 0; r < j->n; r++) {
		const struct hang_rank *k = &j->rank[r].watch;

		if (j->rank[r].world == NULL ||
			(j->seen[r].known && (!j->seen[r].alive || j->seen[r].state == BOOT_DONE)))
			continue;
		if (!k->idle || !j->seen[r].known)
			return 0;
		n->inside += k->away_ns == 0 && !rank_serves(&j->seen[r]);
		n->before_init += j->seen[r].state == BOOT_NEW;
		n->away += k->away_ns != 0 && j->seen[r].state != BOOT_NEW;
		still = k->still_ns > still ? k->still_ns : still;
		still = k->cpu_used_ns > still ? k->cpu_used_ns : still;
	}
	return n->inside > 0 ? still : 0;
}

bool hang_check(struct job *j, uint64_t now)
{
	struct hang *h = &j->hang;
	uint64_t still, from = j->seen_from_ns;
	struct idle n;
	bool any = false, outside;

	for (int r = 0; r < j->n; r++) {
		enum finding l = rank_check(j, r, now);

		any |= l == MOVED || l == COMPUTES;
		h->said &= l != MOVED;
		j->rank[r].watch.idle |= l == STILL && !j->seen[r].runs;
	}
	for (int r = 0; r < j->n && any; r++)
		j->rank[r].watch.idle = false;
	still = still_since(j, &n);
	outside = n.away + n.before_init > 0;
	if (h->limit_ns == 0 || still == 0 || from < still || from - still < h->limit_ns ||
		h->said || (outside && h->said_away))
		return false;
	h->said = true;
	h->said_away |= outside;
	out_say("all processes that are in MPI have slept for %llu s (HAFT_HANG)%s: does the job "
		"hang?",
		(unsigned long long)((from - still) / NS_PER_S),
		n.away > 0 && n.before_init > 0
			? ", and the others have used no CPU time or not called MPI_Init"
		: n.away > 0        ? ", and the others have used no CPU time"
		: n.before_init > 0 ? ", and the others have not called MPI_Init"
				    : "");
	job_report(j);
	return true;
}
