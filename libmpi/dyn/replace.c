// SPDX-License-Identifier: BSD-3-Clause
/* replace.c - MPIX_Comm_replace: new processes take the ranks of those that have failed.
 *
 *      survivors    shrink ──> spawn as many as are missing ──> agree ──> newcomm
 *                                        │                        └── the ranks that are free
 *      the new                           └──> MPI_Init, replace ────────────────┴─────> newcomm
 *
 *      none is missing:   shrink ──> duplicate ──> agree ──> newcomm
 *
 *      comm      0  1  x  3  x  5
 *      newcomm   0  1  A  3  B  5      the k-th new process gets the k-th free rank
 *
 * Both sides of a spawn take the context ids from those of its inter-communicator, so these travel
 * in no message.  A survivor that fails meanwhile, or has no memory, makes the call fail in all:
 * they may call again.  For that all living members of comm agree twice, after the shrink and at
 * the end. */
#include "libmpi/comm/comm_create.h"
#include "libmpi/comm/context_id.h"
#include "libmpi/comm/groups.h"
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/dyn/dyn.h"
#include "libmpi/env/info.h"
#include "libmpi/ft/ft.h"
#include "libmpi/p2p/p2p.h"
#include <engine.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_REPLACE 2 /* on CTX_GROUP: pairs, which the failure of others does not end */

/* The message of rank 0 of the survivors to each new process.  Unless the call has failed, a byte
 * for each rank follows as another message: 1 if the rank is free. */
struct replace_plan {
	int32_t err;  /* class of MPI: the call has failed */
	int32_t size; /* of the old communicator */
};

/* --- the program of this process ------------------------------------------------------------ */

/* Makes the array of the arguments in `text': strings, one after the other, which it points to.
 * The caller frees it.  NULL: no memory. */
static char **self_argv(char *text, size_t len)
{
	char **argv = malloc((len + 2) * sizeof(*argv));
	int n = 0;

	for (size_t at = 0; argv != NULL && at < len; at += strlen(text + at) + 1)
		argv[n++] = text + at;
	if (argv != NULL)
		argv[n] = NULL;
	return argv;
}

/* Spawns n processes of this program, with its arguments. */
static int spawn_self(int n, struct info *info, struct comm *c, struct comm **inter)
{
	char path[4096] = "/proc/self/exe";
	size_t len;
	char *text = env_command_line(&len), **argv = text != NULL ? self_argv(text, len) : NULL;
	int err;

	if (realpath("/proc/self/exe", path) == NULL || argv == NULL || argv[0] == NULL)
		err = dyn_spawn(
			"", NULL, n, info, 0, c, inter, NULL); /* an error, in all members */
	else
		err = dyn_spawn(path, argv + 1, n, info, 0, c, inter, NULL);
	free(argv);
	free(text);
	return err;
}

/* --- the new communicator ------------------------------------------------------------------- */

/* Makes the new communicator: rank r is the next new process if is_free[r], else the next survivor.
 * Its error handler is that of `handler', its context ids are those of inter.  0 or a class. */
