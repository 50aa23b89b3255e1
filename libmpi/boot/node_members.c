// SPDX-License-Identifier: BSD-3-Clause
/* node_members.c - see node_members.h. */
#include "libmpi/boot/node_members.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/node_join.h"
#include "libmpi/boot/node_record.h"
#include "libmpi/core/thread_start.h"

static bool member_add(struct node_members *m, struct node_member add, const uint64_t *cpu)
{
	struct node_member *v = realloc(m->v, (size_t)(m->n + 1) * sizeof(*v));

	if (v == NULL) {
		m->no_memory = true;
		return false;
	}
	m->v = v;
	v[m->n++] = add;
	for (int i = 0; i < NODE_CPU_WORDS; i++)
		m->cpu[i] |= cpu[i];
	return true;
}

/* --- the thread ----------------------------------------------------------------------------- */

/* Takes the hello of one connection, which stays open if that is a rank of this job. */
static void hello_take(struct node_members *m, int fd)
{
	struct node_member add = {.pid = boot_node_peer(fd), .fd = fd};
	struct node_hello h;

	if (add.pid != 0 && boot_node_readable(fd, boot_node_ms() + NODE_JOIN_S * 1000) &&
		recv(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && h.version == NODE_VERSION) {
		add.rank = h.rank;
		if (member_add(m, add, h.cpu)) {
			boot_grant_send(fd, (struct grant){.order = ORDER_ADDED}, -1);
			return;
		}
	}
	close(fd);
}

static void *members_run(void *arg)
{
	struct node_members *m = arg;
	struct pollfd p[2] = {
		{.fd = m->listener, .events = POLLIN}, {.fd = m->stop, .events = POLLIN}};

	while (p[1].revents == 0) {
		int fd = -1;

		if (poll(p, 2, -1) < 0) {
			p[1].revents = 0;
			continue;
		}
		if (p[0].revents != 0)
			fd = accept4(m->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			hello_take(m, fd);
	}
	return arg;
}

int boot_members_begin(
	struct node_members *m, int listener, int rank, const uint64_t cpu[NODE_CPU_WORDS])
{
	int err;

	*m = (struct node_members){.listener = listener, .stop = eventfd(0, EFD_CLOEXEC)};
	if (!member_add(m, (struct node_member){.rank = rank, .pid = (int)getpid(), .fd = -1}, cpu))
		return boot_fail("no memory for the ranks of this host");
	if (m->stop < 0)
		return boot_fail("no eventfd: %s", strerror(errno));
	err = haft_thread_start(&m->thread, NULL, members_run, m);
	if (err == 0)
		return 0;
	close(m->stop);
	m->stop = -1;
	return boot_fail("no thread: %s", strerror(err));
}

static int member_compare(const void *a, const void *b)
{
	const struct node_member *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

int boot_members_end(struct node_members *m)
{
	eventfd_write(m->stop, 1);
	pthread_join(m->thread, NULL);
	close(m->stop);
	m->stop = -1;
	if (m->no_memory)
		return boot_fail("no memory for the ranks of this host");
	qsort(m->v, (size_t)m->n, sizeof(*m->v), member_compare);
	return 0;
}

/* --- orders --------------------------------------------------------------------------------- */

/* Receives the address of a member.  False: none has come. */
static bool address_take(struct node_member *v)
{
	char addr[BOOT_ADDR];
	ssize_t n;

	if (!boot_node_readable(v->fd, boot_node_ms() + NODE_JOIN_S * 1000))
		return false;
	n = recv(v->fd, addr, sizeof(addr) - 1, 0);
	if (n <= 0)
		return false;
	addr[n] = '\0';
	v->addr = strdup(addr);
	return v->addr != NULL;
}

int boot_members_order(struct node_members *m, struct grant g, int segment)
{
	bool listens = g.order == ORDER_LISTEN_LOOPBACK || g.order == ORDER_LISTEN_NETWORK;

	for (int i = 0; i < m->n; i++) {
		g.seat = i;
		g.first = i == 0;
		if (m->v[i].fd >= 0 && !boot_grant_send(m->v[i].fd, g, segment))
			return boot_fail("rank %d, on this host, has ended", m->v[i].rank);
	}
	for (int i = 0; i < m->n && listens; i++)
		if (m->v[i].fd >= 0 && !address_take(&m->v[i]))
			return boot_fail("rank %d does not say where it listens", m->v[i].rank);
	return 0;
}

int boot_members_tell(struct node_members *m, const char *text)
{
	if (send(m->v[0].fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text))
		return 0;
	return boot_fail("rank %d does not take its node's record", m->v[0].rank);
}

void boot_members_free(struct node_members *m)
{
	for (int i = 0; i < m->n; i++) {
		free(m->v[i].addr);
		if (m->v[i].fd >= 0)
			close(m->v[i].fd);
	}
	free(m->v);
}
