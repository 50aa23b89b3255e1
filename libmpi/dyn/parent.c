// SPDX-License-Identifier: BSD-3-Clause
/* parent.c - MPI_Init and MPI_Comm_get_parent in a spawned process (MPI-5.0 11.2.1, 11.8.2).
 *
 *      boot_birth() == NULL: no parents       else: the inter-communicator with them, made of the
 *                                             text alone (birth.c)
 *
 * The library holds the communicator until it sees that the program has freed it. */
#include "libmpi/boot/control.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/comm/groups.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/core/err.h"
#include "libmpi/dyn/abort.h"
#include "libmpi/dyn/connect.h"
#include "libmpi/dyn/connected.h"
#include "libmpi/dyn/dyn.h"
#include "libmpi/life/life.h"
#include "libmpi/via/via.h"
#include <engine.h>
#include <stdlib.h>

static struct comm *parent_comm; /* held; NULL: none, or freed */

int dyn_group_range(int first, int n, struct group **group)
{
	int32_t *peers = malloc(((size_t)n + 1) * sizeof(*peers));

	if (peers == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a group of %d processes", n);
	for (int i = 0; i < n; i++)
		peers[i] = first + i;
	return group_make(n, peers, group);
}

int dyn_inter_make(const struct comm *parent, struct group *local, struct group *remote,
	struct comm_ids ids, bool low, struct comm **newcomm)
{
	struct comm_spec how = {
		.parent = parent, .group = local, .remote = remote, .low = low, .ids = ids};

	via_mix();
	return comm_make(&how, newcomm);
}

/* Makes the inter-communicator with the parents. */
static int parent_make(const char *birth)
{
	struct group *parents;
	struct comm_ids ids;
	int err;

	if (birth[0] == DYN_BIRTH_PORT)
		return dyn_port_connect(
			birth + 1, &haft_world, 0, DYN_BIRTH_TIMEOUT_S, &parent_comm);
	err = dyn_birth_read(birth, &parents, &ids);
	if (err != 0)
		return err;
	err = dyn_inter_make(&haft_world, haft_world.group, parents, ids, false, &parent_comm);
	obj_free_obj(parents);
	return err;
}

/* The inter-communicator with the parents, if there are any. */
HAFT_START static int parent_open(void)
{
	const char *birth = boot_birth();
	int err = birth != NULL ? parent_make(birth) : 0;

	if (err != 0 || birth == NULL)
		return err;
	obj_hold(parent_comm);
	return haft_name_set(parent_comm, "MPI_COMM_PARENT");
}

HAFT_START int dyn_init(int *argc, char ***argv)
{
	int err = life_init(argc, argv);

	dyn_connected_open();
	dyn_abort_open();
	return err != 0 ? err : parent_open();
}

int dyn_init_thread(int *argc, char ***argv, int required, int *provided)
{
	int err = life_init_thread(argc, argv, required, provided);

	dyn_connected_open();
	dyn_abort_open();
	return err != 0 ? err : parent_open();
}

/* Ends the library's hold of a communicator that the program has freed. */
static void parent_forget_freed(void)
{
	if (parent_comm == NULL || obj_get(&haft_comm_class, obj_handle(parent_comm)) != NULL)
		return;
	obj_drop(parent_comm);
	parent_comm = NULL;
}

int dyn_get_parent(struct comm **parent)
{
	parent_forget_freed();
	*parent = parent_comm;
	return 0;
}
