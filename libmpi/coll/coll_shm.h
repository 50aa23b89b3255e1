// SPDX-License-Identifier: BSD-3-Clause
/* coll_shm.h - blocking collectives of one host: shared memory, and its phases.
 *
 *   line (i, e mod 2)    member i's arrival at phase e, with up to 48 bytes of data
 *   slot (i, e mod slots)     a part of member i's large buffer: longer data of phase e
 *   shared slot (e mod slots) up to 4 KiB of each member, one behind the other: a member that reads
 *                        all of them touches few pages (member 0's buffer, behind its slots)
 *   out  (e mod 8)       one for all: the release of phase e, with up to 48 bytes of data
 *   arrived              a counter of the arrivals at a central barrier, and a sum of their calls
 *
 * A collective call is one or more phases; their number is equal in all members.  Three kinds:
 *
 *      barrier    all give, all read         barrier, allreduce, allgather, alltoall
 *      fan-in     all give, the root reads   reduce, gather
 *      fan-out    the root gives, all read   bcast, scatter
 *
 * With a CPU for each member, every member looks at the lines of all others.  With fewer CPUs, or
 * more than 8 members, barriers are central: the last member to arrive, by the counter, does the
 * work and releases the others with one wake.
 *
 * Invariants
 *  - Arrival at e (the line's flag holds e) means: this member has read all it wanted of phases
 *    before e, but slots of e - 1 perhaps, and its data of e are in place.  Every member arrives at
 *    every phase.
 *  - s->safe: all members are known to have arrived at this phase.  In phase e a line may be
 *    written if safe >= e - 1; a slot if safe >= e - slots + 2 (a long allreduce reads them one
 *    phase longer); an out line if safe >= e - SHM_BLOCK_OUTS + 1.
 *  - Only central barriers use `arrived', and none ends before all members have come.  Its last
 *    member sets it to 0.  A call in which members differ may leave arrivals there: then it has
 *    broken the communicator.
 *  - A line says which call its member is in (coll_line_flag).  The members that read it compare.
 *    A wait that has become long compares the lines of all members, and ends if two differ.
 *  - Every member's line is written in every other phase, so the low bits of a phase tell its age.
 *    An out line may be as old as the communicator: it is released when its flag is equal to e.
 *  - A member without data for a call (s->failed: hierarchical.c) arrives at its phases as well,
 *    and moves no data.  Its word (i, e mod 2) holds e and the error class, the line beside it the
 *    words of the error; they live as long as a line's data.  Each member looks there after the
 *    call. */
#ifndef HAFT_COLL_COLL_SHM_H
#define HAFT_COLL_COLL_SHM_H

#include "libmpi/coll/coll_args.h"
#include "libmpi/via/via.h"
#include <stdatomic.h>

/* Slots of a member with a CPU of its own, and with central barriers.  All of the first are as big
 * as a cache: lines of one that is written again have left the reader's, and the writer need not
 * take them from there.  Members that take turns on a CPU keep theirs in its cache.  PERF.md. */
#define COLL_SLOTS         MEAN_OR(4, 16)
#define COLL_SLOTS_CENTRAL MEAN_OR(4, 8)

#define COLL_LINE_DATA    (SHM_LINE_DATA - 8) /* the rest of an out line: coll_out_digest */
#define COLL_SLOT_SHORT   ((int64_t)MEAN_OR(128, 4096)) /* bytes that go into the shared slots */
#define COLL_SLOTS_SHARED 0                             /* the member that makes those of all */
#define COLL_CHUNKS       4 /* so many chunks has a long call, or more if they do not fit */
#define COLL_BLOCK_LONG   MEAN_OR(512, 256 * 1024) /* bytes from which messages are as fast */
#define COLL_SHM_NONE     (-1)                     /* no error: this call goes by messages */

/* The values of HAFT_COLL. */
enum coll_setting { COLL_SETTING_SHM, COLL_SETTING_P2P, COLL_SETTING_CHECK };

/* How a call is made.  COLL_FORM_NONE: there is no call.  COLL_BY_MESSAGES: a blocking call that is
 * known to go by messages; COLL_BLOCKING: it may go into phases. */
