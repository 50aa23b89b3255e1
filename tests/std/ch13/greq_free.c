// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 13.2: after MPI_Request_free of a generalized request a kept handle completes it; free_fn
 * runs once, in whichever of the two calls comes last */
#include "tests/check.h"

static int frees, code;

static int query(void *extra, MPI_Status *s)
{
	(void)extra;
	MPI_Status_set_elements(s, MPI_BYTE, 0);
	MPI_Status_set_cancelled(s, 0);
	return MPI_SUCCESS;
}

static int release(void *extra)
{
	CHECK(extra == &frees);
	frees++;
	return code;
}

static int cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_SUCCESS;
}

static MPI_Request start(void)
{
	MPI_Request r;

	frees = 0;
	OK(MPI_Grequest_start(query, release, cancel, &frees, &r));
	return r;
}

static void free_first(void)
{
	MPI_Request r = start(), kept = r;

	OK(MPI_Request_free(&r));
	CHECK(r == MPI_REQUEST_NULL && frees == 0);
	OK(MPI_Grequest_complete(kept));
	CHECK(frees == 1);
	FAILS(MPI_ERR_REQUEST, "", MPI_Grequest_complete(kept));
	CHECK(frees == 1);
}

static void complete_first(void)
{
	MPI_Request r = start();

	OK(MPI_Grequest_complete(r));
	CHECK(frees == 0);
	FAILS(MPI_ERR_REQUEST, "complete already", MPI_Grequest_complete(r));
	OK(MPI_Request_free(&r));
	CHECK(r == MPI_REQUEST_NULL && frees == 1);
}

static void free_fails(void)
{
	MPI_Request r = start(), kept = r;

	OK(MPI_Request_free(&r));
	code = MPI_ERR_OTHER;
	FAILS(MPI_ERR_OTHER, "free callback", MPI_Grequest_complete(kept));
	CHECK(frees == 1);
	code = MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	for (int i = 0; i < 100; i++) {
		free_first();
		complete_first();
		free_fails();
	}
	MPI_Finalize();
	return 0;
}
