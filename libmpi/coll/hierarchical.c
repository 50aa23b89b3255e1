// SPDX-License-Identifier: BSD-3-Clause
/* hierarchical.c - algorithms for several hosts: shared memory within a host, messages between.
 *
 *      allreduce    0 1 2 3 | 4 5 6 7      local:    the members of a host reduce to their leader
 *                   └┴┴┘      └┴┴┘
 *                   0 ─────── 4            leaders:  make the same call among themselves, by the
 *                   ┌┬┬┐      ┌┬┬┐                   algorithm that is best for so many
 *                   0 1 2 3 | 4 5 6 7      local:    each leader broadcasts the result
 *
 * The leader of a host is the root, if it is there, or else the lowest rank.
 *
 * Within a host a blocking call uses shared memory, as if the host's members were a communicator: a
 * step of the schedule runs that call.  A call with a request uses messages, whose algorithm gives
 * the same bits.
 *
 * Invariants
 *  - The layout is equal in all members (hier_layout.c), so the choices here are.
 *  - coll_hier.local is for schedules and for memory only: it has the context of the real
 *    communicator.  All messages have the tag of the call, and those of a pair of members keep
 *    their order, whatever part they are of.
 *  - A member without data for a call within its host (no memory, or another member's error) takes
 *    part in it and says so there: coll_shm.h. */
#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/hierarchical.h"
#include "libmpi/coll/pipelined.h"
#include <string.h>

#define LANES_SORTED MEAN_OR(16, 4096)       /* bytes of a block: shorter ones are sorted */
#define LANES_LONG   MEAN_OR(256, 64 * 1024) /* longer ones do not leave while others are made */
#define LANES_HOSTS  3

/* --- parts ---------------------------------------------------------------------------------- */

/* Runs a call of this host's members to its end; a step of the schedule. */
static int hier_local_run(void *arg, const struct p2p_error_msg *error)
{
	return coll_run_local(arg, error);
}

struct coll_args coll_hier_local_args(
	const struct coll_args *k, struct coll_hier *h, enum coll_kind kind, int leader)
{
	struct coll_args in = *k;

	in.kind = kind;
	in.comm = &h->local;
	in.n = h->local.size;
	in.me = h->local.rank;
	in.root = group_rank_of(&h->group, group_peer(k->comm->group, leader));
	in.nin = in.nout = in.n;
	in.at_root = in.me == in.root;
	return in;
}

void coll_hier_local(struct sched *s, const struct coll_args *in)
{
	struct coll_args *step;

	if (in->n == 1)
		return;
	if (!in->blocking) {
		coll_sched_group(s, in->comm->group);
		coll_algorithm_local(in)(s, in);
		coll_sched_fence(s);
		return;
	}
	step = coll_sched_bytes(s, sizeof(*step));
	if (step == NULL)
		return; /* the schedule has stored that */
	static_assert(sizeof(*step) <= SCHED_PLANNING, "a dry run has room for it");
	*step = *in;
	coll_sched_fence(s);
	coll_sched_call(s, hier_local_run, step);
}

void coll_hier_local_elements(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	enum coll_kind kind, int leader, const void *sbuf, void *rbuf, int64_t count)
{
	struct coll_args in = coll_hier_local_args(k, h, kind, leader);

	if (in.n == 1 && sbuf != NULL && sbuf != rbuf)
		coll_sched_move(s, sbuf, rbuf, count, k->rtype);
	in.in_place = false;
	in.sbuf = sbuf;
	in.rbuf = rbuf;
	in.stype = k->rtype;
	in.scount = in.rcount = count;
	in.bytes = count * k->rtype->size;
	if (kind != COLL_REDUCE_SCATTER_BLOCK)
		in.op = NULL;
	coll_hier_local(s, &in);
}

const void *coll_padded(
	struct sched *s, const struct coll_args *k, const void *data, int64_t have, int64_t count)
{
	char *mem;

	if (have == count)
		return data;
	mem = coll_sched_elements(s, k->rtype, count);
	coll_sched_move(s, data, mem, have, k->rtype);
	for (int64_t n, at = have; at < count; at += n) {
		n = num_min(at, count - at);
		coll_sched_move(s, mem, coll_element(mem, k->rtype, at), n, k->rtype);
	}
	return mem;
}

void coll_hier_leaders(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, struct coll_args *out)
{
	struct group group = {
		.size = h->nhosts, .rank = h->my_host, .stride = 1, .map = h->leader_peers};
	int root = k->root >= 0 ? coll_hier_host(h, k->comm, k->root) : 0;
	int32_t *map = h->leader_peers;

	for (int i = 0; i < h->nhosts; i++)
		map[i] = group_peer(k->comm->group, h->leaders[i]);
	if (k->root >= 0)
		map[root] = group_peer(k->comm->group, k->root);
	out->n = out->nin = out->nout = h->nhosts;
	out->me = h->my_host;
	out->root = root;
	out->at_root = out->me == out->root;
	coll_sched_group(s, &group);
	coll_algorithm_leaders(out)(s, out);
	coll_sched_fence(s);
	coll_sched_group(s, k->comm->group);
}

