// SPDX-License-Identifier: BSD-3-Clause
/* shm_frame.c - frames arrive once, whole and in order: by inbox, ring and payload area, between
 * all pairs, with full ways, before the receiver has started, and to oneself. */
#include <string.h>
#include "tests/unit/shm_node.h"
#include "libshm/shm_inner.h"

enum { RANKS_MOST = 64 };

/* A stream of frames that both ends can compute. */
struct stream {
	uint64_t seed;
	uint32_t n;
};

struct node {
	struct shm *s;
	struct stream out[RANKS_MOST];
	struct stream in[RANKS_MOST];
	uint32_t got;
	uint32_t len_max;
	uint8_t buf[SHM_FRAME_MAX];
};

static void stream_begin(struct stream *x, int src, int dst)
{
	x->seed = (uint64_t)src << 32 | (uint64_t)dst << 8 | 5;
	x->n = 0;
}

/* The next frame of a stream: mostly short, sometimes long. */
static void stream_next(
	struct stream *x, uint32_t len_max, struct shm_hdr *h, uint32_t *len, uint8_t *fill)
{
	uint32_t r = node_random(&x->seed);

	h->ctx = (uint64_t)x->n * 3 + ((uint64_t)r << 32);
	h->tag = (int32_t)(x->n ^ (r << 16));
	h->kind = (uint8_t)(r % (SHM_KIND_MAX + 1));
	h->flags = (uint8_t)(r >> 8);
	*len = r % 8 < 5 ? r / 8 % (SHM_INLINE + 1) : r / 8 % (len_max + 1);
	*fill = (uint8_t)(r >> 3);
	x->n++;
}

static void frame_receive(void *arg, const struct shm_frame *f)
{
	struct node *n = arg;
	const uint8_t *p = f->data;
	struct shm_hdr h;
	uint32_t len;
	uint8_t fill;

	stream_next(&n->in[f->src], n->len_max, &h, &len, &fill);
	CHECK(f->ctx == h.ctx && f->tag == h.tag && f->kind == h.kind && f->flags == h.flags);
	CHECK(f->len == len);
	for (uint32_t i = 0; i < len; i++)
		CHECK(p[i] == (uint8_t)(fill + i));
	n->got++;
}

static struct node *node_new(struct shm *s, uint32_t len_max)
{
	struct node *n = calloc(1, sizeof(*n));

	CHECK(n != NULL);
	n->s = s;
	n->len_max = len_max < s->frame_max ? len_max : s->frame_max;
	for (int i = 0; i < s->nranks; i++) {
		stream_begin(&n->out[i], s->me, i);
		stream_begin(&n->in[i], i, s->me);
	}
	return n;
}

/* Sends the next frame to `dst', every third in two steps; false: no room, nothing changed. */
static bool send_next(struct node *n, int dst)
{
	struct stream before = n->out[dst];
	struct shm_hdr h;
	uint32_t len;
	uint8_t fill, *to = n->buf;
	void *ptr;
	bool two = before.n % 3 == 0;
	int e = 0;

	stream_next(&n->out[dst], n->len_max, &h, &len, &fill);
	if (two)
		e = shm_reserve(n->s, dst, len + (len < n->s->frame_max), &ptr);
	if (two && e == 0)
		to = ptr;
	for (uint32_t i = 0; i < len; i++)
		to[i] = (uint8_t)(fill + i);
	if (two && e == 0)
		shm_commit(n->s, dst, &h, len);
	else if (!two)
		e = shm_put(n->s, dst, &h, n->buf, len);
	CHECK(e == 0 || e == SHM_AGAIN);
	if (e != 0)
		n->out[dst] = before;
	return e == 0;
}

struct plan {
	uint32_t frames; /* to each peer */
	uint32_t len_max;
	bool self; /* also to oneself */
};

/* Tries one frame to every peer that is owed some, from a random one on; how many went. */
static uint32_t send_round(struct node *n, const struct plan *plan, uint64_t *seed)
{
	uint32_t ranks = (uint32_t)n->s->nranks, first = node_random(seed), went = 0;

	for (uint32_t i = 0; i < ranks; i++) {
		int dst = (int)((first + i) % ranks);

		if (n->out[dst].n < plan->frames && (dst != n->s->me || plan->self))
			went += send_next(n, dst);
	}
	return went;
}

