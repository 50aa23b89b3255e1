// SPDX-License-Identifier: BSD-3-Clause
/* name_server.c - see name_server.h.
 *
 *      listener ──accept──> client: HELLO goes ──> its requests, each with an answer
 *                             '──hangs up, lies, or says nothing for HELLO_S──> closed
 *
 * Invariants
 *  - A name belongs to the connection that has published it, and goes with it: the kernel closes
 *    the connection when its process ends, and finds by keep-alive that a host is gone.
 *  - Nothing of a client is believed before its proof is right; until then it has HELLO_S seconds
 *    and REQUEST_MAX bytes.
 *  - Nothing blocks but poll, and no client waits for another. */
#include "tools/mpiexec/name_server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libmpi/boot/listen.h"
#include "libmpi/boot/name_protocol.h"
#include "libmpi/core/clock.h"
#include "libnet/handshake.h"
#include "libnet/net.h"
#include "tools/mpiexec/job_plan.h"
#include "tools/mpiexec/util.h"

#define HELLO_S   10 /* so long a client may take to prove itself */
#define STRANGERS 64 /* clients without proof at once: one more takes the place of the oldest */
#define PAUSE_S   1  /* so long no client is accepted after there was no room for one */
#define KEEP_IDLE_S \
	30 /* after so many seconds of silence the kernel asks if a client's host lives */
#define KEEP_ASK_S  10   /* every so many seconds, */
#define KEEP_ASKS   3    /* so often */
#define REQUEST_MAX 8192 /* bytes of a message: a request is shorter */
static_assert(sizeof(struct boot_name_request) <= REQUEST_MAX, "requests are accepted");

struct service_name {
	char *service, *port;
	const struct name_client *owner;
};

struct name_client {
	struct net_handshake handshake;
	bool proven;    /* a request of it had the right proof */
	bool answering; /* bytes of an answer wait to go */
	uint64_t until; /* for the proof, ns */
	uint32_t names;
};

static struct {
	uint8_t secret[NET_KEY_LEN];
	int listener, signals;
	char address[BOOT_NAME_PORT];
	const char *file; /* where the address is; NULL: on stdout only */
	const char *iface;
	struct name_client **client;
	int nclients, nstrangers;
	struct service_name *name;
	int nnames;
	uint64_t pause_ns; /* the listener is not looked at before this time */
	bool full_said;    /* that there is no room: once */
} server = {.listener = -1, .signals = -1};

/* --- names ---------------------------------------------------------------------------------- */

static struct service_name *name_of(const char *service)
{
	for (int i = 0; i < server.nnames; i++)
		if (strcmp(server.name[i].service, service) == 0)
			return &server.name[i];
	return NULL;
}

static void name_drop(struct service_name *n)
{
	free(n->service);
	free(n->port);
	*n = server.name[--server.nnames];
}

static enum boot_name_result name_publish(
	struct name_client *k, const struct boot_name_request *q, bool replace)
{
	struct service_name *n = name_of(q->service);

	if (n != NULL && (!replace || n->owner != k))
		return BOOT_NAME_TAKEN;
	if (n != NULL) {
		free(n->port);
		n->port = text_new("%s", q->port);
		return BOOT_NAME_OK;
	}
	if (k->names >= BOOT_NAMES_MAX)
		return BOOT_NAME_FULL;
	server.name = mem_grow(server.name, (size_t)server.nnames + 1, sizeof(*server.name));
	server.name[server.nnames++] =
		(struct service_name){text_new("%s", q->service), text_new("%s", q->port), k};
	k->names++;
	return BOOT_NAME_OK;
}

static enum boot_name_result name_withdraw(struct name_client *k, const struct boot_name_request *q)
{
	struct service_name *n = name_of(q->service);

	if (n == NULL || n->owner != k)
		return BOOT_NAME_UNKNOWN;
	if (strcmp(n->port, q->port) != 0)
		return BOOT_NAME_OTHER;
	name_drop(n);
	k->names--;
	return BOOT_NAME_OK;
}

/* Fills in the answer of a request. */
static void request_do(
	struct name_client *k, const struct boot_name_request *q, struct boot_name_answer *a)
{
	const struct service_name *n;

	switch (q->command) {
	case BOOT_NAME_PUBLISH:
	case BOOT_NAME_REPLACE:
		a->result = name_publish(k, q, q->command == BOOT_NAME_REPLACE);
		break;
	case BOOT_NAME_WITHDRAW: a->result = name_withdraw(k, q); break;
	default:
		n = name_of(q->service);
		a->result = n != NULL ? BOOT_NAME_OK : BOOT_NAME_UNKNOWN;
		snprintf(a->port, sizeof(a->port), "%s", n != NULL ? n->port : "");
	}
	a->names = k->names;
}

/* --- clients -------------------------------------------------------------------------------- */

