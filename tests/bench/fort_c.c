// SPDX-License-Identifier: BSD-3-Clause
/* fort_c.c - C's side of fort.f90: the same calls. */
#include <mpi.h>
#include <stddef.h>

void c_calls(int kind, int n, int number);
int c_empty(const void *, int, MPI_Datatype, int, int, MPI_Comm);
void empty(void *, int *, int *, int *, int *, int *, int *);
void bare_(void *, int *, int *, int *, int *, int *, int *);
void bare_isend(void *, int *, int *, int *, int *, int *, int *, int *);
void bare_isend_old_(void *, int *, int *, int *, int *, int *, int *, int *);
void bare_wait(int *, int *, int *);
void bare_wait_old_(int *, int *, int *);

/* Procedures that do nothing, in three forms: C's, BIND(C)'s, mpif.h's. */
int c_empty(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	(void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
	__asm__ volatile("");
	return MPI_SUCCESS;
}

void empty(void *desc, int *count, int *type, int *dest, int *tag, int *comm, int *ierror)
{
	(void)desc, (void)count, (void)type, (void)dest, (void)tag, (void)comm, (void)ierror;
}

void bare_(void *buf, int *count, int *type, int *dest, int *tag, int *comm, int *ierror)
{
	(void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
	*ierror = MPI_SUCCESS;
}

/* The least of a procedure: arguments by address, C's call, results by address. */
static MPI_Comm bare_comm;
static MPI_Request bare_request;

void bare_isend_old_(
	void *buf, int *count, int *type, int *dest, int *tag, int *comm, int *request, int *ierror)
{
	int ret = MPI_Isend(buf, *count, MPI_REAL, *dest, *tag, bare_comm, &bare_request);

	(void)type, (void)comm;
	*request = 1;
	*ierror = ret;
}

void bare_wait_old_(int *request, int *status, int *ierror)
{
	int ret = MPI_Wait(&bare_request, MPI_STATUS_IGNORE);

	(void)status;
	*request = 0;
	*ierror = ret;
}

/* A call with a buffer by descriptor, whose address is its first word, and without ierror. */
void bare_isend(void *desc, int *count, int *type, int *dest, int *tag, int *comm, int *request,
	int *ierror)
{
	int ret =
		MPI_Isend(*(void **)desc, *count, MPI_REAL, *dest, *tag, bare_comm, &bare_request);

	(void)type, (void)comm;
	*request = 1;
	if (ierror != NULL)
		*ierror = ret;
}

void bare_wait(int *request, int *status, int *ierror)
{
	int ret = MPI_Wait(&bare_request, MPI_STATUS_IGNORE);

	(void)status;
	*request = 0;
	if (ierror != NULL)
		*ierror = ret;
}

void c_calls(int kind, int n, int number)
{
	MPI_Comm comm = MPI_Comm_fromint(number);
	MPI_Request req;
	float a[4] = {0};
	int rank;
	int (*volatile call)(const void *, int, MPI_Datatype, int, int, MPI_Comm) = c_empty;

	bare_comm = comm;
	for (int i = 0; kind == 1 && i < n; i++)
		call(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm);
	for (int i = 0; kind == 2 && i < n; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; kind == 3 && i < n; i++)
		MPI_Comm_rank(comm, &rank);
	for (int i = 0; kind == 4 && i < n; i++)
		MPI_Send(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm);
	for (int i = 0; kind >= 5 && i < n; i++) {
		MPI_Isend(a, 4, MPI_REAL, MPI_PROC_NULL, 0, comm, &req);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	}
}
