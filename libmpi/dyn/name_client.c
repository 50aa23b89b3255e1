// SPDX-License-Identifier: BSD-3-Clause
/* name_client.c - the client of a name server: see name_client.h.
 *
 *      CONNECT ──> AWAIT ──> HELLO ──> CALL ──> ANSWER ──> done
 *                                      ^ a connection that is open already
 *
 * A wait advances the state machine (p2p_progress_until), so messages of this process go on.  A
 * connection stays open as long as names of this process depend on it.  One request at a time uses
 * it; requests of other threads wait. */
#include "libmpi/dyn/name_client.h"

#include "libmpi/boot/name_protocol.h"
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/dyn/port.h"
#include "libmpi/p2p/p2p.h"
#include "libnet/handshake.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_CLIENT_S 10     /* so long a server may take to answer */
#define NAP_NS        200000 /* between two checks; no socket of libnet ends the sleep */

enum client_stage { STAGE_CONNECT, STAGE_AWAIT, STAGE_HELLO, STAGE_CALL, STAGE_ANSWER, STAGE_DONE };

/* A server that this process has names at, or asks now. */
struct client {
	struct client *next;
	struct dyn_port_name at;
	struct net_handshake handshake; /* fd -1: not connected */
	enum client_stage stage;
	bool requesting; /* a request is under way */
	int users;       /* requests that hold this, also those that wait */
	int names;       /* that depend on the connection */
	bool reused; /* the request began on an open connection, which the server may have closed */
	int why;     /* errno of a failure; 0: none */
	uint32_t nap_ns;
	uint64_t until;
	struct boot_name_request request;
	struct boot_name_answer answer;
};

static struct client *clients; /* under the library's lock */

/* --- the connection ------------------------------------------------------------------------- */

static void client_hang_up(struct client *k)
{
	if (k->handshake.fd >= 0)
		close(k->handshake.fd);
	net_handshake_end(&k->handshake);
	k->handshake.fd = -1;
	k->names = 0;
}

static bool client_fail(struct client *k, int why)
{
	client_hang_up(k);
	k->why = why;
	k->stage = STAGE_DONE;
	return true;
}

/* The connection has broken.  One that was open before the request may be of a server that has
 * ended: a new one is tried once. */
static bool client_broken(struct client *k, int why)
{
	if (!k->reused)
		return client_fail(k, why);
	client_hang_up(k);
	k->reused = false;
	k->stage = STAGE_CONNECT;
	return true;
}

static bool client_connect(struct client *k)
{
	int fd, err = net_connect(k->at.addr[0], &fd);

	if (err != 0)
		return client_fail(k, err == NET_SYS ? errno : EADDRNOTAVAIL);
	net_handshake_begin(&k->handshake, fd, k->at.secret);
	k->handshake.masked = true;
	k->stage = STAGE_AWAIT;
	return true;
}

static bool client_await(struct client *k)
{
	int err = net_connect_status(k->handshake.fd);

	if (err == EAGAIN)
		return false;
	if (err != 0)
		return client_fail(k, err);
	k->stage = STAGE_HELLO;
	return true;
}

static bool client_call(struct client *k)
{
	if (!net_handshake_put(&k->handshake, HANDSHAKE_CALL, &k->request, sizeof(k->request)))
		return client_fail(k, ENOMEM);
	k->stage = STAGE_ANSWER;
	return true;
}

/* Advances the handshake: waits for HELLO, or for the answer. */
static bool client_listen(struct client *k)
{
	int err = net_handshake_flush(&k->handshake);

	if (err == 0)
		err = net_handshake_get(&k->handshake);
	if (err == -EAGAIN)
		return false;
	if (err != 0)
		return client_broken(k, -err);
	if (k->stage == STAGE_HELLO) {
		k->stage = STAGE_CALL;
		return k->handshake.kind == HANDSHAKE_HELLO || client_fail(k, EBADMSG);
	}
	if (k->handshake.kind != HANDSHAKE_ACCEPT || k->handshake.bytes != sizeof(k->answer))
		return client_fail(k, EBADMSG);
	memcpy(&k->answer, k->handshake.data, sizeof(k->answer));
	k->answer.port[sizeof(k->answer.port) - 1] = '\0';
	k->stage = STAGE_DONE;
	return true;
}

static bool client_step(void *arg)
{
	struct client *k = arg;
	bool on = true;

	while (on && k->stage != STAGE_DONE) {
		switch (k->stage) {
		case STAGE_CONNECT: on = client_connect(k); break;
		case STAGE_AWAIT: on = client_await(k); break;
		case STAGE_CALL: on = client_call(k); break;
		default: on = client_listen(k); break;
		}
	}
	if (k->stage != STAGE_DONE && clock_now_ns() >= k->until)
		client_fail(k, ETIMEDOUT);
	return k->stage == STAGE_DONE;
}

/* --- servers -------------------------------------------------------------------------------- */

/* Reads the address of "file:FILE" into text (MPI_MAX_PORT_NAME bytes).  False: errno says why. */
static bool address_read(const char *path, char *text)
{
	FILE *f = fopen(path, "re");
	bool got;

	if (f == NULL)
		return false;
	errno = 0;
	got = fgets(text, MPI_MAX_PORT_NAME, f) != NULL;
	if (!got && errno == 0)
		errno = ENODATA;
	fclose(f);
	text[got ? strcspn(text, "\r\n") : 0] = '\0';
	return got;
}

