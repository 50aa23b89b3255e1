// SPDX-License-Identifier: BSD-3-Clause
/* pairing.c - accept and connect at the roots: see pairing.h.
 *
 *      server    QUEUE ──a client has called (port_clients.h)──> ANSWER ──ACCEPT has gone──> done
 *                  ^────────────────── wrong, or silent too long ────┘
 *      client    CONNECT ──> AWAIT ──connected──> QUEUE ──HELLO──> CALL ──ACCEPT has come──> done
 *                  ^─ refused ──┘  the next address
 *
 * Both are state machines that a wait advances (p2p_progress_until), so messages of this process go
 * on meanwhile.  The sockets are watched by libnet's descriptor, so they end a sleep. */
#include "libmpi/dyn/pairing.h"

#include "libmpi/boot/control.h"
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/dyn/port_clients.h"
#include "libnet/handshake.h"
#include "libmpi/p2p/p2p.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAP_NS           50000000  /* a sleep that nothing ends */
#define CHILDREN_POLL_NS 100000000 /* between two checks whether awaited children live */
#define NAP_SHORT_NS     1000000   /* while bytes wait to go, or a full queue may get room */

enum pairing_step {
	STEP_CONNECT, /* client: the next address */
	STEP_AWAIT,   /* client: until the socket is connected */
	STEP_QUEUE,   /* server: no client yet; client: in the queue */
	STEP_CALL,    /* client: CALL has gone */
	STEP_ANSWER,  /* server: ACCEPT goes */
	STEP_DONE
};

struct pairing {
	struct shm_describer describer; /* first */
	const char *at;                 /* the name of the port */
	enum pairing_step step;
	struct net_handshake handshake;
	uint64_t until;        /* of all, ns; 0: no limit */
	uint64_t answer_until; /* server: of this client */
	uint32_t nap_ns;       /* until the next check, if nothing else ends the sleep */
	int err;               /* class, if it has failed; any thread may have found out, so: */
	char words[HAFT_ERR_TEXT_MAX];
	struct dyn_pairing *result;
	const struct via_card *cards; /* this side's */
	int n;
	struct dyn_port *port;     /* server */
	struct dyn_port_name name; /* client */
	int addr;                  /* client: index of the address that is tried */
	double timeout_s;          /* as until; 0: no limit */
	int why;                   /* client: errno of the last attempt */
	int spawn_id;              /* server: of struct dyn_awaited */
	uint64_t children_poll_ns; /* server: time of the next check of them */
};

/* An ACCEPT begins with it; cards follow. */
struct pairing_offer {
	struct comm_ids ids;
};

static uint64_t pairing_deadline(double timeout_s)
{
	return timeout_s > 0 ? clock_now_ns() + (uint64_t)(timeout_s * NS_PER_S) : 0;
}

__attribute__((format(printf, 3, 4))) static bool pairing_fail(
	struct pairing *m, int class, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m->words, sizeof(m->words), fmt, ap);
	va_end(ap);
	m->err = class;
	m->step = STEP_DONE;
	return true;
}

static void pairing_hang_up(struct pairing *m)
{
	if (m->handshake.fd >= 0)
		close(m->handshake.fd);
	net_handshake_end(&m->handshake);
	m->handshake.fd = -1;
}

static void pairing_begin(struct pairing *m, int fd, const uint8_t *secret)
{
	net_handshake_begin(&m->handshake, fd, secret);
	via_wake_on(fd, true);
}

/* Keeps the cards of the other side, which lie behind `skip' bytes of the message.  False: they are
 * no cards. */
static bool pairing_keep(struct pairing *m, size_t skip)
{
	size_t bytes = m->handshake.bytes - skip;

	if (m->handshake.bytes < skip + sizeof(struct via_card) ||
		bytes % sizeof(struct via_card) != 0)
		return false;
	m->result->n = (int)(bytes / sizeof(struct via_card));
	m->result->card = malloc(bytes);
	if (m->result->card == NULL)
		return false;
	memcpy(m->result->card, (const char *)m->handshake.data + skip, bytes);
	for (int i = 0; i < m->result->n; i++) {
		struct via_card *c = &m->result->card[i];

		c->tcp[sizeof(c->tcp) - 1] = c->unix_[sizeof(c->unix_) - 1] =
			c->name[sizeof(c->name) - 1] = '\0';
		if (c->number < 0 || c->number >= VIA_ALIAS_FIRST || c->universe == 0)
			return false;
	}
	return true;
}

