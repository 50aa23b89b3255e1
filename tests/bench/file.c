// SPDX-License-Identifier: BSD-3-Clause
/*
 * file.c - accesses of files in memory (tmpfs): the software's own cost.
 *
 *	file_write       write_at of one piece, one rank; file_read: read_at
 *	file_blocks      write_all, read_all: blocks of all ranks in turn
 *	file_holes       as that, but only half of the bytes are written
 *	file_cube        a 3-D array of ints, a block of it at each rank
 *	file_memory      pieces of memory, one piece of the file
 *	file_equal       read_all: all ranks read the same bytes
 *	file_small_write short pieces far apart, by one rank
 */
#include "tests/bench/file.h"

#include <fcntl.h>
#include <stdbool.h>
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
	STAGE = 256 << 10
};

const struct bench_unit file_us = {"us", 1e6, 0}, file_ms = {"ms", 1e3, 0};

const char *file_name(void)
{
	static char name[500];
	const char *dir = getenv("TMPDIR");
	int id = (int)getpid();

	MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
	snprintf(name, sizeof(name), "%s/bench_file.%d", dir != NULL ? dir : "/dev/shm", id);
	return name;
}

void file_open(const struct bench *b, struct file *x, size_t bytes)
{
	const char *name = file_name();

	memset(x, 0, sizeof(*x));
	x->bytes = bytes;
	x->buf = calloc(1, bytes + 1);
	x->stage = malloc(STAGE);
	x->filetype = x->memory = MPI_DATATYPE_NULL;
	if (x->buf == NULL || x->stage == NULL)
		bench_fail(b, "no memory");
	memset(x->buf, 'a' + b->rank % 26, bytes);
	memset(x->stage, 0, STAGE);
	if (MPI_File_open(MPI_COMM_WORLD, (char *)(size_t)name, MPI_MODE_RDWR | MPI_MODE_CREATE,
		    MPI_INFO_NULL, &x->f) != 0)
		bench_fail(b, "cannot open a file");
	x->fd = open(name, O_RDWR);
	if (x->fd < 0)
		bench_fail(b, "cannot open the file once more");
}

/* The file is open by the library alone: no bare call follows. */
static void file_sole(struct file *x)
{
	close(x->fd);
	x->fd = -1;
}

void file_close(struct file *x)
{
	const char *name = file_name();
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_close(&x->f);
	if (x->fd >= 0)
		close(x->fd);
	if (x->filetype != MPI_DATATYPE_NULL)
		MPI_Type_free(&x->filetype);
	if (x->memory != MPI_DATATYPE_NULL)
		MPI_Type_free(&x->memory);
	free(x->buf);
	free(x->stage);
	if (rank == 0)
		MPI_File_delete((char *)(size_t)name, MPI_INFO_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
}

void file_beside(struct bench *b, const struct bench_row *row, const struct bench_unit *unit,
	bench_op *op, bench_op *bare, struct file *x)
{
	char again[40], simple[40], quotient[40];
	double ours, theirs;

	if (bare == NULL) {
		bench_measure(b, row->name, unit, op, x, 1);
		return;
	}
	snprintf(again, sizeof(again), "%s.again", row->name);
	snprintf(simple, sizeof(simple), "%s.bare", row->name);
	snprintf(quotient, sizeof(quotient), "%s.x", row->name);
	theirs = bench_measure(b, simple, unit, bare, x, 1);
	ours = bench_measure(b, row->name, unit, op, x, 1);
	ours += bench_measure(b, again, unit, op, x, 1);
	theirs += bench_measure(b, simple, unit, bare, x, 1);
	bench_print(b, quotient, "x", theirs / ours);
	snprintf(quotient, sizeof(quotient), "%s.add", row->name);
	bench_print(b, quotient, unit->name, (ours - theirs) / 2);
}

/* --- bare system calls ---------------------------------------------------------------------- */

static void bare_move(struct file *x, char *buf, size_t n, size_t at)
{
	ssize_t got = x->method == 'r' ? pread(x->fd, buf, n, (off_t)at)
				       : pwrite(x->fd, buf, n, (off_t)at);

	if (got != (ssize_t)n) {
		fprintf(stderr, "a bare call has moved %zd of %zu bytes\n", got, n);
		_exit(1);
	}
}

/* One piece, by each rank. */
static double bare_part_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	size_t at = x->filetype != MPI_DATATYPE_NULL ? 0 : (size_t)b->rank * x->bytes;
	double t = MPI_Wtime();

	for (long i = 0; i < n; i++)
		bare_move(x, x->buf, x->bytes, at);
	return MPI_Wtime() - t;
}

