// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 time=120 */
/* RUN np=1,2,4 env="HAFT_RMA=vm|box|msg" time=120 */
/* MPI-5.0 12.3.1, 12.3.2, 12.3.4.1 to 12.3.4.4, 12.3.5, 12.7.2: put, get and accumulates move the
 * right data, with every transport of RMA.  Each rank works on the next one's part of the window,
 * of four kinds: allocated, created on malloc, created on MPI_Alloc_mem, dynamic. */
#include "tests/check.h"

#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BYTES (300 * 1024) /* several frames, stripes and pipes' chunks */

enum kind { ALLOCATED, ON_MALLOC, ON_ALLOC_MEM, DYNAMIC, KINDS };

struct part {
	MPI_Win win;
	enum kind kind;
	char *mem;     /* of this rank */
	int next;      /* the owner of the part that this rank works on */
	int from;      /* the rank that works on ours */
	MPI_Aint base; /* displacement of the next one's first byte */
};

static void part_begin(struct part *p, enum kind kind, MPI_Aint bytes, int unit)
{
	MPI_Aint mine = 0;

	*p = (struct part){.kind = kind};
	p->next = (check_rank + 1) % check_size;
	p->from = (check_rank + check_size - 1) % check_size;
	if (kind == ALLOCATED) {
		OK(MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &p->mem, &p->win));
		return;
	}
	if (kind == ON_ALLOC_MEM)
		OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &p->mem));
	else
		p->mem = malloc((size_t)bytes);
	CHECK(p->mem != NULL);
	if (kind != DYNAMIC) {
		OK(MPI_Win_create(p->mem, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &p->win));
		return;
	}
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &p->win));
	OK(MPI_Win_attach(p->win, p->mem, bytes));
	OK(MPI_Get_address(p->mem, &mine));
	OK(MPI_Sendrecv(&mine, 1, MPI_AINT, p->from, 0, &p->base, 1, MPI_AINT, p->next, 0,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void part_end(struct part *p)
{
	if (p->kind == DYNAMIC)
		OK(MPI_Win_detach(p->win, p->mem));
	OK(MPI_Win_free(&p->win));
	CHECK(p->win == MPI_WIN_NULL);
	if (p->kind == ON_ALLOC_MEM)
		OK(MPI_Free_mem(p->mem));
	else if (p->kind != ALLOCATED)
		free(p->mem);
}

/* --- 12.3.1, 12.3.2 ------------------------------------------------------------------------- */

static void contiguous(enum kind kind)
{
	static const int sizes[] = {0, 1, 2, 4, 7, 8, 16, 100, 4096, 20000, BYTES};
	char *out = malloc(BYTES), *in = malloc(BYTES);
	struct part p;

	CHECK(out != NULL && in != NULL);
	part_begin(&p, kind, BYTES + 3, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int n = sizes[i];

		check_fill(out, n, check_rank + (long)i);
		memset(p.mem, 0, BYTES + 3);
		OK(MPI_Win_fence(0, p.win));
		OK(MPI_Put(out, n, MPI_BYTE, p.next, p.base + 3, n, MPI_BYTE, p.win));
		OK(MPI_Win_fence(0, p.win));
		CHECK(check_wrong(p.mem + 3, n, p.from + (long)i) < 0);
		CHECK(p.mem[0] == 0 && p.mem[1] == 0 && p.mem[2] == 0);
		memset(in, 0, BYTES);
		OK(MPI_Win_fence(0, p.win));
		OK(MPI_Get(in, n, MPI_BYTE, p.next, p.base + 3, n, MPI_BYTE, p.win));
		OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, p.win));
		CHECK(check_wrong(in, n, check_rank + (long)i) < 0);
	}
	part_end(&p);
	free(out);
	free(in);
}

