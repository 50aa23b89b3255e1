// SPDX-License-Identifier: BSD-3-Clause
/* proxy_output.c - see proxy_output.h. */
#include "tools/mpiexec/proxy_output.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/job_plan.h"

#define EVENTS   64
#define READ_LEN 65536

struct proxy_stream {
	int fd; /* -1: ended */
	int rank, which;
	int room;     /* bytes that may be sent */
	bool watched; /* in the epoll set: it has room */
};

static struct {
	struct proxy_stream *v;
	int n, open, epfd;
	uint64_t last_ns; /* when something came last */
	proxy_out_fn *out;
	void *arg;
} relay;

void proxy_out_init(int n, proxy_out_fn *out, void *arg)
{
	relay.v = mem_grow(NULL, (size_t)n * 2, sizeof *relay.v);
	relay.out = out;
	relay.arg = arg;
	relay.epfd = epoll_create1(EPOLL_CLOEXEC);
	if (relay.epfd < 0)
		die(1, "epoll: %s", strerror(errno));
}

/* Watches a stream while it has room, and only then. */
static void proxy_out_watch(struct proxy_stream *t, bool on)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u64 = (uint64_t)(t - relay.v)};

	if (t->watched != on)
		epoll_ctl(relay.epfd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, t->fd, &ev);
	t->watched = on;
}

void proxy_out_add(int rank, int which, int fd)
{
	struct proxy_stream *t = &relay.v[relay.n++];

	*t = (struct proxy_stream){.fd = fd, .rank = rank, .which = which, .room = OUT_WINDOW};
	relay.open++;
	proxy_out_watch(t, true);
}

static void proxy_stream_end(struct proxy_stream *t)
{
	/* By hand: a child just started may still have this end, until its exec closes it. */
	proxy_out_watch(t, false);
	close(t->fd);
	t->fd = -1;
	relay.open--;
	relay.out(relay.arg, t->rank, t->which, NULL, 0);
}

/* True if it brought something. */
static bool proxy_stream_read(struct proxy_stream *t)
{
	static char buf[READ_LEN];
	ssize_t n = read(t->fd, buf, t->room < READ_LEN ? (size_t)t->room : READ_LEN);

	if (n > 0) {
		relay.out(relay.arg, t->rank, t->which, buf, (size_t)n);
		t->room -= (int)n;
		if (t->room == 0)
			proxy_out_watch(t, false);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		proxy_stream_end(t);
	}
	return n > 0;
}

int proxy_out_fd(void)
{
	return relay.epfd;
}

void proxy_out_work(uint64_t now_ns)
{
	struct epoll_event ev[EVENTS];
	int n = epoll_wait(relay.epfd, ev, EVENTS, 0);

	for (int i = 0; i < n; i++) {
		struct proxy_stream *t = &relay.v[ev[i].data.u64];

		if (t->fd >= 0 && t->room > 0 && proxy_stream_read(t))
			relay.last_ns = now_ns;
	}
}

static struct proxy_stream *proxy_stream_of(int rank, int which)
{
	for (int i = 0; i < relay.n; i++)
		if (relay.v[i].rank == rank && relay.v[i].which == which)
			return &relay.v[i];
	return NULL;
}

void proxy_out_room(int rank, int which, int n)
{
	struct proxy_stream *t = proxy_stream_of(rank, which);

	if (t == NULL || t->fd < 0)
		return;
	if (n < 0) {
		proxy_stream_end(t);
		return;
	}
	t->room += n;
	relay.last_ns = now_ns();
	proxy_out_watch(t, t->room > 0);
}

void proxy_out_rest(int rank)
{
	for (int which = 0; which < 2; which++) {
		struct proxy_stream *t = proxy_stream_of(rank, which);

		while (t != NULL && t->fd >= 0 && t->room > 0)
			if (!proxy_stream_read(t))
				break;
	}
}

bool proxy_out_open(void)
{
	return relay.open > 0;
}

bool proxy_out_quiet(uint64_t now_ns, int ms)
{
	for (int i = 0; i < relay.n; i++)
		if (relay.v[i].fd >= 0 && relay.v[i].room == 0)
			return false;
	return now_ns > relay.last_ns && now_ns - relay.last_ns >= (uint64_t)ms * 1000000u;
}

void proxy_out_cut(void)
{
	for (int i = 0; i < relay.n; i++)
		if (relay.v[i].fd >= 0)
			proxy_stream_end(&relay.v[i]);
}
