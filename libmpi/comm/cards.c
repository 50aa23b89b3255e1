// SPDX-License-Identifier: BSD-3-Clause
/* cards.c - groups of several universes as cards: see cards.h. */
#include "libmpi/comm/cards.h"

#include "libmpi/comm/groups.h"
#include "libmpi/core/err.h"
#include "libmpi/p2p/p2p.h"
#include <stdlib.h>

bool comm_group_mixed(const struct group *g)
{
	if (!via_alias_any())
		return false;
	for (int i = 0; i < g->size; i++)
		if (via_is_alias(group_peer(g, i)))
			return true;
	return false;
}

/* The rank in path->c of a member of g. */
static int card_rank(const struct leader_path *path, const struct group *g, int rank)
{
	return group_rank_of(comm_peers(path->c), group_peer(g, rank));
}

/* A process that could make no card has sent one without a universe. */
static int card_check(const struct via_card *card, int rank)
{
	if (card->universe != 0)
		return 0;
	return haft_err(
		MPI_ERR_OTHER, "rank %d cannot open sockets for processes of other jobs", rank);
}

int comm_cards_gather(
	const struct leader_path *path, const struct group *g, int leader, struct via_card *all)
{
	struct via_card mine, spare; /* `all' is NULL at a leader without memory */
	int err = via_card_own(&mine), bad = 0;

	if (err != 0)
		mine.universe = 0;
	if (g->rank != leader) {
		int sent = p2p_plane_send(path->c, path->plane, &mine, sizeof(mine),
			card_rank(path, g, leader), path->tag);

		return err != 0 ? err : sent;
	}
	for (int i = 0; i < g->size; i++) {
		struct via_card *to = all != NULL ? &all[i] : &spare;

		if (i == leader)
			*to = mine;
		else
			bad = p2p_plane_recv(path->c, path->plane, to, sizeof(*to),
				card_rank(path, g, i), path->tag);
		if (bad == 0 && i != leader)
			bad = card_check(to, i);
		if (err == 0)
			err = bad;
	}
	return err;
}

int comm_cards_group(const struct via_card *cards, int n, struct group **group)
{
	int32_t *peers = malloc(((size_t)n + 1) * sizeof(*peers));
	int err = 0, number;

	if (peers == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a group of %d processes", n);
	via_alias_free_unused(via_peer_release);
	for (int i = 0; i < n && err == 0; i++) {
		err = via_alias_make(&cards[i], &number);
		peers[i] = number;
	}
	if (err == 0)
		return group_make(n, peers, group);
	free(peers);
	return err;
}

uint64_t comm_card_identity(int peer)
{
	const struct via_card *card = via_is_alias(peer) ? via_alias_card(peer) : NULL;

	if (card == NULL)
		return via.universe + (uint64_t)peer;
	return card->universe + (uint64_t)card->number;
}
