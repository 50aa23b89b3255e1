// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sim/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SILENT_US 20000000 /* of a cut connection, until the kernel notices by itself */

uint32_t world_draw(struct world *w, uint32_t below)
{
	uint64_t x = w->random += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((x ^ x >> 31) >> 32) % below;
}

bool world_odds(struct world *w, uint32_t of_65536)
{
	return of_65536 && world_draw(w, 65536) < of_65536;
}

/* --- socks ---------------------------------------------------------------------------------- */

static struct sock *sock_new(struct world *w, int host)
{
	struct sock *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->w = w;
	s->host = host;
	s->accept_by = -1;
	s->next = w->socks;
	w->socks = s;
	return s;
}

static struct sock *sock_of(struct net_conn *c)
{
	return c->io;
}

static uint64_t travel(struct world *w)
{
	return w->us + world_draw(w, w->odds.delay_us + 1);
}

static bool passed(const struct world *w, uint64_t t)
{
	return t != 0 && t <= w->us;
}

static size_t wire_arrived(struct sock *s)
{
	while (s->seen < s->end && s->times[s->seen] <= s->w->us)
		s->seen++;
	return s->seen - s->at;
}

static void sock_break(struct sock *s)
{
	s->w->faults++;
	s->end = s->at + wire_arrived(s); /* bytes under way are lost */
	s->reset_us = travel(s->w) + 1;
	if (s->other) {
		s->other->end = s->other->at + wire_arrived(s->other);
		s->other->reset_us = travel(s->w) + 1;
	}
}

static void sock_cut(struct sock *s)
{
	if (s->cut_us || !s->other)
		return;
	s->w->faults++;
	for (int i = 0; i < 2; i++, s = s->other) {
		s->end = s->at + wire_arrived(s);
		s->cut_us = s->w->us + 1;
	}
}

static void wire_pass(struct sock *to, const uint8_t *p, size_t n)
{
	struct world *w = to->w;
	uint64_t t = travel(w);

	if (to->at > to->cap / 2) {
		memmove(to->buf, to->buf + to->at, to->end - to->at);
		memmove(to->times, to->times + to->at, (to->end - to->at) * sizeof(*to->times));
		to->seen -= to->at;
		to->end -= to->at;
		to->at = 0;
	}
	if (to->end + n > to->cap) {
		to->cap = 2 * (to->end + n);
		to->buf = realloc(to->buf, to->cap);
		to->times = realloc(to->times, to->cap * sizeof(*to->times));
		if (!to->buf || !to->times)
			abort();
	}
	t = to->last_us > t ? to->last_us : t;
	to->last_us = t;
	memcpy(to->buf + to->end, p, n);
	for (size_t i = 0; i < n; i++)
		to->times[to->end + i] = t;
	to->end += n;
}

static void sock_send(struct sock *s, const uint8_t *p, size_t n)
{
	if (n == 0 || !s->other || s->cut_us || s->reset_us || s->other->reset_us)
		return; /* into nothing */
	if (s->other->closed)
		s->reset_us = s->reset_us ? s->reset_us : travel(s->w) + 1;
	else
		wire_pass(s->other, p, n);
}

static void sock_close(struct sock *s)
{
	struct sock *o = s->other;

	s->closed = true;
	s->conn = NULL;
	if (!o || s->cut_us || o->closed)
		return;
	/* Unread bytes: the other gets a reset, after its received bytes. */
	if (s->at < s->end || s->reset_us)
		o->reset_us = o->reset_us ? o->reset_us : travel(s->w) + 1;
	if (!o->eof_us)
		o->eof_us = o->last_us > s->w->us ? o->last_us : travel(s->w) + 1;
}

void world_sweep(struct world *w, bool all)
{
	struct sock **at = &w->socks, *s;

	while ((s = *at) != NULL) {
		if (!all && !s->closed) {
			at = &s->next;
			continue;
		}
		if (s->other)
			s->other->other = NULL;
		*at = s->next;
		free(s->buf);
		free(s->times);
		free(s);
	}
}

/* --- struct net_io -------------------------------------------------------------------------- */

static struct host_arg *host_of(struct net *net)
{
	return net->io_arg;
}

static ssize_t sim_recv(struct net_conn *c, struct iovec *iov, int n)
{
	struct sock *s = sock_of(c);
	struct world *w = s->w;
	size_t there, k, got = 0;

	if (world_odds(w, w->odds.reset))
		sock_break(s);
	if (world_odds(w, w->odds.cut))
		sock_cut(s);
	there = wire_arrived(s);
	if (there > 1 && world_odds(w, w->odds.bits))
		there = 1 + world_draw(w, (uint32_t)(there < 100 ? there : 100));
	for (int i = 0; i < n && there > 0; i++, there -= k, got += k) {
		k = iov[i].iov_len < there ? iov[i].iov_len : there;
		if (k > 0)
			memcpy(iov[i].iov_base, s->buf + s->at, k);
		s->at += k;
	}
	if (s->at == s->end)
		s->at = s->seen = s->end = 0;
	if (got > 0)
		return (ssize_t)got;
	if (passed(w, s->reset_us) && !s->told_reset) {
		s->told_reset = true;
		return -ECONNRESET;
	}
	if (s->told_reset || (passed(w, s->eof_us) && wire_arrived(s) == 0 && s->at == s->end))
		return 0;
	if (s->cut_us && w->us > s->cut_us + SILENT_US)
		return -ETIMEDOUT;
	return -EAGAIN;
}

