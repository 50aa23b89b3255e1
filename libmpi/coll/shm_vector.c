// SPDX-License-Identifier: BSD-3-Clause
/* shm_vector.c - allgatherv, alltoallv and alltoallw through shared memory.
 *
 *   line (j, e)           bytes of the longest block of member j
 *   shared slot (j, e)    | bytes to 0, to 1, ... | data to 0 | data to 1 | ...     short blocks
 *                         | bytes to 0, to 1, ... |                                 long ones
 *   slot (j, e)                                   | data to 0 | data to 1 | ...
 *
 * The data to one member have a room.  In an allgatherv there is one room, for all.
 *
 *   first phase    all give the beginning of each block, and the bytes of all of it
 *   then           all know the longest block of all; its rest takes some phases, of data
 *                  alone; or the call goes by messages, if it is too long
 *
 * A member does not know the blocks of others, so it cannot choose rooms by their sizes before the
 * first phase.  It chooses by those of the calls before.
 *
 * Invariants
 *  - The rooms of a phase, and the number of phases, depend on what all lines of the first phase
 *    have said, of this call or of the last one.  They are equal in all members.
 *  - A member that finds blocks of another size than it expects takes part in all phases.
 *  - Before the call goes by messages no buffer has been written. */
#include "libmpi/coll/coll_shm.h"

#define ROOM_ALIGN 64 /* of long rooms: a copy to an odd place takes several times as long */

struct vector {
	const struct coll_args *k;
	struct coll *s;
	int rooms;       /* in a slot */
	int64_t longest; /* bytes of the longest block of this member; then of all */
	int64_t *before; /* those of the calls before, the older the less: half for each call */
	/* The first block that has not the expected bytes: its member; -1: none. */
	int mismatch;
	int64_t mismatch_bytes, mismatch_expected;
};

/* Is room i for this member alone?  It stays empty: that block is copied at once. */
static bool vector_own(const struct vector *v, int i)
{
	return v->k->kind != COLL_ALLGATHERV && i == v->k->me;
}

static void vector_begin(struct vector *v, const struct coll_args *k)
{
	bool one = k->kind == COLL_ALLGATHERV;
	struct coll *s = k->comm->coll;

	*v = (struct vector){.k = k,
		.s = s,
		.rooms = one ? 1 : k->n,
		.before = &s->longest[one],
		.mismatch = -1};
	for (int i = 0; i < v->rooms; i++)
		if (!vector_own(v, i))
			v->longest = num_max(v->longest, coll_block_bytes(coll_block_given(k, i)));
}

/* --- rooms ---------------------------------------------------------------------------------- */

/* A phase: bytes [at, at + room) of each block. */
struct vector_phase {
	uint64_t e;
	bool sizes;   /* the first one */
	bool is_long; /* the rooms are in the slot, not in the shared one */
	int64_t at, room;
};

static int64_t sizes_bytes(const struct vector *v)
{
	return v->rooms * (int64_t)sizeof(int64_t);
}

/* Bytes of a long room.  0: there is none. */
static int64_t room_long(const struct vector *v)
{
	int64_t slot = v->s->slot_bytes;

	return slot > COLL_SLOT_SHORT ? slot / v->rooms / ROOM_ALIGN * ROOM_ALIGN : 0;
}

/* Bytes of the shared slot. */
static int64_t phase_shared(const struct vector *v, const struct vector_phase *p)
{
	int64_t bytes = sizes_bytes(v) + (p->is_long ? 0 : v->rooms * p->room);

	return bytes > COLL_LINE_DATA ? bytes : COLL_LINE_DATA + 1; /* the line is in use */
}

/* Chooses the rooms of the first phase: short ones if there are no long ones, so that a long block
 * is forgotten in time.  False: there are none. */
static bool phase_first(const struct vector *v, struct vector_phase *p)
{
	int64_t most = (COLL_SLOT_SHORT - sizes_bytes(v)) / v->rooms;

	*p = (struct vector_phase){.sizes = true, .room = sizeof(int64_t)};
	if (p->room > most)
		return false;
	while (p->room < *v->before && p->room <= most)
		p->room *= 2;
	if (p->room <= most)
		return true;
	p->is_long = room_long(v) > 0;
	p->room = p->is_long ? room_long(v) : p->room / 2;
	return true;
}

/* Is a call with so long a block for messages, if the first phase takes `first' bytes of each? */
static bool vector_too_long(const struct vector *v, int64_t first)
{
	int64_t room = room_long(v);

	if (coll_two_by_message(v->s, v->longest) || (v->longest > first && room == 0))
		return true;
	return v->rooms > 1 &&
	       (v->longest > COLL_BLOCK_LONG || v->longest - first > COLL_CHUNKS * room);
}

/* --- phases --------------------------------------------------------------------------------- */

