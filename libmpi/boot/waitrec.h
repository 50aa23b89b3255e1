// SPDX-License-Identifier: BSD-3-Clause
/* waitrec.h - the wait of a sleeping rank: the record that libmpi writes and mpiexec reads.
 *
 *   p2p, rma, coll ── describe ──> struct boot_wait ── libshm ──> mpiexec: the wait report
 *
 * libshm carries it as SHM_DESCRIPTION_LEN bytes without looking at them.  Peers are
 * numbers of the universe: ranks in MPI_COMM_WORLD, if the command line has started them. */
#ifndef HAFT_BOOT_WAITREC_H
#define HAFT_BOOT_WAITREC_H

#include "libshm/shm.h"

#define BOOT_WAIT_CALL 32 /* bytes of the longest name of a call, with the final 0 */
#define BOOT_WAIT_NAME 40 /* bytes shown of a communicator's name, with the final 0 */
#define BOOT_WAIT_LATE 6  /* peers that are named: a line of text has no room for more */

#define BOOT_WAIT_ENDERS (BOOT_WAIT_LATE / 2) /* rows of processes that can end a wait */

/* Tags of collective messages below this have the number of their call, and in these bits which
 * call it is (coll). */
#define BOOT_WAIT_CALLS 0x20000000
#define BOOT_WAIT_WHICH 0x1ffe0000

enum boot_wait_kind {
	BOOT_WAIT_NONE,
	BOOT_WAIT_SEND,
	BOOT_WAIT_RECV,
	BOOT_WAIT_COLL,
	BOOT_WAIT_USER,  /* a generalized request */
	BOOT_WAIT_PSEND, /* partitioned */
	BOOT_WAIT_PRECV,
	BOOT_WAIT_WIN,     /* synchronization of a window */
	BOOT_WAIT_BACK,    /* a cancelled send: the answer of its receiver */
	BOOT_WAIT_LOCK,    /* the lock of a window; late are its holders */
	BOOT_WAIT_DISK,    /* an access to a file, which no other rank takes part in */
	BOOT_WAIT_PIPE,    /* the other end of a pipe, which nothing has opened */
	BOOT_WAIT_ACCEPT,  /* the root at a port, for a client */
	BOOT_WAIT_CONNECT, /* the root of a client, for the server of a port */
};

struct boot_wait {
	uint64_t comm;         /* context id of the communicator; 0: none */
	int64_t bytes;         /* of the message, or number of partitions; -1: no matter */
	int32_t kind;          /* enum boot_wait_kind */
	int32_t peer;          /* < 0: any */
	int32_t rank;          /* the peer as a rank in the communicator */
	int32_t tag;           /* < 0: any; BOOT_WAIT_COLL: of the call's messages, < 0: none */
	int32_t open;          /* operations of the call that are not complete */
	uint8_t stack;         /* the token of its stack: core/stack_page.h; 0: it is not kept */
	uint8_t one : 1;       /* the end of one of them is enough */
	uint8_t unmatched : 1; /* partitioned, and not matched yet */
	uint8_t brief : 1; /* set by the asker, a profiler: kind, peer and late are enough, and late
			    * is all that have not come */
	uint8_t able : 1;  /* only the processes in `enders' can end it */
	uint8_t also : 3;  /* so many of late are the peers of further operations, which are to be
			    * complete as well */
	uint8_t threads : 1; /* others of the process may call MPI: they may end the wait */
	uint8_t world;       /* not 0: comm is MPI_COMM_WORLD */
	uint8_t closed; /* not 0: only processes of this universe can end it; no other is known */
	int32_t unexpected;      /* unexpected messages */
	int32_t unexpected_rank; /* sender of one of them; < 0: of another communicator */
	int32_t unexpected_tag;
	int32_t nlate; /* peers (partitioned: partitions) that are missing */
	union {
		int32_t late[BOOT_WAIT_LATE]; /* [nlate] the first of them; or [also] */
		struct boot_numbers {
			int32_t first, n;   /* first .. first + n - 1; n 0: no more rows */
		} enders[BOOT_WAIT_ENDERS]; /* able, nlate 0: they may name more processes than can
					   * end the wait */
	};
	char call[BOOT_WAIT_CALL];
	char name[BOOT_WAIT_NAME]; /* of the communicator, window or port; "": it has none */
};
static_assert(sizeof(struct boot_wait) <= SHM_DESCRIPTION_LEN, "a description holds the record");

#define BOOT_LONG_NAME 32
#define BOOT_LONG_AT   16 /* where it is in a rank's part of the job area (struct boot_rank) */

/* A long access to a file that a rank has under way.  The rank alone writes it, the name while
 * `bytes' is 0; a reader may get parts of two names. */
struct boot_long {
	_Atomic int64_t moved;
	_Atomic int64_t bytes;     /* in all; 0: there is none */
	char name[BOOT_LONG_NAME]; /* the end of the file's path; ends with 0 */
};

/* The record in a description of libshm; all zero if the rank has not described its wait. */
static inline const struct boot_wait *boot_wait_in(const char description[SHM_DESCRIPTION_LEN])
{
	return (const struct boot_wait *)(const void *)description;
}

#endif
