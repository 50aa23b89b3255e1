// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0 time=120 */
/* net_fuzz.c - random bytes for libnet: its parser and its connections.
 *
 *     round:  valid bytes (hello with the right key, frames, pieces, goodbye)
 *             ──> some of them changed
 *             ──> in random cuts to an endpoint that has accepted, or has connected
 *
 * Invariants: no access beside its memory (the sanitizers watch); a peer is lost at most once;
 * frames before the first changed byte arrive unchanged; every operation ends.
 *
 *     net [-n ROUNDS] [-s SEED]     (0 ROUNDS: until killed) */
#include "libnet/net_inner.h"
#include "tests/check_true.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 20000
#define PEERS  4
#define TEXT   60000 /* bytes of a round */
#define ITEMS  30
#define BUFFER 5000 /* posted */

/* One connection at a time: its bytes to us. */
struct script {
	uint8_t text[TEXT];
	size_t len, at, pure; /* pure: bytes before the first changed one */
	uint32_t frames;      /* in the pure part */
	size_t end[ITEMS];    /* of each frame */
	uint32_t nends;
	bool called, accepted, hangs_up;
	struct net_conn *conn;
};

static struct script script;
static uint64_t seed, rnd;
static uint64_t now_ms;
static uint32_t got;
static int nlost[PEERS];
static const uint8_t key[NET_KEY_LEN] = "the key, at last";

__attribute__((noreturn)) static inline void check_broken(
	const char *file, int line, const char *what)
{
	printf("%s:%d: %s (seed %llu)\n", file, line, what, (unsigned long long)seed);
	abort();
}

static uint32_t net_draw(uint32_t below)
{
	uint64_t x = rnd += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((x ^ x >> 31) >> 32) % below;
}

/* --- struct net_io: one connection that plays the script ------------------------------------ */

static ssize_t f_recv(struct net_conn *c, struct iovec *iov, int n)
{
	size_t left = script.len - script.at, k, sum = 0;

	(void)c;
	if (left == 0)
		return !script.hangs_up ? -EAGAIN : net_draw(2) ? 0 : -ECONNRESET;
	if (net_draw(3) == 0)
		left = 1 + net_draw((uint32_t)left);
	if (net_draw(9) == 0)
		return -EAGAIN;
	for (int i = 0; i < n && left > 0; i++, left -= k, sum += k) {
		k = left < iov[i].iov_len ? left : iov[i].iov_len;
		memcpy(iov[i].iov_base, script.text + script.at + sum, k);
	}
	script.at += sum;
	return (ssize_t)sum;
}

static ssize_t f_send(struct net_conn *c, struct iovec *iov, int n)
{
	size_t all = 0;

	(void)c;
	for (int i = 0; i < n; i++)
		all += iov[i].iov_len;
	return net_draw(9) == 0     ? -EAGAIN
	       : net_draw(200) == 0 ? -EPIPE
	       : net_draw(3)        ? (ssize_t)all
				    : 1;
}

static int f_connect(struct net_conn *c, const char *addr, int wait_ms)
{
	(void)addr;
	(void)wait_ms;
	if (script.called || script.accepted)
		return ECONNREFUSED;
	script.called = true;
	script.conn = c;
	c->fd = 1;
	return net_draw(2) ? 0 : EINPROGRESS;
}

static int f_connect_status(struct net_conn *c)
{
	(void)c;
	return 0;
}

static int f_accept(struct net *net, struct net_conn *c)
{
	(void)net;
	if (script.accepted || script.called)
		return EAGAIN;
	script.accepted = true;
	script.conn = c;
	c->fd = 1;
	return 0;
}

static void f_close(struct net_conn *c)
{
	if (c == script.conn)
		script.conn = NULL;
}

static void f_end(struct net_conn *c)
{
	(void)c;
}

static void f_flag(struct net_conn *c, bool out)
{
	(void)c;
	(void)out;
}

static void f_listen(struct net *net, bool on)
{
	(void)net;
	(void)on;
}

static int f_wait(struct net *net, struct net_ready *r, int max, int ms)
{
	(void)net;
	(void)max;
	now_ms += (uint64_t)ms;
	r[0] = (struct net_ready){.conn = script.conn, .in = true, .out = true};
	return script.conn || !script.called ? 1 : 0;
}