/* --- algorithms ----------------------------------------------------------------------------- */

void coll_barrier_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int leader = h->leaders[h->my_host];
	struct coll_args rootless = *k, in = coll_hier_local_args(k, h, COLL_BARRIER, leader), out;
	char *byte = coll_sched_bytes(s, 1);

	rootless.root = -1;
	out = rootless;
	coll_hier_local(s, &in);
	if (k->me == leader)
		coll_hier_leaders(s, &rootless, h, &out);
	in = coll_hier_local_args(k, h, COLL_BCAST, leader);
	in.rbuf = byte;
	in.rcount = in.bytes = 1;
	in.rtype = type_predefined(MPI_BYTE);
	coll_hier_local(s, &in);
}

void coll_bcast_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int leader = coll_hier_leader(k, h);
	struct coll_args in = coll_hier_local_args(k, h, COLL_BCAST, leader), out = *k;

	if (k->me == leader)
		coll_hier_leaders(s, k, h, &out);
	coll_hier_local(s, &in);
}

void coll_bcast_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int leader = coll_hier_leader(k, h);
	struct coll_args in = coll_hier_local_args(k, h, COLL_BCAST, leader);

	if (k->me == leader)
		coll_port_bcast_recv(s, k, h);
	coll_hier_local(s, &in);
	coll_sched_group(s, k->comm->group);
	coll_port_bcast_send(s, k, h);
}

/* Reduces the operands of this host to its leader, into `result'.  Returns the leader's operand for
 * the call of leaders. */
static const void *hier_reduce(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, int leader, void *result)
{
	struct coll_args in = coll_hier_local_args(k, h, COLL_REDUCE, leader);

	if (in.n == 1)
		return coll_operand(k);
	in.rbuf = result;
	if (k->in_place && k->me != leader) {
		in.sbuf = k->rbuf;
		in.in_place = false;
	}
	coll_hier_local(s, &in);
	return result;
}

void coll_reduce_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int leader = coll_hier_leader(k, h);
	struct coll_args out = *k;
	void *result = NULL;

	if (k->me == k->root)
		result = k->rbuf;
	else if (k->me == leader && h->local.size > 1)
		result = coll_sched_elements(s, k->rtype, k->rcount);
	out.sbuf = hier_reduce(s, k, h, leader, result);
	out.in_place = k->me == k->root && out.sbuf == k->rbuf;
	if (out.in_place)
		out.sbuf = NULL;
	if (k->me == leader)
		coll_hier_leaders(s, k, h, &out);
}

void coll_reduce_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int leader = coll_hier_leader(k, h);
	struct coll_args in = coll_hier_local_args(k, h, COLL_REDUCE, leader);
	const void *sum = coll_port_reduce_recv(s, k, h);

	in.rbuf = NULL;
	if (k->me == k->root)
		in.rbuf = k->rbuf;
	else if (k->me == leader)
		in.rbuf = coll_sched_elements(s, k->rtype, k->rcount);
	if (sum != k->rbuf || k->me != k->root) {
		in.sbuf = sum;
		in.in_place = false;
	}
	coll_hier_local(s, &in);
	coll_sched_group(s, k->comm->group);
	if (k->me == leader)
		coll_port_reduce_send(s, k, h, in.rbuf);
}

void coll_allreduce_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int leader = h->leaders[h->my_host];
	struct coll_args rootless = *k, in, out;

	rootless.root = -1;
	out = rootless;
	out.sbuf = hier_reduce(s, &rootless, h, leader, k->me == leader ? k->rbuf : NULL);
	out.in_place = out.sbuf == k->rbuf;
	if (out.in_place)
		out.sbuf = NULL;
	if (k->me == leader)
		coll_hier_leaders(s, &rootless, h, &out);
	in = coll_hier_local_args(&rootless, h, COLL_BCAST, leader);
	in.in_place = false;
	in.op = NULL;
	coll_hier_local(s, &in);
}

/* --- long broadcasts, in segments ----------------------------------------------------------- */

/*
 *      host 0   0 ─> 1 ─> 2       a chain or a tree of hosts: 0 and 3 receive for their hosts, and
 *                    └──┐         the next members, 1 and 4, send on
 *      host 1   3 <─────┘ ...
 *
 * A leader alone would receive each byte, copy it into the host's memory, and send it. */

/* The rank of host i's leader in a broadcast: its first member. */
static int pipe_leader(const struct coll_args *k, const struct coll_hier *h, int i)
{
	return i == coll_hier_host(h, k->comm, k->root) ? k->root : h->leaders[i];
}

