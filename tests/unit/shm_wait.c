// SPDX-License-Identifier: BSD-3-Clause
/* shm_wait.c - sleeping costs next to nothing, is seen from outside, and ends when it should. */
#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "libshm/shm_inner.h"
#include "tests/unit/shm_node.h"

static void wait_take(void *arg, const struct shm_frame *f)
{
	(void)f;
	++*(int *)arg;
}

static void wait_tell(const struct shm_describer *t, void *description)
{
	char *p = description;

	(void)t;
	for (int i = 0; i < SHM_DESCRIPTION_LEN; i++)
		CHECK(p[i] == 0);
	for (int i = 0; i < SHM_DESCRIPTION_LEN; i++)
		p[i] = (char)(i + 1);
}

static void wait_frame(struct shm *s)
{
	const struct shm_describer describer = {wait_tell};
	struct shm_wait w;
	int got = 0;

	shm_wait_begin(&w);
	w.describer = &describer;
	while (shm_poll(s, wait_take, &got), got == 0)
		CHECK(shm_idle(s, &w) == 0);
	shm_wait_end(s, &w);
}

static void put_frame(struct shm *s, int dst)
{
	const struct shm_hdr h = {.kind = 1};

	CHECK(shm_put(s, dst, &h, &h, sizeof(h)) == 0);
}

static void wait_nap(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};

	nanosleep(&t, NULL);
}

/* Waits until rank `r' sleeps. */
static void until_asleep(struct shm *s, int r)
{
	struct shm_view v;

	for (shm_seg_view(s->seg, r, &v); !v.asleep; shm_seg_view(s->seg, r, &v))
		wait_nap(0.001);
}

/* Rank 1 waits for 2 seconds, and uses little of the CPU: it sleeps nearly all of the time.  (1 %
 * was measured, of a CPU that others do not slow down.) */
static void idle_rank(struct shm *s, void *arg)
{
	double cpu = node_now(CLOCK_PROCESS_CPUTIME_ID), real = node_now(CLOCK_MONOTONIC);

	(void)arg;
	if (s->me == 0) {
		until_asleep(s, 1);
		wait_nap(2);
		put_frame(s, 1);
		return;
	}
	wait_frame(s);
	cpu = node_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	real = node_now(CLOCK_MONOTONIC) - real;
	CHECK(real >= 2);
	CHECK(cpu < real / 10);
	CHECK(s->count.sleeps > 0 && (double)s->count.sleeps < 20 + 20 * real);
}

static void idle_cheap(void **state)
{
	(void)state;
	node_run(2, idle_rank, NULL);
}

/* Many ranks on a CPU wait for 1.5 seconds: their naps are so much longer that few of them end. */
static void oversubscribed_rank(struct shm *s, void *arg)
{
	enum { SHORT_NAPS = 31, LONG_NAPS = 9 }; /* in this time: of two ranks, of 32 */

	(void)arg;
	if (s->me > 0) {
		wait_frame(s);
		CHECK(s->count.naps < (SHORT_NAPS + LONG_NAPS) / 2);
		return;
	}
	for (int r = 1; r < s->nranks; r++)
		until_asleep(s, r);
	wait_nap(1.5);
	for (int r = 1; r < s->nranks; r++)
		put_frame(s, r);
}

static void oversubscribed_naps(void **state)
{
	const struct shm_opts opts = {.nranks = 32, .ncpus = 1};

	(void)state;
	node_run_opts(&opts, oversubscribed_rank, NULL);
}

static void observe_nothing(struct shm_wait *w)
{
	(void)w;
}

/* One frame there and one back, `rounds' times; the waits for them begin with an unrecorded yield
 * if they may.  Returns how many did. */
