// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0 time=180 */
/* net_fault.c - libnet when the other side fails: connections broken inside of every kind of
 * record, peers that stop, leave early, are killed, or whose host is dead; signals all the time. */
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "libnet/net_inner.h"
#include "tests/unit/net_endpoints.h"

#define KEY      "0123456789abcde"
#define PATIENCE 100 /* seconds, on a machine however slow */

/* A peer 1 that is made by hand: a socket, connected to end 0 and welcomed. */
static int by_hand(struct ends *s)
{
	struct sockaddr_storage sa;
	struct wire_hello h = {.version = WIRE_VERSION,
		.kind = WIRE_CONNECT,
		.from = 1,
		.to = 0,
		.frame_max = NET_FRAME_MAX,
		.chunk_max = NET_CHUNK_MAX};
	uint8_t b[WIRE_HELLO];
	socklen_t len;
	ssize_t n = -1;
	int fd;

	assert_true(net_addr_read(s->end[0].addr, &sa, &len));
	fd = socket(sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&sa, len), 0);
	net_hello_write(&h, b);
	net_hello_sign((const uint8_t *)KEY, b, NULL);
	assert_int_equal(write(fd, b, sizeof(b)), sizeof(b));
	ENDS_UNTIL(s, (n = recv(fd, b, sizeof(b), MSG_DONTWAIT)) > 0);
	assert_int_equal(n, WIRE_HELLO);
	net_hello_read(b, &h);
	assert_int_equal(h.kind, WIRE_ACCEPT);
	return fd;
}

static void open_one(struct ends *s, const char *where, int dead_ms)
{
	struct net_conf conf;

	memset(s, 0, sizeof(*s));
	s->n = 2;
	conf = ends_conf(s, 0);
	conf.dead_ms = dead_ms;
	snprintf(s->end[1].addr, NET_ADDR_LEN, "tcp:127.0.0.1:9");
	s->end[1].all = s;
	assert_int_equal(net_listen(where, &conf.listen_fd, s->end[0].addr), 0);
	assert_int_equal(net_open(&conf, &s->end[0].net), 0);
}

static void hang_up(int fd, bool reset)
{
	struct linger l = {.l_onoff = 1};

	if (reset)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	close(fd);
}

/* A whole frame, then the first `n' bytes of a record of this type, then the end. */
static void broken_after(const char *where, uint8_t type, size_t n, bool reset)
{
	struct ends s;
	struct net_op post = {0};
	struct wire_head h = {.type = WIRE_FRAME, .tag = -1, .ctx = (uint64_t)1 << 32};
	static uint8_t b[4000], sink[1000];
	size_t at = WIRE_HEAD;
	uint32_t len = ends_len(1, 0, 0);
	int fd;

	open_one(&s, where, 0);
	fd = by_hand(&s);
	assert_int_equal(net_post(s.end[0].net, 1, 5, sink, sizeof(sink), &post), 0);
	h.len = len;
	net_head_write(&h, b);
	for (uint32_t i = 0; i < len; i++)
		b[at++] = ends_byte(1, 0, i);
	memset(b + at, 0, net_pad(len));
	at += net_pad(len);
	h = (struct wire_head){.type = type, .seq = type == WIRE_FRAME, .ctx = 5};
	h.len = type == WIRE_BYE ? 0 : 500;
	net_head_write(&h, b + at);
	assert_int_equal(write(fd, b, at + n), at + n);
	ENDS_UNTIL(&s, s.end[0].next_from[1] == 1);
	for (int i = 0; i < 5; i++)
		ends_poll(&s);
	assert_int_equal(s.end[0].lost[1], 0);
	hang_up(fd, reset);
	ENDS_UNTIL(&s, s.end[0].lost[1] + s.end[0].left[1] == 1);
	for (int i = 0; i < 5; i++)
		ends_poll(&s);
	assert_int_equal(s.end[0].lost[1] + s.end[0].left[1], 1);
	assert_int_equal(s.end[0].next_from[1], 1);
	assert_int_equal(post.state, NET_OP_LOST);
	assert_non_null(strstr(s.end[0].words, "peer 1 at tcp:127.0.0.1:9: "));
	if (!reset && n > 0)
		assert_non_null(strstr(s.end[0].words, "in the middle of a frame"));
	ends_close(&s);
}

static void test_broken(void **state)
{
	static const size_t at[] = {0, 1, WIRE_HEAD - 1, WIRE_HEAD, WIRE_HEAD + 1, WIRE_HEAD + 499};

	(void)state;
	for (size_t i = 0; i < countof(at); i++) {
		for (int reset = 0; reset < 2; reset++) {
			broken_after("tcp:127.0.0.1:0", WIRE_FRAME, at[i], reset);
			broken_after("tcp:127.0.0.1:0", WIRE_CHUNK, at[i], reset);
			broken_after("unix:", WIRE_FRAME, at[i], false);
			if (at[i] < WIRE_HEAD)
				broken_after("tcp:127.0.0.1:0", WIRE_BYE, at[i], reset);
		}
	}
}