/* The rank of host i's sender: its second member, or the leader alone. */
static int pipe_sender(const struct coll_args *k, const struct coll_hier *h, int i)
{
	int r = pipe_leader(k, h, i);

	if (h->host_sizes[i] == 1)
		return r;
	do
		r = (r + 1) % k->n;
	while (coll_hier_host(h, k->comm, r) != i);
	return r;
}

/* The place of this host in the tree of hosts: its parent sends, its children are leaders. */
static struct pipe pipe_of_hosts(const struct coll_args *k, const struct coll_hier *h, int arity)
{
	struct coll_args hosts = *k;
	struct pipe p;

	hosts.n = h->nhosts;
	hosts.me = h->my_host;
	hosts.root = coll_hier_host(h, k->comm, k->root);
	p = coll_pipe_of(&hosts, arity, k->bytes, 1);
	if (p.parent >= 0)
		p.parent = pipe_sender(k, h, p.parent);
	for (int i = 0; i < p.children; i++)
		p.child[i] = pipe_leader(k, h, p.child[i]);
	return p;
}

/* One segment, whose call within the host is *in.  Of v members there it goes to 0, from other
 * hosts; from there to all by memory, or to 1, 2 ... by messages; from 1 to other hosts. */
static void pipe_segment(struct sched *s, const struct coll_args *k, const struct coll_args *in,
	const struct pipe *hosts)
{
	int n = in->n, v = (in->me - in->root + n) % n;

	if (v == 0 && hosts->parent >= 0)
		coll_sched_recv(s, in->rbuf, in->rcount, in->rtype, hosts->parent);
	if (v > 0 && !k->blocking) {
		coll_sched_group(s, in->comm->group);
		coll_sched_recv(s, in->rbuf, in->rcount, in->rtype, (in->me + n - 1) % n);
		coll_sched_group(s, k->comm->group);
	}
	coll_sched_fence(s);
	if (k->blocking)
		coll_hier_local(s, in);
	for (int i = 0; v == (n > 1) && i < hosts->children; i++)
		coll_sched_send(s, in->rbuf, in->rcount, in->rtype, hosts->child[i]);
	if (k->blocking || v == n - 1)
		return;
	coll_sched_group(s, in->comm->group);
	coll_sched_send(s, in->rbuf, in->rcount, in->rtype, (in->me + 1) % n);
	coll_sched_group(s, k->comm->group);
}

static void bcast_hosts_pipelined(struct sched *s, const struct coll_args *k, int arity)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	struct coll_args in = coll_hier_local_args(k, h, COLL_BCAST, coll_hier_leader(k, h));
	struct pipe p = pipe_of_hosts(k, h, arity);
	char *mem = k->rtype->dense ? k->rbuf : coll_sched_bytes(s, k->bytes);

	if (!k->rtype->dense && k->me == k->root)
		coll_sched_pack(s, k->rbuf, k->rcount, k->rtype, mem, k->bytes);
	in.rtype = type_predefined(MPI_BYTE);
	for (int64_t at = 0; at < p.all; at += p.length) {
		in.rbuf = mem + at;
		in.rcount = in.bytes = coll_pipe_len(&p, at);
		pipe_segment(s, k, &in, &p);
	}
	if (!k->rtype->dense && k->me != k->root)
		coll_sched_unpack(s, mem, k->rbuf, k->rcount, k->rtype, k->bytes);
}

void coll_bcast_hier_chain(struct sched *s, const struct coll_args *k)
{
	bcast_hosts_pipelined(s, k, 1);
}

void coll_bcast_hier_binary(struct sched *s, const struct coll_args *k)
{
	bcast_hosts_pipelined(s, k, 2);
}

/* --- ports: short data of all hosts in one step --------------------------------------------- */

/*
 *      host h      member 0 1 2 3 0 1 ...   local   each member has its host's data
 *      of hosts h + 1   2 3 4 5 6 ...       ports   member j exchanges them with hosts h +- d,
 *                                                   d = 1 + j, 1 + j + members, ...
 *                                           local   allgather: all members have the data of all
 *
 * Leaders alone need log2(hosts) messages one after another.  For hosts in lanes. */

int coll_port_parts(const struct coll_hier *h)
{
	return (h->nhosts - 2) / h->local.size + 1;
}

int64_t coll_port_row(const struct coll_hier *h, int d)
{
	return (int64_t)((d - 1) % h->local.size) * coll_port_parts(h) + (d - 1) / h->local.size;
}