static int exchange(struct shm *s, int rounds)
{
	int unrecorded = 0, got;

	for (int i = 0; i < rounds; i++) {
		if (s->me == 0)
			put_frame(s, 1);
		got = 0;
		if (shm_poll(s, wait_take, &got) == 0 && shm_may_yield_unrecorded(s)) {
			CHECK(shm_yield_unrecorded(s) <= 1);
			unrecorded++;
			shm_poll(s, wait_take, &got);
		}
		if (got == 0)
			wait_frame(s);
		if (s->me == 1)
			put_frame(s, 0);
	}
	return unrecorded;
}

/* Two ranks of one CPU: slow yields end their waits, so some begin with an unrecorded one.  None
 * does with an observer, nor after other settings. */
static void unrecorded_rank(struct shm *s, void *arg)
{
	static const struct shm_wait_observer nothing = {
		observe_nothing, observe_nothing, observe_nothing};
	const struct shm_tune tune = s->in->tune;
	cpu_set_t one;
	int cpu = *(const int *)arg;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
	CHECK(!shm_may_yield_unrecorded(s));
	CHECK(exchange(s, 2000) > 0);
	CHECK(s->count.yields_slow > 0 && s->count.yields_slow <= s->count.yields);
	shm_wait_observe(s, &nothing);
	CHECK(exchange(s, 100) == 0);
	shm_wait_observe(s, NULL);
	exchange(s, 500);
	shm_tune_set(s, &tune);
	CHECK(!shm_may_yield_unrecorded(s));
}

static void unrecorded_yields(void **state)
{
	const struct shm_opts opts = {.nranks = 2, .ncpus = 1};
	int cpu = sched_getcpu();

	(void)state;
	node_run_opts(&opts, unrecorded_rank, &cpu);
}

/* Of a rank of idle_cpu: waits so far, and the most slow yields of one. */
struct idle_waits {
	_Atomic uint64_t n, slow_most;
};

static void idle_cpu_ring(struct shm *s, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		for (int r = 0; r < 2; r++) {
			struct idle_waits *x = shm_seg_job_rank(s->seg, r);

			while (atomic_load(&x->n) < (uint64_t)i)
				wait_nap(0.0001);
			until_asleep(s, r);
		}
		put_frame(s, 0);
		put_frame(s, 1);
	}
}

static void idle_cpu_wait(struct shm *s, int rounds)
{
	enum { MOST = 8 };
	struct idle_waits *x = shm_seg_job_rank(s->seg, s->me);

	for (int i = 0; i < rounds; i++) {
		uint64_t slow = s->count.yields_slow;

		wait_frame(s);
		slow = s->count.yields_slow - slow;
		CHECK(slow <= MOST);
		if (slow > atomic_load(&x->slow_most))
			atomic_store(&x->slow_most, slow);
		atomic_store(&x->n, (uint64_t)i + 1);
	}
}

/* Two ranks wait on a CPU that no other rank has: before they sleep they yield to each other more
 * often than beside a rank that computes there.  On a machine where other processes take the CPU
 * they sleep earlier, so one good round will do.  Rank 2 rings, and counts as on no CPU. */