/* A type of n pieces, `kind' of them; its extent holds it. */
static MPI_Datatype rma_parts(int which, int n)
{
	int lens[] = {1, 3, 2}, at[] = {7, 0, 4};
	MPI_Aint displs[] = {0, 16, 40};
	MPI_Datatype types[] = {MPI_INT, MPI_BYTE, MPI_DOUBLE}, t, inner;

	switch (which) {
	case 0: OK(MPI_Type_contiguous(n * 6, MPI_BYTE, &t)); break;
	case 1: OK(MPI_Type_vector(n * 2, 3, 5, MPI_BYTE, &t)); break;
	case 2: OK(MPI_Type_create_hvector(n * 6, 1, 2, MPI_BYTE, &t)); break;
	case 3:
		OK(MPI_Type_indexed(3, lens, at, MPI_BYTE, &inner));
		OK(MPI_Type_contiguous(n, inner, &t));
		OK(MPI_Type_free(&inner));
		break;
	default:
		OK(MPI_Type_create_struct(3, lens, displs, types, &inner));
		OK(MPI_Type_contiguous(n, inner, &t));
		OK(MPI_Type_free(&inner));
	}
	OK(MPI_Type_commit(&t));
	return t;
}

/* The expected result: this move on a copy of the memory, through the packed form. */
static void model(const void *src, MPI_Datatype from, void *dst, MPI_Datatype to)
{
	int size, at = 0, n;
	char *packed;

	OK(MPI_Type_size(from, &size));
	OK(MPI_Pack_size(1, from, MPI_COMM_SELF, &n));
	packed = malloc((size_t)n);
	CHECK(packed != NULL);
	OK(MPI_Pack(src, 1, from, packed, n, &at, MPI_COMM_SELF));
	n = at;
	at = 0;
	OK(MPI_Unpack(packed, n, &at, dst, 1, to, MPI_COMM_SELF));
	free(packed);
}

static void one_pair(struct part *p, MPI_Datatype from, MPI_Datatype to)
{
	char *out = malloc(BYTES), *want = malloc(BYTES), *in = malloc(BYTES);

	CHECK(out != NULL && want != NULL && in != NULL);
	check_fill(p->mem, BYTES, check_rank);
	check_fill(want, BYTES, check_rank);
	check_fill(out, BYTES, 1000 + p->from);
	model(out, from, want, to);
	check_fill(out, BYTES, 1000 + check_rank);
	OK(MPI_Win_fence(0, p->win));
	OK(MPI_Put(out, 1, from, p->next, p->base, 1, to, p->win));
	OK(MPI_Win_fence(0, p->win));
	CHECK(memcmp(p->mem, want, BYTES) == 0);

	check_fill(in, BYTES, 77);
	check_fill(want, BYTES, 77);
	check_fill(out, BYTES, 2000 + p->next);
	model(out, to, want, from);
	check_fill(p->mem, BYTES, 2000 + check_rank);
	OK(MPI_Win_fence(0, p->win));
	OK(MPI_Get(in, 1, from, p->next, p->base, 1, to, p->win));
	OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, p->win));
	CHECK(memcmp(in, want, BYTES) == 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	free(out);
	free(want);
	free(in);
}

static void datatypes(enum kind kind)
{
	struct part p;

	part_begin(&p, kind, BYTES, 1);
	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++) {
			int n = (a + b) % 2 == 0 ? 3 : 5000;
			MPI_Datatype from = rma_parts(a, n), to = rma_parts(b, n);

			one_pair(&p, from, to);
			OK(MPI_Type_free(&from));
			OK(MPI_Type_free(&to));
		}
	for (int n = 1; n <= 4000; n += 3999) {
		MPI_Datatype same = rma_parts(4, n);

		one_pair(&p, same, same);
		OK(MPI_Type_free(&same));
	}
	part_end(&p);
}

/* --- 12.3.4 --------------------------------------------------------------------------------- */

#define ELEMENTS 30000

