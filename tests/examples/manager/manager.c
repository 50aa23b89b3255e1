// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* manager.c - a manager that starts workers when it has work for them, and replaces those that
 * have done their share.
 *
 *     mpicc manager.c -o manager && ./manager       also: mpiexec -n 1 ./manager
 *
 *     manager ── task ──> worker            a worker ends after SHARE tasks, as one that leaks or
 *             <─ result ─                   holds a licence would; the next task starts a new one
 *
 * Each worker is a job of its own with one process.  It is connected to the manager by one
 * inter-communicator, and independent of all others: when both sides have disconnected it, the
 * worker may end while the manager goes on. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 3  /* at a time */
#define TASKS   24 /* slices of the integral */
#define SHARE   4  /* tasks of a worker */
#define STEPS   100000

enum { TAG_TASK, TAG_RESULT };

struct worker {
	MPI_Comm comm; /* MPI_COMM_NULL: there is none in this place */
	double result;
	int done; /* tasks */
};

/* --- the worker ----------------------------------------------------------------------------- */

/* The integral of 4 / (1 + x * x) over slice `task' of 0 .. 1. */
static double slice(int task)
{
	double h = 1.0 / ((double)TASKS * STEPS), sum = 0;

	for (int i = 0; i < STEPS; i++) {
		double x = ((double)task * STEPS + i + 0.5) * h;

		sum += 4 / (1 + x * x);
	}
	return sum * h;
}

static void manager_work(MPI_Comm manager)
{
	for (int i = 0; i < SHARE; i++) {
		double result;
		int task;

		MPI_Recv(&task, 1, MPI_INT, 0, TAG_TASK, manager, MPI_STATUS_IGNORE);
		if (task < 0)
			break;
		result = slice(task);
		MPI_Send(&result, 1, MPI_DOUBLE, 0, TAG_RESULT, manager);
	}
	MPI_Comm_disconnect(&manager);
}

/* --- the manager ---------------------------------------------------------------------------- */

static void manager_give(struct worker *w, int task, MPI_Request *answer)
{
	MPI_Send(&task, 1, MPI_INT, 0, TAG_TASK, w->comm);
	MPI_Irecv(&w->result, 1, MPI_DOUBLE, 0, TAG_RESULT, w->comm, answer);
}

static void manager_start(struct worker *w, char *program)
{
	MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &w->comm,
		MPI_ERRCODES_IGNORE);
	w->done = 0;
}

/* Waits for one result, and adds it.  Returns the worker's place, which may be empty now. */
static int collect(struct worker *w, MPI_Request *answer, double *sum)
{
	int i;

	MPI_Waitany(WORKERS, answer, &i, MPI_STATUS_IGNORE);
	*sum += w[i].result;
	if (++w[i].done == SHARE)
		MPI_Comm_disconnect(&w[i].comm);
	return i;
}

static double manage(char *program, int *started)
{
	struct worker w[WORKERS];
	MPI_Request answer[WORKERS];
	double sum = 0;
	int none = -1;

	for (int i = 0; i < WORKERS; i++) {
		w[i].comm = MPI_COMM_NULL;
		answer[i] = MPI_REQUEST_NULL;
	}
	for (int task = 0; task < TASKS; task++) {
		int i = task < WORKERS ? task : collect(w, answer, &sum);

		if (w[i].comm == MPI_COMM_NULL) {
			manager_start(&w[i], program);
			++*started;
		}
		manager_give(&w[i], task, &answer[i]);
	}
	for (int i = 0; i < WORKERS; i++)
		collect(w, answer, &sum);
	for (int i = 0; i < WORKERS; i++) {
		if (w[i].comm == MPI_COMM_NULL)
			continue;
		MPI_Send(&none, 1, MPI_INT, 0, TAG_TASK, w[i].comm);
		MPI_Comm_disconnect(&w[i].comm);
	}
	return sum;
}

int main(int argc, char **argv)
{
	MPI_Comm parent;
	double pi;
	int started = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL) {
		manager_work(parent);
		MPI_Finalize();
		return 0;
	}
	pi = manage(argv[0], &started);
	printf("pi is %.12f, found by %d workers, %d at a time\n", pi, started, WORKERS);
	MPI_Finalize();
	return fabs(pi - 3.14159265358979) < 1e-9 && started >= TASKS / SHARE ? 0 : 1;
}