/* Finds or makes the client of an address, and holds it. */
static int client_hold(const char *address, int class, struct client **held)
{
	char text[MPI_MAX_PORT_NAME];
	struct dyn_port_name at;
	struct client *k = clients;

	if (strncmp(address, BOOT_NAMES_FILE, strlen(BOOT_NAMES_FILE)) == 0) {
		address += strlen(BOOT_NAMES_FILE);
		if (!address_read(address, text))
			return haft_err(class, "no address of a name server in %s: %s", address,
				strerror(errno));
		address = text;
	}
	if (!dyn_port_read(BOOT_NAMES_PREFIX, address, &at))
		return haft_err(class,
			"\"%.80s\" is no address of a name server, which mpiexec -name-server "
			"prints",
			address);
	while (k != NULL && (strcmp(k->at.addr[0], at.addr[0]) != 0 ||
				    memcmp(k->at.secret, at.secret, sizeof(at.secret)) != 0))
		k = k->next;
	if (k == NULL) {
		k = calloc(1, sizeof(*k));
		if (k == NULL)
			return haft_err(MPI_ERR_NO_MEM, "no memory for a name server");
		*k = (struct client){
			.next = clients, .at = at, .handshake.fd = -1, .nap_ns = NAP_NS};
		clients = k;
	}
	k->users++;
	*held = k;
	return 0;
}

/* Gives it up.  Without users and names it goes. */
static void client_drop(struct client *k)
{
	struct client **link = &clients;

	if (--k->users > 0 || k->names > 0)
		return;
	while (*link != k)
		link = &(*link)->next;
	*link = k->next;
	client_hang_up(k);
	free(k);
}

/* --- requests ------------------------------------------------------------------------------- */

static int client_failed(const struct client *k, int class)
{
	const char *host = k->at.host;

	switch (k->why) {
	case EACCES:
	case EPIPE:
	case ECONNRESET:
		return haft_err(class,
			"the name server on host %s has refused this process: it is another server "
			"now, or has ended",
			host);
	case EBADMSG:
		return haft_err(class,
			"what listens on host %s is no name server of this build of Haft", host);
	case ETIMEDOUT:
		return haft_err(class, "the name server on host %s has not answered for %d s", host,
			NAME_CLIENT_S);
	default:
		return haft_err(
			class, "no way to the name server on host %s: %s", host, strerror(k->why));
	}
}

static bool client_free(void *arg)
{
	return !((struct client *)arg)->requesting;
}

/* Sends a request and waits for the answer, which is in k->answer.  port: NULL for a look-up. */
static int client_ask(struct client *k, enum boot_name_command command, const char *service,
	const char *port, int class)
{
	p2p_progress_until(
		&(struct p2p_condition){.ready = client_free, .arg = k, .nap_ns = &k->nap_ns});
	k->requesting = true;
	k->request = (struct boot_name_request){.command = (uint32_t)command};
	snprintf(k->request.service, sizeof(k->request.service), "%s", service);
	snprintf(k->request.port, sizeof(k->request.port), "%s", port != NULL ? port : "");
	k->why = 0;
	k->reused = k->handshake.fd >= 0;
	k->stage = k->reused ? STAGE_CALL : STAGE_CONNECT;
	k->until = clock_now_ns() + NAME_CLIENT_S * NS_PER_S;
	p2p_progress_until(
		&(struct p2p_condition){.ready = client_step, .arg = k, .nap_ns = &k->nap_ns});
	k->requesting = false;
	if (k->why != 0)
		return client_failed(k, class);
	k->names = (int)k->answer.names;
	return 0;
}

/* The arguments of a call. */
struct client_call {
	enum boot_name_command command;
	int class; /* of its errors */
	const char *service, *port;
	char *found; /* of a look-up; else NULL */
};

/* Judges the answer of the server. */
static int client_judge(const struct client *k, const struct client_call *c)
{
	if (k->answer.result == BOOT_NAME_OK)
		return 0;
	if (k->answer.result == BOOT_NAME_OTHER)
		return haft_err(c->class,
			"\"%.80s\" is published with another port at the name server on host %s",
			c->service, k->at.host);
	if (c->command == BOOT_NAME_LOOKUP)
		return haft_err(c->class,
			"no process has published \"%.80s\" at the name server on host %s",
			c->service, k->at.host);
	if (c->command == BOOT_NAME_WITHDRAW)
		return haft_err(c->class,
			"\"%.80s\" was not published by this process at the name server on host %s",
			c->service, k->at.host);
	if (k->answer.result == BOOT_NAME_TAKEN)
		return haft_err(c->class,
			"\"%.80s\" is published already at the name server on host %s", c->service,
			k->at.host);
	return haft_err(c->class,
		"this process has %d names at the name server on host %s: no more fit", k->names,
		k->at.host);
}

static int client_run(const char *address, const struct client_call *c)
{
	struct client *k;
	int err = client_hold(address, c->class, &k);

	if (err != 0)
		return err;
	err = client_ask(k, c->command, c->service, c->port, c->class);
	if (err == 0)
		err = client_judge(k, c);
	if (err == 0 && c->found != NULL)
		memcpy(c->found, k->answer.port, strlen(k->answer.port) + 1);
	client_drop(k);
	return err;
}

int dyn_server_publish(const char *address, const char *service, const char *port, bool replace)
{
	return client_run(
		address, &(struct client_call){replace ? BOOT_NAME_REPLACE : BOOT_NAME_PUBLISH,
				 MPI_ERR_SERVICE, service, port, NULL});
}

int dyn_server_unpublish(const char *address, const char *service, const char *port)
{
	return client_run(address,
		&(struct client_call){BOOT_NAME_WITHDRAW, MPI_ERR_SERVICE, service, port, NULL});
}

int dyn_server_lookup(const char *address, const char *service, char *port)
{
	return client_run(address,
		&(struct client_call){BOOT_NAME_LOOKUP, MPI_ERR_NAME, service, NULL, port});
}

HAFT_START void dyn_server_close(void)
{
	while (clients != NULL) {
		clients->names = 0;
		clients->users = 1;
		client_drop(clients);
	}
}