/* All ranks add to the next one and to rank 0 at the same time. */
static void rma_sums(enum kind kind)
{
	double *out = malloc(ELEMENTS * sizeof(double)), *mem;
	struct part p;

	CHECK(out != NULL);
	part_begin(&p, kind, ELEMENTS * (MPI_Aint)sizeof(double), kind == DYNAMIC ? 1 : 8);
	mem = (double *)(void *)p.mem;
	for (int i = 0; i < ELEMENTS; i++) {
		mem[i] = i;
		out[i] = check_rank + 1 + i;
	}
	OK(MPI_Win_fence(0, p.win));
	for (int i = 0; i < 3; i++)
		OK(MPI_Accumulate(out, ELEMENTS, MPI_DOUBLE, p.next, p.base, ELEMENTS, MPI_DOUBLE,
			MPI_SUM, p.win));
	OK(MPI_Win_fence(0, p.win));
	for (int i = 0; i < ELEMENTS; i++)
		CHECK(mem[i] == i + 3.0 * (p.from + 1 + i));
	part_end(&p);
	free(out);
}

static void counted(enum kind kind, MPI_Datatype type, int bytes)
{
	enum { N = 50 };
	MPI_Aint at = 0;
	struct part p;
	int64_t one = 1, got = 0, all = (int64_t)N * check_size;

	part_begin(&p, kind, 64, 1);
	memset(p.mem, 0, 64);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (kind == DYNAMIC)
		OK(MPI_Get_address(p.mem, &at));
	OK(MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, p.win));
	for (int i = 0; i < N; i++) {
		OK(MPI_Fetch_and_op(&one, &got, type, 0, at + 8, MPI_SUM, p.win));
		OK(MPI_Win_flush(0, p.win));
	}
	OK(MPI_Win_flush_all(p.win));
	OK(MPI_Win_unlock_all(p.win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, p.win));
		OK(MPI_Fetch_and_op(NULL, &got, type, 0, at + 8, MPI_NO_OP, p.win));
		OK(MPI_Win_unlock(0, p.win));
		CHECK(memcmp(&got, &all, (size_t)bytes) == 0);
		CHECK(memcmp(p.mem + 8, &all, (size_t)bytes) == 0 && p.mem[8 + bytes] == 0);
	}
	part_end(&p);
}

/* Elements that no atomic of the hardware can do, and of which many ranks add to the same. */
static void rma_wide(enum kind kind)
{
	enum { N = 40 };
	MPI_Aint at = 0;
	double complex one = 1 + 2 * I, *sum;
	struct part p;

	part_begin(&p, kind, 64, 1);
	memset(p.mem, 0, 64);
	sum = (double complex *)(void *)p.mem;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (kind == DYNAMIC)
		OK(MPI_Get_address(p.mem, &at));
	OK(MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, p.win));
	for (int i = 0; i < N; i++)
		OK(MPI_Accumulate(&one, 1, MPI_C_DOUBLE_COMPLEX, 0, at, 1, MPI_C_DOUBLE_COMPLEX,
			MPI_SUM, p.win));
	OK(MPI_Win_unlock_all(p.win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, p.win));
		CHECK(*sum == N * check_size * one);
		OK(MPI_Win_unlock(0, p.win));
	}
	part_end(&p);
}

/* Old values come in order; pairs, replace and derived types. */
static void fetches(enum kind kind)
{
	struct {
		double value;
		int index;
	} pair[2], was[2], *mem;
	struct part p;

	memset(pair, 0, sizeof(pair));
	part_begin(&p, kind, 2 * sizeof(pair[0]), 1);
	mem = (void *)p.mem;
	memset(mem, 0, 2 * sizeof(pair[0]));
	mem[0].value = 5;
	mem[0].index = 50;
	mem[1].value = 1;
	mem[1].index = 10;
	pair[0].value = pair[1].value = 3;
	pair[0].index = pair[1].index = 100 + check_rank;
	OK(MPI_Win_fence(0, p.win));
	OK(MPI_Get_accumulate(pair, 2, MPI_DOUBLE_INT, was, 2, MPI_DOUBLE_INT, p.next, p.base, 2,
		MPI_DOUBLE_INT, MPI_MAXLOC, p.win));
	OK(MPI_Win_fence(0, p.win));
	CHECK(was[0].value == 5 && was[0].index == 50 && was[1].value == 1 && was[1].index == 10);
	CHECK(mem[0].value == 5 && mem[0].index == 50);
	CHECK(mem[1].value == 3 && mem[1].index == 100 + p.from);
	OK(MPI_Win_fence(0, p.win));
	OK(MPI_Get_accumulate(pair, 1, MPI_DOUBLE_INT, was, 1, MPI_DOUBLE_INT, p.next, p.base, 1,
		MPI_DOUBLE_INT, MPI_REPLACE, p.win));
	OK(MPI_Win_fence(0, p.win));
	CHECK(was[0].value == 5 && was[0].index == 50);
	CHECK(mem[0].value == 3 && mem[0].index == 100 + p.from);
	part_end(&p);
}

