// SPDX-License-Identifier: BSD-3-Clause
/*
 * copy.c - the machine itself: private memory of one process into that of another, no MPI.
 *
 *	pipe	PIECE bytes into shared memory, out of it on the other side; both at once
 *	read	process_vm_readv by the receiver
 *	both	process_vm_readv of the first half, process_vm_writev of the second, at once
 *	fold	each writes a word in every line of a shared MiB, then adds the other's to its own
 *	lines	one writes a word in every line of PIECE shared bytes, eight times; the other
 *		copies each piece out as it comes: the mean of both
 *
 * What a message of this size, an allreduce of 1 MiB or a broadcast of 64 KiB can cost at least on
 * this machine, since a library has no other ways to move what lies in malloc'ed memory.  The ways
 * take turns, ROUNDS times; the median is printed:
 * "= copy us 65536 PIPE READ BOTH 1048576 PIPE READ BOTH FOLD LINES", half a round trip; FOLD and
 * LINES are all of it.  Exit code 77: one processor only, or the kernel forbids it.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIPE, READ, BOTH, WAYS };
enum {
	MOST = 1 << 20,
	PIECE = 8192,
	PIECES = 8, /* of the pipe: in the second cache of both */
	LINE = 8,   /* numbers */
	ROUNDS = 151,
	LINES_ROUNDS = 501,
	BYTES_ROUND = 2 << 20 /* copied in each direction by a way in its turn, below 1 ms */
};

/* Each end has a line of its own; counts only grow. */
struct end {
	_Alignas(128) _Atomic uint64_t put; /* pieces put into its pipe, or messages offered */
	_Alignas(128) _Atomic uint64_t got; /* the same, of the other's, that it has */
	_Alignas(128) _Atomic uint64_t wrote;
	_Alignas(128) _Atomic uint64_t ready;
	char *out, *in;
	pid_t pid;
	char pipe[PIECES][PIECE];
	double lines[MOST / sizeof(double)];
};

static struct end *ends, *me, *you;

static void await(_Atomic uint64_t *word, uint64_t least)
{
	while (atomic_load_explicit(word, memory_order_acquire) < least)
		;
}

static void set(_Atomic uint64_t *word, uint64_t v)
{
	atomic_store_explicit(word, v, memory_order_release);
}

