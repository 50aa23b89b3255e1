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

/* So many checks of a flag before the wait proper, which pauses between checks: a pause is 140
 * cycles on some CPUs, and a line comes from another core in that time. */
#define PHASE_POLLS 200

#define SLOT_ALIGN 128 /* processors fetch lines in pairs */
static_assert(COLL_SLOT_SHORT % SLOT_ALIGN == 0, "a member's short data fit");

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
	struct shm_describer describer; /* first */
	struct coll *s;
	uint64_t e;
	int peer; /* the peer that is waited for; -1: any that has not arrived */
};

static void phase_late_add(struct boot_wait *what, int peer)
{
	if (what->nlate < BOOT_WAIT_LATE)
		what->late[what->nlate] = peer;
	what->nlate++;
}

bool coll_phase_line_call(const struct coll *s, uint64_t e, int i, uint32_t *digest)
{
	uint32_t flag = shm_flag_get(phase_flag(s, e, i));

	*digest = coll_line_digest(flag);
	return flag - *digest == coll_line_phase(e);
}

bool coll_phase_line_last(const struct coll *s, int i, int parity, uint64_t *e, uint32_t *digest)
{
	uint32_t flag = shm_flag_get(&shm_block_line(s->block, i, parity)->flag);
	uint32_t back = (uint32_t)s->phase - (flag >> DIGEST_BITS);

	back &= (1u << LINE_PHASE_BITS) - 1;
	*e = s->phase - back;
	*digest = coll_line_digest(flag);
	return back < 1u << (LINE_PHASE_BITS - 1) && (int)(*e & 1) == parity;
}

/* Notes that member i (n: unknown) is in another call, unless a wait has ended because of one. */
static void phase_set_mismatch(struct coll *s, int i, uint32_t digest)
{
	if (s->stop)
		return;
	s->mismatch = i + 1;
	s->mismatch_digest = digest;
}

/* This member has waited for long in phase e.  If another one is in another call there, the wait
 * ends, and those of the members that wait for a release.  The last member to arrive sees all. */
static void phase_poll(struct coll *s, uint64_t e)
{
	struct shm_line *out = phase_out_line(s, e);
	uint32_t mine, theirs;

	if (!coll_phase_line_call(s, e, s->me, &mine))
		return;
	for (int i = 0; i < s->n && s->mismatch == 0; i++)
		if (coll_phase_line_call(s, e, i, &theirs) && theirs != mine)
			phase_set_mismatch(s, i, theirs);
	if (s->mismatch == 0 || s->stop)
		return;
	s->stop = true;
	if ((int64_t)(s->safe - (e + 1 - SHM_BLOCK_OUTS)) < 0)
		return;
	atomic_store_explicit(coll_out_digest(out), (uint32_t)DIGEST_UNKNOWN << DIGEST_KIND_AT,
		memory_order_relaxed);
	shm_flag_set(s->block->s, &out->flag, (uint32_t)e);
}

static void phase_tell(const struct shm_describer *t, void *description)
{
	const struct about *a = (const struct about *)t;
	struct boot_wait *what = description;
	const struct coll *s = a->s;

	if (a->peer >= 0 && !what->brief)
		phase_late_add(what, a->peer);
	for (int i = 0; i < s->n && (a->peer < 0 || what->brief); i++)
		if (!shm_flag_reached(shm_flag_get(phase_flag(s, a->e, i)), coll_line_phase(a->e),
			    SHM_FLAG_LATER))
			phase_late_add(what, group_peer(s->comm->group, i));
	phase_poll(a->s, a->e); /* before calls are compared: lines say more */
	p2p_wait_report(BOOT_WAIT_COLL, s->comm, what);
}

/* A flag that is waited for. */
struct phase_wait {
	struct about about; /* first */
	struct shm_flag *flag;
	uint32_t want, ahead;
};

/* The flag is there, or will never come. */
HAFT_HOT static bool phase_ready(void *arg)
{
	const struct phase_wait *w = arg;

	return shm_flag_reached(shm_flag_get(w->flag), w->want, w->ahead) || w->about.s->stop;
}

/* The slow half of phase_wait_flag. */
HAFT_HOT __attribute__((noinline)) static void phase_wait_long(const struct phase_wait *w)
{
	p2p_progress_until(&(struct p2p_condition){.ready = phase_ready,
		.arg = (void *)(uintptr_t)w,
		.describer = &w->about.describer,
		.flag = w->flag});
}

/* Waits until the flag has reached `want' (shm_flag_reached), and returns it. */
static inline uint32_t phase_wait_flag(
	struct coll *s, struct shm_flag *f, uint64_t e, uint32_t want, uint32_t ahead, int peer)
{
	for (int i = s->central ? 1 : PHASE_POLLS; i > 0; i--) {
		uint32_t flag = shm_flag_get(f);

		if (shm_flag_reached(flag, want, ahead))
			return flag;
	}
	phase_wait_long(&(struct phase_wait){{{phase_tell}, s, e, peer}, f, want, ahead});
	return shm_flag_get(f);
}

