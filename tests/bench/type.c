// SPDX-License-Identifier: BSD-3-Clause
/*
 * type.c - derived datatypes: packing beside the loop that a user would write, and messages.
 *
 *	row SHAPE.BYTES, two ranks, one job:
 *	  SHAPE.BYTES		time of the plain loop / time of MPI_Pack, n of each in turns
 *	  SHAPE.BYTES.un	the same for MPI_Unpack
 *	  SHAPE.BYTES.pp	half of a round trip of a message of that type
 *	row commit: create, commit and free a vector
 *	row packcall: MPI_Pack of one double: the part of a short MPI_Pack beside copying, in units
 *	of memcpy of 1 KiB
 *
 *	cont	doubles in a row: the plain loop is memcpy
 *	v1, v4	vector(n, 1, 2), vector(n, 4, 8) of double
 *	fx fy fz	a face of a 3-D array of doubles that is DEEP in this direction; z is one
 *piece idx	indexed, blocks of 1 to 4 doubles with gaps of 1 to 4
 *	rec	struct { int; double; char[3] }: an array of it
 *
 * The plain loops are compiled with -O3, their strides are constants or arguments as in a program.
 * Packed bytes are compared with the loop's before the clock runs.
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 8, COMMIT_VECTOR = 1000 };

struct record {
	int i;
	double d;
	char c[3];
};

struct shape;
typedef void simple_loop(const struct shape *s, void *restrict mem, void *restrict packed);

struct shape {
	MPI_Datatype type;
	int count; /* elements of type in the message */
	size_t mem, packed;
	int nx, ny, nz, n;
	int *lens, *displs;
	simple_loop *pack, *unpack;
	char *user, *user2, *buf, *buf2;
	int out; /* which direction is measured */
};

static const struct bench_unit speed = {"x", 1, 0};
static const struct bench_unit one_way = {"us", 1e6 / 2, 0};
static const struct bench_unit each = {"us", 1e6, 0};

/* --- the plain loops ------------------------------------------------------------------------ */

#define LOOPS(name, T, body)                                                      \
	__attribute__((optimize("O3"), noinline)) static void name##_pack(        \
		const struct shape *s, void *restrict mem, void *restrict packed) \
	{                                                                         \
		T *restrict m = mem;                                              \
		double *restrict p = packed;                                      \
		const int n = s->n, nx = s->nx, ny = s->ny, nz = s->nz;           \
		(void)n, (void)nx, (void)ny, (void)nz;                            \
		body(TO_PACKED)                                                   \
	}                                                                         \
	__attribute__((optimize("O3"), noinline)) static void name##_unpack(      \
		const struct shape *s, void *restrict mem, void *restrict packed) \
	{                                                                         \
		T *restrict m = mem;                                              \
		double *restrict p = packed;                                      \
		const int n = s->n, nx = s->nx, ny = s->ny, nz = s->nz;           \
		(void)n, (void)nx, (void)ny, (void)nz;                            \
		body(TO_MEM)                                                      \
	}
#define TO_PACKED(m, p) ((p) = (m))
#define TO_MEM(m, p)    ((m) = (p))

#define V1(MOVE)                    \
	for (int i = 0; i < n; i++) \
		MOVE(m[2 * i], p[i]);
#define V4(MOVE)                            \
	for (int i = 0; i < n; i++)         \
		for (int j = 0; j < 4; j++) \
			MOVE(m[8 * i + j], p[4 * i + j]);
#define FX(MOVE)                             \
	for (int z = 0; z < nz; z++)         \
		for (int y = 0; y < ny; y++) \
			MOVE(m[(z * ny + y) * nx], p[z * ny + y]);
#define FY(MOVE)                             \
	for (int z = 0; z < nz; z++)         \
		for (int x = 0; x < nx; x++) \
			MOVE(m[z * ny * nx + x], p[z * nx + x]);
#define IDX(MOVE)                                    \
	for (int i = 0, k = 0; i < n; i++)           \
		for (int j = 0; j < s->lens[i]; j++) \
			MOVE(m[s->displs[i] + j], p[k++]);
LOOPS(v1, double, V1)
LOOPS(v4, double, V4)
LOOPS(fx, double, FX)
LOOPS(fy, double, FY)
LOOPS(idx, double, IDX)

static void cont_pack(const struct shape *s, void *restrict mem, void *restrict packed)
{
	memcpy(packed, mem, s->packed);
}

static void cont_unpack(const struct shape *s, void *restrict mem, void *restrict packed)
{
	memcpy(mem, packed, s->packed);
}

__attribute__((optimize("O3"), noinline)) static void rec_pack(
	const struct shape *s, void *restrict mem, void *restrict packed)
{
	const struct record *m = mem;
	char *p = packed;

	for (int i = 0; i < s->n; i++, p += 15) {
		memcpy(p, &m[i].i, 4);
		memcpy(p + 4, &m[i].d, 8);
		memcpy(p + 12, m[i].c, 3);
	}
}

