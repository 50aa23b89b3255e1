// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0 time=120 */
/* net_sim.c - endpoints of libnet on a simulated network (wire.h): thousands of lives, each from
 * one seed.
 *
 * In each life two to HOSTS_MAX hosts talk: frames and streams to random peers at random times,
 * both ends connecting at once, one of them sleeping for a minute.  All lives have delays, short
 * reads and writes, late and reordered events.  Some have resets, cut lines, strangers, or lack
 * descriptors.  Invariants of every life:
 *
 *  - frames arrive once, in order, unchanged, from their sender, or the peer is lost;
 *  - streams likewise: a buffer that is reported full has the right bytes;
 *  - a peer is lost once; afterwards nothing comes from it and nothing goes to it;
 *  - no peer is lost without a fault, whatever strangers do;
 *  - it ends: everything has arrived or its peer is lost, in bounded time;
 *  - all memory and all sockets are given back.
 *
 *     net [-n LIVES] [-s SEED] [-v]
 *
 * A life that fails prints its seed; -n 1 -s SEED repeats it. */
#include "tests/check_true.h"
#include "tests/sim/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIVES       300
#define STEPS_MAX   20000000
#define BATCHES_MAX 24 /* streams in a life */
#define CUTS_MAX    3  /* buffers of a stream on each side */

struct host {
	struct host_arg arg;
	uint32_t put[HOSTS_MAX], want[HOSTS_MAX]; /* frames to each */
	uint32_t got[HOSTS_MAX];                  /* frames from each */
	int lost[HOSTS_MAX];
	enum net_why why[HOSTS_MAX];
};

/* One stream: the same bytes, cut differently on both sides. */
struct batch {
	int from, to;
	uint64_t id;
	size_t len;
	bool taken_back, over;
	int nsends, nposts;
	uint8_t *a, *b;
	struct net_op send[CUTS_MAX], post[CUTS_MAX];
};

static struct world world;
static struct host hosts[HOSTS_MAX];
static struct batch batches[BATCHES_MAX];
static int nbatches;
static bool verbose;
static char addrs[HOSTS_MAX][16];

__attribute__((noreturn)) static inline void check_broken(
	const char *file, int line, const char *what)
{
	printf("%s:%d: %s\nseed %llu, at %llu us\n", file, line, what,
		(unsigned long long)world.seed, (unsigned long long)world.us);
	abort();
}

/* --- frames --------------------------------------------------------------------------------- */

static uint32_t sim_mixed(uint64_t x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
	return (uint32_t)(x >> 32);
}

static uint32_t frame_len(int from, int to, uint32_t i)
{
	uint32_t r = sim_mixed(world.seed * 1000003 + (uint64_t)(from * 16 + to) * 65536 + i);

	r = r % 16 == 0  ? (r >> 4) % (NET_FRAME_MAX + 1)
	    : r % 16 < 4 ? (r >> 4) % 3000
			 : (r >> 4) % 40;
	return r < NET_FRAME_MAX ? r : NET_FRAME_MAX;
}

static uint8_t frame_byte(int from, uint32_t i, uint32_t at)
{
	return (uint8_t)((uint32_t)from * 41 + i * 3 + at + (at >> 8));
}

static void sim_deliver(void *arg, const struct net_frame *f)
{
	struct host *h = arg;
	uint32_t i = h->got[f->from]++, len = frame_len(f->from, h->arg.me, i);
	const uint8_t *p = f->data;

	CHECK(!h->lost[f->from]);
	CHECK(f->hdr.ctx == sim_mixed(i) && f->hdr.tag == (int32_t)i);
	CHECK(f->hdr.kind == i % 256 && f->hdr.flags == (uint8_t)f->from);
	CHECK(f->len == len && (uintptr_t)p % 8 == 0);
	for (uint32_t k = 0; k < len; k++)
		CHECK(p[k] == frame_byte(f->from, i, k));
}

static void sim_lost(void *arg, int peer, enum net_why why, const char *words)
{
	struct host *h = arg;
	struct net_op op = {0};
	struct net_hdr hdr = {0};

	if (verbose)
		printf("%llu us, host %d: %s\n", (unsigned long long)world.us, h->arg.me, words);
	CHECK(++h->lost[peer] == 1);
	CHECK(strstr(words, "sim:") && strlen(words) > 12);
	CHECK(world.faults > 0 || why == NET_WHY_LEFT);
	h->why[peer] = why;
	CHECK(net_put(world.net[h->arg.me], peer, &hdr, "", 0) == NET_LOST);
	CHECK(net_send(world.net[h->arg.me], peer, 1, &op, 1, &op) == NET_LOST);
	CHECK(net_post(world.net[h->arg.me], peer, 1, &op, 1, &op) == NET_LOST);
}

static const char *sim_addr(void *arg, int peer)
{
	(void)arg;
	return addrs[peer];
}

