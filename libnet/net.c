// SPDX-License-Identifier: BSD-3-Clause
/* net.c - the calls of net.h: opening, frames, streams, questions.
 *
 * The short way of a frame, if nothing is before it: head and payload straight to the socket, one
 * system call.  Else it waits in the queue of its peer (outgoing.c). */
#include "libnet/net_inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Defaults of struct net_conf (net.h has their meanings). */
#define DEAD_MS       15000 /* a few retransmissions of TCP that were lost */
#define CONNECT_MS    30000 /* a host of a large job may be that late */
#define HELLO_MS      10000 /* a busy peer answers; a port scanner does not keep a place longer */
#define STRANGERS_MAX 64    /* connections that have not proved anything: descriptors are few */
#define CLOSE_MS      10000 /* queues of a slow peer drain */
#define COPY_MAX      1024  /* bytes of payload for which a copy costs less than a second iovec */

const char *net_error_text(int error)
{
	switch (error) {
	case 0: return "no error";
	case NET_AGAIN: return "the queue to this peer is full";
	case NET_LOST: return "the peer is lost";
	case NET_NOMEM: return "out of memory";
	case NET_BAD: return "not a peer, a length or an address that libnet can use";
	case NET_SYS: return "a system call failed";
	default: return "not an error of libnet";
	}
}

/* --- opening -------------------------------------------------------------------------------- */

static void conf_default(int *x, int value)
{
	if (*x <= 0)
		*x = value;
}

static bool conf_read(struct net_conf *c)
{
	if (c->npeers < 1 || c->npeers > NET_PEERS_MAX || c->me < 0 || c->me >= c->npeers)
		return false;
	if (c->deliver == NULL || c->lost == NULL || c->addr == NULL)
		return false;
	if (c->queue_max == 0)
		c->queue_max = NET_QUEUE_MAX;
	conf_default(&c->dead_ms, DEAD_MS);
	conf_default(&c->connect_ms, CONNECT_MS);
	conf_default(&c->hello_ms, HELLO_MS);
	conf_default(&c->strangers_max, STRANGERS_MAX);
	conf_default(&c->close_ms, CLOSE_MS);
	return c->queue_max >= 2 * (WIRE_HEAD + NET_FRAME_MAX) && c->queue_max <= UINT32_MAX / 8;
}

int net_open_io(
	const struct net_conf *conf, const struct net_io *io, void *io_arg, struct net **out)
{
	struct net *net = calloc(1, sizeof(*net));

	if (net == NULL)
		return NET_NOMEM;
	net->conf = *conf;
	net->io = io;
	net->io_arg = io_arg;
	net->epoll_fd = -1;
	for (int i = 0; i < NET_LISTENERS; i++)
		net->listen_fd[i] = -1;
	net->due = UINT64_MAX;
	if (!conf_read(&net->conf)) {
		free(net);
		return NET_BAD;
	}
	net->shared.arg = conf->arg;
	net->shared.deliver = conf->deliver;
	net->shared.buf = aligned_alloc(CACHE_LINE, IN_BUF);
	net->scratch = aligned_alloc(CACHE_LINE, NET_FRAME_MAX + CACHE_LINE);
	if (net->shared.buf == NULL || net->scratch == NULL) {
		net_free(net);
		return NET_NOMEM;
	}
	*out = net;
	return 0;
}

int net_open(const struct net_conf *conf, struct net **out)
{
	struct net *net;
	int err = net_open_io(conf, &net_io_os, NULL, &net);

	if (err)
		return err;
	err = net_os_open(net);
	if (!err && conf->listen_fd >= 0)
		err = net_listen_on(net, conf->listen_fd);
	if (err) {
		int e = errno;

		net_free(net);
		errno = e;
		return err;
	}
	*out = net;
	return 0;
}

void net_free(struct net *net)
{
	struct net_peer *p;
	struct net_conn *c;

	if (net == NULL)
		return;
	while (net->conns != NULL)
		net_conn_close(net->conns);
	while (net->strangers != NULL)
		net_conn_close(net->strangers);
	while ((c = net->ended) != NULL) {
		net->ended = c->next;
		free(c);
	}
	while ((p = net->peers) != NULL) {
		net->peers = p->next;
		net_peer_free(p);
	}
	for (size_t i = 0; i < countof(net->page); i++)
		free(net->page[i]);
	net->io->fini(net);
	free(net->scratch);
	free(net->shared.buf);
	free(net);
}

int net_grow(struct net *net, int npeers)
{
	if (npeers < net->conf.npeers || npeers > NET_PEERS_MAX)
		return NET_BAD;
	net->conf.npeers = npeers;
	return 0;
}

