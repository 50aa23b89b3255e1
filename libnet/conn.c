// SPDX-License-Identifier: BSD-3-Clause
/* conn.c - a connection from its birth until it is open: one hello each way.
 *
 *     side that connects                                side that accepts
 *     CONNECTING  -- connected, connect request ----->  ACCEPTED   key? version? universe? for me?
 *     REQUESTED   <------------------------ accept ---  OPEN
 *     OPEN
 *                 <-------- crossed, duplicate, wrong peer ..., and closed
 *
 * If both have sent a request, the connection of the lower rank wins: the lower rank answers
 * `crossed', and the higher one waits for the other request.  A connection without a request yet
 * gives way to any request.  So at most one connection of a pair is ever accepted, and only that
 * one counts: nothing is delivered twice and nothing gets lost.  Frames follow the request at once,
 * as the sender may compute for long before it polls again; they are read when it is accepted, and
 * wait in the sender's queue until it learns of that.
 *
 * A stranger costs one struct net_conn, one descriptor, and 64 bytes that are read. */
#include "libnet/net_inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct net_conn *net_conn_new(struct net *net)
{
	struct net_conn *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->net = net;
	c->fd = -1;
	c->born = net->io->now(net);
	c->next = net->conns;
	if (c->next != NULL)
		c->next->prev = c;
	net->conns = c;
	return c;
}

static void conn_unlink(struct net_conn *c)
{
	struct net *net = c->net;
	bool stranger = c->state == CONN_ACCEPTED;

	if (c->prev != NULL)
		c->prev->next = c->next;
	else if (stranger)
		net->strangers = c->next;
	else
		net->conns = c->next;
	if (c->next != NULL)
		c->next->prev = c->prev;
	else if (stranger)
		net->strangers_last = c->prev;
	net->nstrangers -= stranger;
	c->next = c->prev = NULL;
}

void net_conn_close(struct net_conn *c)
{
	struct net *net = c->net;

	if (c == net->hot)
		net->hot = NULL;
	if (c == net->warm)
		net->warm = NULL;
	conn_unlink(c);
	if (c->fd >= 0)
		net->io->close(c);
	c->fd = -1;
	c->state = CONN_CLOSED;
	c->peer = NULL;
	c->next = net->ended;
	net->ended = c;
}

void net_stranger_add(struct net_conn *c)
{
	struct net *net = c->net;

	conn_unlink(c);
	c->state = CONN_ACCEPTED;
	c->prev = net->strangers_last;
	if (c->prev != NULL)
		c->prev->next = c;
	else
		net->strangers = c;
	net->strangers_last = c;
	net->nstrangers++;
}

void net_conn_want(struct net_conn *c, bool out)
{
	if (c->wants_out == out)
		return;
	if (c == c->net->hot)
		net_hot_release(c->net);
	c->wants_out = out;
	c->net->io->want(c, out);
}

/* --- what we say ---------------------------------------------------------------------------- */

/* The key of a connection's hellos: the job's, or that of the accepting side. */
static const uint8_t *conn_key(const struct net_conn *c)
{
	return c->key != NULL ? c->key : c->net->conf.key;
}

static void hello_prepare(struct net_conn *c, enum wire_kind kind, uint32_t to, bool answer)
{
	struct net *net = c->net;
	struct wire_hello h = {.version = WIRE_VERSION,
		.kind = (uint8_t)kind,
		.universe = net->conf.universe,
		.from = (uint32_t)net->conf.me,
		.to = to,
		.frame_max = NET_FRAME_MAX,
		.chunk_max = NET_CHUNK_MAX};

	net->io->random(net, h.nonce, sizeof(h.nonce));
	net_hello_write(&h, c->say);
	if (kind != WIRE_BAD_KEY && kind != WIRE_INCOMPATIBLE)
		net_hello_sign(conn_key(c), c->say, answer ? c->hello : NULL);
	c->say_at = 0;
	c->say_len = WIRE_HELLO;
}

bool net_conn_hello_send(struct net_conn *c)
{
	struct iovec iov;
	ssize_t n;

	while (c->say_at < c->say_len) {
		iov = (struct iovec){c->say + c->say_at, c->say_len - c->say_at};
		n = c->net->io->send(c, &iov, 1);
		if (n < 0) {
			if (n != -EAGAIN)
				c->tx_error = (int)-n;
			return false;
		}
		c->say_at += (uint32_t)n;
		c->active = true;
	}
	return true;
}

/* They stay in the queue until the request is accepted: a connection that is refused, or has
 * crossed another one, takes them with it. */
void net_conn_send_ahead(struct net_peer *p)
{
	const struct net_out *o = &p->out;
	struct net_conn *c = p->attempt;
	ssize_t n = 1;

	if (c == NULL || c->state != CONN_REQUESTED || c->say_at < c->say_len || c->tx_error)
		return;
	while (n > 0 && c->ahead < o->q_end - o->q_at) {
		struct iovec iov = {o->q + o->q_at + c->ahead, o->q_end - o->q_at - c->ahead};

		n = c->net->io->send(c, &iov, 1);
		c->active = true;
		c->ahead += n > 0 ? (uint32_t)n : 0;
	}
}

