// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4,6,7 */
/* MPI-5.0 8.9: a grid of processes, each with a piece of a plane and a frame of its neighbors'
 * cells.
 *
 *              column COLS-1 of the left neighbour
 *                 │
 *               ┌─v────────────┐
 *               │ . f f f f  . │ <── last row of the neighbour above
 *               │ f x x x x  f │
 *               │ f x x x x  f │      f: the frame, filled by halo_exchange()
 *               │ . f f f f  . │      x: this process's own cells
 *               └──────────────┘
 *
 * Every cell becomes the mean of its four neighbors, again and again.  The plane is a torus from
 * top to bottom and has cold walls at the left and the right: there the neighbour is MPI_PROC_NULL,
 * and the frame stays 0.  In the end every process computes the whole plane by itself and compares
 * its piece, bit by bit. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 56, WIDTH = 43, STEPS = 60, TAG = 1 };

struct subdomain {
	MPI_Comm grid;
	int up, down, left, right; /* ranks of the neighbors */
	int y0, x0, ny, nx;        /* own cells in the plane */
	MPI_Datatype column;       /* ny cells below each other */
	double *now, *next;        /* (ny + 2) rows of (nx + 2) cells */
};

static double start_of(int y, int x)
{
	return (double)((y * 37 + x * 11) % 101);
}

/* Part `i' of `n' of a length: where it begins. */
static int halo_part(int length, int n, int i)
{
	return (int)((long)length * i / n);
}

static double *halo_cell(const struct subdomain *p, double *plane, int y, int x)
{
	return &plane[y * (p->nx + 2) + x];
}