static size_t wire_room(const struct sock *s)
{
	size_t used = s->other ? s->other->end - s->other->at : 0;

	return used < s->w->odds.room ? s->w->odds.room - used : 0;
}

static ssize_t sim_send(struct net_conn *c, struct iovec *iov, int n)
{
	struct sock *s = sock_of(c);
	struct world *w = s->w;
	size_t free_room = wire_room(s), k, gone = 0;

	if (world_odds(w, w->odds.reset))
		sock_break(s);
	if (passed(w, s->reset_us)) {
		if (s->told_reset)
			return -EPIPE;
		s->told_reset = true;
		return -ECONNRESET;
	}
	if (s->ended)
		return -EPIPE;
	if (world_odds(w, w->odds.clog))
		free_room =
			free_room ? world_draw(w, (uint32_t)(free_room < 90 ? free_room : 90)) : 0;
	for (int i = 0; i < n && free_room > 0; i++, free_room -= k, gone += k) {
		k = iov[i].iov_len < free_room ? iov[i].iov_len : free_room;
		sock_send(s, iov[i].iov_base, k);
	}
	return gone > 0 ? (ssize_t)gone : -EAGAIN;
}

static int sim_connect_status(struct net_conn *c)
{
	struct sock *s = sock_of(c);

	if (passed(s->w, s->reset_us))
		return ECONNREFUSED;
	return s->open_us <= s->w->us ? 0 : EINPROGRESS;
}

static int sim_connect(struct net_conn *c, const char *addr, int wait_ms)
{
	struct host_arg *h = host_of(c->net);
	struct world *w = h->w;
	struct sock *s, *o;
	int to = atoi(addr + 4);

	if (world_odds(w, w->odds.no_fd))
		return EMFILE;
	s = sock_new(w, h->me);
	s->conn = c;
	c->io = s;
	c->fd = 1;
	c->tcp = true;
	if (w->gone[to]) {
		s->reset_us = travel(w) + 1;
		s->open_us = UINT64_MAX;
		return EINPROGRESS;
	}
	o = sock_new(w, to);
	s->other = o;
	o->other = s;
	o->accept_by = to;
	o->open_us = s->open_us = world_odds(w, w->odds.slow) ? travel(w) : w->us;
	w->us += (uint64_t)wait_ms * 1000;
	return sim_connect_status(c);
}

static int sim_accept(struct net *net, struct net_conn *c)
{
	struct host_arg *h = host_of(net);
	struct world *w = h->w;
	struct sock *s, *oldest = NULL;

	for (s = w->socks; s; s = s->next) {
		if (s->accept_by == h->me && s->open_us <= w->us)
			oldest = s;
	}
	if (!oldest)
		return EAGAIN;
	if (world_odds(w, w->odds.no_fd))
		return EMFILE;
	if (world_odds(w, w->odds.reset)) {
		sock_break(oldest);
		oldest->accept_by = -1;
		sock_close(oldest);
		return ECONNABORTED;
	}
	oldest->accept_by = -1;
	oldest->conn = c;
	c->io = oldest;
	c->fd = 1;
	c->tcp = true;
	return 0;
}

static void sim_close(struct net_conn *c)
{
	sock_close(sock_of(c));
	c->io = NULL;
}

static void sim_end(struct net_conn *c)
{
	struct sock *s = sock_of(c), *o = s->other;

	s->ended = true;
	if (o && !o->eof_us && !s->cut_us)
		o->eof_us = o->last_us > s->w->us ? o->last_us : travel(s->w) + 1;
}

static void sim_want(struct net_conn *c, bool out)
{
	(void)c;
	(void)out;
}

static void sim_watch(struct net_conn *c, bool on)
{
	sock_of(c)->unwatched = !on;
}

static void sim_listen(struct net *net, bool on)
{
	struct host_arg *h = host_of(net);

	h->w->deaf[h->me] = !on;
}

/* Told in an order of chance. */
static void shuffle(struct world *w, struct net_ready *r, int n)
{
	struct net_ready x;
	int j;

	for (int i = n - 1; i > 0; i--) {
		j = (int)world_draw(w, (uint32_t)i + 1);
		x = r[i];
		r[i] = r[j];
		r[j] = x;
	}
}

static bool readable(struct sock *s)
{
	const struct world *w = s->w;

	return wire_arrived(s) > 0 || passed(w, s->reset_us) || passed(w, s->eof_us) ||
	       (s->cut_us && w->us > s->cut_us + SILENT_US);
}

