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
	int room;     /* credit: bytes that may be sent */
	bool watched; /* in the epoll set, because it has credit */
};

static struct {
	struct proxy_stream *v;
	int n, open, epfd;
	uint64_t last_ns; /* time of the last bytes */
	proxy_out_fn *out;
	void *arg;
} proxy_out;

void proxy_out_init(proxy_out_fn *out, void *arg)
{
	proxy_out.out = out;
	proxy_out.arg = arg;
	proxy_out.epfd = epoll_create1(EPOLL_CLOEXEC);
	if (proxy_out.epfd < 0)
		fatal(1, "epoll: %s", strerror(errno));
}

/* Adds a stream to the epoll set while it has credit, and removes it otherwise. */
static void proxy_out_watch(struct proxy_stream *t, bool on)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u64 = (uint64_t)(t - proxy_out.v)};

	if (t->watched != on)
		epoll_ctl(proxy_out.epfd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, t->fd, &ev);
	t->watched = on;
}

void proxy_out_add(int rank, int which, int fd)
{
	struct proxy_stream *t;
	int i = 0;

	while (i < proxy_out.n && proxy_out.v[i].fd >= 0)
		i++;
	if (i == proxy_out.n)
		proxy_out.v = mem_grow(proxy_out.v, (size_t)++proxy_out.n, sizeof(*proxy_out.v));
	t = &proxy_out.v[i];
	*t = (struct proxy_stream){.fd = fd, .rank = rank, .which = which, .room = OUT_WINDOW};
	proxy_out.open++;
	proxy_out_watch(t, true);
}

static void proxy_stream_end(struct proxy_stream *t)
{
	/* EPOLL_CTL_DEL is needed: a child before its exec may still hold this fd. */
	proxy_out_watch(t, false);
	close(t->fd);
	t->fd = -1;
	proxy_out.open--;
	proxy_out.out(proxy_out.arg, t->rank, t->which, NULL, 0);
}

/* Reads from the stream.  Returns true if bytes came. */
static bool proxy_stream_read(struct proxy_stream *t)
{
	static char buf[READ_LEN];
	ssize_t n = read(t->fd, buf, t->room < READ_LEN ? (size_t)t->room : READ_LEN);

	if (n > 0) {
		proxy_out.out(proxy_out.arg, t->rank, t->which, buf, (size_t)n);
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
	return proxy_out.epfd;
}

void proxy_out_work(uint64_t now_ns)
{
	struct epoll_event ev[EVENTS];
	int n = epoll_wait(proxy_out.epfd, ev, EVENTS, 0);

	for (int i = 0; i < n; i++) {
		struct proxy_stream *t = &proxy_out.v[ev[i].data.u64];

		if (t->fd >= 0 && t->room > 0 && proxy_stream_read(t))
			proxy_out.last_ns = now_ns;
	}
}

static struct proxy_stream *proxy_stream_of(int rank, int which)
{
	for (int i = 0; i < proxy_out.n; i++)
		if (proxy_out.v[i].fd >= 0 && proxy_out.v[i].rank == rank &&
			proxy_out.v[i].which == which)
			return &proxy_out.v[i];
	return NULL;
}

void proxy_out_credit(int rank, int which, int n)
{
	struct proxy_stream *t = proxy_stream_of(rank, which);

	if (t == NULL || t->fd < 0)
		return;
	if (n < 0) {
		proxy_stream_end(t);
		return;
	}
	t->room += n;
	proxy_out.last_ns = clock_now_ns();
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
	return proxy_out.open > 0;
}

bool proxy_out_idle(uint64_t now_ns, int ms)
{
	for (int i = 0; i < proxy_out.n; i++)
		if (proxy_out.v[i].fd >= 0 && proxy_out.v[i].room == 0)
			return false;
	return now_ns > proxy_out.last_ns && now_ns - proxy_out.last_ns >= (uint64_t)ms * NS_PER_MS;
}

void proxy_out_cut(void)
{
	for (int i = 0; i < proxy_out.n; i++)
		if (proxy_out.v[i].fd >= 0)
			proxy_stream_end(&proxy_out.v[i]);
}