static uint64_t f_now(struct net *net)
{
	(void)net;
	return now_ms;
}

static void f_random(struct net *net, void *buf, size_t len)
{
	(void)net;
	memset(buf, (int)net_draw(256), len);
}

static bool f_unsent(struct net_conn *c)
{
	(void)c;
	return net_draw(2);
}

static int f_silent(struct net_conn *c)
{
	(void)c;
	return 0;
}

static void f_name(struct net_conn *c, char text[NET_ADDR_LEN])
{
	(void)c;
	snprintf(text, NET_ADDR_LEN, "hell:666");
}

static void f_fini(struct net *net)
{
	(void)net;
}

static const struct net_io io = {.recv = f_recv,
	.send = f_send,
	.connect = f_connect,
	.connect_status = f_connect_status,
	.accept = f_accept,
	.close = f_close,
	.end = f_end,
	.want = f_flag,
	.watch = f_flag,
	.listen = f_listen,
	.wait = f_wait,
	.now = f_now,
	.random = f_random,
	.unsent = f_unsent,
	.silent = f_silent,
	.name = f_name,
	.fini = f_fini};

/* --- the script ----------------------------------------------------------------------------- */

static void net_say(const void *p, size_t n)
{
	memcpy(script.text + script.len, p, n);
	script.len += n;
}

/* Authenticated, but perhaps wrong: only a peer with the key can be so wrong. */
static void say_hello(enum wire_kind kind, int from, const uint8_t *asked)
{
	struct wire_hello h = {.version = WIRE_VERSION,
		.kind = (uint8_t)kind,
		.from = (uint32_t)from,
		.frame_max = NET_FRAME_MAX,
		.chunk_max = NET_CHUNK_MAX};
	uint8_t b[WIRE_HELLO];
	bool wrong = net_draw(6) == 0;

	if (wrong) {
		h.kind = (uint8_t)(net_draw(3) ? h.kind : net_draw(256));
		h.universe = net_draw(3) ? h.universe : net_draw(6);
		h.from = net_draw(3) ? h.from : net_draw(6);
		h.to = net_draw(3) ? h.to : net_draw(6);
		h.version = (uint16_t)(net_draw(5) ? h.version : net_draw(65536));
		h.frame_max += net_draw(5) ? 0 : net_draw(100);
	}
	net_hello_write(&h, b);
	net_hello_sign(key, b, asked);
	if (wrong)
		script.pure = 0;
	net_say(b, sizeof(b));
}

static uint8_t frame_byte(uint32_t i, uint32_t at)
{
	return (uint8_t)(i * 5 + at);
}

static void say_records(void)
{
	struct wire_head h;
	uint8_t b[WIRE_HEAD];
	uint32_t n = net_draw(ITEMS), frames = 0, chunks = 0;

	for (uint32_t i = 0; i < n; i++) {
		h = (struct wire_head){.type = net_draw(4) ? WIRE_FRAME : WIRE_CHUNK};
		h.len = net_draw(8) ? net_draw(100) : net_draw(5 * (TEXT / ITEMS / 8));
		h.len = h.len > NET_CHUNK_MAX ? NET_CHUNK_MAX : h.len;
		h.len += h.type == WIRE_CHUNK && h.len == 0;
		h.seq = h.type == WIRE_FRAME ? frames++ : chunks++;
		h.ctx = h.type == WIRE_FRAME ? h.seq : net_draw(3);
		net_head_write(&h, b);
		net_say(b, sizeof(b));
		for (uint32_t k = 0; k < h.len; k++)
			script.text[script.len + k] = frame_byte(h.seq, k);
		script.len += h.len;
		memset(script.text + script.len, 0, net_pad(h.len));
		script.len += net_pad(h.len);
		if (h.type == WIRE_FRAME)
			script.end[script.nends++] = script.len;
	}
	if (net_draw(2)) {
		h = (struct wire_head){.type = WIRE_BYE};
		net_head_write(&h, b);
		net_say(b, sizeof(b));
	}
}

