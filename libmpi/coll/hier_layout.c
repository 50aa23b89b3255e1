// SPDX-License-Identifier: BSD-3-Clause
/* hier_layout.c - the hosts of a communicator: which rank is where, and the leaders.
 *
 *      rank      0 1 2 3 4 5 6          host        0 0 0 1 1 2 2
 *      hosts     A A A B B C C          leaders     0 3 5        host_sizes  3 2 2
 *
 *      via's number of a node ── slots, hashed ──> host 0, 1, 2 ...
 *
 * Memory is proportional to the hosts, and to the members of this one.  A rank's host is computed
 * from its node when it is asked for.
 *
 * Invariant: the layout follows from via_node alone, so all members find the same one, without a
 * message.  Choosing algorithms depends on it.  So without memory for it the job ends with words:
 * this member would choose other ones. */
#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/hierarchical.h"
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include <stdlib.h>

#define ROOM_FIRST 8 /* hosts; a power of 2 */

__attribute__((noreturn)) static void layout_no_memory(void)
{
	haft_abort_job(MPI_ERR_NO_MEM, "no memory for the hosts of a communicator");
}

static void *layout_alloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL)
		layout_no_memory();
	return p;
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* The slot of a node, or an empty one: it has 1 + the number of the host. */
static int32_t *slot_of(const struct coll_hier *h, int32_t node)
{
	uint32_t i = (uint32_t)node * 0x9e3779b1u;

	for (;; i++) {
		int32_t *slot = &h->slots[i & (2 * (uint32_t)h->room - 1)];

		if (*slot == 0 || h->nodes[*slot - 1] == node)
			return slot;
	}
}

/* Doubles the room for hosts. */
static void hosts_grow(struct coll_hier *h)
{
	int32_t *nodes = h->nodes;

	h->room = h->room == 0 ? ROOM_FIRST : 2 * h->room;
	free(h->slots);
	h->slots = layout_alloc(2 * (size_t)h->room, sizeof(*h->slots));
	h->nodes = layout_alloc((size_t)h->room, sizeof(*h->nodes));
	for (int i = 0; i < h->nhosts; i++) {
		h->nodes[i] = nodes[i];
		*slot_of(h, nodes[i]) = i + 1;
	}
	free(nodes);
}

/* The number of a node among the hosts; a new one if the node is met first. */
static int host_number(struct coll_hier *h, int32_t node)
{
	int32_t *slot;

	if (h->nhosts == h->room)
		hosts_grow(h);
	slot = slot_of(h, node);
	if (*slot == 0) {
		h->nodes[h->nhosts++] = node;
		*slot = h->nhosts;
	}
	return *slot - 1;
}

static int32_t node_of(const struct comm *c, int rank)
{
	return via_node(group_peer(c->group, rank));
}

int coll_hier_host(const struct coll_hier *h, const struct comm *c, int rank)
{
	return *slot_of(h, node_of(c, rank)) - 1;
}

/* --- layout --------------------------------------------------------------------------------- */

/* Finds the hosts, in the order of their lowest ranks, and the members of this one. */
static void layout_find(struct coll_hier *h, const struct comm *c)
{
	int32_t mine = node_of(c, c->rank), last = -1;

	h->ordered = true;
	for (int r = 0, known; r < c->size; r++) {
		int32_t node = node_of(c, r);

		h->local.size += node == mine;
		if (r > 0 && node == last)
			continue;
		last = node;
		known = h->nhosts;
		if (host_number(h, node) < known)
			h->ordered = false; /* it was met before, and another one since */
	}
}

/* Fills the lists of hosts. */
static void layout_fill(struct coll_hier *h, const struct comm *c)
{
	int32_t last = -1;

	h->host_sizes = layout_alloc((size_t)h->nhosts * 4, sizeof(int32_t));
	h->leaders = h->host_sizes + h->nhosts;
	h->leader_peers = h->host_sizes + 2 * h->nhosts;
	h->filled = h->host_sizes + 3 * h->nhosts;
	h->sums = layout_alloc((size_t)h->nhosts, sizeof(*h->sums));
	h->cyclic = !h->ordered;
	for (int r = 0, host = 0; r < c->size; r++) {
		int32_t node = node_of(c, r);

		if (r == 0 || node != last)
			host = *slot_of(h, node) - 1;
		last = node;
		h->cyclic = h->cyclic && host == r % h->nhosts;
		if (h->host_sizes[host]++ == 0)
			h->leaders[host] = r;
		if (h->host_sizes[host] > h->largest)
			h->largest = h->host_sizes[host];
	}
	h->my_host = coll_hier_host(h, c, c->rank);
	h->useful = h->nhosts > 1 && h->nhosts < c->size;
	if ((h->ordered || h->cyclic) && (int64_t)h->largest * h->nhosts == c->size)
		h->lane_step = h->ordered ? 1 : h->nhosts;
	h->cyclic = h->cyclic && h->useful && (h->nhosts & (h->nhosts - 1)) == 0;
}

/* Makes this host's members a communicator. */
static void layout_make_local(struct coll_hier *h, struct comm *c)
{
	int n = 0, me = 0, size = h->local.size;

	h->peers = layout_alloc((size_t)size * 2, sizeof(int32_t));
	h->order = h->peers + size;
	for (int r = h->leaders[h->my_host]; n < size; r++) {
		int peer = group_peer(c->group, r), i = n;

		if (via_node(peer) != h->nodes[h->my_host])
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
	h->local.whole = c;
}

struct coll_hier *coll_hier_of(struct comm *c)
{
	struct coll *s = coll_state(c);
	struct coll_hier *h;

	if (s == NULL)
		layout_no_memory();
	if (s->hier != NULL)
		return s->hier;
	h = layout_alloc(1, sizeof(*h));
	layout_find(h, c);
	layout_fill(h, c);
	layout_make_local(h, c);
	s->hier = h;
	return h;
}

bool coll_hier_useful(struct comm *c, bool ordered)
{
	const struct coll_hier *h;

	if (via_single_node() || c->remote != NULL)
		return false;
	h = coll_hier_of(c);
	return h->useful && (h->ordered || !ordered);
}

bool coll_hier_even(struct comm *c, bool ordered)
{
	return coll_hier_useful(c, ordered) && coll_hier_of(c)->lane_step > 0;
}

bool coll_hier_cyclic(struct comm *c)
{
	return coll_hier_useful(c, false) && coll_hier_of(c)->cyclic;
}

HAFT_START void coll_hier_free(struct coll_hier *h)
{
	if (h == NULL)
		return;
	coll_state_free(&h->local);
	free(h->slots);
	free(h->nodes);
	free(h->host_sizes);
	free(h->sums);
	free(h->peers);
	free(h);
}

int coll_hier_leader(const struct coll_args *k, const struct coll_hier *h)
{
	if (k->root >= 0 && coll_hier_host(h, k->comm, k->root) == h->my_host)
		return k->root;
	return h->leaders[h->my_host];
}

#define RADIX_SHORT MEAN_OR(64, 16 * 1024)
#define RADIX_HOSTS 3
#define RADIX_LOCAL MEAN_OR(16, 512) /* as RADIX_SHORT, on one host */
#define RADIX_RANKS 17               /* on one host */

int coll_radix(const struct coll_args *k, int64_t bytes)
{
	if (bytes > RADIX_SHORT || k->comm->remote != NULL)
		return 2;
	if (coll_one_host(k->comm))
		return k->n >= RADIX_RANKS && bytes <= RADIX_LOCAL ? RADIX_MOST : 2;
	return coll_hier_of(k->comm)->nhosts < RADIX_HOSTS ? 2 : RADIX_MOST;
}
