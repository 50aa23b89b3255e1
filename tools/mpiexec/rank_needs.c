// SPDX-License-Identifier: BSD-3-Clause
/* rank_needs.c - see rank_needs.h. */
#include "tools/mpiexec/rank_needs.h"

#include <string.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/job.h"

struct needs rank_needs(const struct job *j, int r)
{
	const struct shm_view *v = &j->seen[r].view;
	const struct boot_wait *w = boot_wait_in(v->description);
	struct needs e = {.n = 0};
	int n;

	if (!j->seen[r].known || !j->seen[r].alive || j->seen[r].stopped || !v->asleep ||
		v->nothers > 0)
		return e;
	e.closed = w->closed;
	e.several = w->one && w->open > 1;
	if (e.several)
		return e;
	n = w->nlate < BOOT_WAIT_LATE ? w->nlate : BOOT_WAIT_LATE;
	if (w->kind == BOOT_WAIT_COLL || w->kind == BOOT_WAIT_WIN || w->kind == BOOT_WAIT_LOCK)
		memcpy(e.to, w->late, sizeof(e.to));
	else if (w->kind == BOOT_WAIT_PSEND && w->nlate > 0)
		n = 0; /* it waits for its own MPI_Pready */
	else if (w->kind != 0 && w->kind != BOOT_WAIT_USER && w->kind != BOOT_WAIT_DISK)
		e.to[0] = w->peer, n = 1;
	for (int i = 0; i < n && n > 0; i++) {
		int number = e.to[i], to = job_entry(j, number);

		if (to >= 0)
			e.to[e.n++] = to;
		else if (job_forgets(j, number))
			e.forgotten = number;
	}
	e.any = (w->kind == BOOT_WAIT_RECV || w->kind == BOOT_WAIT_PRECV) && w->peer < 0;
	return e;
}

uint64_t rank_away_ns(const struct job *j, int r)
{
	const struct hang_rank *k = &j->rank[r].watch;
	const struct rank_view *s = &j->seen[r];
	bool away = k->away_ns != 0 && s->state == BOOT_RUNNING && !s->view.asleep && !s->runs &&
		    s->cpu_ns == k->cpu_ns && j->look_from_ns > k->away_ns;

	return away ? j->look_from_ns - k->away_ns : 0;
}