/* Tells a stranger why it is refused, and closes its connection. */
static void conn_refuse(struct net_conn *c, enum wire_kind kind, uint32_t to)
{
	hello_prepare(c, kind, to, true);
	net_conn_hello_send(c);
	net_conn_close(c);
}

/* The number of a peer in its own universe. */
static uint32_t peer_name(const struct net_peer *p)
{
	return p->foreign ? p->home.number : (uint32_t)p->rank;
}

void net_conn_connect_end(struct net_conn *c, int err)
{
	struct net_peer *p = c->peer;

	if (err == EINPROGRESS)
		return;
	if (err) {
		net_peer_retry(p, err);
		return;
	}
	c->state = CONN_REQUESTED;
	p->attempts = 0;
	p->unreached_since = 0; /* reached: from now on it may take its time */
	hello_prepare(c, WIRE_CONNECT, peer_name(p), false);
	if (!net_conn_hello_send(c) && c->tx_error) {
		net_peer_retry(p, c->tx_error);
		return;
	}
	net_conn_want(c, c->say_at < c->say_len);
	net_conn_send_ahead(p);
}

/* --- the peer's messages -------------------------------------------------------------------- */

/* Reads its hello.  0: not whole yet, 1: whole; else -errno, or -EPIPE at the end of the stream. */
static int hello_read(struct net_conn *c)
{
	struct iovec iov;
	ssize_t n;

	while (c->hello_at < WIRE_HELLO) {
		iov = (struct iovec){c->hello + c->hello_at, WIRE_HELLO - c->hello_at};
		n = c->net->io->recv(c, &iov, 1);
		if (n == -EAGAIN)
			return 0;
		if (n <= 0)
			return n ? (int)n : -EPIPE;
		c->hello_at += (uint32_t)n;
	}
	return 1;
}

static void conn_opened(struct net_conn *c, struct net_peer *p)
{
	struct net *net = c->net;

	c->state = CONN_OPEN;
	c->peer = p;
	c->active = true;
	p->conn = c;
	p->state = NET_PEER_CONNECTED;
	p->out.bye = net->closing;
	net->shared.count.opened++;
	net_timer_set(net, net->io->now(net) + 1);
	net_conn_write(c, NULL);
}

/* The number of the peer that asks; -1: it is none that we talk to. */
static int request_rank(const struct net *net, const struct wire_hello *h)
{
	const struct net_peer *p;

	if (h->kind != WIRE_CONNECT || h->to != (uint32_t)net->conf.me)
		return -1;
	if (h->universe != net->conf.universe)
		return net->conf.foreign != NULL
			       ? net->conf.foreign(net->conf.arg, h->universe, h->from)
			       : -1;
	if (h->from >= (uint32_t)net->conf.npeers || h->from == h->to)
		return -1;
	p = net_peer_at(net, (int)h->from);
	return p != NULL && p->foreign ? -1 : (int)h->from;
}

/* A connect request for another process than this one. */
static void request_wrong_peer(struct net_conn *c, const struct wire_hello *h)
{
	struct net *net = c->net;

	net->shared.count.bad_peer++;
	net_log(net,
		"peer %u of universe %llx asked for peer %u; here is peer %d of universe %llx, "
		"which has %d",
		h->from, (unsigned long long)h->universe, h->to, net->conf.me,
		(unsigned long long)net->conf.universe, net->conf.npeers);
	conn_refuse(c, WIRE_WRONG_PEER, h->from);
}

/* Refuses p's connect request if there is a connection already, or if the request of this process,
 * which has crossed it, stands. */
static bool request_refused(
	struct net_conn *c, const struct net_peer *p, const struct wire_hello *h)
{
	if (p->state > NET_PEER_CONNECTING) {
		c->net->shared.count.bad_twice++;
		if (p->state == NET_PEER_CONNECTED) /* else its connections ended out of order */
			net_log(c->net, "peer %d asked again: refused", p->rank);
		conn_refuse(c, WIRE_DUPLICATE, h->from);
		return true;
	}
	if (p->attempt == NULL || p->attempt->state != CONN_REQUESTED || !net_peer_wins(p))
		return false;
	conn_refuse(c, WIRE_CROSSED, h->from);
	return true;
}

