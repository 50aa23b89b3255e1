// SPDX-License-Identifier: BSD-3-Clause
/* net_poll.c - progress: reads, writes, accepts, keeps time.
 *
 *     net_poll_from(peer)   its socket alone, POLLS_ALONE times in a row at most, then
 *     net_poll              connections that epoll names; timers; memory of closed ones
 *
 * A poll does a bounded amount for each connection, so that none of them keeps the others
 * waiting. */
#include "libnet/net_inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POLLS_ALONE  64   /* at one socket, before all the others are looked at */
#define HOT_AFTER    8    /* times in a row that the awaited socket had something */
#define READY_MAX    32   /* connections served in one poll */
#define READS_MAX    4    /* of a connection in one poll */
#define WRITES_MAX   4    /* writes of a connection in one poll */
#define ACCEPT_MAX   16   /* strangers let in in one poll */
#define DEAF_MS      100  /* out of descriptors: so long no connection is accepted */
#define HEALTH_MS    1000 /* between checks of hosts whose answer is due */
#define ATTEMPTS_MIN 3    /* of a peer that is lost because time has passed: we may have slept */
#define CLOSE_NAP_MS 5    /* of net_close, which polls for events without a descriptor */

void net_timer_set(struct net *net, uint64_t at)
{
	if (at < net->due)
		net->due = at;
}

/* --- reading -------------------------------------------------------------------------------- */

/* The connection has ended, with what errno says or an end of the stream (0). */
static void conn_read_ended(struct net_conn *c, int err)
{
	struct net_peer *p = c->peer;
	/* our goodbye is there: this is the answer */
	bool parted = err == 0 && c->state == CONN_CLOSING && !c->net->io->unsent(c);

	if (p->in.bye || parted)
		net_peer_lose(p, NET_WHY_LEFT, "it has left");
	else if (err == 0 && c->tx_error && c->tx_error != EPIPE)
		net_peer_lose(p, NET_WHY_LOST, "%s", strerror(c->tx_error));
	else if (err == 0)
		net_peer_lose(p, NET_WHY_LOST, "it has closed the connection without goodbye%s",
			net_in_at_boundary(&p->in) ? "" : ", in the middle of a frame");
	else
		net_peer_lose(p, NET_WHY_LOST, "%s", strerror(err));
}

int net_conn_read(struct net_conn *c, int times)
{
	struct net *net = c->net;
	struct net_peer *p = c->peer;
	uint64_t before =
		net->shared.count.got + net->shared.count.read + net->shared.count.direct_bytes;
	struct iovec iov[IN_IOVS];
	const char *bad;
	size_t room;
	ssize_t n;
	int k;

	do {
		k = net_in_room(&p->in, &net->shared, iov);
		room = iov[0].iov_len + (k > 1 ? iov[1].iov_len : 0);
		n = net->io->recv(c, iov, k);
		if (n <= 0) {
			net->shared.count.empty++;
			if (n != -EAGAIN)
				conn_read_ended(c, (int)-n);
			else if (c->tx_error)
				conn_read_ended(c, c->tx_error);
			break;
		}
		net->shared.count.recvs++;
		bad = net_in_received(&p->in, &net->shared, iov, (size_t)n);
		if (bad != NULL) {
			net->shared.count.bad_frame++;
			net_peer_lose(p, NET_WHY_LOST, "it %s", bad);
			return 1;
		}
		if (p->in.bye)
			conn_read_ended(c, 0);
	} while ((size_t)n == room && --times > 0 && c->state != CONN_CLOSED);
	return net->shared.count.got + net->shared.count.read + net->shared.count.direct_bytes !=
	       before;
}

/* --- writing -------------------------------------------------------------------------------- */

/* Sends to the end of a record at most.  Returns the result of the last send; *done: `mine', if
 * it is done by that. */
static ssize_t conn_send(struct net_conn *c, const struct net_op *mine, struct net_op **done)
{
	struct net_count *count = &c->net->shared.count;
	struct net_out *out = &c->peer->out;
	struct iovec iov[OUT_IOVS];
	ssize_t n = 0;
	int k;

	for (int i = 0; i < WRITES_MAX && (k = net_out_next(out, iov)) > 0; i++) {
		struct net_op *op;

		n = c->net->io->send(c, iov, k);
		if (n < 0)
			return n;
		c->active = true;
		count->sends++;
		op = net_out_sent(out, (size_t)n, count);
		if (op != NULL && op == mine)
			*done = op;
		else if (op != NULL)
			net_op_end(op, NET_OP_DONE);
		if (out->record != RECORD_NONE)
			break;
	}
	return n;
}

