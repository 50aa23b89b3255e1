// SPDX-License-Identifier: BSD-3-Clause
/* hang_watch.c - the watch for jobs in which all ranks sleep, with made-up ranks and a made-up
 * clock: told once, whatever the machine does meanwhile, and never while a rank may still go
 * on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libmpi/boot/boot.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/rank_needs.h"

#define N       3
#define LIMIT   (4 * NS_PER_S)
#define BETWEEN (LIMIT / HANG_CHECKS)

static struct job job;
static struct rank_view seen[N];
static struct rank ranks[N];
static int entries[N];
static struct world world = {.n = N, .entry = entries};
static uint64_t now, began[N], slow; /* ns that a look takes */
static int told, called;

/* Functions that the watch needs from the rest of mpiexec. */
void out_say(const char *fmt, ...)
{
	(void)fmt;
	told++;
}

void job_report(struct job *j)
{
	(void)j;
	called++;
}

int64_t haft_setting_launch(enum haft_setting which, char *const envp[])
{
	(void)envp;
	return which == SETTING_HANG ? LIMIT / NS_PER_S : 0;
}

/* Rank r falls asleep now. */
static void sleeps(int r)
{
	began[r] = now;
	seen[r].sleep = now / 3 + 1; /* another host's clock */
	seen[r].view.asleep = true;
}

/* One look, for which a host's answer has been `late' ns on its way. */
static void watch_look(uint64_t late)
{
	now += BETWEEN;
	for (int r = 0; r < N; r++) {
		seen[r].view.still_ns = began[r] + late;
		seen[r].cpu_ns += seen[r].view.asleep ? BETWEEN / 1000 : 0;
	}
	job.seen_from_ns = now - slow;
	hang_check(&job, now);
}

static int watch_setup(void **state)
{
	(void)state;
	memset(seen, 0, sizeof(seen));
	now = 100 * NS_PER_S;
	slow = 0;
	job = (struct job){.seen = seen, .rank = ranks, .world = &world};
	hang_init(&job, now);
	job.n = N;
	told = called = 0;
	for (int r = 0; r < N; r++) {
		entries[r] = r;
		ranks[r] = (struct rank){.world = &world, .rank = r};
		seen[r].known = seen[r].alive = true;
		seen[r].state = BOOT_RUNNING;
		sleeps(r);
	}
	return 0;
}

static void is_told_once(void **state)
{
	(void)state;
	for (int i = 0; i < HANG_CHECKS - 1; i++)
		watch_look(0);
	assert_int_equal(told, 0);
	watch_look(0);
	assert_int_equal(told, 1);
	for (int i = 0; i < 20; i++)
		watch_look(0);
	assert_int_equal(told, 1);
	assert_int_equal(called, 1);
}

/* Ages that differ from look to look are no movement. */
static void answers_are_late(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		watch_look((uint64_t)(i * 7 % 5) * NS_PER_S / 50);
	assert_int_equal(told, 1);
}

/* At each look some rank naps, but not always this one. */
static void naps_end(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		for (int r = 0; r < N; r++)
			seen[r].runs = i % N == r;
		watch_look(0);
	}
	assert_int_equal(told, 1);
}

/* One has been woken and waits for a CPU, for ever. */
static void one_can_run(void **state)
{
	(void)state;
	seen[1].runs = true;
	for (int i = 0; i < 20; i++)
		watch_look(0);
	assert_int_equal(told, 0);
}

/* Rank 0 was idle, and is woken by rank 1, which then sleeps: all over again. */
static void idle_before_the_last_move(void **state)
{
	(void)state;
	watch_look(0);
	watch_look(0);
	sleeps(1);
	seen[0].runs = true;
	for (int i = 0; i < 20; i++)
		watch_look(0);
	assert_int_equal(told, 0);
}

static void moves_and_sleeps_again(void **state)
{
	(void)state;
	for (int i = 0; i < HANG_CHECKS; i++)
		watch_look(0);
	sleeps(2);
	for (int i = 0; i < HANG_CHECKS - 1; i++)
		watch_look(0);
	assert_int_equal(told, 1);
	watch_look(0);
	watch_look(0);
	assert_int_equal(told, 2);
}

