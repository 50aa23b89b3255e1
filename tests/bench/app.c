// SPDX-License-Identifier: BSD-3-Clause
/*
 * app.c - measures a kernel: alone, by all ranks, and by all ranks without messages.
 *
 *	rank 0	one .. one | all .. all | bare .. bare | one .. one
 *	others	nap        | all .. all | bare .. bare | nap
 *
 * A sample is as many runs as `one' does in a batch of time.
 * A nap is a look for rank 0's message each 2 ms: a rank that waited inside of a library would take
 * the processor that `one' is measured on.
 */
#include "tests/bench/app.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NAP_US = 2000, RUNS_MAX = 10000, WARM_RUNS = 2 };

static const double CHECK_LIMIT = 1e-8; /* relative: sums of doubles in another order */

struct measured {
	const struct app_kernel *kernel;
	struct app solo, all;
	void *one, *every; /* states; `one' on rank 0 only */
	double checksum;   /* of rank 0 alone */
	long runs;         /* of a sample */
};

double app_sum(const struct app *a, double mine)
{
	double sum;

	if (a->silent)
		return app_sum_bare(a, mine);
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, a->comm);
	return sum;
}

/* How many processors can work on the kernel at once. */
static int computing(const struct measured *m)
{
	int ranks = m->kernel->master && m->all.size > 1 ? m->all.size - 1 : m->all.size;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		bench_fail(m->all.b, "sched_getaffinity");
	return ranks < CPU_COUNT(&set) ? ranks : CPU_COUNT(&set);
}

