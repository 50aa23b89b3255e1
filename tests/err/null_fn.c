// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 6.9.5, 9.3, 13.2, 14.5.3: a user function without a null form is refused when it
 * is NULL; MPI-5.0 7.7.2: those of a key have one (MPI_COMM_NULL_COPY_FN is 0). */
#include "tests/check.h"

static int null_query(void *extra, MPI_Status *status)
{
	(void)extra, (void)status;
	return MPI_SUCCESS;
}

static int null_release(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int null_cancel(void *extra, int complete)
{
	(void)extra, (void)complete;
	return MPI_SUCCESS;
}

static int null_convert(
	void *memory, MPI_Datatype type, int n, void *file, MPI_Offset at, void *extra)
{
	(void)memory, (void)type, (void)n, (void)file, (void)at, (void)extra;
	return MPI_SUCCESS;
}

/* The functions that convert have a null form, the one that gives the extent has none. */
static void representations(void)
{
	CHECK(MPI_Register_datarep("rep", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, NULL,
		      NULL) == MPI_ERR_ARG);
	CHECK(MPI_Register_datarep("rep", null_convert, null_convert, NULL, NULL) == MPI_ERR_ARG);
	CHECK(MPI_Register_datarep_c("rep", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C,
		      NULL, NULL) == MPI_ERR_ARG);
}

static void null_requests(void)
{
	MPI_Request r;

	CHECK(MPI_Grequest_start(NULL, null_release, null_cancel, NULL, &r) == MPI_ERR_ARG);
	CHECK(MPI_Grequest_start(null_query, NULL, null_cancel, NULL, &r) == MPI_ERR_ARG);
	CHECK(MPI_Grequest_start(null_query, null_release, NULL, NULL, &r) == MPI_ERR_ARG);
	OK(MPI_Grequest_start(null_query, null_release, null_cancel, NULL, &r));
	OK(MPI_Grequest_complete(r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
	MPI_Errhandler e;
	MPI_Op op;
	int key;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	CHECK(MPI_Op_create(NULL, 1, &op) == MPI_ERR_ARG);
	CHECK(MPI_Op_create_c(NULL, 1, &op) == MPI_ERR_ARG);
	CHECK(MPI_Comm_create_errhandler(NULL, &e) == MPI_ERR_ARG);
	CHECK(MPI_Win_create_errhandler(NULL, &e) == MPI_ERR_ARG);
	CHECK(MPI_File_create_errhandler(NULL, &e) == MPI_ERR_ARG);
	CHECK(MPI_Session_create_errhandler(NULL, &e) == MPI_ERR_ARG);
	null_requests();
	representations();
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	OK(MPI_Comm_free_keyval(&key));
	MPI_Finalize();
	return 0;
}
