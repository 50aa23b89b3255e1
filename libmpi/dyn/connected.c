// SPDX-License-Identifier: BSD-3-Clause
/* connected.c - notices when the last communicator with a spawned job has gone: see connected.h.
 *
 *      comm_make ──> connected_made      a member is of another job: into the list `bridges'
 *      destroyed ──> connected_gone      out of it; is a job left that no bridge reaches?
 *                                        ──> boot_apart: mpiexec forgets the connection
 *
 * A communicator counts until its object is destroyed: after MPI_Comm_disconnect, or after
 * MPI_Comm_free once nothing is pending on it. */
#include "libmpi/dyn/connected.h"

#include "libmpi/boot/control.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/valid.h"
#include <stdlib.h>

struct bridge {
	struct bridge *next;
	const struct comm *c;
};

struct spawned_job {
	struct spawned_job *next;
	int first, n;
};

static struct bridge *bridges; /* communicators with members of other jobs; under the lock */
static struct spawned_job *spawned_jobs;

/* Some member's number is in [first, first + n), or, `outside', some is not. */
static bool group_meets(const struct group *g, int first, int n, bool outside)
{
	for (int r = 0; r < g->size; r++) {
		int number = group_peer(g, r);

		if ((number >= first && number < first + n) != outside)
			return true;
	}
	return false;
}

static bool comm_meets(const struct comm *c, int first, int n, bool outside)
{
	return group_meets(c->group, first, n, outside) ||
	       (c->remote != NULL && group_meets(c->remote, first, n, outside));
}

static void connected_made(struct comm *c)
{
	int first = haft_life.peer - haft_life.rank;
	struct bridge *b;

	if (!comm_meets(c, first, haft_life.size, true))
		return;
	b = malloc(sizeof(*b));
	if (b == NULL)
		return;
	*b = (struct bridge){bridges, c};
	bridges = b;
}

static bool job_reached(const struct spawned_job *j)
{
	for (const struct bridge *b = bridges; b != NULL; b = b->next)
		if (comm_meets(b->c, j->first, j->n, false))
			return true;
	return false;
}

/* Tells mpiexec of the jobs that no bridge reaches any more. */
static void jobs_part(void)
{
	struct spawned_job **link = &spawned_jobs, *j;

	while ((j = *link) != NULL) {
		if (job_reached(j)) {
			link = &j->next;
			continue;
		}
		*link = j->next;
		boot_apart(j->first);
		free(j);
	}
}

static void connected_gone(struct comm *c)
{
	struct bridge **link = &bridges, *b;

	while (*link != NULL && (*link)->c != c)
		link = &(*link)->next;
	b = *link;
	if (b == NULL)
		return;
	*link = b->next;
	free(b);
	jobs_part();
}

void dyn_connected_spawned(int first, int n)
{
	struct spawned_job *j = malloc(sizeof(*j));

	haft_valid_add("dyn_connected_valid", dyn_connected_valid);
	haft_comm_made_hook = connected_made;
	haft_comm_gone_hook = connected_gone;
	if (j == NULL)
		return;
	*j = (struct spawned_job){spawned_jobs, first, n};
	spawned_jobs = j;
}

/* A job is in the list before a communicator leads to it, so it need not be reached. */
bool dyn_connected_valid(void)
{
	int own = haft_life.peer - haft_life.rank;

	for (const struct bridge *b = bridges; b != NULL; b = b->next)
		if (!comm_meets(b->c, own, haft_life.size, true))
			return false;
	for (const struct spawned_job *j = spawned_jobs; j != NULL; j = j->next)
		if (j->n < 1 || (j->first < own + haft_life.size && own < j->first + j->n))
			return false;
	return true;
}