struct net_op *net_conn_write(struct net_conn *c, struct net_op *mine)
{
	struct net_peer *p = c->peer;
	struct net_op *done = NULL;
	ssize_t n;

	if (c->tx_error)
		return NULL;
	if (!net_conn_hello_send(c)) {
		c->net->send_failed |= c->tx_error != 0;
		net_conn_want(c, !c->tx_error);
		return NULL;
	}
	n = conn_send(c, mine, &done);
	if (n < 0 && n != -EAGAIN) {
		c->tx_error = (int)-n;
		c->net->send_failed = true;
	}
	net_conn_want(c, !c->tx_error && (!net_out_idle(&p->out) || p->out.bye));
	return done;
}

/* --- strangers ------------------------------------------------------------------------------ */

static void strangers_accept(struct net *net)
{
	struct net_conn *c;
	int err;

	for (int i = 0; i < ACCEPT_MAX; i++) {
		c = net_conn_new(net);
		err = c != NULL ? net->io->accept(net, c) : ENOMEM;
		if (err) {
			if (c != NULL)
				net_conn_close(c);
			if (err == EAGAIN)
				return;
			if (err == ECONNABORTED || err == EPROTO)
				continue;
			net->shared.count.no_fd++;
			net_log(net, "no process can connect at the moment: %s", strerror(err));
			net->accept_paused = true;
			net->accept_due = net->io->now(net) + DEAF_MS;
			net_timer_set(net, net->accept_due);
			net->io->listen(net, false);
			return;
		}
		net->shared.count.accepted++;
		net_stranger_add(c);
		net_timer_set(net, c->born + (uint64_t)net->conf.hello_ms);
		if (net->nstrangers > net->conf.strangers_max) {
			net->shared.count.bad_surplus++;
			net_conn_close(net->strangers);
		}
		if (c->state == CONN_ACCEPTED)
			net_conn_handshake(c, true, false);
	}
}

/* --- time ----------------------------------------------------------------------------------- */

static void strangers_age(struct net *net, uint64_t now)
{
	struct net_conn *c;
	uint64_t until;

	while (net->strangers != NULL) {
		until = net->strangers->born + (uint64_t)net->conf.hello_ms;
		if (until > now) {
			net_timer_set(net, until);
			return;
		}
		/* We may not have looked for as long: perhaps it has spoken. */
		c = net->strangers;
		net_conn_handshake(c, true, false);
		if (c->state != CONN_ACCEPTED)
			continue;
		net->shared.count.bad_silent++;
		net_conn_close(c);
	}
}

static void peer_lose_unreached(struct net_peer *p)
{
	const char *why = p->connect_error ? strerror(p->connect_error)
					   : "it closes connections without a word";

	net_peer_lose(p, NET_WHY_LOST, "%s",
		p->connect_error == EDESTADDRREQ ? "its address is not known" : why);
}

/* Connects to the peers whose time has come.  Losing a peer calls the user back, which may change
 * the list: true, then look again. */
static bool peers_reconnect(struct net *net, uint64_t now)
{
	struct net_peer *p = net->reconnects, *next;

	for (; p != NULL; p = next) {
		next = p->next_reconnect;
		if (p->reconnect_at > now) {
			net_timer_set(net, p->reconnect_at);
			continue;
		}
		if (p->final ||
			(p->unreached_since && p->attempts >= ATTEMPTS_MIN &&
				now - p->unreached_since >= (uint64_t)net->conf.connect_ms)) {
			peer_lose_unreached(p);
			return true;
		}
		net_peer_reconnect_cancel(p);
		net_peer_connect(p);
	}
	return false;
}

/* Loses the peer of a connect without answer for connect_ms.  True: the list of connections has
 * changed. */
static bool conn_connect_late(struct net_conn *c, uint64_t now)
{
	struct net *net = c->net;
	uint64_t until = c->peer->unreached_since + (uint64_t)net->conf.connect_ms;
	int err;

	net_timer_set(net, until);
	if (until > now)
		return false;
	/* We may not have looked for as long. */
	err = net->io->connect_status(c);
	if (err == EINPROGRESS)
		net_peer_lose(c->peer, NET_WHY_LOST, "no answer to connect for %d s",
			net->conf.connect_ms / 1000);
	else
		net_conn_connect_end(c, err);
	return true;
}

