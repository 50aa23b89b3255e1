// SPDX-License-Identifier: BSD-3-Clause
/* shm_spread.c - a rank moves to a CPU with fewer ranks, within its mask, and is free to go. */
#include <sched.h>
#include <string.h>
#include "libshm/shm_inner.h"
#include "libshm/ticks.h"
#include "tests/unit/shm_node.h"

#define LATER_NS 1000000u /* then a rank looks again, and another may move */

/* The mask that the test was started with. */
static cpu_set_t all;

static struct seg_spread *spread(const struct shm *s)
{
	return seg_at(s->seg, s->seg->head->spread);
}

static uint32_t ranks_at(const struct shm *s, int cpu)
{
	return atomic_load(&spread(s)->ranks[cpu]);
}

/* CPU number i of the mask; -1: it has fewer. */
static int cpu_number(int i)
{
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && i-- == 0)
			return (int)cpu;
	return -1;
}

static void bind_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
}

/* The rank is on `cpu', and may leave it. */
static void begin_at(struct shm *s, int cpu)
{
	bind_to(cpu);
	CHECK(sched_setaffinity(0, sizeof(all), &all) == 0);
	shm_spread_update(s);
}

static void mask_is(const cpu_set_t *want)
{
	cpu_set_t now;

	CHECK(sched_getaffinity(0, sizeof(now), &now) == 0);
	CHECK(CPU_EQUAL(&now, want));
}

/* A rank is counted on the CPU that it was last seen on, and nowhere once it has left. */
static void counted_rank(struct shm *s, void *arg)
{
	int first = cpu_number(0), second = cpu_number(1);

	(void)arg;
	bind_to(first);
	shm_spread_update(s);
	CHECK(ranks_at(s, first) == 1 && ranks_at(s, second) == 0);
	bind_to(second);
	shm_spread_update(s);
	CHECK(ranks_at(s, first) == 0 && ranks_at(s, second) == 1);
	shm_spread_leave(s);
	shm_spread_leave(s);
	CHECK(ranks_at(s, first) == 0 && ranks_at(s, second) == 0);
}

static void spread_counted(void **state)
{
	(void)state;
	node_run(1, counted_rank, NULL);
}

/* A rank whose process has ended is counted until the launcher closes its seat. */
static void killed_rank(struct shm *s, void *arg)
{
	(void)arg;
	bind_to(cpu_number(0));
	shm_spread_update(s);
	_exit(0);
}

static void killed(void **state)
{
	const struct shm_opts opts = {.nranks = 2};
	struct shm_seg *seg;
	struct seg_spread *p;
	pid_t pid;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	node_start(seg, 1, killed_rank, NULL, &pid);
	node_join(pid);
	p = seg_at(seg, seg->head->spread);
	assert_int_equal(atomic_load(&p->ranks[cpu_number(0)]), 1);
	shm_seat_close(seg, 1);
	assert_int_equal(atomic_load(&p->ranks[cpu_number(0)]), 0);
	shm_seg_close(seg);
}

/* Two more ranks on this CPU than on another: the rank moves, and its mask is as it was. */
static void moving_rank(struct shm *s, void *arg)
{
	int first = cpu_number(0);
	uint64_t now = shm_os_now();

	(void)arg;
	begin_at(s, first);
	atomic_fetch_add(&spread(s)->ranks[first], 2);
	shm_spread_check(s, now);
	CHECK(s->count.moves == 1);
	mask_is(&all);
	begin_at(s, first);
	shm_spread_check(s, now + 1);
	CHECK(s->count.moves == 1);
	shm_spread_check(s, now + LATER_NS);
	CHECK(s->count.moves == 2);
	mask_is(&all);
	atomic_fetch_sub(&spread(s)->ranks[first], 2);
}

static void moving(void **state)
{
	(void)state;
	node_run(1, moving_rank, NULL);
}

/* Nothing moves: one rank more, a mask of one CPU, or the setting. */
static void staying_rank(struct shm *s, void *arg)
{
	const struct shm_tune stay = {.puts = SHM_PUTS, .stay = true};
	int first = cpu_number(0);
	uint64_t now = shm_os_now();
	cpu_set_t one;

	(void)arg;
	begin_at(s, first);
	for (int i = 1; i < CPU_COUNT(&all); i++)
		atomic_store(&spread(s)->ranks[cpu_number(i)], 1);
	atomic_fetch_add(&spread(s)->ranks[first], 1);
	shm_spread_check(s, now);
	atomic_fetch_add(&spread(s)->ranks[first], 5);
	bind_to(first);
	CHECK(sched_getaffinity(0, sizeof(one), &one) == 0);
	shm_spread_check(s, now + LATER_NS);
	mask_is(&one);
	begin_at(s, first);
	shm_tune_set(s, &stay);
	shm_spread_check(s, now + 2 * (uint64_t)LATER_NS);
	CHECK(s->count.moves == 0);
}

static void staying(void **state)
{
	(void)state;
	node_run(1, staying_rank, NULL);
}

/* The rank is counted on `cpu', and its mask has all. */
static void count_at(struct shm *s, int cpu)
{
	bind_to(cpu);
	shm_spread_update(s);
	CHECK(sched_setaffinity(0, sizeof(all), &all) == 0);
}

/* A rank that was woken elsewhere goes back.  If its mask has that CPU no longer, it does not, and
 * another rank may move at once. */
