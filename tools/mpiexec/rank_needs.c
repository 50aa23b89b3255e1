// SPDX-License-Identifier: BSD-3-Clause
/* rank_needs.c - see rank_needs.h. */
#include "tools/mpiexec/rank_needs.h"

#include <string.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/job.h"

/* True if the rank sleeps in MPI, with all of its threads: no other wait can help it. */
static bool needs_known(const struct rank_view *s)
{
	return s->known && s->alive && !s->stopped && s->view.asleep && s->view.nothers == 0;
}

/* The numbers of the processes that a wait is for: how many are put into `to'. */
static int needs_numbers(const struct boot_wait *w, int to[BOOT_WAIT_LATE])
{
	switch ((enum boot_wait_kind)w->kind) {
	case BOOT_WAIT_COLL:
	case BOOT_WAIT_WIN:
	case BOOT_WAIT_LOCK:
		memcpy(to, w->late, sizeof(w->late));
		return w->nlate < BOOT_WAIT_LATE ? w->nlate : BOOT_WAIT_LATE;
	case BOOT_WAIT_PSEND:
		if (w->nlate > 0)
			return 0; /* for its own MPI_Pready */
		break;
	case BOOT_WAIT_NONE:
	case BOOT_WAIT_USER:
	case BOOT_WAIT_PIPE:
	case BOOT_WAIT_ACCEPT:
	case BOOT_WAIT_CONNECT:
	case BOOT_WAIT_DISK: return 0;
	default: break;
	}
	to[0] = w->peer;
	for (int i = 0; i < w->also && i < BOOT_WAIT_LATE - 1; i++)
		to[1 + i] = w->late[i];
	return 1 + w->also;
}

struct needs rank_needs(const struct job *j, int r)
{
	const struct boot_wait *w = boot_wait_in(j->seen[r].view.description);
	struct needs e = {.n = 0};
	int n;

	if (!needs_known(&j->seen[r]))
		return e;
	e.closed = w->closed;
	e.several = w->one && w->open > 1;
	if (w->able)
		memcpy(e.enders, w->enders, sizeof(e.enders));
	if (e.several)
		return e;
	n = needs_numbers(w, e.to);
	for (int i = 0; i < n; i++) {
		int number = e.to[i], to = job_entry(j, number);

		if (to >= 0)
			e.to[e.n++] = to;
		else if (job_forgets(j, number))
			e.forgotten = number;
	}
	e.any = (w->kind == BOOT_WAIT_RECV || w->kind == BOOT_WAIT_PRECV) && w->peer < 0;
	return e;
}

bool rank_sleeps(const struct job *j, int r, uint64_t now, uint64_t ns)
{
	const struct rank_view *s = &j->seen[r];

	return s->known && s->alive && s->state == BOOT_RUNNING && s->view.asleep &&
	       now > s->view.still_ns && now - s->view.still_ns >= ns;
}

bool rank_has_threads(const struct job *j, int r)
{
	return boot_wait_in(j->seen[r].view.description)->threads != 0;
}

uint64_t rank_away_ns(const struct job *j, int r)
{
	const struct hang_rank *k = &j->rank[r].watch;
	const struct rank_view *s = &j->seen[r];
	bool away = k->away_ns != 0 && s->state == BOOT_RUNNING && !s->view.asleep && !s->runs &&
		    s->cpu_ns == k->cpu_ns && j->seen_from_ns > k->away_ns;

	return away ? j->seen_from_ns - k->away_ns : 0;
}
