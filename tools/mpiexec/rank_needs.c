// SPDX-License-Identifier: BSD-3-Clause
/* rank_needs.c - see rank_needs.h. */
#include "tools/mpiexec/rank_needs.h"

#include <string.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/job.h"

struct needs rank_needs(const struct job *j, int r)
{
	const struct shm_view *v = &j->seen[r].view;
	struct needs e = {.n = 0};
	int n;

	if (!j->seen[r].known || !j->seen[r].alive || j->seen[r].stopped || !v->asleep ||
		v->nothers > 0 || (v->what.one && v->what.open > 1))
		return e;
	n = v->what.nlate < SHM_WHAT_LATE ? v->what.nlate : SHM_WHAT_LATE;
	if (v->what.kind == WAIT_COLL || v->what.kind == WAIT_WIN || v->what.kind == WAIT_LOCK)
		memcpy(e.to, v->what.late, sizeof(e.to));
	else if (v->what.kind == WAIT_PSEND && v->what.nlate > 0)
		n = 0; /* it waits for its own MPI_Pready */
	else if (v->what.kind != 0 && v->what.kind != WAIT_USER)
		e.to[0] = v->what.peer, n = 1;
	for (int i = 0; i < n && n > 0; i++)
		if (e.to[i] >= 0 && e.to[i] < j->n)
			e.to[e.n++] = e.to[i];
	e.any = (v->what.kind == WAIT_RECV || v->what.kind == WAIT_PRECV) && v->what.peer < 0;
	return e;
}

uint64_t rank_away_ns(const struct job *j, int r)
{
	const struct hang_rank *k = j->hang.rank != NULL ? &j->hang.rank[r] : NULL;
	const struct rank_view *s = &j->seen[r];
	bool away = k != NULL && k->away_ns != 0 && s->state == BOOT_RUNNING && !s->view.asleep &&
		    !s->runs && s->cpu_ns == k->cpu_ns && j->look_from_ns > k->away_ns;

	return away ? j->look_from_ns - k->away_ns : 0;
}
