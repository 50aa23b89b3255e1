// SPDX-License-Identifier: BSD-3-Clause
/* shm_join.c - a communicator's shared memory: the agreement to use it, and its slots.
 *
 *     MPI_COMM_WORLD:         MPI_Init joins, or fails: no agreement
 *     first blocking call:    all members on this host ──> join libshm's block by the context id
 *                                                     ──> allreduce_min: all have it?
 *     first longer data:      buffer for the slots    ──> one phase: all have theirs? */
#include "libmpi/coll/coll_shm.h"
#include <stdlib.h>

#define CHUNK_MIN MEAN_OR(64, 8 * 1024) /* bytes; a shorter chunk waits longer than it overlaps */

/* The state of a member; the least counts. */
enum join { JOIN_NO_STATE, JOIN_NO_BLOCK, JOIN_BLOCK };

HAFT_START bool coll_shm_block_find(struct coll *s)
{
	struct comm *c = s->comm;

	if (!s->block_tried && shm_block_join(via.shm, c->ctx, c->size, c->rank, &s->block) != 0)
		s->block = NULL;
	s->block_tried = true;
	return s->block != NULL;
}

int coll_shm_join(struct comm *c)
{
	struct coll *s = coll_state(c);
	int has = s == NULL ? JOIN_NO_STATE : JOIN_BLOCK, err;

	if (c->incomplete)
		return p2p_comm_error(c);
	if (p2p_comm_broken(c)) {
		p2p_progress(); /* a loop over failing calls must hear of a revocation */
		return p2p_comm_error(c);
	}
	if (!coll_shm_possible(c)) { /* then no member asks, and messages need no state */
		if (s != NULL)
			s->joined = true;
		return 0;
	}
	if (s != NULL && !coll_shm_block(s))
		has = JOIN_NO_BLOCK;
	err = coll_allreduce_min(c, TAG_JOIN, &has);
	if (s != NULL && s->block != NULL && !s->broken && (err != 0 || has != JOIN_BLOCK)) {
		shm_block_leave(s->block);
		s->block = NULL;
	}
	if (err == 0 && has == JOIN_NO_STATE)
		err = haft_err(MPI_ERR_NO_MEM, "a member has no memory for a communicator's state");
	if (s == NULL)
		return err;
	s->joined = err == 0;
	s->shared = s->joined && s->block != NULL;
	if (s->block != NULL && p2p_comm_broken(c))
		coll_break(s); /* a member has failed, after its message had come */
	return err;
}

HAFT_START int coll_world_join(struct comm *c)
{
	struct coll *s = coll_state(c);

	if (s == NULL || (s->local && !coll_shm_block(s)))
		return haft_err(MPI_ERR_NO_MEM,
			"no memory for the collective calls of %d processes", c->size);
	s->joined = s->shared = s->local;
	return 0;
}

/* A member's answer about its slots: numbers that data hardly ever are.  A member that has less
 * data, wrongly, does not come here, and its line has those. */
#define SLOTS_THERE 0x736c6f7473207965u
#define SLOTS_NONE  0x736c6f7473206e6fu

bool coll_shm_slots(struct coll *s)
{
	const struct p2p_error_msg *failed = s->failed;
	bool mine, all = true;
	uint64_t e;

	if (likely(s->slots_tried))
		return s->slot_bytes != 0;
	s->slots_tried = true;
	s->failed = NULL; /* this phase has its data: the state of the slots */
	e = coll_phase_begin(s);
	s->tmp = malloc((size_t)s->slot_size);
	mine = s->tmp != NULL &&
	       shm_block_buf_own(s->block, coll_slots_bytes(s, s->me, s->slot_size)) != NULL;
	*(uint64_t *)coll_phase_own_data(s, e, 1) = mine ? SLOTS_THERE : SLOTS_NONE;
	coll_phase_barrier(s, e);
	for (int i = 0; i < s->n; i++) {
		uint64_t said = *(uint64_t *)coll_phase_data(s, e, 1, i);

		all = all && said == SLOTS_THERE;
		if (said == SLOTS_THERE || said == SLOTS_NONE)
			continue;
		s->mismatch = i + 1;
		if (!coll_phase_line_call(
			    s, e, i, &s->mismatch_digest)) { /* it has passed this phase */
			s->mismatch = s->n + 1;
			s->mismatch_digest = DIGEST_UNKNOWN << DIGEST_KIND_AT;
		}
	}
	s->slot_bytes = all ? s->slot_size : 0;
	s->failed = failed;
	return all;
}

/* At most a slot; all of it where barriers are central, because each phase costs every member a
 * turn on a CPU. */
int64_t coll_shm_chunk(const struct coll *s, int64_t bytes)
{
	int64_t c = (bytes / COLL_CHUNKS + CACHE_LINE) / CACHE_LINE * CACHE_LINE;

	if (s->central || c > s->slot_bytes)
		return s->slot_bytes;
	return c < CHUNK_MIN ? (CHUNK_MIN < s->slot_bytes ? CHUNK_MIN : s->slot_bytes) : c;
}
