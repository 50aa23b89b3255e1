// SPDX-License-Identifier: BSD-3-Clause
/* world.c - MPI_COMM_WORLD and MPI_COMM_SELF, sizes, ranks and names (MPI-5.0 7.4.1, 7.8). */
#include "libmpi/comm/world.h"

#include "libmpi/coll/coll_args.h"
#include "libmpi/core/win_object.h"
#include "libmpi/comm/context_id.h"
#include "libmpi/core/err.h"
#include "libmpi/core/event.h"
#include "libmpi/core/attr_name.h"
#include <engine.h>
#include <stdlib.h>

static struct group world_group, self_group;

static void world_fill(struct comm *c, struct group *g, uint64_t ctx, int rank, int size, int base)
{
	g->size = size;
	g->stride = 1;
	g->rank = rank;
	g->base = base;
	g->o.refs = OBJ_REFS_SATURATED; /* static memory, no handle: references are not counted */
	c->o.refs = OBJ_REFS_SATURATED;
	c->o.u.cls = &haft_comm_class;
	c->ctx = ctx;
	c->rank = rank;
	c->size = c->reach = size;
	c->group = g;
}

HAFT_START void comm_open(int peer, int rank, int size)
{
	uint64_t job = comm_ctx_job(peer - rank);

	world_fill(&haft_world, &world_group, job | CTX_WORLD, rank, size, peer - rank);
	world_fill(&haft_self, &self_group, job | CTX_SELF, 0, 1, peer);
	haft_world.ids = job | CTX_FIRST;
	haft_world.ids_end = haft_self.ids = haft_world.ids + CTX_WORLDS;
	haft_self.ids_end = haft_self.ids + CTX_WORLDS;
}

HAFT_START int comm_world_open(void)
{
	int err = obj_permanent(&haft_comm_class, (uint32_t)(uintptr_t)MPI_COMM_WORLD, &haft_world,
		"MPI_COMM_WORLD", 0);

	if (err == OBJ_OK)
		err = obj_permanent(&haft_comm_class, (uint32_t)(uintptr_t)MPI_COMM_SELF,
			&haft_self, "MPI_COMM_SELF", 0);
	if (err != OBJ_OK)
		return haft_err(
			MPI_ERR_NO_MEM, "MPI_COMM_WORLD cannot be made: %s", obj_error_text(err));
	return coll_world_join(&haft_world);
}

HAFT_START int comm_world_close(void)
{
	int err = haft_attr_delete_all(&haft_self);

	return err != 0 ? err : haft_attr_delete_all(&haft_world);
}

/* Ends the handle.  References to the object stay valid and may still be dropped. */
static void world_release(struct comm *c)
{
	free(c->differs);
	c->differs = NULL;
	obj_permanent_end(c);
	c->o.refs = OBJ_REFS_SATURATED;
	c->o.u.cls = &haft_comm_class;
}

HAFT_START void comm_world_end(void)
{
	world_release(&haft_self);
	world_release(&haft_world);
}

int comm_size(struct comm *c, int *size)
{
	*size = c->size;
	return 0;
}

int comm_rank(struct comm *c, int *rank)
{
	*rank = c->rank;
	return 0;
}

int comm_test_inter(struct comm *c, int *flag)
{
	*flag = c->remote != NULL;
	return 0;
}

int comm_remote_size(struct comm *c, int *size)
{
	if (c->remote == NULL)
		return haft_err(MPI_ERR_COMM, "not an inter-communicator: it has no remote group");
	*size = c->remote->size;
	return 0;
}

int comm_get_name(struct comm *c, char *name, int *len)
{
	return haft_name_get(c, "MPI_COMM_NULL", name, len);
}

int comm_set_name(struct comm *c, const char *name)
{
	int err = haft_name_set(c, name);

	if (err == 0)
		haft_event(EVENT_COMM_NAMED, obj_handle(c), haft_event_handle(c), 0, 0, 0);
	return err;
}

int comm_win_get_name(struct win *w, char *name, int *len)
{
	return haft_name_get(w, "MPI_WIN_NULL", name, len);
}
