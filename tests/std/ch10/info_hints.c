// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 10: info objects, clause by clause; 9.1.2: the one about the hardware. */
#define MPI_NO_DEPRECATED_WARNINGS
#include "tests/check.h"

static char value[MPI_MAX_INFO_VAL + 1];

/* The answer of MPI_Info_get_string with this much room; the needed room goes to *len. */
static int hint_get(MPI_Info info, const char *key, int room, int *len)
{
	int flag = -1;

	memset(value, '#', sizeof(value));
	*len = room;
	OK(MPI_Info_get_string(info, key, len, value, &flag));
	CHECK(flag == 0 || flag == 1);
	return flag;
}

/* MPI-5.0 10: a new object has no keys; set adds or overrides; delete takes away; keys and values
 * are case sensitive and keep their blanks in C. */
static void hint_pairs(void)
{
	MPI_Info i;
	int n, len;

	OK(MPI_Info_create(&i));
	OK(MPI_Info_get_nkeys(i, &n));
	CHECK(n == 0);
	OK(MPI_Info_set(i, "Key", "One"));
	OK(MPI_Info_set(i, "key", "two"));
	OK(MPI_Info_set(i, " key ", " three "));
	OK(MPI_Info_get_nkeys(i, &n));
	CHECK(n == 3);
	CHECK(hint_get(i, "Key", 100, &len) && strcmp(value, "One") == 0 && len == 4);
	CHECK(hint_get(i, "key", 100, &len) && strcmp(value, "two") == 0);
	CHECK(hint_get(i, " key ", 100, &len) && strcmp(value, " three ") == 0);
	OK(MPI_Info_set(i, "key", ""));
	CHECK(hint_get(i, "key", 100, &len) && strcmp(value, "") == 0 && len == 1);
	OK(MPI_Info_get_nkeys(i, &n));
	CHECK(n == 3);
	OK(MPI_Info_delete(i, "Key"));
	CHECK(!hint_get(i, "Key", 100, &len));
	FAILS(MPI_ERR_INFO_NOKEY, "Key", MPI_Info_delete(i, "Key"));
	OK(MPI_Info_free(&i));
	CHECK(i == MPI_INFO_NULL);
}

/* MPI-5.0 10: MPI_Info_get_string: no key: nothing changes; room 0: only the length; too little
 * room: cut, with a NUL; the length is always the one that is needed. */
static void strings(void)
{
	MPI_Info i;
	int len;

	OK(MPI_Info_create(&i));
	OK(MPI_Info_set(i, "k", "abcdef"));
	CHECK(!hint_get(i, "none", 5, &len) && value[0] == '#');
	CHECK(hint_get(i, "k", 0, &len) && value[0] == '#' && len == 7);
	CHECK(hint_get(i, "k", 1, &len) && value[0] == '\0' && value[1] == '#' && len == 7);
	CHECK(hint_get(i, "k", 4, &len) && strcmp(value, "abc") == 0 && value[4] == '#' &&
		len == 7);
	CHECK(hint_get(i, "k", 6, &len) && strcmp(value, "abcde") == 0 && len == 7);
	CHECK(hint_get(i, "k", 7, &len) && strcmp(value, "abcdef") == 0 && len == 7);
	CHECK(hint_get(i, "k", 50, &len) && strcmp(value, "abcdef") == 0 && len == 7);
	OK(MPI_Info_free(&i));
}

/* MPI-5.0 10: the limits: keys of MPI_MAX_INFO_KEY - 1 and values of MPI_MAX_INFO_VAL
 * characters. */
