// SPDX-License-Identifier: BSD-3-Clause
/*
 * app_halo.c - a stencil whose halo travels while the inner part is computed.
 *
 *	MPI_Irecv, MPI_Isend of four sides │ inner points │ MPI_Waitall │ points at the sides
 *
 * A square of GRID^2 points in blocks of a 2-d grid of ranks, around which it is closed.  A step
 * moves each point towards the mean of its neighbours, which keeps the sum of all.
 */
#include "tests/bench/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 384, STEPS = 20, DIMS = 2 };

struct halo {
	const struct app *a;
	MPI_Comm cart;
	MPI_Datatype side[DIMS]; /* a row, a column */
	int n[DIMS], first[DIMS], neighbor[DIMS][2];
	long width; /* of a row, with the frame */
	double *old, *new;
	struct app_mailboxes *mailboxes; /* of a bare run: a slot for each side */
};

static double *point(const struct halo *h, double *v, int i, int j)
{
	return v + i * h->width + j;
}

static void halo_rows(const struct halo *h, int i0, int i1, int j0, int j1)
{
	for (int i = i0; i < i1; i++) {
		const double *up = point(h, h->old, i - 1, 0), *here = up + h->width;
		const double *down = here + h->width;
		double *restrict to = point(h, h->new, i, 0);
		for (int j = j0; j < j1; j++)
			to[j] = 0.5 * here[j] +
				0.125 * (up[j] + down[j] + here[j - 1] + here[j + 1]);
	}
}

static void exchange_start(const struct halo *h, MPI_Request req[8])
{
	int ends[DIMS][2] = {{1, h->n[0]}, {1, h->n[1]}};

	for (int d = 0; d < DIMS; d++)
		for (int s = 0; s < 2; s++) {
			int edge = ends[d][s], out = s ? edge + 1 : edge - 1;
			MPI_Irecv(d ? point(h, h->old, 1, out) : point(h, h->old, out, 1), 1,
				h->side[d], h->neighbor[d][s], 2 * d + 1 - s, h->cart, req++);
			MPI_Isend(d ? point(h, h->old, 1, edge) : point(h, h->old, edge, 1), 1,
				h->side[d], h->neighbor[d][s], 2 * d + s, h->cart, req++);
		}
}

static void side_copy(double *to, long to_step, const double *from, long from_step, int n)
{
	for (int i = 0; i < n; i++)
		to[i * to_step] = from[i * from_step];
}

static void bare_start(const struct halo *h)
{
	for (int d = 0; d < DIMS; d++)
		for (int s = 0; s < 2; s++) {
			int edge = s ? h->n[d] : 1, to = h->neighbor[d][s], slot = 2 * d + 1 - s;
			side_copy(app_mailbox_open(h->mailboxes, to, slot), 1,
				d ? point(h, h->old, 1, edge) : point(h, h->old, edge, 1),
				d ? h->width : 1, h->n[1 - d]);
			app_mailbox_give(h->mailboxes, to, slot);
		}
}

static void bare_end(const struct halo *h)
{
	for (int d = 0; d < DIMS; d++)
		for (int s = 0; s < 2; s++) {
			int out = s ? h->n[d] + 1 : 0;
			side_copy(d ? point(h, h->old, 1, out) : point(h, h->old, out, 1),
				d ? h->width : 1, app_mailbox_take(h->mailboxes, 2 * d + s), 1,
				h->n[1 - d]);
		}
}

static void halo_step(struct halo *h)
{
	int n = h->n[0], m = h->n[1];
	MPI_Request req[8];
	double *spare = h->old;

	if (h->a->silent)
		bare_start(h);
	else
		exchange_start(h, req);
	halo_rows(h, 2, n, 2, m);
	if (h->a->silent)
		bare_end(h);
	else
		MPI_Waitall(8, req, MPI_STATUSES_IGNORE);
	halo_rows(h, 1, 2, 1, m + 1);
	halo_rows(h, n, n + 1, 1, m + 1);
	halo_rows(h, 2, n, 1, 2);
	halo_rows(h, 2, n, m, m + 1);
	h->old = h->new;
	h->new = spare;
}

/* The sum of all points; `weighted': by row and column, so that swapped points show. */
static double total(const struct halo *h, int weighted)
{
	double sum = 0;

	for (int i = 1; i <= h->n[0]; i++)
		for (int j = 1; j <= h->n[1]; j++)
			sum += *point(h, h->old, i, j) *
			       (weighted ? (h->first[0] + i) * 3 + h->first[1] + j : 1);
	return sum;
}

static double halo_run(void *state)
{
	struct halo *h = state;
	double before, after;

	for (int i = 1; i <= h->n[0]; i++)
		for (int j = 1; j <= h->n[1]; j++)
			*point(h, h->old, i, j) =
				(h->first[0] + i) * 7 % 31 + (h->first[1] + j) * 11 % 29;
	before = total(h, 0);
	for (int k = 0; k < STEPS; k++)
		halo_step(h);
	after = app_sum(h->a, total(h, 0));
	before = app_sum(h->a, before);
	if (!(fabs(before - after) < 1e-9 * before))
		bench_fail(h->a->b, "stencil: the sum was %.17g and is %.17g", before, after);
	return app_sum(h->a, total(h, 1));
}

static void *halo_make(const struct app *a)
{
	int dims[DIMS] = {0}, periods[DIMS] = {1, 1}, coords[DIMS];
	struct halo *h = bench_alloc(a->b, sizeof(*h));
	size_t bytes;

	h->a = a;
	MPI_Dims_create(a->size, DIMS, dims);
	MPI_Cart_create(a->comm, DIMS, dims, periods, 0, &h->cart);
	MPI_Cart_coords(h->cart, a->rank, DIMS, coords);
	for (int d = 0; d < DIMS; d++) {
		h->first[d] = app_part(GRID, coords[d], dims[d]);
		h->n[d] = app_part(GRID, coords[d] + 1, dims[d]) - h->first[d];
		MPI_Cart_shift(h->cart, d, 1, &h->neighbor[d][0], &h->neighbor[d][1]);
	}
	h->width = h->n[1] + 2;
	bytes = (size_t)(h->n[0] + 2) * (size_t)h->width * sizeof(double);
	h->old = bench_alloc(a->b, bytes);
	h->new = bench_alloc(a->b, bytes);
	MPI_Type_contiguous(h->n[1], MPI_DOUBLE, &h->side[0]);
	MPI_Type_vector(h->n[0], 1, (int)h->width, MPI_DOUBLE, &h->side[1]);
	for (int d = 0; d < DIMS; d++)
		MPI_Type_commit(&h->side[d]);
	h->mailboxes = app_mailboxes_make(a, 2 * DIMS, GRID * sizeof(double));
	return h;
}

static void halo_drop(void *state)
{
	struct halo *h = state;

	for (int d = 0; d < DIMS; d++)
		MPI_Type_free(&h->side[d]);
	app_mailboxes_drop(h->mailboxes);
	free(h->old);
	free(h->new);
	MPI_Comm_free(&h->cart);
	free(h);
}

void app_halo(struct bench *b, const struct bench_row *row)
{
	static const struct app_kernel kernel = {halo_make, halo_run, halo_drop, 0};

	app_measure(b, row, &kernel);
}
