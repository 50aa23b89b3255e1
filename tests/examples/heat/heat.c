// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3,4,6 args="-n 96" */
/* MPI-5.0 3.7: halo exchange by nonblocking messages; 6.9.6: all ranks get the largest change */
/* heat.c - the heat of a plate with fixed temperatures at its edges and at three bodies in it.
 *
 * Jacobi's iteration: each cell becomes the mean of its four neighbors until no cell changes by
 * more than `eps'.  Chebyshev's weights make it need some N sweeps for N cells in a row, not N * N:
 * a sweep goes beyond the mean, away from the value before the last one.  The plate is cut into
 * px times py blocks, one a rank, each with a frame (halo) of cells that belong to its neighbors:
 *
 *        ┌───────┬───────┐       rank = y * px + x
 *        │ 2     ║ 3     │       ═ ║ : after each sweep the outermost rows and columns of a block
 *        ╞═══════╬═══════╡             go to the neighbor, whose halo they are.  Rows lie together
 *        │ 0     ║ 1     │             in memory, columns are packed by hand.
 *        └───────┴───────┘
 *
 * Rank 0 solves the same problem alone, with the same functions and one block, and compares: a cell
 * sees the same numbers in the same order, so the two agree to the last bit (1e-12 is asked).  Both
 * are solved in turns, and the best time of each counts.
 *
 *     heat [-n CELLS] [-e EPS] [-o PICTURE.png] */
#include "picture.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK_EVERY 25      /* sweeps between two looks at the change: each look waits for all */
#define SWEEPS_MAX  1000000 /* more than any size that makes sense here needs */
#define AGREE       1e-12   /* largest difference to the serial solution */
#define ROUNDS      3       /* so often is the plate solved together, and alone */
#define TAG_HALO    1
#define TAG_FIELD   2

enum side { LEFT, RIGHT, DOWN, UP, SIDES };

/* The options of the user. */
struct plan {
	int n;      /* cells in each direction */
	double eps; /* degrees */
	const char *picture;
};

/* The cells [x0, x0 + w) by [y0, y0 + h) of the plate, with their halo; row -1 is the first. */
struct block {
	int x0, y0, w, h;
	double *now, *next;     /* (w + 2) * (h + 2) cells each */
	double *loose, *held;   /* of the same shape: 1 and 0, or 0 and the given temperature */
	int peer[SIDES];        /* MPI_PROC_NULL where the plate ends */
	double *out[2], *in[2]; /* packed columns: LEFT and RIGHT */
};

static int heat_cell(const struct block *b, int x, int y)
{
	return (y + 1) * (b->w + 2) + x + 1;
}

static void *alloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL) {
		fprintf(stderr, "heat: no memory for %zu cells\n", n);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return p;
}

/* --- the plate ------------------------------------------------------------------------------ */

/* The temperature that is given at (x, y), both in 0..1, in degrees; or NAN: it is to be found. */
static double heat_given(double x, double y)
{
	double arm = fabs(hypot(x - 0.36, y - 0.62) - 0.17);

	if (y >= 1)
		return 100 * pow(sin(M_PI * x), 2);
	if (y <= 0)
		return 35 * pow(sin(3 * M_PI * x), 2);
	if (x <= 0 || x >= 1)
		return 0;
	if (arm < 0.015 && (x < 0.40 || y < 0.55)) /* an open ring */
		return 100;
	if (hypot(x - 0.72, y - 0.33) < 0.07) /* a pipe with ice */
		return 0;
	if (fabs(x - 0.74) < 0.012 && fabs(y - 0.70) < 0.13) /* a rod */
		return 80;
	return NAN;
}

/* Cuts 0..n into `parts' and says where part i begins. */
static int heat_cut(int n, int parts, int i)
{
	return (int)((long)n * i / parts);
}

