// SPDX-License-Identifier: BSD-3-Clause
/* partitioned.h - what partitioned.c knows of a partitioned operation, from its init until both sides have freed
 * it. */
#ifndef HAFT_P2P_PARTITIONED_H
#define HAFT_P2P_PARTITIONED_H

#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/sig.h"

/* A partition of a send. */
struct part_mark {
	_Atomic(struct part_mark *) next; /* PART_UNMARKED; then: the next of the stack */
	struct part_op *part;
};

#define PART_UNMARKED ((struct part_mark *)1)

struct part_offer {
	int64_t bytes; /* of the whole buffer */
	uint32_t id;
	uint32_t pad;
	struct p2p_sig note; /* sent if p2p_state.checks */
};

/* What an operation has still to tell its mate, in this order. */
enum part_pending {
	PENDING_MATCH = 1,
	PENDING_READY = 2,
	PENDING_DATA = 4, /* fresh partitions, and the rest of what is being cut */
	PENDING_NO_RTS = 8,
	PENDING_NO_MEM = 16,
	PENDING_CLOSE = 32
};

struct part_op {
	struct req *req; /* the user's; NULL: freed */
	uint32_t id;     /* ours */
	uint32_t mate;   /* theirs, if matched */
	int peer;        /* or MPI_PROC_NULL */
	int n;           /* partitions */
	bool sends;
	bool matched;
	bool closed;   /* the mate has freed its request */
	bool lost;     /* the peer is gone */
	bool plain;    /* the receiver has no memory for long ranges: everything goes in frames */
	bool poor;     /* the sender's way has no memory: every start fails */
	bool listed;   /* in the peer's list of those that owe */
	unsigned owes; /* enum owed */
	struct part_op *owes_next;
	int64_t each;  /* packed bytes of a partition */
	int64_t bytes; /* of all */
	int64_t theirs;
	uint64_t starts; /* by us */
	uint64_t ready;  /* sender: by them */
	/* sender */
	struct part_mark *marks; /* [n] */
	uint64_t *fresh;         /* [n] bits: marked, and not sent */
	int left;                /* partitions that are not sent */
	int64_t cut, cut_end;    /* bytes of a long range that go in frames: not gone yet */
	/* receiver */
	_Atomic int64_t *missing; /* [n] bytes; by Parrived without the lock */
	int64_t lack;             /* bytes of all */
	int ranges;               /* long ones that are on their way */
	int64_t coming;           /* and their bytes, which lack */
	struct part_offer offer;
};

/* Has this partition of a receive come?  Any thread. */
static inline bool part_has_arrived(const struct part_op *p, int i)
{
	return p->each > 0 && atomic_load_explicit(&p->missing[i], memory_order_acquire) == 0;
}

#endif