static void derived_sums(enum kind kind)
{
	enum { N = 3000 };
	int *out = malloc(2 * N * sizeof(int)), *was = malloc(N * sizeof(int)), *mem;
	MPI_Datatype every_other, backwards, at_once;
	struct part p;

	CHECK(out != NULL && was != NULL);
	OK(MPI_Type_vector(N, 1, 2, MPI_INT, &every_other));
	OK(MPI_Type_create_hvector(N, 1, -4, MPI_INT, &backwards));
	OK(MPI_Type_contiguous(N, MPI_INT, &at_once));
	OK(MPI_Type_commit(&every_other));
	OK(MPI_Type_commit(&backwards));
	OK(MPI_Type_commit(&at_once));
	part_begin(&p, kind, 2 * N * 4, 1);
	mem = (int *)(void *)p.mem;
	for (int i = 0; i < 2 * N; i++) {
		mem[i] = 10 * i;
		out[i] = i % 2 == 0 ? i / 2 : -1;
	}
	OK(MPI_Win_fence(0, p.win));
	OK(MPI_Get_accumulate(out, 1, every_other, was, 1, at_once, p.next, p.base + 4 * (N - 1), 1,
		backwards, MPI_SUM, p.win));
	OK(MPI_Win_fence(0, p.win));
	for (int i = 0; i < N; i++) {
		CHECK(was[i] == 10 * (N - 1 - i));
		CHECK(mem[N - 1 - i] == 10 * (N - 1 - i) + i);
	}
	part_end(&p);
	OK(MPI_Type_free(&every_other));
	OK(MPI_Type_free(&backwards));
	OK(MPI_Type_free(&at_once));
	free(out);
	free(was);
}

/* Rank 0's word is taken by a rank that finds it free. */
static void swaps(enum kind kind, MPI_Datatype type, int bytes)
{
	enum { N = 20 };
	MPI_Aint at = 0;
	int64_t *mem, mine = check_rank + 1, zero = 0, was = 0;
	struct part p;

	part_begin(&p, kind, 64, 1);
	memset(p.mem, 0, 64);
	mem = (int64_t *)(void *)p.mem;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (kind == DYNAMIC)
		OK(MPI_Get_address(p.mem, &at));
	OK(MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, p.win));
	for (int i = 0; i < N; i++) {
		int64_t count = 0;

		do {
			was = 0;
			OK(MPI_Compare_and_swap(&mine, &zero, &was, type, 0, at, p.win));
			OK(MPI_Win_flush(0, p.win));
		} while (was != 0);
		OK(MPI_Get(&count, 1, MPI_INT64_T, 0, at + 8, 1, MPI_INT64_T, p.win));
		OK(MPI_Win_flush(0, p.win));
		count++;
		OK(MPI_Put(&count, 1, MPI_INT64_T, 0, at + 8, 1, MPI_INT64_T, p.win));
		OK(MPI_Win_flush(0, p.win));
		was = 0;
		OK(MPI_Compare_and_swap(&zero, &mine, &was, type, 0, at, p.win));
		OK(MPI_Win_flush(0, p.win));
		CHECK(memcmp(&was, &mine, (size_t)bytes) == 0);
	}
	OK(MPI_Win_unlock_all(p.win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, p.win));
		CHECK(mem[1] == (int64_t)N * check_size && mem[0] == 0);
		OK(MPI_Win_unlock(0, p.win));
	}
	part_end(&p);
}

