// SPDX-License-Identifier: BSD-3-Clause
/* hier_layout.c - the hosts of a communicator: which rank is where, and the leaders.
 *
 *      rank      0 1 2 3 4 5 6          host        0 0 0 1 1 2 2
 *      hosts     A A A B B C C          local_rank  0 1 2 0 1 0 1
 *                                       leaders     0 3 5        host_sizes  3 2 2
 *
 * Invariant: the layout follows from via_host alone, so all members find the same one, without a
 * message. */
#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/hierarchical.h"
#include <stdlib.h>
#include <string.h>

#define LISTS 7 /* of one int a member; `sums' besides */

/* --- layout --------------------------------------------------------------------------------- */

/* Numbers the hosts in the order of their lowest ranks. */
static void hier_number_hosts(struct coll_hier *h, const struct comm *c, int32_t *seen)
{
	int last = -1;

	h->ordered = true;
	h->largest = 0;
	for (int r = 0; r < c->size; r++) {
		int32_t at = via_node(group_peer(c->group, r));
		int i = last;

		if (i < 0 || seen[i] != at)
			for (i = 0; i < h->nhosts && seen[i] != at; i++)
				;
		if (i == h->nhosts) {
			seen[i] = at;
			h->leaders[h->nhosts++] = r;
		} else if (i != last) {
			h->ordered = false;
		}
		h->host[r] = last = i;
		h->local_rank[r] = h->host_sizes[i]++;
		if (h->host_sizes[i] > h->largest)
			h->largest = h->host_sizes[i];
	}
}

/* Makes this host's members a communicator. */
static void hier_make_local(struct coll_hier *h, struct comm *c)
{
	int n = 0, me = 0;

	for (int r = 0; r < c->size; r++) {
		int peer = group_peer(c->group, r), i = n;

		if (h->host[r] != h->my_host)
			continue;
		if (r == c->rank)
			me = n;
		for (; i > 0 && h->peers[h->order[i - 1]] > peer; i--)
			h->order[i] = h->order[i - 1];
		h->order[i] = n;
		h->peers[n++] = peer;
	}
	h->group = (struct group){.size = n,
		.rank = me,
		.base = h->peers[h->order[0]],
		.stride = 1,
		.map = h->peers,
		.unmap = h->order};
	h->local = *c;
	h->local.group = &h->group;
	h->local.rank = me;
	h->local.size = n;
	h->local.coll = NULL;
}

static struct coll_hier *hier_new(int members)
{
	return calloc(1, sizeof(struct coll_hier) +
				 (size_t)members * (sizeof(int64_t) + LISTS * sizeof(int32_t)));
}

static void hier_fill(struct coll_hier *h, struct comm *c)
{
	size_t n = (size_t)c->size;
	int32_t *room = (int32_t *)(void *)(h->room + n);

	h->nhosts = 0;
	h->sums = h->room;
	h->host = room;
	h->peers = room + n;
	h->leaders = room + 2 * n;
	h->order = room + 3 * n;
	h->leader_peers = room + 4 * n;
	h->local_rank = room + 5 * n;
	h->host_sizes = room + 6 * n;
	static_assert(LISTS == 7, "these");
	memset(h->host_sizes, 0, n * sizeof(int32_t));
	hier_number_hosts(h, c, h->leader_peers);
	h->my_host = h->host[c->rank];
	h->useful = h->nhosts > 1 && h->nhosts < c->size;
	hier_make_local(h, c);
}

/* A member without memory must know the hosts, too: otherwise it would choose other algorithms. */
static struct coll_hier *reserve;

int coll_hier_open(void)
{
	if (via_single_node())
		return 0;
	reserve = hier_new(via.npeers);
	return reserve != NULL ? 0 : haft_err(MPI_ERR_NO_MEM, "no memory for who is on which host");
}

void coll_hier_close(void)
{
	free(reserve);
	reserve = NULL;
}

bool coll_hier_is_reserve(const struct comm *c)
{
	return reserve != NULL && c == &reserve->local;
}

struct coll_hier *coll_hier_of(struct comm *c)
{
	struct coll *s = coll_state(c);
	struct coll_hier *h = s != NULL && s->hier == NULL ? hier_new(c->size) : NULL;

	if (s != NULL && s->hier != NULL)
		return s->hier;
	if (h != NULL)
		s->hier = h;
	else if (reserve != NULL && c->size <= via.npeers)
		h = reserve;
	else
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for the hosts of a communicator");
	hier_fill(h, c);
	return h;
}

bool coll_hier_useful(struct comm *c, bool ordered)
{
	const struct coll_hier *h;

	if (via_single_node() || c->remote != NULL || coll_hier_is_reserve(c))
		return false;
	h = coll_hier_of(c);
	return h->useful && (h->ordered || !ordered);
}

void coll_hier_free(struct coll_hier *h)
{
	if (h == NULL)
		return;
	coll_state_free(&h->local);
	free(h);
}

int coll_hier_leader(const struct coll_args *k, const struct coll_hier *h)
{
	if (k->root >= 0 && h->host[k->root] == h->my_host)
		return k->root;
	return h->leaders[h->my_host];
}
