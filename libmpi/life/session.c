// SPDX-License-Identifier: BSD-3-Clause
/* session.c - sessions and process sets (MPI-5.0 11.3).
 *
 *      MPI_Session_init ──> struct session <── held by the groups and communicators made from it
 *                             │ thread level, memory kinds, error handler, buffer
 *      "mpi://WORLD"          all processes of the job
 *      "mpi://SELF"           this one
 *      "mpi://SHARED"         the processes that share memory with it
 *
 * The end of a session is local.  It waits until the messages of this process have left its private
 * memory; messages that others have still to receive lie in the segment. */
#include "libmpi/env/error_handler.h"
#include "libmpi/comm/groups.h"
#include "libmpi/env/info.h"
#include "libmpi/core/err.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/core/process_state.h"
#include "libmpi/life/life.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/via.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	int level;
} levels[] = {
	{"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
	{"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
	{"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
	{"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE},
};

#define LEVEL_DEFAULT MPI_THREAD_MULTIPLE /* libraries with sessions do not know each other */

/* --- begin and end -------------------------------------------------------------------------- */

static int level_requested(const struct info *info, int *level)
{
	const char *value = info != NULL ? env_info_find(info, "thread_level") : NULL;

	*level = LEVEL_DEFAULT;
	if (value == NULL)
		return 0;
	for (size_t i = 0; i < countof(levels); i++) {
		if (strcmp(value, levels[i].name) == 0) {
			*level = levels[i].level;
			return 0;
		}
	}
	return haft_err(MPI_ERR_INFO_VALUE, "thread_level is \"%s\", which is no level", value);
}

int life_session_init(struct info *info, struct errh *errhandler, struct session **session)
{
	const char *kinds = info != NULL ? env_info_find(info, "mpi_memory_alloc_kinds") : NULL;
	struct session *s;
	int level, err = level_requested(info, &level);

	if (err == 0)
		err = errh_fits_kind(errhandler, ERRH_SESSION);
	if (err == 0)
		err = life_up(level);
	if (err != 0)
		return err;
	s = obj_new(&haft_session_class, NULL);
	if (s == NULL || obj_errh_set(s, errhandler) != OBJ_OK) {
		if (s != NULL)
			obj_free_obj(s);
		life_down(false);
		return haft_err(MPI_ERR_NO_MEM, "no memory for a session");
	}
	s->thread_level = level;
	if (kinds == NULL)
		kinds = env_memory_kinds_requested();
	if (kinds != NULL)
		s->kinds = strdup(kinds);
	haft_life.sessions++;
	*session = s;
	return 0;
}

int life_session_finalize(struct session **session)
{
	struct session *s = *session;
	int err;

	obj_hold(s);
	err = haft_obj_free(s, MPI_ERR_SESSION, "session");
	if (err != 0) {
		obj_drop(s);
		return err;
	}
	p2p_session_end(s);
	obj_drop(s);
	*session = NULL;
	p2p_flush();
	haft_life.sessions--;
	life_down(false);
	return 0;
}

/* --- questions ------------------------------------------------------------------------------ */

static const char *level_name(int level)
{
	size_t i = 0;

	while (levels[i].level != level)
		i++;
	return levels[i].name;
}

int life_session_get_info(struct session *s, struct info **info_used)
{
	struct info *info;
	int err = env_info_create(&info);

	if (err != 0)
		return err;
	err = env_info_set(info, "thread_level", level_name(s->thread_level));
	if (err == 0)
		err = env_memory_kinds_set(info, s->kinds);
	if (err == 0)
		*info_used = info;
	else
		obj_free_obj(info);
	return err;
}

/* --- process sets --------------------------------------------------------------------------- */

static const char *const psets[] = {"mpi://WORLD", "mpi://SELF", "mpi://SHARED"};

/* The consecutive processes around this one that share memory with it. */
static void pset_shared(int *first, int *size)
{
	int me = haft_life.peer, node = via_node(me), end = me + 1;
	int begin = me - haft_life.rank;

	*first = me;
	while (*first > begin && via_node(*first - 1) == node)
		--*first;
	while (end < begin + haft_life.size && via_node(end) == node)
		end++;
	*size = end - *first;
}

/* A process set is consecutive: its first process and its size.  MPI_ERR_ARG: there is no such
 * set. */
static int pset_find(const char *name, int *first, int *size)
{
	if (strcasecmp(name, psets[0]) == 0) {
		*first = haft_life.peer - haft_life.rank;
		*size = haft_life.size;
		return 0;
	}
	if (strcasecmp(name, psets[1]) == 0) {
		*first = haft_life.peer;
		*size = 1;
		return 0;
	}
	if (strcasecmp(name, psets[2]) == 0) {
		pset_shared(first, size);
		return 0;
	}
	return haft_err(MPI_ERR_ARG, "there is no process set \"%s\"", name);
}

int life_session_get_num_psets(struct session *s, struct info *info, int *n)
{
	(void)s;
	(void)info;
	*n = countof(psets);
	return 0;
}

int life_session_get_nth_pset(
	struct session *s, struct info *info, int n, int *pset_len, char *pset_name)
{
	(void)s;
	(void)info;
	if (n >= (int)countof(psets))
		return haft_err(MPI_ERR_ARG, "there is no process set %d: they are 0 to %d", n,
			(int)countof(psets) - 1);
	if (*pset_len < 0)
		return haft_err(MPI_ERR_ARG, "pset_len is %d; it must not be negative", *pset_len);
	if (*pset_len > 0 && pset_name == NULL)
		return haft_err(MPI_ERR_ARG, "pset_name is NULL, and pset_len is %d", *pset_len);
	if (*pset_len > 0)
		snprintf(pset_name, (size_t)*pset_len, "%s", psets[n]);
	*pset_len = (int)strlen(psets[n]) + 1;
	return 0;
}

int life_session_get_pset_info(struct session *s, const char *pset_name, struct info **info)
{
	char number[16];
	int first, size, err = pset_find(pset_name, &first, &size);

	(void)s;
	if (err == 0)
		err = env_info_create(info);
	if (err != 0)
		return err;
	snprintf(number, sizeof(number), "%d", size);
	err = env_info_set(*info, "mpi_size", number);
	if (err != 0)
		obj_free_obj(*info);
	return err;
}

int life_group_from_pset(struct session *s, const char *pset_name, struct group **group)
{
	int first, size, err = pset_find(pset_name, &first, &size);

	return err != 0 ? err : group_of_session(s, first, size, group);
}