/* A peer that does not look: memory is bounded, nothing is lost, and all arrives in the end. */
static void stopped(const char *where)
{
	struct ends s;
	uint32_t n = 0;
	int err, again = 0;

	ends_open(&s, 2, where);
	ends_put(&s, 0, 1);
	ENDS_UNTIL(&s, s.end[1].next_from[0] == 1);
	while (again < 100 && n < 2000000) {
		err = ends_put(&s, 0, 1);
		assert_true(err == 0 || err == NET_AGAIN);
		again += err == NET_AGAIN;
		n += err == 0;
		if (err)
			net_poll(s.end[0].net);
	}
	assert_int_equal(again, 100);
	assert_true(net_counts(s.end[0].net)->put_again >= 100);
	assert_false(net_all_sent(s.end[0].net));
	ENDS_UNTIL(&s, s.end[1].next_from[0] == s.end[0].next_to[1]);
	assert_true(net_all_sent(s.end[0].net));
	ends_close(&s);
}

static void test_stopped(void **state)
{
	(void)state;
	stopped("tcp:127.0.0.1:0");
	stopped("unix:");
}

/* One puts and leaves at once; the other has sent data that is not read, and polls much later:
 * it gets all, and then the goodbye. */
static void leaves_ahead(const char *where, uint32_t n)
{
	struct ends s;

	ends_open(&s, 2, where);
	ends_put(&s, 0, 1);
	ENDS_UNTIL(&s, s.end[1].next_from[0] == 1);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(ends_put(&s, 0, 1), 0);
		assert_int_equal(ends_put(&s, 1, 0), 0);
	}
	net_close(s.end[0].net);
	s.end[0].net = NULL;
	assert_int_equal(s.end[0].lost[1], 0);
	for (uint32_t i = 0; i < 5; i++)
		ends_put(&s, 1, 0); /* meets a closed socket */
	ENDS_UNTIL(&s, s.end[1].left[0] + s.end[1].lost[0] == 1);
	assert_int_equal(s.end[1].next_from[0], n + 1);
	if (s.end[1].lost[0])
		fail_msg("%s", s.end[1].words);
	ends_close(&s);
}

static void test_leaves_ahead(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < 40; n += 13) {
		leaves_ahead("tcp:127.0.0.1:0", n);
		leaves_ahead("unix:", n);
	}
}

static void test_killed(void **state)
{
	struct ends s;
	struct net_conf conf;
	char addr[2][NET_ADDR_LEN];
	int fd[2], status;
	pid_t pid;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(net_listen("tcp:127.0.0.1:0", &fd[i], addr[i]), 0);
	pid = fork();
	memset(&s, 0, sizeof(s));
	s.n = 2;
	memcpy(s.end[0].addr, addr[0], NET_ADDR_LEN);
	memcpy(s.end[1].addr, addr[1], NET_ADDR_LEN);
	conf = ends_conf(&s, pid == 0);
	conf.listen_fd = fd[pid == 0];
	close(fd[pid != 0]);
	assert_int_equal(net_open(&conf, &s.end[pid == 0].net), 0);
	if (pid == 0) {
		for (;;) {
			if (s.end[1].next_to[0] < 100)
				ends_put(&s, 1, 0);
			ends_poll(&s);
		}
	}
	s.end[1].me = 1;
	ENDS_UNTIL(&s, s.end[0].next_from[1] == 100);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ENDS_UNTIL(&s, s.end[0].lost[1] == 1);
	assert_int_equal(ends_put(&s, 0, 1), NET_LOST);
	assert_string_equal(net_peer_words(s.end[0].net, 1), s.end[0].words);
	ends_close(&s);
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void test_signals(void **state)
{
	struct ends s;
	struct sigaction a = {.sa_handler = on_alarm};
	struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	struct net_op out = {0}, in = {0};
	enum { LEN = 20000000 };
	uint8_t *x = malloc(LEN), *y = malloc(LEN);

	(void)state;
	for (size_t i = 0; i < LEN; i++)
		x[i] = (uint8_t)(i * 5 + (i >> 9));
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	ends_open(&s, 2, "tcp:127.0.0.1:0");
	net_post(s.end[1].net, 0, 1, y, LEN, &in);
	net_send(s.end[0].net, 1, 1, x, LEN, &out);
	ENDS_UNTIL(&s, (ends_put(&s, 1, 0), in.state == NET_OP_DONE));
	setitimer(ITIMER_REAL, &never, NULL);
	assert_memory_equal(x, y, LEN);
	ends_close(&s);
	free(x);
	free(y);
}

/* From now on nothing that is sent to fd arrives, and nothing is acknowledged: a cut line. */
static void fault_cut(int fd)
{
	struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog prog = {1, &drop};

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)), 0);
}

