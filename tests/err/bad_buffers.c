/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,3 */
/* MPI-5.0 2.6.4, 6.2, 9.4: buffers, counts and lists of counts that cannot be are refused by the
 * rank that gives them: no crash, no hang, no number that wraps.  Nothing is sent before, so that
 * the calls here, which fail on all ranks, leave nothing behind. */
#define SAN_OPTIONS SAN_MUCH
#include "tests/check.h"
#include "tests/san.inc"
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#define W      MPI_COMM_WORLD
#define RANKS  3
#define HUGE_N (INT64_MAX / 2) /* times sizeof(int) is more than 64 bits hold */

static int in[64], out[64];

#define REFUSED(class, word, call) buffer_refused(class, word, call, #call, __LINE__)

/* `err' is of this class, and the words have `word'. */
static void buffer_refused(int class, const char *word, int err, const char *call, int line)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len;

	MPI_Error_string(class, text, &len);
	if (expect_line(err == class, __FILE__, line, call) &&
		!expect_line(strstr(text, word) != NULL, __FILE__, line, call))
		fprintf(stderr, "no \"%s\" in: %s\n", word, text);
}

static void buffer_huge(void)
{
	MPI_Count n = HUGE_N;

	REFUSED(MPI_ERR_COUNT, "too much", MPI_Bcast_c(in, n, MPI_INT, 0, W));
	REFUSED(MPI_ERR_COUNT, "too much", MPI_Allreduce_c(in, out, n, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_COUNT, "too much", MPI_Reduce_c(in, out, n, MPI_INT, MPI_SUM, 0, W));
	REFUSED(MPI_ERR_COUNT, "too much", MPI_Scan_c(in, out, n, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_COUNT, "too much", MPI_Exscan_c(in, out, n, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_COUNT, "too much",
		MPI_Reduce_scatter_block_c(in, out, n, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_COUNT, "too much", MPI_Gather_c(in, n, MPI_INT, out, n, MPI_INT, 0, W));
	REFUSED(MPI_ERR_COUNT, "too much", MPI_Scatter_c(in, n, MPI_INT, out, n, MPI_INT, 0, W));
	REFUSED(MPI_ERR_COUNT, "too much", MPI_Allgather_c(in, n, MPI_INT, out, n, MPI_INT, W));
	REFUSED(MPI_ERR_COUNT, "too much", MPI_Alltoall_c(in, n, MPI_INT, out, n, MPI_INT, W));
	REFUSED(MPI_ERR_COUNT, "too much", MPI_Send_c(in, n, MPI_INT, 0, 0, W));
}

/* A message to oneself for which there is no memory.  (It is never read: there is none.) */
static void too_large(void)
{
	MPI_Count n = INT64_MAX / 2;

	REFUSED(MPI_ERR_NO_MEM, "bytes", MPI_Send_c(in, n, MPI_BYTE, 0, 0, MPI_COMM_SELF));
}

static void nowhere(void)
{
	REFUSED(MPI_ERR_BUFFER, "NULL", MPI_Bcast(NULL, 4, MPI_INT, 0, W));
	REFUSED(MPI_ERR_BUFFER, "NULL", MPI_Allreduce(NULL, out, 4, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_BUFFER, "NULL", MPI_Allreduce(in, NULL, 4, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_BUFFER, "NULL", MPI_Reduce(NULL, out, 4, MPI_INT, MPI_SUM, 0, W));
	REFUSED(MPI_ERR_BUFFER, "NULL", MPI_Scan(in, NULL, 4, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_BUFFER, "NULL", MPI_Allgather(NULL, 1, MPI_INT, out, 1, MPI_INT, W));
	REFUSED(MPI_ERR_BUFFER, "NULL", MPI_Alltoall(in, 1, MPI_INT, NULL, 1, MPI_INT, W));
	REFUSED(MPI_ERR_BUFFER, "NULL", MPI_Gather(NULL, 1, MPI_INT, out, 1, MPI_INT, 0, W));
	REFUSED(MPI_ERR_BUFFER, "NULL",
		MPI_Sendrecv(NULL, 1, MPI_INT, 0, 0, out, 1, MPI_INT, 0, 0, W, NULL));
	REFUSED(MPI_ERR_BUFFER, "NULL",
		MPI_Sendrecv_replace(NULL, 1, MPI_INT, 0, 0, 0, 0, W, NULL));
	REFUSED(MPI_ERR_BUFFER, "IN_PLACE", MPI_Bcast(MPI_IN_PLACE, 4, MPI_INT, 0, W));
	REFUSED(MPI_ERR_BUFFER, "IN_PLACE", MPI_Scan(in, MPI_IN_PLACE, 4, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_BUFFER, "IN_PLACE",
		MPI_Allreduce(in, MPI_IN_PLACE, 4, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_BUFFER, "IN_PLACE", MPI_Send(MPI_IN_PLACE, 4, MPI_INT, 0, 0, W));
	REFUSED(MPI_ERR_BUFFER, "IN_PLACE",
		MPI_Recv(MPI_IN_PLACE, 4, MPI_INT, 0, 0, W, MPI_STATUS_IGNORE));
}

static void buffer_lists(void)
{
	static const int zero[RANKS], minus[RANKS] = {-1, -1, -1};
	static const MPI_Count wide[RANKS] = {HUGE_N, HUGE_N, HUGE_N};
	static const MPI_Aint at[RANKS];

	REFUSED(MPI_ERR_COUNT, "is -1",
		MPI_Allgatherv(in, 1, MPI_INT, out, minus, zero, MPI_INT, W));
	REFUSED(MPI_ERR_COUNT, "is -1",
		MPI_Alltoallv(in, minus, zero, MPI_INT, out, zero, zero, MPI_INT, W));
	REFUSED(MPI_ERR_COUNT, "is -1", MPI_Reduce_scatter(in, out, minus, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_COUNT, "too much",
		MPI_Allgatherv_c(in, 1, MPI_INT, out, wide, at, MPI_INT, W));
	REFUSED(MPI_ERR_COUNT, "", MPI_Reduce_scatter_c(in, out, wide, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_ARG, "NULL", MPI_Allgatherv(in, 1, MPI_INT, out, NULL, zero, MPI_INT, W));
	REFUSED(MPI_ERR_ARG, "NULL", MPI_Allgatherv(in, 1, MPI_INT, out, zero, NULL, MPI_INT, W));
	REFUSED(MPI_ERR_ARG, "NULL", MPI_Reduce_scatter(in, out, NULL, MPI_INT, MPI_SUM, W));
	REFUSED(MPI_ERR_ARG, "NULL", MPI_Alltoallw(in, zero, zero, NULL, out, zero, zero, NULL, W));
	REFUSED(MPI_ERR_BUFFER, "NULL",
		MPI_Alltoallv(NULL, (int[]){1, 1, 1}, zero, MPI_INT, out, zero, zero, MPI_INT, W));
}

/* Calls that look at memory alone. */
static void buffer_local(void)
{
	static char room[256];
	int at = 0;

	REFUSED(MPI_ERR_COUNT, "too much", MPI_Reduce_local_c(in, out, HUGE_N, MPI_INT, MPI_SUM));
	REFUSED(MPI_ERR_BUFFER, "inbuf is NULL", MPI_Reduce_local(NULL, out, 1, MPI_INT, MPI_SUM));
	REFUSED(MPI_ERR_BUFFER, "inoutbuf is NULL",
		MPI_Reduce_local(in, NULL, 1, MPI_INT, MPI_SUM));
	REFUSED(MPI_ERR_BUFFER, "inbuf is NULL", MPI_Pack(NULL, 1, MPI_INT, room, 9, &at, W));
	REFUSED(MPI_ERR_BUFFER, "outbuf is NULL", MPI_Pack(in, 1, MPI_INT, NULL, 9, &at, W));
	REFUSED(MPI_ERR_BUFFER, "outbuf is NULL", MPI_Unpack(room, 9, &at, NULL, 1, MPI_INT, W));
	REFUSED(MPI_ERR_BUFFER, "inbuf is NULL", MPI_Unpack(NULL, 9, &at, out, 1, MPI_INT, W));
	expect_eq(at, 0);
	expect_ok(MPI_Buffer_attach(room, sizeof(room)));
	REFUSED(MPI_ERR_BUFFER, "needs", MPI_Bsend_c(in, INT64_MAX, MPI_BYTE, 0, 0, W));
	REFUSED(MPI_ERR_BUFFER, "NULL", MPI_Bsend(NULL, 1, MPI_BYTE, 0, 0, W));
	REFUSED(MPI_ERR_ARG, "buffer_addr is NULL", MPI_Buffer_detach(NULL, &at));
	expect_ok(MPI_Buffer_detach(&(void *){NULL}, &at));
	expect_eq(at, sizeof(room));
}

/* Arguments that are not significant are not checked. */
static void allowed(int me, int n)
{
	int all[RANKS], x = me;

	expect_ok(MPI_Gather(&x, 1, MPI_INT, me == 0 ? all : MPI_IN_PLACE, 1, MPI_INT, 0, W));
	expect_eq(me == 0 ? all[n - 1] : n - 1, n - 1);
	expect_ok(MPI_Scatter(me == 0 ? all : MPI_IN_PLACE, 1, MPI_INT, &x, 1, MPI_INT, 0, W));
	expect_eq(x, me);
	expect_eq(MPI_Gatherv(&x, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, n, W), MPI_ERR_ROOT);
	expect_ok(MPI_Exscan(&x, me == 0 ? NULL : out, 1, MPI_INT, MPI_MAX, W));
	expect_ok(MPI_Reduce(&x, me == 0 ? out : NULL, 1, MPI_INT, MPI_MAX, 0, W));
	expect_ok(MPI_Bcast(NULL, 0, MPI_INT, 0, W));
	expect_ok(MPI_Allgatherv(
		NULL, 0, MPI_INT, NULL, (int[RANKS]){0}, (int[RANKS]){0}, MPI_INT, W));
	expect_ok(MPI_Send(NULL, 5, MPI_INT, MPI_PROC_NULL, 0, W));
}

int main(int argc, char **argv)
{
	int me, n;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &n);
	buffer_huge();
	too_large();
	nowhere();
	buffer_lists();
	buffer_local();
	allowed(me, n);
	MPI_Finalize();
	return check_end();
}
