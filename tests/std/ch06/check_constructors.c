// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3,5 env="HAFT_CHECK=coll" */
/* MPI-5.0 6.14, 7.4.2, 12.2: HAFT_CHECK=coll compares constructors of communicators and windows,
 * and calls between groups. */
#include "tests/check.h"

static MPI_Comm comm; /* that the calls are on; errors return */

/* The last error of this class says both words. */
static void constructor_says(int err, int class, const char *one, const char *two)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	CHECK(err == class);
	OK(MPI_Error_string(err, text, &len));
	CHECK(strstr(text, one) != NULL && strstr(text, two) != NULL);
}

static void constructors(void)
{
	MPI_Comm c = MPI_COMM_NULL;
	MPI_Group g;
	MPI_Win w = MPI_WIN_NULL;
	bool odd = check_rank == check_size - 1;
	void *base;
	int err;

	err = odd ? MPI_Comm_dup(comm, &c) : MPI_Barrier(comm);
	constructor_says(err, MPI_ERR_OTHER, "MPI_Barrier", "MPI_Comm_dup");
	OK(MPI_Comm_group(comm, &g));
	err = odd ? MPI_Comm_split(comm, 0, 0, &c) : MPI_Comm_create(comm, g, &c);
	constructor_says(err, MPI_ERR_OTHER, "MPI_Comm_split", "MPI_Comm_create");
	OK(MPI_Group_free(&g));
	err = odd ? MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &w)
		  : MPI_Win_allocate(8, 1, MPI_INFO_NULL, comm, &base, &w);
	constructor_says(err, MPI_ERR_OTHER, "MPI_Win_create", "MPI_Win_allocate");
	CHECK(w == MPI_WIN_NULL);
	OK(MPI_Comm_dup(comm, &c)); /* and those that are right */
	OK(MPI_Comm_disconnect(&c));
	OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &w));
	OK(MPI_Win_free(&w));
}

static void groups(void)
{
	MPI_Comm half, inter, merged;
	int low = check_rank < (check_size + 1) / 2, one = 1, sum = 0, root;
	int err;

	OK(MPI_Comm_split(comm, low, 0, &half));
	OK(MPI_Intercomm_create(half, 0, comm, low ? (check_size + 1) / 2 : 0, 1, &inter));
	err = low ? MPI_Barrier(inter) : MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
	constructor_says(err, MPI_ERR_OTHER, "MPI_Barrier", "MPI_Allreduce");
	err = MPI_Allreduce(&one, &sum, 1, MPI_INT, low ? MPI_SUM : MPI_MAX, inter);
	constructor_says(err, MPI_ERR_OP, "SUM", "MAX");
	MPI_Comm_rank(half, &root);
	root = low ? root == 0 ? MPI_ROOT : MPI_PROC_NULL : 1;
	if (check_size > 2) {
		err = MPI_Bcast(&one, 1, MPI_INT, root, inter);
		constructor_says(err, MPI_ERR_ROOT, "rank 0", "root 1");
	}
	if (!low)
		root = 0;
	OK(MPI_Bcast(&one, 1, MPI_INT, root, inter));
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter));
	OK(MPI_Intercomm_merge(inter, low, &merged));
	OK(MPI_Comm_free(&merged));
	OK(MPI_Comm_free(&inter));
	OK(MPI_Comm_free(&half));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
	constructors();
	if (check_size > 1)
		groups();
	OK(MPI_Comm_free(&comm));
	MPI_Finalize();
	return 0;
}
