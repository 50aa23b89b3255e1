// SPDX-License-Identifier: BSD-3-Clause
/* rank_env.c - the environment of a rank: see rank_env.h. */
#include "tools/mpiexec/rank_env.h"
#include "tools/mpiexec/local_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/wrap.h"

/* MPI_UNIVERSE_SIZE for the processes of a world; -1: not set.  Without -usize it is set only while
 * it is more than the processes that have been started: otherwise spawned processes would conclude
 * that they have no room, either. */
static int world_universe(const struct plan *p, const struct world *w)
{
	return p->universe_given || p->universe > w->first + w->n ? p->universe : -1;
}

/* The value of BOOT_VAR for a rank. */
static char *boot_var_make(const struct local_ranks *c, int i, int pmi)
{
	const struct local_rank *m = &c->m[i];
	char first[48] = "", seat[32] = "", listen[32] = "", other[32] = "", universe[32] = "";
	char profile[32] = "", stop[32] = "";

	if (m->world->first > 0)
		snprintf(first, sizeof(first), ",first=%d,world=%d", m->world->first, m->world->id);
	if (m->seat >= 0 && (m->listen >= 0 || m->world->first > 0))
		snprintf(seat, sizeof(seat), ",seat=%d", m->seat);
	if (m->listen >= 0)
		snprintf(listen, sizeof(listen), ",listen=%d", m->listen);
	if (pmi >= 0)
		snprintf(other, sizeof(other), ",pmi=%d", pmi);
	if (c->common.profile_fd >= 0 && m->seat >= 0)
		snprintf(profile, sizeof(profile), ",profile=%d", c->common.profile_fd);
	if (c->plan->gdb != NULL && m->world->id == 0 && ranks_have(c->plan->gdb, m->rank))
		snprintf(stop, sizeof(stop), ",stop=%d", (int)c->common.by);
	if (world_universe(c->plan, m->world) >= 0)
		snprintf(universe, sizeof(universe), ",universe=%d", c->plan->universe);
	return text_new(BOOT_VAR "=fd=%d,rank=%d,size=%d,app=%d,by=%d,cookie=%016llx%s%s%s%s%s%s%s",
		c->common.seg_fd, m->rank, m->world->n, m->world->app[m->app].appnum,
		(int)c->common.by, (unsigned long long)shm_seg_cookie(c->seg), first, seat, listen,
		other, universe, profile, stop);
}

/* True for variables of an outer launcher, which must not reach the ranks. */
static bool rank_env_foreign(const char *setting)
{
	static const char *const all[] = {
		"PMI_FD=", "PMI_RANK=", "PMI_SIZE=", "PMI_ID=", "PMI_PORT=", "PMI_SPAWNED=",
		"PMIX_NAMESPACE=", "PMIX_RANK=", "MPI_LOCALRANKID=", "MPI_LOCALNRANKS=",
		"OMPI_COMM_WORLD_RANK=", "OMPI_COMM_WORLD_SIZE=", "OMPI_COMM_WORLD_LOCAL_RANK=",
		"OMPI_COMM_WORLD_LOCAL_SIZE=", "MV2_COMM_WORLD_RANK=", "MV2_COMM_WORLD_SIZE=",
		"MV2_COMM_WORLD_LOCAL_RANK=", "MV2_COMM_WORLD_LOCAL_SIZE="};

	for (size_t i = 0; i < countof(all); i++)
		if (strncmp(setting, all[i], strlen(all[i])) == 0)
			return true;
	return false;
}

void rank_env_begin(struct rank_env *t, const struct local_ranks *c, const struct world *w)
{
	*t = (struct rank_env){.before = mem_grow(NULL, (size_t)w->n, sizeof(*t->before))};
	memset(t->before, 0, (size_t)w->n * sizeof(*t->before));
	for (int i = 0; i < c->n; i++)
		if (c->m[i].world == w)
			t->before[c->m[i].rank] = 1;
	for (int r = 0; r < w->n; r++) {
		int here = t->before[r];

		t->before[r] = t->total;
		t->total += here;
	}
}

void rank_env_end(struct rank_env *t)
{
	free(t->before);
	free(t->v);
	*t = (struct rank_env){0};
}

/* Copies the environment of a program, behind the place for variables of a rank. */
static void base_take(struct rank_env *t, char *const *base)
{
	size_t n = 0, at = ENV_OWN;

	if (t->base == base)
		return;
	while (base[n] != NULL)
		n++;
	t->v = mem_grow(t->v, n + ENV_OWN + 1, sizeof(*t->v));
	for (char *const *e = base; *e != NULL; e++)
		if (!rank_env_foreign(*e))
			t->v[at++] = *e;
	t->v[at] = NULL;
	t->base = base;
}

char **rank_env_make(struct rank_env *t, const struct local_ranks *c, int i, char *const *base,
	int pmi, char **own)
{
	const struct local_rank *m = &c->m[i];
	int before = t->before[m->rank], total = t->total;
	size_t at = ENV_OWN;

	own[0] = boot_var_make(c, i, pmi);
	own[1] = pmi >= 0 ? text_new("PMI_FD=%d", pmi) : NULL;
	own[2] = pmi >= 0 ? text_new("PMI_RANK=%d", m->rank) : NULL;
	own[3] = pmi >= 0 ? text_new("PMI_SIZE=%d", m->world->n) : NULL;
	/* For scripts that choose a device by local rank: names of MPICH, Open MPI and MVAPICH. */
	own[4] = text_new("MPI_LOCALRANKID=%d", before);
	own[5] = text_new("MPI_LOCALNRANKS=%d", total);
	own[6] = text_new("OMPI_COMM_WORLD_RANK=%d", m->rank);
	own[7] = text_new("OMPI_COMM_WORLD_SIZE=%d", m->world->n);
	own[8] = text_new("OMPI_COMM_WORLD_LOCAL_RANK=%d", before);
	own[9] = text_new("OMPI_COMM_WORLD_LOCAL_SIZE=%d", total);
	own[10] = text_new("MV2_COMM_WORLD_LOCAL_RANK=%d", before);
	own[11] = text_new("MV2_COMM_WORLD_LOCAL_SIZE=%d", total);
	own[12] = text_new("MV2_COMM_WORLD_RANK=%d", m->rank);
	own[13] = text_new("MV2_COMM_WORLD_SIZE=%d", m->world->n);
	own[14] = pmi >= 0 && m->world->id > 0 ? text_new("PMI_SPAWNED=1") : NULL;
	base_take(t, base);
	for (int k = ENV_OWN; k-- > 0;)
		if (own[k] != NULL)
			t->v[--at] = own[k];
	return t->v + at;
}

int rank_env_own(char *const *own)
{
	int n = 0;

	for (int k = 0; k < ENV_OWN; k++)
		n += own[k] != NULL;
	return n;
}
