// SPDX-License-Identifier: BSD-3-Clause
/* peer_table.h - one row for each process that this one has talked to: the table of peers.
 *
 *      number = 0x00203                     a process's number in its universe
 *               |   '-- 3rd row of its page
 *               '-> via_peer_pages[2] ──> | row | row | row | row | ...    a page of 2048 rows
 *                   via_peer_pages[1] ──> the blank page: none of these was talked to
 *
 *      row      | seat, number | rma | ofi | p2p's part |                  a part for each engine
 *
 * A row is made when its peer is first talked to.  So memory for others grows with the peers that a
 * process talks to, and not with the job.  Rows never move: engines keep pointers to them.  A row
 * goes when a local peer has ended and nothing is left of it.
 *
 * A look-up (via_peer) is one load behind a constant address and tests nothing: numbers without a
 * row are on the blank page, which can only be read, and whose rows say `take the long way'.  There
 * via_peer_get makes the row.
 *
 * Invariants
 *  - A row is made or blank: row->made.  A blank one is all zero, and only made rows are written.
 *  - via.peers_made lists each made row once.
 *
 * All of it belongs to the thread that is inside via (via.h). */
#ifndef HAFT_VIA_PEER_TABLE_H
#define HAFT_VIA_PEER_TABLE_H

#include "libobj/base.h"
#include <stdbool.h>
#include <stdint.h>

#define VIA_PEER_BITS  20 /* of a number: as context ids have for it (comm/context_id.h) */
#define VIA_PEER_ROWS  ((uint32_t)MEAN_OR(64, 2048)) /* of a page: 384 KiB, touched row by row */
#define VIA_PEER_PAGES ((1u << VIA_PEER_BITS) / VIA_PEER_ROWS)
#define VIA_PEER_P2P   128 /* bytes of p2p's part of a row */
#define VIA_SEAT_DEAD  (-2)

struct via_peer {
	int64_t direct;        /* p2p's: messages of fewer bytes are put without a request */
	int32_t put_seat;      /* p2p's: 1 + the seat for via_put_local; 0: take the long way */
	int32_t seat;          /* in this host's segment; -1: it is on another host, or its seat is
				  another's; VIA_SEAT_DEAD: nothing can be sent to it */
	int32_t number;        /* of the peer */
	bool made;             /* false: a blank row, all zero */
	void *rma, *ofi;       /* of folder rma, and of ofi.c; NULL: nothing yet */
	struct via_peer *next; /* in via.peers_made */
	_Alignas(CACHE_LINE) char p2p[VIA_PEER_P2P]; /* struct p2p_peer; all zero at first */
};
static_assert(sizeof(struct via_peer) == 3 * CACHE_LINE, "a row is three lines");

/* peer_table.c's, for via_peer alone. */
extern HAFT_INSIDE struct via_peer *via_peer_pages[VIA_PEER_PAGES];

/* The row of a peer, which may be blank: to be read only.  number: 0 .. 2^VIA_PEER_BITS - 1; after
 * via_open. */
static inline const struct via_peer *via_peer(int number)
{
	return &via_peer_pages[(uint32_t)number / VIA_PEER_ROWS][(uint32_t)number % VIA_PEER_ROWS];
}

/* The slow half of via_peer_get. */
struct via_peer *via_peer_make(int number);

/* Makes a row blank again; a page of blank rows is given back.  No engine has a pointer to it. */
void via_peer_unmake(struct via_peer *p);

/* The row of a peer, made if need be.  Never NULL: without memory the job ends with words, as its
 * messages could not be kept. */
static inline struct via_peer *via_peer_get(int number)
{
	struct via_peer *p = (struct via_peer *)(uintptr_t)via_peer(number);

	return likely(p->made) ? p : via_peer_make(number);
}

/* Opens the table for the numbers of n peers, all of them blank.  Once a process; 0, or
 * MPI_ERR_OTHER or MPI_ERR_NO_MEM with words. */
int via_peers_open(int n);

/* Checks the invariants; for tests. */
bool via_peers_valid(void);

/* The process has ended, and its seat is another's now.  Does nothing for a peer without a row. */
void via_peer_gone(int number);

/* Makes the row of an alias blank again if its process has left MPI or is lost, and nothing is left
 * of it here.  False: it stays. */
bool via_peer_release(int number);

/* A new row whose process cannot be reached: operations with it fail. */
void via_peer_unreachable(int number);

#endif
