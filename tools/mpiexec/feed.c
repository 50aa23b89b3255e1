// SPDX-License-Identifier: BSD-3-Clause
/* feed.c - see feed.h. */
#include "tools/mpiexec/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "tools/mpiexec/job_plan.h"

/* One reading rank. */
struct feed_reader {
	int fd;      /* write end; -1: closed */
	size_t done; /* bytes of the buffer already written */
};

static struct {
	struct feed_reader *v;
	int n;
	char buf[FEED_LEN];
	size_t len;
	size_t taken; /* since feed_taken */
	bool end;
	int epfd; /* watches full pipes, edge-triggered; 0: not yet created */
} feed;

int feed_pipe(void)
{
	int p[2];

	if (feed.epfd == 0)
		feed.epfd = epoll_create1(EPOLL_CLOEXEC);
	if (feed.epfd < 0 || pipe2(p, O_CLOEXEC) != 0)
		return -1;
	feed.v = mem_grow(feed.v, (size_t)feed.n + 1, sizeof(*feed.v));
	feed.v[feed.n++] = (struct feed_reader){.fd = p[1]};
	fcntl(p[1], F_SETFL, O_NONBLOCK);
	epoll_ctl(feed.epfd, EPOLL_CTL_ADD, p[1],
		&(struct epoll_event){.events = EPOLLOUT | EPOLLET});
	return p[0];
}

bool feed_open(void)
{
	for (int i = 0; i < feed.n; i++)
		if (feed.v[i].fd >= 0)
			return true;
	return false;
}

size_t feed_room(void)
{
	return feed_open() && !feed.end ? FEED_LEN - feed.len : 0;
}

static void reader_close(struct feed_reader *m)
{
	close(m->fd);
	m->fd = -1;
}

static void reader_work(struct feed_reader *m)
{
	while (m->fd >= 0 && m->done < feed.len) {
		ssize_t n = write(m->fd, feed.buf + m->done, feed.len - m->done);

		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0 && errno != EINTR)
			reader_close(m);
		m->done += n > 0 ? (size_t)n : 0;
	}
	if (feed.end && m->fd >= 0)
		reader_close(m);
}

void feed_work(void)
{
	struct epoll_event ev[8];
	size_t least = feed.len;

	if (feed.n == 0)
		return;
	while (epoll_wait(feed.epfd, ev, 8, 0) == 8)
		continue;
	for (int i = 0; i < feed.n; i++) {
		struct feed_reader *m = &feed.v[i];

		reader_work(m);
		if (m->fd >= 0 && m->done < least)
			least = m->done;
	}
	memmove(feed.buf, feed.buf + least, feed.len - least);
	feed.len -= least;
	feed.taken += least;
	for (int i = 0; i < feed.n; i++)
		feed.v[i].done -= feed.v[i].done > least ? least : feed.v[i].done;
}

void feed_put(const void *v, size_t len)
{
	if (len > FEED_LEN - feed.len)
		len = FEED_LEN - feed.len;
	memcpy(feed.buf + feed.len, v, len);
	feed.len += len;
	feed_work();
}

void feed_end(void)
{
	feed.end = true;
	feed_work();
}

void feed_restart(void)
{
	for (int i = 0; i < feed.n; i++)
		if (feed.v[i].fd >= 0)
			reader_close(&feed.v[i]);
	feed.n = 0;
	feed.len = feed.taken = 0;
	feed.end = false;
}

int feed_fd(void)
{
	return feed_open() && feed.len > 0 ? feed.epfd : -1;
}

size_t feed_taken(void)
{
	size_t n = feed.taken;

	feed.taken = 0;
	return n;
}
