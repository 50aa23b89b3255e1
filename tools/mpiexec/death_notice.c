// SPDX-License-Identifier: BSD-3-Clause
/* death_notice.c - see death_notice.h. */
#include "tools/mpiexec/death_notice.h"

#include <time.h>
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/remote_ranks.h"

/* False: it cannot be told. */
static bool notice_put(struct job *j, const struct boot_notice *notice)
{
	if (j->remote == NULL)
		return local_notice(&j->local, notice);
	remote_notice(j->remote, notice);
	return true;
}

bool notice_send(struct job *j, const struct death *d, int how)
{
	const struct rank *k = &j->rank[d->rank];
	struct boot_notice notice = {.number = job_number(j, d->rank),
		.world = k->world->id,
		.rank = k->rank,
		.pid = k->pid,
		.status = (uint16_t)d->status,
		.how = (uint16_t)how,
		.host = k->host,
		.when_s = (int64_t)time(NULL)};

	return notice_put(j, &notice);
}

void notice_spawn_failed(struct job *j, int r, int status)
{
	struct rank *k = &j->rank[r];
	struct spawn_failure *first = &k->world->spawn_failure;
	struct boot_notice notice = {.number = job_number(j, r),
		.world = k->world->id,
		.how = BOOT_END_SPAWN_FAILED,
		.host = k->host,
		.when_s = (int64_t)time(NULL)};

	if (k->told)
		return;
	k->told = true;
	if (first->n > 0 && k->world->ending)
		notice.how = BOOT_END_SIBLING;
	else
		*first = (struct spawn_failure){k->world->first, k->world->n, k->world->id, k->rank,
			k->pid, k->host, status};
	notice.rank = first->rank;
	notice.pid = first->pid;
	notice.status = (uint16_t)first->status;
	(void)notice_put(j, &notice);
}

void notice_no_init(struct job *j, int r)
{
	const struct world *w = j->rank[r].world;

	if (w->spawn_failure.n == 0 && !w->ending && !j->ending)
		out_say("%s exited with code 0 without MPI_Init: its parents get MPI_ERR_SPAWN%s",
			job_process_name(j, r, j->rank[r].pid),
			w->n > 1 ? ", others of its spawn that call MPI_Init end" : "");
	notice_spawn_failed(j, r, 0);
}
