// SPDX-License-Identifier: BSD-3-Clause
/* settings.c - each setting of the waiting and of the ways between processes has its effect.
 *
 * A child for each case: it sets the environment, starts MPI as a job of one, and looks at what
 * libshm counts while it sends to itself or waits for nothing. */
#include "libmpi/core/setting.h"
#include "libmpi/via/via.h"
#include "tests/unit/shm_node.h"

#include <mpi.h>

enum { TRIES = 1000 }; /* more looks and yields than any setting here */

static const struct shm_hdr hdr = {.kind = 1};

/* Runs `body' in a process where `name' is `value'. */
static void setting_with(const char *name, const char *value, void (*body)(void))
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(NODE_SECONDS);
		unsetenv("HAFT_JOB");
		CHECK(setenv(name, value, 1) == 0);
		CHECK(MPI_Init(NULL, NULL) == MPI_SUCCESS);
		memset(&via.shm->count, 0, sizeof(via.shm->count));
		body();
		_exit(0);
	}
	node_join(pid);
}

static void setting_take(void *arg, const struct shm_frame *f)
{
	(void)f;
	++*(int *)arg;
}

/* One frame to myself, and back out. */
static void send_one(void)
{
	int n = 0;

	CHECK(shm_put(via.shm, 0, &hdr, "", 1) == 0);
	while (n == 0)
		shm_poll(via.shm, setting_take, &n);
}

/* So many empty passes of one wait. */
static void wait_passes(struct shm_wait *w, int n)
{
	for (int i = 0; i < n; i++)
		CHECK(shm_idle(via.shm, w) == 0);
}

static void table(void)
{
	CHECK(haft_setting_get(SETTING_RING_AFTER) == SHM_PUTS);
	CHECK(haft_setting_get(SETTING_PIPE_CHUNK) == SHM_CHUNK);
	CHECK(haft_setting_get(SETTING_SPIN) == SHM_SPINS);
	CHECK(haft_setting_get(SETTING_YIELD) == SHM_YIELDS);
	CHECK(haft_setting_get(SETTING_SLEEP) == SHM_SLEEP_AUTO);
	CHECK(haft_setting_get(SETTING_MOVE) == 0);
}

/* The table's defaults are libshm's. */
static void defaults(void **state)
{
	(void)state;
	setting_with("HAFT_EAGER", "", table);
}

static void ring_at_once(void)
{
	send_one();
	CHECK(via.shm->count.rings == 1);
}

static void ring_late(void)
{
	for (int i = 0; i < 10; i++)
		send_one();
	CHECK(via.shm->count.rings == 0 && via.shm->count.put_inbox == 10);
	send_one();
	CHECK(via.shm->count.rings == 1 && via.shm->count.put_inbox == 10);
}

static void setting_ring(void **state)
{
	(void)state;
	setting_with("HAFT_RING_AFTER", "0", ring_at_once);
	setting_with("HAFT_RING_AFTER", "10", ring_late);
}

static void chunk_is(size_t want)
{
	size_t cap = 0;
	void *p;

	CHECK(shm_pipe_acquire(via.shm, 0, &p, &cap) == 0);
	CHECK(cap == want);
}

static void chunk_small(void)
{
	chunk_is(320);
}

static void chunk_large(void)
{
	chunk_is(4 << 20);
}

static void chunk_normal(void)
{
	chunk_is(SHM_CHUNK);
}

static void chunk(void **state)
{
	(void)state;
	setting_with("HAFT_PIPE_CHUNK", "320", chunk_small);
	setting_with("HAFT_PIPE_CHUNK", "4M", chunk_large);
	setting_with("HAFT_PIPE_CHUNK", "300", chunk_normal);
	setting_with("HAFT_PIPE_CHUNK", "17M", chunk_normal);
}

static void slots_four(void)
{
	CHECK(via.shm->slots == 4);
}

static void slots_many(void)
{
	CHECK(via.shm->slots == 1024);
}

static void slots_normal(void)
{
	CHECK(via.shm->slots == SHM_SLOTS);
}

static void slots(void **state)
{
	(void)state;
	setting_with("HAFT_RING_SLOTS", "4", slots_four);
	setting_with("HAFT_RING_SLOTS", "1024", slots_many);
	setting_with("HAFT_RING_SLOTS", "48", slots_normal);
	setting_with("HAFT_RING_SLOTS", "8192", slots_normal);
}

