// SPDX-License-Identifier: BSD-3-Clause
/*
 * file.c - files in memory (tmpfs): the software's own cost of an access.
 *
 *	file_contiguous  write_at, read_at of one piece, one rank
 *	file_blocks      write_all, read_all: blocks of all ranks in turn
 *	file_holes       as that, but only half of the bytes are written
 *	file_cube        a 3-D array of ints, a block of it at each rank
 *	file_memory      pieces of memory, one piece of the file
 *	file_small       short pieces far apart, by one rank
 *	file_views       set_view, write_at_all, set_view: as HDF5 does
 *	file_pointer     write_shared, write_ordered
 *	file_life        open and close; preallocate; seek to the end of a view with holes
 *
 * The file is in TMPDIR, or in /dev/shm.  It is written over in each operation.
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TOTAL = 8 << 20, /* bytes of a collective access, by all ranks */
	SMALL = 10000,   /* short pieces */
	SMALL_BYTES = 16,
	SMALL_STRIDE = 64,
	SIDE = 128, /* of the cube */
	RESERVE = 64 << 20
};

static const struct bench_unit us = {"us", 1e6, 0}, ms = {"ms", 1e3, 0};

struct file {
	MPI_File f;
	char *buf;
	MPI_Datatype filetype, memory;
	int count;    /* of memory */
	size_t bytes; /* of one access of this rank */
	int way;      /* 'r', 'w'; 's' shared, 'o' ordered */
};

static const char *file_name(void)
{
	static char name[500];
	const char *dir = getenv("TMPDIR");
	int id = (int)getpid();

	MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
	snprintf(name, sizeof(name), "%s/bench_file.%d", dir != NULL ? dir : "/dev/shm", id);
	return name;
}

static void file_open(const struct bench *b, struct file *x, size_t bytes)
{
	memset(x, 0, sizeof(*x));
	x->bytes = bytes;
	x->buf = calloc(1, bytes + 1);
	x->filetype = x->memory = MPI_DATATYPE_NULL;
	if (x->buf == NULL)
		bench_fail(b, "no memory");
	memset(x->buf, 'a' + b->rank % 26, bytes);
	if (MPI_File_open(MPI_COMM_WORLD, file_name(), MPI_MODE_RDWR | MPI_MODE_CREATE,
		    MPI_INFO_NULL, &x->f) != 0)
		bench_fail(b, "cannot open a file");
}