static int replace_make(const struct comm *handler, struct comm *inter, const struct group *living,
	const struct group *fresh, const uint8_t *is_free, int size, struct comm **newcomm)
{
	struct comm_spec how = {.parent = handler};
	int32_t *peers = malloc(((size_t)size + 1) * sizeof(*peers));
	int k = 0, l = 0, err;

	if (peers == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a group of %d", size);
	for (int r = 0; r < size; r++)
		peers[r] = is_free[r] ? group_peer(fresh, k++) : group_peer(living, l++);
	err = group_make(size, peers, &how.group);
	if (err != 0)
		return err;
	if (!comm_ctx_take(inter, &how.ids))
		err = haft_err(MPI_ERR_INTERN, "no context ids are left for a communicator");
	else
		err = comm_make(&how, newcomm);
	obj_free_obj(how.group);
	return err;
}

/* --- survivors ------------------------------------------------------------------------------ */

/* Sets is_free for the ranks of c that are not in `living', and returns how many there are. */
static int ranks_free(const struct comm *c, const struct group *living, uint8_t *is_free)
{
	int n = 0;

	for (int r = 0; r < c->size; r++) {
		is_free[r] = group_rank_of(living, group_peer(c->group, r)) < 0;
		n += is_free[r];
	}
	return n;
}

/* Rank 0 of the survivors tells the new processes. */
static void plan_send(struct comm *inter, struct replace_plan plan, const uint8_t *is_free)
{
	for (int i = 0; i < inter->remote->size; i++) {
		p2p_plane_send(inter, CTX_GROUP, &plan, sizeof(plan), i, TAG_REPLACE);
		if (plan.err == 0)
			p2p_plane_send(inter, CTX_GROUP, is_free, plan.size, i, TAG_REPLACE);
	}
}

/* The end of the call in the survivors, who have *newcomm or an error: all return an error if one
 * does. */
static int replace_settle(struct comm *living, int err, struct comm **newcomm)
{
	struct comm *made = err == 0 ? *newcomm : NULL;

	err = dyn_spawn_agree(living, err);
	if (err != 0 && made != NULL) {
		obj_free_obj(made);
		*newcomm = NULL;
	}
	return err;
}

/* In each survivor: spawns as many processes as are missing, makes newcomm, and agrees on that.
 * is_free: zeros, one for each rank of c. */
static int replace_living(struct comm *c, struct comm *living, uint8_t *is_free,
	const char *command, char *argv[], struct info *info, struct comm **newcomm)
{
	struct comm *inter = NULL;
	int n = ranks_free(c, living->group, is_free), err;

	if (n == 0)
		err = comm_dup(living, newcomm);
	else if (command != NULL)
		err = dyn_spawn(command, argv, n, info, 0, living, &inter, NULL);
	else
		err = spawn_self(n, info, living, &inter);
	if (inter != NULL && err == 0)
		err = replace_make(
			c, inter, living->group, inter->remote, is_free, c->size, newcomm);
	err = replace_settle(living, err, newcomm);
	if (inter != NULL && living->rank == 0)
		plan_send(inter, (struct replace_plan){err, c->size}, is_free);
	if (inter != NULL)
		obj_free_obj(inter);
	return err;
}

/* Can all survivors go on?  err: of this one, MPI_ERR_NO_MEM or 0. */
static int replace_ready(struct comm *c, int err)
{
	int good = err == 0, met = ft_comm_agree(c, &good);

	if (met != 0 && met != MPIX_ERR_PROC_FAILED) /* that is why the program calls */
		return met;
	if (good == 0)
		return haft_err(MPI_ERR_NO_MEM, "a member has no memory for the new communicator");
	haft_err_clear();
	return 0;
}

static int replace_dead(
	struct comm *c, const char *command, char *argv[], struct info *info, struct comm **newcomm)
{
	uint8_t *is_free = calloc((size_t)c->size, 1);
	struct comm *living = NULL;
	int err = ft_replace_shrink(c, &living);

	if (err == 0 || err == MPI_ERR_NO_MEM) /* other errors are those of all */
		err = replace_ready(c, is_free != NULL ? err : MPI_ERR_NO_MEM);
	if (err == 0)
		err = replace_living(c, living, is_free, command, argv, info, newcomm);
	if (living != NULL)
		obj_free_obj(living);
	free(is_free);
	return err;
}

/* --- new processes -------------------------------------------------------------------------- */

/* In each new process: receives the plan from rank 0 of the survivors, and makes newcomm. */
static int replace_new(struct comm **newcomm)
{
	struct replace_plan plan;
	struct comm *inter;
	uint8_t *is_free;
	int err = dyn_get_parent(&inter);

	if (err == 0 && inter == NULL)
		err = haft_err(MPI_ERR_COMM,
			"MPI_COMM_NULL is for processes that MPIX_Comm_replace has started");
	if (err == 0)
		err = p2p_plane_recv(inter, CTX_GROUP, &plan, sizeof(plan), 0, TAG_REPLACE);
	if (err == 0 && plan.err != 0)
		err = haft_err(plan.err, "the other members have failed to replace processes");
	if (err != 0)
		return err;
	is_free = malloc((size_t)plan.size);
	if (is_free == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %d ranks", plan.size);
	err = p2p_plane_recv(inter, CTX_GROUP, is_free, plan.size, 0, TAG_REPLACE);
	if (err == 0)
		err = replace_make(&haft_world, inter, inter->remote, inter->group, is_free,
			plan.size, newcomm);
	free(is_free);
	return err;
}

int dyn_comm_replace(
	struct comm *c, const char *command, char *argv[], struct info *info, struct comm **newcomm)
{
	if (c == NULL)
		return replace_new(newcomm);
	if (c->remote != NULL)
		return haft_err(MPI_ERR_COMM, "the communicator is an inter-communicator");
	return replace_dead(c, command, argv, info, newcomm);
}