/* A block with the given temperatures in place and the rest cold. */
static void block_init(struct block *b, const struct plan *plan, const int grid[2], int rank)
{
	int gx = rank % grid[0], gy = rank / grid[0];
	size_t size;

	b->x0 = heat_cut(plan->n, grid[0], gx);
	b->y0 = heat_cut(plan->n, grid[1], gy);
	b->w = heat_cut(plan->n, grid[0], gx + 1) - b->x0;
	b->h = heat_cut(plan->n, grid[1], gy + 1) - b->y0;
	b->peer[LEFT] = gx > 0 ? rank - 1 : MPI_PROC_NULL;
	b->peer[RIGHT] = gx + 1 < grid[0] ? rank + 1 : MPI_PROC_NULL;
	b->peer[DOWN] = gy > 0 ? rank - grid[0] : MPI_PROC_NULL;
	b->peer[UP] = gy + 1 < grid[1] ? rank + grid[0] : MPI_PROC_NULL;
	size = (size_t)(b->w + 2) * (size_t)(b->h + 2);
	b->now = alloc(size, sizeof(double));
	b->next = alloc(size, sizeof(double));
	b->loose = alloc(size, sizeof(double));
	b->held = alloc(size, sizeof(double));
	for (int i = 0; i < 2; i++) {
		b->out[i] = alloc((size_t)b->h, sizeof(double));
		b->in[i] = alloc((size_t)b->h, sizeof(double));
	}
	for (int y = -1; y <= b->h; y++) {
		for (int x = -1; x <= b->w; x++) {
			double t = heat_given((b->x0 + x + 1) / (plan->n + 1.0),
				(b->y0 + y + 1) / (plan->n + 1.0));

			b->loose[heat_cell(b, x, y)] = isnan(t) ? 1 : 0;
			b->held[heat_cell(b, x, y)] = isnan(t) ? 0 : t;
		}
	}
	memcpy(b->now, b->held, size * sizeof(double));
	memcpy(b->next, b->held, size * sizeof(double));
}

static void block_fini(struct block *b)
{
	free(b->now);
	free(b->next);
	free(b->loose);
	free(b->held);
	for (int i = 0; i < 2; i++) {
		free(b->out[i]);
		free(b->in[i]);
	}
}

/* --- one iteration -------------------------------------------------------------------------- */

/* now -> next, which holds the values of the sweep before, and the two change places.  Without a
 * branch, so that the compiler can use vectors; 1 * x + 0 is x to the last bit. */
static void block_sweep(struct block *b, double weight)
{
	int row = b->w + 2;
	double *t;

	for (int y = 0; y < b->h; y++) {
		const double *c = b->now + heat_cell(b, 0, y);
		const double *loose = b->loose + heat_cell(b, 0, y);
		const double *held = b->held + heat_cell(b, 0, y);
		double *n = b->next + heat_cell(b, 0, y);

		for (int x = 0; x < b->w; x++) {
			double mean = 0.25 * ((c[x - 1] + c[x + 1]) + (c[x - row] + c[x + row]));

			n[x] = loose[x] * (n[x] + weight * (mean - n[x])) + held[x];
		}
	}
	t = b->now;
	b->now = b->next;
	b->next = t;
}

/* The largest change of the last sweep in this block. */
static double block_change(const struct block *b)
{
	double most = 0;

	for (int y = 0; y < b->h; y++) {
		int at = heat_cell(b, 0, y);

		for (int i = at; i < at + b->w; i++)
			most = fmax(most, fabs(b->now[i] - b->next[i]));
	}
	return most;
}

/* Copies a column between the field and a packed buffer. */
static void column_copy(struct block *b, int x, double *packed, int pack)
{
	for (int y = 0; y < b->h; y++) {
		if (pack)
			packed[y] = b->now[heat_cell(b, x, y)];
		else
			b->now[heat_cell(b, x, y)] = packed[y];
	}
}

