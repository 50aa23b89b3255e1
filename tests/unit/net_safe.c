// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0 time=120 */
/* net_safe.c - libnet among strangers: floods, garbage, half-open connections, port scans, wrong
 * keys, other versions, wrong peers and second connections change nothing but counters; the job's
 * own connections work all the time. */
#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include "libnet/net_inner.h"
#include "tests/unit/net_endpoints.h"

static int safe_call(const char *text)
{
	struct sockaddr_storage sa;
	socklen_t len;
	int fd;

	assert_true(net_addr_read(text, &sa, &len));
	fd = socket(sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	if (connect(fd, (struct sockaddr *)&sa, len) != 0)
		fail_msg("connect %s: %s", text, strerror(errno));
	return fd;
}

/* The other end has closed it; n bytes came before. */
static bool hung_up(int fd, uint8_t *b, size_t *n)
{
	ssize_t r = recv(fd, b + *n, WIRE_HELLO - *n, MSG_DONTWAIT);

	*n += r > 0 ? (size_t)r : 0;
	return r == 0 || (r < 0 && errno != EAGAIN);
}

/* Frames go to and fro between 0 and 1. */
static void safe_exchange(struct ends *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		while (ends_put(s, 0, 1) == NET_AGAIN)
			ends_poll(s);
		while (ends_put(s, 1, 0) == NET_AGAIN)
			ends_poll(s);
	}
	ENDS_UNTIL(s, s->end[0].next_from[1] == s->end[1].next_to[0] &&
			      s->end[1].next_from[0] == s->end[0].next_to[1]);
	assert_int_equal(s->end[0].lost[1] + s->end[1].lost[0], 0);
}

static void make_ask(struct wire_hello *h, uint8_t b[WIRE_HELLO], const char *key)
{
	uint8_t k[NET_KEY_LEN] = {0};

	memcpy(k, key, strlen(key));
	net_hello_write(h, b);
	net_hello_sign(k, b, NULL);
}

static const struct wire_hello good = {.version = WIRE_VERSION,
	.kind = WIRE_CONNECT,
	.from = 2,
	.to = 0,
	.frame_max = NET_FRAME_MAX,
	.chunk_max = NET_CHUNK_MAX};

#define KEY "0123456789abcde"

/* Says b to host 0; the kind of the answer, or 0: hung up without one. */
static int answer_to(struct ends *s, const uint8_t *b, size_t len)
{
	int fd = safe_call(s->end[0].addr);
	uint8_t got[WIRE_HELLO];
	struct wire_hello h;
	size_t n = 0;

	assert_int_equal(write(fd, b, len), len);
	ENDS_UNTIL(s, hung_up(fd, got, &n));
	close(fd);
	if (n == 0)
		return 0;
	assert_int_equal(n, WIRE_HELLO);
	net_hello_read(got, &h);
	return h.kind;
}

/* The answer to a hello with the right key. */
static int hello_answer(struct ends *s, struct wire_hello h)
{
	uint8_t b[WIRE_HELLO];

	make_ask(&h, b, KEY);
	return answer_to(s, b, sizeof(b));
}

/* A higher number is one of us once we have been told that there are more. */
static void refused_until_grown(struct ends *s)
{
	const struct net_count *c = net_counts(s->end[0].net);
	struct wire_hello h = good;

	assert_int_equal(net_grow(s->end[0].net, 2), NET_BAD);
	assert_int_equal(net_grow(s->end[0].net, NET_PEERS_MAX + 1), NET_BAD);
	assert_int_equal(net_grow(s->end[0].net, 70000), 0);
	h.from = 70000;
	assert_int_equal(hello_answer(s, h), WIRE_WRONG_PEER);
	assert_int_equal(c->bad_peer, 5);
	h.from = 1;
	assert_int_equal(hello_answer(s, h), WIRE_DUPLICATE);
	assert_int_equal(c->bad_twice, 1);
}

static void test_refused(void **state)
{
	struct ends s;
	struct wire_hello h;
	const struct net_count *c;
	uint8_t b[WIRE_HELLO], noise[2000];

	(void)state;
	ends_open(&s, 3, "tcp:127.0.0.1:0");
	net_close(s.end[2].net);
	s.end[2].net = NULL;
	c = net_counts(s.end[0].net);
	safe_exchange(&s, 10);
	memset(noise, 'x', sizeof(noise));
	assert_int_equal(answer_to(&s, noise, sizeof(noise)), 0);
	assert_int_equal(c->bad_magic, 1);
	h = good;
	h.version = 77;
	assert_int_equal(hello_answer(&s, h), WIRE_INCOMPATIBLE);
	assert_int_equal(c->bad_version, 1);
	assert_non_null(strstr(s.end[0].told, "version 77"));
	h = good;
	h.frame_max++;
	assert_int_equal(hello_answer(&s, h), WIRE_INCOMPATIBLE);
	assert_int_equal(c->bad_version, 2);
	make_ask((h = good, &h), b, "another key");
	assert_int_equal(answer_to(&s, b, sizeof(b)), WIRE_BAD_KEY);
	assert_int_equal(c->bad_key, 1);
	assert_non_null(strstr(s.end[0].told, "key"));
	h.to = 1;
	assert_int_equal(hello_answer(&s, h), WIRE_WRONG_PEER);
	h = good;
	h.from = 3;
	assert_int_equal(hello_answer(&s, h), WIRE_WRONG_PEER);
	h.from = 0;
	assert_int_equal(hello_answer(&s, h), WIRE_WRONG_PEER);
	h = good;
	h.universe = 1;
	assert_int_equal(hello_answer(&s, h), WIRE_WRONG_PEER);
	assert_int_equal(c->bad_peer, 4);
	refused_until_grown(&s);
	safe_exchange(&s, 10);
	assert_int_equal(c->lost + c->left, 0);
	ends_close(&s);
}

