// SPDX-License-Identifier: BSD-3-Clause
/* net.c - what libnet costs, against a bare socket between the same two processes.
 *
 *   make bench-net          two processes, pinned to different CPUs where there are two
 *   net [ROUNDS [WHERE]]    WHERE: tcp:127.0.0.1:0 (default), tcp:[::1]:0, unix:
 *
 * Bare and libnet in turns, round by round, so that a slow moment of the machine hits both; a row
 * is the median of the rounds, and the ratio that of the medians. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "libnet/net_inner.h"

enum {
	ROUNDS = 15,
	ROUNDS_MAX = 1000,
	PINGS = 10000,
	LARGE = 4 << 20,
	LARGES = 50,
	FRAMES = 20000
};

struct side {
	int me, raw; /* the bare socket */
	struct net *net;
	uint64_t got;
	char addr[2][NET_ADDR_LEN];
	uint8_t *buf;
};

/* A row: rounds of something, in seconds for each; both sides call it. */
struct row {
	const char *name;
	double (*bare)(struct side *s, size_t len);
	double (*ours)(struct side *s, size_t len);
	size_t len;
	bool rate; /* GB/s instead of us */
};

static double net_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noreturn)) static void net_die(const char *what)
{
	perror(what);
	exit(1);
}

static void raw_get(struct side *s, void *buf, size_t len)
{
	ssize_t n;

	for (size_t at = 0; at<len; at += n> 0 ? (size_t)n : 0) {
		n = recv(s->raw, (char *)buf + at, len - at, MSG_DONTWAIT);
		if (n == 0)
			net_die("the other side has gone");
	}
}

