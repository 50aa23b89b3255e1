// SPDX-License-Identifier: BSD-3-Clause
/* cards.h - groups whose members are of several universes, in messages.
 *
 * A number means the same process in all of its universe, so groups travel as numbers as a rule.
 * An alias means something in one process only.  So where a message may reach another universe,
 * each member gives its card (via/alias.h), and each receiver makes numbers of the cards. */
#ifndef HAFT_COMM_CARDS_H
#define HAFT_COMM_CARDS_H

#include "libmpi/comm/leader_exchange.h"
#include "libmpi/via/alias.h"

/* Is some member of another universe? */
bool comm_group_mixed(const struct group *g);

/* The cards of all members of g, in order of ranks, at the leader: `all' has room for them there,
 * or is NULL if there is no memory, and the cards are dropped.  Collective over g, blocking.  0 or
 * an MPI error class with words; also at the leader if a member has no card. */
int comm_cards_gather(
	const struct leader_path *path, const struct group *g, int leader, struct via_card *all);

/* Makes the group of the processes of n cards.  0 or an MPI error class with words. */
int comm_cards_group(const struct via_card *cards, int n, struct group **group);

/* A number that says who a process is, the same in all universes. */
uint64_t comm_card_identity(int peer);

#endif
