// SPDX-License-Identifier: BSD-3-Clause
/* other_call.c - argv[1] names the call of rank 0, argv[2] that of the others, on a communicator
 * that has made collective calls before if argv[3] is "yes".  argv[4]: errors return, and every
 * rank must get one, with words that have argv[4]: other_call.sh. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 16 };

static int x[MANY], y[MANY], zero[MANY], rank, size;

static int call_root(const char *name)
{
	int root = atoi(strchr(name, '=') + 1);

	if (strncmp(name, "bcast", 5) == 0)
		return MPI_Bcast(x, 1, MPI_INT, root, MPI_COMM_WORLD);
	if (strncmp(name, "gather", 6) == 0)
		return MPI_Gather(&rank, 1, MPI_INT, y, 1, MPI_INT, root, MPI_COMM_WORLD);
	if (strncmp(name, "scatter", 7) == 0)
		return MPI_Scatter(y, 1, MPI_INT, x, 1, MPI_INT, root, MPI_COMM_WORLD);
	return MPI_Reduce(&rank, x, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
}

static int call_window(const char *name)
{
	MPI_Win w;
	void *base;

	if (strcmp(name, "win") == 0)
		return MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	if (strcmp(name, "win_dynamic") == 0)
		return MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	if (strcmp(name, "win_shared") == 0)
		return MPI_Win_allocate_shared(
			8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&base, &w);
	return MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&base, &w);
}

static int call_comm(const char *name)
{
	MPI_Comm c = MPI_COMM_NULL;
	MPI_Group all, first;

	if (strncmp(name, "win", 3) == 0)
		return call_window(name);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &(int){0}, &first);
	if (strcmp(name, "create") == 0)
		return MPI_Comm_create(MPI_COMM_WORLD, all, &c);
	if (strcmp(name, "create_first") == 0)
		return MPI_Comm_create(MPI_COMM_WORLD, first, &c);
	if (strcmp(name, "split") == 0)
		return MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &c);
	if (strcmp(name, "intercomm") == 0) /* no process of the other group makes the call */
		return MPI_Intercomm_create(MPI_COMM_WORLD, size - 1, MPI_COMM_WORLD, 0, 0, &c);
	return MPI_Comm_dup(MPI_COMM_WORLD, &c);
}

/* A loop over MPI_Test. */
static int other_poll(MPI_Request *r)
{
	int err = 0, done = 0;

	while (err == 0 && !done)
		err = MPI_Test(r, &done, MPI_STATUS_IGNORE);
	return err;
}

static int call_request(const char *name)
{
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm c;
	int err = 0;

	if (strncmp(name, "ibarrier", 8) == 0)
		err = MPI_Ibarrier(MPI_COMM_WORLD, &r);
	else if (strncmp(name, "iallreduce", 10) == 0)
		err = MPI_Iallreduce(&rank, x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
	else if (strcmp(name, "ibcast") == 0)
		err = MPI_Ibcast(x, 1, MPI_INT, 0, MPI_COMM_WORLD, &r);
	else if (strcmp(name, "idup") == 0)
		err = MPI_Comm_idup(MPI_COMM_WORLD, &c, &r);
	else if (strcmp(name, "init") == 0)
		err = MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	if (err != 0)
		return err;
	return strstr(name, "_polled") != NULL ? other_poll(&r) : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int call_named(const char *name)
{
	if (strchr(name, '=') != NULL)
		return call_root(name);
	if (name[0] == 'i' && strcmp(name, "intercomm") != 0)
		return call_request(name);
	if (strcmp(name, "allreduce") == 0)
		return MPI_Allreduce(&rank, x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (strcmp(name, "barrier") == 0)
		return MPI_Barrier(MPI_COMM_WORLD);
	if (strcmp(name, "alltoallv") == 0)
		return MPI_Alltoallv(
			x, zero, zero, MPI_INT, y, zero, zero, MPI_INT, MPI_COMM_WORLD);
	if (strcmp(name, "allgatherv") == 0)
		return MPI_Allgatherv(&rank, 0, MPI_INT, y, zero, zero, MPI_INT, MPI_COMM_WORLD);
	return call_comm(name);
}

/* This rank's call, or a barrier after it, gives an error with these words. */
static int returns(int err, const char *words)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len;

	if (err == 0)
		err = MPI_Barrier(MPI_COMM_WORLD);
	MPI_Error_string(err, text, &len);
	if (err != 0 && strstr(text, words) != NULL)
		return 0;
	printf("rank %d: error %d: %s\n", rank, err, text);
	return 1;
}

int main(int argc, char **argv)
{
	int err, bad = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size > MANY)
		MPI_Abort(MPI_COMM_WORLD, 99);
	if (argc > 3 && strcmp(argv[3], "yes") == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	if (argc > 4)
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	err = call_named(argv[rank == 0 ? 1 : 2]);
	if (argc > 4)
		bad = returns(err, argv[4]);
	MPI_Finalize();
	return bad;
}
