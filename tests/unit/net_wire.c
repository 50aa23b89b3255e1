// SPDX-License-Identifier: BSD-3-Clause
/* net_wire.c - libnet's engine without sockets: the keyed hash, hellos, heads, lists of operations,
 * frames and streams to bytes and back, cut everywhere. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "libnet/net_inner.h"

/* The authors' test vectors: key 00 01 .. 0f, text 00 01 .. */
static void test_hash(void **state)
{
	static const uint8_t want[3][16] = {{0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d,
						    0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93},
		{0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22,
			0xfc, 0x45},
		{0x81, 0x77, 0x22, 0x8d, 0xa4, 0xa4, 0x5d, 0xc7, 0xfc, 0xa3, 0x8b, 0xde, 0xf6, 0x0a,
			0xff, 0xe4}};
	uint8_t key[16], text[16], out[16];

	(void)state;
	for (int i = 0; i < 16; i++)
		key[i] = text[i] = (uint8_t)i;
	for (size_t len = 0; len < 3; len++) {
		net_hash(key, text, len, out);
		assert_memory_equal(out, want[len], 16);
	}
}

static const uint8_t key[NET_KEY_LEN] = "a key of 16 byte";

static void test_hello(void **state)
{
	struct wire_hello h = {.version = WIRE_VERSION,
				  .kind = WIRE_CONNECT,
				  .universe = 0x01020304,
				  .from = 5,
				  .to = 0x00070006,
				  .frame_max = NET_FRAME_MAX,
				  .chunk_max = NET_CHUNK_MAX,
				  .nonce = {9, 8, 7}},
			  r = {0};
	static const uint8_t first[28] = {0x89, 'h', 'n', 'e', 't', '\r', '\n', 0x1a, 3, 0, 1, 0, 4,
		3, 2, 1, 0, 0, 0, 0, 5, 0, 0, 0, 6, 0, 7, 0};
	uint8_t b[WIRE_HELLO], a[WIRE_HELLO], other[NET_KEY_LEN] = "another key   . ";

	(void)state;
	net_hello_write(&h, b);
	assert_memory_equal(b, first, sizeof(first));
	net_hello_sign(key, b, NULL);
	assert_true(net_hello_ours(b) && net_hello_version(b) == WIRE_VERSION);
	assert_true(net_hello_proven(key, b, NULL));
	assert_false(net_hello_proven(other, b, NULL));
	net_hello_read(b, &r);
	assert_int_equal(r.version, h.version);
	assert_int_equal(r.kind, h.kind);
	assert_int_equal(r.universe, h.universe);
	assert_int_equal(r.from, h.from);
	assert_int_equal(r.to, h.to);
	assert_int_equal(r.frame_max, h.frame_max);
	assert_int_equal(r.chunk_max, h.chunk_max);
	assert_memory_equal(r.nonce, h.nonce, WIRE_NONCE);
	for (int i = 0; i < WIRE_HELLO * 8; i++) {
		b[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_false(net_hello_proven(key, b, NULL));
		b[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	/* An answer fits its question only, and a question is not an answer. */
	h.kind = WIRE_ACCEPT;
	net_hello_write(&h, a);
	net_hello_sign(key, a, b);
	assert_true(net_hello_proven(key, a, b));
	assert_false(net_hello_proven(key, a, NULL));
	assert_false(net_hello_proven(key, b, b));
	b[40] ^= 1; /* its nonce */
	assert_false(net_hello_proven(key, a, b));
}

static void test_head(void **state)
{
	struct wire_head h = {.type = WIRE_FRAME,
				 .kind = 200,
				 .flags = 3,
				 .tag = -2,
				 .len = 400,
				 .seq = 0x80000001,
				 .ctx = 0x1122334455667788},
			 r = {0};
	static const uint8_t want[WIRE_HEAD] = {1, 200, 3, 0, 0x90, 1, 0, 0, 0x88, 0x77, 0x66, 0x55,
		0x44, 0x33, 0x22, 0x11, 0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0x80};
	uint8_t b[WIRE_HEAD];

	(void)state;
	net_head_write(&h, b);
	assert_memory_equal(b, want, WIRE_HEAD);
	assert_true(net_head_read(b, &r));
	assert_int_equal(r.tag, -2);
	assert_int_equal(r.ctx, h.ctx);
	for (int type = 0; type < 256; type++) {
		b[0] = (uint8_t)type;
		assert_int_equal(net_head_read(b, &r), type == WIRE_FRAME || type == WIRE_CHUNK);
	}
	h.len = NET_FRAME_MAX + 1;
	net_head_write(&h, b);
	assert_false(net_head_read(b, &r));
	h.type = WIRE_CHUNK;
	h.len = 0;
	net_head_write(&h, b);
	assert_false(net_head_read(b, &r));
	h.len = NET_CHUNK_MAX + 1;
	net_head_write(&h, b);
	assert_false(net_head_read(b, &r));
	h.type = WIRE_BYE;
	h.len = 1;
	net_head_write(&h, b);
	assert_false(net_head_read(b, &r));
}

/* --- lists ---------------------------------------------------------------------------------- */

static void test_ops(void **state)
{
	struct net_ops l = {0};
	struct net_op op[6];
	static const uint64_t ids[6] = {7, 9, 7, 4, 7, 9};

	(void)state;
	memset(op, 0, sizeof(op));
	for (int i = 0; i < 6; i++) {
		op[i].id = ids[i];
		net_ops_add(&l, &op[i]);
	}
	assert_ptr_equal(net_ops_find(&l, 7), &op[0]);
	assert_null(net_ops_find(&l, 5));
	net_ops_remove(&l, &op[2]); /* in the middle of its id */
	net_ops_remove(&l, &op[0]);
	assert_ptr_equal(net_ops_find(&l, 7), &op[4]);
	assert_ptr_equal(l.first, &op[4]); /* the heir has the place */
	net_ops_rotate(&l);
	assert_ptr_equal(l.first, &op[1]);
	assert_ptr_equal(l.last, &op[4]);
	net_ops_remove(&l, &op[5]); /* the last of its id */
	net_ops_add(&l, &op[5]);
	net_ops_remove(&l, &op[1]);
	assert_ptr_equal(net_ops_find(&l, 9), &op[5]);
	net_ops_end(&l, NET_OP_LOST);
	assert_null(l.first);
	assert_int_equal(op[5].state, NET_OP_LOST);
	assert_int_equal(op[3].state, NET_OP_LOST);
	assert_int_equal(op[0].state, NET_OP_ACTIVE); /* it was taken out before */
}

/* --- there and back ------------------------------------------------------------------------- */

enum { FRAMES = 40, STREAM = 3 * 700 };

struct ear {
	uint32_t n;
	bool bad;
};

static uint32_t len_of(uint32_t i)
{
	return i * i * 7 % 400;
}

static void wire_deliver(void *arg, const struct net_frame *f)
{
	struct ear *e = arg;
	const uint8_t *p = f->data;

	e->bad |= f->len != len_of(e->n) || f->hdr.tag != (int32_t)e->n || (uintptr_t)p % 8 != 0;
	for (uint32_t i = 0; i < f->len && !e->bad; i++)
		e->bad |= p[i] != (uint8_t)(e->n + i);
	e->n++;
}

/* All bytes of some frames and two streams between them. */
static size_t all_bytes(uint8_t *b, const uint8_t *text, struct net_op send[2])
{
	struct net_out o;
	struct net_count count = {0};
	struct iovec iov[OUT_IOVS];
	struct net_hdr h = {0};
	uint8_t *room;
	size_t n = 0;
	int err, k;

	memset(&o, 0, sizeof(o));
	for (uint32_t i = 0; i < FRAMES; i++) {
		room = net_out_room(&o, len_of(i), 1 << 20, &err);
		assert_non_null(room);
		for (uint32_t j = 0; j < len_of(i); j++)
			room[j] = (uint8_t)(i + j);
		h.tag = (int32_t)i;
		net_out_frame(&o, &h, len_of(i));
	}
	for (int i = 0; i < 2; i++) {
		send[i] = (struct net_op){.id = 3 + (uint64_t)i, .len = STREAM};
		send[i].buf = (uint8_t *)(uintptr_t)text;
		net_ops_add(&o.sends, &send[i]);
	}
	o.bye = true;
	while ((k = net_out_next(&o, iov)) > 0) {
		for (int i = 0; i < k; i++) {
			memcpy(b + n, iov[i].iov_base, iov[i].iov_len);
			n += iov[i].iov_len;
			net_out_sent(&o, iov[i].iov_len, &count);
		}
	}
	assert_true(net_out_idle(&o));
	net_out_fini(&o);
	return n;
}

/* Reads them in pieces of `step' bytes (the first one of `first'). */
static void read_in_steps(
	const uint8_t *b, size_t n, size_t first, size_t step, const uint8_t *text, bool unposted)
{
	static uint8_t got[2][STREAM], buf[IN_BUF];
	struct net_in in;
	struct ear ear = {0};
	struct net_shared up = {.arg = &ear, .deliver = wire_deliver, .buf = buf};
	struct net_op post[4];
	struct iovec iov[IN_IOVS];
	size_t at = 0, want = first, k, part;
	int m;

	memset(&in, 0, sizeof(in));
	memset(post, 0, sizeof(post));
	memset(got, 0, sizeof(got));
	for (int i = 0; i < 4 && !unposted; i++) {
		post[i].id = 3 + (uint64_t)i / 2;
		post[i].buf = got[i / 2] + (i % 2 ? 333 : 0);
		post[i].len = i % 2 ? STREAM - 333 : 333;
		net_ops_add(&in.posts, &post[i]);
	}
	for (; at < n; at += part, want = step) {
		m = net_in_room(&in, &up, iov);
		want = want < n - at ? want : n - at;
		part = 0;
		for (int i = 0; i < m && want > 0; i++, want -= k, part += k) {
			k = want < iov[i].iov_len ? want : iov[i].iov_len;
			memcpy(iov[i].iov_base, b + at + part, k);
		}
		assert_true(part > 0);
		assert_null(net_in_received(&in, &up, iov, part));
	}
	assert_true(in.bye && net_in_at_boundary(&in));
	assert_int_equal(ear.n, FRAMES);
	assert_false(ear.bad);
	for (int i = 0; i < 4 && !unposted; i++)
		assert_int_equal(post[i].state, NET_OP_DONE);
	for (int i = 0; i < 2 && !unposted; i++)
		assert_memory_equal(got[i], text, STREAM);
	assert_int_equal(up.count.stray_bytes, unposted ? 2 * STREAM : 0);
	net_in_fini(&in);
}

static void test_cut(void **state)
{
	static uint8_t b[65536], text[STREAM];
	struct net_op send[2];
	size_t n;

	(void)state;
	for (int i = 0; i < STREAM; i++)
		text[i] = (uint8_t)(i * 11 + (i >> 8));
	n = all_bytes(b, text, send);
	for (size_t first = 1; first <= n; first += 3)
		read_in_steps(b, n, first, n, text, false);
	for (size_t step = 1; step < 300; step++)
		read_in_steps(b, n, 1 + step % 7, step, text, step % 2);
}

static void test_bad_bytes(void **state)
{
	static uint8_t buf[IN_BUF];
	struct wire_head good = {.type = WIRE_FRAME, .tag = 1};
	struct ear ear = {0};
	struct net_shared up = {.arg = &ear, .deliver = wire_deliver, .buf = buf};
	struct iovec iov[IN_IOVS];
	struct net_in in;

	(void)state;
	for (int what = 0; what < 4; what++) {
		memset(&in, 0, sizeof(in));
		assert_int_equal(net_in_room(&in, &up, iov), 1);
		good.seq = 0;
		good.type = what == 3 ? WIRE_BYE : WIRE_FRAME;
		net_head_write(&good, buf);
		good.type = WIRE_FRAME;
		good.seq = what == 1 ? 2 : what == 2 ? 0 : 1;
		net_head_write(&good, buf + WIRE_HEAD);
		if (what == 0)
			buf[WIRE_HEAD + 3] = 1; /* reserved bytes must be zero */
		assert_non_null(net_in_received(&in, &up, iov, 2 * WIRE_HEAD));
		net_in_fini(&in);
	}
}

static void test_queue_is_bounded(void **state)
{
	struct net_out o;
	struct net_hdr h = {0};
	struct net_count count = {0};
	struct iovec iov[OUT_IOVS];
	uint32_t max = 8000;
	int err, n = 0;

	(void)state;
	memset(&o, 0, sizeof(o));
	while (net_out_room(&o, 100, max, &err)) {
		net_out_frame(&o, &h, 100);
		n++;
	}
	assert_int_equal(err, NET_AGAIN);
	assert_int_equal(n, 8000 / (24 + 104));
	/* A byte out, a frame in: for ever, in the same memory. */
	for (int i = 0; i < 100000; i++) {
		assert_int_equal(net_out_next(&o, iov), 1);
		net_out_sent(&o, i % 3 ? 13 : 200 < iov[0].iov_len ? 200 : iov[0].iov_len, &count);
		if (net_out_room(&o, 100, max, &err))
			net_out_frame(&o, &h, 100);
	}
	assert_true(o.q_cap <= 4 * max);
	net_out_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_ops),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bad_bytes),
		cmocka_unit_test(test_queue_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
