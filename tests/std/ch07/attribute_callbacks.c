// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 7.7: attributes are copied, replaced and deleted with their callbacks, in order; failing
 * callbacks leave all whole. */
#include "tests/check.h"
#include <limits.h>

static char trace[64];
static int refuse; /* result of the next callback */

static int callback_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)comm;
	(void)key;
	snprintf(trace + strlen(trace), 8, "c");
	*(void **)out = (char *)in + *(int *)extra;
	*flag = 1;
	return refuse;
}

static int callback_del(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)extra;
	snprintf(trace + strlen(trace), 8, "d%d", (int)(size_t)value);
	return refuse;
}

static int callback_value_of(MPI_Comm c, int key)
{
	void *v = NULL;
	int flag = -1;

	OK(MPI_Comm_get_attr(c, key, &v, &flag));
	return flag ? (int)(size_t)v : -1;
}

static void callback_life(void)
{
	int a, b, none, ten = 10, old;
	MPI_Comm c, d, e;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Comm_create_keyval(callback_copy, callback_del, &a, &ten));
	OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, callback_del, &b, NULL));
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &none, NULL));
	CHECK(callback_value_of(c, a) == -1);
	OK(MPI_Comm_set_attr(c, a, (void *)1));
	OK(MPI_Comm_set_attr(c, b, (void *)2));
	OK(MPI_Comm_set_attr(c, none, (void *)3));
	OK(MPI_Comm_dup(c, &d));
	CHECK(callback_value_of(d, a) == 11 && callback_value_of(d, b) == 2 &&
		callback_value_of(d, none) == -1);
	CHECK(strcmp(trace, "c") == 0);
	trace[0] = 0;
	OK(MPI_Comm_set_attr(d, a,
		(void *)5)); /* replaced: the old value is deleted, the new one is the newest */
	CHECK(strcmp(trace, "d11") == 0);
	old = a;
	OK(MPI_Comm_free_keyval(&a)); /* goes on working until the last attribute has gone */
	CHECK(a == MPI_KEYVAL_INVALID);
	FAILS(MPI_ERR_KEYVAL, "", MPI_Comm_set_attr(c, old, NULL));
	trace[0] = 0;
	OK(MPI_Comm_dup(c, &e));
	OK(MPI_Comm_delete_attr(e, old)); /* 7.7.1: by the number of a freed key */
	FAILS(MPI_ERR_KEYVAL, "", MPI_Comm_delete_attr(e, old));
	CHECK(strcmp(trace, "cd11") == 0);
	OK(MPI_Comm_free(&e));
	trace[0] = 0;
	OK(MPI_Comm_free(&d));
	CHECK(strcmp(trace, "d5d2") == 0);
	trace[0] = 0;
	OK(MPI_Comm_delete_attr(c, b));
	CHECK(strcmp(trace, "d2") == 0 && callback_value_of(c, b) == -1);
	FAILS(MPI_ERR_KEYVAL, "", MPI_Comm_delete_attr(c, b));
	OK(MPI_Comm_free(&c));
	CHECK(strcmp(trace, "d2d1") == 0);
	OK(MPI_Comm_free_keyval(&b));
	OK(MPI_Comm_free_keyval(&none));
	trace[0] = 0;
}

static void refusals(void)
{
	int a, zero = 0;
	MPI_Comm c, d;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Comm_create_keyval(callback_copy, callback_del, &a, &zero));
	OK(MPI_Comm_set_attr(c, a, (void *)4));
	refuse = MPI_ERR_INTERN;
	CHECK(MPI_Comm_dup(c, &d) != MPI_SUCCESS);
	FAILS(MPI_ERR_INTERN, "delete callback", MPI_Comm_delete_attr(c, a));
	CHECK(callback_value_of(c, a) == 4);
	FAILS(MPI_ERR_INTERN, "", MPI_Comm_free(&c));
	CHECK(c != MPI_COMM_NULL && callback_value_of(c, a) == 4);
	refuse = 0;
	OK(MPI_Comm_free(&c));
	OK(MPI_Comm_free_keyval(&a));
	FAILS(MPI_ERR_KEYVAL, "", MPI_Comm_set_attr(MPI_COMM_WORLD, 12345, NULL));
	FAILS(MPI_ERR_KEYVAL, "", MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL));
	FAILS(MPI_ERR_KEYVAL, "", MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_IO));
}

static void callback_predefined(void)
{
	int *v, flag;

	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &v, &flag));
	CHECK(flag && *v == INT_MAX);
	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &v, &flag));
	CHECK(!flag || *v >= check_size);
	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &v, &flag));
	CHECK(flag && (*v == 0 || *v == 1));
	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &v, &flag));
	CHECK(flag && *v >= MPI_ERR_LASTCODE);
}

/* 11.2.4: attributes of MPI_COMM_SELF are deleted first of all in MPI_Finalize, last set first. */
static int callback_last(MPI_Comm comm, int key, void *value, void *extra)
{
	int flag;

	(void)comm;
	(void)key;
	(void)extra;
	OK(MPI_Finalized(&flag));
	CHECK(!flag);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	snprintf(trace + strlen(trace), 8, "f%d", (int)(size_t)value);
	return 0;
}

int main(int argc, char **argv)
{
	int key[2];

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	callback_life();
	refusals();
	callback_predefined();
	trace[0] = 0;
	for (int i = 0; i < 2; i++) {
		OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, callback_last, &key[i], NULL));
		OK(MPI_Comm_set_attr(MPI_COMM_SELF, key[i], (void *)(size_t)(i + 1)));
	}
	MPI_Finalize();
	return strcmp(trace, "f2f1") != 0;
}