static void back_rank(struct shm *s, void *arg)
{
	int first = cpu_number(0), second = cpu_number(1);
	struct seg_spread *p = spread(s);

	(void)arg;
	count_at(s, first);
	atomic_fetch_add(&p->ranks[first], 2);
	bind_to(first);
	shm_spread_move_back(s, second);
	CHECK(s->count.moves == 0 && atomic_load(&p->next_ns) == 0);
	count_at(s, first);
	shm_spread_move_back(s, second);
	CHECK(s->count.moves == 1 && atomic_load(&p->next_ns) != 0);
	mask_is(&all);
	count_at(s, first);
	atomic_store(&p->next_ns, UINT64_MAX); /* another rank has moved just before */
	shm_spread_move_back(s, second);
	CHECK(s->count.moves == 1);
}

static void going_back(void **state)
{
	(void)state;
	node_run(1, back_rank, NULL);
}

static void yield_some(struct shm *s)
{
	const double seconds = 0.5;
	double end = node_now(CLOCK_MONOTONIC) + seconds;
	struct shm_wait w;

	shm_wait_begin(&w);
	while (node_now(CLOCK_MONOTONIC) < end) {
		CHECK(shm_idle(s, &w) == 0);
		if (w.slow > 0)
			shm_wait_again(&w);
	}
	shm_wait_end(s, &w);
}

/* Four ranks that wait, all on one CPU at first, end on more than one. */
static void spreading_rank(struct shm *s, void *arg)
{
	const struct shm_tune yields = {.puts = SHM_PUTS, .yields = UINT32_MAX / 2};

	(void)arg;
	shm_tune_set(s, &yields);
	begin_at(s, cpu_number(0));
	yield_some(s);
	CHECK(ranks_at(s, cpu_number(0)) < 4);
	mask_is(&all);
}

static void spreading(void **state)
{
	(void)state;
	node_run(4, spreading_rank, NULL);
}

/* For how long no rank had a CPU: since the last one of them gave it up, told by one that ran there
 * before and after. */
static void unused_rank(struct shm *s, void *arg)
{
	struct spread_cpu *first, *second;

	(void)arg;
	bind_to(cpu_number(0));
	shm_spread_update(s);
	first = s->in->cpu;
	shm_spread_off_cpu(s, 1000);
	shm_spread_off_cpu(s, 1500);
	CHECK(atomic_load(&first->waiting) == 1);
	CHECK(shm_spread_on_cpu(s, 1700) == 200 && atomic_load(&first->waiting) == 0);
	CHECK(shm_spread_on_cpu(s, 1800) == 0); /* it had not given it up */
	shm_spread_off_cpu(s, 2000);
	CHECK(shm_spread_on_cpu(s, 1999) == 0); /* another clock */
	CHECK(shm_spread_others_wait(s));
	atomic_fetch_add(&spread(s)->ranks[cpu_number(1)], 1); /* a rank that computes */
	CHECK(!shm_spread_others_wait(s));
	atomic_fetch_add(&spread(s)->cpu[cpu_number(1)].waiting, 1);
	CHECK(shm_spread_others_wait(s));
	atomic_fetch_sub(&spread(s)->cpu[cpu_number(1)].waiting, 1);
	atomic_fetch_sub(&spread(s)->ranks[cpu_number(1)], 1);
	shm_spread_off_cpu(s, 3000);
	bind_to(cpu_number(1));
	CHECK(shm_spread_on_cpu(s, 4000) == 0);
	second = s->in->cpu;
	CHECK(second != first && atomic_load(&first->off_since) == 3000);
	CHECK(atomic_load(&first->waiting) == 0 && atomic_load(&second->waiting) == 0);
	shm_spread_leave(s);
	CHECK(s->in->cpu != first && s->in->cpu != second);
}

static void unused(void **state)
{
	(void)state;
	node_run(1, unused_rank, NULL);
}

/* A wait that yields only from `again' on, until it has slept once: so many yields. */
static uint64_t yields_of_wait(struct shm *s, uint64_t again)
{
	uint64_t before = s->count.yields, slept = s->count.sleeps;
	struct shm_wait w;

	shm_spread_update(s); /* a sleep that nothing ended: it was counted nowhere */
	atomic_store(&s->in->cpu->yield_again, again);
	shm_wait_begin(&w);
	while (s->count.sleeps == slept)
		CHECK(shm_idle(s, &w) == 0);
	shm_wait_end(s, &w);
	return s->count.yields - before;
}

/* No rank yields on a CPU that a yield has lost, for a time that ends, whatever a clock has said.
 * Whether there are more ranks than CPUs does not matter. */
static void losing_rank(struct shm *s, void *arg)
{
	const struct shm_tune yields = {.puts = SHM_PUTS, .yields = 3};
	const uint64_t never = UINT64_MAX / 4;

	(void)arg;
	bind_to(cpu_number(0));
	shm_tune_set(s, &yields);
	for (int many = 0; many < 2; many++) {
		s->in->oversubscribed = many != 0;
		CHECK(yields_of_wait(s, 0) > 0);
		CHECK(yields_of_wait(s, shm_ticks() + 1000000000) == 0);
		CHECK(yields_of_wait(s, shm_ticks() - 1) > 0);
		CHECK(yields_of_wait(s, shm_ticks() + never) > 0);
	}
}

static void losing(void **state)
{
	(void)state;
	node_run(1, losing_rank, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread_counted),
		cmocka_unit_test(killed),
		cmocka_unit_test(moving),
		cmocka_unit_test(staying),
		cmocka_unit_test(going_back),
		cmocka_unit_test(spreading),
		cmocka_unit_test(unused),
		cmocka_unit_test(losing),
	};

	if (sched_getaffinity(0, sizeof(all), &all) != 0 || cpu_number(1) < 0) {
		printf("there is one CPU\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