static void file_close(struct file *x)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_close(&x->f);
	if (x->filetype != MPI_DATATYPE_NULL)
		MPI_Type_free(&x->filetype);
	if (x->memory != MPI_DATATYPE_NULL)
		MPI_Type_free(&x->memory);
	free(x->buf);
	const char *name = file_name();
	if (rank == 0)
		MPI_File_delete((char *)name, MPI_INFO_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* --- one piece ------------------------------------------------------------------------------ */

static double contiguous_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	MPI_Offset at =
		x->filetype != MPI_DATATYPE_NULL ? 0 : (MPI_Offset)b->rank * (MPI_Offset)x->bytes;
	double t = MPI_Wtime();

	for (long i = 0; i < n; i++)
		if (x->way == 'w')
			MPI_File_write_at(
				x->f, at, x->buf, (int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
		else
			MPI_File_read_at(
				x->f, at, x->buf, (int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
	return MPI_Wtime() - t;
}

static void file_piece(struct bench *b, const struct bench_row *row, int way)
{
	struct file x;

	file_open(b, &x, row->arg);
	x.way = 'w';
	contiguous_op(b, &x, 1);
	x.way = way;
	bench_measure(b, row->name, &us, contiguous_op, &x, 1);
	file_close(&x);
}

void file_write(struct bench *b, const struct bench_row *row)
{
	file_piece(b, row, 'w');
}

void file_read(struct bench *b, const struct bench_row *row)
{
	file_piece(b, row, 'r');
}

/* --- collective ----------------------------------------------------------------------------- */

static double collective_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	MPI_Datatype type = x->memory != MPI_DATATYPE_NULL ? x->memory : MPI_BYTE;
	int count = x->memory != MPI_DATATYPE_NULL ? x->count : (int)x->bytes;

	(void)b;
	MPI_Barrier(MPI_COMM_WORLD);
	double t = MPI_Wtime();
	for (long i = 0; i < n; i++)
		if (x->way == 'w')
			MPI_File_write_at_all(x->f, 0, x->buf, count, type, MPI_STATUS_IGNORE);
		else
			MPI_File_read_at_all(x->f, 0, x->buf, count, type, MPI_STATUS_IGNORE);
	return MPI_Wtime() - t;
}

static void collective_measure(
	struct bench *b, const struct bench_row *row, struct file *x, int way)
{
	x->way = 'w';
	collective_op(b, x, 1);
	x->way = way;
	bench_measure(b, row->name, &ms, collective_op, x, 1);
	if (way == 'r' && x->memory == MPI_DATATYPE_NULL &&
		(x->buf[0] != 'a' + b->rank % 26 || x->buf[x->bytes - 1] != x->buf[0]))
		bench_fail(b, "row %s: wrong data", row->name);
	file_close(x);
}

/* Blocks of `row->arg' bytes in turn; `share': of how many blocks each rank writes one. */
static void blocks(struct bench *b, const struct bench_row *row, int way, int share)
{
	int block = (int)row->arg, n = TOTAL / b->size / block;
	struct file x;

	file_open(b, &x, (size_t)n * (size_t)block);
	MPI_Type_vector(n, block, block * b->size * share, MPI_BYTE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	MPI_File_set_view(x.f, (MPI_Offset)b->rank * block * share, MPI_BYTE, x.filetype, "native",
		MPI_INFO_NULL);
	collective_measure(b, row, &x, way);
}

void file_blocks(struct bench *b, const struct bench_row *row)
{
	blocks(b, row, 'w', 1);
}

void file_blocks_read(struct bench *b, const struct bench_row *row)
{
	blocks(b, row, 'r', 1);
}

void file_holes(struct bench *b, const struct bench_row *row)
{
	blocks(b, row, 'w', 2);
}

static void cube(struct bench *b, const struct bench_row *row, int way)
{
	int sizes[3] = {SIDE, SIDE, SIDE}, procs[3] = {0, 0, 0}, subs[3], starts[3], r = b->rank;
	struct file x;

	MPI_Dims_create(b->size, 3, procs);
	for (int d = 2; d >= 0; r /= procs[d--]) {
		subs[d] = SIDE / procs[d];
		starts[d] = r % procs[d] * subs[d];
	}
	file_open(b, &x, sizeof(int) * (size_t)subs[0] * (size_t)subs[1] * (size_t)subs[2]);
	MPI_Type_create_subarray(3, sizes, subs, starts, MPI_ORDER_C, MPI_INT, &x.filetype);
	MPI_Type_commit(&x.filetype);
	MPI_File_set_view(x.f, 0, MPI_INT, x.filetype, "native", MPI_INFO_NULL);
	collective_measure(b, row, &x, way);
}

void file_cube(struct bench *b, const struct bench_row *row)
{
	cube(b, row, 'w');
}

void file_cube_read(struct bench *b, const struct bench_row *row)
{
	cube(b, row, 'r');
}

/* Every other piece of `row->arg' bytes of the memory; in the file one piece a rank. */
void file_memory(struct bench *b, const struct bench_row *row)
{
	int piece = (int)row->arg, n = TOTAL / b->size / piece;
	struct file x;

	file_open(b, &x, 2 * (size_t)n * (size_t)piece);
	MPI_Type_vector(n, piece, 2 * piece, MPI_BYTE, &x.memory);
	MPI_Type_commit(&x.memory);
	x.count = 1;
	MPI_File_set_view(
		x.f, (MPI_Offset)b->rank * n * piece, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	collective_measure(b, row, &x, 'w');
}

/* --- short pieces --------------------------------------------------------------------------- */

static void small(struct bench *b, const struct bench_row *row, int way)
{
	struct file x;

	file_open(b, &x, (size_t)SMALL * SMALL_BYTES);
	MPI_Type_vector(SMALL, SMALL_BYTES, SMALL_STRIDE, MPI_BYTE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	MPI_File_set_view(x.f, (MPI_Offset)b->rank * SMALL * SMALL_STRIDE, MPI_BYTE, x.filetype,
		"native", MPI_INFO_NULL);
	x.way = 'w';
	MPI_File_write_at(x.f, 0, x.buf, (int)x.bytes, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	x.way = way;
	bench_measure(b, row->name, &ms, contiguous_op, &x, 1);
	file_close(&x);
}

void file_small_write(struct bench *b, const struct bench_row *row)
{
	small(b, row, 'w');
}

void file_small_read(struct bench *b, const struct bench_row *row)
{
	small(b, row, 'r');
}

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

/* As HDF5 writes a dataset: a view, `row->arg' bytes, and the plain view again. */
void file_views(struct bench *b, const struct bench_row *row)
{
	int all = (int)row->arg * b->size, mine = (int)row->arg, at = mine * b->rank;
	struct file x;

	file_open(b, &x, row->arg);
	MPI_Type_create_subarray(1, &all, &mine, &at, MPI_ORDER_C, MPI_BYTE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	bench_measure(b, row->name, &us, views_op, &x, 1);
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
		if (x->way == 's')
			MPI_File_write_shared(
				x->f, x->buf, (int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
		else
			MPI_File_write_ordered(
				x->f, x->buf, (int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
	return MPI_Wtime() - t;
}

static void pointer(struct bench *b, const struct bench_row *row, int way)
{
	struct file x;

	file_open(b, &x, row->arg);
	x.way = way;
	bench_measure(b, row->name, &us, pointer_op, &x, 1);
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
	bench_measure(b, row->name, &us, open_op, (void *)(size_t)file_name(), 1);
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

void file_reserve(struct bench *b, const struct bench_row *row)
{
	struct file x;

	file_open(b, &x, 1);
	bench_measure(b, row->name, &ms, reserve_op, &x, 1);
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
	MPI_File_set_size(x.f, RESERVE);
	MPI_Type_vector(4, 8, 16, MPI_BYTE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	MPI_File_set_view(x.f, 0, MPI_BYTE, x.filetype, "native", MPI_INFO_NULL);
	bench_measure(b, row->name, &us, end_op, &x, 1);
	file_close(&x);
}
