// SPDX-License-Identifier: BSD-3-Clause
/*
 * copy.c - the machine itself: private memory of one process into that of another, no MPI.
 *
 *	  row         row         row                     a message: bytes in rows that are STEP
 *rows
 *	|=====|. . .|=====|. . .|=====|. . .              apart (a face of an array, as in type.c),
 *or
 *	|====================================             in one
 *
 *	pipe	CHUNK bytes into shared memory, out of it on the other side; both at once
 *	read	process_vm_readv by the receiver
 *	both	process_vm_readv of the first half, process_vm_writev of the second, at once
 *	fold	each writes a word in every line of a shared MiB, then adds the other's to its own
 *	lines	one writes a word in every line of CHUNK shared bytes, eight times; the other
 *		copies each piece out as it comes: the mean of both
 *
 * The least that a message of this size, an allreduce of 1 MiB or a broadcast of 64 KiB can cost on
 * this machine, since a library has no other ways to move what lies in malloc'ed memory.  The ways
 * take turns, ROUNDS times; the median is printed:
 * "= copy us 65536 PIPE READ BOTH 1048576 PIPE READ BOTH FOLD LINES", half a round trip; FOLD and
 * LINES are all of it; and "= rows us BYTES PIPE READ BOTH ...": rows of three lengths, and 8 MiB
 * without gaps.  Exit code 77: one processor only, or the kernel forbids it.
 */
#include "tests/bench/pin.h"

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

enum { PIPE, READ, BOTH, METHODS };
enum {
	MOST = 1 << 20,
	LARGE = 8 << 20,
	STEP = 8,
	ROWS_MAX = 1024, /* IOV_MAX */
	CHUNK = 8192,
	CHUNKS = 8, /* of the pipe: in the second cache of both */
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
	char pipe[CHUNKS][CHUNK];
	double lines[MOST / sizeof(double)];
};

/* Bytes of a message, in rows. */
struct shape {
	size_t n, row, step;
};

static struct end *ends, *me, *you;

static void await(_Atomic uint64_t *word, uint64_t least)
{
	while (atomic_load_explicit(word, memory_order_acquire) < least)
		;
}

static void copy_set(_Atomic uint64_t *word, uint64_t v)
{
	atomic_store_explicit(word, v, memory_order_release);
}

