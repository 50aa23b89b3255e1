// SPDX-License-Identifier: BSD-3-Clause
/* shm.c - cost of libshm, against the cost of the machine itself.
 *
 *   make bench-shm          two processes, pinned to different CPUs where there are two
 *
 * Each row is the best of many short rounds: other load only ever makes it slower.  Rows in
 * pairs: the bare thing first, libshm's second, so that ratios hold on any machine. */
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "libshm/shm.h"

enum { ROUNDS = 100, RANKS_MANY = 16, LARGE_MAX = 4 << 20 };

/* Shared by both processes besides the segment. */
struct common {
	_Atomic uint64_t word[8]; /* one line, for the bare ping-pong */
	_Atomic uint32_t in;
	uint8_t pad[60];
	struct shm_flag out;
	double result, stamp;
	void *remote; /* the other's buffer, for process_vm_readv */
	_Atomic int pid;
};

static struct common *common;

static double shm_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void shm_die(const char *what)
{
	perror(what);
	exit(1);
}

static void shm_gate(struct shm *s)
{
	uint32_t n = (uint32_t)s->nranks, mine = atomic_fetch_add(&common->in, 1);

	if ((mine + 1) % n == 0)
		shm_flag_set(s, &common->out, (mine + 1) / n);
	else
		shm_flag_wait(s, &common->out, mine / n + 1, SHM_FLAG_LATER, NULL, NULL, NULL);
}

/* --- two ranks ------------------------------------------------------------------------------ */

static void bare_pingpong(struct shm *s, int n)
{
	_Atomic uint64_t *w = &common->word[0];
	uint64_t base = atomic_load(w);

	shm_gate(s);
	for (int i = 0; i < n; i++) {
		uint64_t want = base + 2 * (uint64_t)i + (uint64_t)s->me;

		while (atomic_load_explicit(w, memory_order_acquire) != want)
			;
		atomic_store_explicit(w, want + 1, memory_order_release);
	}
}

static size_t frame_len;

static void send_one(struct shm *s, int dst, const void *buf)
{
	const struct shm_hdr h = {.ctx = 1, .kind = 1};

	while (shm_put(s, dst, &h, buf, frame_len) != 0)
		;
}

static int polled; /* frames that a poll has taken ahead of those who wait for one */

static void shm_take(void *arg, const struct shm_frame *f)
{
	*(int *)arg += (int)f->len >= 0;
}

static void recv_poll(struct shm *s, int src, void *buf)
{
	(void)src;
	(void)buf;
	while (polled == 0)
		shm_poll(s, shm_take, &polled);
	polled--;
}

/* The ring first; now and then everything, since the first frames come through the inbox. */
static void recv_peek(struct shm *s, int src, void *buf)
{
	struct shm_frame f;

	for (unsigned i = 1; polled == 0; i++) {
		if (shm_peek(s, src, &f)) {
			memcpy(buf, f.data, f.len);
			shm_next(s, &f);
			return;
		}
		if (i % 64 == 0)
			shm_poll(s, shm_take, &polled);
	}
	polled--;
}

static void shm_pingpong(struct shm *s, int n, void recv(struct shm *s, int src, void *buf))
{
	static char buf[SHM_FRAME_MAX];

	shm_gate(s);
	for (int i = 0; i < n; i++) {
		if (s->me == 0)
			send_one(s, 1, buf);
		recv(s, !s->me, buf);
		if (s->me == 1)
			send_one(s, 0, buf);
	}
}

static void frames_peek(struct shm *s, int n)
{
	shm_pingpong(s, n, recv_peek);
}

static void frames_poll(struct shm *s, int n)
{
	shm_pingpong(s, n, recv_poll);
}

static void stream(struct shm *s, int n)
{
	static char buf[SHM_FRAME_MAX];

	shm_gate(s);
	for (int i = 0; i < n; i++) {
		if (s->me == 0)
			send_one(s, 1, buf);
		else
			recv_peek(s, 0, buf);
	}
	if (s->me == 1)
		send_one(s, 0, buf);
	else
		recv_poll(s, 1, buf);
}

