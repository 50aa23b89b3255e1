// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* MPI-5.0 9.1.2: the attributes of MPI_COMM_WORLD, which cannot be changed. */
#define MPI_NO_DEPRECATED_WARNINGS
#include "tests/check.h"

static int *world_value(MPI_Comm c, int key)
{
	int *v = NULL, flag = 0;

	OK(MPI_Comm_get_attr(c, key, &v, &flag));
	return flag ? v : NULL;
}

/* MPI-5.0 9.1.2.1: tags from 0 to the attribute's value, at least 32767, can be used. */
static void tag_ub(void)
{
	int *ub = world_value(MPI_COMM_WORLD, MPI_TAG_UB), x = 7, y = 0;
	MPI_Status s;

	CHECK(ub != NULL && *ub >= 32767);
	OK(MPI_Sendrecv(&x, 1, MPI_INT, check_rank, *ub, &y, 1, MPI_INT, check_rank, *ub,
		MPI_COMM_WORLD, &s));
	CHECK(y == 7 && s.MPI_TAG == *ub);
	CHECK(world_value(MPI_COMM_WORLD, MPI_TAG_UB) == ub);
}

/* Clocks of several hosts count from their own starts; mpiexec lists these hosts with commas. */
static int world_on_one_host(void)
{
	char hosts[256] = "";
	int flag, len = sizeof(hosts);

	OK(MPI_Info_get_string(MPI_INFO_ENV, "host", &len, hosts, &flag));
	return strchr(hosts, ',') == NULL;
}

/* MPI-5.0 9.1.2.2, 9.1.2.3: ranks with input and output; whether clocks agree. */
static void world_others(void)
{
	int *v = world_value(MPI_COMM_WORLD, MPI_IO);

	CHECK(v != NULL);
	CHECK(*v == MPI_ANY_SOURCE || *v == MPI_PROC_NULL || (*v >= 0 && *v < check_size));
	v = world_value(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL);
	CHECK(v != NULL && *v == world_on_one_host());
	v = world_value(MPI_COMM_WORLD, MPI_HOST); /* deprecated: 16 */
	CHECK(v != NULL && (*v == MPI_PROC_NULL || (*v >= 0 && *v < check_size)));
}

/* MPI-5.0 11.10.1, 11.10.3: how many processes there may be, and which program this is; started
 * by mpiexec there is a number. */
static void world_job(void)
{
	int *v = world_value(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE);

	CHECK(v == NULL || *v >= check_size);
	v = world_value(MPI_COMM_WORLD, MPI_APPNUM);
	CHECK(v != NULL && *v == 0);
}

/* MPI-5.0 9.5.1: MPI_LASTUSEDCODE follows classes and codes that come and go. */
static void last_used(void)
{
	int *v = world_value(MPI_COMM_WORLD, MPI_LASTUSEDCODE), class, code, own = *v;

	CHECK(own >= MPI_ERR_LASTCODE);
	OK(MPI_Add_error_class(&class));
	CHECK(*world_value(MPI_COMM_WORLD, MPI_LASTUSEDCODE) == class);
	OK(MPI_Add_error_code(class, &code));
	CHECK(*world_value(MPI_COMM_WORLD, MPI_LASTUSEDCODE) >= code);
	OK(MPI_Remove_error_code(code));
	OK(MPI_Remove_error_class(class));
	CHECK(*world_value(MPI_COMM_WORLD, MPI_LASTUSEDCODE) == own);
}

/* MPI-5.0 9.1.2: they cannot be set, deleted, or have their keys freed, and dups have them. */
static void fixed(void)
{
	static const int keys[] = {MPI_TAG_UB, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_HOST,
		MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE, MPI_APPNUM};
	MPI_Comm c;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		int key = keys[i], *was = world_value(MPI_COMM_WORLD, key);

		FAILS(MPI_ERR_KEYVAL, "predefined", MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key));
		FAILS(MPI_ERR_KEYVAL, "predefined", MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
		FAILS(MPI_ERR_KEYVAL, "predefined", MPI_Comm_set_attr(c, key, &key));
		FAILS(MPI_ERR_KEYVAL, "predefined", MPI_Comm_free_keyval(&key));
		CHECK(key == keys[i] && world_value(MPI_COMM_WORLD, key) == was);
		CHECK(world_value(c, key) == was);
	}
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 16.1: the deprecated names do the same. */
static int copies, deletes;

static int old_copy(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
{
	(void)c;
	(void)key;
	(void)extra;
	copies++;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static int old_delete(MPI_Comm c, int key, void *v, void *extra)
{
	(void)c;
	(void)key;
	(void)v;
	(void)extra;
	deletes++;
	return MPI_SUCCESS;
}

static void world_deprecated(void)
{
	int key, flag, *v, x = 1, dup, null;
	MPI_Comm c, d;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Keyval_create(old_copy, old_delete, &key, NULL));
	OK(MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &dup, NULL));
	OK(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &null, NULL));
	OK(MPI_Attr_put(c, key, &x));
	OK(MPI_Attr_put(c, dup, &x));
	OK(MPI_Attr_put(c, null, &x));
	OK(MPI_Comm_dup(c, &d));
	OK(MPI_Attr_get(d, key, &v, &flag));
	CHECK(flag && v == &x && copies == 1);
	OK(MPI_Attr_get(d, dup, &v, &flag));
	CHECK(flag && v == &x);
	OK(MPI_Attr_get(d, null, &v, &flag));
	CHECK(!flag);
	OK(MPI_Attr_delete(d, key));
	CHECK(deletes == 1);
	OK(MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &v, &flag));
	CHECK(flag && *v >= 32767);
	OK(MPI_Comm_free(&d));
	OK(MPI_Comm_free(&c));
	CHECK(deletes == 2);
	OK(MPI_Keyval_free(&key));
	CHECK(key == MPI_KEYVAL_INVALID);
	OK(MPI_Keyval_free(&dup));
	OK(MPI_Keyval_free(&null));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	tag_ub();
	world_others();
	world_job();
	last_used();
	fixed();
	world_deprecated();
	MPI_Finalize();
	return 0;
}
