// SPDX-License-Identifier: BSD-3-Clause
/* hierarchical.c - plans for communicators over several hosts: memory within a host, messages between.
 *
 *      allreduce    0 1 2 3 | 4 5 6 7      members of a host reduce to one of them, the deputy;
 *                   └┴┴┘      └┴┴┘         deputies do the same call among themselves, by the plan
 *                   0 ───────── 4          that is best for so many; then each tells its host
 *                   ┌┬┬┐      ┌┬┬┐
 *
 * The deputy of a host is its lowest rank, and in the root's host the root.
 *
 * Inside a host a blocking call goes through shared memory as if the host's members were a
 * communicator (a step of the schedule calls that), and else, with requests, by messages whose plan
 * gives the same bits.  All messages have the call's tag: those of a pair of members keep their
 * order, whatever phase they are of.
 *
 * Invariants
 *  - Who is where is known to all alike (via_node), so what is chosen here is.
 *  - `near' is a communicator for planning and for memory only: nobody holds it, and it has the
 *    context of the real one.
 *  - A member that has no data for a call of its host (no memory for its steps, or somebody else
 * was sorry to it) comes to it all the same, and says so there: coll_shm.h. */
#include "libmpi/coll/hierarchical.h"

#include "libmpi/coll/coll_shm.h"
#include "libmpi/core/process_state.h"
#include <stdlib.h>
#include <string.h>

#define LISTS 7 /* of one number a member; and one of a longer number */

/* --- who is where --------------------------------------------------------------------------- */

/* Numbers the hosts, and finds their lowest ranks. */
static void hier_number_hosts(struct coll_hier *h, const struct comm *c, int32_t *seen)
{
	int last = -1;

	h->ordered = true;
	h->most = 0;
	for (int r = 0; r < c->size; r++) {
		int32_t at = via_node(group_peer(c->group, r));
		int i = last;

		if (i < 0 || seen[i] != at)
			for (i = 0; i < h->nhosts && seen[i] != at; i++)
				;
		if (i == h->nhosts) {
			seen[i] = at;
			h->lead[h->nhosts++] = r;
		} else if (i != last) {
			h->ordered = false;
		}
		h->place[r] = last = i;
		h->index[r] = h->sizes[i]++;
		if (h->sizes[i] > h->most)
			h->most = h->sizes[i];
	}
}

