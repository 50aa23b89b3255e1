// SPDX-License-Identifier: BSD-3-Clause
/* memcheck.c - messages of all protocols, collectives, windows, files and spawned processes, for
 * memcheck: valgrind.sh.  Its only argument is the checker that spawned processes run under. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 300000, FEW = 3000 };

static int rank, size, *buf, *more;

static void memcheck_messages(MPI_Comm comm)
{
	MPI_Request r;

	for (int n = 1; n <= LONG; n *= 10) {
		if (rank == 0) {
			MPI_Send(buf, n, MPI_INT, 1, 0, comm);
			MPI_Isend(buf, n, MPI_INT, 1, 1, comm, &r);
		} else {
			MPI_Recv(buf, n, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
			MPI_Irecv(buf, n, MPI_INT, 0, 1, comm, &r);
		}
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
}

static void memcheck_collectives(MPI_Comm comm)
{
	MPI_Request r;

	for (int n = 1; n <= FEW; n *= 10) {
		MPI_Bcast(buf, n, MPI_INT, 1, comm);
		MPI_Reduce(buf, more, n, MPI_INT, MPI_SUM, 0, comm);
		MPI_Allreduce(buf, more, n, MPI_INT, MPI_MAX, comm);
		MPI_Allgather(buf, n, MPI_INT, more, n, MPI_INT, comm);
		MPI_Alltoall(buf, n, MPI_INT, more, n, MPI_INT, comm);
		MPI_Scan(buf, more, n, MPI_INT, MPI_SUM, comm);
		MPI_Reduce_scatter_block(buf, more, n, MPI_INT, MPI_SUM, comm);
		MPI_Iallreduce(buf, more, n, MPI_INT, MPI_SUM, comm, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Allreduce_init(buf, more, n, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r);
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Request_free(&r);
	}
}

/* Accesses by fences and by locks.  Frees w. */
static void accesses(MPI_Win w, int count)
{
	int other = 1 - rank, one = 1, old;

	MPI_Win_fence(0, w);
	MPI_Put(buf, count, MPI_INT, other, 0, count, MPI_INT, w);
	MPI_Win_fence(0, w);
	MPI_Get(more, count, MPI_INT, other, 0, count, MPI_INT, w);
	MPI_Win_fence(0, w);
	MPI_Accumulate(buf, count, MPI_INT, other, 0, count, MPI_INT, MPI_SUM, w);
	MPI_Win_fence(0, w);
	MPI_Win_lock_all(0, w);
	MPI_Fetch_and_op(&one, &old, MPI_INT, other, 0, MPI_SUM, w);
	MPI_Win_flush(other, w);
	MPI_Compare_and_swap(&one, &old, &old, MPI_INT, other, 0, w);
	MPI_Win_unlock_all(w);
	MPI_Win_free(&w);
}

static void memcheck_windows(MPI_Comm comm)
{
	int *own = calloc(FEW, sizeof(*own)), *given;
	MPI_Win w;

	MPI_Win_create(own, FEW * sizeof(*own), sizeof(*own), MPI_INFO_NULL, comm, &w);
	accesses(w, FEW);
	MPI_Win_allocate(FEW * sizeof(*own), sizeof(*own), MPI_INFO_NULL, comm, &given, &w);
	memset(given, 0, FEW * sizeof(*given));
	accesses(w, FEW);
	MPI_Win_allocate_shared(FEW * sizeof(*own), sizeof(*own), MPI_INFO_NULL, comm, &given, &w);
	memset(given, 0, FEW * sizeof(*given));
	accesses(w, FEW);
	free(own);
}

static void files(MPI_Comm comm)
{
	MPI_Datatype every;
	MPI_File f;

	MPI_File_open(comm, "memcheck.file",
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	MPI_Type_vector(FEW, 1, size, MPI_INT, &every);
	MPI_Type_commit(&every);
	MPI_File_set_view(
		f, rank * (MPI_Offset)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL);
	MPI_File_write_all(f, buf, FEW, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_read_at_all(f, 0, more, FEW, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_write_at(f, FEW, buf, FEW, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
	MPI_File_write_shared(f, buf, FEW, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_read_ordered(f, more, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_Type_free(&every);
	MPI_File_close(&f);
}

static void spawned(MPI_Comm comm, char *self, char *checker)
{
	char *leaks = (char *)"--leak-check=full", *code = (char *)"--error-exitcode=9";
	char *child[] = {leaks, code, self, NULL};
	MPI_Comm both, merged;

	MPI_Comm_spawn(checker != NULL ? checker : self, checker != NULL ? child : MPI_ARGV_NULL, 1,
		MPI_INFO_NULL, 0, comm, &both, MPI_ERRCODES_IGNORE);
	MPI_Intercomm_merge(both, 0, &merged);
	MPI_Bcast(buf, LONG, MPI_INT, 0, merged);
	MPI_Comm_free(&merged);
	MPI_Comm_disconnect(&both);
}

static void child_end(MPI_Comm parents)
{
	MPI_Comm merged;

	MPI_Intercomm_merge(parents, 1, &merged);
	MPI_Bcast(buf, LONG, MPI_INT, 0, merged);
	MPI_Comm_free(&merged);
	MPI_Comm_disconnect(&parents);
}

int main(int argc, char **argv)
{
	MPI_Comm comm, parents;

	buf = calloc(LONG, sizeof(*buf));
	more = calloc(LONG, sizeof(*more));
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parents);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	if (parents != MPI_COMM_NULL) {
		child_end(parents);
	} else {
		memcheck_messages(comm);
		memcheck_collectives(comm);
		memcheck_windows(comm);
		files(comm);
		spawned(comm, argv[0], argv[1]);
	}
	MPI_Comm_free(&comm);
	MPI_Finalize();
	free(buf);
	free(more);
	return 0;
}
