// SPDX-License-Identifier: BSD-3-Clause
/* counts.c - a tool: each process counts its calls of MPI_Send, and says so in MPI_Finalize.
 *
 *     mpicc -shared -fPIC counts.c -o counts.so
 *     mpiexec -n 4 -tool ./counts.so ./program */
#include <haft/qmpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct counts {
	_Atomic long calls, bytes; /* threads may send at once */
	/* The next tool's function, or MPI's own, and the id to call it with. */
	QMPI_Send_t *send;
	QMPI_Finalize_t *finalize;
	int send_id, finalize_id;
};

static struct counts *counts_of(QMPI_Context context, int id)
{
	void *t = NULL;

	QMPI_Get_tool_storage(context, id, &t);
	return t;
}

static int count_tool_send(QMPI_Context context, int id, const void *buf, int n, MPI_Datatype type,
	int dest, int tag, MPI_Comm comm)
{
	struct counts *t = counts_of(context, id);
	int size = 0;

	QMPI_Type_size(context, 0, type, &size); /* MPI itself: no tool counts this call */
	t->calls++;
	t->bytes += (long)n * size;
	return t->send(context, t->send_id, buf, n, type, dest, tag, comm);
}

static int tool_finalize(QMPI_Context context, int id)
{
	struct counts *t = counts_of(context, id);
	int rank = -1;

	QMPI_Comm_rank(context, 0, MPI_COMM_WORLD, &rank);
	printf("rank %d: %ld sends, %ld bytes\n", rank, t->calls, t->bytes);
	return t->finalize(context, t->finalize_id);
}

#define TAKE(id, number, name, next, next_id)                        \
	(QMPI_Register_function(id, number, (void (*)(void))(name)), \
		QMPI_Get_function(id, number, (void (**)(void))(void *)&(next), next_id))

static void tool_init(int id)
{
	struct counts *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return;
	QMPI_Register_tool_storage(id, t);
	TAKE(id, MPI_SEND_T, count_tool_send, t->send, &t->send_id);
	TAKE(id, MPI_FINALIZE_T, tool_finalize, t->finalize, &t->finalize_id);
}

__attribute__((constructor)) static void tool_register(void)
{
	QMPI_Register_tool_name("counts", tool_init);
}
