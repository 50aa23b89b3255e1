// SPDX-License-Identifier: BSD-3-Clause
/* shm_phase.c - arriving, waiting and releasing: the part of shared-memory collectives that is about
 * time.  See coll_shm.h. */
#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/hierarchical.h"
#include "libmpi/core/setting.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CROWD_MEMBERS 8 /* from more members on, all looking at all costs more than a counter */
#define SLOT_MAX      MEAN_OR(128, 64 * 1024) /* bytes of a slot: stays in a core's cache */
#define SLOT_MIN      MEAN_OR(128, 4 * 1024)
#define SLOTS_ALL \
	(32L * 1024 * 1024) /* bytes for the slots of all members, as far as SLOT_MIN allows */

/* Looks at a flag before the wait proper, which pauses between looks: a pause is 140 cycles on some
 * CPUs, and a line comes from another core in that time. */
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

/* What the roll-call of a hung job shows: the communicator, and who has not come to this epoch.
 */
struct about {
	struct shm_describer teller; /* first */
	const struct coll *s;
	uint64_t e;
	int peer; /* the one that is waited for; -1: the last of all, or the root */
};

static void phase_late_add(struct shm_what *what, int peer)
{
	if (what->nlate < SHM_WHAT_LATE)
		what->late[what->nlate] = peer;
	what->nlate++;
}

static void phase_tell(const struct shm_describer *t, struct shm_what *what)
{
	const struct about *a = (const struct about *)t;
	const struct coll *s = a->s;

	what->kind = REQ_COLL;
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

	for (int i = s->crowd ? 1 : LOOKS; i > 0; i--)
		if ((int32_t)(shm_flag_get(f) - (uint32_t)e) >= 0)
			return;
	about = (struct about){{phase_tell}, s, e, peer};
	via_flag_wait(f, (uint32_t)e, phase_progress, &about.teller);
}

void coll_phase_wait(struct coll *s, uint64_t e, int i)
{
	phase_wait_flag(s, phase_flag(s, e, i), e, group_peer(s->comm->group, i));
}

void coll_phase_wait_all(struct coll *s, uint64_t want)
{
	int32_t ahead = INT32_MAX; /* of what was wanted, all of them */

	for (int i = 0; i < s->n; i++) {
		int32_t by;

		if (i == s->me)
			continue;
		coll_phase_wait(s, want, i);
		by = (int32_t)(shm_flag_get(phase_flag(s, want, i)) - (uint32_t)want);
		ahead = by < ahead ? by : ahead;
	}
	s->safe = want + (uint64_t)ahead;
}

/* --- being sorry ---------------------------------------------------------------------------- */

/* epoch | missed | class: 32, 24 and 8 bits. */
#define CLASS_BITS  8
#define MISSED_BITS 24
#define EPOCH_AT    (CLASS_BITS + MISSED_BITS)

void coll_phase_set_error(struct coll *s, uint64_t e)
{
	char *words =
		coll_phase_own_data(s, e, 1); /* waits until nobody wants those of two epochs ago */
	uint64_t word = e << EPOCH_AT | (uint64_t)(uint32_t)s->sorry->missed << CLASS_BITS |
			(uint64_t)(uint8_t)s->sorry->err;

	static_assert(sizeof(s->sorry->words) >= SHM_LINE_DATA, "the rest is cut off");
	memcpy(words, s->sorry->words, SHM_LINE_DATA);
	atomic_store_explicit(
		shm_block_word(s->block, s->me, (int)(e & 1)), word, memory_order_release);
}

bool coll_phase_error(const struct coll *s, uint64_t e, struct p2p_error_msg *sorry)
{
	for (int i = 0; i < s->n; i++) {
		uint64_t word = atomic_load_explicit(
			shm_block_word(s->block, i, (int)(e & 1)), memory_order_acquire);

		if (likely((uint32_t)(word >> EPOCH_AT) != (uint32_t)e || word == 0))
			continue;
		sorry->err = (int32_t)(word & ((1u << CLASS_BITS) - 1));
		sorry->missed = (int32_t)(word >> CLASS_BITS & ((1u << MISSED_BITS) - 1));
		snprintf(sorry->words, sizeof(sorry->words), "%.*s", SHM_LINE_DATA,
			(const char *)coll_phase_data(s, e, 1, i));
		return true;
	}
	return false;
}

/* --- meeting -------------------------------------------------------------------------------- */

bool coll_phase_arrive_last(struct coll *s, uint64_t e)
{
	coll_phase_arrive(s, e);
	if ((shm_block_arrive(s->block) + 1) % (uint64_t)s->n == 0)
		return true;
	coll_phase_wait_release(s, e);
	s->safe = e;
	return false;
}

void coll_phase_release(struct coll *s, uint64_t e)
{
	shm_flag_set(s->block->s, &phase_out_line(s, e)->flag, (uint32_t)e);
}

