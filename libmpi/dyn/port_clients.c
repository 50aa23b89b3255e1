// SPDX-License-Identifier: BSD-3-Clause
/* port_clients.c - the clients that wait at a port: see port_clients.h.
 *
 * The list is in the order in which they came.  Without a free place the oldest that has not called
 * is sent away.  If all have called, later ones stay in the queue of the kernel. */
#include "libmpi/dyn/port_clients.h"

#include "libmpi/core/clock.h"
#include "libmpi/dyn/port.h"
#include "libmpi/via/alias.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS_MAX 128       /* of a port: each has a descriptor */
#define FRESH_NS    100000000 /* a client answers in this time: it is looked for often ... */
#define FRESH_NAP   1000000   /* ... so */

static void client_free(struct port_client *c)
{
	close(c->handshake.fd);
	net_handshake_end(&c->handshake);
	free(c);
}

/* Takes the client at `at' out of its list. */
static struct port_client *client_unlink(struct dyn_port *p, struct port_client **at)
{
	struct port_client *c = *at;

	*at = c->next;
	p->nclients--;
	return c;
}

void dyn_clients_drop(struct dyn_port *p)
{
	while (p->clients != NULL)
		client_free(client_unlink(p, &p->clients));
}

static void clients_watch(const struct dyn_port *p, bool on)
{
	for (int i = 0; i < p->nfd; i++)
		via_wake_on(p->fd[i], on);
	for (const struct port_client *c = p->clients; c != NULL; c = c->next)
		via_wake_on(c->handshake.fd, on);
}

void dyn_clients_begin(const struct dyn_port *p)
{
	if (p->users == 1)
		clients_watch(p, true);
}

void dyn_clients_end(const struct dyn_port *p)
{
	if (p->users == 1)
		clients_watch(p, false);
}

/* The oldest client that has not called; its link. */
static struct port_client **client_silent(struct dyn_port *p)
{
	struct port_client **at = &p->clients;

	while (*at != NULL && (*at)->called)
		at = &(*at)->next;
	return at;
}

/* Adds a client behind the others, and greets it. */
static void client_add(struct dyn_port *p, int fd)
{
	struct port_client **at = &p->clients, *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		close(fd);
		return;
	}
	net_handshake_begin(&c->handshake, fd, p->secret);
	if (!net_handshake_put(&c->handshake, HANDSHAKE_HELLO, NULL, 0)) {
		client_free(c);
		return;
	}
	c->until_ns = clock_now_ns() + HANDSHAKE_MS * NS_PER_MS;
	via_wake_on(fd, true);
	while (*at != NULL)
		at = &(*at)->next;
	*at = c;
	p->nclients++;
}

/* Takes the first client in the queue of the kernel.  False: there is none, or no room. */
static bool client_next(struct dyn_port *p)
{
	bool full = p->nclients >= CLIENTS_MAX;
	int fd = -1;

	if (full && *client_silent(p) == NULL)
		return false;
	for (int i = 0; i < p->nfd && fd < 0; i++)
		fd = accept4(p->fd[i], NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return false;
	if (full)
		client_free(client_unlink(p, client_silent(p)));
	client_add(p, fd);
	return true;
}

/* Has the client closed its end?  It may have given up after its CALL. */
static bool client_gone(const struct port_client *c)
{
	char byte;

	return recv(c->handshake.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Advances the handshake of a client.  False: it is to be sent away. */
static bool client_step(struct port_client *c, uint64_t now, uint32_t *nap_ns)
{
	int err = 0;

	if (!c->called) {
		err = net_handshake_flush(&c->handshake);
		if (err == 0)
			err = net_handshake_get(&c->handshake);
		c->called = err == 0;
	}
	if (c->called)
		return !client_gone(c);
	if (now<c->until_ns - HANDSHAKE_MS * NS_PER_MS + FRESH_NS && * nap_ns> FRESH_NAP)
		*nap_ns = FRESH_NAP;
	return err == -EAGAIN && now < c->until_ns;
}

struct port_client *dyn_clients_take(struct dyn_port *p, uint32_t *nap_ns)
{
	struct port_client **at = &p->clients;
	uint64_t now;

	while (client_next(p))
		;
	now = p->clients != NULL ? clock_now_ns() : 0;
	while (*at != NULL) {
		if (!client_step(*at, now, nap_ns))
			client_free(client_unlink(p, at));
		else if ((*at)->called)
			return client_unlink(p, at);
		else
			at = &(*at)->next;
	}
	return NULL;
}
