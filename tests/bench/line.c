// SPDX-License-Identifier: BSD-3-Clause
/*
 * line.c - the machine itself: one 8-byte word bounced between two processors.
 *
 *	processor A writes 2i+1 --> | word | --> processor B waits for it, writes 2i+2 --> ...
 *
 * No MPI.  Printed before and after a table: if the two differ, or are far from the usual,
 * the machine moved the processors (see README.md) and absolute times say little.
 *
 * Prints "= line ns q0 q5 ... q100", the time of one way.  Exit code 77: one processor
 * only. */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	BATCH = 1000,    /* round trips of one sample */
	SAMPLES = 1000,  /* 0.1 to 0.5 s together */
	QUANTILES = 21,  /* 0, 5 ... 100 % */
	LINE_BYTES = 128 /* two lines: the processor fetches them in pairs */
};

static double line_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The k-th of the processors this process may use; -1 if there are not so many. */
static int processor(int k)
{
	cpu_set_t all;

	if (sched_getaffinity(0, sizeof(all), &all) || k >= CPU_COUNT(&all))
		return -1;
	for (size_t cpu = 0;; cpu++)
		if (CPU_ISSET(cpu, &all) && k-- == 0)
			return (int)cpu;
}

static void line_pin(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		exit(1);
}

static void await(_Atomic uint64_t *word, uint64_t v)
{
	while (atomic_load_explicit(word, memory_order_acquire) != v)
		;
}

static int line_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void answer(_Atomic uint64_t *word)
{
	for (uint64_t i = 0; i < (uint64_t)BATCH * (SAMPLES + 1); i++) {
		await(word, 2 * i + 1);
		atomic_store_explicit(word, 2 * i + 2, memory_order_release);
	}
}

static double batch(_Atomic uint64_t *word, uint64_t from)
{
	double t0 = line_now();

	for (uint64_t i = from; i < from + BATCH; i++) {
		atomic_store_explicit(word, 2 * i + 1, memory_order_release);
		await(word, 2 * i + 2);
	}
	return (line_now() - t0) / BATCH / 2 * 1e9;
}

int main(void)
{
	int here = processor(0), there = processor(1), status;
	double v[SAMPLES];

	if (there < 0) {
		fprintf(stderr, "line: needs two processors\n");
		return 77;
	}
	_Atomic uint64_t *word =
		mmap(NULL, LINE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (word == MAP_FAILED)
		return 1;
	pid_t pid = fork();
	if (pid < 0)
		return 1;
	line_pin(pid == 0 ? there : here);
	if (pid == 0) {
		answer(word);
		_exit(0);
	}
	batch(word, 0);
	for (int i = 0; i < SAMPLES; i++)
		v[i] = batch(word, (uint64_t)(i + 1) * BATCH);
	waitpid(pid, &status, 0);

	qsort(v, SAMPLES, sizeof(v[0]), line_compare);
	printf("= line ns");
	for (int q = 0; q < QUANTILES; q++)
		printf(" %.4g", v[q * (SAMPLES - 1) / (QUANTILES - 1)]);
	printf("\n");
	return status != 0;
}
