// SPDX-License-Identifier: BSD-3-Clause
/* get_failed.c - MPIX_Comm_get_failed, _ack_failed, and the older pair of the same meaning.
 *
 *      failed processes in the order of notice    17  4  9  30        p2p's list, for all
 *      members of the communicator                17     9  30        get_failed
 *      acknowledged: comm.acked = 3               17     9            ack_failed(2), get_acked
 *
 * All of this is local. */
#include "libmpi/comm/groups.h"
#include "libmpi/core/err.h"
#include "libmpi/ft/ft_inner.h"
#include <engine.h>
#include <stdlib.h>

/* A loop over these calls alone learns of failures.  A process of another host has failed once its
 * last messages are here, which takes a pass. */
static void failed_poll(void)
{
	via_notice_poll();
	p2p_progress();
}

static bool failed_is_member(const struct comm *c, int peer)
{
	return group_rank_of(c->group, peer) >= 0 ||
	       (c->remote != NULL && group_rank_of(c->remote, peer) >= 0);
}

/* The members among the first n failed processes; also as a group, if not NULL. */
static int failed_members(const struct comm *c, uint32_t n, int32_t *peers)
{
	int count = 0;

	for (uint32_t i = 0; i < n; i++) {
		int peer = p2p_failed_at(i);

		if (!failed_is_member(c, peer))
			continue;
		if (peers != NULL)
			peers[count] = peer;
		count++;
	}
	return count;
}

static int failed_group(const struct comm *c, uint32_t n, struct group **group)
{
	int32_t *peers = malloc((n + 1) * sizeof(*peers));

	if (peers == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a group of failed processes");
	return group_make(failed_members(c, n, peers), peers, group);
}

int ft_comm_get_failed(struct comm *c, struct group **failed)
{
	failed_poll();
	ft_use(true);
	return failed_group(c, p2p_failed_count(), failed);
}

int ft_comm_failure_get_acked(struct comm *c, struct group **failed)
{
	ft_use(true);
	return failed_group(c, c->acked, failed);
}

int ft_comm_failure_ack(struct comm *c)
{
	failed_poll();
	ft_use(true);
	c->acked = p2p_failed_count();
	p2p_comm_acked(c);
	return 0;
}

int ft_comm_ack_failed(struct comm *c, int num, int *acked)
{
	uint32_t n, i = c->acked;
	int count, all;

	failed_poll();
	ft_use(true);
	n = p2p_failed_count();
	count = failed_members(c, i, NULL);
	all = failed_members(c, n, NULL);
	if (num > all)
		return haft_err(MPI_ERR_ARG,
			"num_to_ack is %d, but only %d members are known to have failed", num, all);
	for (; i < n && count < num; i++)
		count += failed_is_member(c, p2p_failed_at(i));
	c->acked = i;
	*acked = count;
	p2p_comm_acked(c);
	return 0;
}