void *coll_port_exchange(struct sched *s, const struct coll_args *k, const struct coll_hier *h,
	const void *mem, int64_t stride, int64_t count, struct type *type)
{
	int n = h->nhosts, lane = h->local.rank * h->lane_step, part = 0;
	void *parts = coll_sched_elements(s, type, coll_port_parts(h) * count);

	coll_sched_group(s, k->comm->group);
	for (int d = 1 + h->local.rank; d < n; d += h->local.size, part++) {
		int from = h->leaders[(h->my_host + n - d) % n] + lane;
		int to = h->leaders[(h->my_host + d) % n] + lane;

		coll_sched_recv(s, coll_element(parts, type, part * count), count, type, from);
		coll_sched_send(s, coll_element(mem, type, part * stride), count, type, to);
	}
	coll_sched_fence(s);
	for (; part < coll_port_parts(h); part++)
		coll_sched_move(s, mem, coll_element(parts, type, part * count), count, type);
	return parts;
}

void coll_barrier_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	struct coll_args in = coll_hier_local_args(k, h, COLL_BARRIER, h->leaders[h->my_host]);

	coll_hier_local(s, &in);
	coll_port_exchange(s, k, h, NULL, 0, 0, type_predefined(MPI_BYTE));
	coll_hier_local(s, &in);
}

/* The members of a host reduce, to all.  Returns the sum. */
static void *ports_reduce_local(struct sched *s, const struct coll_args *k, struct coll_hier *h)
{
	void *sum = coll_sched_elements(s, k->rtype, k->rcount);
	struct coll_args in = coll_hier_local_args(k, h, COLL_ALLREDUCE, h->leaders[h->my_host]);

	in.in_place = false;
	in.sbuf = coll_operand(k);
	in.rbuf = sum;
	coll_hier_local(s, &in);
	return sum;
}

/* Brings `count' elements of each of the host's members together. */
static void *ports_gather_local(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	const void *parts, int64_t count)
{
	struct coll_args in = coll_hier_local_args(k, h, COLL_ALLGATHER, h->leaders[h->my_host]);

	in.in_place = false;
	in.op = NULL;
	in.sbuf = parts;
	in.rbuf = coll_sched_elements(s, k->rtype, in.n * count);
	in.stype = k->rtype;
	in.scount = in.rcount = count;
	in.bytes = count * k->rtype->size;
	coll_hier_local(s, &in);
	return in.rbuf;
}

/* The sum of a host among them. */
static const void *port_sum(const struct coll_args *k, const struct coll_hier *h, const void *own,
	const void *all, int host)
{
	int d = (h->my_host - host + h->nhosts) % h->nhosts;

	return d == 0 ? own : coll_element(all, k->rtype, coll_port_row(h, d) * k->rcount);
}

/* Each member combines the sums of all hosts, in the order of hosts, which have several members. */
void coll_allreduce_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	void *own = ports_reduce_local(s, k, h);
	void *parts = coll_port_exchange(s, k, h, own, 0, k->rcount, k->rtype);
	void *all = ports_gather_local(s, k, h, parts, coll_port_parts(h) * k->rcount);
	const void *sum = port_sum(k, h, own, all, h->nhosts - 1);

	for (int i = h->nhosts - 2; i >= 0; i--) {
		coll_sched_reduce(
			s, port_sum(k, h, own, all, i), sum, k->rbuf, k->rcount, k->rtype);
		sum = k->rbuf;
	}
}

/* --- lanes: long reductions, in which all members of a host work ---------------------------- */

/*
 *      host 0   0 1 2 3      local   reduce_scatter: member j has part j of its host's sum
 *               │ │ │ │
 *      host 1   4 5 6 7      lanes   member j of each host: the same call, of part j
 *
 *                            local   allgather, or gather to the root
 *
 * A leader alone would combine and send all data of its host.  Here each member does so for one
 * part, and between hosts go no more bytes than leaders would send.  Each host has as many members,
 * intervals of ranks or a cyclic mapping.  Elements that are left when the data are cut into equal
 * parts go by leaders. */

/* Members j of each host make a call among themselves, as *out says; out->root is a host.  The
 * lanes share the hosts' networks, so the choice is that for all data. */
static void lane_call(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, struct coll_args *out)
{
	int32_t *map = h->leader_peers;
	struct group group = {.size = h->nhosts, .rank = h->my_host, .stride = 1, .map = map};

	for (int i = 0; i < h->nhosts; i++)
		map[i] = group_peer(k->comm->group, h->leaders[i] + h->local.rank * h->lane_step);
	out->n = out->nin = out->nout = h->nhosts;
	out->me = h->my_host;
	out->at_root = out->me == out->root;
	out->bytes = k->bytes;
	coll_sched_group(s, &group);
	coll_algorithm_leaders(out)(s, out);
	coll_sched_fence(s);
	coll_sched_group(s, k->comm->group);
}

/* The arguments of a call of one part. */
static struct coll_args part_args(const struct coll_args *k, void *mine, int64_t part)
{
	struct coll_args p = *k;

	p.in_place = false;
	p.sbuf = p.rbuf = mine;
	p.stype = k->rtype;
	p.scount = p.rcount = part;
	p.bytes = part * k->rtype->size;
	return p;
}

