// SPDX-License-Identifier: BSD-3-Clause
/* peer.c - the connection to each peer: made when there is something to send, again if that
 * failed, lost once.
 *
 *     NONE --1st record--> CONNECTING --accept--> CONNECTED --its bye--------> LEFT
 *       |                    |  ^ retry              \------anything else----> LOST
 *       |                    \-/ \-----no way---------------------------------^
 *       \---- its connect request has come, and is accepted ----> CONNECTED
 *
 * A peer is lost inside polls only, because that calls the user back. */
#include "libnet/net_inner.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 8    /* connections that end without an answer: another program listens there */
#define PAUSE_MS  10   /* before the second try; then twice as long each time ... */
#define PAUSE_MAX 1000 /* ... up to this */

struct net_peer *net_peer_make(struct net *net, int rank)
{
	struct net_peer ***page = &net->page[rank / PEER_PAGE], *p = net_peer_at(net, rank);

	if (p != NULL)
		return p;
	if (*page == NULL)
		*page = calloc(PEER_PAGE, sizeof(struct net_peer *));
	p = *page != NULL ? calloc(1, sizeof(*p)) : NULL;
	if (p == NULL)
		return NULL;
	p->net = net;
	p->rank = p->in.from = rank;
	p->next = net->peers;
	net->peers = p;
	(*page)[rank % PEER_PAGE] = p;
	return p;
}

bool net_peer_wins(const struct net_peer *p)
{
	const struct net_conf *conf = &p->net->conf;

	if (!p->foreign || p->home.universe == conf->universe)
		return conf->me < p->rank;
	return conf->universe < p->home.universe;
}

int net_foreign_set(struct net *net, int peer, const struct net_foreign *home)
{
	struct net_peer *p;

	if (peer < 0 || peer >= net->conf.npeers || peer == net->conf.me ||
		home->universe == net->conf.universe)
		return NET_BAD;
	p = net_peer_make(net, peer);
	if (p == NULL)
		return NET_NOMEM;
	if (p->foreign ? p->home.universe != home->universe || p->home.number != home->number
		       : p->state != NET_PEER_NONE)
		return NET_BAD;
	p->foreign = true;
	p->home = *home;
	return 0;
}

int net_peer_forget(struct net *net, int peer)
{
	struct net_peer *p = peer >= 0 && peer < net->conf.npeers ? net_peer_at(net, peer) : NULL;
	struct net_peer **at = &net->peers;

	if (p == NULL)
		return 0;
	if (p->conn != NULL || p->attempt != NULL || p->reconnect || p->out.sends.first != NULL ||
		p->in.posts.first != NULL)
		return NET_BAD;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	net->page[peer / PEER_PAGE][peer % PEER_PAGE] = NULL;
	net_peer_free(p);
	return 0;
}

static void peer_reconnect_at(struct net_peer *p, uint64_t again)
{
	struct net *net = p->net;

	p->reconnect_at = again;
	net_timer_set(net, again);
	if (p->reconnect)
		return;
	p->reconnect = true;
	p->next_reconnect = net->reconnects;
	net->reconnects = p;
}

void net_peer_reconnect_cancel(struct net_peer *p)
{
	struct net_peer **at = &p->net->reconnects;

	if (!p->reconnect)
		return;
	while (*at != p)
		at = &(*at)->next_reconnect;
	*at = p->next_reconnect;
	p->reconnect = false;
}

/* Errors that may be gone at the next try. */
static bool error_is_transient(int err)
{
	switch (err) {
	case 0:
	case EAGAIN:
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
	case EADDRNOTAVAIL:
	case EDESTADDRREQ:
	case ECONNRESET:
	case ECONNABORTED:
	case EPIPE: return true;
	default: return false;
	}
}

