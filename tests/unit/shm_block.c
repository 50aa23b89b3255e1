// SPDX-License-Identifier: BSD-3-Clause
/* shm_block.c - groups find their block without a message, use its lines and buffers, and leave. */
#include <string.h>
#include "tests/unit/shm_node.h"

/* A barrier and sum by lines: every rank publishes one and reads all. */
static uint64_t sum_by_lines(struct shm_block *b, uint64_t mine)
{
	uint32_t seq = (uint32_t)++b->generation;
	struct shm_line *l = shm_block_line(b, b->me, (int)(seq % 2));
	uint64_t sum = 0, v;

	memcpy(l->data, &mine, sizeof(mine));
	shm_flag_set(b->s, &l->flag, seq);
	for (int i = 0; i < b->n; i++) {
		l = shm_block_line(b, i, (int)(seq % 2));
		CHECK(shm_flag_wait(b->s, &l->flag, seq, SHM_FLAG_LATER, NULL, NULL, NULL) == 0);
		memcpy(&v, l->data, sizeof(v));
		sum += v;
	}
	return sum;
}

/* A sum by the counter: the last rank adds up and releases all. */
static uint64_t sum_by_count(struct shm_block *b, uint64_t mine)
{
	uint32_t seq = (uint32_t)++b->generation;
	struct shm_line *out = shm_block_out(b, seq);
	uint64_t sum = 0, v;

	memcpy(shm_block_line(b, b->me, (int)(seq % 2))->data, &mine, sizeof(mine));
	if (shm_block_arrive(b, 1) == (uint64_t)b->n) {
		shm_block_arrive_again(b);
		for (int i = 0; i < b->n; i++) {
			memcpy(&v, shm_block_line(b, i, (int)(seq % 2))->data, sizeof(v));
			sum += v;
		}
		memcpy(out->data, &sum, sizeof(sum));
		shm_flag_set(b->s, &out->flag, seq);
	}
	CHECK(shm_flag_wait(b->s, &out->flag, seq, SHM_FLAG_LATER, NULL, NULL, NULL) == 0);
	memcpy(&sum, out->data, sizeof(sum));
	return sum;
}

static void sums_rank(struct shm *s, void *arg)
{
	enum { KEYS = 50, ROUNDS = 40 };
	uint64_t n = (uint64_t)s->nranks;
	struct shm_block *b;

	(void)arg;
	for (uint64_t key = 1; key <= KEYS; key++) {
		CHECK(shm_block_join(s, key << 32, s->nranks, s->me, &b) == 0);
		for (uint64_t i = 0; i < ROUNDS; i++) {
			CHECK(sum_by_lines(b, (uint64_t)s->me + i) == n * (n - 1) / 2 + n * i);
		}
		shm_block_leave(b);
		CHECK(shm_block_join(s, key, s->nranks, s->nranks - 1 - s->me, &b) == 0);
		for (uint64_t i = 0; i < ROUNDS; i++)
			CHECK(sum_by_count(b, (uint64_t)s->me + i) == n * (n - 1) / 2 + n * i);
		shm_block_leave(b);
	}
}

static void block_sums(void **state)
{
	(void)state;
	node_run(2, sums_rank, NULL);
	node_run(7, sums_rank, NULL);
}

/* Buffers grow, and the others read them after the flag that tells. */
static void buffers_rank(struct shm *s, void *arg)
{
	struct shm_block *b;

	(void)arg;
	CHECK(shm_block_join(s, 9, s->nranks, s->me, &b) == 0);
	for (size_t len = 100; len < 3000000; len *= 3) {
		unsigned char *p = shm_block_buf_own(b, len);

		CHECK(p != NULL && (uintptr_t)p % 4096 == 0);
		memset(p, (int)(len + (size_t)s->me), len);
		sum_by_lines(b, 0);
		for (int i = 0; i < s->nranks; i++) {
			const unsigned char *q = shm_block_buf(b, i);

			CHECK(q != NULL && q[0] == (unsigned char)(len + (size_t)i));
			CHECK(q[len - 1] == q[0]);
		}
		sum_by_lines(b, 0);
	}
	shm_block_leave(b);
}

static void block_buffers(void **state)
{
	(void)state;
	node_run(4, buffers_rank, NULL);
}

/* Many blocks live at once, more than there are chains; a wrong size is refused. */
static void many_rank(struct shm *s, void *arg)
{
	enum { KEYS = 2000 };
	static struct shm_block *b[KEYS];
	struct shm_block *bad;

	(void)arg;
	for (uint64_t i = 0; i < KEYS; i++)
		CHECK(shm_block_join(s, i * 256 + 1, s->nranks, s->me, &b[i]) == 0);
	CHECK(shm_block_join(s, 1, s->nranks + 1, s->me, &bad) == SHM_BAD);
	for (int i = 0; i < KEYS; i++)
		CHECK(sum_by_lines(b[i], 1) == (uint64_t)s->nranks);
	for (int i = KEYS - 1; i >= 0; i--)
		shm_block_leave(b[(i * 7) % KEYS]);
}

static void block_many(void **state)
{
	(void)state;
	node_run(3, many_rank, NULL);
}

static void block_threads(void **state)
{
	(void)state;
	node_run_threads(3, sums_rank, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block_sums),
		cmocka_unit_test(block_buffers),
		cmocka_unit_test(block_many),
		cmocka_unit_test(block_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
