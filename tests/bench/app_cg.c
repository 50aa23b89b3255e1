// SPDX-License-Identifier: BSD-3-Clause
/*
 * app_cg.c - conjugate gradients with a 27-point operator, as HPCG has them.
 *
 * A cube of GRID^3 unknowns in blocks of a 3-d grid of ranks.  The operator is 27 minus the sum of
 * the 27 points around; there is nothing outside of the cube.  An iteration has three exchanges of
 * faces, one dimension after the other so that edges and corners travel along, and two sums.
 *
 * The right side belongs to the solution 1, and the error must shrink.
 */
#include "tests/bench/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 32, ITERATIONS = 12, DIMS = 3 };

static const double ERROR_LEFT = 0.5; /* of the first error, after all iterations */

struct cg {
	const struct app *a;
	MPI_Comm cart;
	int n[DIMS];           /* of my block */
	long step[DIMS];       /* from a point to the next one in each dimension */
	long points;           /* with a frame of one point on all sides */
	int neighbor[DIMS][2]; /* ranks */
	double *face[2][2];    /* [out, in][side] */
	double *x, *r, *p, *q, *rhs;
	struct app_mailboxes *mailboxes; /* of a bare run: a slot for each face */
};

static long cg_at(const struct cg *c, int i, int j, int k)
{
	return i * c->step[0] + j * c->step[1] + k * c->step[2];
}

/* Copies the face of dimension d at depth i to a buffer, or from it. */
static void face_copy(const struct cg *c, double *v, int d, int i, double *buf, int in)
{
	int e = d == 0 ? 1 : 0, f = d == 2 ? 1 : 2;

	v += i * c->step[d];
	for (int j = 0; j < c->n[e] + 2; j++)
		for (int k = 0; k < c->n[f] + 2; k++, buf++) {
			double *w = v + j * c->step[e] + k * c->step[f];
			if (in)
				*w = *buf;
			else
				*buf = *w;
		}
}

static void faces_travel(const struct cg *c, int d, int count)
{
	MPI_Request req[4];

	for (int s = 0; s < 2; s++)
		MPI_Irecv(c->face[1][s], count, MPI_DOUBLE, c->neighbor[d][s], d, c->cart, &req[s]);
	for (int s = 0; s < 2; s++)
		MPI_Isend(c->face[0][s], count, MPI_DOUBLE, c->neighbor[d][s], d, c->cart,
			&req[2 + s]);
	MPI_Waitall(4, req, MPI_STATUSES_IGNORE);
}

/* As faces_travel, in a bare run: by two copies. */
static void faces_travel_bare(const struct cg *c, int d, int count)
{
	size_t bytes = (size_t)count * sizeof(double);

	for (int s = 0; s < 2; s++)
		if (c->neighbor[d][s] != MPI_PROC_NULL) {
			int to = c->neighbor[d][s], slot = 2 * d + 1 - s;
			memcpy(app_mailbox_open(c->mailboxes, to, slot), c->face[0][s], bytes);
			app_mailbox_give(c->mailboxes, to, slot);
		}
	for (int s = 0; s < 2; s++)
		if (c->neighbor[d][s] != MPI_PROC_NULL)
			memcpy(c->face[1][s], app_mailbox_take(c->mailboxes, 2 * d + s), bytes);
}

static void cg_exchange(const struct cg *c, double *v)
{
	for (int d = 0; d < DIMS; d++) {
		for (int s = 0; s < 2; s++)
			face_copy(c, v, d, s ? c->n[d] : 1, c->face[0][s], 0);
		if (c->a->silent)
			faces_travel_bare(c, d, (int)(c->points / (c->n[d] + 2)));
		else
			faces_travel(c, d, (int)(c->points / (c->n[d] + 2)));
		for (int s = 0; s < 2; s++)
			if (c->neighbor[d][s] != MPI_PROC_NULL)
				face_copy(c, v, d, s ? c->n[d] + 1 : 0, c->face[1][s], 1);
	}
}

/* q = A p for a row of n points from p and q on; returns its part of p q. */
static double apply_row(const struct cg *c, const double *p, double *restrict q)
{
	const double *row[9];
	double dot = 0;

	for (int m = 0; m < 9; m++)
		row[m] = p + (m / 3 - 1) * c->step[0] + (m % 3 - 1) * c->step[1];
	for (int k = 0; k < c->n[2]; k++) {
		double sum = 0;
		for (int m = 0; m < 9; m++)
			sum += row[m][k - 1] + row[m][k] + row[m][k + 1];
		q[k] = 27 * p[k] - sum;
		dot += p[k] * q[k];
	}
	return dot;
}

/* q = A p; returns my part of p q. */
static double apply(const struct cg *c, const double *p, double *q)
{
	double dot = 0;

	for (int i = 1; i <= c->n[0]; i++)
		for (int j = 1; j <= c->n[1]; j++)
			dot += apply_row(c, p + cg_at(c, i, j, 1), q + cg_at(c, i, j, 1));
	return dot;
}

