// SPDX-License-Identifier: BSD-3-Clause
/* qmpi_where.c - a tool that says where a program calls MPI_Send, MPI_Recv and MPI_Allreduce, as
 * file and address before the return, for qmpi.sh. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <haft/qmpi.h>
#include <stdint.h>
#include <stdio.h>

static QMPI_Send_t *next_send;
static QMPI_Recv_t *next_recv;
static QMPI_Allreduce_t *next_allreduce;
static int send_id, recv_id, allreduce_id;

static void where(QMPI_Context context, const char *name)
{
	void *address = NULL;
	Dl_info in;

	if (QMPI_Get_calling_address(context, &address) == MPI_SUCCESS && dladdr(address, &in) != 0)
		printf("%s %s %#lx\n", name, in.dli_fname,
			(unsigned long)((uintptr_t)address - 1 - (uintptr_t)in.dli_fbase));
}

static int tool_send(QMPI_Context context, int id, const void *buf, int n, MPI_Datatype type,
	int dest, int tag, MPI_Comm comm)
{
	(void)id;
	where(context, "MPI_Send");
	return next_send(context, send_id, buf, n, type, dest, tag, comm);
}

static int tool_recv(QMPI_Context context, int id, void *buf, int n, MPI_Datatype type, int source,
	int tag, MPI_Comm comm, MPI_Status *status)
{
	(void)id;
	where(context, "MPI_Recv");
	return next_recv(context, recv_id, buf, n, type, source, tag, comm, status);
}

static int tool_allreduce(QMPI_Context context, int id, const void *from, void *to, int n,
	MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	(void)id;
	where(context, "MPI_Allreduce");
	return next_allreduce(context, allreduce_id, from, to, n, type, op, comm);
}

#define TAKE(number, name)                                                \
	(QMPI_Register_function(id, number, (void (*)(void))tool_##name), \
		QMPI_Get_function(id, number, (void (**)(void))(void *)&next_##name, &name##_id))

static void where_take(int id)
{
	TAKE(MPI_SEND_T, send);
	TAKE(MPI_RECV_T, recv);
	TAKE(MPI_ALLREDUCE_T, allreduce);
}

__attribute__((constructor)) static void tool_register(void)
{
	QMPI_Register_tool_name("where", where_take);
}
