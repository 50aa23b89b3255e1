// SPDX-License-Identifier: BSD-3-Clause
/* hang.c - has everybody gone to sleep?
 *
 *     rank 0   ....run....|~~~~~~~~~~~~ sleeps in MPI ~~~~~~~~~~~
 *     rank 1   ...run..|~~~~~~|run|~~~~~~~~ sleeps ~~~~~~~~~~~~~~
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
 * A sleep is known by its number, the time when it began by its host's clock.  That clock cannot be
 * compared with another host's, and the age that the host sends has grown on the way. */
#include "tools/mpiexec/job.h"

#include <stdlib.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/core/set.h"
#include "tools/mpiexec/out.h"

#define CPU_SHARE 100 /* who has used 1/100 of the time computes; who naps uses less than 1/300 */
#define NS_S      1000000000u

/* What one look says of a rank. */
enum look { MOVED, BUSY, STILL, OUTSIDE, UNKNOWN };

void hang_init(struct job *j)
{
	uint64_t v = (uint64_t)haft_set_launch(HAFT_SET_HANG, environ);

	j->hang = (struct hang){.limit_ns = v * NS_S};
	if (v == 0)
		return;
	j->hang.look_ns = now_ns() + j->hang.limit_ns / HANG_LOOKS;
	j->hang.rank = grow(NULL, (size_t)j->n, sizeof *j->hang.rank);
	for (int r = 0; r < j->n; r++)
		j->hang.rank[r] = (struct hang_rank){.sleep = 0};
}

static enum look rank_look(struct job *j, int r, uint64_t now)
{
	struct hang_rank *k = &j->hang.rank[r];
	const struct seen *s = &j->seen[r];
	uint64_t since = now - k->known_ns, used = s->cpu_ns - k->cpu_ns;

	if (!s->known)
		return UNKNOWN;
	if (!s->alive || s->state == BOOT_DONE)
		return OUTSIDE;
	k->cpu_ns = s->cpu_ns;
	k->known_ns = now;
	if (s->state != BOOT_RUNNING || !s->view.asleep) {
		k->sleep = 0;
		return MOVED;
	}
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

/* Since when everybody is still, if everybody was found idle in that time; 0: that is not so. */
static uint64_t still_since(const struct job *j)
{
	uint64_t still = 0;

	for (int r = 0; r < j->n; r++) {
		const struct hang_rank *k = &j->hang.rank[r];

		if (j->seen[r].known && (!j->seen[r].alive || j->seen[r].state == BOOT_DONE))
			continue;
		if (!k->idle || !j->seen[r].known)
			return 0;
		still = k->still_ns > still ? k->still_ns : still;
		still = k->busy_ns > still ? k->busy_ns : still;
	}
	return still;
}

void hang_look(struct job *j, uint64_t now)
{
	struct hang *h = &j->hang;
	bool any = false;
	uint64_t still;

	for (int r = 0; r < j->n; r++) {
		enum look l = rank_look(j, r, now);

		any |= l == MOVED || l == BUSY;
		h->said &= l != MOVED;
		h->rank[r].idle |= l == STILL && !j->seen[r].runs;
	}
	for (int r = 0; r < j->n && any; r++)
		h->rank[r].idle = false;
	still = still_since(j);
	if (still == 0 || now - still < h->limit_ns || h->said)
		return;
	h->said = true;
	say("all processes that are in MPI have slept for %llu s (HAFT_HANG): does the job hang?",
		(unsigned long long)((now - still) / NS_S));
	roll_call(j);
}