void coll_phase_barrier(struct coll *s, uint64_t e)
{
	if (s->crowd) {
		if (coll_phase_arrive_last(s, e)) {
			s->safe = e;
			coll_phase_release(s, e);
		}
		return;
	}
	coll_phase_arrive(s, e);
	coll_phase_wait_all(s, e);
}

void *coll_phase_out_line(struct coll *s, uint64_t e)
{
	uint64_t want = e + 1 - SHM_BLOCK_OUTS;

	if (unlikely((int64_t)(s->safe - want) < 0))
		coll_phase_wait_all(s, want);
	return phase_out_line(s, e)->data;
}

void coll_phase_wait_release(struct coll *s, uint64_t e)
{
	phase_wait_flag(s, &phase_out_line(s, e)->flag, e, -1);
}

/* --- joining -------------------------------------------------------------------------------- */

static bool shm_all_local(const struct comm *c)
{
	for (int i = 0; i < c->size; i++)
		if (!via_is_local(group_peer(c->group, i)))
			return false;
	return haft_setting_get(SETTING_COLL) != COLL_SETTING_P2P && c->size > 1;
}

struct coll *coll_shm_state(struct comm *c)
{
	struct coll *s = c->coll;
	int64_t slot = SLOTS_ALL / COLL_SHM_SLOTS / c->size / SLOT_MIN * SLOT_MIN;

	if (s != NULL)
		return s;
	s = coll_hier_is_reserve(c) ? NULL : calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->comm = c;
	s->n = c->size;
	s->me = c->rank;
	s->near = shm_all_local(c);
	s->crowd = c->size > CROWD_MEMBERS || via_oversubscribed();
	s->slot_max = slot < SLOT_MIN ? SLOT_MIN : slot > SLOT_MAX ? SLOT_MAX : slot;
	c->coll = s;
	return s;
}

bool coll_shm_possible(struct comm *c)
{
	struct coll *s = coll_shm_state(c);

	return s != NULL ? s->near : shm_all_local(c);
}

/* What a member says: the least counts. */
enum join { JOIN_NOT, JOIN_MESSAGES, JOIN_MEMORY };

int coll_shm_join(struct comm *c)
{
	struct coll *s = coll_shm_state(c);
	int how = s == NULL ? JOIN_NOT : JOIN_MEMORY, err;

	if (s != NULL && !s->near) {
		s->joined = true;
		return 0;
	}
	if (s == NULL && !shm_all_local(c))
		return 0; /* the others do not ask; messages need no state */
	if (s != NULL && shm_block_join(via.shm, c->ctx, c->size, c->rank, &s->block) != 0) {
		s->block = NULL;
		how = JOIN_MESSAGES;
	}
	err = coll_allreduce_min(c, TAG_JOIN, &how);
	if (s != NULL && s->block != NULL && (err != 0 || how != JOIN_MEMORY)) {
		shm_block_leave(s->block);
		s->block = NULL;
	}
	if (err == 0 && how == JOIN_NOT)
		err = haft_err(MPI_ERR_NO_MEM, "a member has no memory for a communicator's state");
	if (s != NULL)
		s->joined = err == 0;
	return err;
}

void coll_shm_leave(struct comm *c)
{
	if (c->coll == NULL)
		return;
	if (c->coll->block != NULL)
		shm_block_leave(c->coll->block);
	coll_hier_free(c->coll->hosts);
	free(c->coll->tmp);
	free(c->coll);
	c->coll = NULL;
}

/* What a member says of its slots: nothing that data are by chance.  A member that gives less than
 * the others, wrongly, does not come here: what lies in its line is that. */
#define SLOTS_THERE 0x736c6f7473207965u
#define SLOTS_NONE  0x736c6f7473206e6fu

bool coll_shm_slots(struct coll *s)
{
	const struct p2p_error_msg *sorry = s->sorry;
	bool mine, all = true;
	uint64_t e;

	if (likely(s->slots_tried))
		return s->slot != 0;
	s->slots_tried = true;
	s->sorry = NULL; /* of this it can speak */
	e = coll_phase_begin(s);
	s->tmp = malloc((size_t)s->slot_max);
	mine = s->tmp != NULL &&
	       shm_block_buf_own(s->block, (size_t)(s->slot_max * COLL_SHM_SLOTS)) != NULL;
	*(uint64_t *)coll_phase_own_data(s, e, 1) = mine ? SLOTS_THERE : SLOTS_NONE;
	coll_phase_barrier(s, e);
	for (int i = 0; i < s->n; i++) {
		uint64_t said = *(uint64_t *)coll_phase_data(s, e, 1, i);

		all = all && said == SLOTS_THERE;
		s->astray |= said != SLOTS_THERE && said != SLOTS_NONE;
	}
	s->slot = all ? s->slot_max : 0;
	s->sorry = sorry;
	return all;
}