/* Makes the members of this host a communicator. */
static void hier_local_make(struct coll_hier *h, struct comm *c)
{
	int n = 0, me = 0;

	for (int r = 0; r < c->size; r++) {
		int peer = group_peer(c->group, r), i = n;

		if (h->place[r] != h->mine)
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
	h->near = *c;
	h->near.group = &h->group;
	h->near.rank = me;
	h->near.size = n;
	h->near.coll = NULL;
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
	h->place = room;
	h->peers = room + n;
	h->lead = room + 2 * n;
	h->order = room + 3 * n;
	h->map = room + 4 * n;
	h->index = room + 5 * n;
	h->sizes = room + 6 * n;
	static_assert(LISTS == 7, "these");
	memset(h->sizes, 0, n * sizeof(int32_t));
	hier_number_hosts(h, c, h->map);
	h->mine = h->place[c->rank];
	h->worth = h->nhosts > 1 && h->nhosts < c->size;
	hier_local_make(h, c);
}

/* Who does not know the hosts would choose other plans than the rest. */
static struct coll_hier *spare;

int coll_hier_open(void)
{
	if (via_single_node())
		return 0;
	spare = hier_new(via.npeers);
	return spare != NULL ? 0 : haft_err(MPI_ERR_NO_MEM, "no memory for who is on which host");
}

void coll_hier_close(void)
{
	free(spare);
	spare = NULL;
}

bool coll_hier_is_reserve(const struct comm *c)
{
	return spare != NULL && c == &spare->near;
}

struct coll_hier *coll_hier_of(struct comm *c)
{
	struct coll *s = coll_shm_state(c);
	struct coll_hier *h = s != NULL && s->hosts == NULL ? hier_new(c->size) : NULL;

	if (s != NULL && s->hosts != NULL)
		return s->hosts;
	if (h != NULL)
		s->hosts = h;
	else
		h = spare;
	hier_fill(h, c);
	return h;
}

bool coll_hier_useful(struct comm *c, bool ordered)
{
	const struct coll_hier *h;

	if (via_single_node() || c->remote != NULL || coll_hier_is_reserve(c))
		return false;
	h = coll_hier_of(c);
	return h->worth && (h->ordered || !ordered);
}

void coll_hier_free(struct coll_hier *h)
{
	if (h == NULL)
		return;
	coll_shm_leave(&h->near);
	free(h);
}

/* --- phases --------------------------------------------------------------------------------- */

/* A call of this host's members, in a schedule that the caller runs to its end. */
static int hier_local_run(void *arg, const struct p2p_error_msg *sorry)
{
	return coll_run_local(arg, sorry);
}

struct coll_args coll_hier_local_args(
	const struct coll_args *k, struct coll_hier *h, enum coll_kind verb, int deputy)
{
	struct coll_args in = *k;

	in.verb = verb;
	in.comm = &h->near;
	in.n = h->near.size;
	in.me = h->near.rank;
	in.root = group_rank_of(&h->group, group_peer(k->comm->group, deputy));
	in.nin = in.nout = in.n;
	in.root_here = in.me == in.root;
	return in;
}

void coll_hier_local(struct sched *s, const struct coll_args *in)
{
	struct coll_args *later;

	if (in->n == 1)
		return;
	if (!in->now) {
		coll_sched_group(s, in->comm->group);
		coll_algorithm_local(in)(s, in);
		coll_sched_fence(s);
		return;
	}
	later = coll_sched_bytes(s, sizeof(*later));
	if (later == NULL)
		return; /* the schedule says so */
	static_assert(sizeof(*later) <= SCHED_PLANNING, "a walk has room for it");
	if (coll_hier_is_reserve(in->comm))
		coll_sched_set_no_memory(s);
	*later = *in;
	coll_sched_fence(s);
	coll_sched_call(s, hier_local_run, later);
}

void coll_hier_leaders(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, struct coll_args *out)
{
	struct group group = {.size = h->nhosts, .rank = h->mine, .stride = 1, .map = h->map};
	int32_t *map = h->map;

	for (int i = 0; i < h->nhosts; i++)
		map[i] = group_peer(k->comm->group, h->lead[i]);
	if (k->root >= 0)
		map[h->place[k->root]] = group_peer(k->comm->group, k->root);
	out->n = out->nin = out->nout = h->nhosts;
	out->me = h->mine;
	out->root = k->root >= 0 ? h->place[k->root] : 0;
	out->root_here = out->me == out->root;
	coll_sched_group(s, &group);
	coll_algorithm_leaders(out)(s, out);
	coll_sched_fence(s);
	coll_sched_group(s, k->comm->group);
}

int coll_hier_leader(const struct coll_args *k, const struct coll_hier *h)
{
	if (k->root >= 0 && h->place[k->root] == h->mine)
		return k->root;
	return h->lead[h->mine];
}

/* --- plans ---------------------------------------------------------------------------------- */

void coll_barrier_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int deputy = h->lead[h->mine];
	struct coll_args rootless = *k, in = coll_hier_local_args(k, h, COLL_BARRIER, deputy), out;
	char *byte = coll_sched_bytes(s, 1);

	rootless.root = -1;
	out = rootless;
	coll_hier_local(s, &in);
	if (k->me == deputy)
		coll_hier_leaders(s, &rootless, h, &out);
	in = coll_hier_local_args(k, h, COLL_BCAST, deputy);
	in.rbuf = byte;
	in.rcount = in.bytes = 1;
	in.rtype = type_predefined(MPI_BYTE);
	coll_hier_local(s, &in);
}

void coll_bcast_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int deputy = coll_hier_leader(k, h);
	struct coll_args in = coll_hier_local_args(k, h, COLL_BCAST, deputy), out = *k;

	if (k->me == deputy)
		coll_hier_leaders(s, k, h, &out);
	coll_hier_local(s, &in);
}

/* The operands of this host come together at its deputy, in `result'.  Returns what the deputy's
 * operand is then. */
static const void *hier_reduce(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, int deputy, void *result)
{
	struct coll_args in = coll_hier_local_args(k, h, COLL_REDUCE, deputy);

	if (in.n == 1)
		return coll_operand(k);
	in.rbuf = result;
	if (k->in_place && k->me != deputy) {
		in.sbuf = k->rbuf;
		in.in_place = false;
	}
	coll_hier_local(s, &in);
	return result;
}

void coll_reduce_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int deputy = coll_hier_leader(k, h);
	struct coll_args out = *k;
	void *result = NULL;

	if (k->me == k->root)
		result = k->rbuf;
	else if (k->me == deputy && h->near.size > 1)
		result = coll_sched_elements(s, k->rtype, k->rcount);
	out.sbuf = hier_reduce(s, k, h, deputy, result);
	out.in_place = k->me == k->root && out.sbuf == k->rbuf;
	if (out.in_place)
		out.sbuf = NULL;
	if (k->me == deputy)
		coll_hier_leaders(s, k, h, &out);
}

void coll_allreduce_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int deputy = h->lead[h->mine];
	struct coll_args rootless = *k, in, out;

	rootless.root = -1;
	out = rootless;
	out.sbuf = hier_reduce(s, &rootless, h, deputy, k->me == deputy ? k->rbuf : NULL);
	out.in_place = out.sbuf == k->rbuf;
	if (out.in_place)
		out.sbuf = NULL;
	if (k->me == deputy)
		coll_hier_leaders(s, &rootless, h, &out);
	in = coll_hier_local_args(&rootless, h, COLL_BCAST, deputy);
	in.in_place = false;
	in.op = NULL;
	coll_hier_local(s, &in);
}

