// SPDX-License-Identifier: BSD-3-Clause
/* sock_os.c - struct net_io of the real world: non-blocking sockets and epoll.
 *
 * epoll is level-triggered: the next poll reports again the events left over by a poll.  A
 * connection is asked about for reading all its life, for writing while something waits. */
#include "libnet/net_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_MAX     32
#define KEEP_PROBES    5 /* keepalive: a third of dead_ms idle, then so many in the rest */
#define SILENT_RETRIES 3 /* unanswered: that many are not lost by chance */

static ssize_t os_recv(struct net_conn *c, struct iovec *iov, int n)
{
	ssize_t r;

	do
		r = n == 1 ? recv(c->fd, iov->iov_base, iov->iov_len, MSG_DONTWAIT)
			   : readv(c->fd, iov, n);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

static ssize_t os_send(struct net_conn *c, struct iovec *iov, int n)
{
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = (size_t)n};
	ssize_t r;

	do
		r = n == 1 ? send(c->fd, iov->iov_base, iov->iov_len, MSG_NOSIGNAL | MSG_DONTWAIT)
			   : sendmsg(c->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (r < 0 && errno == EINTR);
	/* The kernel's memory, not ours: it comes back. */
	if (r < 0 && (errno == ENOBUFS || errno == ENOMEM))
		return -EAGAIN;
	return r < 0 ? -errno : r;
}

static void socket_set(int fd, int level, int name, int value)
{
	setsockopt(fd, level, name, &value, sizeof(value));
}

/* Sets the options of a connection.  A host that has died answers no keepalive.  While bytes are
 * under way, os_silent notices it: TCP_USER_TIMEOUT would also end connections to live hosts whose
 * process does not read. */
static void socket_tune(struct net_conn *c)
{
	const struct net_conf *conf = &c->net->conf;
	int idle = conf->dead_ms / 3000, every = (conf->dead_ms / 1000 - idle) / KEEP_PROBES;

	if (conf->buf_len > 0) {
		socket_set(c->fd, SOL_SOCKET, SO_SNDBUF, conf->buf_len);
		socket_set(c->fd, SOL_SOCKET, SO_RCVBUF, conf->buf_len);
	}
	if (!c->tcp)
		return;
	socket_set(c->fd, IPPROTO_TCP, TCP_NODELAY, 1);
	socket_set(c->fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	socket_set(c->fd, IPPROTO_TCP, TCP_KEEPIDLE, idle > 0 ? idle : 1);
	socket_set(c->fd, IPPROTO_TCP, TCP_KEEPINTVL, every > 0 ? every : 1);
	socket_set(c->fd, IPPROTO_TCP, TCP_KEEPCNT, KEEP_PROBES);
}

static int socket_watch(struct net_conn *c)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};

	return epoll_ctl(c->net->epoll_fd, EPOLL_CTL_ADD, c->fd, &e) == 0 ? 0 : errno;
}

/* A socket of a loopback address can connect to itself, if no other one listens there. */
static bool socket_is_self(const struct net_conn *c)
{
	struct sockaddr_storage a, b;
	socklen_t alen = sizeof(a), blen = sizeof(b);

	return c->tcp && getsockname(c->fd, (struct sockaddr *)&a, &alen) == 0 &&
	       getpeername(c->fd, (struct sockaddr *)&b, &blen) == 0 && alen == blen &&
	       memcmp(&a, &b, alen) == 0;
}

static int os_connect_status(struct net_conn *c)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(int);
	int err = 0;

	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0)
		return errno;
	if (err)
		return err;
	len = sizeof(sa);
	if (getpeername(c->fd, (struct sockaddr *)&sa, &len) != 0)
		return errno == ENOTCONN ? EINPROGRESS : errno;
	return socket_is_self(c) ? ECONNREFUSED : 0;
}

static int os_connect(struct net_conn *c, const char *addr, int wait_ms)
{
	struct sockaddr_storage sa;
	struct pollfd p;
	socklen_t len;
	int err;

	errno = 0;
	if (!net_addr_read(addr, &sa, &len))
		return errno == ENOMEM ? ENOMEM : EAFNOSUPPORT;
	c->fd = socket(sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		return errno;
	c->tcp = sa.ss_family != AF_UNIX;
	socket_tune(c);
	err = connect(c->fd, (struct sockaddr *)&sa, len) == 0 ? 0 : errno;
	if (err == EINTR)
		err = EINPROGRESS;
	if (err == EINPROGRESS && wait_ms > 0) {
		p = (struct pollfd){c->fd, POLLOUT, 0};
		poll(&p, 1, wait_ms);
	}
	if (err && err != EINPROGRESS)
		return err;
	err = socket_watch(c);
	return err ? err : os_connect_status(c);
}

static int os_accept(struct net *net, struct net_conn *c)
{
	struct sockaddr_storage sa;
	socklen_t len;

	errno = EAGAIN;
	for (int i = 0; i < net->nlisten && c->fd < 0 && errno == EAGAIN; i++) {
		len = sizeof(sa);
		c->fd = accept4(net->listen_fd[i], (struct sockaddr *)&sa, &len,
			SOCK_NONBLOCK | SOCK_CLOEXEC);
	}
	if (c->fd < 0) {
		switch (errno) {
		case EAGAIN: return EAGAIN;
		case EMFILE:
		case ENFILE:
		case ENOBUFS:
		case ENOMEM: return errno;
		default: return ECONNABORTED; /* that one is gone; the next may be well */
		}
	}
	c->tcp = sa.ss_family != AF_UNIX;
	socket_tune(c);
	return socket_watch(c);
}

static void os_close(struct net_conn *c)
{
	/* A forked child may have the socket open still: take it out of epoll, and end it. */
	if (!c->net->forked) {
		epoll_ctl(c->net->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
		shutdown(c->fd, SHUT_RDWR);
	}
	close(c->fd);
}

static void os_end(struct net_conn *c)
{
	shutdown(c->fd, SHUT_WR);
}

static void os_want(struct net_conn *c, bool out)
{
	struct epoll_event e = {
		.events = out ? (uint32_t)EPOLLIN | (uint32_t)EPOLLOUT : (uint32_t)EPOLLIN,
		.data.ptr = c};

	epoll_ctl(c->net->epoll_fd, EPOLL_CTL_MOD, c->fd, &e);
}

static void os_watch(struct net_conn *c, bool on)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};

	epoll_ctl(c->net->epoll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, c->fd, &e);
}