/* The host's members reduce: each gets its part.  Returns it. */
static void *lanes_reduce_local(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, int64_t part)
{
	void *mine = coll_sched_elements(s, k->rtype, part);
	struct coll_args p = part_args(k, mine, part), in;

	p.root = -1;
	p.sbuf = coll_operand(k);
	in = coll_hier_local_args(&p, h, COLL_REDUCE_SCATTER_BLOCK, h->leaders[h->my_host]);
	coll_hier_local(s, &in);
	return mine;
}

/* The parts come together: at all members of the host, or at the root among them. */
static void lanes_gather_local(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	enum coll_kind kind, int leader, void *mine, int64_t part)
{
	struct coll_args p = part_args(k, mine, part), in;

	p.rbuf = k->rbuf;
	p.op = NULL;
	in = coll_hier_local_args(&p, h, kind, leader);
	coll_hier_local(s, &in);
}

/* The call for the elements that are no part, from `at' on. */
static struct coll_args rest_args(const struct coll_args *k, int64_t at)
{
	struct coll_args rest = *k;

	rest.rcount = k->rcount - at;
	rest.bytes = rest.rcount * k->rtype->size;
	if (!k->in_place)
		rest.sbuf = coll_element(k->sbuf, k->rtype, at);
	if (k->rbuf != NULL)
		rest.rbuf = coll_element(k->rbuf, k->rtype, at);
	return rest;
}

void coll_allreduce_lanes(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int64_t part = k->rcount / h->local.size, at = part * h->local.size;
	void *mine = lanes_reduce_local(s, k, h, part);
	struct coll_args out = part_args(k, mine, part), rest = rest_args(k, at);

	out.root = -1;
	out.in_place = true;
	out.sbuf = NULL;
	lane_call(s, k, h, &out);
	lanes_gather_local(s, k, h, COLL_ALLGATHER, h->leaders[h->my_host], mine, part);
	if (rest.rcount > 0)
		coll_allreduce_hier(s, &rest);
}

void coll_reduce_lanes(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int64_t part = k->rcount / h->local.size, at = part * h->local.size;
	void *mine = lanes_reduce_local(s, k, h, part);
	struct coll_args out = part_args(k, mine, part), rest = rest_args(k, at);

	out.root = coll_hier_host(h, k->comm, k->root);
	out.in_place = out.root == h->my_host;
	if (out.in_place)
		out.sbuf = NULL;
	lane_call(s, k, h, &out);
	if (out.root == h->my_host)
		lanes_gather_local(s, k, h, COLL_GATHER, k->root, mine, part);
	if (rest.rcount > 0)
		coll_reduce_hier(s, &rest);
}

/* Cyclic mapping: a lane's blocks lie side by side, and are brought together first. */
void coll_allgather_lanes(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	struct coll_args in = coll_hier_local_args(k, h, k->kind, h->leaders[h->my_host]);
	struct coll_args out = *k;

	if (!h->cyclic) {
		coll_allgather_hier(s, k);
		return;
	}
	out.root = -1;
	out.rbuf = coll_element(k->rbuf, k->rtype, in.me * h->nhosts * k->rcount);
	lane_call(s, k, h, &out);
	in.in_place = true;
	in.sbuf = NULL;
	in.rcount = h->nhosts * k->rcount;
	in.bytes = h->nhosts * k->bytes;
	coll_hier_local(s, &in);
}

/* All blocks in the order of lanes: those of the first members of all hosts, and so on. */
static const void *lanes_sort_blocks(
	struct sched *s, const struct coll_args *k, const struct coll_hier *h, int64_t block)
{
	const void *operand = coll_operand(k);
	int each = h->local.size;
	void *sorted;

	if (h->lane_step > 1)
		return operand; /* with a cyclic mapping they are in this order */
	sorted = coll_sched_elements(s, k->rtype, k->n * block);
	for (int r = 0; r < k->n; r++) {
		int64_t to = (int64_t)(r % each) * h->nhosts + r / each;

		coll_sched_move(s, coll_element(operand, k->rtype, r * block),
			coll_element(sorted, k->rtype, to * block), block, k->rtype);
	}
	return sorted;
}

/* The host's sums of the blocks of this member's lane: of short ones in one call, for which they
 * are sorted; of longer ones in a call for each host. */
static void *lanes_reduce_blocks(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, int64_t block)
{
	int each = h->local.size, hosts = h->nhosts;
	void *mine = coll_sched_elements(s, k->rtype, hosts * block);
	bool sorts = k->bytes < LANES_SORTED * (k->blocking ? 1 : 2) && h->lane_step == 1;
	const void *from = sorts ? lanes_sort_blocks(s, k, h, block) : coll_operand(k);

	for (int i = 0; i < (sorts || h->lane_step > 1 ? 1 : hosts); i++)
		coll_hier_local_elements(s, k, h, COLL_REDUCE_SCATTER_BLOCK, h->leaders[h->my_host],
			coll_element(from, k->rtype, i * each * block),
			coll_element(mine, k->rtype, i * block),
			sorts || h->lane_step > 1 ? hosts * block : block);
	return mine;
}

