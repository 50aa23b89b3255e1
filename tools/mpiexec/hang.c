// SPDX-License-Identifier: BSD-3-Clause
/* hang.c - has everybody gone to sleep?
 *
 *     rank 0   ....run....|~~~~~~~~~~~~ sleeps in MPI ~~~~~~~~~~~
 *     rank 1   ...run..|~~~~~~|run|~~~~~~~~ sleeps ~~~~~~~~~~~~~~
 *                                 |<---- HAFT_HANG seconds ---->|  roll-call, once
 *
 * Ranks say in the segment since when nothing but the clock has woken them; mpiexec looks a few
 * times in HAFT_HANG seconds, and nobody else does anything for it.  A process that sleeps in MPI
 * with one thread and computes with another has used CPU time: it does not hang.  Nor does one that
 * has been woken and only waits for a CPU, which the kernel knows: a thread of it can run. */
#include "tools/mpiexec/job.h"

#include <stdlib.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/core/set.h"
#include "tools/mpiexec/out.h"

#define CPU_SHARE 100 /* who has used 1/100 of the time computes; who naps uses less than 1/300 */
#define NS_S      1000000000u

void hang_init(struct job *j)
{
	uint64_t v = (uint64_t)haft_set_launch(HAFT_SET_HANG, environ);

	j->hang = (struct hang){.limit_ns = v * NS_S};
	if (v == 0)
		return;
	j->hang.look_ns = now_ns() + j->hang.limit_ns / HANG_LOOKS;
	j->hang.cpu_ns = grow(NULL, (size_t)j->n, sizeof *j->hang.cpu_ns);
	for (int r = 0; r < j->n; r++)
		j->hang.cpu_ns[r] = 0;
}

/* Since when a rank has been still; `now': it is not.  0: it is no matter, it has left MPI. */
static uint64_t still_since(struct job *j, int r, uint64_t now)
{
	const struct seen *s = &j->seen[r];
	uint64_t before = j->hang.cpu_ns[r];

	if (s->known && (!s->alive || s->state == BOOT_DONE))
		return 0;
	if (!s->known || s->state != BOOT_RUNNING || !s->view.asleep)
		return now;
	j->hang.cpu_ns[r] = s->cpu_ns;
	return s->cpu_ns > before + j->hang.limit_ns / HANG_LOOKS / CPU_SHARE ? now
									      : s->view.still_ns;
}

/* Will somebody go on as soon as he gets a CPU? */
static bool anybody_runs(const struct job *j)
{
	for (int r = 0; r < j->n; r++)
		if (j->seen[r].alive && j->seen[r].state == BOOT_RUNNING && j->seen[r].runs)
			return true;
	return false;
}

void hang_look(struct job *j, uint64_t now)
{
	struct hang *h = &j->hang;
	uint64_t still = 0;

	for (int r = 0; r < j->n; r++) {
		uint64_t s = still_since(j, r, now);

		if (s > still)
			still = s;
	}
	if (still > h->still_ns)
		h->still_ns = still;
	if (still == 0 || now - h->still_ns < h->limit_ns || h->said_ns == h->still_ns)
		return;
	if (anybody_runs(j))
		return;
	h->said_ns = h->still_ns;
	say("all processes that are in MPI have slept for %llu s (HAFT_HANG): does the job hang?",
		(unsigned long long)((now - h->still_ns) / NS_S));
	roll_call(j);
}
