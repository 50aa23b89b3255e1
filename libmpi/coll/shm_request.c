// SPDX-License-Identifier: BSD-3-Clause
/* shm_request.c - barriers with a request through shared memory.
 *
 *      barrier     0   1   2  ...  C - 1  C   C + 1      C: SHM_BLOCK_COUNTS
 *      counter     0   1   2  ...  C - 1  0   1          n arrivals in each lap
 *
 * They are no phases: members begin them at any time, and several are under way.  Each has its
 * number in all members, because these call in one order.  The last member to arrive wakes the
 * others; a pass of progress looks at one counter for each barrier that waits.  One that all
 * members have begun is complete, even if one of them has failed since.
 *
 * Invariants
 *  - A member arrives at a barrier when its counter is full for the one C before.  So a counter
 *    never has arrivals of two barriers that are not complete.  A call does not wait for that: it
 *    is a part of progress.
 *  - Members agree that all have the block before any of them comes here (s->shared). */
#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/coll_check.h"
#include "libmpi/coll/sched.h"
#include <stdatomic.h>

struct request_barrier {
	struct coll *s;
	uint64_t number;
	uint64_t call; /* its number among all calls of the communicator */
	uint64_t seen; /* the counter, when it was asked last */
	bool arrived;
};

/* After the last store, wakes the members that sleep. */
static void barrier_wake(const struct coll *s)
{
	if (shm_must_fence(via.shm))
		shm_fence();
	for (int i = 0; i < s->n; i++) {
		int seat = via_seat(group_peer(s->comm->group, i));

		if (i != s->me && shm_asleep(via.shm, seat))
			shm_wake(via.shm, seat);
	}
}

static uint64_t barrier_full(const struct request_barrier *b)
{
	return (uint64_t)b->s->n * (1 + b->number / SHM_BLOCK_COUNTS);
}

/* Arrives, once it may.  It is over when all members have arrived, or one has failed.  An arrival
 * is a movement, after which the pass is repeated: barrier number + C watches this counter, too. */
static enum coll_await barrier_ask(void *arg)
{
	struct request_barrier *b = arg;
	const struct coll *s = b->s;
	uint64_t full = barrier_full(b), last = b->seen;
	_Atomic uint64_t *count =
		shm_block_count(s->broken ? s->shared_block : s->block, b->number);

	b->seen = atomic_load_explicit(count, memory_order_acquire);
	if (!b->arrived && b->seen >= full - (uint64_t)s->n && !s->broken) {
		b->arrived = true;
		b->seen = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel) + 1;
		if (b->seen == full)
			barrier_wake(s);
	}
	if (b->seen >= full || unlikely(s->broken))
		return AWAIT_OVER;
	p2p_progress_watch(count, b->seen);
	return b->seen != last ? AWAIT_MOVED : AWAIT_STILL;
}

/* The first member that has not begun the call. */
static int barrier_late(const void *arg)
{
	const struct request_barrier *b = arg;
	const struct coll *s = b->s;

	for (int i = 0; i < s->n; i++)
		if (i != s->me && !coll_calls_begun(s, i, b->call))
			return group_peer(s->comm->group, i);
	return -1;
}

static const struct coll_awaited barrier_awaited = {barrier_ask, barrier_late};

static int barrier_end(void *arg)
{
	const struct request_barrier *b = arg;

	return likely(b->seen >= barrier_full(b)) ? 0 : p2p_comm_error(b->s->comm);
}

bool coll_shm_requestable(const struct coll_args *k)
{
	const struct coll *s = k->comm->coll;

	return k->kind == COLL_BARRIER && !k->inter && s != NULL && s->shared && !coll_check_wanted;
}

void coll_shm_requested(struct sched *s, const struct coll_args *k, const void *arg)
{
	struct request_barrier *b = coll_sched_bytes(s, sizeof(*b));
	struct coll *coll = k->comm->coll;

	(void)arg;
	if (b != NULL)
		*b = (struct request_barrier){
			.s = coll, .number = coll->barriers - 1, .call = k->comm->coll_seq - 1};
	coll_sched_await(s, &barrier_awaited, b);
	coll_sched_check(s, barrier_end, b);
}