static void raw_put(struct side *s, const void *buf, size_t len)
{
	ssize_t n;

	for (size_t at = 0; at<len; at += n> 0 ? (size_t)n : 0)
		n = send(s->raw, (const char *)buf + at, len - at, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static double bare_ping(struct side *s, size_t len)
{
	double t = net_now();

	for (int i = 0; i < PINGS; i++) {
		if (s->me == 0)
			raw_put(s, s->buf, len);
		raw_get(s, s->buf, len);
		if (s->me == 1)
			raw_put(s, s->buf, len);
	}
	return (net_now() - t) / PINGS / 2;
}

static void net_deliver(void *arg, const struct net_frame *f)
{
	struct side *s = arg;

	memcpy(s->buf, f->data, f->len);
	s->got++;
}

static void net_lost(void *arg, int peer, enum net_why why, const char *words)
{
	(void)arg;
	(void)peer;
	if (why == NET_WHY_LOST)
		fprintf(stderr, "%s\n", words);
	exit(why == NET_WHY_LOST);
}

static const char *net_addr(void *arg, int peer)
{
	struct side *s = arg;

	return s->addr[peer];
}

static void our_put(struct side *s, size_t len)
{
	struct net_hdr h = {.ctx = 1, .tag = 2};

	while (net_put(s->net, !s->me, &h, s->buf, len) == NET_AGAIN)
		net_poll(s->net);
}

static void our_wait(struct side *s, uint64_t got)
{
	while (s->got < got)
		net_poll_from(s->net, !s->me);
}

static double our_ping(struct side *s, size_t len)
{
	double t = net_now();

	for (int i = 0; i < PINGS; i++) {
		if (s->me == 0)
			our_put(s, len);
		our_wait(s, s->got + 1);
		if (s->me == 1)
			our_put(s, len);
	}
	return (net_now() - t) / PINGS / 2;
}

/* n times one way, then a word back: seconds each. */
static double bare_stream(struct side *s, size_t len, int n)
{
	double t = net_now();

	for (int i = 0; i < n; i++) {
		if (s->me == 0)
			raw_put(s, s->buf, len);
		else
			raw_get(s, s->buf, len);
	}
	if (s->me == 0)
		raw_get(s, s->buf, 8);
	else
		raw_put(s, s->buf, 8);
	return (net_now() - t) / n;
}

static double bare_large(struct side *s, size_t len)
{
	return bare_stream(s, len, LARGES);
}

/* All buffers are posted before the first word to go on. */
static double our_large(struct side *s, size_t len)
{
	static struct net_op op[LARGES];
	double t = net_now();

	for (int i = 0; i < LARGES && s->me == 1; i++)
		net_post(s->net, 0, (uint64_t)i, s->buf, len, &op[i]);
	if (s->me == 1)
		our_put(s, 8);
	else
		our_wait(s, s->got + 1);
	for (int i = 0; i < LARGES && s->me == 0; i++)
		net_send(s->net, 1, (uint64_t)i, s->buf, len, &op[i]);
	for (int i = 0; i < LARGES; i++) {
		while (op[i].state == NET_OP_ACTIVE)
			net_poll_from(s->net, !s->me);
	}
	if (s->me == 0)
		our_wait(s, s->got + 1);
	else
		our_put(s, 8);
	return (net_now() - t) / LARGES;
}

/* Many small ones in one direction. */
static double bare_flood(struct side *s, size_t len)
{
	return bare_stream(s, len, FRAMES);
}

static double our_flood(struct side *s, size_t len)
{
	double t = net_now();

	for (int i = 0; i < FRAMES && s->me == 0; i++)
		our_put(s, len);
	if (s->me == 0) {
		our_wait(s, s->got + 1);
	} else {
		our_wait(s, s->got + FRAMES);
		our_put(s, 8);
	}
	return (net_now() - t) / FRAMES;
}

static const struct row rows[] = {
	{"8 B one way, us", bare_ping, our_ping, 8, false},
	{"1 KiB one way, us", bare_ping, our_ping, 1024, false},
	{"16 KiB one way, us", bare_ping, our_ping, 16384, false},
	{"8 B flood, us each", bare_flood, our_flood, 8, false},
	{"4 MiB streams, GB/s", bare_large, our_large, LARGE, true},
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double net_median(double *t, int n)
{
	qsort(t, (size_t)n, sizeof(*t), by_size);
	return t[n / 2];
}

static void net_run(struct side *s, const struct row *r, int rounds)
{
	static double bare[ROUNDS_MAX], ours[ROUNDS_MAX];
	double a, b;

	for (int i = 0; i < rounds; i++) {
		bare[i] = r->bare(s, r->len);
		ours[i] = r->ours(s, r->len);
	}
	if (s->me != 0)
		return;
	a = net_median(bare, rounds);
	b = net_median(ours, rounds);
	if (r->rate) {
		a = (double)r->len / a / 1e9;
		b = (double)r->len / b / 1e9;
	} else {
		a *= 1e6;
		b *= 1e6;
	}
	printf("%-22s bare %7.3f   libnet %7.3f   libnet/bare %.3f\n", r->name, a, b, b / a);
}

static void net_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu % (size_t)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void side_run(struct side *s, int rounds, int fd)
{
	struct net_conf conf = {.me = s->me,
		.npeers = 2,
		.key = "bench",
		.listen_fd = fd,
		.arg = s,
		.deliver = net_deliver,
		.lost = net_lost,
		.addr = net_addr};

	net_pin(s->me);
	s->buf = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(s->buf, 1, LARGE);
	if (net_open(&conf, &s->net) != 0)
		net_die("net_open");
	our_ping(s, 8);
	for (size_t i = 0; i < countof(rows); i++)
		net_run(s, &rows[i], rounds);
	net_close(s->net);
}

/* A bare connection, as libnet would make it. */
static void raw_pair(const char *where, int fd[2])
{
	char text[NET_ADDR_LEN];
	struct sockaddr_storage sa;
	struct pollfd p = {.events = POLLIN};
	socklen_t len;
	int on = 1;

	if (net_listen(where, &p.fd, text) != 0 || !net_addr_read(text, &sa, &len))
		net_die("listen");
	fd[0] = socket(sa.ss_family, SOCK_STREAM, 0);
	if (connect(fd[0], (struct sockaddr *)&sa, len) != 0)
		net_die("connect");
	poll(&p, 1, -1);
	fd[1] = accept(p.fd, NULL, NULL);
	for (int i = 0; i < 2; i++)
		setsockopt(fd[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	close(p.fd);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS, raw[2], fd[2], status;
	const char *where = argc > 2 ? argv[2] : "tcp:127.0.0.1:0";
	struct side s = {0};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	raw_pair(where, raw);
	for (int i = 0; i < 2; i++) {
		if (net_listen(where, &fd[i], s.addr[i]) != 0)
			net_die("net_listen");
	}
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		s.me = 1;
	}
	s.raw = raw[s.me];
	close(raw[!s.me]);
	close(fd[!s.me]);
	side_run(&s, rounds, fd[s.me]);
	if (s.me == 1)
		return 0;
	wait(&status);
	return status != 0;
}