/* All ranks send to all, in random order, and receive. */
static void storm_rank(struct shm *s, void *arg)
{
	const struct plan *plan = arg;
	struct node *n = node_new(s, plan->len_max);
	uint32_t peers = (uint32_t)s->nranks - !plan->self, left = plan->frames * peers;
	uint64_t seed = (uint64_t)s->me + 99;
	struct shm_wait w;

	shm_wait_begin(&w);
	while (left > 0 || n->got < plan->frames * peers) {
		uint32_t before = n->got, went = send_round(n, plan, &seed);

		left -= went;
		shm_poll(s, frame_receive, n);
		if (went > 0 || n->got != before)
			shm_wait_again(&w);
		else
			CHECK(shm_idle(s, &w) == 0);
	}
	shm_wait_end(s, &w);
	node_gate(s);
	CHECK(shm_poll(s, frame_receive, n) == 0);
	CHECK(s->count.got == plan->frames * peers);
	CHECK(s->count.put == plan->frames * peers);
	free(n);
}

static void storm2(void **state)
{
	struct plan plan = {.frames = 20000, .len_max = SHM_FRAME_MAX};

	(void)state;
	node_run(2, storm_rank, &plan);
}

static void storm5(void **state)
{
	struct plan plan = {.frames = 2000, .len_max = 3000, .self = true};

	(void)state;
	node_run(5, storm_rank, &plan);
}

static void storm40(void **state)
{
	struct plan plan = {.frames = 40, .len_max = 500};

	(void)state;
	node_run(40, storm_rank, &plan);
}

static void storm_self(void **state)
{
	struct plan plan = {.frames = 3000, .len_max = SHM_FRAME_MAX, .self = true};

	(void)state;
	node_run(1, storm_rank, &plan);
}

/* The peer has not started: as much as there is room for goes out, and arrives when it starts. */
static void ahead_rank(struct shm *s, void *arg)
{
	struct node *n = node_new(s, 100);
	uint32_t *sent = shm_seg_job(s->seg);

	(void)arg;
	if (s->me == 0) {
		while (*sent < 20 && send_next(n, 1))
			++*sent;
	} else {
		for (int i = 0; i < 1000 && n->got < *sent; i++)
			shm_poll(s, frame_receive, n);
		CHECK(n->got == *sent && *sent > 0);
	}
	free(n);
}

static void ahead(void **state)
{
	const struct shm_opts opts = {.nranks = 2};
	struct shm_seg *seg;
	pid_t pid;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	for (int i = 0; i < 2; i++) {
		node_start(seg, i, ahead_rank, NULL, &pid);
		node_join(pid);
	}
	shm_seg_close(seg);
}

/* peek shows the same frame until next; peek and poll may be mixed. */
static void peek_rank(struct shm *s, void *arg)
{
	enum { FRAMES = 5000 };
	struct node *n = node_new(s, 200);
	struct shm_frame f, g;

	(void)arg;
	while (s->me == 0 && n->out[1].n < FRAMES)
		send_next(n, 1);
	while (s->me == 1 && n->got < FRAMES) {
		if (!shm_peek(s, 0, &f)) {
			shm_poll(s, frame_receive, n);
			continue;
		}
		CHECK(shm_peek(s, 0, &g) && g.data == f.data && g.ctx == f.ctx);
		frame_receive(n, &g);
		shm_next(s, &g);
		CHECK(n->got % 512 != 0 || shm_valid(s));
	}
	CHECK(shm_valid(s));
	free(n);
}

/* A frame that is enough, and how many came from each rank. */
struct enough {
	bool yes;
	uint32_t from[4];
};

static void enough_take(void *arg, const struct shm_frame *f)
{
	struct enough *x = arg;

	CHECK(!x->yes);
	x->yes = true;
	x->from[f->src]++;
}

/* Rank 0 polls for one frame at a time: it gets one, and those of all ranks in turn. */
static void until_rank(struct shm *s, void *arg)
{
	enum { WARM = 5, FRAMES = 3 }; /* a ring has 4 slots at least */
	struct node *n = node_new(s, 40);
	struct enough x = {0};

	(void)arg;
	while (s->me > 0 && n->out[0].n < WARM)
		send_next(n, 0);
	while (s->me == 0 && n->got < WARM * (uint32_t)(s->nranks - 1))
		shm_poll(s, frame_receive, n);
	node_gate(s);
	while (s->me > 0 && n->out[0].n < WARM + FRAMES)
		send_next(n, 0);
	node_gate(s);
	for (uint32_t i = 0; s->me == 0 && i < FRAMES * (uint32_t)(s->nranks - 1); i++) {
		x.yes = false;
		CHECK(shm_poll_until(s, enough_take, &x, &x.yes) == 1);
		for (int r = 1; r < s->nranks; r++)
			CHECK(x.from[r] >= (i + 1) / (uint32_t)(s->nranks - 1));
	}
	x.yes = false;
	CHECK(s->me > 0 || shm_poll_until(s, enough_take, &x, &x.yes) == 0);
	free(n);
}