static void os_listen(struct net *net, bool on)
{
	struct epoll_event e = {.events = EPOLLIN};

	for (int i = 0; i < net->nlisten; i++)
		epoll_ctl(net->epoll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, net->listen_fd[i], &e);
}

static int os_wait(struct net *net, struct net_ready *r, int max, int ms)
{
	struct epoll_event e[EVENTS_MAX];
	int n = epoll_wait(net->epoll_fd, e, max < EVENTS_MAX ? max : EVENTS_MAX, ms), k = 0;

	for (int i = 0; i < n; i++) {
		if (e[i].data.ptr == net) /* net_wake_on: the user's */
			continue;
		r[k].conn = e[i].data.ptr;
		r[k].in = (e[i].events & ~(uint32_t)EPOLLOUT) != 0;
		r[k].out = (e[i].events & ((uint32_t)EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0;
		k++;
	}
	return k;
}

static uint64_t os_now(struct net *net)
{
	struct timespec t;

	(void)net;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000 + 1;
}

static void os_random(struct net *net, void *buf, size_t len)
{
	(void)net;
	while (getrandom(buf, len, 0) != (ssize_t)len)
		;
}

static bool os_unsent(struct net_conn *c)
{
	int n = 0;

	/* A UNIX socket has handed all bytes over already. */
	return c->tcp && ioctl(c->fd, SIOCOUTQ, &n) == 0 && n > 0;
}

static int os_silent(struct net_conn *c)
{
	struct tcp_info t;
	socklen_t len = sizeof(t);

	if (!c->tcp || getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, &t, &len) != 0)
		return 0;
	if (t.tcpi_retransmits >= SILENT_RETRIES || t.tcpi_probes >= SILENT_RETRIES)
		return (int)t.tcpi_last_ack_recv > 0 ? (int)t.tcpi_last_ack_recv : 1;
	return os_unsent(c) ? 1 : 0;
}

static void os_name(struct net_conn *c, char text[NET_ADDR_LEN])
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);

	if (getpeername(c->fd, (struct sockaddr *)&sa, &len) == 0)
		net_addr_write(&sa, len, text);
	else
		snprintf(text, NET_ADDR_LEN, "an unknown process");
}

static void os_fini(struct net *net)
{
	for (int i = 0; i < net->nlisten; i++)
		close(net->listen_fd[i]);
	if (net->epoll_fd >= 0)
		close(net->epoll_fd);
}

const struct net_io net_io_os = {.recv = os_recv,
	.send = os_send,
	.connect = os_connect,
	.connect_status = os_connect_status,
	.accept = os_accept,
	.close = os_close,
	.end = os_end,
	.want = os_want,
	.watch = os_watch,
	.listen = os_listen,
	.wait = os_wait,
	.now = os_now,
	.random = os_random,
	.unsent = os_unsent,
	.silent = os_silent,
	.name = os_name,
	.fini = os_fini};

int net_os_open(struct net *net)
{
	net->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return net->epoll_fd >= 0 ? 0 : NET_SYS;
}

int net_listen_on(struct net *net, int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct epoll_event e = {.events = EPOLLIN};

	if (net->nlisten == NET_LISTENERS)
		return NET_BAD;
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
		fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
		return NET_SYS;
	net->listen_fd[net->nlisten++] = fd;
	if (!net->accept_paused)
		epoll_ctl(net->epoll_fd, EPOLL_CTL_ADD, fd, &e);
	return 0;
}

int net_wake_on(struct net *net, int fd, bool on)
{
	struct epoll_event e = {.events = EPOLLIN | (uint32_t)EPOLLRDHUP, .data.ptr = net};

	return epoll_ctl(net->epoll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &e) == 0 ? 0
											 : NET_SYS;
}

int net_connect(const char *addr, int *fd)
{
	struct sockaddr_storage sa;
	socklen_t len;
	int s, on = 1, e;

	if (!net_addr_read(addr, &sa, &len))
		return NET_BAD;
	s = socket(sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s < 0)
		return NET_SYS;
	if (sa.ss_family != AF_UNIX)
		setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(s, (struct sockaddr *)&sa, len) != 0 && errno != EINPROGRESS &&
		errno != EINTR) {
		e = errno;
		close(s);
		errno = e;
		return NET_SYS;
	}
	*fd = s;
	return 0;
}

int net_connect_status(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	socklen_t len = sizeof(int);
	int err = 0;

	if (poll(&p, 1, 0) == 0)
		return EAGAIN;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0 ? errno : err;
}
