// SPDX-License-Identifier: BSD-3-Clause
/* collective.h - one collective access under way, and the aggregators' state for a file.
 *
 *   direct ──> describe ──> choose ─┬─> nothing is left: all were direct
 *   large     one exchange,         ├─> each member writes its own pieces after all
 *   pieces    64 bytes a member     └─> rounds of blocks ──> last exchange ──> convert ──> words
 *
 *   file      low                                                        high
 *   blocks    |  0  |  1  |  2  |  3  |  4  |  5  | ...     round-robin to the aggregators
 *   round      '-------- 0 --------'-------- 1 --------'
 *
 * A member with large pieces accesses them itself, before it describes: then its descriptor says
 * that nothing is left.  The other members pack their data into the blocks of the aggregators:
 *
 *   stage_local.c    all members share memory: they pack straight into the stage, which has two
 *                    halves, so that one is written while the other is filled
 *   stage_remote.c   by messages: lists of runs, and their data
 *
 * Invariants
 *  - Collective accesses of a file run one at a time, in the order of their calls, equal on
 *    all members.  So their messages match, and one stage is enough.
 *  - Every member takes part in every exchange, also after an error.  All errors are described, and
 *    the lowest rank that has one tells its words; so no member waits for one that has left.
 *  - A byte between the pieces of members is never changed.  Where a block has holes it is read
 *    before it is filled, and that is done only while no other access of the members is possible.
 *  - Memory: a stage of at most cb_buffer_size at an aggregator, lists and data of a round; over
 *    hosts images of blocks, which take half as much at most (hosts.h). */
#ifndef HAFT_IO_COLLECTIVE_H
#define HAFT_IO_COLLECTIVE_H

#include "libmpi/io/cover.h"
#include "libmpi/io/io.h"
#include "libmpi/p2p/p2p.h"

#define IO_CB_BLOCK_MIN MEAN_OR(64, 4096) /* bytes; a shorter block costs more than it saves */

enum io_member_flags {
	IO_MEMBER_HAS_OTHERS = 1, /* it may have another access of the file under way */
	IO_MEMBER_SPACIOUS = 4,   /* its stage is ready; of an aggregator */
};

/* The descriptor of a member's access; and at the end, of its result. */
struct io_member {
	int64_t first, end;    /* bytes of the file that are left to aggregators; equal: none */
	struct io_cover cover; /* its runs there; only their bytes count if no stage is shared */
	int64_t runs;          /* how many runs, about; at the end: 1 + the first byte of the file
				  that this aggregator should have written and has not, or 0; to
				  compare: the etype's extent; after a part: 1, there is another */
	uint64_t stage;        /* where its stage is in the host's segment; 0: none */
	int32_t err;           /* error class, or 0 */
	uint32_t flags;        /* enum io_member_flags */
};
static_assert(sizeof(struct io_member) == 64, "a descriptor is one line");

struct io_collective;

/* The state of a file that its collective accesses share. */
struct io_aggregate {
	struct io_member *all;             /* [2 size]: in order of ranks; as they come */
	struct io_collective *head, *tail; /* nonblocking ones; the first is under way */
	int queued;                        /* so many */
	int tag;                           /* of the last access */
	bool wanted;      /* aggregators without data of their own need a stage, too */
	struct req *reqs; /* [room] messages of the one that is under way */
	int room;
	int64_t cb_block;       /* bytes of a block in the shared stage */
	struct io_stage *stage; /* of via_mem_new: this member's; NULL: none */
	char *local;            /* malloc'ed, `local_room': a stage for messages */
	int64_t local_room;
	void *images; /* of via_mem_new, images_len bytes: hosts.h */
	int64_t images_len, images_room;
	struct io_remote *remote;   /* left by the last access; NULL: nothing */
	char *tmp;                  /* malloc'ed: IO_TMP bytes between memory and stage */
	struct io_refusal *refusal; /* of this member */
};

#define IO_TMP MEAN_OR(48, 32 * 1024)

enum io_collective_state {
	COLLECTIVE_SAME, /* HAFT_CHECK=coll: are all members in this call? */
	COLLECTIVE_BEGIN,
	COLLECTIVE_COMPARE, /* extents, at the first access in a representation of the user's */
	COLLECTIVE_DIRECT,
	COLLECTIVE_DESCRIBE,
	COLLECTIVE_STAGE,
	COLLECTIVE_SPREAD,
	COLLECTIVE_LAST,
	COLLECTIVE_CONVERT, /* after a part in another representation: has a member more? */
	COLLECTIVE_WORDS,
	COLLECTIVE_DONE
};

/* The words of an error on their way to all members. */
struct io_error_words {
	int32_t err;
	char words[508];
};

struct io_remote; /* stage_remote.c */

