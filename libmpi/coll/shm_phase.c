// SPDX-License-Identifier: BSD-3-Clause
/* shm_phase.c - the phases of shared-memory collectives: arrival, waiting, release.
 *
 *     member     barrier, a CPU for each                 central barrier
 *       0        arrive; look at lines 1 2 3             arrive, counter 0; wait for out
 *       1        arrive; look at lines 0 2 3             arrive, counter 2; wait for out
 *       2        arrive; look at lines 0 1 3             arrive, counter 1; wait for out
 *       3        arrive; look at lines 0 1 2             arrive, counter 3: the last; release out
 *
 * The protocol and its invariants are in coll_shm.h. */
#include "libmpi/coll/coll_shm.h"
#include "libmpi/boot/waitrec.h"
#include <stdio.h>
#include <string.h>

/* So many looks at a flag before the wait proper, which pauses between looks: a pause is 140 cycles
 * on some CPUs, and a line comes from another core in that time. */
#define LOOKS 200

static int phase_progress(void *arg)
{
	(void)arg;
	return p2p_progress();
}

static inline struct shm_flag *phase_flag(const struct coll *s, uint64_t e, int i)
{
	return &shm_block_line(s->block, i, (int)(e & 1))->flag;
}

static inline struct shm_line *phase_out_line(const struct coll *s, uint64_t e)
{
	return shm_block_out(s->block, e);
}

/* For the wait report of a hung job: the communicator, and the members that have not arrived. */
struct about {
	struct shm_describer teller; /* first */
	const struct coll *s;
	uint64_t e;
	int peer; /* the peer that is waited for; -1: any that has not arrived */
};

static void phase_late_add(struct boot_wait *what, int peer)
{
	if (what->nlate < BOOT_WAIT_LATE)
		what->late[what->nlate] = peer;
	what->nlate++;
}

static void phase_tell(const struct shm_describer *t, void *description)
{
	const struct about *a = (const struct about *)t;
	struct boot_wait *what = description;
	const struct coll *s = a->s;

	what->kind = BOOT_WAIT_COLL;
	what->peer = what->rank = what->tag = -1;
	what->bytes = -1;
	what->open = 1;
	if (a->peer >= 0)
		phase_late_add(what, a->peer);
	for (int i = 0; i < s->n && a->peer < 0; i++)
		if ((int32_t)(shm_flag_get(phase_flag(s, a->e, i)) - (uint32_t)a->e) < 0)
			phase_late_add(what, group_peer(s->comm->group, i));
	p2p_wait_report(s->comm, what);
}

static void phase_wait_flag(const struct coll *s, struct shm_flag *f, uint64_t e, int peer)
{
	struct about about;

	for (int i = s->central ? 1 : LOOKS; i > 0; i--)
		if ((int32_t)(shm_flag_get(f) - (uint32_t)e) >= 0)
			return;
	about = (struct about){{phase_tell}, s, e, peer};
	via_flag_wait(f, (uint32_t)e, phase_progress, &about.teller);
}

/* Waits for member i's arrival at phase e or a later one. */
static void phase_wait_line(struct coll *s, uint64_t e, int i)
{
	phase_wait_flag(s, phase_flag(s, e, i), e, group_peer(s->comm->group, i));
}

void coll_phase_wait(struct coll *s, uint64_t e, int i)
{
	phase_wait_line(s, e, i);
	coll_phase_compare(s, shm_block_line(s->block, i, (int)(e & 1)), e, i);
}

/* Waits until all members have arrived at phase `want'; compares their calls if that is the phase
 * that this member is in. */