static void put_one(int from, int to)
{
	static uint8_t buf[NET_FRAME_MAX];
	struct host *h = &hosts[from];
	uint32_t i = h->put[to], len = frame_len(from, to, i);
	struct net_hdr hdr = {
		.ctx = sim_mixed(i), .tag = (int32_t)i, .kind = (uint8_t)i, .flags = (uint8_t)from};
	void *p = buf;
	bool two = world_draw(&world, 2) == 0;
	int err = two ? net_reserve(world.net[from], to, len, &p) : 0;

	for (uint32_t k = 0; k < len && err == 0; k++)
		((uint8_t *)p)[k] = frame_byte(from, i, k);
	if (two && err == 0)
		net_commit(world.net[from], to, &hdr, len);
	if (!two)
		err = net_put(world.net[from], to, &hdr, buf, len);
	CHECK(err == 0 || err == NET_AGAIN || (err == NET_LOST && h->lost[to]));
	h->put[to] += err == 0;
}

/* --- streams -------------------------------------------------------------------------------- */

static void op_done(struct net_op *op)
{
	CHECK(op->state == NET_OP_DONE || op->state == NET_OP_LOST);
}

static size_t sim_cut(size_t left, int parts)
{
	return parts == 1 || left < 3 ? left : 1 + world_draw(&world, (uint32_t)left / 2);
}

static void batch_posts(struct batch *b)
{
	size_t at = 0, n;

	for (int k = CUTS_MAX; at < b->len; k--, at += n) {
		n = sim_cut(b->len - at, k);
		b->post[b->nposts].done = op_done;
		if (net_post(world.net[b->to], b->from, b->id, b->b + at, n, &b->post[b->nposts]))
			return;
		b->nposts++;
	}
}

static void batch_begin(int from, int to)
{
	struct batch *b = &batches[nbatches];
	size_t at = 0, n;

	if (nbatches == BATCHES_MAX || hosts[to].lost[from] || hosts[from].lost[to])
		return;
	*b = (struct batch){.from = from, .to = to, .id = (uint64_t)nbatches++ * 5};
	b->len = 1 + world_draw(&world, world_draw(&world, 4) ? 3000 : 2 * NET_CHUNK_MAX);
	b->a = malloc(b->len);
	b->b = calloc(1, b->len);
	CHECK(b->a && b->b);
	for (size_t i = 0; i < b->len; i++)
		b->a[i] = (uint8_t)sim_mixed(b->id * 1000003 + i / 5) + (uint8_t)i;
	batch_posts(b);
	for (int k = CUTS_MAX; at < b->len; k--, at += n) {
		n = sim_cut(b->len - at, k);
		b->send[b->nsends].done = op_done;
		if (net_send(world.net[from], to, b->id, b->a + at, n, &b->send[b->nsends]))
			return;
		b->nsends++;
	}
}

static void batch_take_back(struct batch *b)
{
	if (b->over)
		return;
	b->taken_back = true;
	for (int i = 0; i < b->nposts; i++)
		net_unpost(world.net[b->to], &b->post[i]);
	memset(b->b, 0xee, b->len);
}

/* Is it over?  Is it right? */
static bool batch_over(struct batch *b)
{
	size_t at = 0;

	if (b->over)
		return true;
	for (int i = 0; i < b->nsends; i++) {
		if (b->send[i].state == NET_OP_ACTIVE)
			return false;
		CHECK(b->send[i].state == NET_OP_DONE || hosts[b->from].lost[b->to]);
	}
	for (int i = 0; i < b->nposts; i++) {
		if (b->post[i].state == NET_OP_ACTIVE && !hosts[b->from].lost[b->to])
			return false;
		CHECK(b->post[i].state != NET_OP_LOST || hosts[b->to].lost[b->from]);
		if (b->post[i].state == NET_OP_DONE && !b->taken_back)
			CHECK(memcmp(b->a + at, b->b + at, b->post[i].len) == 0);
		at += b->post[i].len;
	}
	for (size_t i = 0; b->taken_back && i < b->len; i++)
		CHECK(b->b[i] == 0xee);
	b->over = true;
	return true;
}

/* --- a life --------------------------------------------------------------------------------- */

static void step_host(int i)
{
	int peer = (int)world_draw(&world, (uint32_t)world.n);

	if (world.asleep[i] > world.us)
		return;
	if (world_odds(&world, world.odds.doze))
		world.asleep[i] = world.us + world_draw(&world, 60000000);
	if (world_draw(&world, 2))
		net_poll(world.net[i]);
	else
		net_poll_from(world.net[i], peer);
	CHECK(net_sleep_ms(world.net[i]) >= -1);
	CHECK(world.net[i]->closing || net_valid(world.net[i]));
}

static void sim_others(struct world *w, int but)
{
	for (int i = 0; i < w->n; i++) {
		if (i != but && w->net[i] && !w->net[i]->closing)
			step_host(i);
	}
}

static void sim_act(void)
{
	int from = (int)world_draw(&world, (uint32_t)world.n);
	int to = (int)world_draw(&world, (uint32_t)world.n);

	if (from == to || world.asleep[from] > world.us)
		return;
	if (hosts[from].put[to] < hosts[from].want[to])
		put_one(from, to);
	if (world_draw(&world, 40) == 0)
		batch_begin(from, to);
	if (nbatches > 0 && world_draw(&world, 200) == 0)
		batch_take_back(&batches[world_draw(&world, (uint32_t)nbatches)]);
}