static void pairing_drop(struct pairing *m)
{
	free(m->result->card);
	*m->result = (struct dyn_pairing){.ids = m->result->ids};
}

/* Waits until the state machine is done. */
/* For the report of waits: the host and the first address of the port; never its secret. */
static void pairing_describe(const struct shm_describer *t, void *description)
{
	const struct pairing *m = (const struct pairing *)t;
	const char *at = strstr(m->at, "//");
	struct boot_wait *what = description;
	size_t n;

	at = at != NULL ? at + 2 : m->at;
	p2p_wait_report(m->port != NULL ? BOOT_WAIT_ACCEPT : BOOT_WAIT_CONNECT, NULL, what);
	n = strcspn(at, "/");
	n += at[n] != '\0' ? 1 + strcspn(at + n + 1, ",/") : 0;
	snprintf(what->name, sizeof(what->name), "%.*s", (int)n, at);
}

static int pairing_run(struct pairing *m, bool (*step)(void *arg))
{
	m->describer = (struct shm_describer){pairing_describe};
	p2p_progress_until(&(struct p2p_condition){
		.ready = step, .arg = m, .nap_ns = &m->nap_ns, .describer = &m->describer});
	pairing_hang_up(m);
	if (m->err == 0)
		return 0;
	pairing_drop(m);
	return haft_err(m->err, "%s", m->words);
}

/* --- the server ----------------------------------------------------------------------------- */

/* The call has come: this side's cards are the answer.  A process can be on one side only. */
static int accept_answer(struct pairing *m)
{
	static const char twice[] = "a process is a member of both groups: they must be disjoint";
	size_t bytes = sizeof(struct pairing_offer) + (size_t)m->n * sizeof(struct via_card);
	struct pairing_offer *offer;
	bool put;

	if (m->handshake.kind != HANDSHAKE_CALL || !pairing_keep(m, 0))
		return -EBADMSG;
	for (int i = 0; i < m->n; i++)
		for (int j = 0; j < m->result->n; j++)
			if (m->cards[i].universe == m->result->card[j].universe &&
				m->cards[i].number == m->result->card[j].number) {
				net_handshake_put(
					&m->handshake, HANDSHAKE_REFUSE, twice, sizeof(twice));
				net_handshake_flush(&m->handshake);
				return -EBADMSG;
			}
	offer = calloc(1, bytes);
	if (offer == NULL)
		return -ENOMEM;
	offer->ids = m->result->ids;
	memcpy(offer + 1, m->cards, (size_t)m->n * sizeof(struct via_card));
	put = net_handshake_put(&m->handshake, HANDSHAKE_ACCEPT, offer, bytes);
	free(offer);
	return put ? 0 : -ENOMEM;
}

/* Begins the answer to a client that has called.  False: there is none. */
static bool accept_next(struct pairing *m)
{
	struct port_client *c = dyn_clients_take(m->port, &m->nap_ns);

	if (c == NULL)
		return false;
	m->handshake = c->handshake;
	free(c);
	m->answer_until = clock_now_ns() + HANDSHAKE_MS * NS_PER_MS;
	m->step = STEP_ANSWER;
	if (accept_answer(m) != 0)
		m->answer_until = 0;
	return true;
}

/* Fails if a child that this side waits for has ended. */
static bool accept_poll(struct pairing *m)
{
	uint64_t now = m->spawn_id != 0 ? clock_now_ns() : 0;
	int err;

	if (m->spawn_id == 0 || now < m->children_poll_ns)
		return false;
	m->children_poll_ns = now + CHILDREN_POLL_NS;
	err = boot_children_live(m->spawn_id);
	return err != 0 && pairing_fail(m, err, "%s", haft_err_text(err));
}

