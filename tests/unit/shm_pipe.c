// SPDX-License-Identifier: BSD-3-Clause
/* shm_pipe.c - chunks arrive whole and in order, also when few pipes serve many peers in turn. */
#include <string.h>
#include "tests/unit/shm_node.h"
#include "libshm/shm_inner.h"

static void pipe_nothing(void *arg, const struct shm_frame *f)
{
	(void)arg;
	CHECK(f->len == 0);
}

struct flow {
	uint64_t seed;
	size_t left, used; /* bytes to go; of the chunk at hand */
};

/* One chunk with as much as fits; 1 if something moved. */
static int produce(struct shm *s, int dst, struct flow *f)
{
	void *ptr;
	size_t cap, len;
	uint8_t *p;
	int e = shm_pipe_acquire(s, dst, &ptr, &cap);

	CHECK(e == 0 || e == SHM_AGAIN);
	if (e != 0)
		return 0;
	len = f->left < cap ? f->left : cap - node_random(&f->seed) % (cap / 2);
	p = ptr;
	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)((f->left - i) * 7);
	shm_pipe_publish(s, dst, len);
	f->left -= len;
	return 1;
}

static int consume(struct shm *s, int src, struct flow *f)
{
	const void *ptr;
	const uint8_t *p;
	size_t len;

	if (shm_pipe_front(s, src, &ptr, &len) != 0)
		return 0;
	CHECK(len > 0 && len <= f->left);
	p = ptr;
	for (size_t i = 0; i < len; i++)
		CHECK(p[i] == (uint8_t)((f->left - i) * 7));
	shm_pipe_release(s, src);
	f->left -= len;
	return 1;
}

/* In step k every rank sends to me + k and receives from me - k. */
static void shift_rank(struct shm *s, void *arg)
{
	size_t bytes = *(size_t *)arg;
	struct shm_wait w;

	for (int k = 1; k < 2 * s->nranks; k++) {
		int dst = (s->me + k) % s->nranks;
		int src = (s->me + 2 * s->nranks - k) % s->nranks;
		struct flow out = {.seed = 1, .left = bytes}, in = {.left = bytes};

		shm_wait_begin(&w);
		while (out.left > 0 || in.left > 0) {
			int moved = shm_poll(s, pipe_nothing, NULL);

			if (out.left > 0)
				moved += produce(s, dst, &out);
			if (in.left > 0)
				moved += consume(s, src, &in);
			if (moved > 0)
				shm_wait_again(&w);
			else
				CHECK(shm_idle(s, &w) == 0);
		}
		shm_wait_end(s, &w);
	}
	CHECK(s->count.pipes <= (uint64_t)s->in->pipe_max);
}

static void shift2(void **state)
{
	size_t bytes = MEAN_OR(20000, 3000000);

	(void)state;
	node_run(2, shift_rank, &bytes);
}

static void shift6(void **state)
{
	size_t bytes = MEAN_OR(2000, 300000);

	(void)state;
	node_run(6, shift_rank, &bytes);
}

/* Chunks so large that a rank may have four pipes only: they move from peer to peer. */
static void moving(void **state)
{
	const struct shm_opts opts = {.nranks = 8, .chunk_len = MEAN_OR(256, 4 << 20)};
	size_t bytes = MEAN_OR(700, 100000);

	(void)state;
	node_run_opts(&opts, shift_rank, &bytes);
}

/* Ranks 1 .. pipe_max read nothing, and have died: their pipes serve the others. */
static void deserted_rank(struct shm *s, void *arg)
{
	int dead = s->in->pipe_max, last = s->nranks - 1;
	struct flow f = {.seed = 1, .left = 1000};
	void *ptr;
	size_t cap;

	(void)arg;
	CHECK(dead < last);
	for (int i = 1; s->me == 0 && i <= dead; i++) {
		CHECK(shm_pipe_acquire(s, i, &ptr, &cap) == 0);
		shm_pipe_publish(s, i, 1);
	}
	if (s->me == 0) {
		CHECK(shm_pipe_acquire(s, last, &ptr, &cap) == SHM_AGAIN);
		for (int i = 1; i <= dead; i++)
			shm_pipe_abandon(s, i);
		shm_pipe_abandon(s, last); /* it has none: nothing */
		while (f.left > 0)
			if (produce(s, last, &f) == 0)
				usleep(100);
	}
	while (s->me == last && f.left > 0)
		if (shm_poll(s, pipe_nothing, NULL) + consume(s, 0, &f) == 0)
			usleep(100);
}

static void deserted(void **state)
{
	const struct shm_opts opts = {.nranks = 8, .chunk_len = MEAN_OR(256, 4 << 20)};

	(void)state;
	node_run_opts(&opts, deserted_rank, NULL);
}

/* Without memory: an error, not a wait. */
static void failing_rank(struct shm *s, void *arg)
{
	void *ptr;
	size_t cap;

	(void)arg;
	if (s->me == 0)
		CHECK(shm_pipe_acquire(s, 1, &ptr, &cap) == SHM_NOMEM);
	else
		CHECK(shm_pipe_front(s, 0, (const void **)&ptr, &cap) == SHM_AGAIN);
}

static void no_memory(void **state)
{
	const struct shm_opts opts = {.nranks = 2, .heap_len = 64};

	(void)state;
	node_run_opts(&opts, failing_rank, NULL);
}

static void pipe_threads(void **state)
{
	size_t bytes = 20000;

	(void)state;
	node_run_threads(3, shift_rank, &bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shift2),
		cmocka_unit_test(shift6),
		cmocka_unit_test(moving),
		cmocka_unit_test(deserted),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(pipe_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
