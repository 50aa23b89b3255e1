// SPDX-License-Identifier: BSD-3-Clause
/* MPI-5.0 9.2: memory that suits communication. */
/* RUN np=1,2 */
#include "tests/check.h"
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int rank, size;

/* MPI-5.0 9.2: allocated memory can be written, sent and freed, in any order of frees. */
static void memory_sizes(void)
{
	static const MPI_Aint len[] = {0, 1, 8, 100, 4096, 65536, 1 << 20, 5 << 20, 40 << 20};
	enum { N = sizeof(len) / sizeof(len[0]) };
	char *p[N];

	for (int i = 0; i < N; i++) {
		CHECK(MPI_Alloc_mem(len[i], MPI_INFO_NULL, &p[i]) == MPI_SUCCESS);
		CHECK(p[i] != NULL && (uintptr_t)p[i] % _Alignof(max_align_t) == 0);
		memset(p[i], i + 1, (size_t)len[i]);
	}
	for (int i = 0; i < N; i++)
		for (MPI_Aint j = 0; j < len[i]; j += len[i] / 64 + 1)
			CHECK(p[i][j] == i + 1);
	for (int i = 0; i < N; i++)
		CHECK(MPI_Free_mem(p[(i * 5 + 2) % N]) == MPI_SUCCESS);
}

/* MPI-5.0 9.2: messages of such memory, from and to, of every way through the transport. */
static void memory_messages(void)
{
	enum { MOST = 3 << 20 };
	unsigned char *out, *in;
	int to = (rank + 1) % size, from = (rank + size - 1) % size;

	MPI_Alloc_mem(MOST, MPI_INFO_NULL, &out);
	MPI_Alloc_mem(MOST, MPI_INFO_NULL, &in);
	for (unsigned n = 1; n <= MOST; n = n * 3 + 1) {
		for (unsigned i = 0; i < n; i++)
			out[i] = (unsigned char)(i * 7 + (unsigned)rank + n);
		memset(in, 0, n);
		MPI_Sendrecv(out, (int)n, MPI_BYTE, to, 1, in, (int)n, MPI_BYTE, from, 1,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (unsigned i = 0; i < n; i++)
			CHECK(in[i] == (unsigned char)(i * 7 + (unsigned)from + n));
	}
	MPI_Free_mem(out);
	MPI_Free_mem(in);
}

/* MPI-5.0 9.2: many at once, received late and in another order, one of them too short. */
static void memory_late(void)
{
	enum { N = 40, LEN = 50000 };
	unsigned char *out, *in;
	MPI_Request reqs[N];
	int to = rank ^ 1;

	if (size < 2)
		return;
	MPI_Alloc_mem((MPI_Aint)N * LEN, MPI_INFO_NULL, &out);
	MPI_Alloc_mem(LEN, MPI_INFO_NULL, &in);
	for (int i = 0; i < N; i++) {
		memset(out + i * LEN, i + 1, LEN);
		MPI_Isend(out + i * LEN, LEN, MPI_BYTE, to, i, MPI_COMM_WORLD, &reqs[i]);
	}
	for (int i = N - 1; i >= 0; i--) {
		int room = i == 7 ? LEN / 2 : LEN, err;

		memset(in, 0, LEN);
		err = MPI_Recv(in, room, MPI_BYTE, to, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(err == (i == 7 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
		CHECK(in[0] == i + 1 && in[room - 1] == i + 1 && (i != 7 || in[room] == 0));
	}
	CHECK(MPI_Waitall(N, reqs, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
	MPI_Free_mem(out);
	MPI_Free_mem(in);
}

/* MPI-5.0 3.8.4: a cancelled send completes without its receiver; either it is cancelled, or the
 * message comes as it was. */
static void memory_cancelled(void)
{
	enum { LEN = 100000 };
	unsigned char *out;
	MPI_Request req;
	MPI_Status status;
	int flag;

	if (size < 2)
		return;
	MPI_Alloc_mem(LEN, MPI_INFO_NULL, &out);
	memset(out, rank == 0 ? 5 : 0, LEN);
	if (rank == 0) {
		MPI_Isend(out, LEN, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &req);
		MPI_Cancel(&req);
		MPI_Wait(&req, &status);
		MPI_Test_cancelled(&status, &flag);
		memset(out, 6, LEN);
		MPI_Send(&flag, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv(&flag, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (!flag) {
			MPI_Recv(out, LEN, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			CHECK(out[0] == 5 && out[LEN / 2] == 5 && out[LEN - 1] == 5);
		}
	}
	MPI_Free_mem(out);
}

/* MPI-5.0 9.2: the key mpi_minimum_memory_alignment. */
static void aligned(void)
{
	MPI_Info info;
	char value[32];

	MPI_Info_create(&info);
	for (long a = 1; a <= 1 << 24; a *= 2) {
		void *p;

		snprintf(value, sizeof(value), "%ld", a);
		MPI_Info_set(info, "mpi_minimum_memory_alignment", value);
		CHECK(MPI_Alloc_mem(100, info, &p) == MPI_SUCCESS);
		CHECK((uintptr_t)p % (uintptr_t)a == 0);
		memset(p, 1, 100);
		MPI_Free_mem(p);
	}
	MPI_Info_set(info, "mpi_minimum_memory_alignment", "48");
	{
		void *p = &info;

		CHECK(MPI_Alloc_mem(100, info, &p) == MPI_ERR_INFO_VALUE);
		CHECK(p == (void *)&info);
	}
	MPI_Info_free(&info);
}

/* MPI-5.0 9.2: errors: more than there is, an address of something else, the same one twice. */
static void memory_refused(void)
{
	char here[64] = "", *p, *q = here;

	CHECK(MPI_Alloc_mem((MPI_Aint)1 << 60, MPI_INFO_NULL, &q) == MPI_ERR_NO_MEM);
	CHECK(q == here);
	CHECK(MPI_Alloc_mem(-1, MPI_INFO_NULL, &q) != MPI_SUCCESS);
	CHECK(MPI_Free_mem(here) == MPI_ERR_BASE);
	CHECK(MPI_Free_mem(NULL) == MPI_ERR_BASE);
	MPI_Alloc_mem(1000, MPI_INFO_NULL, &p);
	CHECK(MPI_Free_mem(p + 8) == MPI_ERR_BASE);
	CHECK(MPI_Free_mem(p) == MPI_SUCCESS);
	CHECK(MPI_Free_mem(p) == MPI_ERR_BASE);
}

/* MPI-5.0 9.2: freed memory is used again. */
static void memory_again(void)
{
	for (int i = 0; i < 40; i++) {
		char *p;

		CHECK(MPI_Alloc_mem(8 << 20, MPI_INFO_NULL, &p) == MPI_SUCCESS);
		p[i] = p[(8 << 20) - 1] = 1;
		CHECK(MPI_Free_mem(p) == MPI_SUCCESS);
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	memory_sizes();
	memory_messages();
	memory_late();
	memory_cancelled();
	aligned();
	memory_refused();
	memory_again();
	MPI_Finalize();
	return 0;
}