__attribute__((optimize("O3"), noinline)) static void rec_unpack(
	const struct shape *s, void *restrict mem, void *restrict packed)
{
	struct record *m = mem;
	const char *p = packed;

	for (int i = 0; i < s->n; i++, p += 15) {
		memcpy(&m[i].i, p, 4);
		memcpy(&m[i].d, p + 4, 8);
		memcpy(m[i].c, p + 12, 3);
	}
}

/* --- the shapes ----------------------------------------------------------------------------- */

static void make_cont(struct shape *s, int doubles)
{
	MPI_Type_contiguous(doubles, MPI_DOUBLE, &s->type);
	s->mem = (size_t)doubles * 8;
	s->pack = cont_pack;
	s->unpack = cont_unpack;
}

static void make_v1(struct shape *s, int doubles)
{
	s->n = doubles;
	MPI_Type_vector(s->n, 1, 2, MPI_DOUBLE, &s->type);
	s->mem = (size_t)doubles * 16;
	s->pack = v1_pack;
	s->unpack = v1_unpack;
}

static void make_v4(struct shape *s, int doubles)
{
	s->n = doubles / 4;
	MPI_Type_vector(s->n, 4, 8, MPI_DOUBLE, &s->type);
	s->mem = (size_t)doubles * 16;
	s->pack = v4_pack;
	s->unpack = v4_unpack;
}

/* The first plane of direction `thin' (0: z, 1: y, 2: x). */
static void make_face(struct shape *s, int doubles, int thin)
{
	int side = 1, sizes[3], part[3], zero[3] = {0, 0, 0};

	while ((side + 1) * (side + 1) <= doubles)
		side++;
	for (int d = 0; d < 3; d++)
		sizes[d] = part[d] = side;
	sizes[thin] = DEEP;
	part[thin] = 1;
	MPI_Type_create_subarray(3, sizes, part, zero, MPI_ORDER_C, MPI_DOUBLE, &s->type);
	s->nz = sizes[0];
	s->ny = sizes[1];
	s->nx = sizes[2];
	s->packed = (size_t)(side * side) * 8;
	s->mem = s->packed * DEEP;
	s->pack = thin == 0 ? cont_pack : thin == 1 ? fy_pack : fx_pack;
	s->unpack = thin == 0 ? cont_unpack : thin == 1 ? fy_unpack : fx_unpack;
}

static void make_fx(struct shape *s, int doubles)
{
	make_face(s, doubles, 2);
}

static void make_fy(struct shape *s, int doubles)
{
	make_face(s, doubles, 1);
}

static void make_fz(struct shape *s, int doubles)
{
	make_face(s, doubles, 0);
}

static void make_idx(struct shape *s, int doubles)
{
	uint32_t seed = 12345;
	int at = 0, left = doubles;

	s->lens = malloc((size_t)doubles * sizeof(int));
	s->displs = malloc((size_t)doubles * sizeof(int));
	for (s->n = 0; left > 0; s->n++) {
		int len = 1 + (int)((seed = seed * 1664525 + 1013904223) >> 30);
		int gap = 1 + (int)((seed = seed * 1664525 + 1013904223) >> 30);

		len = len < left ? len : left;
		s->lens[s->n] = len;
		s->displs[s->n] = at;
		at += len + gap;
		left -= len;
	}
	MPI_Type_indexed(s->n, s->lens, s->displs, MPI_DOUBLE, &s->type);
	s->mem = (size_t)at * 8;
	s->pack = idx_pack;
	s->unpack = idx_unpack;
}

static void make_rec(struct shape *s, int doubles)
{
	int lens[3] = {1, 1, 3};
	MPI_Aint displs[3] = {
		offsetof(struct record, i), offsetof(struct record, d), offsetof(struct record, c)};
	MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, raw;

	MPI_Type_create_struct(3, lens, displs, types, &raw);
	MPI_Type_create_resized(raw, 0, sizeof(struct record), &s->type);
	MPI_Type_free(&raw);
	s->n = s->count = doubles * 8 / 15;
	s->packed = (size_t)s->n * 15;
	s->mem = (size_t)s->n * sizeof(struct record);
	s->pack = rec_pack;
	s->unpack = rec_unpack;
}

static void (*const makers[])(struct shape *s, int doubles) = {
	make_cont, make_v1, make_v4, make_fx, make_fy, make_fz, make_idx, make_rec};

/* --- measuring ------------------------------------------------------------------------------ */

static void type_pack(struct shape *s, char *user, char *buf)
{
	int at = 0;

	MPI_Pack(user, s->count, s->type, buf, (int)s->packed, &at, MPI_COMM_WORLD);
}

static void unpack(struct shape *s, char *user, char *buf)
{
	int at = 0;

	MPI_Unpack(buf, (int)s->packed, &at, user, s->count, s->type, MPI_COMM_WORLD);
}