static void frame_until(void **state)
{
	(void)state;
	node_run(4, until_rank, NULL);
}

static void frame_peek(void **state)
{
	(void)state;
	node_run(2, peek_rank, NULL);
}

/* A full way says so, counts it, and takes more when the other end has read. */
static void full_rank(struct shm *s, void *arg)
{
	struct node *n = node_new(s, 40);
	uint32_t *sent = shm_seg_job_rank(s->seg, 0);

	(void)arg;
	if (s->me == 0) {
		for (int misses = 0; misses < 1000;)
			misses += !send_next(n, 1);
		CHECK(s->count.put_again == 1000);
		*sent = n->out[1].n;
	}
	node_gate(s);
	while (s->me == 1 && n->got < *sent)
		shm_poll(s, frame_receive, n);
	node_gate(s);
	CHECK(s->me == 1 || send_next(n, 1));
	node_gate(s);
	while (s->me == 1 && n->got < *sent + 1)
		shm_poll(s, frame_receive, n);
	free(n);
}

static void frame_full(void **state)
{
	(void)state;
	node_run(2, full_rank, NULL);
}

/* No memory for rings: short frames still go through the inbox, long ones fail as promised. */
static void failing_rank(struct shm *s, void *arg)
{
	enum { FRAMES = 500 };
	struct node *n = node_new(s, 40);
	struct shm_hdr h = {.kind = 1};

	(void)arg;
	while (shm_heap_alloc(s, 64, 64) != 0)
		;
	if (s->me == 0)
		CHECK(shm_put(s, 1, &h, n->buf, 200) == SHM_NOMEM);
	while (s->me == 0 && n->out[1].n < FRAMES)
		send_next(n, 1);
	while (s->me == 1 && n->got < FRAMES)
		shm_poll(s, frame_receive, n);
	CHECK(s->count.rings == 0);
	free(n);
}

static void no_memory(void **state)
{
	const struct shm_opts opts = {.nranks = 2, .heap_len = 64};

	(void)state;
	node_run_opts(&opts, failing_rank, NULL);
}

static void frame_threads(void **state)
{
	struct plan plan = {.frames = 3000, .len_max = 4000};

	(void)state;
	node_run_threads(2, storm_rank, &plan);
	plan.frames = 500;
	node_run_threads(5, storm_rank, &plan);
}

/* shm_valid finds what no call does: positions, credit, cells, waits and free lists that are
 * wrong. */
static void valid(void **state)
{
	const struct shm_opts opts = {.nranks = 2};
	const struct shm_hdr h = {.kind = 1};
	struct shm_seg *seg;
	struct shm *s, *t;
	uint64_t off;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	assert_int_equal(shm_attach(seg, 0, &s), 0);
	assert_int_equal(shm_attach(seg, 1, &t), 0);
	for (uint32_t i = 0; i < 2 * SHM_PUTS; i++)
		assert_int_equal(shm_put(s, 1, &h, "frame", 5), 0);
	off = shm_heap_alloc(s, 100, CACHE_LINE);
	shm_heap_free(s, off, 100, CACHE_LINE);
	assert_true(shm_valid(s) && shm_valid(t));
	s->tx[1].head += s->slots;
	assert_false(shm_valid(s));
	s->tx[1].head -= s->slots;
	t->in->inbox_head += 2 * INBOX_CELLS;
	assert_false(shm_valid(t));
	t->in->inbox_head -= 2 * INBOX_CELLS;
	t->in->doorbell[1].sleeping = SLEEP_FUTEX;
	assert_false(shm_valid(t));
	t->in->doorbell[1].sleeping = SLEEP_NONE;
	memcpy(shm_ptr(s, off), &off, sizeof(off)); /* a free list that is a circle */
	assert_false(shm_valid(s));
	off = 0;
	seg->head->heap_free[2] = 0;
	assert_true(shm_valid(s) && shm_valid(t));
	shm_detach(t);
	shm_detach(s);
	shm_seg_close(seg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(storm_self),
		cmocka_unit_test(storm2),
		cmocka_unit_test(storm5),
		cmocka_unit_test(storm40),
		cmocka_unit_test(ahead),
		cmocka_unit_test(frame_peek),
		cmocka_unit_test(frame_until),
		cmocka_unit_test(frame_full),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(frame_threads),
		cmocka_unit_test(valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