void net_abandon(struct net *net)
{
	if (net != NULL)
		net->forked = true;
	net_free(net);
}

/* --- frames --------------------------------------------------------------------------------- */

/* The peer for something to be sent; NULL with *error. */
static struct net_peer *peer_for_send(struct net *net, int peer, int *error)
{
	struct net_peer *p;

	*error = NET_BAD;
	if (peer < 0 || peer >= net->conf.npeers || peer == net->conf.me)
		return NULL;
	p = net_peer_at(net, peer);
	if (unlikely(p == NULL)) {
		*error = NET_NOMEM;
		p = net_peer_make(net, peer);
		if (p == NULL)
			return NULL;
	}
	*error = NET_LOST;
	if (unlikely(p->state >= NET_PEER_LEFT))
		return NULL;
	if (unlikely(p->state == NET_PEER_NONE))
		net_peer_connect(p);
	return p;
}

/* n of the bytes in iov have gone, n < 0: -errno; the others are queued. */
static void frame_pushed(struct net_peer *p, const struct iovec *iov, int k, ssize_t n)
{
	struct net_conn *c = p->conn;
	size_t gone = n < 0 ? 0 : (size_t)n, skip;

	c->active = true;
	if (n < 0 && n != -EAGAIN) {
		c->tx_error = (int)-n;
		c->net->send_failed = true;
		return;
	}
	for (int i = 0; i < k; i++) {
		skip = gone < iov[i].iov_len ? gone : iov[i].iov_len;
		gone -= skip;
		if (skip == iov[i].iov_len)
			continue;
		if (!net_out_append(
			    &p->out, (const char *)iov[i].iov_base + skip, iov[i].iov_len - skip)) {
			c->tx_error = ENOMEM;
			c->net->send_failed = true;
			return;
		}
		net_conn_want(c, true);
	}
	c->net->shared.count.sends += n >= 0;
	c->net->shared.count.queued += c->wants_out;
}

static void frame_push(struct net_peer *p, struct iovec *iov, int k)
{
	frame_pushed(p, iov, k, p->net->io->send(p->conn, iov, k));
}

/* A frame past the queue: short ones in one piece, long ones from where they are. */
static void frame_put_direct(
	struct net_peer *p, const struct net_hdr *h, const void *buf, uint32_t len)
{
	uint8_t b[WIRE_HEAD + COPY_MAX + WIRE_ALIGN];
	uint8_t zeros[WIRE_ALIGN] = {0};
	struct iovec iov[3];

	net_out_head(&p->out, h, len, b);
	if (len <= COPY_MAX) {
		if (len)
			memcpy(b + WIRE_HEAD, buf, len);
		memset(b + WIRE_HEAD + len, 0, WIRE_ALIGN);
		iov[0] = (struct iovec){b, (uint32_t)WIRE_HEAD + len + net_pad(len)};
		frame_push(p, iov, 1);
		return;
	}
	iov[0] = (struct iovec){b, WIRE_HEAD};
	iov[1] = (struct iovec){(void *)(uintptr_t)buf, len};
	iov[2] = (struct iovec){zeros, net_pad(len)};
	frame_push(p, iov, net_pad(len) ? 3 : 2);
}

int net_put(struct net *net, int peer, const struct net_hdr *h, const void *buf, size_t len)
{
	int error;
	struct net_peer *p = peer_for_send(net, peer, &error);
	uint8_t *room;

	if (unlikely(p == NULL))
		return error;
	if (unlikely(len > NET_FRAME_MAX))
		return NET_BAD;
	if (likely(net_peer_sendable(p))) {
		if (unlikely(!net_out_reserve(&p->out, len)))
			return NET_NOMEM;
		frame_put_direct(p, h, buf, (uint32_t)len);
	} else {
		room = net_out_room(&p->out, len, net->conf.queue_max, &error);
		if (room == NULL) {
			net->shared.count.put_again++;
			return error;
		}
		if (len)
			memcpy(room, buf, len);
		net_out_frame(&p->out, h, (uint32_t)len);
		net->shared.count.queued++;
		net_conn_send_ahead(p);
	}
	net->shared.count.put++;
	net->shared.count.put_bytes += len;
	return 0;
}