/* Answers the clients in turn, until one has the answer.  False: none has called, or the answer has
 * not gone yet. */
static bool accept_advance(struct pairing *m)
{
	int err;

	while (m->step == STEP_ANSWER || accept_next(m)) {
		err = m->answer_until == 0 ? -EBADMSG : net_handshake_flush(&m->handshake);
		if (err == 0) {
			m->step = STEP_DONE;
			return true;
		}
		if (err == -EAGAIN && clock_now_ns() < m->answer_until) {
			m->nap_ns = NAP_SHORT_NS;
			return false;
		}
		pairing_hang_up(m);
		pairing_drop(m);
		m->step = STEP_QUEUE;
	}
	return false;
}

static bool accept_step(void *arg)
{
	struct pairing *m = arg;

	m->nap_ns = NAP_NS;
	if (m->step == STEP_DONE || accept_advance(m))
		return true;
	if (m->port->closed)
		return pairing_fail(m, MPI_ERR_PORT, "the port was closed meanwhile");
	if (m->until != 0 && clock_now_ns() >= m->until)
		return pairing_fail(m, MPI_ERR_PORT, "no process has connected to the port in %g s",
			m->timeout_s);
	return accept_poll(m);
}

int dyn_pair_accept(const struct dyn_awaited *what, const struct via_card *cards, int n,
	struct comm_ids ids, struct dyn_pairing *result)
{
	struct pairing m = {.step = STEP_QUEUE,
		.handshake.fd = -1,
		.until = pairing_deadline(what->timeout_s),
		.timeout_s = what->timeout_s,
		.result = result,
		.cards = cards,
		.n = n,
		.at = what->port,
		.port = dyn_port_use(what->port),
		.spawn_id = what->spawn_id};
	int err;

	*result = (struct dyn_pairing){.ids = ids};
	if (m.port == NULL)
		return MPI_ERR_PORT;
	dyn_clients_begin(m.port);
	err = pairing_run(&m, accept_step);
	dyn_clients_end(m.port);
	dyn_port_drop(m.port);
	return err;
}

/* --- the client ----------------------------------------------------------------------------- */

/* The words of a connection that has failed. */
static bool connect_failed(struct pairing *m)
{
	switch (m->why) {
	case EACCES:
		return pairing_fail(m, MPI_ERR_PORT,
			"the process at the port on host %s has no port of this name: a digit of "
			"the name is wrong, or it is of a port that was closed",
			m->name.host);
	case EBADMSG:
		return pairing_fail(m, MPI_ERR_PORT,
			"the process at the port on host %s is of another build of Haft, or of "
			"none",
			m->name.host);
	case ENOMEM: return pairing_fail(m, MPI_ERR_NO_MEM, "no memory for a connection");
	case ECONNREFUSED:
	case ECONNRESET:
	case EPIPE:
		return pairing_fail(m, MPI_ERR_PORT,
			"no process listens at the port on host %s: it is closed, or the process "
			"has ended",
			m->name.host);
	default:
		return pairing_fail(m, MPI_ERR_PORT, "no way to the port on host %s: %s",
			m->name.host, strerror(m->why));
	}
}

/* This attempt has failed: on to the next address, or to the end. */
static bool connect_next(struct pairing *m, int why)
{
	pairing_hang_up(m);
	pairing_drop(m);
	m->why = m->why == 0 || why != ECONNREFUSED ? why : m->why;
	m->step = STEP_CONNECT;
	if (++m->addr < m->name.naddr)
		return false;
	return connect_failed(m);
}

static bool pairing_connect(struct pairing *m)
{
	int fd, err = net_connect(m->name.addr[m->addr], &fd);

	if (err == NET_SYS && errno == EAGAIN) { /* the queue of a UNIX socket is full */
		m->nap_ns = NAP_SHORT_NS;
		return false;
	}
	if (err != 0)
		return connect_next(m, err == NET_SYS ? errno : EADDRNOTAVAIL);
	pairing_begin(m, fd, m->name.secret);
	m->step = STEP_AWAIT;
	return true;
}