enum coll_form {
	COLL_FORM_NONE,
	COLL_BLOCKING,
	COLL_NONBLOCKING,
	COLL_PERSISTENT,
	COLL_BY_MESSAGES
};

/* A call of this member that is compared with the lines and words of others that are still in it: a
 * blocking call in which not all members wait for all, or a constructor. */
struct coll_own {
	uint64_t phase;  /* its first; COLL_NO_PHASE: of another kind, for its name */
	uint32_t number; /* coll_seq when it had taken its number */
	uint32_t digest; /* history before it 8 | digest 24 bits */
};
#define COLL_OWN_KEPT 8

/* A call of this member that goes by messages, and their tag. */
struct coll_sent {
	uint32_t number; /* coll_seq when it had taken its number */
	int tag;
	enum coll_form form; /* COLL_FORM_NONE: there is none */
	uint32_t digest;     /* without history */
};
#define COLL_NO_PHASE UINT64_MAX

/* The collectives' state of one communicator. */
struct coll {
	struct shm_block *block; /* NULL: messages only; used for data once `joined' */
	struct comm *comm;
	uint64_t phase; /* the last one begun */
	uint64_t safe;
	int n, me;
	uint32_t digest;          /* of the call: coll_digest, and the history of those before it */
	int mismatch;             /* 1 + a member in another call, or 1 + n: unknown; 0: none */
	uint32_t mismatch_digest; /* of that call */
	uint32_t shown; /* coll_seq of the last call in phases before one that is in none; 0: it
				is in `own' */
	const struct p2p_error_msg *failed; /* this member has none, and why; or NULL */
	bool central;                       /* barriers by the counter */
	bool joined;                        /* coll_shm_join has been here */
	bool broken;      /* a member has failed, or it is revoked: coll_broken.c */
	bool stop;        /* broken, or the calls of the members differ: no wait goes on */
	bool may_fail;    /* members may have no data for this call */
	bool one_host;    /* all members are on this host */
	bool local;       /* as that, and they may share memory */
	bool shared;      /* all members have the block, or had it: of calls with a request */
	bool block_tried; /* there is a block, or there will be none */
	bool slots_tried; /* coll_shm_slots has */
	bool ended;       /* coll_calls_end has been here */
	/* The members that a short call needs end here. */
	uint64_t barriers;    /* with a request, through shared memory, that have begun */
	uint64_t shown_phase; /* of the call `shown' */
	uint32_t nown;        /* calls that were in `own', which has the last COLL_OWN_KEPT */
	struct coll_own own[COLL_OWN_KEPT];
	struct coll_sent sent[COLL_OWN_KEPT]; /* at number mod COLL_OWN_KEPT */
	int64_t slots;                        /* of a member: a power of 2 */
	int64_t slot_bytes;                   /* bytes of a slot; 0: there are none */
	int64_t slot_size;                    /* of the next segment */
	int64_t longest[2];                   /* bytes of the longest blocks of the last calls of
						 alltoallv, w; of allgatherv: shm_vector.c */
	void *tmp;                            /* private, of slot_bytes; there if slots are */
	struct coll_hier *hier;               /* hosts of the communicator; NULL: not made yet */
	struct coll *next, *prev;             /* of all */
	struct shm_block *shared_block;       /* broken: the block that the others have */
	void *dummy_slots;                    /* broken: the buffers of its dummy */
};

/* The state of a communicator, made at the first call; local.  NULL: no memory. */
struct coll *coll_state_make(struct comm *c);

static inline struct coll *coll_state(struct comm *c)
{
	return likely(c->coll != NULL) ? c->coll : coll_state_make(c);
}

/* A state is new, or ends. */
void coll_broken_watch(struct coll *s);
void coll_broken_free(struct coll *s);

/* The first of all states; `next' leads to the others. */
struct coll *coll_state_first(void);

/* Ends the use of shared memory on a communicator, and the waits in it. */
void coll_break(struct coll *s);

/* Can the members of an intra-communicator share memory?  Local; all members get equal results. */
bool coll_shm_possible(struct comm *c);

/* Are all members of the local group on one host?  Local; all members get equal results. */
bool coll_one_host(struct comm *c);