static void nap_until_called(void)
{
	const struct timespec nap = {0, NAP_US * 1000};
	int here = 0;

	for (;;) {
		MPI_Iprobe(0, BENCH_TAG, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
		if (here)
			break;
		nanosleep(&nap, NULL);
	}
	MPI_Recv(NULL, 0, MPI_BYTE, 0, BENCH_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void app_check(const struct measured *m, double checksum, const char *what)
{
	if (!(fabs(checksum - m->checksum) <= CHECK_LIMIT * fabs(m->checksum)))
		bench_fail(m->all.b, "%s: checksum %.17g, alone it is %.17g", what, checksum,
			m->checksum);
}

/* Seconds of n runs of rank 0 alone; 0 elsewhere.  Collective. */
static double time_one(struct measured *m, long n)
{
	double t0 = MPI_Wtime();

	if (m->all.rank != 0) {
		nap_until_called();
		return 0;
	}
	for (long i = 0; i < n; i++)
		app_check(m, m->kernel->run(m->one), "one rank");
	t0 = MPI_Wtime() - t0;
	for (int r = 1; r < m->all.size; r++)
		MPI_Send(NULL, 0, MPI_BYTE, r, BENCH_TAG, MPI_COMM_WORLD);
	return t0;
}

/* Seconds of m->runs runs of all ranks, `ideal' of which the alarm leaves out.  All begin after the
 * clock of rank 0 runs: with more ranks than processors others may leave a barrier long before
 * it. */
static double time_all(struct measured *m, int silent, double ideal)
{
	double t0;

	MPI_Barrier(MPI_COMM_WORLD);
	m->all.silent = silent;
	t0 = MPI_Wtime();
	MPI_Barrier(MPI_COMM_WORLD);
	bench_clock_start(t0 + ideal, m->runs);
	for (long i = 0; i < m->runs; i++) {
		double sum = m->kernel->run(m->every);
		if (m->all.rank == 0 && !silent)
			app_check(m, sum, "all ranks");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	m->all.silent = 0;
	return MPI_Wtime() - t0;
}

/* One of the processors of `all' for each rank in turn. */
static void app_bind(const struct measured *m, const cpu_set_t *all)
{
	int nth = m->all.rank % CPU_COUNT(all), cpu = 0;
	cpu_set_t one;

	for (; !CPU_ISSET(cpu, all) || nth > 0; cpu++)
		nth -= CPU_ISSET(cpu, all);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		bench_fail(m->all.b, "sched_setaffinity");
}

/* The ranks are bound meanwhile: a floor is no matter of chance. */
static void bare_samples(struct measured *m, double *bare, int n)
{
	cpu_set_t all;

	if (sched_getaffinity(0, sizeof(all), &all))
		bench_fail(m->all.b, "sched_getaffinity");
	app_bind(m, &all);
	for (int i = 0; i < n; i++)
		bare[i] = time_all(m, 1, 0);
	sched_setaffinity(0, sizeof(all), &all);
}

/* So many runs that rank 0 alone takes a batch of time, the same on all ranks. */
static void calibrate(struct measured *m)
{
	double t = INFINITY;
	long n = 1;

	for (int i = 0; i < WARM_RUNS + 1; i++) {
		double now = time_one(m, 1);
		t = now < t ? now : t;
	}
	if (t > 0 && m->all.b->batch / t > 1)
		n = (long)(m->all.b->batch / t) + 1;
	m->runs = n < RUNS_MAX ? n : RUNS_MAX;
	MPI_Bcast(&m->runs, 1, MPI_LONG, 0, MPI_COMM_WORLD);
}

/* The work of one rank is a constant to which a machine only adds: its median counts.  It is taken
 * before and after the rest, whose samples follow each other as the steps of a program do. */
static void samples(struct measured *m, const struct bench_row *row)
{
	double all[BENCH_SAMPLES_MAX], bare[BENCH_SAMPLES_MAX], ideal[2 * BENCH_SAMPLES_MIN];
	double scale = 1e6 / (double)m->runs, middle;
	int cpus = computing(m), n = (int)(m->all.b->total / m->all.b->batch);

	n = n < BENCH_SAMPLES_MIN ? BENCH_SAMPLES_MIN : n;
	n = n > BENCH_SAMPLES_MAX ? BENCH_SAMPLES_MAX : n;
	for (int i = 0; i < BENCH_SAMPLES_MIN; i++)
		ideal[i] = time_one(m, m->runs) * scale / cpus;
	time_all(m, 0, ideal[0] / scale);
	for (int i = 0; i < n; i++)
		all[i] = time_all(m, 0, ideal[0] / scale) * scale;
	bare_samples(m, bare, n);
	for (int i = 0; i < BENCH_SAMPLES_MIN; i++)
		ideal[BENCH_SAMPLES_MIN + i] = time_one(m, m->runs) * scale / cpus;
	bench_alarm_end(m->all.b);
	middle = bench_samples(m->all.b, row->name, ".ideal", "us", ideal, 2 * BENCH_SAMPLES_MIN);
	for (int i = 0; i < n; i++) {
		all[i] -= middle;
		bare[i] = bare[i] * scale - middle;
	}
	bench_samples(m->all.b, row->name, "", "us", all, n);
	bench_samples(m->all.b, row->name, ".bare", "us", bare, n);
}

/* Can all ranks share memory, as bare runs do?  Else rank 0 says that there are no figures. */
static bool app_is_possible(const struct bench *b, const struct bench_row *row)
{
	MPI_Comm local;
	int n;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
	MPI_Comm_size(local, &n);
	MPI_Comm_free(&local);
	if (n < b->size && b->rank == 0)
		fprintf(stderr, "%s: not measured: its bare runs are of one host\n", row->name);
	return n == b->size;
}

void app_measure(struct bench *b, const struct bench_row *row, const struct app_kernel *kernel)
{
	struct measured m = {.kernel = kernel,
		.solo = {b, MPI_COMM_SELF, 0, 1, 0, NULL},
		.all = {b, MPI_COMM_WORLD, b->rank, b->size, 0, NULL}};
	MPI_Win win;

	if (!app_is_possible(b, row))
		return;
	m.all.desks = app_desks_make(&m.all, &win);
	m.every = kernel->make(&m.all);
	if (b->rank == 0) {
		m.one = kernel->make(&m.solo);
		m.checksum = kernel->run(m.one);
	}
	calibrate(&m);
	samples(&m, row);
	if (b->rank == 0)
		kernel->drop(m.one);
	kernel->drop(m.every);
	MPI_Win_free(&win);
}