/* A whole hello, byte by byte, by the rightful one is welcome. */
static void test_slow_friend(void **state)
{
	struct ends s;
	struct wire_hello h = good;
	uint8_t b[WIRE_HELLO], got[WIRE_HELLO];
	size_t n = 0;
	int fd;

	(void)state;
	ends_open(&s, 3, "unix:");
	make_ask(&h, b, KEY);
	fd = safe_call(s.end[0].addr);
	for (int i = 0; i < WIRE_HELLO; i++) {
		assert_int_equal(write(fd, b + i, 1), 1);
		ends_poll(&s);
	}
	ENDS_UNTIL(&s, (hung_up(fd, got, &n), n == WIRE_HELLO));
	net_hello_read(got, &h);
	assert_int_equal(h.kind, WIRE_ACCEPT);
	assert_true(net_hello_proven((const uint8_t *)KEY, got, b));
	close(fd);
	ENDS_UNTIL(&s, s.end[0].lost[2] == 1);
	assert_non_null(strstr(s.end[0].words, "without goodbye"));
	ends_close(&s);
}

/* Hundreds of strangers at once that send nothing, or half a hello, while the job talks and new
 * connections are made. */
static void test_flood(void **state)
{
	enum { MANY = 300 };
	static int fd[MANY];
	struct ends s;
	const struct net_count *c;
	uint8_t noise[40] = "half a hello";

	(void)state;
	ends_open(&s, 3, "tcp:127.0.0.1:0");
	c = net_counts(s.end[0].net);
	safe_exchange(&s, 5);
	for (int i = 0; i < MANY; i++) {
		fd[i] = safe_call(s.end[0].addr);
		if (i % 2)
			assert_int_equal(write(fd[i], noise, sizeof(noise)), sizeof(noise));
		if (i % 3 == 0)
			ends_poll(&s);
	}
	ends_put(&s, 2, 0); /* a new connection among many */
	ENDS_UNTIL(&s, s.end[0].next_from[2] == 1);
	ENDS_UNTIL(&s, c->accepted >= MANY + 1);
	assert_true(c->bad_surplus + c->bad_silent >= MANY - 64 - 2);
	safe_exchange(&s, 20);
	for (int i = 0; i < MANY; i++)
		close(fd[i]);
	ENDS_UNTIL(&s, c->bad_surplus + c->bad_silent == MANY);
	assert_int_equal(c->lost + c->left, 0);
	ends_close(&s);
}

static void test_half_open(void **state)
{
	struct ends s;
	struct net_conf conf;
	const struct net_count *c;
	uint8_t b[WIRE_HELLO];
	size_t n = 0;
	int fd;

	(void)state;
	memset(&s, 0, sizeof(s));
	s.n = 2;
	for (int i = 0; i < 2; i++) {
		conf = ends_conf(&s, i);
		conf.hello_ms = 300;
		assert_int_equal(net_listen("tcp:127.0.0.1:0", &conf.listen_fd, s.end[i].addr), 0);
		assert_int_equal(net_open(&conf, &s.end[i].net), 0);
	}
	c = net_counts(s.end[0].net);
	fd = safe_call(s.end[0].addr);
	ENDS_UNTIL(&s, c->accepted == 1);
	assert_in_range(net_sleep_ms(s.end[0].net), 0, 300);
	ENDS_UNTIL(&s, hung_up(fd, b, &n));
	assert_int_equal(n, 0);
	assert_int_equal(c->bad_silent, 1);
	close(fd);
	safe_exchange(&s, 3);
	ends_close(&s);
}

/* Out of descriptors: no connection is accepted, nothing spins, and it goes on when there are some
 * again. */
