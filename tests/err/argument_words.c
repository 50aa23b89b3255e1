/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2 */
/* MPI-5.0 9.3, 9.4: a wrong argument is refused with the class of its kind, nothing is sent or
 * changed, and the words name the function, the argument and its value. */
#include "tests/check.h"

static int n, x[4];

/* The call fails with the class, and says so. */
#define refused(call, class, words)               \
	do {                                      \
		expect_eq(call, class);           \
		expect(error_says(class, words)); \
	} while (0)

static void argument_messages(void)
{
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Status s;
	int flag;

	refused(MPI_Send(x, -1, MPI_INT, 0, 0, w), MPI_ERR_COUNT, "MPI_Send: rank");
	refused(MPI_Send_c(x, -5, MPI_INT, 0, 0, w), MPI_ERR_COUNT, "count is -5");
	refused(MPI_Send(x, 1, MPI_INT, n, 0, w), MPI_ERR_RANK, "dest");
	refused(MPI_Send(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, w), MPI_ERR_RANK,
		"dest MPI_ANY_SOURCE (-1) is not");
	refused(MPI_Send(x, 1, MPI_INT, 0, -1, w), MPI_ERR_TAG, "tag is -1");
	refused(MPI_Send(x, 1, MPI_INT, 0, MPI_ANY_TAG, w), MPI_ERR_TAG, "tag is MPI_ANY_TAG (-2)");
	refused(MPI_Recv(x, 1, MPI_INT, -7, 0, w, &s), MPI_ERR_RANK, "source -7");
	refused(MPI_Recv(x, 1, MPI_INT, 0, -7, w, &s), MPI_ERR_TAG, "MPI_Recv");
	refused(MPI_Isend(x, 1, MPI_INT, n, 0, w, &r), MPI_ERR_RANK, "MPI_Isend");
	expect(r == MPI_REQUEST_NULL);
	refused(MPI_Isend(x, 1, MPI_INT, 0, 0, w, NULL), MPI_ERR_ARG, "request is NULL");
	refused(MPI_Irecv(x, -2, MPI_INT, 0, 0, w, &r), MPI_ERR_COUNT, "count is -2");
	refused(MPI_Iprobe(n, 0, w, &flag, &s), MPI_ERR_RANK, "MPI_Iprobe");
	refused(MPI_Sendrecv(x, 1, MPI_INT, 0, 0, x, -3, MPI_INT, 0, 0, w, &s), MPI_ERR_COUNT,
		"recvcount is -3");
	refused(MPI_Waitall(-1, &r, MPI_STATUSES_IGNORE), MPI_ERR_ARG, "count is -1");
	refused(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG,
		"array_of_requests is NULL");
	expect_ok(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
	expect_ok(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, w));
	expect_ok(MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, w, MPI_STATUS_IGNORE));
}

