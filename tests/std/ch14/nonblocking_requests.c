// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_IO_THREADS=0|1|4" */
/* MPI-5.0 14.4.2, 14.4.3, 3.7.5, 3.7.3: requests of files complete beside those of messages, in any
 * of the completion calls, whose statuses have the number of elements; pointers move at the
 * call. */
#include "tests/check.h"
#include "tests/std/ch14/file_name.h"

#define N (1 << 20)

static char out[N], in[N];

/* A file and a message in one MPI_Waitsome. */
static void request_mixed(MPI_File f)
{
	MPI_Request r[3];
	MPI_Status s[3];
	int other = 1 - check_rank, done = 0, n, at[3], word = check_rank, got = -1, count;

	check_fill(out, N, check_rank);
	OK(MPI_File_iwrite_at(f, (MPI_Offset)check_rank * N, out, N, MPI_BYTE, &r[0]));
	OK(MPI_Irecv(&got, 1, MPI_INT, other, 5, MPI_COMM_WORLD, &r[1]));
	OK(MPI_Isend(&word, 1, MPI_INT, other, 5, MPI_COMM_WORLD, &r[2]));
	while (done < 3) {
		OK(MPI_Waitsome(3, r, &n, at, s));
		CHECK(n > 0);
		for (int i = 0; i < n; i++) {
			if (at[i] != 0)
				continue;
			OK(MPI_Get_count(&s[i], MPI_BYTE, &count));
			expect_eq(count, N);
		}
		done += n;
	}
	expect_eq(got, other);
	OK(MPI_File_sync(f));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The pointer moves when the access begins; Get_status leaves the request, Test ends it. */
static void looked_at(MPI_File f)
{
	MPI_Request r[2];
	MPI_Offset at;
	MPI_Status s;
	int flag = 0, count;

	OK(MPI_File_seek(f, (MPI_Offset)(1 - check_rank) * N, MPI_SEEK_SET));
	OK(MPI_File_iread(f, in, N / 2, MPI_BYTE, &r[0]));
	OK(MPI_File_get_position(f, &at));
	expect_eq(at, (MPI_Offset)(1 - check_rank) * N + N / 2);
	OK(MPI_File_iread(f, in + N / 2, N / 8, MPI_INT, &r[1]));
	while (!flag)
		OK(MPI_Request_get_status(r[0], &flag, &s));
	OK(MPI_Get_count(&s, MPI_INT, &count));
	expect_eq(count, N / 8);
	expect(r[0] != MPI_REQUEST_NULL);
	for (flag = 0; !flag;)
		OK(MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE));
	expect(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
	expect_eq(check_wrong(in, N, 1 - check_rank), -1);
}

/* A request of a file is neither freed nor cancelled. */
static void not_freed(MPI_File f)
{
	MPI_Request r;
	MPI_Status s;
	int flag;

	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_File_iread_at(f, 0, in, N, MPI_BYTE, &r));
	FAILS(MPI_ERR_REQUEST, "file", MPI_Request_free(&r));
	OK(MPI_Cancel(&r));
	OK(MPI_Wait(&r, &s));
	OK(MPI_Test_cancelled(&s, &flag));
	expect_eq(flag, 0);
	expect_eq(check_wrong(in, N, 0), -1);
}

/* More accesses than threads, of all sizes, each with a piece of its own. */
static void request_many(MPI_File f)
{
	enum { PARTS = 64 };
	MPI_Request r[PARTS];
	MPI_Status s[PARTS];
	int at = 0, count;

	memset(in, 0, N);
	for (int i = 0; i < PARTS; i++) {
		int n = i < PARTS - 1 ? 37 * i * i / 8 + 1 : N - at;

		OK(MPI_File_iread_at(
			f, (MPI_Offset)check_rank * N + at, in + at, n, MPI_BYTE, &r[i]));
		at += n;
	}
	OK(MPI_Waitall(PARTS, r, s));
	for (int i = 0; i < PARTS - 1; i++) {
		OK(MPI_Get_count(&s[i], MPI_BYTE, &count));
		expect_eq(count, 37 * i * i / 8 + 1);
	}
	expect_eq(check_wrong(in, N, check_rank), -1);
}

/* Behind the end of the file there is nothing to read. */
static void end_of_file(MPI_File f)
{
	MPI_Request r;
	MPI_Status s;
	int count;

	OK(MPI_File_iread_at(f, 2 * N - 100003, in, N, MPI_BYTE, &r));
	OK(MPI_Wait(&r, &s));
	OK(MPI_Get_count(&s, MPI_BYTE, &count));
	expect_eq(count, 100003);
	OK(MPI_Get_elements(&s, MPI_INT, &count));
	expect_eq(count, MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
	MPI_File f;

	check_init(&argc, &argv);
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("requests"),
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f));
	request_mixed(f);
	looked_at(f);
	not_freed(f);
	request_many(f);
	end_of_file(f);
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