/* Joins the block of a communicator; its members agree by messages that all of them have it.  0 or
 * an MPI error class. */
int coll_shm_join(struct comm *c);

/* Makes or finds the block, once; local.  False: there is none. */
bool coll_shm_block_find(struct coll *s);

static inline bool coll_shm_block(struct coll *s)
{
	return likely(s->block != NULL) || coll_shm_block_find(s);
}

/* Makes the slots, if that has not been tried: a phase.  False: a member has no memory for them. */
bool coll_shm_slots(struct coll *s);

/* Bytes of a chunk of `bytes' bytes, in a call of several phases; for one that has slots. */
int64_t coll_shm_chunk(const struct coll *s, int64_t bytes);

/* Collective calls through shared memory.  COLL_SHM_NONE if messages are better, or the only way;
 * all members get equal results. */
int coll_shm_barrier(const struct coll_args *k);
int coll_shm_bcast(const struct coll_args *k);
int coll_shm_reduce(const struct coll_args *k);
int coll_shm_allreduce(const struct coll_args *k);
int coll_shm_gather(const struct coll_args *k);
int coll_shm_scatter(const struct coll_args *k);
int coll_shm_allgather(const struct coll_args *k);
int coll_shm_alltoall(const struct coll_args *k);
int coll_shm_vector(const struct coll_args *k);         /* allgatherv, alltoallv, alltoallw */
int coll_shm_reduce_scatter(const struct coll_args *k); /* or a reduce_scatter_block */
int coll_shm_scan(const struct coll_args *k);
int coll_shm_exscan(const struct coll_args *k);

/* Can this call with a request go through shared memory, as it does unless its algorithm is forced?
 * Equal in all members.  If it does, coll_shm_requested writes its steps; it is called for each
 * such call after s->barriers has been increased (shm_request.c). */
bool coll_shm_requestable(const struct coll_args *k);
void coll_shm_requested(struct sched *s, const struct coll_args *k, const void *arg);

/* The function of each operation; NULL: it has none (shm_table.c). */
typedef int coll_shm_fn(const struct coll_args *k);
extern coll_shm_fn *const coll_shm_fns[COLL_KINDS];

/* Of `all' bytes or elements, those that a phase takes which begins at `at' and has `room'. */
static inline int64_t coll_shm_part(int64_t all, int64_t at, int64_t room)
{
	return all > at ? num_min(all - at, room) : 0;
}

/* Two members with a CPU each send blocks of so many bytes and more as messages.  Those are copied
 * once, from the sender's memory; a slot is written and read.  Frames of shorter messages cost more
 * than that copy.  Measured: PERF.md. */
#define COLL_TWO_FROM MEAN_OR(256, 32 * 1024)

/* Does a call with blocks of this many bytes go by messages, although there is shared memory? */
static inline bool coll_two_by_message(const struct coll *s, int64_t block)
{
	return s->n == 2 && !s->central && block >= COLL_TWO_FROM;
}

/* --- which call ----------------------------------------------------------------------------- */

/* The digest of a call: kind 5 | root 8 | bytes 11 bits.  Bytes are equal in all members, or
 * COLL_BYTES_DIFFER.  Longer numbers are folded. */
#define DIGEST_BYTES_BITS 11
#define DIGEST_ROOT_BITS  8
#define DIGEST_KIND_AT    (DIGEST_BYTES_BITS + DIGEST_ROOT_BITS)
#define DIGEST_BITS       24
#define DIGEST_MAKER      COLL_KINDS /* kind: a constructor; its enum coll_maker is the bytes */
#define DIGEST_UNKNOWN    (COLL_KINDS + 1) /* kind: the calls of two other members differ */
static_assert(DIGEST_UNKNOWN < 1 << (DIGEST_BITS - DIGEST_KIND_AT), "a kind fits into a digest");

/* A line's flag: phase 8 | digest 24 bits.  One store says both, and one load compares: a word of
 * its own costs an allreduce of 8 bytes 4 % (PERF.md). */
#define LINE_PHASE_BITS (32 - DIGEST_BITS)
static_assert(
	COLL_SLOTS < 1 << (LINE_PHASE_BITS - 2) && SHM_BLOCK_OUTS < 1 << (LINE_PHASE_BITS - 2),
	"a member is too few phases ahead for its phase to seem old");

