// SPDX-License-Identifier: BSD-3-Clause
/* coll_state.c - the collectives' state of a communicator: its shared memory, and its hosts.
 *
 *     struct comm ──coll──> struct coll ──block──> libshm's block        (shm_join.c)
 *                               └───────hier───> struct coll_hier        (hier_layout.c)
 *                                                   └─ local: this host's members, with a state
 *                                                      of their own */
#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/hierarchical.h"
#include "libmpi/core/setting.h"
#include <stdlib.h>

#define CENTRAL_MEMBERS 8 /* with more, a counter costs less than a check of all members */
#define PHASE_START     MEAN_OR(0x7fffff00, 0)  /* 2^31 phases take minutes: short tests pass it */
#define SLOT_MAX        MEAN_OR(256, 64 * 1024) /* bytes of a slot: it stays in a core's cache */
#define SLOT_MIN        MEAN_OR(256, 4 * 1024)
#define SLOTS_ALL       (32L * 1024 * 1024) /* bytes of all members' slots, if SLOT_MIN permits */

/* By nodes, so that no member becomes a peer of via by this. */
HAFT_START static bool one_host(const struct comm *c)
{
	int mine = via_node(via.me);

	for (int i = 0; i < c->size; i++)
		if (via_node(group_peer(c->group, i)) != mine)
			return false;
	return true;
}

/* May members of one host share memory? */
static bool may_share(const struct comm *c)
{
	return haft_setting_get(SETTING_COLL) != COLL_SETTING_P2P && c->size > 1;
}

bool coll_one_host(struct comm *c)
{
	struct coll *s;

	if (via_single_node())
		return true;
	s = coll_state(c);
	return s != NULL ? s->one_host : one_host(c);
}

bool coll_shm_possible(struct comm *c)
{
	struct coll *s = coll_state(c);

	return s != NULL ? s->local : may_share(c) && one_host(c);
}

HAFT_START struct coll *coll_state_make(struct comm *c)
{
	struct coll *s = calloc(1, sizeof(*s));
	int64_t slot;

	if (s == NULL)
		return NULL;
	s->comm = c;
	s->n = c->size;
	s->me = c->rank;
	s->phase = s->safe = s->shown_phase = PHASE_START;
	s->one_host = one_host(c);
	s->local = s->one_host && may_share(c);
	s->central = c->size > CENTRAL_MEMBERS || via_oversubscribed();
	s->slots = s->central ? COLL_SLOTS_CENTRAL : COLL_SLOTS;
	slot = SLOTS_ALL / s->slots / c->size / SLOT_MIN * SLOT_MIN;
	s->slot_size = slot < SLOT_MIN ? SLOT_MIN : slot > SLOT_MAX ? SLOT_MAX : slot;
	c->coll = s;
	coll_broken_watch(s);
	return s;
}

HAFT_START void coll_state_free(struct comm *c)
{
	if (c->coll == NULL)
		return;
	coll_broken_free(c->coll);
	if (c->coll->block != NULL)
		shm_block_leave(c->coll->block);
	coll_hier_free(c->coll->hier);
	free(c->coll->tmp);
	free(c->coll);
	c->coll = NULL;
}
