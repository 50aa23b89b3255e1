// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 7.4.4: hints of communicators: defaults, values in use, and broken assertions. */
#include "tests/check.h"

static int hint_value(MPI_Comm c, const char *key)
{
	MPI_Info info;
	char value[8] = "";
	int n = sizeof(value), flag;

	OK(MPI_Comm_get_info(c, &info));
	OK(MPI_Info_get_string(info, key, &n, value, &flag));
	OK(MPI_Info_free(&info));
	CHECK(flag && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0));
	return value[0] == 't';
}

static void hint_set(MPI_Comm c, const char *key, const char *value)
{
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, key, value));
	OK(MPI_Comm_set_info(c, info));
	OK(MPI_Info_free(&info));
}

static const char *const keys[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
	"mpi_assert_exact_length", "mpi_assert_allow_overtaking",
	"mpi_assert_strict_persistent_collective_ordering"};

/* All defaults are told; setting one leaves the others. */
static void hint_told(MPI_Comm c)
{
	for (int i = 0; i < 5; i++)
		CHECK(!hint_value(c, keys[i]));
	for (int i = 0; i < 5; i++) {
		hint_set(c, keys[i], "true");
		for (int j = 0; j < 5; j++)
			CHECK(hint_value(c, keys[j]) == (j <= i));
	}
	hint_set(c, keys[1], "perhaps");
	CHECK(hint_value(c, keys[1]));
	hint_set(c, "mpi_assert_of_another_library", "true");
	OK(MPI_Comm_set_info(c, MPI_INFO_NULL));
	for (int i = 0; i < 5; i++)
		hint_set(c, keys[i], "false");
	for (int i = 0; i < 5; i++)
		CHECK(!hint_value(c, keys[i]));
}

/* 11.4.3: a list of kinds of memory is in use if all of them are known; without one there is
 * none. */
static void hint_kinds(MPI_Comm c)
{
	static const char key[] = "mpi_assert_memory_alloc_kinds";
	char value[MPI_MAX_INFO_VAL];
	int n = sizeof(value), flag;
	MPI_Info info;

	hint_set(c, key, "mpi,unobtainium");
	OK(MPI_Comm_get_info(c, &info));
	OK(MPI_Info_get_string(info, key, &n, value, &flag));
	CHECK(!flag);
	OK(MPI_Info_free(&info));
	hint_set(c, key, "system,mpi:alloc_mem");
	OK(MPI_Comm_get_info(c, &info));
	n = sizeof(value);
	OK(MPI_Info_get_string(info, key, &n, value, &flag));
	CHECK(flag && strcmp(value, "system,mpi:alloc_mem") == 0);
	OK(MPI_Info_free(&info));
}

/* Hints do not go to copies, but with MPI_Comm_dup_with_info. */
static void hint_copied(MPI_Comm c)
{
	MPI_Comm d;
	MPI_Info info;

	hint_set(c, keys[0], "true");
	OK(MPI_Comm_dup(c, &d));
	CHECK(!hint_value(d, keys[0]));
	OK(MPI_Comm_free(&d));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, keys[2], " true "));
	OK(MPI_Comm_dup_with_info(c, info, &d));
	CHECK(!hint_value(d, keys[0]) && hint_value(d, keys[2]));
	OK(MPI_Comm_free(&d));
	OK(MPI_Info_free(&info));
	hint_set(c, keys[0], "false");
}

/* A call that an assertion has excluded is an error with words. */
static void hint_kept(MPI_Comm c)
{
	int me, x[2] = {0, 0}, flag;
	MPI_Request r;

	OK(MPI_Comm_rank(c, &me));
	hint_set(c, keys[0], "true");
	FAILS(MPI_ERR_TAG, "mpi_assert_no_any_tag",
		MPI_Irecv(x, 1, MPI_INT, me, MPI_ANY_TAG, c, &r));
	FAILS(MPI_ERR_TAG, "mpi_assert_no_any_tag",
		MPI_Iprobe(me, MPI_ANY_TAG, c, &flag, MPI_STATUS_IGNORE));
	hint_set(c, keys[0], "false");
	hint_set(c, keys[1], "true");
	FAILS(MPI_ERR_RANK, "mpi_assert_no_any_source",
		MPI_Irecv(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, c, &r));
	OK(MPI_Iprobe(me, MPI_ANY_TAG, c, &flag, MPI_STATUS_IGNORE));
	hint_set(c, keys[1], "false");
	hint_set(c, keys[2], "true");
	OK(MPI_Isend(x, 1, MPI_INT, me, 0, c, &r));
	FAILS(MPI_ERR_TRUNCATE, "mpi_assert_exact_length",
		MPI_Recv(x, 2, MPI_INT, me, 0, c, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Isend(x, 2, MPI_INT, me, 0, c, &r));
	OK(MPI_Recv(x, 2, MPI_INT, me, 0, c, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
	MPI_Comm c;

	check_init(&argc, &argv);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	hint_told(c);
	hint_kinds(c);
	hint_copied(c);
	hint_kept(c);
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return 0;
}
