// SPDX-License-Identifier: BSD-3-Clause
/* connected.c - tells mpiexec which jobs are connected: see connected.h.
 *
 *      comm_make ──────────> connected_made    a member is of another job: rank 0 of each group
 *                                              tells mpiexec (boot_connected)
 *      MPI_Comm_disconnect ─> connected_end    it tells that they are apart, between two barriers:
 *      destroyed ───────────>                  a process that has returned is no longer connected
 *
 * mpiexec counts the reports about two jobs.  A communicator that was only freed counts until
 * nothing is pending on it.  Nothing here needs memory. */
#include "libmpi/dyn/connected.h"

#include "libmpi/boot/control.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/valid.h"
#include "libmpi/via/alias.h"

#define RUNS 64 /* of a request */

/* Numbers of processes that are going to be told. */
struct runs {
	struct boot_run v[RUNS];
	int n;
	void (*tell)(const struct boot_run *v, int n);
	bool some;
};

static void runs_flush(struct runs *s)
{
	if (s->n > 0)
		s->tell(s->v, s->n);
	s->some |= s->n > 0;
	s->n = 0;
}

static void runs_add(struct runs *s, int number)
{
	struct boot_run *last = s->n > 0 ? &s->v[s->n - 1] : NULL;

	if (last != NULL && number == last->first + last->n) {
		last->n++;
		return;
	}
	if (s->n == RUNS)
		runs_flush(s);
	s->v[s->n++] = (struct boot_run){number, 1};
}

/* Adds a member if it is of another job of this universe. */
static void runs_add_member(struct runs *s, int number)
{
	int first = haft_life.peer - haft_life.rank;

	if ((number < first || number >= first + haft_life.size) && !via_is_alias(number))
		runs_add(s, number);
}

static void runs_add_group(struct runs *s, const struct group *g)
{
	for (int r = 0; r < g->size; r++)
		runs_add_member(s, group_peer(g, r));
}

/* Tells mpiexec of all jobs of this universe that have members.  False: there are no others. */
static bool connected_tell(const struct comm *c, void (*tell)(const struct boot_run *v, int n))
{
	struct runs s = {.tell = tell};

	runs_add_group(&s, c->group);
	if (c->remote != NULL)
		runs_add_group(&s, c->remote);
	runs_flush(&s);
	return s.some;
}

static void connected_made(struct comm *c)
{
	if (!via_single_node() && c->rank == 0)
		c->told = connected_tell(c, boot_connected);
}

static void connected_end(struct comm *c)
{
	if (c->told)
		connected_tell(c, boot_disconnected);
	if (c->spawned > 0)
		boot_spawn_disconnected(c->spawned);
	c->told = false;
	c->spawned = 0;
}

void dyn_connected_spawned(struct comm *c, int spawn_id)
{
	c->spawned = spawn_id;
}

/* True if it says what cannot be: a visitor of obj_foreach. */
static int connected_bad(void *self, void *arg)
{
	const struct comm *c = self;
	struct runs s = {.tell = NULL};

	(void)arg;
	if (c->spawned < 0 || (c->spawned > 0 && c->remote == NULL))
		return 1;
	if (!c->told)
		return 0;
	for (int r = 0; r < c->group->size && s.n == 0; r++)
		runs_add_member(&s, group_peer(c->group, r));
	for (int r = 0; c->remote != NULL && r < c->remote->size && s.n == 0; r++)
		runs_add_member(&s, group_peer(c->remote, r));
	return c->rank != 0 || s.n == 0;
}

bool dyn_connected_valid(void)
{
	return obj_foreach(&haft_comm_class, connected_bad, NULL) == 0;
}

HAFT_START void dyn_connected_open(void)
{
	haft_valid_add("dyn_connected_valid", dyn_connected_valid);
	haft_comm_hooks.made = connected_made;
	haft_comm_hooks.end = connected_end;
}