static void test_no_descriptors(void **state)
{
	struct ends s;
	struct rlimit old, now;
	struct net_count before;
	const struct net_count *c;
	double start;
	int fd;

	(void)state;
	ends_open(&s, 3, "tcp:127.0.0.1:0");
	c = net_counts(s.end[0].net);
	safe_exchange(&s, 3);
	fd = safe_call(s.end[0].addr);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	now = old;
	now.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
	ends_put(&s, 2, 0); /* no socket for it */
	ENDS_UNTIL(&s, c->no_fd > 0);
	before = *c;
	start = ends_now();
	ENDS_UNTIL(&s, c->no_fd - before.no_fd >= 5); /* each after a pause, and those grow */
	assert_true(ends_now() - start > 0.03);
	assert_int_equal(net_peer_state_get(s.end[2].net, 0), NET_PEER_CONNECTING);
	safe_exchange(&s, 3);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	ENDS_UNTIL(&s, s.end[0].next_from[2] == 1);
	assert_non_null(strstr(s.end[0].told, "no process can connect"));
	close(fd);
	ends_close(&s);
}

/* Where we connect there is something else. */
static void wrong_address(struct ends *s, const char *words)
{
	double until = ends_now() + 200;

	assert_int_equal(ends_put(s, 0, 1), 0);
	while (s->end[0].lost[1] == 0 && ends_now() < until) {
		net_poll(s->end[0].net);
		if (s->end[1].net)
			net_poll(s->end[1].net);
	}
	assert_int_equal(s->end[0].lost[1], 1);
	if (!strstr(s->end[0].words, words) || !strstr(s->end[0].words, s->end[1].addr))
		fail_msg("%s", s->end[0].words);
	assert_int_equal(ends_put(s, 0, 1), NET_LOST);
	ends_close(s);
}

static void open_two(struct ends *s, const char *key1, int me1)
{
	struct net_conf conf;

	memset(s, 0, sizeof(*s));
	s->n = 3;
	for (int i = 0; i < 2; i++) {
		conf = ends_conf(s, i);
		if (i == 1) {
			conf.me = me1;
			memset(conf.key, 0, sizeof(conf.key));
			memcpy(conf.key, key1, strlen(key1));
		}
		assert_int_equal(net_listen("tcp:127.0.0.1:0", &conf.listen_fd, s->end[i].addr), 0);
		assert_int_equal(net_open(&conf, &s->end[i].net), 0);
	}
}

static void test_wrong_addresses(void **state)
{
	struct ends s;

	(void)state;
	open_two(&s, "not the key", 1);
	wrong_address(&s, "another job");
	open_two(&s, KEY, 2);
	wrong_address(&s, "it is peer 2");
	open_two(&s, KEY, 1);
	net_close(s.end[1].net);
	s.end[1].net = NULL;
	wrong_address(&s, "Connection refused");
}

/* A listener of something else: it hangs up on us, again and again. */
static void test_stranger_listens(void **state)
{
	struct ends s;
	double until = ends_now() + 200;
	struct pollfd p = {.events = POLLIN};

	(void)state;
	open_two(&s, KEY, 1);
	net_close(s.end[1].net);
	s.end[1].net = NULL;
	assert_int_equal(net_listen("tcp:127.0.0.1:0", &p.fd, s.end[1].addr), 0);
	assert_int_equal(ends_put(&s, 0, 1), 0);
	while (s.end[0].lost[1] == 0 && ends_now() < until) {
		net_poll(s.end[0].net);
		if (poll(&p, 1, 1) == 1)
			close(accept(p.fd, NULL, NULL));
	}
	assert_int_equal(s.end[0].lost[1], 1);
	assert_true(net_counts(s.end[0].net)->reconnected >= 7);
	close(p.fd);
	ends_close(&s);
}

static void test_listen_addresses(void **state)
{
	static const char *const bad[] = {"tcp:0.0.0.0:0", "tcp:[::]:0", "tcp:*:0", "tcp::0",
		"tcp:1.2.3.4", "udp:127.0.0.1:0", "", "tcp:127.0.0.1:http", "tcp:%nosuch0:0"};
	struct sockaddr_storage sa;
	socklen_t len;
	char text[NET_ADDR_LEN];
	int fd;

	(void)state;
	for (size_t i = 0; i < countof(bad); i++)
		assert_int_equal(net_listen(bad[i], &fd, text), NET_BAD);
	assert_int_equal(net_listen("tcp:%lo:0", &fd, text), 0);
	assert_memory_equal(text, "tcp:127.0.0.1:", 14);
	close(fd);
	/* Names are for listeners: connecting never asks a name service. */
	assert_false(net_addr_read("tcp:localhost:80", &sa, &len));
	assert_false(net_addr_read("unix:", &sa, &len));
	assert_true(net_addr_read("tcp:[::1]:80", &sa, &len));
	net_addr_write(&sa, len, text);
	assert_string_equal(text, "tcp:[::1]:80");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_slow_friend),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_half_open),
		cmocka_unit_test(test_no_descriptors),
		cmocka_unit_test(test_wrong_addresses),
		cmocka_unit_test(test_stranger_listens),
		cmocka_unit_test(test_listen_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