/* Bytes that do not fit into a digest as they are. */
uint32_t coll_digest_fold(uint32_t bytes);

/* Kind and root in a digest: a constant in most calls. */
static inline uint32_t coll_digest_call(enum coll_kind kind, int root)
{
	uint32_t folded = (uint32_t)root ^ (uint32_t)root >> DIGEST_ROOT_BITS;

	return (uint32_t)kind << DIGEST_KIND_AT | (folded & ((1u << DIGEST_ROOT_BITS) - 1))
							  << DIGEST_BYTES_BITS;
}

/* The digest of a call of this kind and root.  Few bytes are as they are, without a step. */
static inline uint32_t coll_digest_of(uint32_t call, int64_t bytes)
{
	if (unlikely((uint32_t)bytes >= 1u << DIGEST_BYTES_BITS))
		bytes = coll_digest_fold((uint32_t)bytes);
	return call | (uint32_t)bytes;
}

static inline uint32_t coll_digest(const struct coll_args *k)
{
	return coll_digest_of(coll_digest_call(k->kind, k->root), k->bytes);
}

#define DIGEST_BYTES_DIFFER                                                                     \
	((UINT32_MAX ^ UINT32_MAX >> DIGEST_BYTES_BITS ^ UINT32_MAX >> 2 * DIGEST_BYTES_BITS) & \
		((1u << DIGEST_BYTES_BITS) - 1))

/* The bytes in a digest, or the maker of a constructor's. */
static inline uint32_t coll_digest_bytes(uint32_t digest)
{
	return digest & ((1u << DIGEST_BYTES_BITS) - 1);
}

static inline uint32_t coll_maker_digest(enum coll_maker maker)
{
	return (uint32_t)DIGEST_MAKER << DIGEST_KIND_AT | (uint32_t)maker;
}

/* Adds a call that no member waits in, or not all of them, to its communicator's history: a rooted
 * one, one with a request, a constructor.  Two roots, two numbers of bytes, or two calls could
 * pass: the digests of later calls have the history where a root is, and differ. */
static inline void coll_history_add(struct comm *c, enum coll_form form, uint32_t digest)
{
	/* With these factors no two calls of root 0 and of one or two MPI_INT give one history, if
	 * they are the first. */
	enum { PER_CALL = 5, PER_KIND = 99, PER_REQUEST = 49, PER_MAKER = 99, PER_BYTE = 119 };
	uint32_t kind = digest >> DIGEST_KIND_AT, bytes = coll_digest_bytes(digest);
	uint32_t call = kind * PER_KIND + (digest >> DIGEST_BYTES_BITS);
	uint32_t root_bits = ((1u << DIGEST_ROOT_BITS) - 1) << DIGEST_BYTES_BITS;

	if (form == COLL_NONBLOCKING || form == COLL_PERSISTENT)
		call += PER_REQUEST * (form - COLL_BLOCKING);
	if (kind == DIGEST_MAKER)
		call += PER_MAKER * bytes;
	else if (bytes != DIGEST_BYTES_DIFFER)
		call += PER_BYTE * bytes + (bytes >> DIGEST_ROOT_BITS);
	c->coll_history = (c->coll_history * PER_CALL + (call << DIGEST_BYTES_BITS)) & root_bits;
}

/* A member begins the blocking call of this digest on c, or a constructor: sets s->digest. */
static inline void coll_show(struct coll *s, const struct comm *c, uint32_t digest)
{
	s->digest = digest ^ c->coll_history;
}

/* A call begins that may go into no phase, after this number of calls: keeps the number of the call
 * in phases before it, which does not do so itself. */
static inline void coll_shown_keep(struct coll *s, uint64_t calls)
{
	if (s->shown_phase == s->phase)
		return;
	s->shown_phase = s->phase;
	s->shown = (uint32_t)calls;
}

/* Keeps a call: number, as in struct coll_own. */
static inline void coll_own_add(struct coll *s, uint64_t phase, uint64_t number, uint32_t digest)
{
	uint32_t history = (s->digest ^ digest) >> DIGEST_BYTES_BITS << DIGEST_BITS;

	s->own[s->nown++ % COLL_OWN_KEPT] =
		(struct coll_own){phase, (uint32_t)number, history | digest};
}