/* Closes client i; its names go. */
static void client_close(int i)
{
	struct name_client *k = server.client[i];

	for (int n = server.nnames - 1; n >= 0; n--)
		if (server.name[n].owner == k)
			name_drop(&server.name[n]);
	server.nstrangers -= !k->proven;
	close(k->handshake.fd);
	net_handshake_end(&k->handshake);
	free(k);
	server.client[i] = server.client[--server.nclients];
}

/* The kernel finds out whether the host of a silent client is there. */
static void client_keep_alive(int fd)
{
	static const struct {
		int level, name, value;
	} all[] = {{SOL_SOCKET, SO_KEEPALIVE, 1}, {IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S},
		{IPPROTO_TCP, TCP_KEEPINTVL, KEEP_ASK_S}, {IPPROTO_TCP, TCP_KEEPCNT, KEEP_ASKS},
		{IPPROTO_TCP, TCP_NODELAY, 1}};

	for (size_t i = 0; i < countof(all); i++)
		setsockopt(fd, all[i].level, all[i].name, &all[i].value, sizeof(all[i].value));
}

/* Makes room for one more: the oldest without proof goes. */
static void strangers_trim(void)
{
	int oldest = -1;

	for (int i = 0; i < server.nclients && server.nstrangers >= STRANGERS; i++)
		if (!server.client[i]->proven &&
			(oldest < 0 || server.client[i]->until < server.client[oldest]->until))
			oldest = i;
	if (oldest >= 0)
		client_close(oldest);
}

/* A client could not be accepted.  Without descriptors or memory it stays in the kernel's queue,
 * so poll would return at once, again and again. */
static void accept_failed(int err)
{
	if (err != EMFILE && err != ENFILE && err != ENOBUFS && err != ENOMEM)
		return;
	server.pause_ns = clock_now_ns() + PAUSE_S * NS_PER_S;
	if (!server.full_said)
		fprintf(stderr,
			"mpiexec: the name server has %d clients and cannot accept more: %s (errno "
			"%d)\n",
			server.nclients, strerror(err), err);
	server.full_said = true;
}

