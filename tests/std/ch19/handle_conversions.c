// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 19.3.4, 19.3.5, 20.4.5: every class of handles converts to an integer and back, for
 * predefined, null and new objects; C, MPI_Fint and serialized integers agree; a status keeps its
 * fields on each way round. */
#include "tests/std/ch14/file_name.h"

#include <string.h>

/* By the functions of Fortran (c2f, f2c) and of the ABI (toint, fromint). */
#define BOTH(kind, handle)                                   \
	do {                                                 \
		MPI_Fint f_ = MPI_##kind##_c2f(handle);      \
		int n_ = MPI_##kind##_toint(handle);         \
                                                             \
		CHECK((long)f_ == n_);                       \
		CHECK(MPI_##kind##_f2c(f_) == (handle));     \
		CHECK(MPI_##kind##_fromint(n_) == (handle)); \
	} while (0)

static void conversion_predefined(void)
{
	BOTH(Comm, MPI_COMM_WORLD);
	BOTH(Comm, MPI_COMM_NULL);
	BOTH(Group, MPI_GROUP_EMPTY);
	BOTH(Group, MPI_GROUP_NULL);
	BOTH(Type, MPI_INT);
	BOTH(Type, MPI_DATATYPE_NULL);
	BOTH(Op, MPI_SUM);
	BOTH(Op, MPI_OP_NULL);
	BOTH(Errhandler, MPI_ERRORS_RETURN);
	BOTH(Errhandler, MPI_ERRHANDLER_NULL);
	BOTH(Info, MPI_INFO_ENV);
	BOTH(Info, MPI_INFO_NULL);
	BOTH(Request, MPI_REQUEST_NULL);
	BOTH(Message, MPI_MESSAGE_NO_PROC);
	BOTH(Message, MPI_MESSAGE_NULL);
	BOTH(Win, MPI_WIN_NULL);
	BOTH(File, MPI_FILE_NULL);
	BOTH(Session, MPI_SESSION_NULL);
}

static void conversion_op(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
}

static void conversion_new(void)
{
	int x = 1, y = 0;
	MPI_Comm comm;
	MPI_Group group;
	MPI_Datatype type;
	MPI_Op op;
	MPI_Info info;
	MPI_Request request;
	MPI_Message message;
	MPI_Win win;
	MPI_Session session;
	MPI_File file = file_new(MPI_COMM_SELF, file_name("handles"));

	OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
	OK(MPI_Comm_group(comm, &group));
	OK(MPI_Type_contiguous(2, MPI_INT, &type));
	OK(MPI_Op_create(conversion_op, 1, &op));
	OK(MPI_Info_create(&info));
	OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
	OK(MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, comm, &win));
	OK(MPI_Isend(&x, 1, MPI_INT, 0, 5, comm, &request));
	OK(MPI_Mprobe(0, 5, comm, &message, MPI_STATUS_IGNORE));
	BOTH(Comm, comm);
	BOTH(Group, group);
	BOTH(Type, type);
	BOTH(Op, op);
	BOTH(Info, info);
	BOTH(Session, session);
	BOTH(Win, win);
	BOTH(Request, request);
	BOTH(Message, message);
	BOTH(File, file);
	OK(MPI_Mrecv(&y, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	expect_eq(y, 1);
	OK(MPI_File_close(&file));
	OK(MPI_Win_free(&win));
	OK(MPI_Session_finalize(&session));
	OK(MPI_Info_free(&info));
	OK(MPI_Op_free(&op));
	OK(MPI_Type_free(&type));
	OK(MPI_Group_free(&group));
	OK(MPI_Comm_free(&comm));
}

/* C, mpi_f08, Fortran, and back. */
static void conversion_status(void)
{
	int x = 1, y = 0;
	MPI_Fint f[MPI_F_STATUS_SIZE] = {0};
	MPI_F08_status f08;
	MPI_Status status, back;

	OK(MPI_Sendrecv(&x, 1, MPI_INT, 0, 7, &y, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &status));
	memset(&f08, 0, sizeof(f08));
	memset(&back, 0, sizeof(back));
	OK(MPI_Status_c2f08(&status, &f08));
	OK(MPI_Status_f082f(&f08, f));
	OK(MPI_Status_f2c(f, &back));
	CHECK(memcmp(&status, &back, sizeof(status)) == 0);
	CHECK(f08.MPI_TAG == 7 && f[MPI_F_TAG] == 7);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	conversion_predefined();
	conversion_new();
	conversion_status();
	MPI_Finalize();
	return check_end();
}