/* All blocks come together at each host's deputy; deputies exchange sums of whole hosts; and each
 * member takes its block of what its deputy has.  For hosts whose members are intervals: their
 * blocks lie side by side. */
void coll_reduce_scatter_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int deputy = h->lead[h->mine], size = h->near.size;
	int64_t all = coll_block_from(k, k->n),
		at = coll_block_from(k, k->me) - coll_block_from(k, deputy), row;
	struct coll_args rootless = *k, in, out;
	void *mine = k->rbuf, *sum = NULL;

	rootless.root = -1;
	rootless.sbuf = coll_operand(k);
	rootless.in_place = false;
	rootless.rcount = all;
	rootless.rcounts.v = NULL;
	rootless.bytes = all * k->rtype->size;
	out = rootless;
	memset(h->sums, 0, (size_t)h->nhosts * sizeof(*h->sums));
	for (int r = 0; r < k->n; r++)
		h->sums[h->place[r]] += coll_block_size(k, r);
	row = h->sums[h->mine];
	if (k->me == deputy && size > 1)
		sum = coll_sched_elements(s, k->rtype, all);
	out.sbuf = hier_reduce(s, &rootless, h, deputy, sum);
	if (size > 1)
		mine = coll_sched_elements(s, k->rtype, row);
	out.verb = COLL_REDUCE_SCATTER;
	out.rcounts = (struct haft_counts){h->sums, true};
	out.rbuf = mine;
	if (k->me == deputy)
		coll_hier_leaders(s, &rootless, h, &out);
	if (size == 1)
		return;
	in = coll_hier_local_args(&rootless, h, COLL_BCAST, deputy);
	in.rbuf = mine;
	in.rcount = row;
	in.bytes = row * k->rtype->size;
	in.nothing = in.bytes == 0;
	in.op = NULL;
	coll_hier_local(s, &in);
	coll_sched_move(
		s, coll_element(mine, k->rtype, at), k->rbuf, coll_block_size(k, k->me), k->rtype);
}

/* What this host's members give in all, at the last of them. `mine' is its operand. */
static const void *scan_total(
	struct sched *s, const struct coll_args *k, const void *mine, int size)
{
	void *sum;

	if (size == 1 || k->verb == COLL_SCAN)
		return size == 1 ? mine : k->rbuf;
	sum = coll_sched_elements(s, k->rtype, k->rcount);
	coll_sched_move(s, mine, sum, k->rcount, k->rtype);
	coll_sched_reduce(s, k->rbuf, sum, sum, k->rcount, k->rtype);
	return sum;
}

/* The total goes from the last member of this host to its deputy. */
static const void *scan_total_to_leader(
	struct sched *s, const struct coll_args *k, const struct coll_hier *h, const void *total)
{
	int last = h->near.size - 1;
	void *here;

	if (last == 0)
		return total;
	coll_sched_group(s, &h->group);
	if (h->near.rank == last)
		coll_sched_send(s, total, k->rcount, k->rtype, 0);
	if (h->near.rank != 0)
		return NULL;
	here = coll_sched_elements(s, k->rtype, k->rcount);
	coll_sched_recv(s, here, k->rcount, k->rtype, last);
	coll_sched_fence(s);
	return here;
}

/* A scan in each host; the deputies scan the totals of hosts; and what is before a host goes to all
 * its members.  For hosts whose members are intervals. */
void coll_scan_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int size = h->near.size, me = h->near.rank, deputy = h->lead[h->mine];
	struct coll_args rootless = *k, in, out;
	void *before = coll_sched_elements(s, k->rtype, k->rcount), *copy;
	const void *mine = coll_operand(k), *total;

	rootless.root = -1;
	if (size > 1 && me == size - 1 && k->verb == COLL_EXSCAN && k->in_place) {
		copy = coll_sched_elements(s, k->rtype, k->rcount);
		coll_sched_move(s, mine, copy, k->rcount, k->rtype);
		mine = copy;
	}
	in = coll_hier_local_args(&rootless, h, k->verb, deputy);
	coll_hier_local(s, &in);
	total = me == size - 1 ? scan_total(s, k, mine, size) : NULL;
	total = scan_total_to_leader(s, k, h, total);
	if (size == 1 && k->verb == COLL_SCAN)
		coll_sched_move(s, mine, k->rbuf, k->rcount, k->rtype);
	out = rootless;
	out.verb = COLL_EXSCAN;
	out.in_place = false;
	out.sbuf = total;
	out.rbuf = before;
	if (me == 0)
		coll_hier_leaders(s, &rootless, h, &out);
	if (h->mine == 0)
		return;
	in = coll_hier_local_args(&rootless, h, COLL_BCAST, deputy);
	in.rbuf = before;
	in.in_place = false;
	in.op = NULL;
	coll_hier_local(s, &in);
	if (k->verb == COLL_EXSCAN && me == 0)
		coll_sched_move(s, before, k->rbuf, k->rcount, k->rtype);
	else
		coll_sched_reduce(s, before, k->rbuf, k->rbuf, k->rcount, k->rtype);
}
