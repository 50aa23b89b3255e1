// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4,6 */
/* MPI-5.0 14.3, 14.4.2: a distributed array is one file, whatever the number of ranks */
/* checkpoint.c - the heat equation, which goes on where an earlier job has ended.
 *
 *      file    | step | row 0 of the plate | row 1 | ...        as one process would write it
 *
 *      rank    ┌────┬────┐     each rank has a block of the plate, and a view of the file that
 *              │ 0  │ 1  │     shows only this block: a subarray.  One collective call writes all
 *              ├────┼────┤     blocks, one reads them.  Another number of ranks has other views
 *              │ 2  │ 3  │     of the same file.
 *              └────┴────┘
 *
 * A checkpoint replaces the one before only when it is complete: with the hint haft_commit=replace
 * the file gets its name in MPI_File_close.
 *
 *     checkpoint [FILE SWEEPS]    goes on from FILE, if it is there, for SWEEPS sweeps, and saves
 *     checkpoint                  tests itself: 40 sweeps are 20, a checkpoint, and 20 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N 120 /* cells of the plate in each direction */

struct plate {
	MPI_Comm grid;
	int at[2], size[2]; /* this rank's block: first row and column, rows and columns */
	int step;
	double *now, *next; /* with a frame of one cell around the block */
	MPI_Datatype inner; /* the block without its frame, in memory */
	MPI_Datatype part;  /* the block, in the file */
	MPI_Datatype column;
};

static void state_check(int err, const char *what)
{
	char text[MPI_MAX_ERROR_STRING];
	int n;

	if (err == MPI_SUCCESS)
		return;
	MPI_Error_string(err, text, &n);
	fprintf(stderr, "checkpoint: %s: %s\n", what, text);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static int state_wide(const struct plate *p)
{
	return p->size[1] + 2;
}

/* Heat comes in at the upper edge. */
static void plate_reset(struct plate *p)
{
	size_t cells = (size_t)(p->size[0] + 2) * (size_t)state_wide(p);

	p->step = 0;
	for (size_t i = 0; i < cells; i++)
		p->now[i] = p->next[i] = 0;
	for (int j = 0; p->at[0] == 0 && j < state_wide(p); j++)
		p->now[j] = p->next[j] = 100;
}

static void plate_new(struct plate *p)
{
	int dims[2] = {0, 0}, none[2] = {0, 0}, whole[2] = {N, N}, one[2] = {1, 1}, me[2], n, rank;

	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Dims_create(n, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, none, 0, &p->grid);
	MPI_Comm_rank(p->grid, &rank);
	MPI_Cart_coords(p->grid, rank, 2, me);
	for (int d = 0; d < 2; d++) {
		p->at[d] = N * me[d] / dims[d];
		p->size[d] = N * (me[d] + 1) / dims[d] - p->at[d];
	}
	int frame[2] = {p->size[0] + 2, p->size[1] + 2};
	MPI_Type_create_subarray(2, frame, p->size, one, MPI_ORDER_C, MPI_DOUBLE, &p->inner);
	MPI_Type_create_subarray(2, whole, p->size, p->at, MPI_ORDER_C, MPI_DOUBLE, &p->part);
	MPI_Type_vector(p->size[0], 1, state_wide(p), MPI_DOUBLE, &p->column);
	MPI_Type_commit(&p->inner);
	MPI_Type_commit(&p->part);
	MPI_Type_commit(&p->column);
	p->now = malloc(sizeof(double) * (size_t)frame[0] * (size_t)frame[1]);
	p->next = malloc(sizeof(double) * (size_t)frame[0] * (size_t)frame[1]);
	if (p->now == NULL || p->next == NULL)
		MPI_Abort(MPI_COMM_WORLD, 1);
	plate_reset(p);
}

static void plate_free(struct plate *p)
{
	MPI_Type_free(&p->inner);
	MPI_Type_free(&p->part);
	MPI_Type_free(&p->column);
	MPI_Comm_free(&p->grid);
	free(p->now);
	free(p->next);
}

/* --- the sweeps ----------------------------------------------------------------------------- */

static void state_exchange(const struct plate *p)
{
	int up, down, left, right, h = p->size[0], w = p->size[1], s = state_wide(p);
	double *a = p->now;

	MPI_Cart_shift(p->grid, 0, 1, &up, &down);
	MPI_Cart_shift(p->grid, 1, 1, &left, &right);
	MPI_Sendrecv(a + s + 1, w, MPI_DOUBLE, up, 0, a + (h + 1) * s + 1, w, MPI_DOUBLE, down, 0,
		p->grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a + h * s + 1, w, MPI_DOUBLE, down, 0, a + 1, w, MPI_DOUBLE, up, 0, p->grid,
		MPI_STATUS_IGNORE);
	MPI_Sendrecv(a + s + 1, 1, p->column, left, 0, a + s + w + 1, 1, p->column, right, 0,
		p->grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a + s + w, 1, p->column, right, 0, a + s, 1, p->column, left, 0, p->grid,
		MPI_STATUS_IGNORE);
}

static void sweep(struct plate *p)
{
	int s = state_wide(p);
	double *a = p->now;

	state_exchange(p);
	for (int i = 1; i <= p->size[0]; i++)
		for (int j = 1; j <= p->size[1]; j++)
			p->next[i * s + j] = (a[(i - 1) * s + j] + a[(i + 1) * s + j] +
						     a[i * s + j - 1] + a[i * s + j + 1]) /
					     4;
	p->now = p->next;
	p->next = a;
	p->step++;
}

/* --- the file ------------------------------------------------------------------------------- */

static void state_save(const struct plate *p, const char *name)
{
	MPI_Info info;
	MPI_File f;
	int rank;

	MPI_Comm_rank(p->grid, &rank);
	MPI_Info_create(&info);
	MPI_Info_set(info, "haft_commit", "replace");
	state_check(
		MPI_File_open(p->grid, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &f), name);
	MPI_Info_free(&info);
	if (rank == 0)
		state_check(MPI_File_write_at(f, 0, &p->step, 1, MPI_INT, MPI_STATUS_IGNORE), name);
	state_check(MPI_File_set_view(f, sizeof(int), MPI_DOUBLE, p->part, "native", MPI_INFO_NULL),
		name);
	state_check(MPI_File_write_all(f, p->now, 1, p->inner, MPI_STATUS_IGNORE), name);
	state_check(MPI_File_close(&f), name);
}

/* False: there is no such file.  Any other error ends the job: a file that cannot be read must not
 * be replaced. */
static int state_load(struct plate *p, const char *name)
{
	MPI_Offset bytes;
	MPI_File f;
	int err = MPI_File_open(p->grid, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &f), class;

	MPI_Error_class(err, &class);
	if (class == MPI_ERR_NO_SUCH_FILE)
		return 0;
	state_check(err, name);
	state_check(MPI_File_get_size(f, &bytes), name);
	if (bytes != (MPI_Offset)(sizeof(int) + sizeof(double) * N * N)) {
		fprintf(stderr, "checkpoint: %s is no checkpoint: %lld bytes\n", name,
			(long long)bytes);
		MPI_Abort(p->grid, 1);
	}
	state_check(MPI_File_read_at_all(f, 0, &p->step, 1, MPI_INT, MPI_STATUS_IGNORE), name);
	state_check(MPI_File_set_view(f, sizeof(int), MPI_DOUBLE, p->part, "native", MPI_INFO_NULL),
		name);
	state_check(MPI_File_read_all(f, p->now, 1, p->inner, MPI_STATUS_IGNORE), name);
	state_check(MPI_File_close(&f), name);
	return 1;
}

/* --- the program ---------------------------------------------------------------------------- */

/* The sum of all temperatures, each with a weight of its own. */
static double state_sum(const struct plate *p)
{
	double mine = 0, all;

	for (int i = 0; i < p->size[0]; i++)
		for (int j = 0; j < p->size[1]; j++)
			mine += p->now[(i + 1) * state_wide(p) + j + 1] *
				(1 + (p->at[0] + i) * N + p->at[1] + j);
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, p->grid);
	return all;
}

