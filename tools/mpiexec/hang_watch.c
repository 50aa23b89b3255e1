// SPDX-License-Identifier: BSD-3-Clause
/* hang_watch.c - has everybody gone to sleep?
 *
 *     rank 0   ....run....|~~~~~~~~~~~~ sleeps in MPI ~~~~~~~~~~~
 *     rank 1   ...run..|~~~~~~|run|~~~~~~~~ sleeps ~~~~~~~~~~~~~~
 *     rank 2   .run.|~~~~~~~~~~~ outside of MPI, no CPU time ~~~~
 *     looks    |       |       | moved |  idle |  idle |       |
 *                                 |<---- HAFT_HANG seconds ---->|  roll-call, once
 *
 * Ranks say in the segment since when nothing but the clock has woken them; mpiexec looks a few
 * times in HAFT_HANG seconds, and nobody else does anything for it.  A process that sleeps in MPI
 * with one thread and computes with another has used CPU time: it does not hang.
 *
 * Nor does one that has been woken and only waits for a CPU, which the kernel knows: a thread of it
 * can run.  The same is seen of a rank whose nap has just ended, which among many ranks, or on a
 * busy machine, one of them always does.  So each is asked for by itself: who was found idle once
 * after the last look at which anybody had moved has nothing to be woken by, since nobody has sent
 * anything meanwhile.
 *
 * A rank outside of MPI may be woken by what we do not see.  It is idle as long as it and all that
 * it has started have used no CPU time, to the nanosecond, and none of them can run: not from the
 * first look that has found it so, but from when that was over, to when the last one began.  One
 * that waits for an answer from elsewhere (a user's, a server's) looks the same, so a job is told
 * of such ranks once.
 *
 * A sleep is known by its number, the time when it began by its host's clock.  That clock cannot be
 * compared with another host's, and the age that the host sends has grown on the way. */
#include "tools/mpiexec/job.h"

#include <stdlib.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/output.h"

#define CPU_SHARE 100 /* who has used 1/100 of the time computes; who naps uses less than 1/300 */
#define NS_S      1000000000u

/* What one look says of a rank. */
enum look { MOVED, BUSY, STILL, OVER, UNKNOWN };

void hang_init(struct job *j)
{
	uint64_t v = (uint64_t)haft_setting_launch(SETTING_HANG, environ);

	j->hang = (struct hang){.limit_ns = v * NS_S};
	if (v == 0)
		return;
	j->hang.look_ns = now_ns() + j->hang.limit_ns / HANG_LOOKS;
	j->hang.rank = mem_grow(NULL, (size_t)j->n, sizeof *j->hang.rank);
	for (int r = 0; r < j->n; r++)
		j->hang.rank[r] = (struct hang_rank){.sleep = 0};
}

/* A rank that is not asleep in MPI. */
static enum look away_look(struct hang_rank *k, const struct seen *s, uint64_t used, uint64_t now)
{
	k->sleep = 0;
	if (s->state == BOOT_RUNNING && k->away_ns != 0 && used == 0 && !s->runs) {
		k->still_ns = k->away_ns;
		return STILL;
	}
	k->away_ns = s->state == BOOT_RUNNING && !s->runs ? now : 0;
	return MOVED;
}

static enum look rank_look(struct job *j, int r, uint64_t now)
{
	struct hang_rank *k = &j->hang.rank[r];
	const struct seen *s = &j->seen[r];
	uint64_t since = now - k->known_ns, used = s->cpu_ns - k->cpu_ns;

	if (!s->known)
		return UNKNOWN;
	if (!s->alive || s->state == BOOT_DONE)
		return OVER;
	k->cpu_ns = s->cpu_ns;
	k->known_ns = now;
	if (s->state != BOOT_RUNNING || !s->view.asleep)
		return away_look(k, s, used, now);
	k->away_ns = 0;
	if (k->sleep != s->sleep) {
		k->sleep = s->sleep;
		k->still_ns = s->view.still_ns;
		return MOVED;
	}
	if (used > since / CPU_SHARE) {
		k->busy_ns = now;
		return BUSY;
	}
	if (s->view.still_ns < k->still_ns)
		k->still_ns = s->view.still_ns; /* it has been less long on the way */
	return STILL;
}

/* Since when everybody is still, if everybody was found idle in that time; 0: that is not so, or
 * nobody waits in MPI.  *away: how many of them are outside of it. */
static uint64_t still_since(const struct job *j, int *away)
{
	uint64_t still = 0;
	int inside = 0;

	*away = 0;
	for (int r = 0; r < j->n; r++) {
		const struct hang_rank *k = &j->hang.rank[r];

		if (j->seen[r].known && (!j->seen[r].alive || j->seen[r].state == BOOT_DONE))
			continue;
		if (!k->idle || !j->seen[r].known)
			return 0;
		inside += k->away_ns == 0;
		*away += k->away_ns != 0;
		still = k->still_ns > still ? k->still_ns : still;
		still = k->busy_ns > still ? k->busy_ns : still;
	}
	return inside > 0 ? still : 0;
}

uint64_t hang_away(const struct job *j, int r)
{
	const struct hang_rank *k = j->hang.rank != NULL ? &j->hang.rank[r] : NULL;
	const struct seen *s = &j->seen[r];
	bool away = k != NULL && k->away_ns != 0 && s->state == BOOT_RUNNING && !s->view.asleep &&
		    !s->runs && s->cpu_ns == k->cpu_ns && j->look_from_ns > k->away_ns;

	return away ? j->look_from_ns - k->away_ns : 0;
}

bool hang_look(struct job *j, uint64_t now)
{
	struct hang *h = &j->hang;
	uint64_t still, from = j->look_from_ns;
	bool any = false;
	int away;

	for (int r = 0; r < j->n; r++) {
		enum look l = rank_look(j, r, now);

		any |= l == MOVED || l == BUSY;
		h->said &= l != MOVED;
		h->rank[r].idle |= l == STILL && !j->seen[r].runs;
	}
	for (int r = 0; r < j->n && any; r++)
		h->rank[r].idle = false;
	still = still_since(j, &away);
	if (still == 0 || from < still || from - still < h->limit_ns || h->said ||
		(away > 0 && h->said_away))
		return false;
	h->said = true;
	h->said_away |= away > 0;
	say("all processes that are in MPI have slept for %llu s (HAFT_HANG)%s: does the job hang?",
		(unsigned long long)((from - still) / NS_S),
		away > 0 ? ", and the others have used no CPU time" : "");
	job_report(j);
	return true;
}
