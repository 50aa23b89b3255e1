// SPDX-License-Identifier: BSD-3-Clause
/* death_news.c - see death_news.h. */
#include "tools/mpiexec/death_news.h"

#include <time.h>
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/remote_ranks.h"

/* False: it cannot be told. */
static bool news_put(struct job *j, const struct boot_news *news)
{
	if (j->remote == NULL)
		return local_news(&j->local, news);
	remote_news(j->remote, news);
	return true;
}

bool news_send(struct job *j, const struct death *d, int how)
{
	const struct rank *k = &j->rank[d->rank];
	struct boot_news news = {.number = job_number(j, d->rank),
		.world = k->world->id,
		.rank = k->rank,
		.pid = k->pid,
		.status = (uint16_t)d->status,
		.how = (uint16_t)how,
		.host = k->host,
		.when_s = (int64_t)time(NULL)};

	return news_put(j, &news);
}

void news_unborn(struct job *j, int r, int status)
{
	struct rank *k = &j->rank[r];
	struct unborn *first = &k->world->unborn;
	struct boot_news news = {.number = job_number(j, r),
		.world = k->world->id,
		.how = BOOT_END_UNBORN,
		.host = k->host,
		.when_s = (int64_t)time(NULL)};

	if (k->told)
		return;
	k->told = true;
	if (first->n > 0 && k->world->ending)
		news.how = BOOT_END_SIBLING;
	else
		*first = (struct unborn){k->world->first, k->world->n, k->world->id, k->rank,
			k->pid, k->host, status};
	news.rank = first->rank;
	news.pid = first->pid;
	news.status = (uint16_t)first->status;
	(void)news_put(j, &news);
}

void news_absent(struct job *j, int r)
{
	const struct world *w = j->rank[r].world;

	if (w->unborn.n == 0 && !w->ending && !j->ending)
		out_say("%s exited with code 0 without MPI_Init: its parents get MPI_ERR_SPAWN%s",
			job_process_name(j, r, j->rank[r].pid),
			w->n > 1 ? ", others of its spawn that call MPI_Init end" : "");
	news_unborn(j, r, 0);
}