/* Each rank its own pieces of the file, one by one; then all meet. */
static double bare_parts_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;

	(void)b;
	MPI_Barrier(MPI_COMM_WORLD);
	double t = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		for (size_t k = 0; k < x->parts; k++)
			bare_move(x, x->buf + k * x->part, x->part, x->first + k * x->stride);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return MPI_Wtime() - t;
}

/* Every other piece of memory into a stage, and the stage into the file; then all meet. */
static double bare_pack_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;

	MPI_Barrier(MPI_COMM_WORLD);
	double t = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		size_t at = (size_t)b->rank * x->bytes;

		for (size_t k = 0; k < x->parts;) {
			size_t room = 0;

			for (; k < x->parts && room < STAGE; k++, room += 64)
				memcpy(x->stage + room, x->buf + k * 128, 64);
			bare_move(x, x->stage, room, at);
			at += room;
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return MPI_Wtime() - t;
}

/* All of the file into a stage that the cache holds, and this rank's pieces out of it; all meet.
 * It reads the file once a rank, and needs no exchange. */
static double bare_sieve_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;

	(void)b;
	MPI_Barrier(MPI_COMM_WORLD);
	double t = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		const size_t end = x->parts * x->stride;
		size_t run = x->first, len;
		char *to = x->buf;

		for (size_t at = 0; at < end; at += len) {
			len = end - at < STAGE ? end - at : STAGE;
			bare_move(x, x->stage, len, at);
			for (; run < at + len; run += x->stride, to += 64)
				memcpy(to, x->stage + (run - at), 64);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return MPI_Wtime() - t;
}

/* --- one piece ------------------------------------------------------------------------------ */

