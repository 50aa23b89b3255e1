// SPDX-License-Identifier: BSD-3-Clause
/* pointer_os.c - see pointer.h.
 *
 * Invariants
 *  - `servers' and their tables are under `mutex', which no thread holds while it waits.
 *  - The thread lives from the first io_pointer_serve to the end of MPI. */
#include "libmpi/io/pointer.h"

#include "libmpi/core/library_lock.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/work.h"
#include "libmpi/via/via.h"
#include "libmpi/core/thread_start.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* A question or, with `was' in place of n, its answer. */
struct pointer_datagram {
	uint8_t key[POINTER_KEY_LEN];
	struct io_pointer_question q;
};
static_assert(sizeof(struct pointer_datagram) == 48, "equal on all hosts");

/* The last question of a member, and its answer. */
struct pointer_last {
	uint64_t id;
	int64_t was;
};

struct io_pointer_server {
	struct io_pointer_server *next;
	uint8_t key[POINTER_KEY_LEN];
	struct io_shared *shared;
	int size;
	struct pointer_last last[];
};

struct io_pointer_client {
	struct io_pointer_name name;
	int fd; /* connected; -1: not yet */
};

static struct {
	pthread_mutex_t mutex;
	struct io_pointer_server *servers; /* under `mutex' */
	/* under the library's lock */
	pthread_t thread;
	bool runs;
	int fd, stop; /* the socket; an event */
	char ip[NET_ADDR_LEN];
	uint16_t port;
} pointer = {.mutex = PTHREAD_MUTEX_INITIALIZER, .fd = -1, .stop = -1};

/* --- answering ------------------------------------------------------------------------------ */

/* Under the mutex.  False: it makes no sense, or is older than the last one: its member has gone
 * on. */
static bool pointer_answer(
	struct io_pointer_server *s, const struct io_pointer_question *q, int64_t *was)
{
	struct pointer_last *last;

	if (q->rank < 0 || q->rank >= s->size || (q->word & ~1) != 0 || q->n < 0)
		return false;
	last = &s->last[q->rank];
	if (q->id < last->id)
		return false;
	if (q->id > last->id) {
		last->id = q->id;
		last->was = io_shared_step(&s->shared->pointer[q->word], q->n, q->most);
	}
	*was = last->was;
	return true;
}

int64_t io_pointer_answer(struct io_pointer_server *s, const struct io_pointer_question *q)
{
	int64_t was = 0;

	pthread_mutex_lock(&pointer.mutex);
	pointer_answer(s, q, &was);
	pthread_mutex_unlock(&pointer.mutex);
	return was;
}

/* Answers a datagram of any process; one without a file's key is dropped. */
static bool pointer_serve_one(struct pointer_datagram *d)
{
	struct io_pointer_server *s;
	bool known;

	pthread_mutex_lock(&pointer.mutex);
	s = pointer.servers;
	while (s != NULL && memcmp(s->key, d->key, sizeof(d->key)) != 0)
		s = s->next;
	known = s != NULL && pointer_answer(s, &d->q, &d->q.n);
	pthread_mutex_unlock(&pointer.mutex);
	return known;
}

static void pointer_receive(void)
{
	struct sockaddr_storage from;
	struct pointer_datagram d;
	socklen_t len = sizeof(from);
	ssize_t n = recvfrom(pointer.fd, &d, sizeof(d), MSG_DONTWAIT | MSG_TRUNC,
		(struct sockaddr *)&from, &len);

	if (n == sizeof(d) && pointer_serve_one(&d))
		sendto(pointer.fd, &d, sizeof(d), MSG_DONTWAIT, (struct sockaddr *)&from, len);
}

static void *pointer_main(void *arg)
{
	struct pollfd fds[] = {
		{.fd = pointer.fd, .events = POLLIN}, {.fd = pointer.stop, .events = POLLIN}};

	while (fds[1].revents == 0) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents != 0)
			pointer_receive();
	}
	return arg;
}

/* --- the thread ----------------------------------------------------------------------------- */