static bool connect_await(struct pairing *m)
{
	int err = net_connect_status(m->handshake.fd);

	if (err == EAGAIN) {
		m->nap_ns = NAP_SHORT_NS;
		return false;
	}
	if (err != 0)
		return connect_next(m, err);
	m->step = STEP_QUEUE;
	return true;
}

/* The answer has come. */
static bool connect_answered(struct pairing *m)
{
	const struct pairing_offer *offer = m->handshake.data;

	if (m->handshake.kind == HANDSHAKE_REFUSE && m->handshake.bytes > 0)
		return pairing_fail(m, MPI_ERR_COMM, "%.*s", (int)m->handshake.bytes - 1,
			(const char *)m->handshake.data);
	if (m->handshake.kind != HANDSHAKE_ACCEPT || m->handshake.bytes < sizeof(*offer))
		return connect_next(m, EBADMSG);
	memcpy(&m->result->ids, &offer->ids, sizeof(offer->ids));
	if (!pairing_keep(m, sizeof(*offer)))
		return connect_next(m, EBADMSG);
	m->step = STEP_DONE;
	return true;
}

/* Advances the handshake with the server. */
static bool connect_handshake(struct pairing *m)
{
	int err = net_handshake_flush(&m->handshake);

	if (err == -EAGAIN)
		m->nap_ns = NAP_SHORT_NS;
	if (err == 0)
		err = net_handshake_get(&m->handshake);
	if (err == -EAGAIN)
		return false;
	if (err != 0)
		return connect_next(m, -err);
	if (m->step == STEP_CALL)
		return connect_answered(m);
	if (m->handshake.kind != HANDSHAKE_HELLO)
		return connect_next(m, EBADMSG);
	if (!net_handshake_put(
		    &m->handshake, HANDSHAKE_CALL, m->cards, (size_t)m->n * sizeof(*m->cards)))
		return connect_next(m, ENOMEM);
	m->step = STEP_CALL;
	return true;
}

/* The time is over: says how far the connection has come. */
static bool connect_late(struct pairing *m)
{
	if (m->step != STEP_CONNECT && m->step != STEP_AWAIT)
		return pairing_fail(m, MPI_ERR_PORT,
			"the port on host %s is open, but its process has not accepted within "
			"%g s",
			m->name.host, m->timeout_s);
	return pairing_fail(m, MPI_ERR_PORT,
		"the port on host %s could not be reached within %g s: address %d of %d, %s, does "
		"not answer%s%s",
		m->name.host, m->timeout_s, m->addr + 1, m->name.naddr, m->name.addr[m->addr],
		m->why != 0 ? "; before it: " : "", m->why != 0 ? strerror(m->why) : "");
}

static bool connect_step(void *arg)
{
	struct pairing *m = arg;
	bool on = true;

	m->nap_ns = NAP_NS;
	while (on && m->step != STEP_DONE) {
		switch (m->step) {
		case STEP_CONNECT: on = pairing_connect(m); break;
		case STEP_AWAIT: on = connect_await(m); break;
		default: on = connect_handshake(m); break;
		}
		on = on || (m->step == STEP_CONNECT && m->nap_ns == NAP_NS);
	}
	if (m->step == STEP_DONE)
		return true;
	return m->until != 0 && clock_now_ns() >= m->until && connect_late(m);
}

int dyn_pair_connect(const char *port, double timeout_s, const struct via_card *cards, int n,
	struct dyn_pairing *result)
{
	struct pairing m = {.step = STEP_CONNECT,
		.at = port,
		.handshake.fd = -1,
		.until = pairing_deadline(timeout_s),
		.timeout_s = timeout_s,
		.result = result,
		.cards = cards,
		.n = n};
	int err = dyn_port_parse(port, &m.name);

	*result = (struct dyn_pairing){.n = 0};
	return err != 0 ? err : pairing_run(&m, connect_step);
}
