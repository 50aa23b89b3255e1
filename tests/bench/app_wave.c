// SPDX-License-Identifier: BSD-3-Clause
/*
 * app_wave.c - a pipelined wavefront, as sweeps of particle transport and LU solvers have it.
 *
 *	    from the north
 *	         v
 *	west ─> block of the rank ─> east        DEPTH layers, in blocks of LAYERS:
 *	         v                                a rank computes a block when its west and its
 *	    to the south                          north have sent their edges of it
 *
 * A cell takes the values of the cells west, north and above it, in ANGLES directions at once.  A
 * run sweeps from the north-west and then from the south-east.
 */
#include "tests/bench/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 48, DEPTH = 48, LAYERS = 4, ANGLES = 8, DIMS = 2 };

static const double SHARE = 0.32; /* of each of three cells before: below a third, so sums stay */

struct wave {
	const struct app *a;
	MPI_Comm cart;
	int n[DIMS];           /* cells from north to south, from west to east */
	int neighbor[DIMS][2]; /* ranks: north and south, west and east */
	double *edge[DIMS];    /* LAYERS x the cells of an edge x ANGLES */
	double *above;         /* n0 x n1 x ANGLES */
	double sum;
};

/* Cells of one row, whose west edge is one cell and whose north edge is as long as the row. */
static void row_compute(int n, int forward, double *restrict west, double *north, double *above)
{
	for (int j = 0; j < n; j++) {
		long column = (forward ? j : n - 1 - j) * (long)ANGLES;
		double *restrict to_south = north + column;
		double *restrict to_below = above + column;

		for (int m = 0; m < ANGLES; m++) {
			double x = 1 + m + SHARE * (west[m] + to_south[m] + to_below[m]);
			west[m] = to_south[m] = to_below[m] = x;
		}
	}
}

/* Computes a block: edges before it come in edge[], and those behind it are left there. */
static void block(struct wave *w, int layers, int forward)
{
	for (int l = 0; l < layers; l++)
		for (int i = 0; i < w->n[0]; i++) {
			long row = forward ? i : w->n[0] - 1 - i;
			row_compute(w->n[1], forward,
				w->edge[1] + ((long)l * w->n[0] + row) * ANGLES,
				w->edge[0] + (long)l * w->n[1] * ANGLES,
				w->above + row * w->n[1] * ANGLES);
		}
}

static void sweep(struct wave *w, int forward)
{
	int from = forward ? 0 : 1, to = 1 - from;

	memset(w->above, 0, (size_t)w->n[0] * (size_t)w->n[1] * ANGLES * sizeof(double));
	for (int k = 0; k < DEPTH; k += LAYERS) {
		if (w->a->silent)
			app_wait_bare(w->a);
		for (int d = 0; d < DIMS; d++) {
			int count = LAYERS * w->n[1 - d] * ANGLES;
			if (w->neighbor[d][from] == MPI_PROC_NULL || w->a->silent)
				memset(w->edge[d], 0, (size_t)count * sizeof(double));
			else
				MPI_Recv(w->edge[d], count, MPI_DOUBLE, w->neighbor[d][from], d,
					w->cart, MPI_STATUS_IGNORE);
		}
		block(w, LAYERS, forward);
		for (int d = 0; d < DIMS && !w->a->silent; d++)
			MPI_Send(w->edge[d], LAYERS * w->n[1 - d] * ANGLES, MPI_DOUBLE,
				w->neighbor[d][to], d, w->cart);
	}
}

/* The sum of the last layer, weighted. */
static double last_layer(const struct wave *w)
{
	double sum = 0;

	for (long i = 0; i < (long)w->n[0] * w->n[1] * ANGLES; i++)
		sum += w->above[i] * (double)(1 + i % ANGLES);
	return sum;
}

static double wave_run(void *state)
{
	struct wave *w = state;
	double there, back;

	sweep(w, 1);
	there = last_layer(w);
	sweep(w, 0);
	back = app_sum(w->a, last_layer(w));
	there = app_sum(w->a, there);
	/* The two directions are mirror images. */
	if (!w->a->silent && !(fabs(there - back) < 1e-9 * there))
		bench_fail(w->a->b, "wavefront: %.17g there, %.17g back", there, back);
	return there;
}

static void *wave_make(const struct app *a)
{
	int dims[DIMS] = {0}, periods[DIMS] = {0}, coords[DIMS];
	struct wave *w = bench_alloc(a->b, sizeof(*w));

	w->a = a;
	MPI_Dims_create(a->size, DIMS, dims);
	MPI_Cart_create(a->comm, DIMS, dims, periods, 0, &w->cart);
	MPI_Cart_coords(w->cart, a->rank, DIMS, coords);
	for (int d = 0; d < DIMS; d++) {
		w->n[d] =
			app_part(GRID, coords[d] + 1, dims[d]) - app_part(GRID, coords[d], dims[d]);
		MPI_Cart_shift(w->cart, d, 1, &w->neighbor[d][0], &w->neighbor[d][1]);
	}
	for (int d = 0; d < DIMS; d++)
		w->edge[d] = bench_alloc(a->b, sizeof(double) * LAYERS * GRID * ANGLES);
	w->above =
		bench_alloc(a->b, (size_t)w->n[0] * (size_t)w->n[1] * ANGLES * sizeof(*w->above));
	return w;
}

static void wave_drop(void *state)
{
	struct wave *w = state;

	for (int d = 0; d < DIMS; d++)
		free(w->edge[d]);
	free(w->above);
	MPI_Comm_free(&w->cart);
	free(w);
}

void app_wave(struct bench *b, const struct bench_row *row)
{
	static const struct app_kernel kernel = {wave_make, wave_run, wave_drop, 0};

	app_measure(b, row, &kernel);
}
