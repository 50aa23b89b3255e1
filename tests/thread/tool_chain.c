// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="QMPI_TOOL_LIST=outer:inner" */
/* haft/qmpi.h: threads go through the tools at once; each call keeps its own way, also where a tool
 * calls MPI between. */
#include "tests/check.h"

#include <haft/qmpi.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define ROUNDS  2000

static QMPI_Sendrecv_t *next[3];
static int next_id[3];
static _Atomic long calls[3], sizes;

static int tool_sendrecv(QMPI_Context context, int id, const void *sendbuf, int sendcount,
	MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount,
	MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	int size = 0;

	calls[id]++;
	/* A call of a tool is a call like any: it goes through the tools, which do not take it. */
	MPI_Type_size(sendtype, &size);
	sizes += size;
	return next[id](context, next_id[id], sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
		recvcount, recvtype, source, recvtag, comm, status);
}

static void chain_init(int id)
{
	QMPI_Register_function(id, MPI_SENDRECV_T, (void (*)(void))tool_sendrecv);
	QMPI_Get_function(id, MPI_SENDRECV_T, (void (**)(void))(void *)&next[id], &next_id[id]);
}

__attribute__((constructor)) static void tools_register(void)
{
	QMPI_Register_tool_name("inner", chain_init);
	QMPI_Register_tool_name("outer", chain_init);
}

static void *send_many(void *arg)
{
	int tag = (int)(intptr_t)arg, x, y = -1;

	for (int i = 0; i < ROUNDS; i++) {
		x = tag * ROUNDS + i;
		OK(MPI_Sendrecv(&x, 1, MPI_INT, 1 - check_rank, tag, &y, 1, MPI_INT, 1 - check_rank,
			tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(y == x);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	int provided;

	OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
	for (intptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, send_many, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	expect_eq((int)calls[1], THREADS * ROUNDS);
	expect_eq((int)calls[2], THREADS * ROUNDS);
	expect_eq((int)sizes, 2 * THREADS * ROUNDS * (int)sizeof(int));
	MPI_Finalize();
	return check_end();
}
