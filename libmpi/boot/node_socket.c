// SPDX-License-Identifier: BSD-3-Clause
/* node_socket.c - see node_socket.h. */
#include "libmpi/boot/node_socket.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/node_join.h"
#include "libmpi/boot/node_record.h"
#include "libmpi/core/clock.h"

#define RETRY_US 500 /* between two attempts to connect */

uint64_t boot_node_ms(void)
{
	return clock_now_ns() / NS_PER_MS;
}

/* FNV-1a.  Nodes in one network namespace get different names by it. */
static uint64_t host_hash(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s != '\0'; s++)
		h = (h ^ (uint8_t)*s) * UINT64_C(0x100000001b3);
	return h;
}

socklen_t boot_node_name(struct sockaddr_un *a, uint64_t job_secret, const char *host)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1,
				   "haft-%016" PRIx64 "-%016" PRIx64, job_secret, host_hash(host)));
}

int boot_node_connect(const struct sockaddr_un *a, socklen_t len)
{
	uint64_t end = boot_node_ms() + NODE_JOIN_S * 1000;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	while (fd >= 0 && connect(fd, (const struct sockaddr *)a, len) != 0) {
		if ((errno == ECONNREFUSED || errno == EAGAIN || errno == EINTR) &&
			boot_node_ms() < end) {
			usleep(RETRY_US);
			continue;
		}
		close(fd);
		fd = -1;
	}
	return fd >= 0 ? fd
		       : boot_fail("the process that makes this host's shared memory cannot be "
				   "reached: %s",
				 strerror(errno));
}

int boot_node_peer(int fd)
{
	struct ucred c;
	socklen_t len = sizeof(c);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &len) != 0 || c.uid != geteuid())
		return 0;
	return c.pid;
}

bool boot_node_readable(int fd, uint64_t end)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t now = boot_node_ms();
	int n;

	do {
		n = poll(&p, 1, now < end ? (int)(end - now) : 0);
		now = boot_node_ms();
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

bool boot_grant_send(int to, struct grant g, int fd)
{
	struct iovec io = {.iov_base = &g, .iov_len = sizeof(g)};
	union {
		char buf[CMSG_SPACE(sizeof(fd))];
		struct cmsghdr align;
	} room = {.buf = {0}};
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = room.buf,
		.msg_controllen = sizeof(room.buf)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	g.version = NODE_VERSION;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (fd < 0)
		m.msg_control = NULL, m.msg_controllen = 0;
	return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(g);
}

bool boot_grant_recv(int from, struct grant *g, int *fd)
{
	struct iovec io = {.iov_base = g, .iov_len = sizeof(*g)};
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} room;
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = room.buf,
		.msg_controllen = sizeof(room.buf)};
	const struct cmsghdr *c;

	*fd = -1;
	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(*g))
		return false;
	c = CMSG_FIRSTHDR(&m);
	if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return g->version == NODE_VERSION;
}