static void net_spoil(size_t from)
{
	uint32_t n = net_draw(2) ? 0 : 1 + net_draw(4);
	size_t at;

	for (uint32_t i = 0; i < n && from < script.len; i++) {
		/* Mostly where it hurts: the first bytes of the text, and small numbers. */
		at = from + net_draw((uint32_t)(script.len - from));
		script.text[at] = (uint8_t)(net_draw(2) ? net_draw(256)
							: script.text[at] ^ (1u << net_draw(8)));
		script.pure = at < script.pure ? at : script.pure;
	}
	while (script.frames < script.nends && script.end[script.frames] <= script.pure)
		script.frames++;
}

/* --- a round -------------------------------------------------------------------------------- */

static void net_deliver(void *arg, const struct net_frame *f)
{
	const uint8_t *p = f->data;
	volatile uint8_t sum = 0; /* every byte is looked at */

	(void)arg;
	CHECK(f->from > 0 && f->from < PEERS && f->len <= NET_FRAME_MAX && nlost[f->from] == 0);
	for (uint32_t k = 0; k < f->len; k++)
		sum = (uint8_t)(sum + p[k]);
	for (uint32_t k = 0; k < f->len && got < script.frames; k++)
		CHECK(p[k] == frame_byte(got, k));
	got++;
}

static void net_lost(void *arg, int peer, enum net_why why, const char *words)
{
	(void)arg;
	(void)why;
	CHECK(++nlost[peer] == 1 && words[0] != '\0');
}

static const char *net_addr(void *arg, int peer)
{
	(void)arg;
	(void)peer;
	return "hell:666";
}

static void net_play(struct net *net, struct net_op post[2], uint8_t *buf)
{
	struct net_hdr h = {0};

	for (int i = 0; i < 2; i++)
		net_post(net, 1, (uint64_t)i, buf + i * BUFFER, 1 + net_draw(BUFFER), &post[i]);
	for (int i = 0; i < 300 && (script.at < script.len || i < 50); i++) {
		now_ms += net_draw(200);
		if (net_draw(3))
			net_poll(net);
		else
			net_poll_from(net, 1);
		if (net_draw(20) == 0)
			net_put(net, 1, &h, buf, net_draw(200));
		if (net_draw(100) == 0)
			net_unpost(net, &post[net_draw(2)]);
		CHECK(net_valid(net));
	}
}

static void net_round_run(void)
{
	struct net_conf conf = {.me = 0,
		.npeers = PEERS,
		.listen_fd = -1,
		.deliver = net_deliver,
		.lost = net_lost,
		.addr = net_addr,
		.close_ms = 50};
	struct net_op post[2] = {{0}, {0}};
	struct net_hdr h = {0};
	uint8_t *buf = malloc(2 * BUFFER);
	struct net *net;
	bool we_call = net_draw(2);

	memset(&script, 0, sizeof(script));
	memset(nlost, 0, sizeof(nlost));
	script.pure = SIZE_MAX;
	script.hangs_up = net_draw(2);
	got = 0;
	now_ms = 1000;
	memcpy(conf.key, key, sizeof(key));
	memset(buf, 0, 2 * BUFFER);
	CHECK(net_open_io(&conf, &io, NULL, &net) == 0);
	if (we_call) {
		net_put(net, 1, &h, buf, net_draw(100));
		for (int i = 0; i < 9 && script.conn && script.conn->say_at < WIRE_HELLO; i++)
			net_poll(net);
	}
	say_hello(we_call ? WIRE_ACCEPT : WIRE_CONNECT, 1,
		we_call && script.conn ? script.conn->say : NULL);
	say_records();
	net_spoil(net_draw(8) ? WIRE_HELLO : 0);
	net_play(net, post, buf);
	net_close(net);
	CHECK(post[0].state != NET_OP_ACTIVE && post[1].state != NET_OP_ACTIVE);
	free(buf);
}

int main(int argc, char **argv)
{
	uint64_t first = 1;
	long n = ROUNDS;
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "n:s:")) != -1) {
		if (c == 'n')
			n = strtol(optarg, NULL, 0);
		else if (c == 's')
			first = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	for (long i = 0; i < n || n == 0; i++) {
		seed = rnd = first + (uint64_t)i;
		net_round_run();
	}
	printf("%ld rounds, from seed %llu\n", n, (unsigned long long)first);
	return 0;
}