/* The compiler must believe that the memory is read. */
static void type_used(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

/* n plain loops, then n calls: speed of the calls relative to the loops', n times. */
static double type_race(struct bench *b, void *ctx, long n)
{
	struct shape *s = ctx;
	double t0 = MPI_Wtime(), t1;

	if (b->rank != 0)
		return (double)n;
	for (long i = 0; i < n; i++) {
		(s->out ? s->pack : s->unpack)(s, s->user, s->buf);
		type_used(s->out ? s->buf : s->user);
	}
	t1 = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		if (s->out)
			type_pack(s, s->user, s->buf);
		else
			unpack(s, s->user, s->buf);
	}
	return (t1 - t0) / (MPI_Wtime() - t1) * (double)n;
}

static double type_pingpong(struct bench *b, void *ctx, long n)
{
	struct shape *s = ctx;
	double t0 = MPI_Wtime();
	int peer = 1 - b->rank;

	for (long i = 0; i < n; i++) {
		if (b->rank == 0)
			MPI_Send(s->user, s->count, s->type, peer, BENCH_TAG, MPI_COMM_WORLD);
		MPI_Recv(s->user2, s->count, s->type, peer, BENCH_TAG, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		if (b->rank == 1)
			MPI_Send(s->user, s->count, s->type, peer, BENCH_TAG, MPI_COMM_WORLD);
	}
	return MPI_Wtime() - t0;
}

/* The library's bytes are the loop's, by MPI_Pack, MPI_Unpack and a message. */
static void type_check(struct bench *b, struct shape *s)
{
	bench_fill(s->user, s->mem, 1);
	s->pack(s, s->user, s->buf);
	type_pack(s, s->user, s->buf2);
	if (memcmp(s->buf, s->buf2, s->packed) != 0)
		bench_fail(b, "MPI_Pack differs from the loop");
	memset(s->user2, 0, s->mem);
	unpack(s, s->user2, s->buf);
	s->pack(s, s->user2, s->buf2);
	if (memcmp(s->buf, s->buf2, s->packed) != 0)
		bench_fail(b, "MPI_Unpack differs from the loop");
	memset(s->user2, 0, s->mem);
	type_pingpong(b, s, 1);
	s->pack(s, s->user2, s->buf2);
	if (memcmp(s->buf, s->buf2, s->packed) != 0)
		bench_fail(b, "a message differs from the loop");
}

void type_shape(struct bench *b, const struct bench_row *row)
{
	struct shape s = {.count = 1};
	size_t bytes = row->arg % TYPE_BYTES;
	char name[64];

	s.packed = bytes;
	makers[row->arg / TYPE_BYTES](&s, (int)(bytes / 8));
	MPI_Type_commit(&s.type);
	s.user = bench_alloc(b, s.mem);
	s.user2 = bench_alloc(b, s.mem);
	s.buf = bench_alloc(b, s.packed);
	s.buf2 = bench_alloc(b, s.packed);
	type_check(b, &s);
	s.out = 1;
	bench_measure(b, row->name, &speed, type_race, &s, 0);
	s.out = 0;
	snprintf(name, sizeof(name), "%s.un", row->name);
	bench_measure(b, name, &speed, type_race, &s, 0);
	snprintf(name, sizeof(name), "%s.pp", row->name);
	bench_measure(b, name, &one_way, type_pingpong, &s, 0);
	MPI_Type_free(&s.type);
	free(s.user);
	free(s.user2);
	free(s.buf);
	free(s.buf2);
	free(s.lens);
	free(s.displs);
}

static double commit_op(struct bench *b, void *ctx, long n)
{
	double t0 = MPI_Wtime();

	(void)b;
	(void)ctx;
	for (long i = 0; i < n; i++) {
		MPI_Datatype t;

		MPI_Type_vector(COMMIT_VECTOR, 1, 2, MPI_DOUBLE, &t);
		MPI_Type_commit(&t);
		MPI_Type_free(&t);
	}
	return MPI_Wtime() - t0;
}

void type_commit(struct bench *b, const struct bench_row *row)
{
	bench_measure(b, row->name, &each, commit_op, NULL, 0);
}

enum { CALL_BYTES = 1024 };

static char call_from[CALL_BYTES], call_to[CALL_BYTES];

/* n times memcpy, then n times MPI_Pack of one double: the share, n times. */
static double call_op(struct bench *b, void *ctx, long n)
{
	double t0 = MPI_Wtime(), t1;

	(void)ctx;
	if (b->rank != 0)
		return (double)n;
	for (long i = 0; i < n; i++) {
		memcpy(call_to, call_from, sizeof(call_to));
		type_used(call_to);
	}
	t1 = MPI_Wtime();
	for (long i = 0; i < n; i++) {
		int at = 0;

		MPI_Pack(call_from, 1, MPI_DOUBLE, call_to, CALL_BYTES, &at, MPI_COMM_WORLD);
	}
	return (MPI_Wtime() - t1) / (t1 - t0) * (double)n;
}

void type_call(struct bench *b, const struct bench_row *row)
{
	bench_measure(b, row->name, &speed, call_op, NULL, 0);
}