static void idle_cpu_rank(struct shm *s, void *arg)
{
	enum { FEW = 4, ROUNDS = 50 };
	const struct idle_waits *x = shm_seg_job_rank(s->seg, 0), *y = shm_seg_job_rank(s->seg, 1);
	cpu_set_t one;

	if (s->me == 2) {
		shm_spread_leave(s);
		idle_cpu_ring(s, ROUNDS);
		return;
	}
	CPU_ZERO(&one);
	CPU_SET((size_t) * (const int *)arg, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
	idle_cpu_wait(s, ROUNDS);
	while (atomic_load(&x->n) < ROUNDS || atomic_load(&y->n) < ROUNDS)
		wait_nap(0.0001);
	CHECK(atomic_load(&x->slow_most) > FEW || atomic_load(&y->slow_most) > FEW);
}

static void idle_cpu(void **state)
{
	const struct shm_opts opts = {.nranks = 3, .ncpus = 1};
	int cpu = sched_getcpu();

	(void)state;
	node_run_opts(&opts, idle_cpu_rank, &cpu);
}

static void watched_rank(struct shm *s, void *arg)
{
	(void)arg;
	wait_frame(s);
}

/* The launcher's view of a rank: not born, asleep and waiting as it said, gone. */
static void wait_view(void **state)
{
	const struct shm_opts opts = {.nranks = 2};
	struct shm_seg *seg;
	struct shm_view v;
	struct shm *s;
	pid_t pid;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	shm_seg_view(seg, 1, &v);
	assert_int_equal(v.state, SHM_UNATTACHED);
	assert_false(v.asleep);
	node_start(seg, 1, watched_rank, NULL, &pid);
	assert_int_equal(shm_attach(seg, 0, &s), 0);
	for (int i = 0; i < 100 * NODE_SECONDS && !(v.asleep && v.description[0] != 0); i++) {
		wait_nap(0.01);
		shm_seg_view(seg, 1, &v);
	}
	assert_int_equal(v.state, SHM_ATTACHED);
	assert_int_equal(v.pid, pid);
	assert_true(v.asleep);
	assert_true(v.cpu >= 0);
	assert_true(v.since_ns > 0);
	assert_true(v.still_ns >= v.since_ns);
	for (int i = 0; i < SHM_DESCRIPTION_LEN; i++)
		assert_int_equal(v.description[i], (char)(i + 1));
	put_frame(s, 1);
	node_join(pid);
	shm_seg_view(seg, 1, &v);
	assert_int_equal(v.state, SHM_DETACHED);
	assert_false(v.asleep);
	shm_detach(s);
	shm_seg_close(seg);
}

/* For how long this process (or thread, among ranks that are threads) could have run and had no
 * CPU, as far as the kernel tells; ns. */
static uint64_t kept_waiting(void)
{
	unsigned long long ran = 0, waited = 0;
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	if (f == NULL || fscanf(f, "%llu %llu", &ran, &waited) != 2)
		waited = 0;
	if (f != NULL)
		fclose(f);
	return waited;
}

#define LATE_NS 5000000u /* a lost wake-up is noticed when a nap ends, which lasts 10 ms */

/* The observations of both ranks in one try. */
struct doorbells {
	_Atomic uint64_t put_ns, late[2], waited[2];
};

static uint64_t now_ns(void)
{
	return (uint64_t)(1e9 * node_now(CLOCK_MONOTONIC));
}

static void wait_ring(struct shm *s, struct doorbells *b)
{
	atomic_store(&b->put_ns, now_ns());
	put_frame(s, 1 - s->me);
}

/* How often this rank has got its frame late. */
static uint64_t doorbell_rounds(struct shm *s, struct doorbells *b, int rounds, uint64_t *seed)
{
	uint64_t late = 0;

	for (int i = 0; i < rounds; i++) {
		if (s->me == 0) {
			wait_nap(1e-6 * (double)(node_random(seed) % 1000));
			wait_ring(s, b);
		}
		wait_frame(s);
		late += now_ns() > atomic_load(&b->put_ns) + LATE_NS;
		if (s->me == 1)
			wait_ring(s, b);
	}
	return late;
}

/* No wake-up may get lost: pings with pauses around the time in which the other falls asleep. The
 * sleeps end by the doorbell; late only where one of the two was kept from its CPU.  Not all
 * of it is known here (a hypervisor, a SIGSTOP): so one good try will do; where wake-ups get lost,
 * none is. */
static void doorbell_rank(struct shm *s, void *arg)
{
	enum { ROUNDS = 400, TRIES = 8 };
	struct doorbells *b = shm_seg_job(s->seg);
	uint64_t seed = 3, late, waited;
	bool few = false;

	(void)arg;
	for (int i = 0; i < TRIES && !few; i++) {
		waited = kept_waiting();
		late = doorbell_rounds(s, b, ROUNDS, &seed);
		atomic_store(&b->late[s->me], late);
		atomic_store(&b->waited[s->me], kept_waiting() - waited);
		doorbell_rounds(s, b, 1, &seed); /* both have said so, and say no more soon */
		late = atomic_load(&b->late[0]) + atomic_load(&b->late[1]);
		waited = atomic_load(&b->waited[0]) + atomic_load(&b->waited[1]);
		few = late < 20 + 2 * waited / LATE_NS;
	}
	CHECK(few);
}

static void wait_doorbell(void **state)
{
	const struct shm_opts oversubscribed = {.nranks = 2, .ncpus = 1},
			      free_cpus = {.nranks = 2, .ncpus = 64};

	(void)state;
	node_run_opts(&free_cpus, doorbell_rank, NULL);
	node_run_opts(&oversubscribed, doorbell_rank, NULL);
}

/* A wake-up that is held back is made by the caller, once: a frame's and a flag's. */
static void held_rank(struct shm *s, void *arg)
{
	struct shm_flag *f = shm_seg_job(s->seg);
	_Atomic uint32_t *words[SHM_DEFERRED_MAX];

	(void)arg;
	if (s->me == 1) {
		wait_frame(s);
		put_frame(s, 0);
		CHECK(shm_flag_wait(s, f, 1, SHM_FLAG_LATER, NULL, NULL, NULL) == 0);
		return;
	}
	until_asleep(s, 1);
	shm_wakes_defer(s);
	put_frame(s, 1);
	CHECK(shm_wakes_take(s, words) == 1);
	shm_os_wake(words[0], INT_MAX);
	wait_frame(s);
	until_asleep(s, 1);
	shm_wakes_defer(s);
	shm_flag_set(s, f, 1);
	CHECK(shm_wakes_take(s, words) == 1);
	shm_os_wake(words[0], INT_MAX);
	CHECK(shm_wakes_take(s, words) == 0);
}

static void wait_held(void **state)
{
	(void)state;
	node_run(2, held_rank, NULL);
}

static void alarm_rank(struct shm *s, void *arg)
{
	struct shm_flag *f = shm_seg_job(s->seg);
	struct shm_wait w;

	(void)arg;
	if (s->me == 0) {
		until_asleep(s, 1);
		shm_seg_abort(s->seg);
		CHECK(shm_seg_aborted(s->seg));
	} else if (s->me == 1) {
		shm_wait_begin(&w);
		while (shm_idle(s, &w) == 0)
			;
	} else {
		CHECK(shm_flag_wait(s, f, 1, SHM_FLAG_LATER, NULL, NULL, NULL) == SHM_ABORTED);
	}
}

static void alarms(void **state)
{
	(void)state;
	node_run(3, alarm_rank, NULL);
}

/* A rank that waits for a flag still serves its frames, and wakes for both. */
struct served {
	struct shm_flag flag;
	_Atomic int got;
};

struct serve {
	struct shm *s;
	int got;
};

static int wait_serve(void *arg)
{
	struct serve *x = arg;
	struct served *all = shm_seg_job(x->s->seg);
	int n = shm_poll(x->s, wait_take, &x->got);

	atomic_store(&all->got, x->got);
	return n;
}

static void serve_rank(struct shm *s, void *arg)
{
	enum { FRAMES = 20 };
	struct served *all = shm_seg_job(s->seg);
	struct serve x = {.s = s};

	(void)arg;
	if (s->me == 1) {
		CHECK(shm_flag_wait(s, &all->flag, 1, SHM_FLAG_LATER, wait_serve, &x, NULL) == 0);
		CHECK(x.got == FRAMES);
		return;
	}
	for (int i = 0; i < FRAMES; i++) {
		wait_nap(0.002);
		put_frame(s, 1);
	}
	while (atomic_load(&all->got) < FRAMES)
		wait_nap(0.001);
	shm_flag_set(s, &all->flag, 1);
}

static void flags_and_frames(void **state)
{
	(void)state;
	node_run(2, serve_rank, NULL);
}

static bool is_set(void *arg)
{
	return *(volatile int *)arg != 0;
}

/* ready() keeps a rank awake for events that libshm does not know; another thread calls shm_wake
 * for them. */
static void ready_rank(struct shm *s, void *arg)
{
	_Atomic int *word = shm_seg_job(s->seg);
	int mine = 1;
	struct shm_wait w;

	(void)arg;
	if (s->me == 0) {
		until_asleep(s, 1);
		atomic_store(word, 1);
		shm_wake(s, 1);
		return;
	}
	shm_wait_begin(&w);
	while (atomic_load(word) == 0)
		CHECK(shm_idle(s, &w) == 0);
	shm_wait_end(s, &w);
	s->count.naps = 0;
	shm_wait_begin(&w);
	w.ready = is_set;
	w.arg = &mine;
	for (int i = 0; i < 5000; i++)
		CHECK(shm_idle(s, &w) == 0);
	CHECK(s->count.naps == 0);
	shm_wait_end(s, &w);
}

static void wait_ready(void **state)
{
	(void)state;
	node_run(2, ready_rank, NULL);
}

/* A sender that found the ring full sleeps until there is room. */
static void room_rank(struct shm *s, void *arg)
{
	const struct shm_hdr h = {.kind = 1};
	struct shm_wait w;
	int got = 0;

	(void)arg;
	shm_wait_begin(&w);
	for (int i = 0; s->me == 0 && i < 4 * SHM_SLOTS;) {
		if (shm_put(s, 1, &h, &h, sizeof(h)) == 0)
			i++;
		else
			CHECK(shm_idle(s, &w) == 0);
	}
	if (s->me == 0) {
		CHECK(s->count.sleeps > 0);
		return;
	}
	until_asleep(s, 0);
	while (got < 4 * SHM_SLOTS)
		shm_poll(s, wait_take, &got);
}

static void wait_room(void **state)
{
	(void)state;
	node_run(2, room_rank, NULL);
}

/* More ranks than CPUs: a barrier over the counter, about one switch a rank. */
static void gate_rank(struct shm *s, void *arg)
{
	(void)arg;
	for (int i = 0; i < 200; i++)
		node_gate(s);
}

static void gates(void **state)
{
	(void)state;
	node_run(16, gate_rank, NULL);
}

/* From now on this process has no membarrier and no futex_waitv, as in some sandboxes. */
static void forbid(void)
{
	enum { WAITV = 449 }; /* the same on all machines; old headers do not name it */
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WAITV, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = countof(f), .filter = f};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
}

