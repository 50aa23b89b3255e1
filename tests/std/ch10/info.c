// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 10: keys and values, their limits and order; before MPI_Init and after MPI_Finalize. */
#include "tests/check.h"

static void info_pairs(void)
{
	char value[8], key[MPI_MAX_INFO_KEY];
	int n, len, flag;
	MPI_Info a, b;

	OK(MPI_Info_create(&a));
	OK(MPI_Info_set(a, "one", "1"));
	OK(MPI_Info_set(a, "two", " twenty two "));
	OK(MPI_Info_set(a, "three", "3"));
	OK(MPI_Info_set(a, "one", "eins")); /* replaced in its place */
	OK(MPI_Info_dup(a, &b));
	OK(MPI_Info_delete(a, "two"));
	OK(MPI_Info_get_nkeys(a, &n));
	CHECK(n == 2);
	OK(MPI_Info_get_nthkey(a, 1, key));
	CHECK(strcmp(key, "three") == 0);
	OK(MPI_Info_free(&a));
	CHECK(a == MPI_INFO_NULL);
	OK(MPI_Info_get_nkeys(b, &n));
	CHECK(n == 3);
	OK(MPI_Info_get_nthkey(b, 0, key));
	CHECK(strcmp(key, "one") == 0);
	len = 0;
	OK(MPI_Info_get_string(b, "two", &len, NULL, &flag));
	CHECK(flag && len == 13);
	len = sizeof(value);
	OK(MPI_Info_get_string(b, "two", &len, value, &flag));
	CHECK(flag && len == 13 && strcmp(value, " twenty") == 0);
	len = 5;
	OK(MPI_Info_get_string(b, "none", &len, value, &flag));
	CHECK(!flag && len == 5 && strcmp(value, " twenty") == 0);
	OK(MPI_Info_free(&b));
}

static void refusals(void)
{
	static char longer[MPI_MAX_INFO_VAL + 2];
	char key[MPI_MAX_INFO_KEY];
	MPI_Info a, old;
	int n;

	memset(longer, 'x', sizeof(longer) - 1);
	OK(MPI_Info_create(&a));
	FAILS(MPI_ERR_INFO_KEY, "", MPI_Info_set(a, longer, "1"));
	FAILS(MPI_ERR_INFO_KEY, "empty", MPI_Info_set(a, "", "1"));
	FAILS(MPI_ERR_INFO_VALUE, "", MPI_Info_set(a, "k", longer));
	FAILS(MPI_ERR_INFO_NOKEY, "\"k\"", MPI_Info_delete(a, "k"));
	FAILS(MPI_ERR_ARG, "", MPI_Info_get_nthkey(a, 0, key));
	old = a;
	OK(MPI_Info_free(&a));
	FAILS(MPI_ERR_INFO, "freed", MPI_Info_get_nkeys(old, &n));
	FAILS(MPI_ERR_INFO, "", MPI_Info_get_nkeys(MPI_INFO_NULL, &n));
}

static void environment(void)
{
	char value[MPI_MAX_INFO_VAL];
	int len = sizeof(value), flag;
	MPI_Info a = MPI_INFO_ENV;

	OK(MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &len, value, &flag));
	CHECK(flag && atoi(value) == check_size);
	len = sizeof(value);
	OK(MPI_Info_get_string(MPI_INFO_ENV, "command", &len, value, &flag));
	CHECK(flag && strstr(value, "info") != NULL);
	FAILS(MPI_ERR_INFO, "", MPI_Info_free(&a));
}

int main(int argc, char **argv)
{
	info_pairs();
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	info_pairs();
	refusals();
	environment();
	MPI_Finalize();
	info_pairs();
	return 0;
}
