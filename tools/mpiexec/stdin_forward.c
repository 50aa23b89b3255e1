// SPDX-License-Identifier: BSD-3-Clause
/* stdin_forward.c - see stdin_forward.h. */
#include "tools/mpiexec/stdin_forward.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "tools/mpiexec/job_plan.h"

/* One reading rank. */
struct stdin_reader {
	int fd;      /* write end; -1: closed */
	size_t done; /* bytes of the buffer already written */
};

static struct {
	struct stdin_reader *v;
	int n;
	char buf[STDIN_LEN];
	size_t len;
	size_t taken; /* since stdin_consumed */
	bool end;
	int epfd; /* watches full pipes, edge-triggered; 0: not yet created */
} forward;

int stdin_pipe(void)
{
	int p[2];

	if (forward.epfd == 0)
		forward.epfd = epoll_create1(EPOLL_CLOEXEC);
	if (forward.epfd < 0 || pipe2(p, O_CLOEXEC) != 0)
		return -1;
	forward.v = mem_grow(forward.v, (size_t)forward.n + 1, sizeof(*forward.v));
	forward.v[forward.n++] = (struct stdin_reader){.fd = p[1]};
	fcntl(p[1], F_SETFL, O_NONBLOCK);
	epoll_ctl(forward.epfd, EPOLL_CTL_ADD, p[1],
		&(struct epoll_event){.events = EPOLLOUT | EPOLLET});
	return p[0];
}

bool stdin_has_reader(void)
{
	for (int i = 0; i < forward.n; i++)
		if (forward.v[i].fd >= 0)
			return true;
	return false;
}

size_t stdin_room(void)
{
	return stdin_has_reader() && !forward.end ? STDIN_LEN - forward.len : 0;
}

static void reader_close(struct stdin_reader *m)
{
	close(m->fd);
	m->fd = -1;
}

static void reader_work(struct stdin_reader *m)
{
	while (m->fd >= 0 && m->done < forward.len) {
		ssize_t n = write(m->fd, forward.buf + m->done, forward.len - m->done);

		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0 && errno != EINTR)
			reader_close(m);
		m->done += n > 0 ? (size_t)n : 0;
	}
	if (forward.end && m->fd >= 0)
		reader_close(m);
}

void stdin_flush(void)
{
	struct epoll_event ev[8];
	size_t least = forward.len;

	if (forward.n == 0)
		return;
	while (epoll_wait(forward.epfd, ev, 8, 0) == 8)
		continue;
	for (int i = 0; i < forward.n; i++) {
		struct stdin_reader *m = &forward.v[i];

		reader_work(m);
		if (m->fd >= 0 && m->done < least)
			least = m->done;
	}
	memmove(forward.buf, forward.buf + least, forward.len - least);
	forward.len -= least;
	forward.taken += least;
	for (int i = 0; i < forward.n; i++)
		forward.v[i].done -= forward.v[i].done > least ? least : forward.v[i].done;
}

void stdin_push(const void *v, size_t len)
{
	if (len > STDIN_LEN - forward.len)
		len = STDIN_LEN - forward.len;
	memcpy(forward.buf + forward.len, v, len);
	forward.len += len;
	stdin_flush();
}

void stdin_end(void)
{
	forward.end = true;
	stdin_flush();
}

void stdin_restart(void)
{
	for (int i = 0; i < forward.n; i++)
		if (forward.v[i].fd >= 0)
			reader_close(&forward.v[i]);
	forward.n = 0;
	forward.len = forward.taken = 0;
	forward.end = false;
}

int stdin_pipes_fd(void)
{
	return stdin_has_reader() && forward.len > 0 ? forward.epfd : -1;
}

size_t stdin_consumed(void)
{
	size_t n = forward.taken;

	forward.taken = 0;
	return n;
}