static void stranger_accept(void)
{
	int fd = accept4(server.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct name_client *k;

	if (fd < 0) {
		accept_failed(errno);
		return;
	}
	strangers_trim();
	client_keep_alive(fd);
	k = mem_grow(NULL, 1, sizeof(*k));
	*k = (struct name_client){.until = clock_now_ns() + HELLO_S * NS_PER_S};
	net_handshake_begin(&k->handshake, fd, server.secret);
	k->handshake.masked = true;
	k->handshake.most = REQUEST_MAX;
	server.client =
		mem_grow(server.client, (size_t)server.nclients + 1, sizeof(*server.client));
	server.client[server.nclients++] = k;
	server.nstrangers++;
	k->answering = true;
	if (!net_handshake_put(&k->handshake, HANDSHAKE_HELLO, NULL, 0))
		client_close(server.nclients - 1);
}

/* A message has come.  False: it is no request. */
static bool client_answer(struct name_client *k)
{
	struct boot_name_request q;
	struct boot_name_answer a = {.result = BOOT_NAME_UNKNOWN};

	if (k->handshake.kind != HANDSHAKE_CALL || k->handshake.bytes != sizeof(q))
		return false;
	memcpy(&q, k->handshake.data, sizeof(q));
	q.service[sizeof(q.service) - 1] = q.port[sizeof(q.port) - 1] = '\0';
	server.nstrangers -= !k->proven;
	k->proven = true;
	request_do(k, &q, &a);
	k->answering = true;
	return net_handshake_put(&k->handshake, HANDSHAKE_ACCEPT, &a, sizeof(a));
}

/* Sends and receives as much as possible.  False: the client is to be closed. */
static bool client_work(struct name_client *k)
{
	int err = 0;

	while (err == 0) {
		err = k->answering ? net_handshake_flush(&k->handshake)
				   : net_handshake_get(&k->handshake);
		if (err != 0)
			break;
		if (k->answering)
			k->answering = false;
		else if (!client_answer(k))
			return false;
	}
	return err == -EAGAIN;
}

/* --- the loop ------------------------------------------------------------------------------- */

/* ms until the first stranger has had its time, or a pause ends; -1: neither is there. */
static int loop_wait(uint64_t now)
{
	uint64_t first = server.pause_ns > now ? server.pause_ns : UINT64_MAX;

	for (int i = 0; i < server.nclients; i++)
		if (!server.client[i]->proven && server.client[i]->until < first)
			first = server.client[i]->until;
	if (first == UINT64_MAX)
		return -1;
	return first > now ? (int)((first - now) / NS_PER_MS + 1) : 0;
}

static void loop_pass(struct pollfd *p)
{
	int polled = server.nclients;
	bool pause = server.pause_ns > clock_now_ns();

	p[0] = (struct pollfd){.fd = server.signals, .events = POLLIN};
	p[1] = (struct pollfd){.fd = pause ? -1 : server.listener, .events = POLLIN};
	for (int i = 0; i < polled; i++)
		p[2 + i] = (struct pollfd){.fd = server.client[i]->handshake.fd,
			.events = server.client[i]->answering ? POLLOUT : POLLIN};
	if (poll(p, (nfds_t)polled + 2, loop_wait(clock_now_ns())) < 0)
		return;
	for (int i = polled - 1; i >= 0; i--) { /* closing moves the last one */
		struct name_client *k = server.client[i];

		if ((p[2 + i].revents != 0 && !client_work(k)) ||
			(!k->proven && clock_now_ns() >= k->until))
			client_close(i);
	}
	if (p[1].revents != 0)
		stranger_accept();
}

/* Serves until a signal comes.  Returns its number. */
static int loop_run(void)
{
	struct pollfd *p = NULL;
	struct signalfd_siginfo info;

	do {
		p = mem_grow(p, (size_t)server.nclients + 2, sizeof(*p));
		loop_pass(p);
	} while (read(server.signals, &info, sizeof(info)) != (ssize_t)sizeof(info));
	free(p);
	return (int)info.ssi_signo;
}

/* --- start ---------------------------------------------------------------------------------- */

static void options_read(int argc, char **argv)
{
	for (int i = 2; i < argc; i += 2) {
		const char *name = argv[i] + (strncmp(argv[i], "--", 2) == 0 ? 2 : 1);

		if (argv[i][0] != '-' || i + 1 == argc)
			fatal(EXIT_USAGE,
				"-name-server takes -iface NAME and -report-uri FILE, not `%s'",
				argv[i]);
		if (strcmp(name, "iface") == 0)
			server.iface = argv[i + 1];
		else if (strcmp(name, "report-uri") == 0)
			server.file = strcmp(argv[i + 1], "-") != 0 ? argv[i + 1] : NULL;
		else
			fatal(EXIT_USAGE,
				"-name-server takes -iface NAME and -report-uri FILE, not %s",
				argv[i]);
	}
}

static void listener_open(void)
{
	char ip[LISTEN_IP], where[NET_ADDR_LEN], text[NET_ADDR_LEN], host[256] = "";
	const char *why;
	int err, n;

	gethostname(host, sizeof(host) - 1);
	why = boot_listen_where(server.iface, host, NULL, ip);
	if (why != NULL)
		fatal(1, "no address for the name server: %s", why);
	snprintf(where, sizeof(where), strchr(ip, ':') != NULL ? "tcp:[%s]:0" : "tcp:%s:0", ip);
	err = net_listen(where, &server.listener, text);
	if (err != 0)
		fatal(1, "the name server cannot listen at %s: %s", ip,
			err == NET_SYS ? strerror(errno) : net_error_text(err));
	if (getrandom(server.secret, sizeof(server.secret), 0) != (ssize_t)sizeof(server.secret))
		fatal(1, "no random numbers: %s", strerror(errno));
	n = snprintf(
		server.address, sizeof(server.address), BOOT_NAMES_PREFIX "%s/%s/", host, text);
	for (int i = 0; i < NET_KEY_LEN; i++)
		n += snprintf(server.address + n, sizeof(server.address) - (size_t)n, "%02x",
			server.secret[i]);
}

/* Writes the address to the file, which is complete when it is there, and for this user only. */
static void address_write(void)
{
	char *fresh = text_new("%s.%d", server.file, (int)getpid());
	int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good = fd >= 0 && dprintf(fd, "%s\n", server.address) > 0;

	if (fd >= 0 && close(fd) != 0)
		good = false;
	if (!good || rename(fresh, server.file) != 0) {
		int err = errno;

		unlink(fresh);
		fatal(1, "cannot write %s: %s", server.file, strerror(err));
	}
	free(fresh);
}

static void signals_take(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	server.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (server.signals < 0)
		fatal(1, "signalfd: %s", strerror(errno));
}

bool name_server_wanted(int argc, char **argv)
{
	return argc > 1 && (strcmp(argv[1], NAME_SERVER_OPTION) == 0 ||
				   strcmp(argv[1], "-" NAME_SERVER_OPTION) == 0);
}

int name_server_main(int argc, char **argv)
{
	options_read(argc, argv);
	signals_take();
	listener_open();
	if (server.file != NULL)
		address_write();
	else if (printf("%s\n", server.address) < 0 || fflush(stdout) != 0)
		fatal(1, "cannot write to standard output: %s", strerror(errno));
	loop_run();
	while (server.nclients > 0)
		client_close(server.nclients - 1);
	if (server.file != NULL)
		unlink(server.file);
	free(server.client);
	free(server.name);
	return 0;
}