static void phase_give(const struct vector *v, const struct vector_phase *p)
{
	int64_t *sizes = NULL;
	char *room = NULL;

	if (p->sizes) {
		sizes = coll_phase_own_data(v->s, p->e, phase_shared(v, p));
		room = (char *)(sizes + v->rooms);
	}
	if (p->is_long)
		room = coll_phase_own_data(v->s, p->e, v->s->slot_bytes);
	for (int i = 0; i < v->rooms; i++, room += p->room) {
		struct block b = coll_block_given(v->k, i);
		int64_t bytes = coll_block_bytes(b), part = coll_shm_part(bytes, p->at, p->room);

		if (p->sizes)
			sizes[i] = bytes;
		if (part > 0 && !vector_own(v, i))
			type_pack(b.type, b.at, b.count, p->at, room, part);
	}
}

/* Takes the block of member i, of so many bytes, out of its room. */
static void phase_take_from(
	struct vector *v, const struct vector_phase *p, int i, int64_t bytes, const char *room)
{
	struct block b = coll_block_in(v->k, i);
	int64_t expected = coll_block_bytes(b), part = coll_shm_part(expected, p->at, p->room);

	if (p->sizes && bytes != expected && v->mismatch < 0) {
		v->mismatch = i;
		v->mismatch_bytes = bytes;
		v->mismatch_expected = expected;
	}
	if (v->mismatch < 0 && part > 0)
		type_unpack(b.type, b.at, b.count, p->at, room, part);
}

/* Members begin at different slots. */
static void phase_take(struct vector *v, const struct vector_phase *p)
{
	int n = v->k->n, i = v->k->me, mine = v->rooms > 1 ? i : 0;

	for (int j = 1; j < n; j++) {
		const int64_t *sizes = NULL;
		const char *room = NULL;

		i = i + 1 < n ? i + 1 : 0;
		if (p->sizes) {
			sizes = coll_phase_data(v->s, p->e, phase_shared(v, p), i);
			room = (const char *)(sizes + v->rooms);
		}
		if (p->is_long)
			room = coll_phase_data(v->s, p->e, v->s->slot_bytes, i);
		phase_take_from(v, p, i, sizes != NULL ? sizes[mine] : 0, room + mine * p->room);
	}
}

/* The first phase: gives, unless this member's longest block is for messages anyway, and learns the
 * longest of all.  False: a member was seen in another call, or the communicator is broken. */
static bool vector_first(struct vector *v, const struct vector_phase *p)
{
	struct coll *s = v->s;

	*(int64_t *)coll_phase_own_data(s, p->e, sizeof(int64_t)) = v->longest;
	if (!vector_too_long(v, p->room))
		phase_give(v, p);
	coll_phase_barrier(s, p->e);
	if (unlikely(s->mismatch != 0))
		return false;
	for (int i = 0; i < v->k->n; i++) {
		int64_t theirs = *(const int64_t *)coll_phase_data(s, p->e, sizeof(int64_t), i);

		v->longest = num_max(v->longest, theirs);
	}
	*v->before = num_max(v->longest, *v->before / 2);
	return true;
}

/* The phases after the first one, which has taken `at' bytes of each block. */
static void vector_rest(struct vector *v, int64_t at)
{
	struct vector_phase p = {.is_long = true, .at = at, .room = room_long(v)};

	for (; p.at < v->longest && v->s->mismatch == 0; p.at += p.room) {
		p.e = coll_phase_begin(v->s);
		phase_give(v, &p);
		coll_phase_barrier(v->s, p.e);
		phase_take(v, &p);
	}
}

/* --- the call ------------------------------------------------------------------------------- */

static int vector_copy_own(const struct vector *v)
{
	struct block to = coll_block_in(v->k, v->k->me), from = coll_block_given(v->k, v->k->me);

	return v->k->in_place ? 0
			      : type_copy(from.at, from.count, from.type, to.at, to.count, to.type);
}

/* The error of a block that has not the expected bytes; 0: none. */
static int vector_mismatch_error(const struct vector *v)
{
	if (v->mismatch < 0)
		return 0;
	return haft_err(v->mismatch_bytes > v->mismatch_expected ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
		"rank %d sends %lld bytes of this call to rank %d, which expects %lld", v->mismatch,
		(long long)v->mismatch_bytes, v->k->caller, (long long)v->mismatch_expected);
}

int coll_shm_vector(const struct coll_args *k)
{
	struct vector_phase p;
	struct vector v;
	int err;

	if (!coll_shm_slots(k->comm->coll))
		return COLL_SHM_NONE;
	vector_begin(&v, k);
	if (!phase_first(&v, &p))
		return COLL_SHM_NONE;
	p.e = coll_phase_begin(v.s);
	if (!vector_first(&v, &p))
		return 0;
	if (vector_too_long(&v, p.room))
		return COLL_SHM_NONE;
	phase_take(&v, &p);
	err = vector_copy_own(&v);
	vector_rest(&v, p.room);
	return err != 0 ? err : vector_mismatch_error(&v);
}