void net_peer_retry(struct net_peer *p, int err)
{
	struct net *net = p->net;
	uint64_t now = net->io->now(net);

	if (p->attempt != NULL)
		net_conn_close(p->attempt);
	p->attempt = NULL;
	p->connect_error = err;
	p->final = !error_is_transient(err);
	if (err == 0 || err == ECONNRESET || err == EPIPE)
		p->final |= ++p->tries >= TRIES_MAX;
	if (err == EMFILE || err == ENFILE)
		net->shared.count.no_fd++;
	p->pause = p->pause == 0 ? PAUSE_MS : p->pause < PAUSE_MAX / 2 ? 2 * p->pause : PAUSE_MAX;
	peer_reconnect_at(p, p->final ? now : now + (uint64_t)p->pause);
}

void net_peer_connect(struct net_peer *p)
{
	struct net *net = p->net;
	const char *addr = net->conf.addr(net->conf.arg, p->rank);
	struct net_conn *c;
	int err;

	p->state = NET_PEER_CONNECTING;
	if (!p->unreached_since)
		p->unreached_since = net->io->now(net);
	c = addr != NULL ? net_conn_new(net) : NULL;
	if (c == NULL) {
		net_peer_retry(p, addr ? ENOMEM : EDESTADDRREQ);
		return;
	}
	p->attempts++;
	net->shared.count.connects++;
	net->shared.count.reconnected += p->pause > 0;
	c->peer = p;
	c->key = p->foreign ? p->home.key : NULL;
	c->state = CONN_CONNECTING;
	p->attempt = c;
	net_timer_set(net, p->unreached_since + (uint64_t)net->conf.connect_ms);
	err = net->io->connect(c, addr, p->pause ? NET_CONNECT_WAIT_MS : NET_CONNECT_FIRST_MS);
	if (err == EINPROGRESS)
		net_conn_want(c, true);
	else
		net_conn_connect_end(c, err);
}

static const char *peer_where(const struct net_peer *p)
{
	const char *addr = p->net->conf.addr(p->net->conf.arg, p->rank);

	return addr != NULL ? addr : "an unknown address";
}

void net_peer_lose(struct net_peer *p, enum net_why why, const char *fmt, ...)
{
	static char nothing[] = "lost (no memory for the reason)";
	struct net *net = p->net;
	char reason[NET_WORDS_LEN - 64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	p->words = malloc(NET_WORDS_LEN);
	if (p->words != NULL)
		snprintf(p->words, NET_WORDS_LEN, "peer %d at %s: %s", p->rank, peer_where(p),
			reason);
	p->state = why == NET_WHY_LEFT ? NET_PEER_LEFT : NET_PEER_LOST;
	if (why == NET_WHY_LEFT)
		net->shared.count.left++;
	else
		net->shared.count.lost++;
	net_peer_reconnect_cancel(p);
	if (p->attempt != NULL)
		net_conn_close(p->attempt);
	if (p->conn != NULL)
		net_conn_close(p->conn);
	p->attempt = p->conn = NULL;
	net_out_fini(&p->out);
	net_in_fini(&p->in);
	net_ops_end(&p->out.sends, NET_OP_LOST);
	net_ops_end(&p->in.posts, NET_OP_LOST);
	if (!net->closing || why == NET_WHY_LOST)
		net->conf.lost(net->conf.arg, p->rank, why, p->words ? p->words : nothing);
}

void net_peer_free(struct net_peer *p)
{
	if (p == NULL)
		return;
	net_ops_drop_callbacks(&p->out.sends);
	net_ops_drop_callbacks(&p->in.posts);
	net_ops_end(&p->out.sends, NET_OP_LOST);
	net_ops_end(&p->in.posts, NET_OP_LOST);
	net_out_fini(&p->out);
	net_in_fini(&p->in);
	free(p->words);
	free(p);
}

void net_log(struct net *net, const char *fmt, ...)
{
	char words[NET_WORDS_LEN];
	va_list ap;

	if (!net->conf.log || net->nlogged >= NET_LOG_MAX)
		return;
	net->nlogged++;
	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	net->conf.log(net->conf.arg, words);
}
