// SPDX-License-Identifier: BSD-3-Clause
/*
 * stat.c - from operations to quantiles, and the line that the script reads.
 *
 *	= NAME UNIT q0 q5 q10 ... q100		a distribution (or one figure)
 *	> NAME UNIT bound			the limit came first: one operation takes longer
 *
 * The number of operations of a batch is rank 0's decision, told to the others by MPI_Bcast, so
 * that the ranks never disagree about how often to call a collective operation.
 */
#include "tests/bench/bench.h"

#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const long ITERATIONS_MAX = 100L * 1000 * 1000; /* an op of 1 ns: nothing is faster */
static const double GROW_MAX = 10;                     /* calibration trusts no larger step */

enum {
	CALIBRATE_LEAST = 2, /* batches after the first one */
	AHEAD_OPS = 8,       /* no row does more operations than that before its first batch */
	LIMIT_TIMES = 3      /* a rank that lives three times as long as the limit ends itself */
};

/* The state that the alarm prints.  Written by rank 0 before each batch, read by its signal
 * handler. */
static struct {
	char head[64]; /* "> NAME us " */
	volatile double since;
	volatile long n;
} pending;

void bench_clock_start(double now, long n)
{
	pending.since = now;
	pending.n = n;
}

/* Signal handler: no stdio here.  Prints the microseconds that one operation took at least. */
static void on_alarm(int sig)
{
	char line[96], digits[24];
	size_t len = strlen(pending.head), k = sizeof(digits);
	double us = 1e6 * (MPI_Wtime() - pending.since) / (double)pending.n;

	(void)sig;
	uint64_t v = (uint64_t)us;
	do
		digits[--k] = (char)('0' + v % 10);
	while (v /= 10);
	memcpy(line, pending.head, len);
	memcpy(line + len, digits + k, sizeof(digits) - k);
	len += sizeof(digits) - k;
	line[len++] = '\n';
	ssize_t rc = write(1, line, len);
	_exit(rc < 0 ? 4 : 3);
}

void bench_alarm_begin(const struct bench *b, const char *name)
{
	if (b->rank != 0 || b->limit <= 0)
		return;
	snprintf(pending.head, sizeof(pending.head), "> %s us ", name);
	bench_clock_start(MPI_Wtime(), AHEAD_OPS);
	signal(SIGALRM, on_alarm);
	alarm((unsigned)b->limit);
}

void bench_alarm_end(const struct bench *b)
{
	if (b->limit <= 0)
		return;
	signal(SIGALRM, SIG_DFL);
	alarm((unsigned)(b->limit * LIMIT_TIMES));
}

void bench_fail(const struct bench *b, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "bench: rank %d: ", b->rank);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	fflush(stderr);
	MPI_Abort(MPI_COMM_WORLD, 1);
	abort();
}

void *bench_alloc(const struct bench *b, size_t bytes)
{
	const size_t page = 4096;
	void *p = aligned_alloc(page, (bytes + page - 1) / page * page);

	if (!p)
		bench_fail(b, "no memory for %zu bytes", bytes);
	memset(p, 0, bytes);
	return p;
}

/* A multiplicative hash: neighbours differ, and so do the same places of two seeds. */
static unsigned char pattern(size_t i, unsigned seed)
{
	return (unsigned char)(((uint32_t)i + seed * 977u) * 2654435761u >> 24);
}

void bench_fill(void *buf, size_t bytes, unsigned seed)
{
	unsigned char *p = buf;

	for (size_t i = 0; i < bytes; i++)
		p[i] = pattern(i, seed);
}

void bench_check(
	const struct bench *b, const void *buf, size_t bytes, unsigned seed, const char *what)
{
	const unsigned char *p = buf;

	for (size_t i = 0; i < bytes; i++)
		if (p[i] != pattern(i, seed))
			bench_fail(b, "%s: byte %zu of %zu is %d, not %d", what, i, bytes, p[i],
				pattern(i, seed));
}