static void shm_nap(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

/* The bare thing: a word, a futex, and a time stamp beside it. */
static void wake_bare(struct shm *s, int n)
{
	_Atomic uint32_t *word = (_Atomic uint32_t *)&common->word[2];
	uint32_t base = atomic_load(word);
	double total = 0;

	shm_gate(s);
	for (int i = 0; i < n; i++) {
		if (s->me == 0) {
			shm_nap(3000000);
			common->stamp = shm_now();
			atomic_fetch_add(word, 1);
			syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
		} else {
			while (atomic_load(word) == base + (uint32_t)i)
				syscall(SYS_futex, word, FUTEX_WAIT, base + (uint32_t)i, NULL, NULL,
					0);
			total += shm_now() - common->stamp;
		}
		shm_gate(s);
	}
	if (s->me == 1)
		common->result = total;
	shm_gate(s);
}

/* Rank 0 waits until rank 1 surely sleeps; the time is from put to the frame's arrival there. */
static void wake_put(struct shm *s, int n)
{
	struct shm_wait w;
	int got = 0;

	frame_len = sizeof(double);
	common->result = 0;
	shm_gate(s);
	for (int i = 1; i <= n; i++) {
		double t;

		if (s->me == 0) {
			shm_nap(3000000);
			t = shm_now();
			send_one(s, 1, &t);
			continue;
		}
		shm_wait_begin(&w);
		while (got < i) {
			struct shm_frame f;

			if (shm_peek(s, 0, &f)) {
				memcpy(&t, f.data, sizeof(t));
				common->result += shm_now() - t;
				shm_next(s, &f);
				got++;
			} else {
				shm_poll(s, shm_take, &got);
				shm_idle(s, &w);
			}
		}
		shm_wait_end(s, &w);
	}
	shm_gate(s);
}

static size_t large_len;
static char *large;

/* As an application does: the sender has just written its message. */
static void touch(int i)
{
	memset(large, i, large_len);
}

static void shm_nothing(void *arg, const struct shm_frame *f)
{
	(void)arg;
	(void)f;
}

static void pipe_send(struct shm *s, int dst)
{
	size_t left = large_len, cap;
	void *ptr;

	while (left > 0) {
		if (shm_pipe_acquire(s, dst, &ptr, &cap) != 0)
			continue;
		cap = left < cap ? left : cap;
		memcpy(ptr, large + large_len - left, cap);
		shm_pipe_publish(s, dst, cap);
		left -= cap;
	}
}

static void pipe_recv(struct shm *s, int src)
{
	size_t left = large_len, len;
	const void *ptr;

	while (left > 0) {
		if (shm_pipe_front(s, src, &ptr, &len) != 0) {
			shm_poll(s, shm_nothing, NULL);
			continue;
		}
		memcpy(large + large_len - left, ptr, len);
		shm_pipe_release(s, src);
		left -= len;
	}
}

static void pipes(struct shm *s, int n)
{
	shm_gate(s);
	for (int i = 0; i < n; i++) {
		if (s->me == 0) {
			touch(i);
			pipe_send(s, 1);
		} else {
			pipe_recv(s, 0);
		}
	}
	shm_gate(s);
}

static void vm_readv(struct shm *s, int n)
{
	struct iovec here = {large, large_len}, there = {NULL, large_len};

	if (s->me == 0) {
		common->remote = large;
		atomic_store(&common->pid, (int)getpid());
	}
	shm_gate(s);
	there.iov_base = common->remote;
	for (int i = 0; i < n; i++) {
		if (s->me == 0)
			touch(i);
		shm_gate(s);
		if (s->me == 1 &&
			process_vm_readv(atomic_load(&common->pid), &here, 1, &there, 1, 0) < 0)
			shm_die("process_vm_readv");
		shm_gate(s);
	}
}

/* Best time of one of `n', in seconds. */
static double shm_best(struct shm *s, int n, void fn(struct shm *s, int n))
{
	double least = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double t;

		shm_gate(s);
		t = shm_now();
		fn(s, n);
		t = (shm_now() - t) / n;
		least = t < least ? t : least;
	}
	return least;
}

static void shm_row(struct shm *s, const char *name, double value, const char *unit)
{
	if (s->me == 0)
		printf("%-44s %10.1f %s\n", name, value, unit);
	fflush(stdout);
}

