// SPDX-License-Identifier: BSD-3-Clause
/* remote.c - frames and streams to remote peers, by the transport of HAFT_VIA; and the sleep of a
 * process that has such peers: see remote.h. */
#include "libmpi/via/remote.h"

#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/via/alias.h"
#include "libmpi/via/ofi.h"
#include "libmpi/via/transport.h"
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct {
	struct via_conf conf;
	char tcp[NET_ADDR_LEN], local[NET_ADDR_LEN]; /* where this process listens; "": nowhere */
	uint8_t foreign_key[NET_KEY_LEN];            /* proves foreign peers */
	int doorbell;                                /* socket of this process's doorbell */
	bool named;                                  /* it has its name: others can ring it */
	pid_t owner; /* the process that has opened all this, and not a child of it */
	const struct via_transport *by; /* to remote peers of this universe */
} remote = {.doorbell = -1, .by = &via_sockets};

/* To remote peers, by HAFT_VIA.  A new transport gets its lines here. */
static const struct via_transport *const transports[] = {
	[HAFT_VIA_AUTO] = &via_sockets,
	[HAFT_VIA_SHM] = &via_sockets,
	[HAFT_VIA_NET] = &via_sockets,
	[HAFT_VIA_OFI] = &via_ofi_transport,
	[HAFT_VIA_OFI_ALL] = &via_ofi_transport,
};
static_assert(sizeof(transports) / sizeof(transports[0]) == HAFT_VIA_COUNT,
	"each value of HAFT_VIA has a transport");

static const struct via_transport *transport_to(int peer)
{
	return via_is_alias(peer) ? &via_sockets : remote.by;
}

/* --- frames --------------------------------------------------------------------------------- */

static void remote_deliver(void *arg, const struct net_frame *f)
{
	struct shm_frame as = {.ctx = f->hdr.ctx,
		.data = f->data,
		.tag = f->hdr.tag,
		.len = f->len,
		.src = f->from,
		.kind = f->hdr.kind,
		.flags = f->hdr.flags};

	if (transport_to(f->from)->deliver != NULL)
		transport_to(f->from)->deliver(f);
	else
		via.deliver(arg, &as);
}

int via_remote_put(int peer, const struct shm_hdr *h, const void *buf, size_t len)
{
	return transport_to(peer)->put(peer, h, buf, len);
}

int via_remote_reserve(int peer, size_t len, void **room)
{
	return transport_to(peer)->reserve(peer, len, room);
}

void via_remote_commit(int peer, const struct shm_hdr *h, size_t len)
{
	transport_to(peer)->commit(peer, h, len);
}

int via_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op)
{
	return transport_to(peer)->stream_send(peer, id, buf, len, op);
}

int via_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op)
{
	return transport_to(peer)->stream_post(peer, id, buf, len, op);
}

void via_stream_unpost(struct net_op *op)
{
	transport_to(op->peer)->stream_unpost(op);
}

void via_remote_abandon(int peer)
{
	if (via.net != NULL)
		net_abandon_peer(via.net, peer);
}

bool via_all_sent_remote(void)
{
	if (remote.by == &via_sockets)
		return via_sockets.all_sent();
	return remote.by->all_sent() && (!via_alias_any() || via_sockets.all_sent());
}

int via_remote_poll(bool all)
{
	return remote.by->poll(all);
}

const char *via_error_text(int peer, int error)
{
	if (error != VIA_LOST)
		return shm_error_text(error);
	return via.net != NULL ? transport_to(peer)->words(peer) : "it has ended";
}

/* --- the doorbell --------------------------------------------------------------------------- */

/* The name of the doorbell of a seat of this host.  Several hosts of a job may be one machine, so
 * the host is in it. */
static socklen_t doorbell_name(struct sockaddr_un *a, int seat)
{
	int n;

	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "haft-%016llx-%d-%d",
		(unsigned long long)shm_seg_cookie(via.shm->seg), via_machine(via.me), seat);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static bool doorbell_open(void)
{
	struct sockaddr_un a;
	socklen_t len = doorbell_name(&a, via.seat);

	if (remote.doorbell < 0)
		remote.doorbell = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	remote.named =
		remote.doorbell >= 0 && bind(remote.doorbell, (struct sockaddr *)&a, len) == 0;
	return remote.doorbell >= 0;
}

/* Rings a doorbell.  Errors do not matter: a full one will be seen, a missing one wakes no
 * process. */
static void doorbell_ring(void *arg, int seat)
{
	struct sockaddr_un a;
	socklen_t len = doorbell_name(&a, seat);

	(void)arg;
	if (unlikely(remote.doorbell < 0)) /* this process itself sleeps without */
		remote.doorbell = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	sendto(remote.doorbell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&a, len);
}

