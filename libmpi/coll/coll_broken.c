// SPDX-License-Identifier: BSD-3-Clause
/* coll_broken.c - collectives through shared memory when a member fails, or after a revocation.
 *
 *      a member is in a phase, and another dies:
 *         block ──> shared_block            the others' memory: nothing is written there any more
 *         block ──> dummy, of this process  the call runs to its end on rubbish, without a wait
 *      run.c: the call has failed; later calls fail on entry
 *
 * A phase has no way to return an error, and needs none: every wait of a broken communicator ends
 * at once.  This member's data go into the dummy from then on; the living would take them for good.
 * They are told of the failure as this member was, and break their own state. */
#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/hierarchical.h"
#include "libmpi/core/process_state.h"
#include <stdlib.h>

static struct coll *watched;

struct coll *coll_state_first(void)
{
	return watched;
}

HAFT_START void coll_broken_watch(struct coll *s)
{
	s->next = watched;
	if (watched != NULL)
		watched->prev = s;
	watched = s;
}

HAFT_START void coll_broken_free(struct coll *s)
{
	if (watched == s)
		watched = s->next;
	if (s->prev != NULL)
		s->prev->next = s->next;
	if (s->next != NULL)
		s->next->prev = s->prev;
	if (!s->broken)
		return;
	shm_block_dummy_free(s->block);
	s->block = s->shared_block;
	free(s->dummy_slots);
}

void coll_break(struct coll *s)
{
	struct shm_block *dummy;

	s->joined = false;
	if (s->broken || s->block == NULL)
		return;
	if (s->slot_bytes > 0)
		s->dummy_slots = calloc(1, coll_slots_bytes(s, COLL_SLOTS_SHARED, s->slot_bytes));
	dummy = s->slot_bytes == 0 || s->dummy_slots != NULL
			? shm_block_dummy(s->block, s->dummy_slots)
			: NULL;
	if (dummy == NULL)
		haft_abort_job(
			MPI_ERR_NO_MEM, "no memory to end a collective call that has failed");
	s->shared_block = s->block;
	s->block = dummy;
	s->broken = s->stop = true;
	s->mismatch = s->n + 1;
}

void coll_peer_lost(int peer)
{
	for (struct coll *s = watched; s != NULL; s = s->next)
		if (p2p_comm_has(s->comm, peer))
			coll_break(s);
}

struct comm *coll_comm_waiting(uint64_t ctx)
{
	struct coll *s = watched;

	/* that of a host's members has the id of the whole one, whose state is here as well */
	while (s != NULL && (s->comm->ctx != ctx || s->comm->whole != NULL))
		s = s->next;
	return s != NULL ? s->comm : NULL;
}

void coll_comm_revoked(struct comm *c)
{
	struct coll *s = c->coll;

	if (s == NULL)
		return;
	coll_break(s);
	if (s->hier != NULL) {
		s->hier->local.hints |= COMM_REVOKED;
		coll_comm_revoked(&s->hier->local);
	}
}