/* The host's sum of the blocks of this lane for host i, in its memory; messages go on meanwhile. */
static void lanes_sum_host(struct sched *s, const struct coll_args *k, struct coll_hier *h, int i,
	void *sum, int64_t block)
{
	struct coll_args part = part_args(k, sum, block), in;
	struct coll_args *step = coll_sched_bytes(s, sizeof(*step));

	part.root = -1;
	part.sbuf = coll_element(coll_operand(k), k->rtype, i * h->local.size * block);
	in = coll_hier_local_args(&part, h, COLL_REDUCE_SCATTER_BLOCK, h->leaders[h->my_host]);
	if (step == NULL)
		return; /* the schedule has stored that */
	*step = in;
	coll_sched_call(s, hier_local_run, step);
}

/* Brings the sums of this member's block by all hosts together, in `in'.  In a host's memory those
 * for one host leave while those for the next are made. */
static void lanes_exchange_blocks(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, void *in, int64_t block)
{
	int n = h->nhosts, lane = h->local.rank * h->lane_step, me = h->my_host;
	void *out = k->blocking ? coll_sched_elements(s, k->rtype, n * block)
				: lanes_reduce_blocks(s, k, h, block);
	void *own = coll_element(in, k->rtype, me * block), *sum;

	coll_sched_group(s, k->comm->group);
	for (int from = (me + n - 1) % n; from != me; from = (from + n - 1) % n)
		coll_sched_recv(s, coll_element(in, k->rtype, from * block), block, k->rtype,
			h->leaders[from] + lane);
	for (int to = (me + 1) % n; to != me; to = (to + 1) % n) {
		sum = coll_element(out, k->rtype, to * block);
		if (k->blocking)
			lanes_sum_host(s, k, h, to, sum, block);
		coll_sched_send(s, sum, block, k->rtype, h->leaders[to] + lane);
	}
	if (k->blocking)
		lanes_sum_host(s, k, h, me, own, block);
	else
		coll_sched_move(s, coll_element(out, k->rtype, me * block), own, block, k->rtype);
	coll_sched_fence(s);
}

/* Long blocks: the sums of all hosts are combined in the order of hosts. */
static void lanes_scatter_direct(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, int64_t block)
{
	int n = h->nhosts;
	void *in = coll_sched_elements(s, k->rtype, n * block);
	void *sum = coll_element(in, k->rtype, (n - 1) * block);

	lanes_exchange_blocks(s, k, h, in, block);
	for (int i = n - 2; i >= 0; i--) {
		void *to = i == 0 ? k->rbuf : sum;

		coll_sched_reduce(
			s, coll_element(in, k->rtype, i * block), sum, to, block, k->rtype);
		sum = to;
	}
}

/* Blocks of one length: each member combines those of its lane for its host, then the lanes
 * reduce_scatter. */
void coll_reduce_scatter_lanes(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	struct coll_args out = *k;

	if (k->bytes >= LANES_SORTED && k->bytes < LANES_LONG && h->lane_step == 1 &&
		h->nhosts >= LANES_HOSTS) {
		lanes_scatter_direct(s, k, h, coll_block_size(k, 0));
		return;
	}
	out.in_place = false;
	out.root = -1;
	out.bytes = k->bytes * h->local.size;
	out.sbuf = lanes_reduce_blocks(s, k, h, coll_block_size(k, 0));
	out.kind = COLL_REDUCE_SCATTER_BLOCK;
	lane_call(s, &out, h, &out);
}

/* Counts the elements of each host's blocks.  Returns those of this host's. */
static int64_t hier_sum_blocks(const struct coll_args *k, struct coll_hier *h)
{
	memset(h->sums, 0, (size_t)h->nhosts * sizeof(*h->sums));
	for (int r = 0; r < k->n; r++)
		h->sums[coll_hier_host(h, k->comm, r)] += coll_block_size(k, r);
	return h->sums[h->my_host];
}

/* Each member gets its host's blocks from the leader, `nown' elements in all, and takes its own. */
static void hier_take_block(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, void *blocks, int64_t nown)
{
	int leader = h->leaders[h->my_host];
	int64_t at = coll_block_from(k, k->me) - coll_block_from(k, leader);
	struct coll_args in = coll_hier_local_args(k, h, COLL_BCAST, leader);

	in.in_place = false;
	in.rbuf = blocks;
	in.rcount = nown;
	in.bytes = nown * k->rtype->size;
	in.empty = in.bytes == 0;
	in.op = NULL;
	coll_hier_local(s, &in);
	coll_sched_move(s, coll_element(blocks, k->rtype, at), k->rbuf, coll_block_size(k, k->me),
		k->rtype);
}