static void dead_host(bool talking)
{
	struct ends s;
	double start;
	int fd;

	open_one(&s, "tcp:127.0.0.1:0", 2000);
	start = ends_now(); /* before the last sign of life */
	fd = by_hand(&s);
	fault_cut(fd);
	if (talking)
		ends_put(&s, 0, 1);
	ENDS_UNTIL(&s, s.end[0].lost[1] == 1);
	assert_true(ends_now() - start > 1.5 && ends_now() - start < PATIENCE);
	if (talking && !strstr(s.end[0].words, "not answered"))
		fail_msg("%s", s.end[0].words);
	close(fd);
	ends_close(&s);
}

static void test_dead_host(void **state)
{
	(void)state;
	dead_host(true);
	dead_host(false);
}

/* The host dies between a connect request and its answer: frames are on their way already. */
static void test_dead_host_that_is_asked(void **state)
{
	struct ends s;
	double start;
	int listener, fd = -1;

	(void)state;
	open_one(&s, "tcp:127.0.0.1:0", 2000);
	assert_int_equal(net_listen("tcp:127.0.0.1:0", &listener, s.end[1].addr), 0);
	start = ends_now();
	ends_put(&s, 0, 1);
	ENDS_UNTIL(&s, (fd = accept(listener, NULL, NULL)) >= 0);
	fault_cut(fd);
	ends_put(&s, 0, 1);
	ENDS_UNTIL(&s, s.end[0].lost[1] == 1);
	assert_true(ends_now() - start > 1.5 && ends_now() - start < PATIENCE);
	if (!strstr(s.end[0].words, "not answered"))
		fail_msg("%s", s.end[0].words);
	close(fd);
	close(listener);
	ends_close(&s);
}

/* A host that is well, with a process that does not read for much longer than dead_ms. */
static void test_deaf_peer(void **state)
{
	struct ends s;
	double until;
	int fd, err;

	(void)state;
	open_one(&s, "tcp:127.0.0.1:0", 1000);
	fd = by_hand(&s);
	do {
		err = ends_put(&s, 0, 1);
		ends_poll(&s);
	} while (err == 0);
	assert_int_equal(err, NET_AGAIN);
	for (until = ends_now() + 4; ends_now() < until; usleep(1000))
		ends_poll(&s);
	assert_int_equal(s.end[0].lost[1], 0);
	hang_up(fd, true);
	ENDS_UNTIL(&s, s.end[0].lost[1] == 1);
	ends_close(&s);
}

/* net_close does not wait for ever for a peer that does not read, and names it. */
static void test_close_is_bounded(void **state)
{
	struct ends s;
	struct net_conf conf;
	double start;
	int fd;

	(void)state;
	open_one(&s, "tcp:127.0.0.1:0", 0);
	net_close(s.end[0].net);
	conf = ends_conf(&s, 0);
	conf.close_ms = 700;
	assert_int_equal(net_listen("tcp:127.0.0.1:0", &conf.listen_fd, s.end[0].addr), 0);
	assert_int_equal(net_open(&conf, &s.end[0].net), 0);
	fd = by_hand(&s);
	while (ends_put(&s, 0, 1) == 0)
		ends_poll(&s);
	start = ends_now();
	ends_close(&s);
	assert_true(ends_now() - start >= 0.6 && ends_now() - start < PATIENCE);
	assert_int_equal(s.end[0].lost[1], 1);
	assert_non_null(strstr(s.end[0].words, "within 700 ms"));
	close(fd);
}

/* After fork: the child's net_abandon sends nothing. */
static void test_fork(void **state)
{
	struct ends s;
	int status;
	pid_t pid;

	(void)state;
	ends_open(&s, 2, "tcp:127.0.0.1:0");
	ends_put(&s, 0, 1);
	ENDS_UNTIL(&s, s.end[1].next_from[0] == 1);
	pid = fork();
	if (pid == 0) {
		net_abandon(s.end[0].net);
		net_abandon(s.end[1].net);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	ends_put(&s, 0, 1);
	ends_put(&s, 1, 0);
	ENDS_UNTIL(&s, s.end[1].next_from[0] == 2 && s.end[0].next_from[1] == 1);
	ends_close(&s);
	assert_int_equal(s.end[0].lost[1] + s.end[1].lost[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_leaves_ahead),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_dead_host),
		cmocka_unit_test(test_dead_host_that_is_asked),
		cmocka_unit_test(test_deaf_peer),
		cmocka_unit_test(test_close_is_bounded),
		cmocka_unit_test(test_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