static void *halo_room(size_t n, size_t size)
{
	void *mem = calloc(n, size);

	if (mem == NULL) {
		fprintf(stderr, "no memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return mem;
}

static void subdomain_open(struct subdomain *p)
{
	int size, dims[2] = {0, 0}, periods[2] = {1, 0}, at[2];

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &p->grid);
	MPI_Cart_get(p->grid, 2, dims, periods, at);
	MPI_Cart_shift(p->grid, 0, 1, &p->up, &p->down);
	MPI_Cart_shift(p->grid, 1, 1, &p->left, &p->right);
	p->y0 = halo_part(HEIGHT, dims[0], at[0]);
	p->ny = halo_part(HEIGHT, dims[0], at[0] + 1) - p->y0;
	p->x0 = halo_part(WIDTH, dims[1], at[1]);
	p->nx = halo_part(WIDTH, dims[1], at[1] + 1) - p->x0;
	MPI_Type_vector(p->ny, 1, p->nx + 2, MPI_DOUBLE, &p->column);
	MPI_Type_commit(&p->column);
	p->now = halo_room((size_t)(p->ny + 2) * (size_t)(p->nx + 2), sizeof(double));
	p->next = halo_room((size_t)(p->ny + 2) * (size_t)(p->nx + 2), sizeof(double));
	for (int y = 0; y < p->ny; y++) {
		for (int x = 0; x < p->nx; x++)
			*halo_cell(p, p->now, y + 1, x + 1) = start_of(p->y0 + y, p->x0 + x);
	}
}

static void subdomain_close(struct subdomain *p)
{
	free(p->now);
	free(p->next);
	MPI_Type_free(&p->column);
	MPI_Comm_free(&p->grid);
}

/* Own cells at the four sides go into the frames of the neighbors, theirs into this one. */
static void halo_exchange(const struct subdomain *p)
{
	double *a = p->now;
	int ny = p->ny, nx = p->nx;

	MPI_Sendrecv(halo_cell(p, a, 1, 1), nx, MPI_DOUBLE, p->up, TAG, halo_cell(p, a, ny + 1, 1),
		nx, MPI_DOUBLE, p->down, TAG, p->grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(halo_cell(p, a, ny, 1), nx, MPI_DOUBLE, p->down, TAG, halo_cell(p, a, 0, 1),
		nx, MPI_DOUBLE, p->up, TAG, p->grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(halo_cell(p, a, 1, 1), 1, p->column, p->left, TAG, halo_cell(p, a, 1, nx + 1),
		1, p->column, p->right, TAG, p->grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(halo_cell(p, a, 1, nx), 1, p->column, p->right, TAG, halo_cell(p, a, 1, 0), 1,
		p->column, p->left, TAG, p->grid, MPI_STATUS_IGNORE);
}

/* The exchange by one call: a part of the buffer and a type for each of the four neighbors, in the
 * order of dimensions, first down, then up each. */
static void exchange_neighbors(const struct subdomain *p)
{
	const int ones[4] = {1, 1, 1, 1};
	int ny = p->ny, nx = p->nx;
	MPI_Aint from[4], to[4];
	MPI_Datatype row, types[4];
	const int send[4][2] = {{1, 1}, {ny, 1}, {1, 1}, {1, nx}};
	const int recv[4][2] = {{0, 1}, {ny + 1, 1}, {1, 0}, {1, nx + 1}};

	MPI_Type_contiguous(nx, MPI_DOUBLE, &row);
	MPI_Type_commit(&row);
	for (int i = 0; i < 4; i++) {
		types[i] = i < 2 ? row : p->column;
		from[i] = (char *)halo_cell(p, p->now, send[i][0], send[i][1]) - (char *)p->now;
		to[i] = (char *)halo_cell(p, p->now, recv[i][0], recv[i][1]) - (char *)p->now;
	}
	MPI_Neighbor_alltoallw(p->now, ones, from, types, p->now, ones, to, types, p->grid);
	MPI_Type_free(&row);
}

static void halo_step(struct subdomain *p)
{
	double *swap = p->now;

	for (int y = 1; y <= p->ny; y++) {
		for (int x = 1; x <= p->nx; x++)
			*halo_cell(p, p->next, y, x) =
				0.25 *
				(*halo_cell(p, p->now, y - 1, x) + *halo_cell(p, p->now, y + 1, x) +
					*halo_cell(p, p->now, y, x - 1) +
					*halo_cell(p, p->now, y, x + 1));
	}
	p->now = p->next;
	p->next = swap;
}

/* The whole plane by one process: cell (y, x) of plane k is at plane[k][y][x + 1]. */
static int halo_compare(const struct subdomain *p)
{
	static double plane[2][HEIGHT][WIDTH + 2];
	int k = 0, wrong = 0;

	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++)
			plane[0][y][x + 1] = start_of(y, x);
	}
	for (int s = 0; s < STEPS; s++, k = !k) {
		for (int y = 0; y < HEIGHT; y++) {
			int above = (y + HEIGHT - 1) % HEIGHT, below = (y + 1) % HEIGHT;

			for (int x = 1; x <= WIDTH; x++)
				plane[!k][y][x] =
					0.25 * (plane[k][above][x] + plane[k][below][x] +
						       plane[k][y][x - 1] + plane[k][y][x + 1]);
		}
	}
	for (int y = 0; y < p->ny; y++)
		wrong += memcmp(halo_cell(p, p->now, y + 1, 1), &plane[k][p->y0 + y][p->x0 + 1],
				 (size_t)p->nx * sizeof(double)) != 0;
	return wrong;
}

int main(int argc, char **argv)
{
	struct subdomain p;
	int wrong, all, rank;

	MPI_Init(&argc, &argv);
	subdomain_open(&p);
	for (int s = 0; s < STEPS; s++) {
		if (s % 2 == 0)
			halo_exchange(&p);
		else
			exchange_neighbors(&p);
		halo_step(&p);
	}
	wrong = halo_compare(&p);
	MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, p.grid);
	MPI_Comm_rank(p.grid, &rank);
	if (rank == 0)
		printf("%d x %d cells, %d steps: %s\n", HEIGHT, WIDTH, STEPS,
			all == 0 ? "the same as without MPI" : "wrong");
	subdomain_close(&p);
	MPI_Finalize();
	return all != 0;
}
