// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 2.5.4: named constants and predefined handles in initializers, at compile time, before
 * MPI_Init. */
#include "tests/check.h"

/* MPI-5.0 2.5.4: integer constant expressions: array sizes, case labels, enumerators. */
enum {
	SIZES = MPI_MAX_PROCESSOR_NAME + MPI_MAX_ERROR_STRING + MPI_MAX_OBJECT_NAME +
		MPI_MAX_LIBRARY_VERSION_STRING + MPI_MAX_INFO_KEY + MPI_MAX_INFO_VAL +
		MPI_MAX_PORT_NAME + MPI_MAX_DATAREP_STRING + MPI_MAX_PSET_NAME_LEN +
		MPI_MAX_STRINGTAG_LEN,
	CLASS = MPI_ERR_LASTCODE,
};

static char room[SIZES];
_Static_assert(MPI_SUCCESS == 0 && MPI_ERR_COMM > 0, "classes");
_Static_assert(MPI_ANY_TAG < 0 && MPI_ANY_SOURCE < 0 && MPI_PROC_NULL < 0, "no rank, no tag");
_Static_assert(MPI_BSEND_OVERHEAD > 0 && MPI_VERSION == 5, "numbers");
_Static_assert(MPI_MAX_OBJECT_NAME >= 64 && MPI_MAX_INFO_KEY >= 33, "least sizes");

static const char *constant_word(int result)
{
	switch (result) {
	case MPI_IDENT: return "ident";
	case MPI_CONGRUENT: return "congruent";
	case MPI_SIMILAR: return "similar";
	case MPI_UNEQUAL: return "unequal";
	case MPI_UNDEFINED: return "undefined";
	}
	return "";
}

/* MPI-5.0 2.5.4: handles in initializers of static objects. */
static struct {
	MPI_Comm comm[3];
	MPI_Group group[2];
	MPI_Datatype type[4];
	MPI_Op op[3];
	MPI_Errhandler errh[4];
	MPI_Info info[2];
	MPI_Request req;
	MPI_Message msg[2];
	MPI_Win win;
	MPI_File file;
	MPI_Session session;
} all = {
	{MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL},
	{MPI_GROUP_EMPTY, MPI_GROUP_NULL},
	{MPI_INT, MPI_DOUBLE_PRECISION, MPI_PACKED, MPI_DATATYPE_NULL},
	{MPI_SUM, MPI_REPLACE, MPI_OP_NULL},
	{MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN, MPI_ERRHANDLER_NULL},
	{MPI_INFO_ENV, MPI_INFO_NULL},
	MPI_REQUEST_NULL,
	{MPI_MESSAGE_NO_PROC, MPI_MESSAGE_NULL},
	MPI_WIN_NULL,
	MPI_FILE_NULL,
	MPI_SESSION_NULL,
};
static void *const addresses[] = {MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC};
static MPI_Status *const statuses[] = {MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE};
static int *const weights[] = {MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_ERRCODES_IGNORE};
static MPI_Comm_copy_attr_function *const copies[] = {MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN};
static MPI_Comm_delete_attr_function *const deletes[] = {MPI_COMM_NULL_DELETE_FN};

/* MPI-5.0 2.5.4: the meaning of constants does not change from MPI_Init to MPI_Finalize. */
static void constant_live(void)
{
	int n, flag;

	OK(MPI_Comm_size(all.comm[0], &n));
	CHECK(n == 1);
	OK(MPI_Comm_size(all.comm[1], &n));
	OK(MPI_Group_size(all.group[0], &n));
	CHECK(n == 0);
	OK(MPI_Type_size(all.type[0], &n));
	CHECK(n == sizeof(int));
	OK(MPI_Op_commutative(all.op[0], &flag));
	CHECK(flag);
	OK(MPI_Comm_set_errhandler(all.comm[1], all.errh[2]));
	OK(MPI_Info_get_nkeys(all.info[0], &n));
	OK(MPI_Comm_compare(all.comm[0], all.comm[1], &n));
	CHECK(strcmp(constant_word(n), "congruent") == 0);
}

/* MPI-5.0 7.7.2, pitfall 19: the predefined callbacks by all of their names, on each kind. */
static void callbacks(void)
{
	int key[6], v = 1, *got, flag;
	MPI_Comm c, d;
	MPI_Datatype t, u;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Type_contiguous(1, MPI_INT, &t));
	for (int i = 0; i < 2; i++) {
		OK(MPI_Comm_create_keyval(copies[i], deletes[0], &key[i], NULL));
		OK(MPI_Comm_set_attr(c, key[i], &v));
	}
	OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key[2], NULL));
	OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key[3], NULL));
	OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key[4], NULL));
	OK(MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &key[5], NULL));
	OK(MPI_Type_set_attr(t, key[2], &v));
	OK(MPI_Type_set_attr(t, key[3], &v));
	OK(MPI_Comm_dup(c, &d));
	OK(MPI_Type_dup(t, &u));
	for (int i = 0; i < 2; i++) {
		OK(MPI_Comm_get_attr(d, key[i], &got, &flag));
		CHECK(flag == i && (!flag || got == &v));
		OK(MPI_Type_get_attr(u, key[2 + i], &got, &flag));
		CHECK(flag == i && (!flag || got == &v));
		OK(MPI_Comm_free_keyval(&key[i]));
		OK(MPI_Type_free_keyval(&key[2 + i]));
		OK(MPI_Win_free_keyval(&key[4 + i]));
	}
	OK(MPI_Comm_free(&d));
	OK(MPI_Comm_free(&c));
	OK(MPI_Type_free(&t));
	OK(MPI_Type_free(&u));
}

int main(int argc, char **argv)
{
	CHECK(sizeof(room) == SIZES && room[SIZES - 1] == 0 && CLASS > MPI_ERR_COMM);
	CHECK(addresses[0] != addresses[1] && addresses[1] != addresses[2]);
	CHECK(weights[0] != weights[1] && statuses[0] == MPI_STATUS_IGNORE);
	check_init(&argc, &argv);
	constant_live();
	callbacks();
	MPI_Finalize();
	return 0;
}
