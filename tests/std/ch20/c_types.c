// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1 */
/* MPI-5.0 20.2.1, 20.3.1, 20.3.2, 20.3.3, 20.3.5, 20.5: the C types of the ABI: the status is eight
 * ints, handles are pointers to incomplete structs, handle constants are integers up to
 * 4095 at compile time, and the integer types have the ABI's sizes. */
#include "tests/check.h"

#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(MPI_Status) == 8 * sizeof(int), "status");
_Static_assert(_Alignof(MPI_Status) == _Alignof(int), "status");
_Static_assert(offsetof(MPI_Status, MPI_SOURCE) == 0, "status");
_Static_assert(offsetof(MPI_Status, MPI_TAG) == sizeof(int), "status");
_Static_assert(offsetof(MPI_Status, MPI_ERROR) == 2 * sizeof(int), "status");
_Static_assert(sizeof(MPI_Aint) == sizeof(intptr_t) && (MPI_Aint)-1 < 0, "MPI_Aint");
_Static_assert(sizeof(MPI_Offset) == 8 && (MPI_Offset)-1 < 0, "MPI_Offset");
_Static_assert(sizeof(MPI_Count) == 8 && (MPI_Count)-1 < 0, "MPI_Count");

#define IS(handle, type) _Generic((handle), struct MPI_ABI_##type * : 1, default : 0)

_Static_assert(IS(MPI_COMM_WORLD, Comm) && IS(MPI_INT, Datatype) && IS(MPI_SUM, Op) &&
		       IS(MPI_ERRORS_RETURN, Errhandler) && IS(MPI_FILE_NULL, File) &&
		       IS(MPI_GROUP_EMPTY, Group) && IS(MPI_INFO_ENV, Info) &&
		       IS(MPI_MESSAGE_NO_PROC, Message) && IS(MPI_REQUEST_NULL, Request) &&
		       IS(MPI_SESSION_NULL, Session) && IS(MPI_WIN_NULL, Win),
	"handles");

/* Handle constants are constant addresses: they may stand in initializers of static storage. */
static const struct {
	void *null, *other;
} constants[] = {{MPI_COMM_NULL, MPI_COMM_SELF}, {MPI_DATATYPE_NULL, MPI_DOUBLE_INT},
	{MPI_OP_NULL, MPI_REPLACE}, {MPI_ERRHANDLER_NULL, MPI_ERRORS_ABORT},
	{MPI_GROUP_NULL, MPI_GROUP_EMPTY}, {MPI_INFO_NULL, MPI_INFO_ENV},
	{MPI_MESSAGE_NULL, MPI_MESSAGE_NO_PROC}, {MPI_REQUEST_NULL, MPI_REQUEST_NULL},
	{MPI_SESSION_NULL, MPI_SESSION_NULL}, {MPI_WIN_NULL, MPI_WIN_NULL},
	{MPI_FILE_NULL, MPI_FILE_NULL}};

static int is_reserved(const void *handle)
{
	return (uintptr_t)handle >= 1 && (uintptr_t)handle <= 4095;
}

int main(int argc, char **argv)
{
	MPI_Comm comm;
	MPI_Datatype type;

	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		CHECK(is_reserved(constants[i].null) && is_reserved(constants[i].other));
	check_init(&argc, &argv);
	OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
	OK(MPI_Type_contiguous(2, MPI_INT, &type));
	CHECK(comm != NULL && !is_reserved(comm) && type != NULL && !is_reserved(type));
	OK(MPI_Comm_free(&comm));
	OK(MPI_Type_free(&type));
	MPI_Finalize();
	return 0;
}
