// SPDX-License-Identifier: BSD-3-Clause
/* traffic.h - messages of one communicator, counted for each rank of its peers.
 *
 *     struct comm ── traffic ──> struct comm_traffic <── handles of performance variables
 *                                  peer[rank]: messages and bytes to it, and from it
 *
 * A communicator has none until a tool asks (libmpi/tool).  Then it has COMM_METERED, and the gate
 * HAFT_GATE_METER: sends are counted by bind/gate.c, receives by libmpi/p2p when they are matched.
 * One thread at a time counts; tools read without a lock.  With a trace (libmpi/prof) all
 * communicators have COMM_METERED. */
#ifndef HAFT_CORE_TRAFFIC_H
#define HAFT_CORE_TRAFFIC_H

#include "libmpi/core/comm_object.h"

struct comm_traffic_peer {
	uint64_t sent_msgs, sent_bytes, received_msgs, received_bytes;
};

struct comm_traffic {
	_Atomic int refs;  /* the communicator's, and one for each handle */
	struct comm *comm; /* NULL: it is gone */
	int users;         /* handles */
	int n;             /* ranks of comm_peers */
	struct comm_traffic_peer peer[];
};

/* Another user of the communicator's counts, which are made if need be; NULL: no memory.  Under the
 * library's lock.  haft_traffic_close ends one. */
struct comm_traffic *haft_traffic_open(struct comm *c);
void haft_traffic_close(struct comm_traffic *t);

/* The communicator, which has counts, goes. */
void haft_traffic_drop(struct comm *c);

/* A message to or from a rank, with a context of the communicator; other ranks are ignored.  One
 * start of a partitioned operation is a message. */
void haft_traffic_sent(const struct comm *c, int rank, uint64_t bytes);
void haft_traffic_received(const struct comm *c, uint64_t ctx, int rank, int tag, uint64_t bytes);

/* From now on `hook' is called for all messages that haft_traffic_received gets.  Before other
 * communicators than MPI_COMM_WORLD and MPI_COMM_SELF are made. */
typedef void haft_traffic_fn(const struct comm *c, uint64_t ctx, int rank, int tag, uint64_t bytes);
void haft_traffic_watch(haft_traffic_fn *hook);

/* Hints for a communicator that is made: COMM_METERED, or none. */
uint8_t haft_traffic_hints(void);

#endif