/* Waits for member i's arrival at phase e or a later one, and returns its line's flag. */
static uint32_t phase_wait_line(struct coll *s, uint64_t e, int i)
{
	return phase_wait_flag(s, phase_flag(s, e, i), e, coll_line_phase(e), SHM_FLAG_LATER,
		group_peer(s->comm->group, i));
}

/* Compares the call of member i, whose line has this flag, if it is still in phase e. */
static inline void phase_compare(struct coll *s, uint64_t e, int i, uint32_t flag)
{
	if (unlikely(flag != coll_line_flag(s, e)) &&
		coll_line_phase(e) == flag - coll_line_digest(flag))
		phase_set_mismatch(s, i, coll_line_digest(flag));
}

void coll_phase_wait(struct coll *s, uint64_t e, int i)
{
	phase_compare(s, e, i, phase_wait_line(s, e, i));
}

/* Waits until all members have arrived at phase `want'; compares: this member is in that
 * phase, and its flag is `mine'. */
static inline void phase_wait_members(struct coll *s, uint64_t want, bool compares, uint32_t mine)
{
	uint32_t ahead = SHM_FLAG_LATER; /* of the flag of the slowest member, above phase `want' */

	for (int i = 0; i < s->n; i++) {
		uint32_t flag;

		if (i == s->me)
			continue;
		if (likely(shm_flag_get(phase_flag(s, want, i)) == mine)) {
			ahead = 0; /* one check says that it is there, and in this call */
			continue;
		}
		flag = phase_wait_line(s, want, i);
		if (flag - coll_line_phase(want) < ahead)
			ahead = flag - coll_line_phase(want);
		if (compares)
			phase_compare(s, want, i, flag);
	}
	s->safe = want + (ahead >> DIGEST_BITS);
}

void coll_phase_wait_all(struct coll *s, uint64_t want)
{
	phase_wait_members(s, want, false, coll_line_phase(want));
}

HAFT_HOT void coll_phase_wait_calls(struct coll *s, uint64_t e)
{
	phase_wait_members(s, e, true, coll_line_flag(s, e));
}

/* So many calls may be announced before all members have come: few enough for a line's flag.  A
 * member that is so far ahead waits until the others are near: it would otherwise look at their
 * lines, and so slow them down, in each of its calls. */
#define ANNOUNCED_AHEAD (1 << (LINE_PHASE_BITS - 3))
#define ANNOUNCED_LEFT  (ANNOUNCED_AHEAD / 4)

HAFT_START void coll_phase_announce(struct coll *s)
{
	uint64_t e = coll_phase_begin(s);

	if (unlikely((int64_t)(s->safe - (e - ANNOUNCED_AHEAD)) < 0))
		coll_phase_wait_all(s, e - ANNOUNCED_LEFT);
	coll_phase_arrive(s, e);
}

/* Not inline: members' lines are the fast path. */
void *coll_phase_slot(const struct coll *s, uint64_t e, int64_t bytes, int i)
{
	int64_t k = (int64_t)(e & (uint64_t)(s->slots - 1));
	int64_t stride = (bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;

	if (bytes > COLL_SLOT_SHORT)
		return (char *)shm_block_buf(s->block, i) + k * s->slot_bytes;
	return (char *)shm_block_buf(s->block, COLL_SLOTS_SHARED) + s->slots * s->slot_bytes +
	       k * s->n * COLL_SLOT_SHORT + i * stride;
}

/* --- members without data ------------------------------------------------------------------- */

/* A word: phase | missed | class: 32, 24 and 8 bits. */
#define CLASS_BITS  8
#define MISSED_BITS 24
#define PHASE_AT    (CLASS_BITS + MISSED_BITS)

/* Classes of extensions lie behind the others: 200 and above in a word. */
#define CLASS_EXTENSION 200

static uint64_t class_pack(int class)
{
	return (uint64_t)(class > MPI_ERR_LASTCODE ? class - MPI_ERR_LASTCODE + CLASS_EXTENSION
						   : class);
}

static int class_unpack(uint64_t n)
{
	return (int)(n > CLASS_EXTENSION ? n - CLASS_EXTENSION + MPI_ERR_LASTCODE : n);
}

void coll_phase_set_error(struct coll *s, uint64_t e)
{
	char *words = coll_phase_own_data(s, e, 1); /* waits until those of e - 2 are read */
	uint64_t word = e << PHASE_AT | (uint64_t)(uint32_t)s->failed->missed << CLASS_BITS |
			class_pack(s->failed->err);

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
		error->err = class_unpack(word & ((1u << CLASS_BITS) - 1));
		error->missed = (int32_t)(word >> CLASS_BITS & ((1u << MISSED_BITS) - 1));
		snprintf(error->words, sizeof(error->words), "%.*s", COLL_LINE_DATA,
			(const char *)coll_phase_data(s, e, 1, i));
		return true;
	}
	return false;
}

