// SPDX-License-Identifier: BSD-3-Clause
/* death_news.c - see death_news.h. */
#include "tools/mpiexec/death_news.h"

#include <time.h>
#include "tools/mpiexec/remote_ranks.h"

bool news_send(struct job *j, const struct death *d, int how)
{
	const struct rank *k = &j->rank[d->rank];
	struct boot_news news = {.number = job_number(j, d->rank),
		.rank = k->rank,
		.pid = k->pid,
		.status = d->status,
		.how = how,
		.host = k->host,
		.when_s = (int64_t)time(NULL)};

	if (j->remote != NULL) {
		remote_news(j->remote, &news);
		return true;
	}
	return local_news(&j->local, &news);
}

void news_unborn(struct job *j, int r, int status)
{
	struct death d = {.rank = r, .status = status};

	if (j->rank[r].told)
		return;
	j->rank[r].told = true;
	j->rank[r].world->unborn = true;
	(void)news_send(j, &d, BOOT_END_UNBORN);
}