static int state_test(struct plate *p)
{
	const char *dir = getenv("TMPDIR");
	char name[400];
	double unbroken, resumed;

	snprintf(name, sizeof(name), "%s/heat.checkpoint", dir != NULL ? dir : ".");
	while (p->step < 40)
		sweep(p);
	unbroken = state_sum(p);
	plate_reset(p);
	while (p->step < 20)
		sweep(p);
	state_save(p, name);
	plate_reset(p);
	if (!state_load(p, name) || p->step != 20)
		return 1;
	while (p->step < 40)
		sweep(p);
	resumed = state_sum(p);
	MPI_Barrier(p->grid);
	if (p->at[0] == 0 && p->at[1] == 0)
		MPI_File_delete(name, MPI_INFO_NULL);
	return unbroken != resumed;
}

int main(int argc, char **argv)
{
	struct plate p;
	double heat;
	int wrong = 0;

	MPI_Init(&argc, &argv);
	plate_new(&p);
	if (argc == 3) {
		state_load(&p, argv[1]);
		for (int i = 0; i < atoi(argv[2]); i++)
			sweep(&p);
		state_save(&p, argv[1]);
		heat = state_sum(&p);
		if (p.at[0] == 0 && p.at[1] == 0)
			printf("after %d sweeps: %.10g\n", p.step, heat);
	} else {
		wrong = state_test(&p);
	}
	plate_free(&p);
	MPI_Finalize();
	return wrong;
}