static void limits(void)
{
	char key[MPI_MAX_INFO_KEY + 2], got[MPI_MAX_INFO_KEY], big[MPI_MAX_INFO_VAL + 2];
	MPI_Info i;
	int len, n;

	memset(key, 'k', sizeof(key));
	memset(big, 'v', sizeof(big));
	key[MPI_MAX_INFO_KEY - 1] = '\0';
	big[MPI_MAX_INFO_VAL] = '\0';
	OK(MPI_Info_create(&i));
	OK(MPI_Info_set(i, key, big));
	CHECK(hint_get(i, key, MPI_MAX_INFO_VAL + 1, &len) && strcmp(value, big) == 0);
	OK(MPI_Info_get_nthkey(i, 0, got));
	CHECK(strcmp(got, key) == 0);
	key[MPI_MAX_INFO_KEY - 1] = 'k';
	key[MPI_MAX_INFO_KEY] = '\0';
	big[MPI_MAX_INFO_VAL] = 'v';
	big[MPI_MAX_INFO_VAL + 1] = '\0';
	FAILS(MPI_ERR_INFO_KEY, "longer", MPI_Info_set(i, key, "x"));
	FAILS(MPI_ERR_INFO_KEY, "longer", MPI_Info_delete(i, key));
	FAILS(MPI_ERR_INFO_VALUE, "longer", MPI_Info_set(i, "x", big));
	FAILS(MPI_ERR_INFO_KEY, "empty", MPI_Info_set(i, "", "x"));
	OK(MPI_Info_get_nkeys(i, &n));
	CHECK(n == 1);
	FAILS(MPI_ERR_ARG, "", MPI_Info_get_nthkey(i, 1, got));
	FAILS(MPI_ERR_ARG, "", MPI_Info_get_nthkey(i, -1, got));
	OK(MPI_Info_free(&i));
}

/* MPI-5.0 10: a dup has the same pairs in the same order and is apart from then on; numbers of keys
 * stay while nothing is set or deleted. */
static void hint_dups(void)
{
	static const char *const keys[] = {"z", "a", "m", "b", "y"};
	char key[MPI_MAX_INFO_KEY], other[MPI_MAX_INFO_KEY];
	MPI_Info i, j;
	int n, len;

	OK(MPI_Info_create(&i));
	for (int k = 0; k < 5; k++)
		OK(MPI_Info_set(i, keys[k], keys[4 - k]));
	OK(MPI_Info_dup(i, &j));
	OK(MPI_Info_get_nkeys(j, &n));
	CHECK(n == 5);
	for (int k = 0; k < 5; k++) {
		OK(MPI_Info_get_nthkey(i, k, key));
		OK(MPI_Info_get_nthkey(j, k, other));
		CHECK(strcmp(key, other) == 0);
		CHECK(hint_get(j, key, 10, &len));
	}
	OK(MPI_Info_set(i, "z", "changed"));
	OK(MPI_Info_delete(i, "a"));
	CHECK(hint_get(j, "z", 10, &len) && strcmp(value, "y") == 0);
	OK(MPI_Info_free(&i));
	CHECK(hint_get(j, "a", 10, &len) && strcmp(value, "b") == 0);
	OK(MPI_Info_free(&j));
}

/* MPI-5.0 16.3: the deprecated way to ask, whose length does not count the NUL. */
static void hint_deprecated(void)
{
	MPI_Info i;
	int len = -1, flag;

	OK(MPI_Info_create(&i));
	OK(MPI_Info_set(i, "k", "abcdef"));
	OK(MPI_Info_get_valuelen(i, "k", &len, &flag));
	CHECK(flag && len == 6);
	memset(value, '#', sizeof(value));
	OK(MPI_Info_get(i, "k", 6, value, &flag));
	CHECK(flag && strcmp(value, "abcdef") == 0);
	memset(value, '#', sizeof(value));
	OK(MPI_Info_get(i, "k", 3, value, &flag));
	CHECK(flag && strcmp(value, "abc") == 0 && value[4] == '#');
	len = 17;
	OK(MPI_Info_get_valuelen(i, "none", &len, &flag));
	CHECK(!flag && len == 17);
	OK(MPI_Info_free(&i));
}

/* MPI-5.0 10: an info that a call has taken may be changed and freed at once. */
static void read_at_once(void)
{
	MPI_Info i, used;
	MPI_Comm c;
	int len;

	OK(MPI_Info_create(&i));
	OK(MPI_Info_set(i, "mpi_assert_no_any_tag", "true"));
	OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, i, &c));
	OK(MPI_Info_set(i, "mpi_assert_no_any_tag", "false"));
	OK(MPI_Info_free(&i));
	OK(MPI_Comm_get_info(c, &used));
	CHECK(hint_get(used, "mpi_assert_no_any_tag", 10, &len) && strcmp(value, "true") == 0);
	OK(MPI_Info_free(&used));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 10: MPI_Info_create_env makes what MPI_INFO_ENV is, of the arguments or without. */