/* Keeps the call of this digest, which coll_show has shown and whose first phase follows, and adds
 * it to the history: not all members wait for all in it. */
static inline void coll_keep(struct coll *s, uint32_t digest)
{
	coll_own_add(s, s->phase + 1, s->comm->coll_seq, digest);
	coll_history_add(s->comm, COLL_BLOCKING, digest);
}

/* A call of a member: its digest, with the history or without, and its form. */
struct coll_call {
	enum coll_form form;
	uint32_t digest;
};

/* "MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init", "MPI_Comm_dup": the name of a call on c, into name
 * of n bytes.  Calls that MPI_Finalize, MPI_Win_fence and MPI_Win_free make have their names. */
#define COLL_NAME_MAX 32
void coll_call_name(const struct comm *c, struct coll_call call, char *name, size_t n);

/* The error class of the difference between this member's call, and that of member i (s->n: an
 * unknown one); its words into words of n bytes. */
int coll_call_differ(const struct coll *s, struct coll_call mine, int i, struct coll_call theirs,
	char *words, size_t n);

/* Does a member of such a call wait in phases, where it sees that the others differ?  Else it waits
 * for messages. */
bool coll_digest_has_phases(uint32_t digest);

/* The flag of a line at phase e, without its digest. */
static inline uint32_t coll_line_phase(uint64_t e)
{
	return (uint32_t)e << DIGEST_BITS;
}

/* The flag of a line at phase e of a member that is in the same call as this one. */
static inline uint32_t coll_line_flag(const struct coll *s, uint64_t e)
{
	return coll_line_phase(e) | s->digest;
}

/* The digest in the flag of a line. */
static inline uint32_t coll_line_digest(uint32_t flag)
{
	return flag & ((1u << DIGEST_BITS) - 1);
}

/* The last word of an out line: the digest of the call of the member that writes it. */
static inline _Atomic uint32_t *coll_out_digest(struct shm_line *out)
{
	return (_Atomic uint32_t *)(void *)(out->data + COLL_LINE_DATA);
}

/* --- calls that no phase shows: coll_calls.c ------------------------------------------------ */

/* The call that has just taken its number begins: the others see it in a wait that becomes long. */
void coll_calls_begin(struct comm *c, enum coll_form form, uint32_t digest);

/* A call goes by messages: k->tag, its number, gets the bits that say which call it is, and becomes
 * the tag of its messages. */
void coll_calls_tag(struct coll_args *k, enum coll_form form);

/* Has member i begun call `number', which has a request, or a later one of which it has written a
 * word?  The members share a block. */
bool coll_calls_begun(const struct coll *s, int i, uint64_t number);

/* The blocking call of digest s->digest, which has just taken its number, goes by messages. */
void coll_calls_by_messages(struct coll *s);

/* Likewise, a call none of whose messages has its number. */
void coll_calls_begin_silent(struct comm *c, enum coll_form form, uint32_t digest);

/* A wait of this process has become long (p2p_hooks.long_wait): compares the calls of all members
 * of all communicators that have a state.  A difference ends the waits (haft_comm_hooks.differ). */
void coll_calls_check(const struct req *awaited);
void coll_calls_check_comm(struct coll *s); /* of this communicator: words, not lines */

/* MPI_Finalize: this member writes the words of its last calls, before the barrier.  When that has
 * shown a difference the members compare them.  False: they differ, and all are told. */
void coll_calls_publish(struct coll *s);
bool coll_calls_compare_published(struct coll *s);

/* A message of the call of this tag has another length than this member expects.  True: another
 * member is in another call, and all are told (haft_comm_hooks.differ). */
bool coll_calls_are_other(struct coll *s, int tag);

/* --- phases: shm_phase.c -------------------------------------------------------------------- */

/* Waits until all members have arrived at phase `want'. */
void coll_phase_wait_all(struct coll *s, uint64_t want);

static inline uint64_t coll_phase_begin(struct coll *s)
{
	return ++s->phase;
}

