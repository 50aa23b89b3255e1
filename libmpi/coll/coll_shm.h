// SPDX-License-Identifier: BSD-3-Clause
/* coll_shm.h - the collectives of one node: memory that all members see, and epochs.
 *
 *   line (i, e mod 2)    member i's arrival at epoch e, with up to 56 bytes of data
 *   slot (i, e mod 8)    member i's part of its large buffer: longer data of epoch e
 *   out  (e mod 8)       one for all: "epoch e may be read", with up to 56 bytes
 *   arrived              members that have come to crowded meetings, ever
 *
 * Each collective call is one or more epochs, the same number in all members.  Three kinds:
 *      meet     everybody gives, everybody reads all        barrier, allreduce, allgather, alltoall
 *      rise     everybody gives, the root reads             reduce, gather
 *      fall     the root gives, everybody reads             bcast, scatter
 * With as many CPUs as members, a meeting is everybody looking at everybody's line.  In a crowd
 * (more members than CPUs) the last to arrive does the work and releases the others with one wake.
 *
 * Invariants
 *  - Arrival at e (the line's flag holds e) says: I have read all I wanted of epochs before e, and
 *    what I give in e lies there.  Every member arrives at every epoch.
 *  - s->safe: all members are known to have arrived at this epoch.  Line (i, p) may be written at e
 *    if safe >= e - 1; slot if safe >= e - SLOTS + 2 (results of a meeting are read one epoch
 *    longer); out line if safe >= e - SHM_BLOCK_OUTS + 1.
 *  - Only meetings of a crowd touch `arrived', and none ends before all have come.
 *  - A member that has not got the data of a call (s->sorry: over several hosts, hierarchical.c) comes to
 * its epochs all the same, and moves nothing.  Its word (i, e mod 2) holds e and why, the line
 * beside it the words, which live as long as a line's data; who ends the call at e looks there. */
#ifndef HAFT_COLL_COLL_SHM_H
#define HAFT_COLL_COLL_SHM_H

#include "libmpi/coll/coll_args.h"
#include "libmpi/via/flag_wait.h"

#define COLL_SHM_SLOTS MEAN_OR(3, 8)
#define COLL_SHM_NONE  (-1) /* not an error: this call is not for shared memory, use messages */

/* The numbers of HAFT_COLL. */
enum coll_setting { COLL_SETTING_SHM, COLL_SETTING_P2P, COLL_SETTING_CHECK };

/* Of one communicator. */
struct coll {
	struct shm_block *block; /* NULL: messages only */
	struct comm *comm;
	uint64_t epoch; /* the last one begun */
	uint64_t safe;
	int n, me;
	bool crowd;
	bool near; /* all members could see the memory */
	bool joined;
	bool slots_tried;
	bool astray;                       /* then somebody did not try: he is in another call */
	int64_t slot;                      /* bytes of a slot; 0: there are none */
	void *tmp;                         /* private, as large as a slot; there if slots are */
	int64_t slot_max;                  /* what it is going to be */
	struct coll_hier *hosts;           /* NULL: not made yet */
	const struct p2p_error_msg *sorry; /* of this call: it gives nothing, and says why */
	bool hears;                        /* others may be sorry in this call */
};

/* What a member knows of a communicator without a word to others; NULL: no memory. */
struct coll *coll_shm_state(struct comm *c);

/* Finds the memory of a communicator, which takes an agreement by messages between all members.  0
 * or an MPI error class. */
int coll_shm_join(struct comm *c);

/* Could the members of an intra-communicator share memory?  All find the same, and say nothing. */
bool coll_shm_possible(struct comm *c);

/* Forgets it, with the communicator. */
void coll_shm_leave(struct comm *c);

/* Collective calls through shared memory.  COLL_SHM_NONE if messages are the better or the only way,
 * which all members find alike. */
int coll_shm_barrier(const struct coll_args *k);
int coll_shm_bcast(const struct coll_args *k);
int coll_shm_reduce(const struct coll_args *k);
int coll_shm_allreduce(const struct coll_args *k);
int coll_shm_gather(const struct coll_args *k);
int coll_shm_scatter(const struct coll_args *k);
int coll_shm_allgather(const struct coll_args *k);
int coll_shm_alltoall(const struct coll_args *k);
int coll_shm_reduce_scatter_block(const struct coll_args *k);
int coll_shm_scan(const struct coll_args *k);
int coll_shm_exscan(const struct coll_args *k);

/* --- epochs: shm_phase.c -------------------------------------------------------------------- */

/* Waits until all have arrived at epoch `want'. */
void coll_phase_wait_all(struct coll *s, uint64_t want);

/* Makes the slots if that has not been tried; false: there is no memory for them, in some member.
 */
bool coll_shm_slots(struct coll *s);

static inline uint64_t coll_phase_begin(struct coll *s)
{
	return ++s->epoch;
}

/* Where to write what this member gives in epoch e: its line, or its slot. */
static inline void *coll_phase_own_data(struct coll *s, uint64_t e, int64_t bytes)
{
	uint64_t want = bytes <= SHM_LINE_DATA ? e - 1 : e + 2 - COLL_SHM_SLOTS;

	if (unlikely((int64_t)(s->safe - want) < 0))
		coll_phase_wait_all(s, want);
	if (bytes <= SHM_LINE_DATA)
		return shm_block_line(s->block, s->me, (int)(e & 1))->data;
	return (char *)shm_block_buf(s->block, s->me) + (int64_t)(e % COLL_SHM_SLOTS) * s->slot;
}

/* What member i gave in epoch e: it has arrived there. */
static inline void *coll_phase_data(const struct coll *s, uint64_t e, int64_t bytes, int i)
{
	if (bytes <= SHM_LINE_DATA)
		return shm_block_line(s->block, i, (int)(e & 1))->data;
	return (char *)shm_block_buf(s->block, i) + (int64_t)(e % COLL_SHM_SLOTS) * s->slot;
}

/* Says in this member's words why it has no data for epoch e. */
void coll_phase_set_error(struct coll *s, uint64_t e);

/* Was somebody sorry in epoch e, which is over for this member?  Says why in *sorry. */
bool coll_phase_error(const struct coll *s, uint64_t e, struct p2p_error_msg *sorry);

/* Says that this member has arrived. */
static inline void coll_phase_arrive(struct coll *s, uint64_t e)
{
	if (unlikely(s->sorry != NULL))
		coll_phase_set_error(s, e);
	shm_flag_set(
		s->block->s, &shm_block_line(s->block, s->me, (int)(e & 1))->flag, (uint32_t)e);
}

/* Waits for member i's arrival. */
void coll_phase_wait(struct coll *s, uint64_t e, int i);

/* Arrives and waits for all: then everybody's data may be read. */
void coll_phase_barrier(struct coll *s, uint64_t e);

/* The same in a crowd, in two halves: true for the last to arrive, who must call coll_phase_release;
 * the others wait in it and return false when that has happened. */
bool coll_phase_arrive_last(struct coll *s, uint64_t e);
void coll_phase_release(struct coll *s, uint64_t e);

/* The out line of epoch e, to be written by one member (the root, or the last of a crowd), then
 * coll_phase_release; and to be read by the others after coll_phase_wait_release. */
void *coll_phase_out_line(struct coll *s, uint64_t e);
void coll_phase_wait_release(struct coll *s, uint64_t e);

#endif
