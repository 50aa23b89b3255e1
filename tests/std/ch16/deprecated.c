// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 16.1, 16.2, 16.3, 16.4: deprecated names do what their replacements do. */
#define MPI_NO_DEPRECATED_WARNINGS
#include "tests/check.h"

static int heard;

static void old_line(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	heard++;
}

/* 16.1: attributes by the names of MPI-1. */
static void old_attributes(void)
{
	int key, flag = 0, x = 5, *got = NULL, *same = NULL;

	OK(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL));
	OK(MPI_Attr_put(MPI_COMM_SELF, key, &x));
	OK(MPI_Attr_get(MPI_COMM_SELF, key, &got, &flag));
	CHECK(flag && got == &x);
	OK(MPI_Comm_get_attr(MPI_COMM_SELF, key, &same, &flag));
	CHECK(flag && same == &x);
	OK(MPI_Attr_delete(MPI_COMM_SELF, key));
	OK(MPI_Comm_get_attr(MPI_COMM_SELF, key, &same, &flag));
	CHECK(!flag);
	OK(MPI_Keyval_free(&key));
	CHECK(key == MPI_KEYVAL_INVALID);
}

/* 16.2: the old typedefs name the same functions. */
static void typedefs(void)
{
	MPI_Comm_errhandler_fn *old = old_line;
	MPI_Errhandler h;

	OK(MPI_Comm_create_errhandler(old, &h));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, h));
	CHECK(MPI_Send(&heard, -1, MPI_INT, 0, 0, MPI_COMM_SELF) != MPI_SUCCESS && heard == 1);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
	OK(MPI_Errhandler_free(&h));
}

/* 16.3: info values with a length that has no room for the end of the string. */
static void infos(void)
{
	char value[4] = "....";
	MPI_Info info;
	int flag, n;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "key", "words"));
	OK(MPI_Info_get_valuelen(info, "key", &n, &flag));
	CHECK(flag && n == 5);
	OK(MPI_Info_get(info, "key", 3, value, &flag));
	CHECK(flag && memcmp(value, "wor", 4) == 0);
	OK(MPI_Info_get(info, "other", 3, value, &flag));
	CHECK(!flag);
	OK(MPI_Info_free(&info));
}

/* 16.4: MPI_HOST, and sizes as MPI_Count by functions of their own. */
static void old_counts(void)
{
	MPI_Count size, lower, extent, again, n;
	MPI_Datatype t;
	MPI_Status s;
	int *host, flag;

	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &host, &flag));
	CHECK(flag && *host == MPI_PROC_NULL);
	OK(MPI_Type_vector(3, 1, 2, MPI_INT, &t));
	OK(MPI_Type_size_x(t, &size));
	OK(MPI_Type_size_c(t, &again));
	CHECK(size == again && size == 3 * (MPI_Count)sizeof(int));
	OK(MPI_Type_get_extent_x(t, &lower, &extent));
	CHECK(lower == 0 && extent == 5 * (MPI_Count)sizeof(int));
	OK(MPI_Type_get_true_extent_x(t, &lower, &extent));
	CHECK(lower == 0 && extent == 5 * (MPI_Count)sizeof(int));
	memset(&s, 0, sizeof(s));
	OK(MPI_Status_set_elements_x(&s, MPI_INT, 7));
	OK(MPI_Get_elements_x(&s, MPI_INT, &n));
	CHECK(n == 7);
	OK(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	old_attributes();
	typedefs();
	infos();
	old_counts();
	MPI_Finalize();
	return 0;
}
