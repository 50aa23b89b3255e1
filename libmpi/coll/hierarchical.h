// SPDX-License-Identifier: BSD-3-Clause
/* hierarchical.h - what the collectives know of a communicator's hosts: see hierarchical.c; and the two halves of
 * which its plans, and those of hier_blocks.c, are made. */
#ifndef HAFT_COLL_HIERARCHICAL_H
#define HAFT_COLL_HIERARCHICAL_H

#include "libmpi/coll/coll_args.h"

struct coll_hier {
	int nhosts;
	int mine;       /* my host, 0 .. nhosts-1 in the order of their lowest ranks */
	int most;       /* members of the host that has the most */
	bool worth;     /* more hosts than one, and fewer than members */
	bool ordered;   /* the members of each host are an interval of ranks */
	int32_t *place; /* [n] host of each rank */
	int32_t *index; /* [n] rank of each among the members of its host */
	int32_t *sizes; /* [nhosts] members */
	int32_t *lead;  /* [nhosts] the lowest rank of each */
	int32_t *peers; /* [near.size] of this host's members */
	int32_t *order; /* [near.size] their ranks in near in the order of their peers */
	int32_t *map;   /* [nhosts] the deputies' peers, of the call that is being planned */
	int64_t *sums;  /* [nhosts] elements of each host's blocks, of the same */
	struct group group;
	struct comm near;
	int64_t room[];
};

/* Are there several hosts, and fewer of them than members; ordered: and are the members of each an
 * interval of ranks?  All members find the same, and say nothing. */
bool coll_hier_useful(struct comm *c, bool ordered);

/* NULL is nothing. */
void coll_hier_free(struct coll_hier *h);

/* Of a communicator of a job with several hosts.  Never NULL: without memory it is a spare one,
 * good until the next is asked for; a plan that wants it for longer starves. */
struct coll_hier *coll_hier_of(struct comm *c);

/* Makes the spare, if there are several hosts: 0 or MPI_ERR_NO_MEM with words; and frees it. */
int coll_hier_open(void);
void coll_hier_close(void);

/* Is this the communicator of the spare's members?  It has no state. */
bool coll_hier_is_reserve(const struct comm *c);

/* The rank that speaks for my host in a call; a root of -1 is none. */
int coll_hier_leader(const struct coll_args *k, const struct coll_hier *h);

/* A call of this host's members: as k, with the deputy as its root.  Then coll_hier_local writes its
 * steps (none, if the host has one member). */
struct coll_args coll_hier_local_args(
	const struct coll_args *k, struct coll_hier *h, enum coll_kind verb, int deputy);
void coll_hier_local(struct sched *s, const struct coll_args *in);

/* The deputies do a call, of k, with rbuf and the rest as the caller has set it in *out. */
void coll_hier_leaders(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, struct coll_args *out);

#endif
