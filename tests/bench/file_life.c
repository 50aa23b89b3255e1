// SPDX-License-Identifier: BSD-3-Clause
/*
 * file_life.c - views, pointers and the life of files in memory; computation beside accesses.
 *
 *	file_views       set_view, write_at_all, set_view: as HDF5 does
 *	file_view_list   set_view with a long list; file_view_huge: with a huge array
 *	file_shared      write_shared; file_ordered: write_ordered
 *	file_atomic      overlapping writes in atomic mode
 *	file_life        open and close; preallocate; seek to the end of a view with holes
 *	file_over        a nonblocking access and as much computation: how much of it is hidden
 */
#include "tests/bench/file.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RESERVE = 64 << 20, LIST = 1000000, HUGE_SIDE = 1000000 };

/* --- views ---------------------------------------------------------------------------------- */

static double views_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	double t = MPI_Wtime();

	(void)b;
	for (long i = 0; i < n; i++) {
		MPI_File_set_view(x->f, 0, MPI_BYTE, x->filetype, "native", MPI_INFO_NULL);
		MPI_File_write_at_all(x->f, 0, x->buf, (int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
		MPI_File_set_view(x->f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	}
	return MPI_Wtime() - t;
}

/* The least that a collective call does: it knows whether one has failed. */
static void views_agree(struct bench *b)
{
	int mine = 0, all;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (all != 0)
		bench_fail(b, "a rank has failed");
}

/* The bytes alone; and each of the three calls tells all of an error. */
static double views_bare_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	double t = MPI_Wtime();

	for (long i = 0; i < n; i++) {
		views_agree(b);
		if (pwrite(x->fd, x->buf, x->bytes, (off_t)b->rank * (off_t)x->bytes) < 0)
			bench_fail(b, "pwrite");
		views_agree(b);
		views_agree(b);
	}
	return MPI_Wtime() - t;
}

/* As HDF5 writes a dataset: a view, `row->arg' bytes, and the plain view again. */
void file_views(struct bench *b, const struct bench_row *row)
{
	int all = (int)row->arg * b->size, mine = (int)row->arg, at = mine * b->rank;
	struct file x;

	file_open(b, &x, row->arg);
	MPI_Type_create_subarray(1, &all, &mine, &at, MPI_ORDER_C, MPI_BYTE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	file_beside(b, row, &file_us, views_op, views_bare_op, &x);
	file_close(&x);
}

static double view_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	double t = MPI_Wtime();

	(void)b;
	for (long i = 0; i < n; i++)
		MPI_File_set_view(
			x->f, 0, MPI_DOUBLE, x->filetype, (char *)(size_t) "native", MPI_INFO_NULL);
	return MPI_Wtime() - t;
}

/* A list of LIST single doubles. */
void file_view_list(struct bench *b, const struct bench_row *row)
{
	int *at = malloc(LIST * sizeof(*at));
	struct file x;

	file_open(b, &x, 1);
	for (int i = 0; at != NULL && i < LIST; i++)
		at[i] = 3 * i + i % 2;
	if (at == NULL)
		bench_fail(b, "no memory");
	MPI_Type_create_indexed_block(LIST, 1, at, MPI_DOUBLE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	free(at);
	bench_measure(b, row->name, &file_us, view_op, &x, 1);
	file_close(&x);
}

/* The upper left quarter of an array of HUGE_SIDE x HUGE_SIDE doubles. */
void file_view_huge(struct bench *b, const struct bench_row *row)
{
	int sizes[2] = {HUGE_SIDE, HUGE_SIDE}, subs[2] = {HUGE_SIDE / 2, HUGE_SIDE / 2};
	int starts[2] = {0, 0};
	struct file x;

	file_open(b, &x, 1);
	MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_C, MPI_DOUBLE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	bench_measure(b, row->name, &file_us, view_op, &x, 1);
	file_close(&x);
}

/* --- the shared pointer --------------------------------------------------------------------- */

static double pointer_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;

	(void)b;
	MPI_File_seek_shared(x->f, 0, MPI_SEEK_SET);
	MPI_Barrier(MPI_COMM_WORLD);
	double t = MPI_Wtime();
	for (long i = 0; i < n; i++)
		if (x->method == 's')
			MPI_File_write_shared(
				x->f, x->buf, (int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
		else
			MPI_File_write_ordered(
				x->f, x->buf, (int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
	return MPI_Wtime() - t;
}

/* A word that all ranks add to, and a system call at the old value. */
static double pointer_bare_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	double t;

	if (b->rank == 0)
		*x->pointer = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		long at = __atomic_fetch_add(x->pointer, (long)x->bytes, __ATOMIC_SEQ_CST);

		if (pwrite(x->fd, x->buf, x->bytes, at) < 0)
			bench_fail(b, "pwrite");
	}
	return MPI_Wtime() - t;
}

/* Each rank at its place, and all meet. */
static double ordered_bare_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	double t;

	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		if (pwrite(x->fd, x->buf, x->bytes, (i * b->size + b->rank) * (off_t)x->bytes) < 0)
			bench_fail(b, "pwrite");
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return MPI_Wtime() - t;
}

static void pointer(struct bench *b, const struct bench_row *row, int method)
{
	const char *name = file_name();
	char word[600];
	struct file x;
	int fd;

	file_open(b, &x, row->arg);
	x.method = method;
	snprintf(word, sizeof(word), "%s.word", name);
	fd = open(word, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 4096) != 0)
		bench_fail(b, "no file for a shared word");
	x.pointer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (x.pointer == MAP_FAILED)
		bench_fail(b, "no memory for a shared word");
	file_beside(b, row, &file_us, pointer_op, method == 's' ? pointer_bare_op : ordered_bare_op,
		&x);
	munmap(x.pointer, 4096);
	close(fd);
	MPI_Barrier(MPI_COMM_WORLD);
	if (b->rank == 0)
		unlink(word);
	file_close(&x);
}

void file_shared(struct bench *b, const struct bench_row *row)
{
	pointer(b, row, 's');
}

void file_ordered(struct bench *b, const struct bench_row *row)
{
	pointer(b, row, 'o');
}

/* --- atomic mode ---------------------------------------------------------------------------- */

static double atomic_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;

	MPI_Barrier(MPI_COMM_WORLD);
	double t = MPI_Wtime();
	for (long i = 0; i < n; i++)
		MPI_File_write_at(x->f, (MPI_Offset)b->rank * (MPI_Offset)x->bytes / 2, x->buf,
			(int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
	return MPI_Wtime() - t;
}

/* Locks the bytes, writes them, and unlocks them. */
static double atomic_bare_op(struct bench *b, void *ctx, long n)
{
	enum { SETLK = 37, SETLKW = 38 }; /* F_OFD_SETLK, F_OFD_SETLKW */
	struct file *x = ctx;
	off_t at = (off_t)b->rank * (off_t)x->bytes / 2;
	double t;

	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		struct flock lock = {.l_type = F_WRLCK, .l_start = at, .l_len = (off_t)x->bytes};

		if (fcntl(x->fd, SETLKW, &lock) != 0 || pwrite(x->fd, x->buf, x->bytes, at) < 0)
			bench_fail(b, "a locked pwrite");
		lock.l_type = F_UNLCK;
		fcntl(x->fd, SETLK, &lock);
	}
	return MPI_Wtime() - t;
}

/* Each rank writes row->arg bytes; half of them are the next rank's as well. */
void file_atomic(struct bench *b, const struct bench_row *row)
{
	struct file x;

	file_open(b, &x, row->arg);
	MPI_File_set_atomicity(x.f, 1);
	file_beside(b, row, &file_us, atomic_op, atomic_bare_op, &x);
	file_close(&x);
}

/* --- open, reserve, seek -------------------------------------------------------------------- */

static double open_op(struct bench *b, void *ctx, long n)
{
	char *name = ctx;
	double t = MPI_Wtime();

	(void)b;
	for (long i = 0; i < n; i++) {
		MPI_File f;

		MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		MPI_File_close(&f);
	}
	return MPI_Wtime() - t;
}

void file_life(struct bench *b, const struct bench_row *row)
{
	struct file x;

	file_open(b, &x, 1);
	bench_measure(b, row->name, &file_us, open_op, (void *)(size_t)file_name(), 1);
	file_close(&x);
}

static double reserve_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	double t = 0;

	(void)b;
	for (long i = 0; i < n; i++) {
		MPI_File_set_size(x->f, 0);
		MPI_Barrier(MPI_COMM_WORLD);
		t -= MPI_Wtime();
		MPI_File_preallocate(x->f, RESERVE);
		t += MPI_Wtime();
	}
	return t;
}

