// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 7.7.2: a freed key that is in use is not freed before its last attribute has gone: until
 * then get_attr works with its number, on communicators, datatypes and windows. */
#include "tests/check.h"

enum kind { COMM, TYPE, WIN, KINDS };

static MPI_Comm comm[2];
static MPI_Datatype type[2];
static MPI_Win win[2];

static int key_new(enum kind kind)
{
	int key;

	if (kind == COMM)
		OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	else if (kind == TYPE)
		OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
	else
		OK(MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
	return key;
}

static void key_free(enum kind kind, int *key)
{
	if (kind == COMM)
		OK(MPI_Comm_free_keyval(key));
	else if (kind == TYPE)
		OK(MPI_Type_free_keyval(key));
	else
		OK(MPI_Win_free_keyval(key));
	CHECK(*key == MPI_KEYVAL_INVALID);
}

static int key_set(enum kind kind, int i, int key, void *value)
{
	if (kind == COMM)
		return MPI_Comm_set_attr(comm[i], key, value);
	return kind == TYPE ? MPI_Type_set_attr(type[i], key, value)
			    : MPI_Win_set_attr(win[i], key, value);
}

static int key_get(enum kind kind, int i, int key, void *value, int *flag)
{
	if (kind == COMM)
		return MPI_Comm_get_attr(comm[i], key, value, flag);
	return kind == TYPE ? MPI_Type_get_attr(type[i], key, value, flag)
			    : MPI_Win_get_attr(win[i], key, value, flag);
}

static int delete_attr(enum kind kind, int i, int key)
{
	if (kind == COMM)
		return MPI_Comm_delete_attr(comm[i], key);
	return kind == TYPE ? MPI_Type_delete_attr(type[i], key) : MPI_Win_delete_attr(win[i], key);
}

static void freed_key(enum kind kind)
{
	int key = key_new(kind), old = key, copy, flag, here;
	void *value = NULL;

	OK(key_set(kind, 0, key, &here));
	key_free(kind, &key);
	OK(key_get(kind, 0, old, &value, &flag));
	CHECK(flag && value == &here);
	OK(key_get(kind, 1, old, &value, &flag)); /* the key exists, this object has no value */
	CHECK(!flag);
	copy = old; /* to free it once more changes nothing */
	key_free(kind, &copy);
	OK(key_get(kind, 0, old, &value, &flag));
	CHECK(flag && value == &here);
	OK(delete_attr(kind, 0, old));
	FAILS(MPI_ERR_KEYVAL, "", key_get(kind, 0, old, &value, &flag));
	FAILS(MPI_ERR_KEYVAL, "", key_get(kind, 1, old, &value, &flag));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < 2; i++) {
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]));
		OK(MPI_Type_contiguous(2, MPI_INT, &type[i]));
		OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm[i], &win[i]));
		OK(MPI_Win_set_errhandler(win[i], MPI_ERRORS_RETURN));
	}
	for (enum kind kind = COMM; kind < KINDS; kind++)
		freed_key(kind);
	for (int i = 0; i < 2; i++) {
		OK(MPI_Win_free(&win[i]));
		OK(MPI_Type_free(&type[i]));
		OK(MPI_Comm_free(&comm[i]));
	}
	MPI_Finalize();
	return 0;
}