/* Fills the halo of `now' with the cells of the neighbors. */
static void halo_exchange(struct block *b)
{
	MPI_Request req[2 * SIDES];
	double *out[SIDES], *in[SIDES];
	int count[SIDES] = {b->h, b->h, b->w, b->w};

	column_copy(b, 0, b->out[LEFT], 1);
	column_copy(b, b->w - 1, b->out[RIGHT], 1);
	for (int s = LEFT; s <= RIGHT; s++) {
		out[s] = b->out[s];
		in[s] = b->in[s];
	}
	out[DOWN] = b->now + heat_cell(b, 0, 0);
	in[DOWN] = b->now + heat_cell(b, 0, -1);
	out[UP] = b->now + heat_cell(b, 0, b->h - 1);
	in[UP] = b->now + heat_cell(b, 0, b->h);
	for (int s = 0; s < SIDES; s++)
		MPI_Irecv(
			in[s], count[s], MPI_DOUBLE, b->peer[s], TAG_HALO, MPI_COMM_WORLD, &req[s]);
	for (int s = 0; s < SIDES; s++)
		MPI_Isend(out[s], count[s], MPI_DOUBLE, b->peer[s], TAG_HALO, MPI_COMM_WORLD,
			&req[SIDES + s]);
	MPI_Waitall(2 * SIDES, req, MPI_STATUSES_IGNORE);
	if (b->peer[LEFT] != MPI_PROC_NULL)
		column_copy(b, -1, b->in[LEFT], 0);
	if (b->peer[RIGHT] != MPI_PROC_NULL)
		column_copy(b, b->w, b->in[RIGHT], 0);
}

/* Sweeps until no cell of the whole plate changes by more than plan->eps; returns the sweeps.  With
 * others, or alone on one block that is the plate. */
static int solve(struct block *b, const struct plan *plan, int alone)
{
	double slow = pow(cos(M_PI / (plan->n + 1)), 2); /* of the mode that vanishes last */
	double weight = 1;

	for (int n = 1; n <= SWEEPS_MAX; n++) {
		double mine, most;

		block_sweep(b, weight);
		weight = 1 / (1 - slow * weight / (n == 1 ? 2 : 4));
		if (!alone)
			halo_exchange(b);
		if (n % CHECK_EVERY != 0)
			continue;
		most = mine = block_change(b);
		if (!alone)
			MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		if (most <= plan->eps)
			return n;
	}
	return SWEEPS_MAX;
}

/* --- results -------------------------------------------------------------------------------- */

/* The block without its halo, row by row. */
static double *block_pack(const struct block *b)
{
	double *p = alloc((size_t)b->w * (size_t)b->h, sizeof(double));

	for (int y = 0; y < b->h; y++)
		memcpy(p + (long)y * b->w, b->now + heat_cell(b, 0, y),
			(size_t)b->w * sizeof(double));
	return p;
}

/* Rank 0 gets the whole field, n * n cells, to be freed; the others get NULL. */
static double *field_gather(const struct block *b, const struct plan *plan, const int grid[2])
{
	double *part = block_pack(b), *field;
	int rank, size, n = plan->n;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank != 0) {
		MPI_Send(part, b->w * b->h, MPI_DOUBLE, 0, TAG_FIELD, MPI_COMM_WORLD);
		free(part);
		return NULL;
	}
	field = alloc((size_t)n * (size_t)n, sizeof(double));
	for (int r = 0; r < size; r++) {
		int x0 = heat_cut(n, grid[0], r % grid[0]),
		    x1 = heat_cut(n, grid[0], r % grid[0] + 1);
		int y0 = heat_cut(n, grid[1], r / grid[0]),
		    y1 = heat_cut(n, grid[1], r / grid[0] + 1);
		double *p = r == 0 ? part
				   : alloc((size_t)(x1 - x0) * (size_t)(y1 - y0), sizeof(double));

		if (r != 0)
			MPI_Recv(p, (x1 - x0) * (y1 - y0), MPI_DOUBLE, r, TAG_FIELD, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
		for (int y = y0; y < y1; y++)
			memcpy(field + (long)y * n + x0, p + (long)(y - y0) * (x1 - x0),
				(size_t)(x1 - x0) * sizeof(double));
		free(p);
	}
	return field;
}

/* The sweeps and the least time of a solution. */
struct result {
	int sweeps;
	double took;
};

/* Makes the block anew, and solves. */
static void solve_timed(struct block *b, const struct plan *plan, const int grid[2], int rank,
	int alone, struct result *r)
{
	double start, took;

	block_init(b, plan, grid, rank);
	if (!alone)
		MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	r->sweeps = solve(b, plan, alone);
	took = MPI_Wtime() - start;
	r->took = r->took > 0 ? fmin(r->took, took) : took;
}

/* Rank 0: compares its own solution with the field of all, and the times; draws.  0 if all is
 * well. */
