// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 13.2: after MPI_Request_free of a generalized request a kept handle completes it; free_fn
 * runs once, in whichever of the two calls comes last; it runs after a query function that
 * failed, too, and the caller gets the codes of both */
#include "tests/check.h"

static int frees, code, query_code, cancels;

static int greq_query(void *extra, MPI_Status *s)
{
	(void)extra;
	MPI_Status_set_elements(s, MPI_BYTE, 0);
	MPI_Status_set_cancelled(s, 0);
	return query_code;
}

static int greq_release(void *extra)
{
	CHECK(extra == &frees);
	frees++;
	return code;
}

static int greq_cancel(void *extra, int complete)
{
	(void)extra;
	cancels += complete ? 100 : 1;
	return MPI_SUCCESS;
}

static MPI_Request greq_start(void)
{
	MPI_Request r;

	frees = 0;
	OK(MPI_Grequest_start(greq_query, greq_release, greq_cancel, &frees, &r));
	return r;
}

static void free_first(void)
{
	MPI_Request r = greq_start(), kept = r;

	OK(MPI_Request_free(&r));
	CHECK(r == MPI_REQUEST_NULL && frees == 0);
	OK(MPI_Grequest_complete(kept));
	CHECK(frees == 1);
	FAILS(MPI_ERR_REQUEST, "", MPI_Grequest_complete(kept));
	CHECK(frees == 1);
}

static void complete_first(void)
{
	MPI_Request r = greq_start();

	OK(MPI_Grequest_complete(r));
	CHECK(frees == 0);
	FAILS(MPI_ERR_REQUEST, "complete already", MPI_Grequest_complete(r));
	OK(MPI_Request_free(&r));
	CHECK(r == MPI_REQUEST_NULL && frees == 1);
}

static void free_fails(void)
{
	MPI_Request r = greq_start(), kept = r;

	OK(MPI_Request_free(&r));
	code = MPI_ERR_OTHER;
	FAILS(MPI_ERR_OTHER, "free callback", MPI_Grequest_complete(kept));
	CHECK(frees == 1);
	code = MPI_SUCCESS;
}

/* No call waits for a request that was freed: it may never be complete. */
static void others_after_free(void)
{
	MPI_Request r = greq_start(), kept = r, several[2];
	int flag, index;

	OK(MPI_Request_free(&r));
	FAILS(MPI_ERR_REQUEST, "was freed", MPI_Wait(&kept, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_REQUEST, "was freed", MPI_Test(&kept, &flag, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_REQUEST, "was freed", MPI_Request_get_status(kept, &flag, MPI_STATUS_IGNORE));
	several[0] = MPI_REQUEST_NULL;
	several[1] = kept;
	FAILS(MPI_ERR_IN_STATUS, "was freed", MPI_Waitall(2, several, MPI_STATUSES_IGNORE));
	FAILS(MPI_ERR_REQUEST, "was freed", MPI_Waitany(2, several, &index, MPI_STATUS_IGNORE));
	r = kept;
	FAILS(MPI_ERR_REQUEST, "freed before", MPI_Request_free(&r));
	cancels = 0;
	OK(MPI_Cancel(&kept));
	CHECK(cancels == 1 && frees == 0);
	OK(MPI_Grequest_complete(kept));
	CHECK(frees == 1);
}

static void codes(void)
{
	MPI_Request r = greq_start();
	int flag;

	OK(MPI_Grequest_complete(r));
	query_code = MPI_ERR_TAG;
	FAILS(MPI_ERR_TAG, "query callback", MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE));
	CHECK(frees == 0);
	FAILS(MPI_ERR_TAG, "query callback", MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(frees == 1 && r == MPI_REQUEST_NULL);
	r = greq_start();
	OK(MPI_Grequest_complete(r));
	code = MPI_ERR_COUNT;
	FAILS(MPI_ERR_COUNT, "free callback", MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(frees == 1);
	query_code = MPI_SUCCESS;
	r = greq_start();
	OK(MPI_Grequest_complete(r));
	FAILS(MPI_ERR_COUNT, "free callback", MPI_Request_free(&r));
	CHECK(frees == 1 && r == MPI_REQUEST_NULL);
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
		others_after_free();
		codes();
	}
	MPI_Finalize();
	return 0;
}