/* So many chunks can be on their way. */
static void chunks_are(int want)
{
	size_t cap;
	void *p;

	for (int i = 0; i < want; i++) {
		CHECK(shm_pipe_acquire(via.shm, 0, &p, &cap) == 0);
		shm_pipe_publish(via.shm, 0, 1);
	}
	CHECK(shm_pipe_acquire(via.shm, 0, &p, &cap) == SHM_AGAIN);
}

static void chunks_two(void)
{
	chunks_are(2);
}

static void chunks_eight(void)
{
	chunks_are(8);
}

static void chunks_normal(void)
{
	chunks_are(SHM_CHUNKS);
}

static void chunks(void **state)
{
	(void)state;
	setting_with("HAFT_PIPE_CHUNKS", "2", chunks_two);
	setting_with("HAFT_PIPE_CHUNKS", "8", chunks_eight);
	setting_with("HAFT_PIPE_CHUNKS", "3", chunks_normal);
}

static void spin_seven(void)
{
	struct shm_wait w;

	shm_wait_begin(&w);
	wait_passes(&w, 7);
	CHECK(via.shm->count.spins == 7 && via.shm->count.yields == 0);
	wait_passes(&w, 1);
	CHECK(via.shm->count.spins == 7 && via.shm->count.yields == 1);
	shm_wait_end(via.shm, &w);
}

static void setting_spin(void **state)
{
	(void)state;
	setting_with("HAFT_SPIN", "7", spin_seven);
}

/* If another process kept the CPU for a slice after a yield, there are fewer of them for a time:
 * then the wait is repeated. */
static void yield_three(void)
{
	uint64_t slow = 0;

	do {
		struct shm_wait w;

		memset(&via.shm->count, 0, sizeof(via.shm->count));
		shm_wait_begin(&w);
		for (int i = 0; i < SHM_SPINS + TRIES && via.shm->count.sleeps == 0; i++)
			wait_passes(&w, 1);
		CHECK(via.shm->count.sleeps == 1 && via.shm->count.yields <= 3);
		slow += via.shm->count.yields_slow;
		shm_wait_end(via.shm, &w);
	} while (via.shm->count.yields < 3 && slow > 0);
	CHECK(via.shm->count.yields == 3);
}

static void yield_none(void)
{
	struct shm_wait w;

	shm_wait_begin(&w);
	wait_passes(&w, SHM_SPINS + 1);
	CHECK(via.shm->count.sleeps == 1 && via.shm->count.yields == 0);
	shm_wait_end(via.shm, &w);
}

static void yield(void **state)
{
	(void)state;
	setting_with("HAFT_YIELD", "3", yield_three);
	setting_with("HAFT_YIELD", "0", yield_none);
}

static void sleep_always(void)
{
	struct shm_wait w;

	shm_wait_begin(&w);
	wait_passes(&w, 1);
	CHECK(via.shm->count.sleeps == 1);
	CHECK(via.shm->count.spins == 0 && via.shm->count.yields == 0);
	shm_wait_end(via.shm, &w);
}

/* A rank that never sleeps is seen waiting all the same. */
static void sleep_never(void)
{
	struct shm_view v;
	struct shm_wait w;

	shm_wait_begin(&w);
	wait_passes(&w, SHM_SPINS + TRIES);
	CHECK(via.shm->count.sleeps == 0);
	CHECK(via.shm->count.yields == TRIES);
	shm_seg_view(via.shm->seg, 0, &v);
	CHECK(v.asleep);
	shm_wait_end(via.shm, &w);
	shm_seg_view(via.shm->seg, 0, &v);
	CHECK(!v.asleep);
}

static void sleeping(void **state)
{
	(void)state;
	setting_with("HAFT_SLEEP", "always", sleep_always);
	setting_with("HAFT_SLEEP", "never", sleep_never);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(setting_ring),
		cmocka_unit_test(chunk),
		cmocka_unit_test(chunks),
		cmocka_unit_test(slots),
		cmocka_unit_test(setting_spin),
		cmocka_unit_test(yield),
		cmocka_unit_test(sleeping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