/* Where member i's `bytes' of phase e lie in the slots.  All members name the same `bytes', at most
 * slot_bytes.  Slots may be read once all members are known to have them (coll_shm_slots). */
void *coll_phase_slot(const struct coll *s, uint64_t e, int64_t bytes, int i);

/* Bytes of the slots that member i makes. */
static inline size_t coll_slots_bytes(const struct coll *s, int i, int64_t slot_bytes)
{
	int64_t shared = i == COLL_SLOTS_SHARED ? s->n * COLL_SLOT_SHORT : 0;

	return (size_t)(s->slots * (slot_bytes + shared));
}

/* Where this member's data of phase e go: its line, or its slot.  Waits until it may be written. */
static inline void *coll_phase_own_data(struct coll *s, uint64_t e, int64_t bytes)
{
	uint64_t want = bytes <= COLL_LINE_DATA ? e - 1 : e + 2 - (uint64_t)s->slots;

	if (unlikely((int64_t)(s->safe - want) < 0))
		coll_phase_wait_all(s, want);
	if (bytes <= COLL_LINE_DATA)
		return shm_block_line(s->block, s->me, (int)(e & 1))->data;
	return coll_phase_slot(s, e, bytes, s->me);
}

/* Member i's data of phase e, at which it has arrived. */
static inline void *coll_phase_data(const struct coll *s, uint64_t e, int64_t bytes, int i)
{
	if (bytes <= COLL_LINE_DATA)
		return shm_block_line(s->block, i, (int)(e & 1))->data;
	return coll_phase_slot(s, e, bytes, i);
}

/* Writes why this member has no data for phase e (s->failed). */
void coll_phase_set_error(struct coll *s, uint64_t e);

/* Had a member no data for phase e, which is over for this member?  Then *error says why. */
bool coll_phase_error(const struct coll *s, uint64_t e, struct p2p_error_msg *error);

/* Arrives at phase e; does not wait. */
static inline void coll_phase_arrive(struct coll *s, uint64_t e)
{
	struct shm_line *line = shm_block_line(s->block, s->me, (int)(e & 1));

	if (unlikely(s->failed != NULL))
		coll_phase_set_error(s, e);
	shm_flag_set(s->block->s, &line->flag, coll_line_flag(s, e));
}

/* Arrives at a phase of its own without data, in which no member waits: a call by messages shows
 * members in other calls where this one is. */
void coll_phase_announce(struct coll *s);

/* The digest of member i's call at phase e.  False: its line is of another phase. */
bool coll_phase_line_call(const struct coll *s, uint64_t e, int i, uint32_t *digest);

/* The last phase of member i among the even (parity 0) or the odd ones (1), and the digest of its
 * call.  False: this member has not been in that phase. */
bool coll_phase_line_last(const struct coll *s, int i, int parity, uint64_t *e, uint32_t *digest);

/* Waits for member i's arrival at phase e, and compares its call. */
void coll_phase_wait(struct coll *s, uint64_t e, int i);

/* Waits until all members have arrived at phase e, in which this member is, and compares their
 * calls. */
void coll_phase_wait_calls(struct coll *s, uint64_t e);

/* Arrives and waits for all: then all members' data may be read.  Work between the two halves lets
 * no other member wait: it arrives in the first half, at a central barrier in the second. */
static inline void coll_phase_barrier_begin(struct coll *s, uint64_t e)
{
	if (!s->central)
		coll_phase_arrive(s, e);
}

void coll_phase_barrier_end(struct coll *s, uint64_t e);
void coll_phase_barrier(struct coll *s, uint64_t e);

/* The two halves of a central barrier.  True: this member is the last to arrive, and must call
 * coll_phase_release.  False: the last one has done so. */
bool coll_phase_arrive_last(struct coll *s, uint64_t e);
void coll_phase_release(struct coll *s, uint64_t e);

/* The data of the out line of phase e.  One member writes them (the root, or the last to arrive),
 * then calls coll_phase_release; the others read them after coll_phase_wait_release, which compares
 * the writer's call.  A writer sees that another was there. */
void *coll_phase_out_line(struct coll *s, uint64_t e);
void coll_phase_wait_release(struct coll *s, uint64_t e);

#endif
