// SPDX-License-Identifier: BSD-3-Clause
/* net_endpoints.h - for tests of libnet: several endpoints in one process, connected by real
 * sockets, polled in turns.  Every frame says who sent it to whom and which one it is, so that a
 * frame that is lost, repeated, changed or out of order is noticed by its receiver. */
#ifndef TESTS_UNIT_ENDS_H
#define TESTS_UNIT_ENDS_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "libnet/net.h"

#define ENDS_MAX 16

struct end {
	struct net *net;
	struct ends *all;
	int me;
	char addr[NET_ADDR_LEN];
	uint32_t next_to[ENDS_MAX];   /* number of the next frame to send */
	uint32_t next_from[ENDS_MAX]; /* and to get */
	int lost[ENDS_MAX], left[ENDS_MAX];
	char words[NET_WORDS_LEN]; /* of the last one lost */
	char told[NET_WORDS_LEN];
};

struct ends {
	int n;
	struct end end[ENDS_MAX];
};

static inline double ends_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Length and content of the i-th frame of a pair. */
static inline uint32_t ends_len(int from, int to, uint32_t i)
{
	uint32_t x = (i + 1) * 2654435761u ^ (uint32_t)(from * 77 + to);

	return x % 16 == 0 ? (x >> 8) % (NET_FRAME_MAX + 1) : (x >> 8) % 300;
}

static inline uint8_t ends_byte(int from, uint32_t i, uint32_t at)
{
	return (uint8_t)((uint32_t)from * 31 + i * 7 + at * 13 + (at >> 8));
}

static inline void ends_deliver(void *arg, const struct net_frame *f)
{
	struct end *e = arg;
	uint32_t i = e->next_from[f->from]++;
	const uint8_t *p = f->data;

	assert_int_equal(f->hdr.ctx, ((uint64_t)f->from << 32 | (uint64_t)e->me) + i);
	assert_int_equal(f->hdr.tag, (int32_t)~i);
	assert_int_equal(f->hdr.kind, i % 251);
	assert_int_equal(f->hdr.flags, i % 13);
	assert_int_equal(f->len, ends_len(f->from, e->me, i));
	assert_int_equal((uintptr_t)f->data % 8, 0);
	for (uint32_t k = 0; k < f->len; k++) {
		if (p[k] != ends_byte(f->from, i, k))
			fail_msg("frame %u of %d: byte %u is wrong", i, f->from, k);
	}
}

static inline void ends_lost(void *arg, int peer, enum net_why why, const char *words)
{
	struct end *e = arg;

	if (why == NET_WHY_LEFT)
		e->left[peer]++;
	else
		e->lost[peer]++;
	snprintf(e->words, sizeof(e->words), "%s", words);
}

static inline void ends_told(void *arg, const char *words)
{
	struct end *e = arg;

	snprintf(e->told, sizeof(e->told), "%s", words);
}

static inline const char *ends_addr(void *arg, int peer)
{
	struct end *e = arg;

	return e->all->end[peer].addr[0] ? e->all->end[peer].addr : NULL;
}

static inline struct net_conf ends_conf(struct ends *s, int me)
{
	struct net_conf conf = {.me = me,
		.npeers = s->n,
		.key = "0123456789abcde",
		.listen_fd = -1,
		.arg = &s->end[me],
		.deliver = ends_deliver,
		.lost = ends_lost,
		.log = ends_told,
		.addr = ends_addr};

	s->end[me].me = me;
	s->end[me].all = s;
	return conf;
}

static inline void ends_open(struct ends *s, int n, const char *where)
{
	struct net_conf conf;

	memset(s, 0, sizeof(*s));
	s->n = n;
	for (int i = 0; i < n; i++) {
		conf = ends_conf(s, i);
		assert_int_equal(net_listen(where, &conf.listen_fd, s->end[i].addr), 0);
		assert_int_equal(net_open(&conf, &s->end[i].net), 0);
	}
}

static inline int ends_poll(struct ends *s)
{
	int n = 0;

	for (int i = 0; i < s->n; i++) {
		if (s->end[i].net)
			n += net_poll(s->end[i].net);
	}
	return n;
}

static inline void ends_close(struct ends *s)
{
	for (int i = 0; i < s->n; i++) {
		net_close(s->end[i].net);
		s->end[i].net = NULL;
	}
}

/* Puts the next frame of a pair; the net's answer. */
static inline int ends_put(struct ends *s, int from, int to)
{
	static uint8_t buf[NET_FRAME_MAX];
	struct end *e = &s->end[from];
	uint32_t i = e->next_to[to], len = ends_len(from, to, i);
	struct net_hdr h = {.ctx = ((uint64_t)from << 32 | (uint64_t)to) + i,
		.tag = (int32_t)~i,
		.kind = (uint8_t)(i % 251),
		.flags = (uint8_t)(i % 13)};
	void *p = buf;
	int err = 0;

	if (i % 3 == 0)
		err = net_reserve(e->net, to, len, &p);
	if (err)
		return err;
	for (uint32_t k = 0; k < len; k++)
		((uint8_t *)p)[k] = ends_byte(from, i, k);
	if (i % 3 == 0)
		net_commit(e->net, to, &h, len);
	else
		err = net_put(e->net, to, &h, buf, len);
	if (err == 0)
		e->next_to[to]++;
	return err;
}

/* Polls all until x, at most some minutes. */
#define ENDS_UNTIL(s, x)                                       \
	do {                                                   \
		double ends_until = ends_now() + 200;          \
		while (!(x)) {                                 \
			ends_poll(s);                          \
			if (ends_now() > ends_until)           \
				fail_msg("waited for %s", #x); \
		}                                              \
	} while (0)

#endif