static double contiguous_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;
	MPI_Offset at =
		x->filetype != MPI_DATATYPE_NULL ? 0 : (MPI_Offset)b->rank * (MPI_Offset)x->bytes;
	double t = MPI_Wtime();

	for (long i = 0; i < n; i++)
		if (x->method == 'w')
			MPI_File_write_at(
				x->f, at, x->buf, (int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
		else
			MPI_File_read_at(
				x->f, at, x->buf, (int)x->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
	return MPI_Wtime() - t;
}

static void file_part(struct bench *b, const struct bench_row *row, int method)
{
	struct file x;

	file_open(b, &x, row->arg);
	x.method = 'w';
	contiguous_op(b, &x, 1);
	x.method = method;
	file_beside(b, row, &file_us, contiguous_op, bare_part_op, &x);
	file_close(&x);
}

void file_write(struct bench *b, const struct bench_row *row)
{
	file_part(b, row, 'w');
}

void file_read(struct bench *b, const struct bench_row *row)
{
	file_part(b, row, 'r');
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
		if (x->method == 'w')
			MPI_File_write_at_all(x->f, 0, x->buf, count, type, MPI_STATUS_IGNORE);
		else
			MPI_File_read_at_all(x->f, 0, x->buf, count, type, MPI_STATUS_IGNORE);
	return MPI_Wtime() - t;
}

static void collective_measure(
	struct bench *b, const struct bench_row *row, struct file *x, int method, bench_op *bare)
{
	x->method = 'w';
	collective_op(b, x, 1);
	x->method = method;
	file_beside(b, row, &file_ms, collective_op, bare, x);
	if (method == 'r' && x->memory == MPI_DATATYPE_NULL &&
		(x->buf[0] != 'a' + b->rank % 26 || x->buf[x->bytes - 1] != x->buf[0]))
		bench_fail(b, "row %s: wrong data", row->name);
	file_close(x);
}

/* Blocks of `row->arg' bytes in turn; `share': of how many blocks each rank writes one. */
static void blocks_access(struct bench *b, const struct bench_row *row, int method, int share)
{
	int block = (int)row->arg, n = TOTAL / b->size / block;
	struct file x;

	file_open(b, &x, (size_t)n * (size_t)block);
	MPI_Type_vector(n, block, block * b->size * share, MPI_BYTE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	MPI_File_set_view(x.f, (MPI_Offset)b->rank * block * share, MPI_BYTE, x.filetype, "native",
		MPI_INFO_NULL);
	x.part = (size_t)block;
	x.parts = (size_t)n;
	x.stride = (size_t)block * (size_t)b->size * (size_t)share;
	x.first = (size_t)b->rank * (size_t)block * (size_t)share;
	if (method == 'r' && block == 64)
		collective_measure(b, row, &x, method, bare_sieve_op);
	else
		collective_measure(b, row, &x, method, block >= 4096 ? bare_parts_op : NULL);
}

void file_blocks(struct bench *b, const struct bench_row *row)
{
	blocks_access(b, row, 'w', 1);
}

void file_blocks_read(struct bench *b, const struct bench_row *row)
{
	blocks_access(b, row, 'r', 1);
}

void file_holes(struct bench *b, const struct bench_row *row)
{
	blocks_access(b, row, 'w', 2);
}

static void cube_access(struct bench *b, const struct bench_row *row, int method)
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
	collective_measure(b, row, &x, method, NULL);
}

void file_cube(struct bench *b, const struct bench_row *row)
{
	cube_access(b, row, 'w');
}

void file_cube_read(struct bench *b, const struct bench_row *row)
{
	cube_access(b, row, 'r');
}

/* Every other piece of `row->arg' bytes of the memory; in the file one piece a rank. */
void file_memory(struct bench *b, const struct bench_row *row)
{
	int part = (int)row->arg, n = TOTAL / b->size / part;
	struct file x;

	file_open(b, &x, 2 * (size_t)n * (size_t)part);
	x.parts = (size_t)n;
	x.bytes /= 2;
	MPI_Type_vector(n, part, 2 * part, MPI_BYTE, &x.memory);
	MPI_Type_commit(&x.memory);
	x.count = 1;
	MPI_File_set_view(
		x.f, (MPI_Offset)b->rank * n * part, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	collective_measure(b, row, &x, 'w', part == 64 ? bare_pack_op : NULL);
}

/* Each rank reads all; then all meet. */
static double bare_equal_op(struct bench *b, void *ctx, long n)
{
	struct file *x = ctx;

	(void)b;
	MPI_Barrier(MPI_COMM_WORLD);
	double t = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		bare_move(x, x->buf, x->bytes, 0);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return MPI_Wtime() - t;
}

/* All ranks read the same row->arg bytes. */
void file_equal(struct bench *b, const struct bench_row *row)
{
	struct file x;

	file_open(b, &x, row->arg);
	x.method = 'w';
	if (b->rank == 0)
		bare_part_op(b, &x, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	x.method = 'r';
	file_beside(b, row, &file_ms, collective_op, bare_equal_op, &x);
	file_close(&x);
}

/* One long piece a rank, collectively. */
void file_long(struct bench *b, const struct bench_row *row)
{
	struct file x;

	file_open(b, &x, row->arg);
	MPI_File_set_view(x.f, (MPI_Offset)b->rank * (MPI_Offset)x.bytes, MPI_BYTE, MPI_BYTE,
		"native", MPI_INFO_NULL);
	x.part = x.bytes;
	x.parts = 1;
	x.first = (size_t)b->rank * x.bytes;
	collective_measure(b, row, &x, 'w', bare_parts_op);
}

/* --- short pieces --------------------------------------------------------------------------- */

static void small_access(struct bench *b, const struct bench_row *row, int method, bool sole)
{
	struct file x;

	file_open(b, &x, (size_t)SMALL * SMALL_BYTES);
	MPI_Type_vector(SMALL, SMALL_BYTES, SMALL_STRIDE, MPI_BYTE, &x.filetype);
	MPI_Type_commit(&x.filetype);
	MPI_File_set_view(x.f, (MPI_Offset)b->rank * SMALL * SMALL_STRIDE, MPI_BYTE, x.filetype,
		"native", MPI_INFO_NULL);
	if (sole)
		file_sole(&x);
	x.method = 'w';
	MPI_File_write_at(x.f, 0, x.buf, (int)x.bytes, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	x.method = method;
	bench_measure(b, row->name, &file_ms, contiguous_op, &x, 1);
	file_close(&x);
}

void file_small_write(struct bench *b, const struct bench_row *row)
{
	small_access(b, row, 'w', true);
}

void file_small_read(struct bench *b, const struct bench_row *row)
{
	small_access(b, row, 'r', true);
}