/* Each host reduces all blocks to its leader; the leaders reduce_scatter the blocks of whole hosts;
 * each member takes its own block.  For hosts whose members are intervals, so that their blocks lie
 * side by side. */
void coll_reduce_scatter_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int leader = h->leaders[h->my_host];
	int64_t all = coll_block_from(k, k->n), nown = hier_sum_blocks(k, h);
	bool alone = h->local.size == 1;
	struct coll_args whole = *k, out;
	void *blocks = alone ? k->rbuf : coll_sched_elements(s, k->rtype, nown);
	void *sum = k->me == leader && !alone ? coll_sched_elements(s, k->rtype, all) : NULL;

	whole.root = -1;
	whole.sbuf = coll_operand(k);
	whole.in_place = false;
	whole.rcount = all;
	whole.rcounts.v = NULL;
	whole.bytes = all * k->rtype->size;
	out = whole;
	out.sbuf = hier_reduce(s, &whole, h, leader, sum);
	out.kind = COLL_REDUCE_SCATTER;
	out.bytes = whole.bytes / h->nhosts; /* of a block, about */
	out.rcounts = (struct haft_counts){h->sums, true};
	out.rbuf = blocks;
	if (k->me == leader)
		coll_hier_leaders(s, &whole, h, &out);
	if (!alone)
		hier_take_block(s, k, h, blocks, nown);
}

/* --- scans: for hosts whose members are intervals of ranks ---------------------------------- */

/*
 *      hierarchical   scan in each host; leaders exscan the totals; all members of a host add the
 *                     result of earlier hosts
 *      ports          short: each member gets the operands of its host and all hosts' totals
 *      lanes          member j has part j of its host's operands, scans it, and adds the exscan of
 *                     the totals of part j by the j-th members of all hosts; then the results go
 *                     back to their members */

/* The total of this host at its last member, whose operand is `mine', after the scan in the host.
 */
static const void *scan_total(
	struct sched *s, const struct coll_args *k, const void *mine, int size)
{
	void *sum;

	if (size == 1)
		return mine;
	if (k->kind == COLL_SCAN)
		return k->rbuf;
	sum = coll_sched_elements(s, k->rtype, k->rcount);
	coll_sched_move(s, mine, sum, k->rcount, k->rtype);
	coll_sched_reduce(s, k->rbuf, sum, sum, k->rcount, k->rtype);
	return sum;
}

/* Sends the total from the last member of this host to the leader, its first; returns it there. */
static const void *scan_total_to_leader(
	struct sched *s, const struct coll_args *k, const struct coll_hier *h, const void *total)
{
	int last = h->local.size - 1;
	void *here;

	if (last == 0)
		return total;
	coll_sched_group(s, &h->group);
	if (h->local.rank == last)
		coll_sched_send(s, total, k->rcount, k->rtype, 0);
	if (h->local.rank != 0)
		return NULL;
	here = coll_sched_elements(s, k->rtype, k->rcount);
	coll_sched_recv(s, here, k->rcount, k->rtype, last);
	coll_sched_fence(s);
	return here;
}

/* Scans within each host.  Returns the host's total, at its leader. */
static const void *scan_local(struct sched *s, const struct coll_args *k, struct coll_hier *h)
{
	int size = h->local.size;
	bool last = h->local.rank == size - 1;
	const void *mine = coll_operand(k), *total = NULL;
	struct coll_args in = coll_hier_local_args(k, h, k->kind, h->leaders[h->my_host]);
	void *copy;

	if (size > 1 && last && k->kind == COLL_EXSCAN && k->in_place) {
		copy = coll_sched_elements(s, k->rtype, k->rcount);
		coll_sched_move(s, mine, copy, k->rcount, k->rtype);
		mine = copy;
	}
	coll_hier_local(s, &in);
	if (last)
		total = scan_total(s, k, mine, size);
	total = scan_total_to_leader(s, k, h, total);
	if (size == 1 && k->kind == COLL_SCAN)
		coll_sched_move(s, mine, k->rbuf, k->rcount, k->rtype);
	return total;
}

/* The leaders scan the totals: `before' becomes the result of all hosts before this one. */
static void scan_leaders(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	const void *total, void *before)
{
	struct coll_args out = *k;

	out.kind = COLL_EXSCAN;
	out.in_place = false;
	out.sbuf = total;
	out.rbuf = before;
	if (h->local.rank == 0)
		coll_hier_leaders(s, k, h, &out);
}