static int stat_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorted v[n], q in 0..1: linear between the two neighbours. */
static double quantile(const double *v, int n, double q)
{
	double at = q * (n - 1);
	int i = (int)at;

	if (i >= n - 1)
		return v[n - 1];
	return v[i] + (at - i) * (v[i + 1] - v[i]);
}

void bench_print(const struct bench *b, const char *name, const char *unit, double value)
{
	if (b->rank == 0)
		printf("= %s %s %.6g\n", name, unit, value);
}

double bench_samples(const struct bench *b, const char *name, const char *suffix, const char *unit,
	double *v, int n)
{
	if (b->rank != 0)
		return 0;
	qsort(v, (size_t)n, sizeof(v[0]), stat_compare);
	printf("= %s%s %s", name, suffix, unit);
	for (int q = 0; q < BENCH_QUANTILES; q++)
		printf(" %.6g", quantile(v, n, q / (BENCH_QUANTILES - 1.0)));
	printf("\n");
	fflush(stdout);
	return quantile(v, n, 0.5);
}

/* The clock of rank 0 decides; the same answer for all. */
static long agree(long n)
{
	MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	return n;
}

/*
 * Operations of one batch: grown until a batch takes at least half of its share, then repeated
 * until an eighth of the whole time is spent, which warms everything up.  The fastest of equal
 * batches counts: the first one waits for ranks that start late.  *seconds: that of the last size.
 */
static long calibrate(struct bench *b, bench_op *op, void *ctx, double *seconds)
{
	double spent = 0;
	long n = 1;

	*seconds = INFINITY;
	for (int batches = 0;; batches++) {
		double t0 = MPI_Wtime();
		bench_clock_start(t0, n);
		op(b, ctx, n);
		double t = MPI_Wtime() - t0, grow;
		long next = n;

		spent += batches > 0 ? t : 0;
		*seconds = t < *seconds ? t : *seconds;
		grow = *seconds > 0 ? b->batch / *seconds : GROW_MAX;
		if (grow > 2 && n < ITERATIONS_MAX)
			next = (long)((double)n * (grow < GROW_MAX ? grow : GROW_MAX));
		else if (spent >= b->total / 8 && batches >= CALIBRATE_LEAST)
			next = 0;
		next = agree(next);
		if (next == 0)
			return n;
		if (next != n)
			*seconds = INFINITY;
		n = next;
	}
}

/* How many batches of `seconds' fill the time. */
static int batch_count(const struct bench *b, double seconds)
{
	double n = seconds > 0 ? b->total / seconds : BENCH_SAMPLES_MAX;

	if (n < BENCH_SAMPLES_MIN)
		n = seconds > b->total ? 2 : BENCH_SAMPLES_MIN;
	return n < BENCH_SAMPLES_MAX ? (int)n : BENCH_SAMPLES_MAX;
}

double bench_measure(struct bench *b, const char *name, const struct bench_unit *unit, bench_op *op,
	void *ctx, int mean)
{
	double v[BENCH_SAMPLES_MAX], sum[BENCH_SAMPLES_MAX], seconds;
	long n = calibrate(b, op, ctx, &seconds);
	int samples = (int)agree(batch_count(b, seconds));

	for (int i = 0; i < samples; i++) {
		bench_clock_start(MPI_Wtime(), n);
		v[i] = op(b, ctx, n);
	}
	bench_alarm_end(b);
	if (mean) {
		MPI_Reduce(v, sum, samples, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		for (int i = 0; b->rank == 0 && i < samples; i++)
			v[i] = sum[i] / b->size;
	}
	if (b->rank != 0)
		return 0;

	for (int i = 0; i < samples; i++)
		v[i] = unit->inverse ? unit->scale * (double)n / v[i]
				     : unit->scale * v[i] / (double)n;
	return bench_samples(b, name, "", unit->name, v, samples);
}
