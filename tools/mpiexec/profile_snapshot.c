// SPDX-License-Identifier: BSD-3-Clause
/* profile_snapshot.c - MPI_Pcontrol(2): the profile of a job that goes on.
 *
 *     rank: its table counts ──> mpiexec, or a proxy, looks each EACH_MS ── UP_SNAPSHOT ──> root
 *     root: SETTLE_MS after it has heard of number k, writes the tables that are there
 *
 * Ranks ask for one snapshot each at about the same time: the highest number counts.  Tables are
 * copied, so the ranks do not notice. */
#include "tools/mpiexec/profile.h"

#include <stdlib.h>
#include "tools/mpiexec/job.h"

#define EACH_MS   200
#define SETTLE_MS 200 /* for all ranks to have asked ... */
#define HOSTS_MS  900 /* ... and for the tables of other hosts to come */

static struct {
	uint32_t number;            /* of the last one that has been heard of */
	uint64_t poll_ns, write_ns; /* when; write_ns 0: there is none to be written */
	struct prof_table **v;
	int n;
} snapshot;

static void snapshot_keep(void *arg, struct prof_table *t)
{
	(void)arg;
	snapshot.v = mem_grow(snapshot.v, (size_t)snapshot.n + 1, sizeof(*snapshot.v));
	snapshot.v[snapshot.n++] = t;
}

static void snapshot_write(struct job *j)
{
	struct profile *p;

	profile_host_read(&j->local.profile, snapshot_keep, NULL);
	p = profile_sum(snapshot.v, snapshot.n, j->plan->app[0].argv[0]);
	profile_report(p, j->plan->profile, snapshot.number);
	for (int i = 0; i < snapshot.n; i++)
		profile_table_free(snapshot.v[i]);
	snapshot.n = 0;
	snapshot.write_ns = 0;
}

static void snapshot_begin(uint32_t number, uint64_t write_ns)
{
	snapshot.number = number;
	snapshot.write_ns = snapshot.write_ns != 0 ? snapshot.write_ns : write_ns;
}

void snapshot_take(struct prof_table *t, uint32_t number, uint64_t now)
{
	if (t == NULL)
		return;
	if (number > snapshot.number)
		snapshot_begin(number, now + HOSTS_MS * NS_PER_MS);
	if (snapshot.write_ns != 0)
		snapshot_keep(NULL, t);
	else
		profile_table_free(t);
}

void snapshot_clock(struct job *j, uint64_t now)
{
	uint32_t number;

	if (j->plan->profile == NULL)
		return;
	if (snapshot.write_ns != 0 && now >= snapshot.write_ns)
		snapshot_write(j);
	if (now < snapshot.poll_ns)
		return;
	snapshot.poll_ns = now + EACH_MS * NS_PER_MS;
	number = profile_host_snapshots(&j->local.profile);
	if (number > snapshot.number)
		snapshot_begin(number, now + SETTLE_MS * NS_PER_MS);
}

uint64_t snapshot_next(void)
{
	return snapshot.poll_ns;
}