/* All members of a host combine the result of earlier hosts with their own. */
static void scan_apply(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, void *before)
{
	struct coll_args in = coll_hier_local_args(k, h, COLL_BCAST, h->leaders[h->my_host]);

	in.rbuf = before;
	in.in_place = false;
	in.op = NULL;
	coll_hier_local(s, &in);
	if (k->kind == COLL_EXSCAN && h->local.rank == 0)
		coll_sched_move(s, before, k->rbuf, k->rcount, k->rtype);
	else
		coll_sched_reduce(s, before, k->rbuf, k->rbuf, k->rcount, k->rtype);
}

void coll_scan_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	struct coll_args rootless = *k;
	void *before = coll_sched_elements(s, k->rtype, k->rcount);
	const void *total;

	rootless.root = -1;
	total = scan_local(s, &rootless, h);
	scan_leaders(s, &rootless, h, total, before);
	if (h->my_host > 0)
		scan_apply(s, &rootless, h, before);
}

/* Scans the operands of the host's members, in their place.  Returns the total. */
static const void *ports_scan_local(
	struct sched *s, const struct coll_args *k, const struct coll_hier *h, void *here)
{
	char *last = here;

	for (int i = 1; i < h->local.size; i++) {
		char *next = coll_element(here, k->rtype, i * k->rcount);

		coll_sched_reduce(s, last, next, next, k->rcount, k->rtype);
		last = next;
	}
	return last;
}

/* Short scans: each member gets the operands of its host, and the totals of all hosts by ports. */
void coll_scan_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	void *here = ports_gather_local(s, k, h, coll_operand(k), k->rcount), *all, *parts;
	const void *total = ports_scan_local(s, k, h, here), *sum = NULL;
	int upto = h->local.rank - (k->kind == COLL_EXSCAN), before = h->my_host - 1;

	parts = coll_port_exchange(s, k, h, total, 0, k->rcount, k->rtype);
	all = ports_gather_local(s, k, h, parts, coll_port_parts(h) * k->rcount);
	if (upto >= 0)
		sum = coll_element(here, k->rtype, upto * k->rcount);
	else if (before >= 0)
		sum = port_sum(k, h, NULL, all, before--);
	for (int i = before; i >= 0; i--) {
		coll_sched_reduce(
			s, port_sum(k, h, NULL, all, i), sum, k->rbuf, k->rcount, k->rtype);
		sum = k->rbuf;
	}
	if (sum != NULL && sum != k->rbuf)
		coll_sched_move(s, sum, k->rbuf, k->rcount, k->rtype);
}

/* An alltoall of the host's members, of `count' elements to each. */
static void scan_exchange(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	const void *sbuf, void *rbuf, int64_t count)
{
	coll_hier_local_elements(s, k, h, COLL_ALLTOALL, h->leaders[h->my_host], sbuf, rbuf, count);
}

/* The j-th members of all hosts exscan `total', `count' elements, into `before'. */
static void scan_lane(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	const void *total, void *before, int64_t count)
{
	struct coll_args out = *k;

	out.kind = COLL_EXSCAN;
	out.root = -1;
	out.in_place = false;
	out.sbuf = total;
	out.rbuf = before;
	out.stype = k->rtype;
	out.scount = out.rcount = count;
	lane_call(s, k, h, &out);
}

/* mem: the result of earlier hosts, then this part of the operands of the host's members. */
static void scan_lane_parts(
	struct sched *s, const struct coll_args *k, struct coll_hier *h, void *mem, int64_t part)
{
	int each = h->local.size;
	struct type *t = k->rtype;

	for (int i = 2; i <= each; i++)
		coll_sched_reduce(s, coll_element(mem, t, (i - 1) * part),
			coll_element(mem, t, i * part), coll_element(mem, t, i * part), part, t);
	scan_lane(s, k, h, coll_element(mem, t, each * part), mem, part);
	for (int i = 1; i <= each && h->my_host > 0; i++)
		coll_sched_reduce(s, mem, coll_element(mem, t, i * part),
			coll_element(mem, t, i * part), part, t);
	if (h->my_host == 0) /* rank 0 of an exscan gets it, and drops it */
		coll_sched_move(s, coll_element(mem, t, part), mem, part, t);
}

void coll_scan_lanes(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int each = h->local.size, shift = k->kind == COLL_SCAN;
	int64_t part = (k->rcount + each - 1) / each, all = each * part;
	const void *operand = coll_padded(s, k, coll_operand(k), k->rcount, all);
	void *mem = coll_sched_elements(s, k->rtype, all + part), *result = k->rbuf;
	bool direct = all == k->rcount && (k->me > 0 || shift > 0);

	scan_exchange(s, k, h, operand, coll_element(mem, k->rtype, part), part);
	scan_lane_parts(s, k, h, mem, part);
	if (!direct)
		result = coll_sched_elements(s, k->rtype, all);
	scan_exchange(s, k, h, coll_element(mem, k->rtype, shift * part), result, part);
	if (!direct && (k->me > 0 || shift > 0))
		coll_sched_move(s, result, k->rbuf, k->rcount, k->rtype);
}
