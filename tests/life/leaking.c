// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 args="clean|sessions" */
/* MPI-5.0 2.5.1: programs that free their objects, or not; leaks.sh reads the reports:
 *
 *   leak      13 objects are not freed; exit code 3 with a further word
 *   clean     all are freed, some by others than the user
 *   sessions  a session ends while another process sends in its next one
 *   fortran   the library keeps objects for Fortran: they are not the program's leaks */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static int leak_nothing(MPI_Comm c, int key, void *v, void *e)
{
	(void)c, (void)key, (void)v, (void)e;
	return MPI_SUCCESS;
}

static void leak_sum(void *a, void *b, int *n, MPI_Datatype *t)
{
	(void)a, (void)b, (void)n, (void)t;
}

static void leak_on_error(MPI_Comm *c, int *code, ...)
{
	(void)c, (void)code;
}

static void leak_all(int rank)
{
	static char room[4096 + MPI_BSEND_OVERHEAD];
	static int x;
	MPI_Comm c, d;
	MPI_Datatype t;
	MPI_Group g;
	MPI_Info i;
	MPI_Op op;
	MPI_Errhandler e;
	MPI_Request r;
	int key;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_set_name(c, "solver");
#pragma GCC unroll 1 /* one place in the program for three objects */
	for (int n = 0; n < 3; n++)
		MPI_Comm_dup(MPI_COMM_SELF, &d);
	MPI_Type_contiguous(3, MPI_INT, &t);
	MPI_Type_set_name(t, "cell");
	MPI_Comm_group(MPI_COMM_WORLD, &g);
	MPI_Info_create(&i);
	MPI_Info_set(i, "colour", "blue");
	MPI_Op_create(leak_sum, 1, &op);
	MPI_Comm_create_errhandler(leak_on_error, &e);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leak_nothing, &key, NULL);
	MPI_Recv_init(&x, 1, MPI_INT, 0, 9, c, &r);
	MPI_Send(&x, 1, MPI_INT, rank, 7, c);
	MPI_Comm_attach_buffer(d, room, sizeof(room));
}

/* Everything is given back, also by others than the user. */
static void spotless(int rank)
{
	static char room[4096 + MPI_BSEND_OVERHEAD];
	MPI_Comm c, d;
	MPI_Group g;
	MPI_Request r;
	int x = 1, y;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_attach_buffer(c, room, sizeof(room));
	MPI_Bsend(&x, 1, MPI_INT, rank, 1, c);
	MPI_Irecv(&y, 1, MPI_INT, rank, 1, c, &r);
	MPI_Comm_group(c, &g);
	MPI_Comm_create(c, g, &d);
	MPI_Group_free(&g);
	MPI_Comm_free(&c);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Barrier(d);
	MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, d);
	MPI_Comm_free(&d);
	MPI_Bsend(&x, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void sessions(void)
{
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;
	int rank, flag, x = 0;

	for (int round = 0; round < 2; round++) {
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
		MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
		MPI_Comm_create_from_group(g, "x", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
		MPI_Comm_rank(c, &rank);
		if (rank == 0) {
			MPI_Send(&x, 1, MPI_INT, 1, round, c);
		} else {
			MPI_Recv(&x, 1, MPI_INT, 0, round, c, MPI_STATUS_IGNORE);
			usleep(500000 * (1 - round));
			MPI_Iprobe(0, 0, c, &flag, MPI_STATUS_IGNORE);
		}
		MPI_Comm_free(&c);
		MPI_Group_free(&g);
		MPI_Session_finalize(&s);
	}
}

static void fortran(void)
{
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_integer_size", "4");
	MPI_Abi_set_fortran_info(info);
	MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int rank;

	if (strcmp(mode, "sessions") == 0) {
		sessions();
		return 0;
	}
	if (strcmp(mode, "fortran") == 0)
		fortran();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(mode, "leak") == 0)
		leak_all(rank);
	else
		spotless(rank);
	MPI_Finalize();
	return argc > 2 ? 3 : 0;
}
