// SPDX-License-Identifier: BSD-3-Clause
/* op_list.c - lists of sends and posts: one entry an id, and behind it the ops of the same id.
 *
 *     first -> op(7) <-> op(9) <-> op(4) <- last
 *               |         |
 *              same      same          an op behind another has prev == next == NULL
 *               |         |
 *             op(7)     op(9)
 *
 * The first ops of the ids take turns; within an id there is one order.  A pair has few large
 * messages under way, so looking for an id is a walk. */
#include "libnet/net_inner.h"

struct net_op *net_ops_find(const struct net_ops *l, uint64_t id)
{
	struct net_op *op = l->first;

	while (op != NULL && op->id != id)
		op = op->next;
	return op;
}

static void ops_append(struct net_ops *l, struct net_op *op)
{
	op->next = NULL;
	op->prev = l->last;
	if (l->last != NULL)
		l->last->next = op;
	else
		l->first = op;
	l->last = op;
}

static void ops_unlink(struct net_ops *l, struct net_op *op)
{
	if (op->prev != NULL)
		op->prev->next = op->next;
	else
		l->first = op->next;
	if (op->next != NULL)
		op->next->prev = op->prev;
	else
		l->last = op->prev;
}

void net_ops_add(struct net_ops *l, struct net_op *op)
{
	struct net_op *head = net_ops_find(l, op->id);

	op->same = NULL;
	op->state = NET_OP_ACTIVE;
	if (head == NULL) {
		ops_append(l, op);
		op->tail = op;
		return;
	}
	op->next = op->prev = NULL;
	head->tail->same = op;
	head->tail = op;
}

/* `op' is the first of its id: the second takes its place in the row. */
static void ops_remove_head(struct net_ops *l, struct net_op *op)
{
	struct net_op *heir = op->same;

	if (heir == NULL) {
		ops_unlink(l, op);
		return;
	}
	heir->tail = op->tail;
	heir->prev = op->prev;
	heir->next = op->next;
	if (heir->prev != NULL)
		heir->prev->next = heir;
	else
		l->first = heir;
	if (heir->next != NULL)
		heir->next->prev = heir;
	else
		l->last = heir;
}

void net_ops_remove(struct net_ops *l, struct net_op *op)
{
	struct net_op *head = net_ops_find(l, op->id), *before = head;

	if (NEVER(head == NULL))
		return;
	if (head == op) {
		ops_remove_head(l, op);
		return;
	}
	while (before->same != op)
		before = before->same;
	before->same = op->same;
	if (head->tail == op)
		head->tail = before;
}

void net_ops_rotate(struct net_ops *l)
{
	struct net_op *op = l->first;

	if (op == NULL || op == l->last)
		return;
	ops_unlink(l, op);
	ops_append(l, op);
}

void net_op_end(struct net_op *op, enum net_state state)
{
	op->state = state;
	if (op->done != NULL)
		op->done(op);
}

void net_ops_drop_callbacks(struct net_ops *l)
{
	for (struct net_op *head = l->first; head != NULL; head = head->next) {
		for (struct net_op *op = head; op != NULL; op = op->same)
			op->done = NULL;
	}
}

void net_ops_end(struct net_ops *l, enum net_state state)
{
	struct net_op *op;

	while ((op = l->first) != NULL) {
		net_ops_remove(l, op);
		net_op_end(op, state);
	}
}