static bool all_over(void)
{
	for (int i = 0; i < world.n; i++) {
		for (int j = 0; j < world.n; j++) {
			if (hosts[j].got[i] < hosts[i].want[j] && !hosts[i].lost[j])
				return false;
			CHECK(hosts[j].got[i] <= hosts[i].put[j]);
		}
	}
	for (int i = 0; i < nbatches; i++) {
		if (!batch_over(&batches[i]))
			return false;
	}
	return true;
}

static void draw_odds(struct chances *o)
{
	*o = (struct chances){.slow = world_draw(&world, 65536),
		.clog = world_draw(&world, 40000),
		.bits = world_draw(&world, 40000),
		.late = world_draw(&world, 50000),
		.delay_us = 1 + world_draw(&world, world_draw(&world, 4) ? 2000 : 300000),
		.room = 64 + world_draw(&world, world_draw(&world, 4) ? 200000 : 2000)};
	if (o->delay_us > 2000 && o->room < 20000)
		o->room = 20000; /* else it would take hours of steps */
	if (world_draw(&world, 3) == 0)
		o->reset = 1 + world_draw(&world, world_draw(&world, 3) ? 20 : 2000);
	if (world_draw(&world, 8) == 0)
		o->cut = 1 + world_draw(&world, 300);
	if (world_draw(&world, 4) == 0)
		o->no_fd = world_draw(&world, 30000);
	if (world_draw(&world, 3) == 0)
		o->stranger = world_draw(&world, 6000);
	if (world_draw(&world, 4) == 0)
		o->doze = world_draw(&world, 30);
}

static void life_begin(uint64_t seed)
{
	struct net_conf conf;

	memset(&world, 0, sizeof(world));
	memset(hosts, 0, sizeof(hosts));
	nbatches = 0;
	world.seed = world.random = seed;
	world.us = 1000000;
	world.n = 2 + (int)world_draw(&world, HOSTS_MAX - 1);
	world.others = sim_others;
	draw_odds(&world.odds);
	for (int i = 0; i < world.n; i++) {
		snprintf(addrs[i], sizeof(addrs[i]), "sim:%d", i);
		conf = (struct net_conf){.me = i,
			.npeers = world.n,
			.key = "it is a secret.",
			.listen_fd = -1,
			.arg = &hosts[i],
			.deliver = sim_deliver,
			.lost = sim_lost,
			.addr = sim_addr,
			.strangers_max = 4};
		CHECK(world_open(&world, &conf, &hosts[i].arg) == 0);
		for (int j = 0; j < world.n; j++)
			hosts[i].want[j] =
				j == i || world_draw(&world, 3) == 0 ? 0 : world_draw(&world, 60);
	}
}

/* All leave in turn; those still there see that. */
static void life_end(void)
{
	uint64_t before;

	for (int i = 0; i < world.n; i++) {
		before = world.us;
		net_close(world.net[i]);
		world.net[i] = NULL;
		CHECK(world.us - before < 13000000);
		for (int k = 0; k < 20; k++) {
			world.us += 50000;
			sim_others(&world, -1);
		}
	}
	for (int i = 0; i < nbatches; i++) {
		for (int k = 0; k < CUTS_MAX; k++) {
			CHECK(batches[i].send[k].state != NET_OP_ACTIVE);
			CHECK(batches[i].post[k].state != NET_OP_ACTIVE);
		}
		free(batches[i].a);
		free(batches[i].b);
	}
	for (struct sock *s = world.socks; s; s = s->next)
		CHECK(s->closed || s->host == -1);
	world_sweep(&world, true);
}

static void sim_life(uint64_t seed)
{
	int steps;

	life_begin(seed);
	for (steps = 0; steps < STEPS_MAX; steps++) {
		world.us += world_draw(&world, 50) ? world_draw(&world, 300)
						   : world_draw(&world, 300000);
		sim_act();
		if (world_odds(&world, world.odds.stranger))
			world_stranger(&world);
		step_host((int)world_draw(&world, (uint32_t)world.n));
		if (steps % 64 == 0 && all_over())
			break;
		if (steps % 1024 == 0)
			world_sweep(&world, false);
	}
	CHECK(steps < STEPS_MAX);
	if (verbose)
		printf("seed %llu: %d hosts, %d steps, %llu us, %llu faults\n",
			(unsigned long long)seed, world.n, steps, (unsigned long long)world.us,
			(unsigned long long)world.faults);
	life_end();
}

int main(int argc, char **argv)
{
	uint64_t seed = 1;
	long n = LIVES;
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "n:s:v")) != -1) {
		if (c == 'n')
			n = strtol(optarg, NULL, 0);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'v')
			verbose = true;
		else
			return 2;
	}
	for (long i = 0; i < n; i++)
		sim_life(seed + (uint64_t)i);
	printf("%ld lives, from seed %llu\n", n, (unsigned long long)seed);
	return 0;
}