static bool conn_host_dead(struct net_conn *c)
{
	int ms = c->active ? c->net->io->silent(c) : 0;

	c->active = ms != 0;
	if (ms < c->net->conf.dead_ms)
		return false;
	net_peer_lose(c->peer, NET_WHY_LOST, "its host has not answered for %d s", ms / 1000);
	return true;
}

/* Loses one peer whose answer has been due for too long.  That calls the user back, which may
 * change the list: true, then look again. */
static bool conns_check_silent(struct net *net, uint64_t now, bool health)
{
	struct net_conn *c;

	for (c = net->conns; c != NULL; c = c->next) {
		if (c->state == CONN_CONNECTING ? conn_connect_late(c, now)
						: health && conn_host_dead(c))
			return true;
	}
	return false;
}

/* Loses one peer that is abandoned.  True: look again, as above. */
static bool peer_abandon(struct net *net)
{
	struct net_peer *p = net->reconnects;
	const struct net_conn *c = net->conns;

	while (p != NULL && !p->abandoned)
		p = p->next_reconnect;
	for (; p == NULL && c != NULL; c = c->next)
		if (c->peer != NULL && c->peer->abandoned && c->peer->state < NET_PEER_LEFT)
			p = c->peer;
	net->abandoning = p != NULL;
	if (p != NULL)
		net_peer_lose(p, NET_WHY_LOST, "it has ended");
	return p != NULL;
}

static void timers_run(struct net *net, uint64_t now)
{
	bool health = now >= net->health_due;

	net->due = UINT64_MAX;
	if (health)
		net->health_due = now + HEALTH_MS;
	net_timer_set(net, net->conns ? net->health_due : UINT64_MAX);
	while (net->abandoning && peer_abandon(net))
		;
	while (conns_check_silent(net, now, health))
		;
	strangers_age(net, now);
	while (peers_reconnect(net, now))
		;
	if (!net->accept_paused)
		return;
	if (now < net->accept_due) {
		net_timer_set(net, net->accept_due);
		return;
	}
	net->accept_paused = false;
	net->io->listen(net, true);
}

/* --- polls ---------------------------------------------------------------------------------- */

static int conn_serve(struct net_conn *c, bool in, bool out)
{
	int n = 0;

	if (c->state < CONN_OPEN) {
		net_conn_handshake(c, in, out);
		in = c->state == CONN_OPEN; /* frames behind the hello */
		out = false;
	}
	if (in && (c->state == CONN_OPEN || c->state == CONN_CLOSING))
		n = net_conn_read(c, READS_MAX);
	if (out && c->state == CONN_OPEN)
		net_conn_write(c, NULL);
	return n;
}

/* Sends that have failed: readable data come first, then the peer is lost. */
static void conns_failed_read(struct net *net)
{
	struct net_conn *c = net->conns;

	net->send_failed = false;
	while (c != NULL) {
		if (!c->tx_error || c->state < CONN_OPEN || c->state == CONN_CLOSED) {
			c = c->next;
			continue;
		}
		net_conn_read(c, READS_MAX);
		net->send_failed |= c->state != CONN_CLOSED;
		c = c->state == CONN_CLOSED ? net->conns : c->next;
	}
}

static void conns_free_closed(struct net *net)
{
	struct net_conn *c;

	while ((c = net->ended) != NULL) {
		net->ended = c->next;
		free(c);
	}
}

/* epoll need not know of a socket that is looked at all the time: each arrival costs less then. */
static void conn_poll_directly(struct net_conn *c)
{
	struct net *net = c->net;

	if (c != net->warm) {
		net->warm = c;
		net->warm_polls = 0;
	}
	if (++net->warm_polls < HOT_AFTER || c->wants_out)
		return;
	net_hot_release(net);
	net->hot = c;
	net->io->watch(c, false);
}

void net_hot_release(struct net *net)
{
	struct net_conn *c = net->hot;

	net->hot = NULL;
	net->warm_polls = 0;
	if (c != NULL)
		net->io->watch(c, true);
}

static int poll_all(struct net *net, int ms)
{
	struct net_ready r[READY_MAX];
	uint64_t now = net->io->now(net);
	int n = 0, k;

	if (unlikely(now >= net->due))
		timers_run(net, now);
	if (unlikely(net->send_failed))
		conns_failed_read(net);
	if (net->hot != NULL)
		n = net_conn_read(net->hot, READS_MAX);
	k = net->io->wait(net, r, READY_MAX, ms);
	for (int i = 0; i < k; i++) {
		if (r[i].conn == NULL)
			strangers_accept(net);
		else
			n += conn_serve(r[i].conn, r[i].in, r[i].out);
	}
	if (unlikely(net->ended != NULL))
		conns_free_closed(net);
	return n;
}