static void environment(void)
{
	char *words[] = {(char *)"ocean", (char *)"-n", (char *)"7", NULL};
	MPI_Info i;
	int len;

	OK(MPI_Info_create_env(3, words, &i));
	CHECK(hint_get(i, "command", 100, &len) && strcmp(value, "ocean") == 0);
	CHECK(hint_get(i, "argv", 100, &len) && strcmp(value, "-n 7") == 0);
	OK(MPI_Info_free(&i));
	OK(MPI_Info_create_env(0, NULL, &i));
	CHECK(hint_get(i, "command", MPI_MAX_INFO_VAL, &len) && strstr(value, "hints") != NULL);
	CHECK(hint_get(i, "wdir", MPI_MAX_INFO_VAL, &len) && hint_get(i, "arch", 100, &len));
	OK(MPI_Info_free(&i));
}

/* MPI-5.0 9.1.2: kinds of hardware, with "true" for those of which the process has one instance. */
static void hardware(void)
{
	char key[MPI_MAX_INFO_KEY];
	MPI_Info i;
	int n, len;

	OK(MPI_Get_hw_resource_info(&i));
	OK(MPI_Info_get_nkeys(i, &n));
	for (int k = 0; k < n; k++) {
		OK(MPI_Info_get_nthkey(i, k, key));
		CHECK(strstr(key, "://") != NULL && strncmp(key, "mpi://", 6) != 0);
		CHECK(hint_get(i, key, 100, &len));
		CHECK(strcmp(value, "true") == 0 || strcmp(value, "false") == 0);
	}
	if (n > 0) {
		CHECK(hint_get(i, "hwloc://Machine", 100, &len) && strcmp(value, "true") == 0);
		CHECK(hint_get(i, "hwloc://PU", 100, &len));
	}
	OK(MPI_Info_free(&i));
}

/* MPI-5.0 11.4.3: kinds of memory that every communicator reports. */
static void memory_kinds(void)
{
	MPI_Comm all[] = {MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL};
	MPI_Info i;
	int len;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &all[2]));
	for (int k = 0; k < 3; k++) {
		OK(MPI_Comm_get_info(all[k], &i));
		CHECK(hint_get(i, "mpi_memory_alloc_kinds", 200, &len));
		CHECK(strcmp(value, "mpi,system") == 0);
		OK(MPI_Info_free(&i));
	}
	OK(MPI_Comm_free(&all[2]));
}

/* Wrong arguments: the class, and nothing changes. */
static void hint_refused(void)
{
	MPI_Info i, old, env = MPI_INFO_ENV;
	int n, len = 5, flag;

	OK(MPI_Info_create(&i));
	FAILS(MPI_ERR_ARG, "key is NULL", MPI_Info_set(i, NULL, "x"));
	FAILS(MPI_ERR_ARG, "value is NULL", MPI_Info_set(i, "x", NULL));
	OK(MPI_Info_set(i, "x", "y"));
	FAILS(MPI_ERR_ARG, "value is NULL", MPI_Info_get_string(i, "x", &len, NULL, &flag));
	OK(MPI_Info_free(&i));
	FAILS(MPI_ERR_INFO, "MPI_INFO_NULL", MPI_Info_set(MPI_INFO_NULL, "x", "y"));
	FAILS(MPI_ERR_INFO, "MPI_INFO_NULL", MPI_Info_dup(MPI_INFO_NULL, &i));
	FAILS(MPI_ERR_INFO, "MPI_INFO_NULL", MPI_Info_free(&i));
	FAILS(MPI_ERR_INFO, "predefined", MPI_Info_free(&env));
	CHECK(env == MPI_INFO_ENV);
	OK(MPI_Info_create(&i));
	old = i;
	OK(MPI_Info_free(&i));
	FAILS(MPI_ERR_INFO, "freed", MPI_Info_get_nkeys(old, &n));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	hint_pairs();
	strings();
	limits();
	hint_dups();
	hint_deprecated();
	read_at_once();
	environment();
	hardware();
	memory_kinds();
	hint_refused();
	MPI_Finalize();
	return 0;
}