/* Everything ends all the same where the kernel refuses what waiting would like to have: in the
 * ranks only, and in the launcher, too. */
static void sandbox(void **state)
{
	const struct shm_opts free_cpus = {.nranks = 2, .ncpus = 64};
	struct shm_seg *seg;
	pid_t pid[2];
	int fd, status;

	(void)state;
	assert_int_equal(shm_seg_create(&free_cpus, &seg), 0);
	fd = shm_seg_fd(seg);
	for (int i = 0; i < 2; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (pid[i] == 0) {
			forbid();
			node_rank(fd, i, serve_rank, NULL);
		}
	}
	node_join(pid[0]);
	node_join(pid[1]);
	shm_seg_close(seg);
	pid[0] = fork();
	assert_true(pid[0] >= 0);
	if (pid[0] == 0) {
		forbid();
		node_run_opts(&free_cpus, doorbell_rank, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid[0], &status, 0), pid[0]);
	assert_int_equal(status, 0);
}

static void wait_threads(void **state)
{
	(void)state;
	node_run_threads(2, doorbell_rank, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_cheap),
		cmocka_unit_test(oversubscribed_naps),
		cmocka_unit_test(unrecorded_yields),
		cmocka_unit_test(idle_cpu),
		cmocka_unit_test(wait_view),
		cmocka_unit_test(wait_doorbell),
		cmocka_unit_test(wait_held),
		cmocka_unit_test(alarms),
		cmocka_unit_test(flags_and_frames),
		cmocka_unit_test(wait_ready),
		cmocka_unit_test(wait_room),
		cmocka_unit_test(gates),
		cmocka_unit_test(sandbox),
		cmocka_unit_test(wait_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