static double reserve_bare_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	double t = 0;

	for (long i = 0; i < n; i++) {
		if (ftruncate(x->fd, 0) != 0)
			bench_fail(b, "ftruncate");
		t -= MPI_Wtime();
		if (posix_fallocate(x->fd, 0, RESERVE) != 0)
			bench_fail(b, "posix_fallocate");
		t += MPI_Wtime();
	}
	return t;
}

void file_reserve(struct bench *b, const struct bench_row *row)
{
	struct file x;

	file_open(b, &x, 1);
	file_beside(b, row, &file_ms, reserve_op, reserve_bare_op, &x);
	file_close(&x);
}

static double end_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	double t = MPI_Wtime();

	(void)b;
	for (long i = 0; i < n; i++)
		MPI_File_seek(x->f, 0, MPI_SEEK_END);
	return MPI_Wtime() - t;
}

void file_end(struct bench *b, const struct bench_row *row)
{
	struct file x;

	file_open(b, &x, 1);
	MPI_File_set_size(x.f, (MPI_Offset)row->arg);
	MPI_Type_vector(4, 8, 16, MPI_BYTE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	MPI_File_set_view(x.f, 0, MPI_BYTE, x.filetype, "native", MPI_INFO_NULL);
	bench_measure(b, row->name, &file_us, end_op, &x, 1);
	file_close(&x);
}

/* --- computation beside an access ----------------------------------------------------------- */

static volatile double over_sink = 2;

/* About `seconds' of computation, without MPI.  The compiler must not know v: from 1 on it is 1. */
static void over_compute(double seconds, double per_second)
{
	double v = over_sink;

	for (long i = (long)(seconds * per_second); i > 0; i--)
		v = v * 0.999999 + 2e-6;
	over_sink = v;
}

static double over_speed(void)
{
	double best = 0;

	for (int i = 0; i < 10; i++) {
		double t = MPI_Wtime(), speed;

		over_compute(1, 2e6);
		speed = 2e6 / (MPI_Wtime() - t);
		best = speed > best ? speed : best;
	}
	return best;
}

static void over_begin(struct file *x, MPI_Request *r)
{
	if (x->method == 'i')
		MPI_File_iwrite(x->f, x->buf, (int)x->bytes, MPI_BYTE, r);
	else
		MPI_File_iwrite_all(x->f, x->buf, (int)x->bytes, MPI_BYTE, r);
}

/* The seconds of an access with `compute' seconds of computation between its start and its end. */
static double over_access(struct file *x, double compute, double speed)
{
	MPI_Request r;
	double t;

	MPI_File_seek(x->f, 0, MPI_SEEK_SET);
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	over_begin(x, &r);
	over_compute(compute, speed);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	return MPI_Wtime() - t;
}

/* The seconds of that computation alone, by all ranks at once. */
static double over_alone(double compute, double speed)
{
	double t;

	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	over_compute(compute, speed);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime() - t;
}

/* This thread computes on the first of its CPUs only; the library's threads have all of them. */
static void over_bind(void)
{
	cpu_set_t all, one;
	size_t cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		return;
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* Prints the part of an access that as much computation hides, from 0 to 1: the best of some.
 * bind: all ranks compute on one CPU. */
static void life_over(struct bench *b, const struct bench_row *row, struct file *x, bool bind)
{
	double alone = 1e9, beside = 1e9, pure = 1e9, speed = over_speed(), hidden;

	over_access(x, 0, speed); /* the library makes its threads */
	if (bind)
		over_bind();
	for (int i = 0; i < 5; i++) {
		double t = over_access(x, 0, speed);

		alone = t < alone ? t : alone;
	}
	MPI_Bcast(&alone, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 5; i++) {
		double t = over_access(x, alone, speed);

		beside = t < beside ? t : beside;
		t = over_alone(alone, speed);
		pure = t < pure ? t : pure;
	}
	if (pure < alone / 2)
		bench_fail(
			b, "the computation takes %.3g ms, not %.3g ms", 1e3 * pure, 1e3 * alone);
	hidden = 1 - (beside - pure) / alone;
	bench_print(b, row->name, "x", hidden < 0 ? 0.001 : hidden);
}

/* A long piece, by one call of each rank. */
void file_over(struct bench *b, const struct bench_row *row)
{
	struct file x;

	file_open(b, &x, row->arg);
	x.method = 'i';
	life_over(b, row, &x, false);
	file_close(&x);
}

/* Blocks of 4 KiB of all ranks in turn, by a collective call. */
static void over_blocks(struct bench *b, const struct bench_row *row, bool bind)
{
	int block = 4096, n = (int)row->arg / b->size / block;
	struct file x;

	file_open(b, &x, (size_t)n * (size_t)block);
	x.method = 'a';
	MPI_Type_vector(n, block, block * b->size, MPI_BYTE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	MPI_File_set_view(x.f, (MPI_Offset)b->rank * block, MPI_BYTE, x.filetype,
		(char *)(size_t) "native", MPI_INFO_NULL);
	life_over(b, row, &x, bind);
	file_close(&x);
}

void file_over_all(struct bench *b, const struct bench_row *row)
{
	over_blocks(b, row, false);
}

void file_over_idle(struct bench *b, const struct bench_row *row)
{
	over_blocks(b, row, true);
}