/* --- 12.3.5 --------------------------------------------------------------------------------- */

static void rma_requests(enum kind kind)
{
	int *out = malloc(40000), *in = malloc(40000), one = 1, was = -1;
	MPI_Request reqs[2];
	struct part p;

	CHECK(out != NULL && in != NULL);
	part_begin(&p, kind, 40000, 1);
	memset(p.mem, 0, 40000);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, p.win));
	for (int i = 0; i < 10000; i++)
		out[i] = check_rank * 7 + i;
	OK(MPI_Rput(out, 10000, MPI_INT, p.next, p.base, 10000, MPI_INT, p.win, &reqs[0]));
	OK(MPI_Wait(&reqs[0], MPI_STATUS_IGNORE));
	CHECK(reqs[0] == MPI_REQUEST_NULL);
	memset(out, 0, 40000); /* ours again */
	OK(MPI_Win_flush(p.next, p.win));
	OK(MPI_Rget(in, 10000, MPI_INT, p.next, p.base, 10000, MPI_INT, p.win, &reqs[0]));
	OK(MPI_Rget_accumulate(&one, 1, MPI_INT, &was, 1, MPI_INT, p.next, p.base, 1, MPI_INT,
		MPI_SUM, p.win, &reqs[1]));
	OK(MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE));
	for (int i = 0; i < 10000; i++)
		CHECK(in[i] == check_rank * 7 + i);
	CHECK(was == check_rank * 7);
	OK(MPI_Raccumulate(&one, 1, MPI_INT, p.next, p.base, 1, MPI_INT, MPI_SUM, p.win, &reqs[0]));
	OK(MPI_Request_free(&reqs[0]));
	OK(MPI_Win_flush_all(p.win));
	OK(MPI_Win_unlock_all(p.win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, p.win));
	CHECK(*(int *)(void *)p.mem == p.from * 7 + 2);
	OK(MPI_Win_unlock(check_rank, p.win));
	part_end(&p);
	free(out);
	free(in);
}

/* 12.3: MPI_PROC_NULL is a target, and nothing happens. */
static void rma_nobody(enum kind kind)
{
	MPI_Request req;
	struct part p;
	int x = 5, y = 6;

	part_begin(&p, kind, 64, 1);
	OK(MPI_Win_fence(0, p.win));
	OK(MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, p.win));
	OK(MPI_Get(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, p.win));
	OK(MPI_Accumulate(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, p.win));
	OK(MPI_Fetch_and_op(&x, &y, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, p.win));
	OK(MPI_Compare_and_swap(&x, &x, &y, MPI_INT, MPI_PROC_NULL, 0, p.win));
	OK(MPI_Win_fence(0, p.win));
	OK(MPI_Win_lock_all(0, p.win));
	OK(MPI_Rput(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, p.win, &req));
	OK(MPI_Wait(&req, MPI_STATUS_IGNORE));
	OK(MPI_Win_unlock_all(p.win));
	CHECK(x == 5 && y == 6);
	part_end(&p);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	for (enum kind k = 0; k < KINDS; k++) {
		contiguous(k);
		datatypes(k);
		rma_sums(k);
		counted(k, MPI_INT8_T, 1);
		counted(k, MPI_INT16_T, 2);
		counted(k, MPI_INT, 4);
		counted(k, MPI_INT64_T, 8);
		rma_wide(k);
		fetches(k);
		derived_sums(k);
		swaps(k, MPI_INT8_T, 1);
		swaps(k, MPI_INT, 4);
		swaps(k, MPI_INT64_T, 8);
		rma_requests(k);
		rma_nobody(k);
	}
	MPI_Finalize();
	return 0;
}
