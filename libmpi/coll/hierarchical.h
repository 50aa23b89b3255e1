// SPDX-License-Identifier: BSD-3-Clause
/* hierarchical.h - the hosts of a communicator (hier_layout.c), and calls within a host and between
 * the leaders of hosts, of which the hierarchical algorithms are made (hierarchical.c). */
#ifndef HAFT_COLL_HIERARCHICAL_H
#define HAFT_COLL_HIERARCHICAL_H

#include "libmpi/coll/algorithms.h"
#include "libmpi/core/group_object.h"

/* Which members are on which host.  Each host has a leader for each call: the root on the root's
 * host, elsewhere the lowest rank. */
struct coll_hier {
	int nhosts;
	int my_host;         /* 0 .. nhosts-1, in the order of the hosts' lowest ranks */
	int largest;         /* members of the host that has the most */
	bool useful;         /* more hosts than one, and fewer than members */
	bool ordered;        /* the members of each host are an interval of ranks */
	bool cyclic;         /* cyclic mapping: rank r on host r mod nhosts, a power of two */
	int lane_step;       /* member j of host i is rank leaders[i] + j * this; 0: it is not so */
	int room;            /* of nodes; a power of 2 */
	int32_t *slots;      /* [2 * room] hashed by node: 1 + the host; 0: empty */
	int32_t *nodes;      /* [nhosts] via's number of each */
	int32_t *host_sizes; /* [nhosts] members */
	int32_t *leaders;    /* [nhosts] lowest rank */
	int32_t *leader_peers; /* [nhosts] the leaders' peers, of the call that is being planned */
	int32_t *filled;       /* [nhosts] blocks that hier_blocks.c has met, of the same call */
	int64_t *sums;         /* [nhosts] elements of each host's blocks, of the same call */
	int32_t *peers;        /* [local.size] this host's members */
	int32_t *order;        /* [local.size] their local ranks in the order of their peers */
	struct group group;
	struct comm local; /* this host's members: not a user's, no reference counted */
};

/* --- layout: hier_layout.c ------------------------------------------------------------------ */

/* Has the communicator several hosts, and fewer of them than members; and, if `ordered', are the
 * members of each an interval of ranks?  Local; all members get equal results. */
bool coll_hier_useful(struct comm *c, bool ordered);

/* Is it so, and are there as many members on each host, in lanes (lane_step)?  Or is it not so,
 * and the mapping of ranks to hosts is cyclic: rank r on host r mod hosts, a power of two? */
bool coll_hier_even(struct comm *c, bool ordered);
bool coll_hier_cyclic(struct comm *c);

/* The hosts of a communicator, which keeps them.  Never NULL: without memory the job ends with
 * words.  The job has several hosts. */
struct coll_hier *coll_hier_of(struct comm *c);

/* Frees the hosts of a communicator; NULL is nothing. */
void coll_hier_free(struct coll_hier *h);

/* The host of a rank of the communicator that h is of. */
int coll_hier_host(const struct coll_hier *h, const struct comm *c, int rank);

/* The rank that is the leader of my host in a call.  k->root == -1: no root. */
int coll_hier_leader(const struct coll_args *k, const struct coll_hier *h);

/* --- parts of algorithms: hierarchical.c ---------------------------------------------------- */

/* A call of this host's members: as k, with the leader as its root. */
struct coll_args coll_hier_local_args(
	const struct coll_args *k, struct coll_hier *h, enum coll_kind kind, int leader);

/* Writes the steps of that call; none if the host has one member. */
void coll_hier_local(struct sched *s, const struct coll_args *in);

/* Writes such a call, which moves data or is a reduce_scatter_block, of `count' elements of the
 * call's rtype for each member; of a host with one member, the copy.  sbuf NULL: a bcast. */
void coll_hier_local_elements(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	enum coll_kind kind, int leader, const void *sbuf, void *rbuf, int64_t count);

/* `have' elements of the call's rtype, and as many copies of them as make `count': those are valid
 * operands, whose results are not used. */
const void *coll_padded(
	struct sched *s, const struct coll_args *k, const void *data, int64_t have, int64_t count);

/* Writes the steps of a call of the leaders: as k, with rbuf and so on as the caller has set them
 * in *out.  Only leaders call this. */
void coll_hier_leaders(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, struct coll_args *out);

/* --- messages to all hosts, by all members of a host: hierarchical.c -------------------------- */

/* The messages of a member, rounded up. */
int coll_port_parts(const struct coll_hier *h);

/* The place of the part of the host d > 0 away, when those of all members lie one after another. */
int64_t coll_port_row(const struct coll_hier *h, int d);

/* Writes an exchange of all hosts, in lanes: this member's i-th message is of `count' elements at
 * mem + i * stride; stride 0: each member has a copy.  Returns the parts of other hosts. */
void *coll_port_exchange(struct sched *s, const struct coll_args *k, const struct coll_hier *h,
	const void *mem, int64_t stride, int64_t count, struct type *type);

/* --- a tree of hosts whose members send at once: port_tree.c -------------------------------- */

/* Write the messages between hosts of a call whose hosts are in lanes.  _recv is before the part of
 * the host, _send after it.  Of bcast, leaders alone receive, and all members send their part. */
void coll_port_bcast_recv(struct sched *s, const struct coll_args *k, const struct coll_hier *h);
void coll_port_bcast_send(struct sched *s, const struct coll_args *k, const struct coll_hier *h);

/* Of reduce, all members receive, and leaders alone send the host's result.  _recv returns this
 * member's operand, combined with its children's results in their order. */
const void *coll_port_reduce_recv(
	struct sched *s, const struct coll_args *k, const struct coll_hier *h);
void coll_port_reduce_send(
	struct sched *s, const struct coll_args *k, const struct coll_hier *h, const void *result);

#endif