/* A thread computes beside the one that sleeps: no hang; but then nor a new one. */
static void computes(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		seen[0].cpu_ns += BETWEEN / 20;
		watch_look(0);
	}
	assert_int_equal(told, 0);
	for (int i = 0; i < 20; i++) {
		seen[0].cpu_ns += i == 10 ? BETWEEN / 2 : 0;
		watch_look(0);
	}
	assert_int_equal(told, 1);
}

/* A host does not answer: nothing is known, and nothing forgotten. */
static void a_host_is_silent(void **state)
{
	(void)state;
	watch_look(0);
	watch_look(0);
	seen[1].known = false;
	for (int i = 0; i < 10; i++)
		watch_look(0);
	assert_int_equal(told, 0);
	seen[1].known = true;
	watch_look(0);
	assert_int_equal(told, 1);
}

/* Ranks that have left MPI do not count; if all have, there is no hang. */
static void watch_left(void **state)
{
	(void)state;
	seen[0].state = BOOT_DONE;
	seen[1].alive = false;
	for (int i = 0; i < 5; i++)
		watch_look(0);
	assert_int_equal(told, 1);
	watch_setup(state);
	for (int r = 0; r < N; r++)
		seen[r].state = BOOT_DONE;
	for (int i = 0; i < 20; i++)
		watch_look(0);
	assert_int_equal(told, 0);
}

static void looks(int n)
{
	for (int i = 0; i < n; i++)
		watch_look(0);
}

/* One outside of MPI that uses no CPU time, while the others sleep inside: told once a job. */
static void idle_outside(void **state)
{
	(void)state;
	seen[1].view.asleep = false;
	looks(HANG_CHECKS);
	assert_int_equal(told, 0);
	assert_int_equal(rank_away_ns(&job, 0), 0);
	looks(16);
	assert_int_equal(told, 1);
	assert_int_equal(called, 1);
	assert_true(rank_away_ns(&job, 1) >= LIMIT);
	seen[1].cpu_ns++;
	assert_int_equal(rank_away_ns(&job, 1), 0);
	looks(20);
	assert_int_equal(told, 1);
	sleeps(1);
	looks(20);
	assert_int_equal(told, 2);
}

/* It uses next to nothing, or is found able to run, each time before the limit: it lives. */
static void alive_outside(void **state)
{
	(void)state;
	seen[1].view.asleep = false;
	for (int i = 0; i < 20; i++) {
		seen[1].cpu_ns += i % HANG_CHECKS == 0;
		watch_look(0);
	}
	assert_int_equal(told, 0);
	for (int i = 0; i < 20; i++) {
		seen[1].runs = i % HANG_CHECKS == 0;
		watch_look(0);
	}
	assert_int_equal(told, 0);
}

/* Time that a look takes is not time that a rank has been idle. */
static void looks_slowly(void **state)
{
	(void)state;
	seen[1].view.asleep = false;
	slow = LIMIT;
	looks(2 * HANG_CHECKS);
	assert_int_equal(told, 0);
	looks(2);
	assert_int_equal(told, 1);
}

/* No rank waits in MPI: no hang. */
static void all_outside(void **state)
{
	(void)state;
	for (int r = 0; r < N; r++)
		seen[r].view.asleep = false;
	looks(20);
	assert_int_equal(told, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(is_told_once, watch_setup),
		cmocka_unit_test_setup(answers_are_late, watch_setup),
		cmocka_unit_test_setup(naps_end, watch_setup),
		cmocka_unit_test_setup(one_can_run, watch_setup),
		cmocka_unit_test_setup(idle_before_the_last_move, watch_setup),
		cmocka_unit_test_setup(moves_and_sleeps_again, watch_setup),
		cmocka_unit_test_setup(computes, watch_setup),
		cmocka_unit_test_setup(a_host_is_silent, watch_setup),
		cmocka_unit_test_setup(watch_left, watch_setup),
		cmocka_unit_test_setup(idle_outside, watch_setup),
		cmocka_unit_test_setup(alive_outside, watch_setup),
		cmocka_unit_test_setup(looks_slowly, watch_setup),
		cmocka_unit_test_setup(all_outside, watch_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
