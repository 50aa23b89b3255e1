// SPDX-License-Identifier: BSD-3-Clause
/* comm_hints.c - info of communicators: assertions (MPI-5.0 7.4.4) and kinds of memory (11.4.3).
 *
 * Assertions are bits in struct comm.  bind/ refuses a wildcard that was promised not to be used,
 * and p2p a message of another length than was promised.  allow_overtaking and
 * strict_persistent_collective_ordering are accepted and change nothing. */
#include "libmpi/env/info.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/core/session_object.h"
#include "libmpi/core/err.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

#define KEY_KINDS "mpi_assert_memory_alloc_kinds"

static const struct {
	const char *key;
	int bit;
} known[] = {
	{"mpi_assert_no_any_tag", HINT_NO_ANY_TAG},
	{"mpi_assert_no_any_source", HINT_NO_ANY_SOURCE},
	{"mpi_assert_exact_length", HINT_EXACT_LENGTH},
	{"mpi_assert_allow_overtaking", HINT_OVERTAKING},
	{"mpi_assert_strict_persistent_collective_ordering", HINT_STRICT_START},
};

/* Ignores a list with an unknown kind (11.4.3), and one for which there is no memory. */
static void hint_take_kinds(struct comm *c, const char *list)
{
	char *copy = list != NULL && env_memory_kinds_known(list) ? strdup(list) : NULL;

	if (copy == NULL)
		return;
	free(c->kinds);
	c->kinds = copy;
}

void comm_set_hints(struct comm *c, const struct info *info)
{
	if (info == NULL)
		return;
	for (size_t i = 0; i < countof(known); i++) {
		if (env_info_flag(info, known[i].key, (c->hints & known[i].bit) != 0))
			c->hints |= (uint8_t)known[i].bit;
		else
			c->hints &= (uint8_t)~known[i].bit;
	}
	hint_take_kinds(c, env_info_find(info, KEY_KINDS));
}

const char *comm_kinds_asked(const struct comm *c)
{
	return c->session != NULL ? c->session->kinds : env_memory_kinds_requested();
}

int comm_set_info(struct comm *c, struct info *info)
{
	comm_set_hints(c, info);
	return 0;
}

int comm_get_info(struct comm *c, struct info **info_used)
{
	struct info *info;
	int err = env_info_create(&info);

	if (err != 0)
		return err;
	for (size_t i = 0; i < countof(known) && err == 0; i++)
		err = env_info_set(info, known[i].key, c->hints & known[i].bit ? "true" : "false");
	if (err == 0)
		err = env_memory_kinds_set(info, comm_kinds_asked(c));
	if (err == 0 && c->kinds != NULL)
		err = env_info_set(info, KEY_KINDS, c->kinds);
	if (err == 0)
		*info_used = info;
	else
		obj_free_obj(info);
	return err;
}
