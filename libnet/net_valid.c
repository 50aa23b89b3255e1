// SPDX-License-Identifier: BSD-3-Clause
/* net_valid.c - checks the invariants of an endpoint.
 *
 *     net->conns       CONNECTING, REQUESTED: its peer's attempt   OPEN, CLOSING: its peer's conn
 *     net->strangers   ACCEPTED, no peer, oldest first
 *     net->peers       CONNECTED: conn   CONNECTING: attempt or reconnect   LEFT, LOST: none, no op
 *     net->reconnects  peers with `reconnect'
 *
 * They hold whenever no function of libnet runs. */
#include "libnet/net_inner.h"

static bool conn_valid(const struct net *net, const struct net_conn *c)
{
	if (c->net != net || (c->next != NULL && c->next->prev != c) || c->say_at > c->say_len)
		return false;
	switch (c->state) {
	case CONN_CONNECTING:
	case CONN_REQUESTED: return c->peer != NULL && c->peer->attempt == c;
	case CONN_OPEN:
	case CONN_CLOSING: return c->peer != NULL && c->peer->conn == c;
	default: return false;
	}
}

static bool strangers_valid(const struct net *net)
{
	const struct net_conn *last = NULL;
	int n = 0;

	for (const struct net_conn *c = net->strangers; c != NULL; c = c->next) {
		if (c->state != CONN_ACCEPTED || c->peer != NULL || c->prev != last)
			return false;
		if ((last != NULL && last->born > c->born) || c->hello_at > WIRE_HELLO)
			return false;
		last = c;
		n++;
	}
	return n == net->nstrangers && last == net->strangers_last;
}

/* One entry an id in a list; behind it the ops of that id, the last of which is its tail. */
static bool ops_valid(const struct net_ops *l)
{
	const struct net_op *before = NULL;

	for (const struct net_op *head = l->first; head != NULL; head = head->next) {
		const struct net_op *op = head;

		if (head->prev != before || net_ops_find(l, head->id) != head)
			return false;
		for (; op->state == NET_OP_ACTIVE && op->at <= op->len && op->id == head->id;
			op = op->same)
			if (op->same == NULL)
				break;
		if (op != head->tail || op->same != NULL)
			return false;
		before = head;
	}
	return l->last == before;
}

static bool out_valid(const struct net_out *o)
{
	if (o->q_at > o->q_end || o->q_end > o->q_cap || o->head_at > WIRE_HEAD)
		return false;
	if (o->record == RECORD_FRAMES && (o->left == 0 || o->left > o->q_end - o->q_at))
		return false;
	return (o->record != RECORD_CHUNK || o->sends.first != NULL) && ops_valid(&o->sends);
}

static bool in_valid(const struct net_in *in)
{
	if (in->at == IN_HEAD && in->have >= WIRE_HEAD)
		return false;
	if (in->at == IN_CHUNK && (in->left == 0 || in->pad >= WIRE_ALIGN))
		return false;
	return (in->part == NULL || in->at == IN_FRAME) && ops_valid(&in->posts);
}

static bool peer_valid(const struct net *net, const struct net_peer *p)
{
	if (p->net != net || net_peer_at(net, p->rank) != p)
		return false;
	if (p->state < NET_PEER_LEFT && (!out_valid(&p->out) || !in_valid(&p->in)))
		return false;
	switch (p->state) {
	case NET_PEER_NONE: return p->conn == NULL && p->attempt == NULL && !p->reconnect;
	case NET_PEER_CONNECTING: return p->conn == NULL && (p->attempt != NULL) != p->reconnect;
	case NET_PEER_CONNECTED: return p->conn != NULL && p->attempt == NULL && !p->reconnect;
	default:
		return p->conn == NULL && p->attempt == NULL && !p->reconnect &&
		       p->out.sends.first == NULL && p->in.posts.first == NULL;
	}
}

bool net_valid(const struct net *net)
{
	int reconnects = 0, waiting = 0;

	for (const struct net_conn *c = net->conns; c != NULL; c = c->next)
		if (!conn_valid(net, c))
			return false;
	for (const struct net_peer *p = net->peers; p != NULL; p = p->next) {
		if (!peer_valid(net, p))
			return false;
		reconnects += p->reconnect;
	}
	for (const struct net_peer *p = net->reconnects; p != NULL; p = p->next_reconnect)
		waiting += p->reconnect ? 1 : reconnects + 1;
	if (net->hot != NULL && (net->hot->state != CONN_OPEN || net->hot->wants_out))
		return false;
	return waiting == reconnects && strangers_valid(net);
}
