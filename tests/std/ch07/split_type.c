// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* MPI-5.0 7.4.2: MPI_Comm_split_type: shared memory, parts of the machine, and unknown
 * types. */
#include "tests/check.h"

static MPI_Info split_with(const char *key, const char *value)
{
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, key, value));
	return info;
}

static int split_size_of(MPI_Comm *c)
{
	int n = 0, one = 1, sum;

	if (*c == MPI_COMM_NULL)
		return 0;
	OK(MPI_Comm_size(*c, &n));
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *c));
	CHECK(sum == n);
	OK(MPI_Comm_free(c));
	return n;
}

static void guided(int type)
{
	MPI_Info info = split_with("mpi_hw_resource_type", "mpi_shared_memory");
	MPI_Comm c;

	OK(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &c));
	CHECK(split_size_of(&c) == check_local(0, NULL));
	OK(MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://Machine"));
	OK(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &c));
	split_size_of(&c); /* all or, without hwloc, none */
	OK(MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://Teapot"));
	OK(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &c));
	CHECK(c == MPI_COMM_NULL);
	OK(MPI_Info_free(&info));
	OK(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, MPI_INFO_NULL, &c));
	CHECK(c == MPI_COMM_NULL);
}

/* Those who share memory can make a window of it, and all can if and only if all share. */
static void split_shared(void)
{
	int local = check_local(0, NULL), err, *mem;
	MPI_Comm c;
	MPI_Win win;

	OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c));
	OK(MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, c, &mem, &win));
	OK(MPI_Win_free(&win));
	OK(MPI_Comm_free(&c));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	err = MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, c, &mem, &win);
	CHECK(err == (local == check_size ? MPI_SUCCESS : MPI_ERR_RMA_SHARED));
	if (err == MPI_SUCCESS)
		OK(MPI_Win_free(&win));
	OK(MPI_Comm_free(&c));
}

/* A strict subset, again and again, ends with MPI_COMM_NULL. */
static void unguided(void)
{
	MPI_Comm c = MPI_COMM_WORLD, d;
	MPI_Info info;
	int n = check_size, m, flag, len;

	OK(MPI_Info_create(&info));
	do {
		OK(MPI_Comm_split_type(c, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &d));
		if (c != MPI_COMM_WORLD)
			OK(MPI_Comm_free(&c));
		c = d;
		if (c == MPI_COMM_NULL)
			break;
		OK(MPI_Comm_size(c, &m));
		CHECK(m < n);
		n = m;
		len = 0;
		OK(MPI_Info_get_string(info, "mpi_hw_resource_type", &len, NULL, &flag));
		CHECK(flag && len > 0);
	} while (1);
	OK(MPI_Info_free(&info));
}

static void split_rest(void)
{
	MPI_Info info = split_with("mpi_pset_name", "mpi://WORLD");
	bool zero;
	int local = check_local(0, &zero);
	MPI_Comm c;

	OK(MPI_Comm_split_type(
		MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -check_rank, MPI_INFO_NULL, &c));
	CHECK(split_size_of(&c) == local);
	OK(MPI_Comm_split_type(MPI_COMM_WORLD,
		check_rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c));
	CHECK(split_size_of(&c) == (check_rank == 0 ? 0 : local - zero));
	/* not derived from a session */
	OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &c));
	CHECK(c == MPI_COMM_NULL);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
	FAILS(MPI_ERR_INFO, "only one",
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &c));
	FAILS(MPI_ERR_ARG, "", MPI_Comm_split_type(MPI_COMM_WORLD, 12345, 0, MPI_INFO_NULL, &c));
	OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	guided(MPI_COMM_TYPE_HW_GUIDED);
	guided(MPI_COMM_TYPE_RESOURCE_GUIDED);
	split_shared();
	unguided();
	split_rest();
	MPI_Finalize();
	return 0;
}