int net_reserve(struct net *net, int peer, size_t len, void **ptr)
{
	int error;
	struct net_peer *p = peer_for_send(net, peer, &error);
	uint8_t *room;

	if (p == NULL)
		return error;
	if (len > NET_FRAME_MAX)
		return NET_BAD;
	net->reserved_past = net_peer_sendable(p);
	if (net->reserved_past && !net_out_reserve(&p->out, len))
		return NET_NOMEM;
	room = net->reserved_past ? net->scratch + WIRE_HEAD
				  : net_out_room(&p->out, len, net->conf.queue_max, &error);
	if (room == NULL) {
		net->shared.count.put_again++;
		return error;
	}
	*ptr = room;
	return 0;
}

void net_commit(struct net *net, int peer, const struct net_hdr *h, size_t len)
{
	struct net_peer *p = net_peer_at(net, peer);
	uint32_t n = (uint32_t)len;
	struct iovec iov;

	net->shared.count.put++;
	net->shared.count.put_bytes += len;
	if (!net->reserved_past) {
		net_out_frame(&p->out, h, n);
		net->shared.count.queued++;
		net_conn_send_ahead(p);
		return;
	}
	net_out_head(&p->out, h, n, net->scratch);
	memset(net->scratch + WIRE_HEAD + n, 0, net_pad(n));
	iov = (struct iovec){net->scratch, (uint32_t)WIRE_HEAD + n + net_pad(n)};
	frame_push(p, &iov, 1);
}

/* --- streams -------------------------------------------------------------------------------- */

static void op_fill(struct net_op *op, int peer, uint64_t id, const void *buf, size_t len)
{
	op->peer = peer;
	op->id = id;
	op->buf = (uint8_t *)(uintptr_t)buf;
	op->len = len;
	op->at = 0;
}

int net_send(struct net *net, int peer, uint64_t id, const void *buf, size_t len, struct net_op *op)
{
	int error;
	struct net_peer *p = peer_for_send(net, peer, &error);
	bool clear;

	if (p == NULL)
		return error;
	if (len == 0)
		return NET_BAD;
	clear = net_peer_sendable(p);
	op_fill(op, peer, id, buf, len);
	net_ops_add(&p->out.sends, op);
	if (clear && net_conn_write(p->conn, op) == op)
		op->state = NET_OP_DONE;
	return 0;
}

int net_post(struct net *net, int peer, uint64_t id, void *buf, size_t len, struct net_op *op)
{
	int error;
	struct net_peer *p;

	if (len == 0)
		return NET_BAD;
	if (peer < 0 || peer >= net->conf.npeers || peer == net->conf.me)
		return NET_BAD;
	p = net_peer_make(net, peer);
	error = p == NULL ? NET_NOMEM : p->state >= NET_PEER_LEFT ? NET_LOST : 0;
	if (error)
		return error;
	op_fill(op, peer, id, buf, len);
	net_ops_add(&p->in.posts, op);
	return 0;
}

void net_unpost(struct net *net, struct net_op *op)
{
	struct net_peer *p = net_peer_at(net, op->peer);

	if (op->state != NET_OP_ACTIVE)
		return;
	net_ops_remove(&p->in.posts, op);
	op->state = NET_OP_NONE;
}

void net_abandon_peer(struct net *net, int peer)
{
	struct net_peer *p = peer >= 0 && peer < net->conf.npeers ? net_peer_at(net, peer) : NULL;

	if (p == NULL || (p->state != NET_PEER_CONNECTING && p->state != NET_PEER_CONNECTED))
		return;
	p->abandoned = true;
	net->abandoning = true;
	net_timer_set(net, net->io->now(net));
}

/* --- questions ------------------------------------------------------------------------------ */

int net_fd(const struct net *net)
{
	return net->epoll_fd;
}

bool net_all_sent(const struct net *net)
{
	if (net->send_failed || net->reconnects != NULL)
		return false;
	for (const struct net_conn *c = net->conns; c != NULL; c = c->next) {
		if (c->state < CONN_OPEN || c->wants_out)
			return false;
	}
	return true;
}

enum net_peer_state net_peer_state_get(const struct net *net, int peer)
{
	const struct net_peer *p =
		peer >= 0 && peer < net->conf.npeers ? net_peer_at(net, peer) : NULL;

	return p != NULL ? p->state : NET_PEER_NONE;
}

const char *net_peer_words(const struct net *net, int peer)
{
	const struct net_peer *p =
		peer >= 0 && peer < net->conf.npeers ? net_peer_at(net, peer) : NULL;
	const char *addr;

	if (p != NULL && p->words != NULL)
		return p->words;
	addr = p != NULL ? net->conf.addr(net->conf.arg, peer) : NULL;
	return addr != NULL ? addr : "an unknown address";
}

const struct net_count *net_counts(const struct net *net)
{
	return &net->shared.count;
}