static bool pointer_address(
	const char *ip, uint16_t port, struct sockaddr_storage *sa, socklen_t *len)
{
	struct addrinfo hint = {
		.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	struct addrinfo *found;
	char service[8];

	snprintf(service, sizeof(service), "%u", port);
	if (getaddrinfo(ip, service, &hint, &found) != 0)
		return false;
	memset(sa, 0, sizeof(*sa));
	memcpy(sa, found->ai_addr, found->ai_addrlen);
	*len = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

/* The socket, at the address where this process listens for others. */
static bool pointer_socket(void)
{
	struct sockaddr_storage sa;
	socklen_t len;
	char port[8];

	if (!via_listen_ip(pointer.ip) || strlen(pointer.ip) >= POINTER_IP_LEN ||
		!pointer_address(pointer.ip, 0, &sa, &len))
		return false;
	pointer.fd = socket(sa.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	pointer.stop = eventfd(0, EFD_CLOEXEC);
	if (pointer.fd < 0 || pointer.stop < 0 ||
		bind(pointer.fd, (struct sockaddr *)&sa, len) != 0)
		return false;
	len = sizeof(sa);
	if (getsockname(pointer.fd, (struct sockaddr *)&sa, &len) != 0 ||
		getnameinfo((struct sockaddr *)&sa, len, NULL, 0, port, sizeof(port),
			NI_NUMERICSERV | NI_DGRAM) != 0)
		return false;
	pointer.port = (uint16_t)strtoul(port, NULL, 10);
	return true;
}

static void pointer_sockets_close(void)
{
	if (pointer.fd >= 0)
		close(pointer.fd);
	if (pointer.stop >= 0)
		close(pointer.stop);
	pointer.fd = pointer.stop = -1;
}

static void pointer_stop(void)
{
	uint64_t one = 1;
	bool had;

	if (!pointer.runs)
		return;
	had = haft_user_begin();
	if (write(pointer.stop, &one, sizeof(one)) == sizeof(one))
		pthread_join(pointer.thread, NULL);
	haft_user_end(had);
	pointer.runs = false;
	pointer_sockets_close();
}

static bool pointer_start(void)
{
	if (pointer.runs)
		return true;
	if (pointer_socket())
		pointer.runs = haft_thread_start(&pointer.thread, NULL, pointer_main, NULL) == 0;
	if (!pointer.runs)
		pointer_sockets_close();
	else
		io_threads_end_with(pointer_stop);
	return pointer.runs;
}

struct io_pointer_server *io_pointer_serve(const struct io_file *f, struct io_pointer_name *name)
{
	struct io_pointer_server *s = NULL;

	if (pointer_start())
		s = calloc(1, sizeof(*s) + (size_t)f->size * sizeof(s->last[0]));
	if (s == NULL)
		return NULL;
	if (getrandom(s->key, sizeof(s->key), 0) != sizeof(s->key)) {
		free(s);
		return NULL;
	}
	s->shared = f->shared;
	s->size = f->size;
	memcpy(name->key, s->key, sizeof(s->key));
	memcpy(name->ip, pointer.ip, sizeof(name->ip));
	name->port = pointer.port;
	pthread_mutex_lock(&pointer.mutex);
	s->next = pointer.servers;
	pointer.servers = s;
	pthread_mutex_unlock(&pointer.mutex);
	return s;
}

void io_pointer_serve_end(struct io_pointer_server *s)
{
	struct io_pointer_server **at = &pointer.servers;

	if (s == NULL)
		return;
	pthread_mutex_lock(&pointer.mutex);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	pthread_mutex_unlock(&pointer.mutex);
	free(s);
}

/* --- asking --------------------------------------------------------------------------------- */

struct io_pointer_client *io_pointer_client_new(const struct io_pointer_name *name)
{
	struct io_pointer_client *c = name->port != 0 ? malloc(sizeof(*c)) : NULL;

	if (c != NULL)
		*c = (struct io_pointer_client){.name = *name, .fd = -1};
	return c;
}

void io_pointer_client_free(struct io_pointer_client *c)
{
	if (c != NULL && c->fd >= 0)
		close(c->fd);
	free(c);
}

/* The socket is made at the first question: few files over hosts use the shared pointer. */
static void pointer_connect(struct io_pointer_client *c)
{
	struct sockaddr_storage sa;
	socklen_t len;

	c->name.ip[sizeof(c->name.ip) - 1] = '\0';
	if (!pointer_address(c->name.ip, c->name.port, &sa, &len))
		return;
	c->fd = socket(sa.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (c->fd >= 0 && connect(c->fd, (struct sockaddr *)&sa, len) != 0) {
		close(c->fd);
		c->fd = -1;
	}
}

void io_pointer_ask(struct io_pointer_client *c, const struct io_pointer_question *q)
{
	struct pointer_datagram d = {.q = *q};

	if (c->fd < 0)
		pointer_connect(c);
	memcpy(d.key, c->name.key, sizeof(d.key));
	if (c->fd >= 0)
		send(c->fd, &d, sizeof(d), MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool io_pointer_answered(
	struct io_pointer_client *c, const struct io_pointer_question *q, int ms, int64_t *was)
{
	struct pollfd one = {.fd = c->fd, .events = POLLIN};
	struct pointer_datagram d;

	if (c->fd < 0)
		return false;
	do {
		while (recv(c->fd, &d, sizeof(d), MSG_DONTWAIT | MSG_TRUNC) == sizeof(d)) {
			if (memcmp(d.key, c->name.key, sizeof(d.key)) != 0 || d.q.id != q->id)
				continue; /* an answer that has come twice */
			*was = d.q.n;
			return true;
		}
	} while (ms > 0 && poll(&one, 1, ms) > 0 && (one.revents & POLLIN) != 0);
	return false;
}