static void handles(void)
{
	MPI_Comm w = MPI_COMM_WORLD;
	int size;

	refused(MPI_Send(x, 1, MPI_DATATYPE_NULL, 0, 0, w), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
	refused(MPI_Send(x, 1, (MPI_Datatype)MPI_SUM, 0, 0, w), MPI_ERR_TYPE, "MPI_SUM");
	refused(MPI_Send(x, 1, (MPI_Datatype)x, 0, 0, w), MPI_ERR_TYPE, "never was a handle");
	refused(MPI_Send(x, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
	refused(MPI_Comm_size((MPI_Comm)0, &size), MPI_ERR_COMM, "comm is 0");
	refused(MPI_Comm_size((MPI_Comm)(intptr_t)259, &size), MPI_ERR_COMM, "MPI_Comm_size");
	refused(MPI_Comm_size((MPI_Comm)(intptr_t)-1, &size), MPI_ERR_COMM, "MPI_Comm_size");
	refused(MPI_Comm_size(w, NULL), MPI_ERR_ARG, "size is NULL");
	refused(MPI_Allreduce(x, x + 2, 1, MPI_INT, MPI_OP_NULL, w), MPI_ERR_OP, "MPI_OP_NULL");
	refused(MPI_Comm_set_errhandler(w, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER,
		"MPI_ERRHANDLER_NULL");
}

static void argument_collectives(void)
{
	MPI_Comm w = MPI_COMM_WORLD;
	int rank, all[8];

	expect_ok(MPI_Comm_rank(w, &rank));
	refused(MPI_Bcast(x, 1, MPI_INT, n, w), MPI_ERR_ROOT, "root");
	refused(MPI_Bcast(x, 1, MPI_INT, MPI_ROOT, w), MPI_ERR_ROOT, "root MPI_ROOT (-4)");
	refused(MPI_Bcast(x, -1, MPI_INT, 0, w), MPI_ERR_COUNT, "MPI_Bcast");
	refused(MPI_Reduce(x, x + 2, 1, MPI_INT, MPI_SUM, -1, w), MPI_ERR_ROOT, "MPI_Reduce");
	/* arguments significant at the root only may be anything elsewhere */
	x[0] = rank;
	if (rank == 0)
		expect_ok(MPI_Gather(x, 1, MPI_INT, all, 1, MPI_INT, 0, w));
	else
		expect_ok(MPI_Gather(x, 1, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, 0, w));
	if (rank == 0)
		expect_eq(all[n - 1], n - 1);
	all[rank] = rank;
	expect_ok(MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all, 1, MPI_INT, w));
	expect_eq(all[n - 1], n - 1);
}

static void argument_windows(void)
{
	MPI_Win win;

	expect_ok(MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
	expect_ok(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	expect_ok(MPI_Win_fence(0, win));
	refused(MPI_Put(x, 4, MPI_INT, 0, 0, 2, MPI_INT, win), MPI_ERR_TRUNCATE,
		"16 bytes of the origin do not fit into the 8 that target_count");
	refused(MPI_Get(x, 2, MPI_INT, 0, 0, 4, MPI_INT, win), MPI_ERR_TRUNCATE,
		"16 bytes at the target do not fit into the 8 that origin_count");
	refused(MPI_Put(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, 1, MPI_INT, win), MPI_ERR_RANK,
		"target_rank is MPI_ANY_SOURCE (-1)");
	expect_ok(MPI_Win_fence(0, win));
	expect_ok(MPI_Win_free(&win));
}

/* Is the word not in the words of the last error with this code? */
static bool says_not(int code, const char *word)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len;

	MPI_Error_string(code, text, &len);
	return strstr(text, word) == NULL;
}

/* One dimension, node and process are not several. */
static void singular(void)
{
	int one = 1, two[2] = {1, 1}, zero[2] = {0, 0}, coords[1];
	MPI_Comm line;
	MPI_Win win;
	MPI_Request r = MPI_REQUEST_NULL;

	expect_ok(MPI_Cart_create(MPI_COMM_SELF, 1, &one, zero, 0, &line));
	refused(MPI_Cart_coords(line, 0, 0, coords), MPI_ERR_ARG, "the grid has 1 dimension");
	expect(says_not(MPI_ERR_ARG, "dimensions"));
	expect_ok(MPI_Comm_free(&line));
	refused(MPI_Dims_create(3, 1, &one), MPI_ERR_DIMS, "the 1 dimension has 1 node, not 3");
	refused(MPI_Graph_create(MPI_COMM_SELF, 2, two, zero, 0, &line), MPI_ERR_ARG,
		"the communicator 1 process");
	expect(says_not(MPI_ERR_ARG, "processes"));
	expect_ok(MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
	expect_ok(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	expect_ok(MPI_Win_fence(0, win));
	refused(MPI_Rput(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &r), MPI_ERR_RMA_SYNC,
		"a window of 1 process, rank 0");
	expect_ok(MPI_Win_fence(0, win));
	expect_ok(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Comm_size(MPI_COMM_WORLD, &n));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	argument_messages();
	handles();
	argument_collectives();
	argument_windows();
	singular();
	MPI_Finalize();
	return check_end();
}