static uint64_t get(_Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

/* Copies between my memory and yours; the kernel's no ends the program. */
static void vm(int write, char *mine, char *yours, size_t n)
{
	struct iovec here = {mine, n}, there = {yours, n};
	ssize_t done = write ? process_vm_writev(you->pid, &here, 1, &there, 1, 0)
			     : process_vm_readv(you->pid, &here, 1, &there, 1, 0);

	if (done != (ssize_t)n)
		exit(77);
}

static void put(int way, size_t n)
{
	if (way == PIPE) {
		for (size_t at = 0; at < n; at += PIECE) {
			uint64_t i = get(&me->put);

			await(&you->got, i < PIECES ? 0 : i + 1 - PIECES);
			memcpy(me->pipe[i % PIECES], me->out + at, PIECE);
			set(&me->put, i + 1);
		}
		return;
	}
	set(&me->put, get(&me->put) + 1);
	if (way == BOTH) {
		await(&you->ready, get(&me->put));
		vm(1, me->out + n / 2, you->in + n / 2, n / 2);
		set(&me->wrote, get(&me->put));
	}
	await(&you->got, get(&me->put));
}

static void take(int way, size_t n)
{
	uint64_t i = get(&me->got) + 1;

	for (size_t at = 0; way == PIPE && at < n; at += PIECE, i++) {
		await(&you->put, i);
		memcpy(me->in + at, you->pipe[(i - 1) % PIECES], PIECE);
		set(&me->got, i);
	}
	if (way == PIPE)
		return;
	await(&you->put, i);
	set(&me->ready, i);
	vm(0, me->in, you->out, way == BOTH ? n / 2 : n);
	if (way == BOTH)
		await(&you->wrote, i);
	set(&me->got, i);
}

/* Half a round trip of n bytes, us. */
static double turn(int way, size_t n, int first)
{
	int many = BYTES_ROUND / (int)n;
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < many; i++) {
		if (first)
			put(way, n);
		take(way, n);
		if (!first)
			put(way, n);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	return ((double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3) /
	       many / 2;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void size_run(size_t n, int first)
{
	double us[WAYS][ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		for (int way = 0; way < WAYS; way++)
			us[way][r] = turn(way, n, first);
	if (!first)
		return;
	printf(" %zu", n);
	for (int way = 0; way < WAYS; way++) {
		qsort(us[way], ROUNDS, sizeof us[way][0], compare);
		printf(" %.4g", us[way][ROUNDS / 2]);
	}
}

/* us: every line is written by its owner, and crosses once to be read. */
static double fold(uint64_t i, double *to)
{
	const double *mine = (const double *)(const void *)me->in;
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (size_t k = 0; k < MOST / sizeof *to; k += LINE)
		me->lines[k] = (double)i;
	set(&me->ready, i);
	await(&you->ready, i);
	for (size_t k = 0; k < MOST / sizeof *to; k++)
		to[k] = mine[k] + you->lines[k];
	clock_gettime(CLOCK_MONOTONIC, &b);
	set(&me->wrote, i);
	await(&you->wrote, i);
	return (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3;
}

/* Its counts begin where the copies' cannot be. */
static void fold_run(int first)
{
	double us[ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		us[r] = fold((UINT64_C(1) << 40) + (uint64_t)r, (double *)(void *)me->out);
	qsort(us, ROUNDS, sizeof us[0], compare);
	if (first)
		printf(" %.4g", us[ROUNDS / 2]);
}

static void meet(uint64_t i)
{
	set(&me->ready, i);
	await(&you->ready, i);
}

/* us, of this side. */
static double lines(uint64_t i, int first)
{
	struct timespec a, b;

	meet(i);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (size_t k = 0; k < PIECES; k++) {
		if (first) {
			for (size_t at = 0; at < PIECE; at += LINE * sizeof(double))
				*(volatile uint64_t *)(void *)&me->pipe[k][at] = i;
			set(&me->wrote, i + k);
			continue;
		}
		await(&you->wrote, i + k);
		memcpy(me->in + k * PIECE, you->pipe[k], PIECE);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3;
}

/* As a broadcast is measured: a meeting between any two. */
static void lines_run(int first)
{
	double us[LINES_ROUNDS];
	uint64_t from = UINT64_C(1) << 41;

	for (uint64_t r = 0; r < LINES_ROUNDS; r++, from += PIECES)
		us[r] = lines(from, first);
	qsort(us, LINES_ROUNDS, sizeof us[0], compare);
	me->lines[0] = us[LINES_ROUNDS / 2];
	meet(from);
	if (first)
		printf(" %.4g", (me->lines[0] + you->lines[0]) / 2);
	meet(from + 1); /* the other has read it */
}

/* This process on the k-th of the processors that it may use. */
static void pin(int k)
{
	cpu_set_t all, one;
	size_t cpu = 0;

	if (sched_getaffinity(0, sizeof all, &all) || k >= CPU_COUNT(&all))
		exit(77);
	while (!CPU_ISSET(cpu, &all) || k-- > 0)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
}

int main(void)
{
	ends = mmap(
		NULL, 2 * sizeof *ends, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ends == MAP_FAILED)
		return 1;
	for (int i = 0; i < 2; i++) {
		ends[i].out = aligned_alloc(4096, MOST);
		ends[i].in = aligned_alloc(4096, MOST);
		if (ends[i].out == NULL || ends[i].in == NULL)
			return 1;
		memset(ends[i].out, 1, MOST);
		memset(ends[i].in, 2, MOST);
	}
	ends[0].pid = getpid();
	pid_t pid = fork();
	if (pid < 0)
		return 1;
	me = &ends[pid == 0];
	you = &ends[pid != 0];
	alarm(10); /* the other may have given up */
	if (pid == 0)
		me->pid = getpid();
	pin(pid == 0);
	/* copied, not shared with the other any more */
	memset(me->out, 3, MOST);
	memset(me->in, 4, MOST);
	set(&me->ready, 0);
	set(&me->wrote, 0);
	set(&me->got, 0);
	set(&me->put, 1);
	await(&you->put, 1);
	set(&me->got, 1);
	await(&you->got, 1);
	if (pid != 0)
		printf("= copy us");
	size_run(65536, pid != 0);
	size_run(MOST, pid != 0);
	fold_run(pid != 0);
	lines_run(pid != 0);
	if (pid != 0)
		printf("\n");
	return 0;
}
