// SPDX-License-Identifier: BSD-3-Clause
/* port_tree.c - short broadcasts and reductions over hosts, whose members send at once.
 *
 *      host 0       0 1 2 3          local   all members have the data
 *                   │ │ │ │ \        ports   member j sends to each `members'-th child, from j on
 *      hosts        1 2 3 4  5       local   ... and so on
 *
 *      A reduction is the same tree upside down: members receive their children's results, and
 *      combine them with their own operands, before the members of the host reduce to its leader.
 *
 * Leaders alone need log2(hosts) messages one after another; here it is the logarithm to the base
 * of `arity'.  A host's network passes its data as often, so longer data have fewer children.  For
 * hosts in lanes (hierarchical.h), and for operations that commute.  The messages between hosts are
 * here; hierarchical.c has the parts on one host. */
#include "libmpi/coll/hierarchical.h"

#include "libmpi/core/num.h"

#define PORT_CHILDREN 4                  /* of a member, at most */
#define PORT_BYTES    MEAN_OR(64, 32768) /* of a host's messages, if it has more than PORT_LEAST */
#define PORT_LEAST    4                  /* children */

/* This host's node of the tree: 0 is the root's host. */
struct port_node {
	int n, root; /* hosts; the root's */
	int me;      /* this node */
	int arity;   /* children of a node */
};

/* The hosts of a tree of so many levels below its root. */
static int64_t port_reach(int64_t arity, int levels)
{
	int64_t all = 1, width = 1;

	for (int i = 0; i < levels; i++)
		all += width *= arity;
	return all;
}

/* The least number of children with which the tree has no more levels than with `most'. */
static int port_arity(int hosts, int64_t most)
{
	int levels = 0, arity = 1;

	while (port_reach(most, levels) < hosts)
		levels++;
	while (port_reach(arity, levels) < hosts)
		arity++;
	return arity;
}

static struct port_node port_node_of(const struct coll_args *k, const struct coll_hier *h)
{
	int root = coll_hier_host(h, k->comm, k->root);
	int64_t most = num_max(PORT_BYTES / num_max(k->bytes, 1), PORT_LEAST);

	return (struct port_node){.n = h->nhosts,
		.root = root,
		.me = (h->my_host - root + h->nhosts) % h->nhosts,
		.arity = port_arity(
			h->nhosts, num_min(most, (int64_t)PORT_CHILDREN * h->local.size))};
}

/* The host at a node. */
static int port_host(const struct port_node *p, int node)
{
	return (node + p->root) % p->n;
}

/* The rank of the member of the parent's host that serves this node. */
static int port_parent(const struct port_node *p, const struct coll_hier *h)
{
	int parent = (p->me - 1) / p->arity, child = (p->me - 1) % p->arity;

	return h->leaders[port_host(p, parent)] + child % h->local.size * h->lane_step;
}

/* The i-th child that this member serves: the rank of its leader; -1: there are no more. */
static int port_child(const struct port_node *p, const struct coll_hier *h, int i)
{
	int child = h->local.rank + i * h->local.size;
	int64_t node = (int64_t)p->me * p->arity + 1 + child;

	return child < p->arity && node < p->n ? h->leaders[port_host(p, (int)node)] : -1;
}

void coll_port_bcast_recv(struct sched *s, const struct coll_args *k, const struct coll_hier *h)
{
	struct port_node p = port_node_of(k, h);

	if (p.me == 0)
		return;
	coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, port_parent(&p, h));
	coll_sched_fence(s);
}

void coll_port_bcast_send(struct sched *s, const struct coll_args *k, const struct coll_hier *h)
{
	struct port_node p = port_node_of(k, h);

	for (int i = 0, child; (child = port_child(&p, h, i)) >= 0; i++)
		coll_sched_send(s, k->rbuf, k->rcount, k->rtype, child);
}

const void *coll_port_reduce_recv(
	struct sched *s, const struct coll_args *k, const struct coll_hier *h)
{
	struct port_node p = port_node_of(k, h);
	const void *sum = coll_operand(k);
	void *parts;
	int n = 0;

	while (port_child(&p, h, n) >= 0)
		n++;
	if (n == 0)
		return sum;
	parts = coll_sched_elements(s, k->rtype, (int64_t)n * k->rcount);
	for (int i = 0; i < n; i++)
		coll_sched_recv(s, coll_element(parts, k->rtype, i * k->rcount), k->rcount,
			k->rtype, port_child(&p, h, i));
	coll_sched_fence(s);
	for (int i = 0; i < n; i++) {
		void *part = coll_element(parts, k->rtype, i * k->rcount);

		coll_sched_reduce(s, sum, part, part, k->rcount, k->rtype);
		sum = part;
	}
	return sum;
}

void coll_port_reduce_send(
	struct sched *s, const struct coll_args *k, const struct coll_hier *h, const void *result)
{
	struct port_node p = port_node_of(k, h);

	if (p.me > 0)
		coll_sched_send(s, result, k->rcount, k->rtype, port_parent(&p, h));
}