/* One access.  A blocking one is on its caller's stack. */
struct io_collective {
	struct io_job *j;     /* NULL: over */
	struct io_job *whole; /* whose data are converted: j is a part of it; NULL: j is all */
	struct io_file *f;
	struct io_aggregate *g;
	struct file *file;          /* held by a nonblocking one: its handler gets the errors */
	struct io_collective *next; /* of the file's */
	struct io_collective *active_next; /* of all files' */
	struct req *request;               /* the user's; NULL: a blocking call, a refusal */
	struct req *direct;                /* of this member's own access, under way */
	struct req *comparison;            /* owned: of calls; NULL: none, or over */
	bool running;                      /* a thread runs it */
	bool later;                        /* not a blocking call */
	bool left;                         /* this member's data are left to aggregators */
	bool staged;                       /* there have been rounds */
	bool lacks_stage;                  /* an aggregator has none */
	bool by_calls;                     /* exchanges by collective calls: a blocking access */
	bool local;                        /* aggregators have a stage in shared memory */
	bool holes;                        /* blocks are read before they are filled */
	bool sieving;       /* this aggregator is under the sieve lock: sieve_lock.h */
	bool others_open;   /* holes, and the file has other opens: nothing was written by blocks */
	bool in_place;      /* holes, and they may not be read: pieces are written one by one */
	bool keep;          /* an exchange whose data are of no use */
	bool writing;       /* a worker writes a block */
	bool stops_at_disk; /* nothing can go on until it has written */
	bool over;          /* a read has met the end of the file */
	uint8_t state, part; /* enum io_collective_state; a part of it */
	uint8_t why;         /* enum io_why: of its path */
	int nreqs, waited;   /* messages under way; the first that is not known to be done */
	int distance;        /* of an exchange */
	int from;            /* the rank whose words all get */
	int failed;          /* 1 + the round in which this aggregator failed; 0: none */
	int64_t unwritten;   /* 1 + the first byte of the file that it has not written then; 0 */
	int64_t unsent;      /* likewise, of this member's bytes: it had no memory to send them */
	struct io_member mine;
	struct io_error_words words;
	/* the plan, equal on all members */
	int naggregators;
	int mine_aggregator; /* this member's number as one, or -1 */
	int64_t low, high;   /* bytes of the file */
	int64_t cb_block, rounds, round;
	int64_t image_room; /* bytes of the largest block that an image holds; 0: there are none */
	int64_t read_end;   /* stage_remote.c: where the data of the block ends */
	struct io_remote *remote;
};

/* Takes part in place of a nonblocking access that this member has no memory for, so that no other
 * member waits for it: all fail.  One at a time. */
struct io_refusal {
	struct io_collective access;
	struct io_job job; /* f is NULL while there is none */
};

/* collective.c: makes f->aggregate, at open, if there are several members; local.  0, or
 * MPI_ERR_NO_MEM with words. */
int io_aggregate_new(struct io_file *f);

/* Waits until no nonblocking access of this member is under way, also none that it refused. */
void io_collective_drain(const struct io_file *f);

/* Frees it; local.  No access is under way. */
void io_aggregate_free(struct io_file *f);

/* --- describing and choosing: describe.c ---------------------------------------------------- */

/* Is this member's access best done by itself?  Then aggregators get nothing of it, and *why says
 * the reason. */
bool io_describe_is_direct(const struct io_collective *c, uint8_t *why);

/* Fills in c->mine for the bytes left to aggregators. */
void io_describe(struct io_collective *c, bool left);

/* The state that comes next on all members, by their descriptors. */
enum io_collective_state io_describe_choose(struct io_collective *c);

/* --- exchanges: exchange.c ------------------------------------------------------------------ */

/* Gives c->mine to all members: then g->all has all; keep: it stays as it was, and members only
 * wait for each other.  io_exchange_step: true if all have come.  A message that fails counts as an
 * error of the member that did not send it. */
void io_exchange_begin(struct io_collective *c, bool keep);
bool io_exchange_step(struct io_collective *c);

/* Sends c->words from one member to all. */
void io_words_begin(struct io_collective *c, int from);
bool io_words_step(struct io_collective *c, int from);

/* Starts a message, whose memory stays until io_messages_done. */
void io_message_send(struct io_collective *c, const void *buf, int64_t bytes, int to);
void io_message_receive(struct io_collective *c, void *buf, int64_t bytes, int from);

/* Are all messages done that were started?  An error is stored in the job; *received (may be NULL)
 * is set false then. */
bool io_messages_done(struct io_collective *c, bool *received);

/* --- blocks: stage.c ----------------------------------------------------------------------- */

/* A block of a round. */
struct io_cb_block {
	int64_t at;         /* where the stage's first byte is in the file */
	int64_t first, end; /* bytes of the file that are in it; equal: none */
};

/* The rank of aggregator a. */
int io_stage_rank(const struct io_collective *c, int a);

/* The block that aggregator a has in this round. */
struct io_cb_block io_stage_cb_block(const struct io_collective *c, int64_t round, int a);

/* The bytes of the view of this member that are in a block: [*at, *end). */
void io_stage_part(
	const struct io_collective *c, const struct io_cb_block *w, int64_t *at, int64_t *end);

/* Does any member have data in a block? */
bool io_stage_used(const struct io_collective *c, const struct io_cb_block *w);

/* Moves a part of the view between the memory and a stage at `data'. */
void io_stage_move(const struct io_collective *c, const struct io_cb_block *w, char *data,
	int64_t at, int64_t end);

/* Bytes of the largest block: half of cb_buffer_size, or cb_block_size if that is less. */
int64_t io_stage_room(const struct io_file *f);

/* Sets the length of blocks in shared memory; equal on all members. */
void io_stage_size(struct io_collective *c);

/* Makes what this member needs for rounds.  0 or MPI_ERR_NO_MEM with words; that an aggregator has
 * no shared memory for its stage is no error. */
int io_stage_new(struct io_collective *c);

/* This member's bytes of a write that are surely in the file, from the first on: those before the
 * first byte that was not written. */
int64_t io_stage_written(const struct io_collective *c);

/* Byte `at' of the file, and those behind it, have not been written: keeps the least in *first,
 * which is 0 or 1 + a byte. */
static inline void io_stage_lacks(int64_t *first, int64_t at)
{
	if (*first == 0 || at < *first - 1)
		*first = at + 1;
}

/* The two ways of the rounds: true if they are over. */
bool io_stage_local_step(struct io_collective *c);
bool io_stage_remote_step(struct io_collective *c);

/* stage_remote.c: memory for rounds by messages.  0 or MPI_ERR_NO_MEM. */
int io_stage_remote_new(struct io_collective *c);
void io_stage_remote_free(struct io_collective *c);
void io_remote_drop(struct io_remote *m);

#endif