/* Decides about the connect request of a stranger that has the key. */
static void request_accept(struct net_conn *c, const struct wire_hello *h)
{
	struct net *net = c->net;
	struct net_peer *p;
	int rank = request_rank(net, h);

	if (rank < 0) {
		request_wrong_peer(c, h);
		return;
	}
	p = net_peer_make(net, rank);
	if (p == NULL) {
		net_conn_close(c);
		return;
	}
	if (request_refused(c, p, h))
		return;
	if (p->attempt != NULL) {
		net->shared.count.crossed++;
		net_conn_close(p->attempt);
		p->attempt = NULL;
	}
	net_peer_reconnect_cancel(p);
	conn_unlink(c);
	c->state = CONN_OPEN;
	c->next = net->conns;
	if (c->next != NULL)
		c->next->prev = c;
	net->conns = c;
	hello_prepare(c, WIRE_ACCEPT, h->from, true);
	conn_opened(c, p);
}

/* The hello of a stranger.  Nothing in it is looked at before its proof, but what says how to check
 * that. */
static void request_check(struct net_conn *c)
{
	struct net *net = c->net;
	struct wire_hello h;
	char from[NET_ADDR_LEN];

	if (!net_hello_ours(c->hello)) {
		net->shared.count.bad_magic++;
		net_conn_close(c);
		return;
	}
	net->io->name(c, from);
	if (net_hello_version(c->hello) != WIRE_VERSION) {
		net->shared.count.bad_version++;
		net_log(net, "%s speaks version %u of the protocol, we %u: refused", from,
			net_hello_version(c->hello), WIRE_VERSION);
		conn_refuse(c, WIRE_INCOMPATIBLE, 0);
		return;
	}
	net_hello_read(c->hello, &h);
	if (net->conf.foreign != NULL && h.universe != net->conf.universe)
		c->key = net->conf.foreign_key;
	if (!net_hello_proven(conn_key(c), c->hello, NULL)) {
		net->shared.count.bad_key++;
		net_log(net, "%s has not the key of this job: refused", from);
		conn_refuse(c, WIRE_BAD_KEY, 0);
		return;
	}
	if (h.frame_max != NET_FRAME_MAX || h.chunk_max != NET_CHUNK_MAX) {
		net->shared.count.bad_version++;
		net_log(net, "peer %u at %s is built for frames of %u bytes, we for %u: refused",
			h.from, from, h.frame_max, NET_FRAME_MAX);
		conn_refuse(c, WIRE_INCOMPATIBLE, h.from);
		return;
	}
	request_accept(c, &h);
}

/* The answer to our ask. */
static void reply_check(struct net_conn *c)
{
	struct net *net = c->net;
	struct net_peer *p = c->peer;
	struct wire_hello h;

	net_hello_read(c->hello, &h);
	if (!net_hello_ours(c->hello)) {
		net_peer_lose(p, NET_WHY_LOST, "something else answers there");
	} else if (h.version != WIRE_VERSION || h.kind == WIRE_INCOMPATIBLE) {
		net_peer_lose(p, NET_WHY_LOST,
			"it is built otherwise (protocol %u, frames of %u bytes; here %u and %u)",
			h.version, h.frame_max, WIRE_VERSION, NET_FRAME_MAX);
	} else if (h.kind == WIRE_BAD_KEY || !net_hello_proven(conn_key(c), c->hello, c->say)) {
		net_peer_lose(p, NET_WHY_LOST, "it has another key: it belongs to another job");
	} else if (h.kind == WIRE_CROSSED) {
		net->shared.count.crossed++;
		net_peer_retry(p, EAGAIN);
	} else if (h.kind == WIRE_DUPLICATE) {
		net_peer_lose(p, NET_WHY_LOST, "it has lost us before, and does not want us back");
	} else if (h.kind != WIRE_ACCEPT || h.from != peer_name(p) ||
		   h.to != (uint32_t)net->conf.me ||
		   h.universe != (p->foreign ? p->home.universe : net->conf.universe)) {
		net_peer_lose(p, NET_WHY_LOST,
			"it is peer %u of universe %llx, and not the one we look for", h.from,
			(unsigned long long)h.universe);
	} else {
		p->attempt = NULL;
		net_out_gone(&p->out, c->ahead);
		conn_opened(c, p);
	}
}

/* Goes on with a connection whose request is on its way, or is waiting for its answer. */
static void request_progress(struct net_conn *c, bool in, bool out)
{
	int got;

	if (out && !net_conn_hello_send(c) && c->tx_error) {
		net_peer_retry(c->peer, c->tx_error);
		return;
	}
	if (out) {
		net_conn_want(c, c->say_at < c->say_len);
		net_conn_send_ahead(c->peer);
	}
	if (!in)
		return;
	got = hello_read(c);
	if (got < 0)
		net_peer_retry(c->peer, -got);
	else if (got > 0)
		reply_check(c);
}

void net_conn_handshake(struct net_conn *c, bool in, bool out)
{
	int got;

	switch (c->state) {
	case CONN_CONNECTING: net_conn_connect_end(c, c->net->io->connect_status(c)); return;
	case CONN_REQUESTED: request_progress(c, in, out); return;
	default: break;
	}
	got = hello_read(c);
	if (got > 0) {
		request_check(c);
	} else if (got < 0) {
		c->net->shared.count.bad_silent++;
		net_conn_close(c);
	}
}