/* --- barriers ------------------------------------------------------------------------------- */

/* Asks for this member's line of the phase after e, which the others have read or do not read.  It
 * comes while this member computes. */
static inline void phase_prefetch_own(const struct coll *s, uint64_t e)
{
	__builtin_prefetch(shm_block_line(s->block, s->me, (int)((e + 1) & 1)), 1);
}

HAFT_HOT void coll_barrier_prefetch(const struct comm *c)
{
	const struct coll *s = c->coll;

	if (likely(s != NULL && s->block != NULL))
		phase_prefetch_own(s, s->phase);
}

/* A member adds this to the counter of arrivals: 1, and above it a hash of its call.  So the sum
 * tells the last one that all calls are equal, and it need not read the lines of all.  The hash is
 * not linear: calls that differ seldom have an equal sum. */
#define ARRIVED_HASH_AT 32

static inline uint64_t phase_arrival(const struct coll *s, uint64_t e)
{
	uint32_t hash = coll_line_flag(s, e) * 0x9e3779b1u;

	hash = (hash ^ hash >> 15) * 0x85ebca77u;
	return (uint64_t)hash << ARRIVED_HASH_AT | 1;
}

HAFT_HOT bool coll_phase_arrive_last(struct coll *s, uint64_t e)
{
	uint64_t mine = phase_arrival(s, e), sum;

	coll_phase_arrive(s, e);
	sum = shm_block_arrive(s->block, mine);
	if ((uint32_t)sum != (uint32_t)s->n) {
		coll_phase_wait_release(s, e);
		s->safe = e;
		return false;
	}
	if (unlikely(sum != mine * (uint64_t)s->n))
		coll_phase_wait_calls(s, e); /* which one differs? */
	shm_block_arrive_again(s->block);
	s->safe = e;
	return true;
}

HAFT_HOT void coll_phase_release(struct coll *s, uint64_t e)
{
	struct shm_line *out = phase_out_line(s, e);
	uint32_t digest = likely(s->mismatch == 0) ? s->digest : DIGEST_UNKNOWN << DIGEST_KIND_AT;

	atomic_store_explicit(coll_out_digest(out), digest, memory_order_relaxed);
	shm_flag_set(s->block->s, &out->flag, (uint32_t)e);
	phase_prefetch_own(s, e);
}

HAFT_HOT void coll_phase_barrier_end(struct coll *s, uint64_t e)
{
	if (s->central) {
		if (coll_phase_arrive_last(s, e))
			coll_phase_release(s, e);
		return;
	}
	coll_phase_wait_calls(s, e);
	if (s->comm->win == NULL) /* after a fence, what others have put comes first */
		phase_prefetch_own(s, e);
}

HAFT_HOT void coll_phase_barrier(struct coll *s, uint64_t e)
{
	coll_phase_barrier_begin(s, e);
	coll_phase_barrier_end(s, e);
}

/* Phase e was released by a member that is in another call, or by one that has seen two calls and
 * does not say which.  Its line says who it is, unless it is in a later phase. */
static void phase_set_mismatch_releaser(struct coll *s, uint64_t e, uint32_t digest)
{
	uint32_t theirs;
	int i = 0;

	if (digest >> DIGEST_KIND_AT == DIGEST_UNKNOWN)
		phase_poll(s, e);
	while (i < s->n && !(coll_phase_line_call(s, e, i, &theirs) && theirs == digest))
		i++;
	phase_set_mismatch(s, i, digest);
}

void *coll_phase_out_line(struct coll *s, uint64_t e)
{
	uint64_t want = e + 1 - SHM_BLOCK_OUTS;

	if (unlikely((int64_t)(s->safe - want) < 0))
		coll_phase_wait_all(s, want);
	if (unlikely(shm_flag_get(&phase_out_line(s, e)->flag) == (uint32_t)e))
		phase_set_mismatch_releaser(s, e,
			atomic_load_explicit(
				coll_out_digest(phase_out_line(s, e)), memory_order_relaxed));
	return phase_out_line(s, e)->data;
}

HAFT_HOT void coll_phase_wait_release(struct coll *s, uint64_t e)
{
	struct shm_line *out = phase_out_line(s, e);
	uint32_t digest;

	phase_wait_flag(s, &out->flag, e, (uint32_t)e, 0, -1);
	digest = atomic_load_explicit(coll_out_digest(out), memory_order_relaxed);
	if (unlikely(digest != s->digest))
		phase_set_mismatch_releaser(s, e, digest);
	phase_prefetch_own(s, e);
}