/* x += alpha p, r -= alpha q; returns my part of r r. */
static double advance(const struct cg *c, double alpha)
{
	double dot = 0;

	for (int i = 1; i <= c->n[0]; i++)
		for (int j = 1; j <= c->n[1]; j++)
			for (long o = cg_at(c, i, j, 1), end = o + c->n[2]; o < end; o++) {
				c->x[o] += alpha * c->p[o];
				c->r[o] -= alpha * c->q[o];
				dot += c->r[o] * c->r[o];
			}
	return dot;
}

static void cg_turn(const struct cg *c, double beta)
{
	for (int i = 1; i <= c->n[0]; i++)
		for (int j = 1; j <= c->n[1]; j++)
			for (long o = cg_at(c, i, j, 1), end = o + c->n[2]; o < end; o++)
				c->p[o] = c->r[o] + beta * c->p[o];
}

/* My part of the square of the distance between x and 1. */
static double distance(const struct cg *c)
{
	double sum = 0;

	for (int i = 1; i <= c->n[0]; i++)
		for (int j = 1; j <= c->n[1]; j++)
			for (long o = cg_at(c, i, j, 1), end = o + c->n[2]; o < end; o++)
				sum += (c->x[o] - 1) * (c->x[o] - 1);
	return sum;
}

static double cg_run(void *state)
{
	const struct cg *c = state;
	size_t bytes = (size_t)c->points * sizeof(double);
	double rr = 0, left, points = (double)GRID * GRID * GRID;

	memset(c->x, 0, bytes);
	memcpy(c->r, c->rhs, bytes);
	memcpy(c->p, c->rhs, bytes);
	for (long o = 0; o < c->points; o++)
		rr += c->r[o] * c->r[o];
	rr = app_sum(c->a, rr);
	for (int i = 0; i < ITERATIONS; i++) {
		double old = rr;
		cg_exchange(c, c->p);
		double alpha = rr / app_sum(c->a, apply(c, c->p, c->q));
		rr = app_sum(c->a, advance(c, alpha));
		cg_turn(c, rr / old);
	}
	left = app_sum(c->a, distance(c));
	if (!(left < points * ERROR_LEFT))
		bench_fail(c->a->b, "conjugate gradients: error %g of %g", left, points);
	return left;
}

static void *cg_make(const struct app *a)
{
	int dims[DIMS] = {0}, periods[DIMS] = {0}, coords[DIMS];
	struct cg *c = bench_alloc(a->b, sizeof(*c));
	double **all[] = {&c->x, &c->r, &c->p, &c->q, &c->rhs};

	c->a = a;
	MPI_Dims_create(a->size, DIMS, dims);
	MPI_Cart_create(a->comm, DIMS, dims, periods, 0, &c->cart);
	MPI_Cart_coords(c->cart, a->rank, DIMS, coords);
	for (int d = 0; d < DIMS; d++) {
		c->n[d] =
			app_part(GRID, coords[d] + 1, dims[d]) - app_part(GRID, coords[d], dims[d]);
		MPI_Cart_shift(c->cart, d, 1, &c->neighbor[d][0], &c->neighbor[d][1]);
	}
	c->step[2] = 1;
	c->step[1] = c->n[2] + 2;
	c->step[0] = c->step[1] * (c->n[1] + 2);
	c->points = c->step[0] * (c->n[0] + 2);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		*all[i] = bench_alloc(a->b, (size_t)c->points * sizeof(double));
	for (int i = 0; i < 4; i++)
		c->face[i / 2][i % 2] =
			bench_alloc(a->b, (size_t)(GRID + 2) * (GRID + 2) * sizeof(double));
	c->mailboxes = app_mailboxes_make(a, 2 * DIMS, (GRID + 2) * (GRID + 2) * sizeof(double));
	cg_turn(c, 0); /* p = 0 */
	for (int i = 1; i <= c->n[0]; i++)
		for (int j = 1; j <= c->n[1]; j++)
			for (int k = 1; k <= c->n[2]; k++)
				c->p[cg_at(c, i, j, k)] = 1;
	cg_exchange(c, c->p);
	apply(c, c->p, c->rhs);
	return c;
}

static void cg_drop(void *state)
{
	struct cg *c = state;
	double *all[] = {c->x, c->r, c->p, c->q, c->rhs, c->face[0][0], c->face[0][1],
		c->face[1][0], c->face[1][1]};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]);
	app_mailboxes_drop(c->mailboxes);
	MPI_Comm_free(&c->cart);
	free(c);
}

void app_cg(struct bench *b, const struct bench_row *row)
{
	static const struct app_kernel kernel = {cg_make, cg_run, cg_drop, 0};

	app_measure(b, row, &kernel);
}