static uint64_t copy_get(_Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

/* Where byte `at' of the message at `p' is. */
static char *row_at(const struct shape *s, char *p, size_t at)
{
	return p + at / s->row * s->step + at % s->row;
}

/* How many bytes follow it without a gap, of n at most. */
static size_t copy_run(const struct shape *s, size_t at, size_t n)
{
	size_t left = s->row - at % s->row;

	return left < n ? left : n;
}

/* Bytes [from, from + n) of the message at `p': in how many runs. */
static unsigned long copy_list(
	struct iovec *v, char *p, const struct shape *s, size_t from, size_t n)
{
	unsigned long k = 0;
	size_t end = from + n, len;

	for (size_t at = from; at < end; at += len) {
		len = copy_run(s, at, end - at);
		v[k++] = (struct iovec){row_at(s, p, at), len};
	}
	return k;
}

/* Copies rows between my memory and yours; the kernel's no ends the program. */
static void copy_vm(
	int write, char *mine, char *yours, const struct shape *s, size_t from, size_t n)
{
	static struct iovec here[ROWS_MAX], there[ROWS_MAX];
	unsigned long k = copy_list(here, mine, s, from, n);
	ssize_t done;

	copy_list(there, yours, s, from, n);
	done = write ? process_vm_writev(you->pid, here, k, there, k, 0)
		     : process_vm_readv(you->pid, here, k, there, k, 0);
	if (done != (ssize_t)n)
		exit(77);
}

/* Whole rows, or a part of the only one, go through the pipe at a time. */
static size_t chunk_of(const struct shape *s)
{
	return s->row > CHUNK ? CHUNK : CHUNK / s->row * s->row;
}

/* Bytes [from, from + n) of the message, into the pipe or out of it. */
static void copy_move(
	const struct shape *s, char *pipe, char *message, size_t from, size_t n, int out)
{
	size_t len;

	for (size_t at = 0; at < n; at += len) {
		char *p = row_at(s, message, from + at);

		len = copy_run(s, from + at, n - at);
		memcpy(out ? pipe + at : p, out ? p : pipe + at, len);
	}
}

/* The part that the receiver reads while the sender writes the rest. */
static size_t copy_half(const struct shape *s)
{
	return s->row == s->n ? s->n / 2 : s->n / s->row / 2 * s->row;
}

static void copy_put(int method, const struct shape *s)
{
	size_t chunk = chunk_of(s);

	if (method == PIPE) {
		for (size_t at = 0; at < s->n; at += chunk) {
			uint64_t i = copy_get(&me->put);

			await(&you->got, i < CHUNKS ? 0 : i + 1 - CHUNKS);
			copy_move(s, me->pipe[i % CHUNKS], me->out, at,
				s->n - at < chunk ? s->n - at : chunk, 1);
			copy_set(&me->put, i + 1);
		}
		return;
	}
	copy_set(&me->put, copy_get(&me->put) + 1);
	if (method == BOTH) {
		await(&you->ready, copy_get(&me->put));
		copy_vm(1, me->out, you->in, s, copy_half(s), s->n - copy_half(s));
		copy_set(&me->wrote, copy_get(&me->put));
	}
	await(&you->got, copy_get(&me->put));
}

static void copy_take(int method, const struct shape *s)
{
	uint64_t i = copy_get(&me->got) + 1;
	size_t chunk = chunk_of(s);

	for (size_t at = 0; method == PIPE && at < s->n; at += chunk, i++) {
		await(&you->put, i);
		copy_move(s, you->pipe[(i - 1) % CHUNKS], me->in, at,
			s->n - at < chunk ? s->n - at : chunk, 0);
		copy_set(&me->got, i);
	}
	if (method == PIPE)
		return;
	await(&you->put, i);
	copy_set(&me->ready, i);
	copy_vm(0, me->in, you->out, s, 0, method == BOTH ? copy_half(s) : s->n);
	if (method == BOTH)
		await(&you->wrote, i);
	copy_set(&me->got, i);
}

/* Half a round trip, us. */
static double copy_turn(int method, const struct shape *s, int first)
{
	int many = s->n < BYTES_ROUND ? BYTES_ROUND / (int)s->n : 1;
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < many; i++) {
		if (first)
			copy_put(method, s);
		copy_take(method, s);
		if (!first)
			copy_put(method, s);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	return ((double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3) /
	       many / 2;
}

static int copy_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* `rounds' is odd. */
static void size_run(size_t n, size_t row, int rounds, int first)
{
	struct shape s = {n, row, row * STEP};
	double us[METHODS][ROUNDS];

	for (size_t at = 0; at < n; at += row) { /* pages of our own */
		memset(row_at(&s, me->out, at), 3, row);
		memset(row_at(&s, me->in, at), 4, row);
	}
	for (int r = 0; r < rounds; r++)
		for (int method = 0; method < METHODS; method++)
			us[method][r] = copy_turn(method, &s, first);
	if (!first)
		return;
	printf(" %zu", n);
	for (int method = 0; method < METHODS; method++) {
		qsort(us[method], (size_t)rounds, sizeof(us[method][0]), copy_compare);
		printf(" %.4g", us[method][rounds / 2]);
	}
}

/* The faces of type.c: side x side doubles. */
static void rows_run(int first)
{
	static const size_t sides[] = {90, 362, 1024};

	if (first)
		printf("= rows us");
	for (int i = 0; i < 3; i++)
		size_run(8 * sides[i] * sides[i], 8 * sides[i], i < 2 ? ROUNDS : ROUNDS / 3, first);
	size_run(LARGE, LARGE, ROUNDS / 3, first);
	if (first)
		printf("\n");
}

/* us: every line is written by its owner, and crosses once to be read. */
static double copy_fold(uint64_t i, double *to)
{
	const double *mine = (const double *)(const void *)me->in;
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (size_t k = 0; k < MOST / sizeof(*to); k += LINE)
		me->lines[k] = (double)i;
	copy_set(&me->ready, i);
	await(&you->ready, i);
	for (size_t k = 0; k < MOST / sizeof(*to); k++)
		to[k] = mine[k] + you->lines[k];
	clock_gettime(CLOCK_MONOTONIC, &b);
	copy_set(&me->wrote, i);
	await(&you->wrote, i);
	return (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3;
}

/* Its counts begin where the copies' cannot be. */
static void fold_run(int first)
{
	double us[ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		us[r] = copy_fold((UINT64_C(1) << 40) + (uint64_t)r, (double *)(void *)me->out);
	qsort(us, ROUNDS, sizeof(us[0]), copy_compare);
	if (first)
		printf(" %.4g", us[ROUNDS / 2]);
}

static void overlap(uint64_t i)
{
	copy_set(&me->ready, i);
	await(&you->ready, i);
}

/* us, of this side. */
static double lines(uint64_t i, int first)
{
	struct timespec a, b;

	overlap(i);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (size_t k = 0; k < CHUNKS; k++) {
		if (first) {
			for (size_t at = 0; at < CHUNK; at += LINE * sizeof(double))
				*(volatile uint64_t *)(void *)&me->pipe[k][at] = i;
			copy_set(&me->wrote, i + k);
			continue;
		}
		await(&you->wrote, i + k);
		memcpy(me->in + k * CHUNK, you->pipe[k], CHUNK);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3;
}

/* As a broadcast is measured: a meeting between any two. */
static void lines_run(int first)
{
	double us[LINES_ROUNDS];
	uint64_t from = UINT64_C(1) << 41;

	for (uint64_t r = 0; r < LINES_ROUNDS; r++, from += CHUNKS)
		us[r] = lines(from, first);
	qsort(us, LINES_ROUNDS, sizeof(us[0]), copy_compare);
	me->lines[0] = us[LINES_ROUNDS / 2];
	overlap(from);
	if (first)
		printf(" %.4g", (me->lines[0] + you->lines[0]) / 2);
	overlap(from + 1); /* the other has read it */
}

int main(void)
{
	ends = mmap(
		NULL, 2 * sizeof(*ends), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ends == MAP_FAILED)
		return 1;
	for (int i = 0; i < 2; i++) {
		ends[i].out = aligned_alloc(4096, LARGE * STEP);
		ends[i].in = aligned_alloc(4096, LARGE * STEP);
		if (ends[i].out == NULL || ends[i].in == NULL)
			return 1;
	}
	ends[0].pid = getpid();
	pid_t pid = fork();
	if (pid < 0)
		return 1;
	me = &ends[pid == 0];
	you = &ends[pid != 0];
	alarm(30); /* the other may have given up */
	if (pid == 0)
		me->pid = getpid();
	if (!pin_to_nth(pid == 0))
		exit(77);
	copy_set(&me->ready, 0);
	copy_set(&me->wrote, 0);
	copy_set(&me->got, 0);
	copy_set(&me->put, 1);
	await(&you->put, 1);
	copy_set(&me->got, 1);
	await(&you->got, 1);
	rows_run(pid != 0);
	if (pid != 0)
		printf("= copy us");
	size_run(65536, 65536, ROUNDS, pid != 0);
	size_run(MOST, MOST, ROUNDS, pid != 0);
	fold_run(pid != 0); /* behind all copies: its counts are larger */
	lines_run(pid != 0);
	if (pid != 0)
		printf("\n");
	return 0;
}
