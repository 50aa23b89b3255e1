/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 19.3.4, 19.3.5, 20.3.4, 20.4.3, 20.4.5: handles and statuses as integers and back. */
#define MPI_NO_DEPRECATED_WARNINGS
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

/* A predefined handle is its number in every form. */
static void predefined_values(void)
{
	expect_eq(MPI_Comm_toint(MPI_COMM_WORLD), 257);
	expect_eq(MPI_Comm_c2f(MPI_COMM_NULL), 256);
	expect(MPI_Comm_fromint(258) == MPI_COMM_SELF);
	expect(MPI_Type_f2c(521) == MPI_INT);
	expect_eq(MPI_Type_toint(MPI_2INTEGER), 562);
	expect_eq(MPI_Op_toint(MPI_SUM), 33);
	expect(MPI_Op_f2c(33) == MPI_SUM);
	expect_eq(MPI_Request_toint(MPI_REQUEST_NULL), 384);
	expect(MPI_Group_fromint(265) == MPI_GROUP_EMPTY);
	expect_eq(MPI_Errhandler_c2f(MPI_ERRORS_RETURN), 323);
	expect(MPI_Info_f2c(305) == MPI_INFO_ENV);
	expect_eq(MPI_Message_toint(MPI_MESSAGE_NO_PROC), 297);
	expect_eq(MPI_Win_toint(MPI_WIN_NULL), 272);
	expect_eq(MPI_File_toint(MPI_FILE_NULL), 280);
	expect(MPI_Session_fromint(288) == MPI_SESSION_NULL);
}

/* The integer of a request is positive, not one of the predefined, and the same each time. */
static void made_here(void)
{
	MPI_Request r, same;
	int x = 0, flag = 1, i;

	expect_ok(MPI_Irecv(&x, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &r));
	i = MPI_Request_toint(r);
	expect(i > 4095);
	expect_eq(MPI_Request_c2f(r), i);
	same = MPI_Request_fromint(i);
	expect(same == r);
	expect(MPI_Request_f2c(i) == r);
	expect_ok(MPI_Test(&same, &flag, MPI_STATUS_IGNORE));
	expect_eq(flag, 0);
	x = 7;
	expect_ok(MPI_Send(&x, 1, MPI_INT, 0, 5, MPI_COMM_SELF));
	expect_ok(MPI_Wait(&r, MPI_STATUS_IGNORE));
	expect(r == MPI_REQUEST_NULL);
	expect(MPI_Request_fromint(i) != same);
}

static void statuses(void)
{
	MPI_Status s, back;
	MPI_F08_status f08;
	MPI_Fint f[MPI_F_STATUS_SIZE];
	int n = -1, x[3] = {1, 2, 3};

	expect_ok(MPI_Sendrecv(x, 3, MPI_INT, 0, 11, x, 3, MPI_INT, 0, 11, MPI_COMM_SELF, &s));
	expect_ok(MPI_Status_c2f(&s, f));
	expect_eq(f[MPI_F_SOURCE], 0);
	expect_eq(f[MPI_F_TAG], 11);
	expect_ok(MPI_Status_f2f08(f, &f08));
	expect_eq(f08.MPI_TAG, 11);
	memset(&back, 0, sizeof(back));
	expect_ok(MPI_Status_f082c(&f08, &back));
	expect_ok(MPI_Get_count(&back, MPI_INT, &n));
	expect_eq(n, 3);
	expect_ok(MPI_Status_set_tag(&back, 12));
	expect_ok(MPI_Status_get_tag(&back, &n));
	expect_eq(n, 12);
	expect_eq(MPI_Status_c2f(MPI_STATUS_IGNORE, f), MPI_ERR_ARG);
	expect_eq(MPI_Status_f2c(MPI_F_STATUS_IGNORE, &back), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	predefined_values();
	made_here();
	statuses();
	MPI_Finalize();
	return check_end();
}