static void doorbell_drain(void)
{
	char byte;

	while (recv(remote.doorbell, &byte, sizeof(byte), MSG_DONTWAIT) >= 0)
		;
}

#define DEAF_NS 1000000u /* of a sleep that no other process can end */

/* The longest time for libshm's sleep, ns.  Runs under the library's lock, as libnet needs it. */
static uint64_t doorbell_most(void *arg)
{
	int ms = net_sleep_ms(via.net);
	uint64_t most = remote.named ? UINT64_MAX : DEAF_NS;

	(void)arg;
	return ms >= 0 && (uint64_t)ms * 1000000u < most ? (uint64_t)ms * 1000000u : most;
}

/* libshm's sleep, for at most ns.  True: only the clock has ended it.  Other threads may call
 * libnet meanwhile. */
static bool doorbell_sleep(void *arg, uint64_t ns)
{
	struct pollfd fds[3] = {
		{net_fd(via.net), POLLIN, 0}, {remote.doorbell, POLLIN, 0}, {-1, POLLIN, 0}};
	struct timespec t;
	int n;

	(void)arg;
	if (remote.by->sleep != NULL && !remote.by->sleep(&ns, &fds[2].fd)) {
		atomic_store_explicit(&via.due, true, memory_order_relaxed);
		sched_yield();
		return false;
	}
	t = (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
	n = ppoll(fds, countof(fds), &t, NULL);
	if (n > 0 && (fds[0].revents | fds[2].revents) != 0)
		atomic_store_explicit(&via.due, true, memory_order_relaxed);
	if (n > 0 && fds[1].revents != 0)
		doorbell_drain();
	return n == 0;
}

/* --- open and close ------------------------------------------------------------------------- */

static const char *addr_of(void *arg, int peer)
{
	(void)arg;
	return via_is_alias(peer) ? via_alias_addr(peer) : remote.conf.addr(peer);
}

bool via_remote_connected(int peer)
{
	return net_peer_state_get(via.net, peer) == NET_PEER_CONNECTED;
}

static void peer_lost(void *arg, int peer, enum net_why why, const char *words)
{
	(void)arg;
	if (transport_to(peer)->net_lost != NULL)
		transport_to(peer)->net_lost(peer, why == NET_WHY_LEFT, words);
	else
		remote.conf.lost(peer, why == NET_WHY_LEFT, words);
}

static void net_report(void *arg, const char *words)
{
	(void)arg;
	fprintf(stderr, "haft: rank %d: %s\n", via.me, words);
}

/* Sends pending messages before the process exits.  A forked child that exits does nothing. */
static void remote_close(void)
{
	if (getpid() != remote.owner)
		return;
	if (remote.by->leave != NULL)
		remote.by->leave();
	net_close(via.net);
	if (remote.by->close != NULL)
		remote.by->close();
}

static int remote_failed(const char *what, const char *words)
{
	return haft_err(MPI_ERR_OTHER, "rank %d cannot open %s: %s", via.me, what, words);
}

/* Copies the address of "tcp:1.2.3.4:567" or "tcp:[::1]:567" into ip.  False: another text. */
static bool ip_of(const char *addr, char ip[NET_ADDR_LEN])
{
	size_t skip, len;

	if (addr == NULL || strncmp(addr, "tcp:", 4) != 0)
		return false;
	skip = addr[4] == '[';
	len = strcspn(addr + 4 + skip, skip ? "]" : ":");
	snprintf(ip, NET_ADDR_LEN, "%.*s", (int)len, addr + 4 + skip);
	return true;
}

/* Opens the transport that HAFT_VIA says. */
static int transport_open(const struct via_conf *conf)
{
	const struct via_transport *by = transports[haft_setting_get(SETTING_VIA)];
	char ip[NET_ADDR_LEN];
	int err = 0;

	if (by->open != NULL)
		err = by->open(ip_of(conf->addr(conf->me), ip) ? ip : NULL, conf->lost);
	if (err == 0)
		remote.by = by;
	return err;
}

HAFT_START void via_remote_prepare(const struct via_conf *conf)
{
	static const struct shm_sleep_ops ringer = {.ring = doorbell_ring};

	remote.conf = *conf;
	remote.owner = getpid();
	shm_sleep_ops_set(via.shm, &ringer);
}

/* Opens libnet and the doorbell.  From now on the process sleeps by them. */
static int sockets_open(const uint8_t key[NET_KEY_LEN])
{
	static const struct shm_sleep_ops doorbell = {
		doorbell_most, doorbell_sleep, doorbell_ring, NULL};
	struct net_conf net = {.me = via.me,
		.npeers = 1 << VIA_PEER_BITS,
		.universe = via.universe,
		.foreign = via_alias_asked,
		.listen_fd = -1,
		.deliver = remote_deliver,
		.lost = peer_lost,
		.log = net_report,
		.addr = addr_of};
	int err;

	if (getrandom(remote.foreign_key, sizeof(remote.foreign_key), 0) !=
		sizeof(remote.foreign_key))
		return remote_failed("its sockets", strerror(errno));
	memcpy(net.key, key, NET_KEY_LEN);
	memcpy(net.foreign_key, remote.foreign_key, NET_KEY_LEN);
	if (remote.conf.listen_fd >= 0)
		net.listen_fd = fcntl(remote.conf.listen_fd, F_DUPFD_CLOEXEC, 0);
	err = net_open(&net, &via.net);
	if (err != 0)
		return remote_failed(
			"its sockets", err == NET_SYS ? strerror(errno) : net_error_text(err));
	if (!doorbell_open())
		return remote_failed("the socket that wakes it", strerror(errno));
	shm_sleep_ops_set(via.shm, &doorbell);
	via_alias_open(via.net);
	via.mixed = true;
	return 0;
}

int via_remote_open(const struct via_conf *conf)
{
	int err;

	if (conf->key == NULL)
		return haft_err(MPI_ERR_OTHER, "HAFT_VIA=net or ofi-all, but the launcher has made "
					       "no sockets for the processes: it "
					       "must be in mpiexec's environment");
	err = sockets_open(conf->key);
	if (err == 0)
		err = transport_open(conf);
	if (err == 0)
		atexit(remote_close);
	return err;
}

/* --- later: for processes of other universes ------------------------------------------------ */

/* Opens one more listener.  False: not possible; `text' is then "". */
static bool listener_open(const char *where, char text[NET_ADDR_LEN])
{
	int fd;

	if (net_listen(where, &fd, text) == 0) {
		if (net_listen_on(via.net, fd) == 0)
			return true;
		close(fd);
	}
	text[0] = '\0';
	return false;
}

/* Opens the listeners that the job has not: a UNIX socket, and one of TCP. */
static int listeners_open(void)
{
	const char *job = remote.conf.listen_fd >= 0 ? remote.conf.addr(via.me) : NULL, *why = NULL;
	char ip[NET_ADDR_LEN] = "", where[NET_ADDR_LEN + 16];

	if (job != NULL)
		snprintf(strncmp(job, "tcp:", 4) == 0 ? remote.tcp : remote.local, NET_ADDR_LEN,
			"%s", job);
	if (remote.local[0] == '\0')
		listener_open("unix:", remote.local);
	if (remote.tcp[0] == '\0')
		why = remote.conf.listen_where(ip);
	if (remote.tcp[0] == '\0' && why == NULL) {
		snprintf(where, sizeof(where), strchr(ip, ':') != NULL ? "tcp:[%s]:0" : "tcp:%s:0",
			ip);
		listener_open(where, remote.tcp);
	}
	if (remote.tcp[0] == '\0' && remote.local[0] == '\0')
		return remote_failed("a socket for other jobs", why ? why : strerror(errno));
	return 0;
}

int via_remote_open_late(void)
{
	uint8_t key[NET_KEY_LEN];
	int err = 0;

	if (via.net == NULL) {
		/* Without a key of the job no process of it connects by sockets. */
		if (remote.conf.key != NULL)
			memcpy(key, remote.conf.key, NET_KEY_LEN);
		else if (getrandom(key, sizeof(key), 0) != sizeof(key))
			return remote_failed("its sockets", strerror(errno));
		err = sockets_open(key);
		if (err == 0)
			atexit(remote_close);
	}
	if (err == 0 && remote.tcp[0] == '\0' && remote.local[0] == '\0')
		err = listeners_open();
	return err;
}

bool via_listen_ip(char *ip)
{
	return ip_of(remote.conf.addr(via.me), ip) || remote.conf.listen_where(ip) == NULL;
}

void via_remote_card(struct via_card *card)
{
	memcpy(card->key, remote.foreign_key, NET_KEY_LEN);
	snprintf(card->tcp, sizeof(card->tcp), "%s", remote.tcp);
	snprintf(card->unix_, sizeof(card->unix_), "%s", remote.local);
}

void via_wake_on(int fd, bool on)
{
	net_wake_on(via.net, fd, on);
}
