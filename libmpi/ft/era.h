// SPDX-License-Identifier: BSD-3-Clause
/* era.h - one agreement among n members of which some fail meanwhile: a state machine without MPI,
 * which tests/sim/agreement.c runs in a simulated network.
 *
 *      member 0 .. n-1      one ballot has the lowest living member as its root, and a binary tree:
 *
 *              0                  UP    contribution of a member and those below it
 *            /   \                DOWN  the decision of the root
 *           1     2
 *          / \   / \              A member that has failed is skipped: those below it belong to the
 *         3   4 5   6             next living member above it.
 *
 *      The root fails ──> the next ballot, with the next root, in which all send UP again; a member
 *      that has the decision sends it in its UP, and the new root takes it over.
 *
 * Invariants
 *  - A member that has sent UP in a ballot takes no decision of an earlier one (it has promised).
 *    So a root without a decision in its UPs knows that no living member has taken one.
 *  - A root decides when all living members have contributed, or an UP has brought a decision.
 *  - Contributions are combined by AND and OR: the same one may be combined twice.
 *
 * After Herault et al., Practical scalable consensus for pseudo-synchronous distributed systems
 * (SC'15), with a failure detector that is never wrong: no living member is taken for dead. */
#ifndef HAFT_FT_ERA_H
#define HAFT_FT_ERA_H

#include "libmpi/ft/bits.h"

/* Members may make different calls, which is a mistake of the program: so many kinds of them. */
#define FT_ERA_CALLS 5

/* Contributions of members, combined; a decision is one, too. */
struct ft_part {
	int32_t flag[2]; /* AND; the second is of the second group of an inter-communicator */
	uint32_t floor; /* the least: of this number and later are agreements that a member lacks */
	uint32_t pad;
	uint64_t id;                 /* of a decision: minted by the root */
	int32_t first[FT_ERA_CALLS]; /* of each kind of call the lowest member that makes it, or
				      * INT32_MAX: MIN */
	uint8_t *covered;            /* members that have contributed: OR */
	uint8_t *failed;             /* members that any contributor knows to have failed: OR */
	uint8_t *acked;              /* failures that all contributors have acknowledged: AND */
};

struct ft_era;

/* How it acts on the world. */
struct ft_era_ops {
	void (*send)(void *arg, int to, const void *msg, size_t len);
	uint64_t (*mint)(void *arg); /* the id of a decision, at the root */
	void (*decided)(void *arg);  /* once; ft_era_decision has it */
};

/* A new agreement, to which this member (me) contributes *mine, whose sets are copied.
 * mine->covered is not read.  Members in mine->failed are known to have failed.  Runs the first
 * steps.  NULL: no memory. */
struct ft_era *ft_era_new(
	int n, int me, const struct ft_part *mine, const struct ft_era_ops *ops, void *arg);
void ft_era_free(struct ft_era *e);

/* A message of member `from' has come.  False: it makes no sense. */
bool ft_era_got(struct ft_era *e, int from, const void *msg, size_t len);

/* A member has failed. */
void ft_era_failed(struct ft_era *e, int member);

/* The decision; NULL: there is none yet. */
const struct ft_part *ft_era_decision(const struct ft_era *e);

/* The members that this one waits for: their number; at most max of them are stored.  It waits for
 * contributions of those below it, and then for the decision, which the one above sends. */
int ft_era_missing(const struct ft_era *e, int *members, int max);

/* The length of a message among n members, bytes. */
size_t ft_era_msg_len(int n);

#endif