static inline void phase_wait_members(struct coll *s, uint64_t want, bool compare)
{
	int32_t ahead = INT32_MAX; /* phases that the slowest member is ahead of `want' */

	for (int i = 0; i < s->n; i++) {
		int32_t by;

		if (i == s->me)
			continue;
		phase_wait_line(s, want, i);
		by = (int32_t)(shm_flag_get(phase_flag(s, want, i)) - (uint32_t)want);
		ahead = by < ahead ? by : ahead;
		if (compare)
			coll_phase_compare(
				s, shm_block_line(s->block, i, (int)(want & 1)), want, i);
	}
	s->safe = want + (uint64_t)ahead;
}

void coll_phase_wait_all(struct coll *s, uint64_t want)
{
	phase_wait_members(s, want, false);
}

void coll_phase_wait_calls(struct coll *s, uint64_t e)
{
	phase_wait_members(s, e, true);
}

/* --- members without data ------------------------------------------------------------------- */

/* A word: phase | missed | class: 32, 24 and 8 bits. */
#define CLASS_BITS  8
#define MISSED_BITS 24
#define PHASE_AT    (CLASS_BITS + MISSED_BITS)

void coll_phase_set_error(struct coll *s, uint64_t e)
{
	char *words = coll_phase_own_data(s, e, 1); /* waits until those of e - 2 are read */
	uint64_t word = e << PHASE_AT | (uint64_t)(uint32_t)s->failed->missed << CLASS_BITS |
			(uint64_t)(uint8_t)s->failed->err;

	static_assert(sizeof(s->failed->words) >= COLL_LINE_DATA, "the rest is cut off");
	memcpy(words, s->failed->words, COLL_LINE_DATA);
	atomic_store_explicit(
		shm_block_word(s->block, s->me, (int)(e & 1)), word, memory_order_release);
}

bool coll_phase_error(const struct coll *s, uint64_t e, struct p2p_error_msg *error)
{
	for (int i = 0; i < s->n; i++) {
		uint64_t word = atomic_load_explicit(
			shm_block_word(s->block, i, (int)(e & 1)), memory_order_acquire);

		if (likely((uint32_t)(word >> PHASE_AT) != (uint32_t)e || word == 0))
			continue;
		error->err = (int32_t)(word & ((1u << CLASS_BITS) - 1));
		error->missed = (int32_t)(word >> CLASS_BITS & ((1u << MISSED_BITS) - 1));
		snprintf(error->words, sizeof(error->words), "%.*s", COLL_LINE_DATA,
			(const char *)coll_phase_data(s, e, 1, i));
		return true;
	}
	return false;
}

/* --- barriers ------------------------------------------------------------------------------- */

bool coll_phase_arrive_last(struct coll *s, uint64_t e)
{
	coll_phase_arrive(s, e);
	if ((shm_block_arrive(s->block) + 1) % (uint64_t)s->n == 0) {
		phase_wait_members(s, e, true); /* they have come: no wait, only the look */
		return true;
	}
	coll_phase_wait_release(s, e, s->n);
	s->safe = e;
	return false;
}

void coll_phase_release(struct coll *s, uint64_t e)
{
	coll_phase_say(s, phase_out_line(s, e), e);
	shm_flag_set(s->block->s, &phase_out_line(s, e)->flag, (uint32_t)e);
}

void coll_phase_barrier(struct coll *s, uint64_t e)
{
	if (s->central) {
		if (coll_phase_arrive_last(s, e)) {
			s->safe = e;
			coll_phase_release(s, e);
		}
		return;
	}
	coll_phase_arrive(s, e);
	phase_wait_members(s, e, true);
}

void *coll_phase_out_line(struct coll *s, uint64_t e)
{
	uint64_t want = e + 1 - SHM_BLOCK_OUTS;

	if (unlikely((int64_t)(s->safe - want) < 0))
		coll_phase_wait_all(s, want);
	return phase_out_line(s, e)->data;
}

void coll_phase_wait_release(struct coll *s, uint64_t e, int root)
{
	phase_wait_flag(s, &phase_out_line(s, e)->flag, e, -1);
	coll_phase_compare(s, phase_out_line(s, e), e, root);
}
