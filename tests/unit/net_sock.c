// SPDX-License-Identifier: BSD-3-Clause
/* net_sock.c - libnet over real sockets: frames and streams over TCP and UNIX, both ends connecting
 * at once, full queues, goodbye. */
#include "tests/unit/net_endpoints.h"
#include <netinet/in.h>
#include <sys/socket.h>

static const char *const addresses[] = {"tcp:127.0.0.1:0", "tcp:[::1]:0", "unix:"};
enum { ADDRESSES = 3 };

static bool there_is(const char *where)
{
	char text[NET_ADDR_LEN];
	int fd;

	if (net_listen(where, &fd, text) != 0)
		return false;
	close(fd);
	return true;
}

static void frames(const char *where, int n, uint32_t each)
{
	struct ends s;
	bool more = true;
	int err;

	ends_open(&s, n, where);
	while (more) {
		more = false;
		for (int i = 0; i < n * n; i++) {
			if (i / n == i % n || s.end[i / n].next_to[i % n] == each)
				continue;
			err = ends_put(&s, i / n, i % n);
			assert_true(err == 0 || err == NET_AGAIN);
			more = true;
		}
		ends_poll(&s);
	}
	for (int i = 0; i < n * n; i++) {
		if (i / n != i % n)
			ENDS_UNTIL(&s, s.end[i % n].next_from[i / n] == each);
	}
	for (int i = 0; i < n; i++)
		assert_int_equal(net_counts(s.end[i].net)->opened, n - 1);
	ends_close(&s);
	for (int i = 0; i < n * n; i++)
		assert_int_equal(s.end[i / n].lost[i % n], 0);
}

static void test_frames(void **state)
{
	(void)state;
	for (int i = 0; i < ADDRESSES; i++) {
		if (!there_is(addresses[i]))
			continue;
		frames(addresses[i], 2, 3000);
		frames(addresses[i], 5, 300);
	}
}

/* A listener of 127.0.0.1 whose queue is full: it answers no connect, as a host that is down.  The
 * sockets are to be closed. */
static void listen_deaf(char *addr, int fd[3])
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);

	for (int i = 0; i < 3; i++)
		fd[i] = socket(AF_INET, SOCK_STREAM | (i > 0 ? SOCK_NONBLOCK : 0), 0);
	assert_int_equal(bind(fd[0], (struct sockaddr *)&in, len), 0);
	assert_int_equal(listen(fd[0], 0), 0);
	assert_int_equal(getsockname(fd[0], (struct sockaddr *)&in, &len), 0);
	for (int i = 1; i < 3; i++)
		connect(fd[i], (struct sockaddr *)&in, len);
	snprintf(addr, NET_ADDR_LEN, "tcp:127.0.0.1:%d", ntohs(in.sin_port));
}

/* Peer 1 does not answer, peer 2 is connected: both are lost at once. */
static void test_abandon(void **state)
{
	struct ends s;
	int fd[3];

	(void)state;
	ends_open(&s, 3, "tcp:127.0.0.1:0");
	listen_deaf(s.end[1].addr, fd);
	assert_int_equal(ends_put(&s, 0, 1), 0);
	assert_int_equal(ends_put(&s, 0, 2), 0);
	ENDS_UNTIL(&s, s.end[2].next_from[0] == 1);
	assert_int_equal(net_peer_state_get(s.end[0].net, 1), NET_PEER_CONNECTING);
	assert_false(net_all_sent(s.end[0].net));
	for (int peer = 1; peer <= 2; peer++)
		net_abandon_peer(s.end[0].net, peer);
	assert_int_equal(net_sleep_ms(s.end[0].net), 0);
	net_poll(s.end[0].net);
	assert_int_equal(s.end[0].lost[1], 1);
	assert_int_equal(s.end[0].lost[2], 1);
	assert_true(net_all_sent(s.end[0].net));
	net_abandon_peer(s.end[0].net, 1);
	assert_int_equal(net_peer_state_get(s.end[0].net, 1), NET_PEER_LOST);
	ends_close(&s);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

static void stream(const char *where, size_t len)
{
	struct ends s;
	struct net_op out = {0}, in[2] = {{0}, {0}};
	uint8_t *a = malloc(len), *b = calloc(1, len);

	ends_open(&s, 2, where);
	for (size_t i = 0; i < len; i++)
		a[i] = (uint8_t)(i * 7 + (i >> 8));
	assert_int_equal(net_post(s.end[1].net, 0, 9, b, len / 3, &in[0]), 0);
	assert_int_equal(net_post(s.end[1].net, 0, 9, b + len / 3, len - len / 3, &in[1]), 0);
	assert_int_equal(net_send(s.end[0].net, 1, 9, a, len, &out), 0);
	for (int i = 0; i < 100; i++) {
		ends_put(&s, 0, 1);
		ends_poll(&s);
	}
	ENDS_UNTIL(&s, out.state == NET_OP_DONE && in[1].state == NET_OP_DONE);
	assert_int_equal(in[0].state, NET_OP_DONE);
	assert_memory_equal(a, b, len);
	assert_int_equal(net_counts(s.end[1].net)->read_bytes, len);
	ends_close(&s);
	free(a);
	free(b);
}

static void test_streams(void **state)
{
	static const size_t lens[] = {3, 1000, 65536, 300001, 5000003};

	(void)state;
	for (int i = 0; i < ADDRESSES; i++) {
		for (size_t k = 0; there_is(addresses[i]) && k < countof(lens); k++)
			stream(addresses[i], lens[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_abandon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