static void latencies(struct shm *s)
{
	enum { N = 300 };
	static const size_t lens[] = {8, 48, 64, 256, 1024, 4096};
	char name[64];

	shm_row(s, "bare line, one way", shm_best(s, N, bare_pingpong) / 2 * 1e9, "ns");
	for (size_t i = 0; i < countof(lens); i++) {
		frame_len = lens[i];
		snprintf(name, sizeof(name), "put and peek, one way, %zu B", lens[i]);
		shm_row(s, name, shm_best(s, N, frames_peek) / 2 * 1e9, "ns");
	}
	frame_len = 8;
	shm_row(s, "put and poll, one way, 8 B", shm_best(s, N, frames_poll) / 2 * 1e9, "ns");
}

static void rates(struct shm *s)
{
	enum { N = 20000 };
	static const size_t lens[] = {8, 48, 256, 1024, 4096, 16384};
	char name[64];

	for (size_t i = 0; i < countof(lens); i++) {
		double t;

		frame_len = lens[i] < s->frame_max ? lens[i] : s->frame_max;
		t = shm_best(s, N / (int)(1 + frame_len / 256), stream);
		snprintf(name, sizeof(name), "stream of %zu B frames", frame_len);
		shm_row(s, name, 1e-6 / t, "M/s");
	}
}

static void bandwidths(struct shm *s)
{
	static const size_t lens[] = {64 << 10, 256 << 10, 1 << 20, LARGE_MAX};
	char name[64];

	for (size_t i = 0; i < countof(lens); i++) {
		int n = (int)((4 << 20) / lens[i]);

		large_len = lens[i];
		snprintf(name, sizeof(name), "process_vm_readv, %zu KiB", lens[i] >> 10);
		shm_row(s, name, (double)lens[i] / shm_best(s, n, vm_readv) * 1e-9, "GB/s");
		snprintf(name, sizeof(name), "pipe, %zu KiB", lens[i] >> 10);
		shm_row(s, name, (double)lens[i] / shm_best(s, n, pipes) * 1e-9, "GB/s");
	}
}

static void shm_two(struct shm *s)
{
	enum { WAKES = 50 };

	large = aligned_alloc(4096, LARGE_MAX);
	memset(large, s->me, LARGE_MAX);
	latencies(s);
	rates(s);
	bandwidths(s);
	wake_bare(s, WAKES);
	shm_row(s, "bare futex wake, one way", common->result / WAKES * 1e6, "us");
	wake_put(s, WAKES);
	shm_row(s, "put to one who sleeps, one way", common->result / WAKES * 1e6, "us");
}

/* --- many ranks ----------------------------------------------------------------------------- */

static void barriers(struct shm *s, int n)
{
	for (int i = 0; i < n; i++)
		shm_gate(s);
}

static void shm_many(struct shm *s)
{
	enum { N = 20 };
	struct rusage before, after;
	long switches;
	double t;

	getrusage(RUSAGE_SELF, &before);
	t = shm_best(s, N, barriers);
	getrusage(RUSAGE_SELF, &after);
	switches = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw;
	shm_row(s, "barrier by the counter, 16 ranks", t * 1e6, "us");
	shm_row(s, "  context switches a rank and barrier", (double)switches / N / ROUNDS, "");
}

/* --- both ----------------------------------------------------------------------------------- */

static void rank_main(struct shm_seg *seg, int rank, bool pin, void fn(struct shm *s))
{
	cpu_set_t set;
	struct shm *s;

	CPU_ZERO(&set);
	CPU_SET((size_t)rank, &set);
	if (pin && rank < shm_seg_ncpus(seg))
		sched_setaffinity(0, sizeof(set), &set);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	common = shm_seg_job(seg);
	if (shm_attach(seg, rank, &s) != 0)
		shm_die("shm_attach");
	fn(s);
	shm_detach(s);
	_exit(0);
}

static void shm_job(int nranks, bool pin, void fn(struct shm *s))
{
	const struct shm_opts opts = {.nranks = nranks};
	struct shm_seg *seg;

	if (shm_seg_create(&opts, &seg) != 0)
		shm_die("shm_seg_create");
	fflush(stdout);
	for (int i = 0; i < nranks; i++)
		if (fork() == 0)
			rank_main(seg, i, pin, fn);
	while (wait(NULL) > 0)
		;
	shm_seg_close(seg);
}

int main(void)
{
	static_assert(sizeof(struct common) <= SHM_JOB_LEN, "fits into the job area");

	printf("%d CPUs\n", shm_cpus());
	shm_job(2, true, shm_two);
	shm_job(RANKS_MANY, false, shm_many);
	return 0;
}