static int field_judge(const double *field, struct block *all, const struct plan *plan,
	const struct result *ours, const struct result *alone)
{
	double worst = 0, *serial = block_pack(all), load = 0;
	char title[96];
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(title, sizeof(title), "Temperature of a plate, %d x %d cells, %d rank%s", plan->n,
		plan->n, size, size > 1 ? "s" : "");
	printf("heat: rank 0 alone: %d sweeps in %.3f s", alone->sweeps, alone->took);
	if (size > 1)
		printf(": %d ranks are %.2f times as fast", size, alone->took / ours->took);
	printf(" (best of %d in turns)\n", ROUNDS);
	if (alone->took < ours->took && getloadavg(&load, 1) == 1)
		printf("heat: the load of this host is %.1f: the ranks share its CPUs with other "
		       "programs, or with each other\n",
			load);
	for (long i = 0; i < (long)plan->n * plan->n; i++)
		worst = fmax(worst, fabs(field[i] - serial[i]));
	free(serial);
	printf("heat: largest difference %.1e (%s)\n", worst, worst <= AGREE ? "good" : "WRONG");
	if (plan->picture != NULL && picture_write(plan->picture, field, plan->n, title) != 0) {
		fprintf(stderr, "heat: cannot write %s\n", plan->picture);
		return 1;
	}
	if (plan->picture != NULL)
		printf("heat: the picture is %s\n", plan->picture);
	return !(worst <= AGREE && alone->sweeps == ours->sweeps);
}

/* Solves, with others and alone in turns, so that what else runs on the machine slows both.  While
 * rank 0 is alone the others sleep in a barrier, so that all of the machine is there for both.
 * 0 if all is well, at rank 0. */
static int rounds_run(const struct plan *plan, const int grid[2], int rank)
{
	static const int one[2] = {1, 1};
	struct result ours = {0}, alone = {0};
	struct block b, all;
	double *field;
	int size, bad = 0;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < ROUNDS; i++) {
		if (i > 0)
			block_fini(&b);
		solve_timed(&b, plan, grid, rank, 0, &ours);
		if (i > 0 && rank == 0)
			block_fini(&all);
		if (rank == 0)
			solve_timed(&all, plan, one, 0, 1, &alone);
	}
	if (rank == 0)
		printf("heat: %d x %d cells, %d rank%s as %d x %d (this host has %ld CPUs): "
		       "%d sweeps in %.3f s\n",
			plan->n, plan->n, size, size > 1 ? "s" : "", grid[0], grid[1],
			sysconf(_SC_NPROCESSORS_ONLN), ours.sweeps, ours.took);
	field = field_gather(&b, plan, grid);
	if (rank == 0) {
		bad = field_judge(field, &all, plan, &ours, &alone);
		block_fini(&all);
	}
	free(field);
	block_fini(&b);
	return bad;
}

static int plan_read(struct plan *plan, int argc, char **argv)
{
	int c;

	*plan = (struct plan){.n = 768, .eps = 1e-4};
	while ((c = getopt(argc, argv, "n:e:o:")) != -1) {
		switch (c) {
		case 'n': plan->n = atoi(optarg); break;
		case 'e': plan->eps = atof(optarg); break;
		case 'o': plan->picture = optarg; break;
		default: return 1;
		}
	}
	return plan->n < 1 || plan->n > 8192 || !(plan->eps > 0);
}

/* The two factors of size that are nearest to each other. */
static void grid_make(int size, int grid[2])
{
	grid[0] = 1;
	for (int i = 1; i * i <= size; i++)
		if (size % i == 0)
			grid[0] = i;
	grid[1] = size / grid[0];
}

int main(int argc, char **argv)
{
	int rank, size, grid[2], bad;
	struct plan plan;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	grid_make(size, grid);
	if (plan_read(&plan, argc, argv) != 0 || grid[1] > plan.n) {
		if (rank == 0)
			fprintf(stderr, "usage: heat [-n CELLS] [-e EPS] [-o PICTURE.png]; CELLS "
					"from the ranks in a column to 8192\n");
		MPI_Finalize();
		return 2;
	}
	bad = rounds_run(&plan, grid, rank);
	MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return bad;
}