static int wire_look(struct world *w, int me, struct net_ready *r, int max)
{
	bool knock = false;
	int n = 0;

	for (struct sock *s = w->socks; s && n < max; s = s->next) {
		knock |= s->accept_by == me && s->open_us <= w->us;
		if (s->host != me || !s->conn || s->closed || s->unwatched ||
			world_odds(w, w->odds.late))
			continue;
		r[n] = (struct net_ready){.conn = s->conn, .in = readable(s)};
		r[n].out = s->conn->wants_out && s->open_us <= w->us && wire_room(s) > 0;
		r[n].out |= passed(w, s->reset_us);
		n += r[n].in || r[n].out;
	}
	if (knock && !w->deaf[me] && n < max)
		r[n++] = (struct net_ready){.conn = NULL, .in = true};
	shuffle(w, r, n);
	return n;
}

static int sim_wait(struct net *net, struct net_ready *r, int max, int ms)
{
	struct host_arg *h = host_of(net);

	if (ms > 0) {
		h->w->us += 100 + world_draw(h->w, (uint32_t)ms * 1000);
		h->w->others(h->w, h->me);
	}
	return wire_look(h->w, h->me, r, max);
}

static uint64_t sim_now(struct net *net)
{
	return host_of(net)->w->us / 1000 + 1;
}

static void sim_random(struct net *net, void *buf, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((uint8_t *)buf)[i] = (uint8_t)world_draw(host_of(net)->w, 256);
}

static bool sim_unsent(struct net_conn *c)
{
	struct sock *s = sock_of(c);

	if (!s->other || s->cut_us || s->reset_us || s->other->reset_us)
		return s->cut_us != 0;
	return s->other->at + wire_arrived(s->other) < s->other->end;
}

static int sim_silent(struct net_conn *c)
{
	struct sock *s = sock_of(c);

	return s->cut_us ? (int)((s->w->us - s->cut_us) / 1000) + 1 : 0;
}

static void sim_name(struct net_conn *c, char text[NET_ADDR_LEN])
{
	snprintf(text, NET_ADDR_LEN, "sim:%d", sock_of(c)->other ? sock_of(c)->other->host : -1);
}

static void sim_fini(struct net *net)
{
	struct host_arg *h = host_of(net);

	h->w->gone[h->me] = true;
	for (struct sock *s = h->w->socks; s; s = s->next) {
		if (s->accept_by != h->me)
			continue;
		s->accept_by = -1;
		sock_close(s);
		if (s->other)
			s->other->reset_us = travel(h->w) + 1;
	}
}

const struct net_io world_io = {.recv = sim_recv,
	.send = sim_send,
	.connect = sim_connect,
	.connect_status = sim_connect_status,
	.accept = sim_accept,
	.close = sim_close,
	.end = sim_end,
	.want = sim_want,
	.watch = sim_watch,
	.listen = sim_listen,
	.wait = sim_wait,
	.now = sim_now,
	.random = sim_random,
	.unsent = sim_unsent,
	.silent = sim_silent,
	.name = sim_name,
	.fini = sim_fini};

int world_open(struct world *w, const struct net_conf *conf, struct host_arg *arg)
{
	arg->w = w;
	arg->me = conf->me;
	return net_open_io(conf, &world_io, arg, &w->net[conf->me]);
}

/* --- strangers ------------------------------------------------------------------------------ */

/* The beginning of their bytes: noise, another protocol, or our hello with something wrong. */
static size_t babble(struct world *w, uint8_t *b, size_t max)
{
	static const char http[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct wire_hello h = {.version = WIRE_VERSION,
		.kind = (uint8_t)world_draw(w, 9),
		.from = world_draw(w, (uint32_t)w->n),
		.to = world_draw(w, (uint32_t)w->n),
		.frame_max = NET_FRAME_MAX,
		.chunk_max = NET_CHUNK_MAX};
	uint8_t key[NET_KEY_LEN] = {1};

	for (size_t i = 0; i < max; i++)
		b[i] = (uint8_t)world_draw(w, 256);
	switch (world_draw(w, 4)) {
	case 0: return world_draw(w, (uint32_t)max);
	case 1: memcpy(b, http, sizeof(http) - 1); return sizeof(http) - 1;
	case 2: h.version = (uint16_t)world_draw(w, 4); break;
	default: break;
	}
	net_hello_write(&h, b);
	net_hello_sign(key, b, NULL);
	return world_draw(w, 3) ? WIRE_HELLO : world_draw(w, WIRE_HELLO);
}

void world_stranger(struct world *w)
{
	uint8_t b[300];
	struct sock *s, *o;
	int to = (int)world_draw(w, (uint32_t)w->n);

	for (s = w->socks; s; s = s->next) {
		if (s->host == -1 && !s->closed && world_draw(w, 4) == 0)
			sock_close(s);
	}
	if (w->gone[to])
		return;
	s = sock_new(w, -1);
	o = sock_new(w, to);
	s->other = o;
	o->other = s;
	o->accept_by = to;
	o->open_us = s->open_us = w->us;
	sock_send(s, b, babble(w, b, sizeof(b)));
}