int net_poll(struct net *net)
{
	return poll_all(net, 0);
}

int net_poll_from(struct net *net, int peer)
{
	struct net_peer *p = peer >= 0 && peer < net->conf.npeers ? net_peer_at(net, peer) : NULL;
	struct net_conn *c;
	int n;

	if (p == NULL || p->state != NET_PEER_CONNECTED || ++net->polls_alone % POLLS_ALONE == 0)
		return poll_all(net, 0);
	c = p->conn;
	n = net_conn_read(c, 1);
	if (c->wants_out && c->state == CONN_OPEN)
		net_conn_write(c, NULL);
	else if (n > 0 && c != net->hot && c->state == CONN_OPEN)
		conn_poll_directly(c);
	return n;
}

int net_sleep_ms(struct net *net)
{
	uint64_t now;

	if (net->hot != NULL)
		net_hot_release(net); /* asleep, one wants to be told of everything */
	if (net->send_failed)
		return 0;
	if (net->due == UINT64_MAX)
		return -1;
	now = net->io->now(net);
	return net->due <= now ? 0 : net->due - now > 60000 ? 60000 : (int)(net->due - now);
}

/* --- the end -------------------------------------------------------------------------------- */

static void drop_frame(void *arg, const struct net_frame *f)
{
	(void)arg;
	(void)f;
}

/* From now on no callback runs for frames and ops.  Says goodbye to all connected peers. */
static void closing_begin(struct net *net)
{
	net->closing = true;
	net_hot_release(net);
	net->shared.deliver = drop_frame;
	for (struct net_peer *p = net->peers; p != NULL; p = p->next) {
		net_ops_drop_callbacks(&p->out.sends);
		net_ops_drop_callbacks(&p->in.posts);
		p->out.bye = true;
		if (p->state == NET_PEER_CONNECTED)
			net_conn_write(p->conn, NULL);
	}
}

/* Has our goodbye arrived?  Then the connection is closed: true. */
static bool conn_bye_arrived(struct net_conn *c)
{
	struct net_peer *p = c->peer;

	if (c->state == CONN_OPEN && net_out_idle(&p->out) && !p->out.bye &&
		c->say_at == c->say_len) {
		c->state = CONN_CLOSING;
		net_conn_want(c, false);
		c->net->io->end(c);
	}
	if (c->state != CONN_CLOSING || c->net->io->unsent(c))
		return false;
	p->conn = NULL;
	p->state = NET_PEER_LEFT;
	net_conn_close(c);
	return true;
}

/* Abandons a connection to a peer for which nothing is queued. */
static void conn_close_idle(struct net_conn *c)
{
	c->peer->state = NET_PEER_LEFT;
	c->peer->attempt = NULL;
	net_conn_close(c);
}

/* Returns whether the goodbye to some peer has not arrived yet. */
static bool closing_step(struct net *net)
{
	struct net_conn *c = net->conns, *next;
	bool left = false;

	for (; c != NULL; c = next) {
		next = c->next;
		if (c->state == CONN_OPEN || c->state == CONN_CLOSING)
			left |= !conn_bye_arrived(c);
		else if (net_out_idle(&c->peer->out))
			conn_close_idle(c);
		else
			left = true;
	}
	for (struct net_peer *p = net->reconnects; p != NULL; p = p->next_reconnect)
		left |= !net_out_idle(&p->out);
	return left;
}

static void closing_abandon(struct net *net)
{
	for (struct net_peer *p = net->peers; p != NULL; p = p->next)
		if (p->state == NET_PEER_CONNECTED ||
			(p->state == NET_PEER_CONNECTING && !net_out_idle(&p->out)))
			net_peer_lose(p, NET_WHY_LOST,
				"it has not taken within %d ms what was sent before the end",
				net->conf.close_ms);
}

void net_close(struct net *net)
{
	uint64_t until;

	if (net == NULL)
		return;
	must_valid(net_valid(net));
	closing_begin(net);
	until = net->io->now(net) + (uint64_t)net->conf.close_ms;
	while (closing_step(net)) {
		if (net->io->now(net) >= until) {
			closing_abandon(net);
			break;
		}
		poll_all(net, CLOSE_NAP_MS);
	}
	net_free(net);
}
