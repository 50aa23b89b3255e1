// SPDX-License-Identifier: BSD-3-Clause
/* other_file_call.c - argv[1] names the call of rank 0 on a file, argv[2] that of the others;
 * argv[3] is the file.  argv[4]: errors return, and every rank must get one, with words that have
 * argv[4]: other_file_call.sh. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };

static char buf[N];
static MPI_File f;
static int rank;

static int file_is(const char *name, const char *call)
{
	return strcmp(name, call) == 0;
}

static int call_other(const char *name)
{
	MPI_Info info;

	if (file_is(name, "close"))
		return MPI_File_close(&f);
	if (file_is(name, "sync"))
		return MPI_File_sync(f);
	if (file_is(name, "set_size"))
		return MPI_File_set_size(f, N);
	if (file_is(name, "preallocate"))
		return MPI_File_preallocate(f, N);
	if (file_is(name, "set_atomicity"))
		return MPI_File_set_atomicity(f, 0);
	if (file_is(name, "seek_shared"))
		return MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	if (file_is(name, "set_view"))
		return MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	if (file_is(name, "barrier"))
		return MPI_Barrier(MPI_COMM_WORLD);
	MPI_Info_create(&info);
	MPI_Info_set(info, "cb_nodes", "1");
	return MPI_File_set_info(f, info);
}

static int call_nonblocking(const char *name)
{
	MPI_Request r = MPI_REQUEST_NULL;
	int err = file_is(name, "iwrite_all") ? MPI_File_iwrite_all(f, buf, N, MPI_BYTE, &r)
					      : MPI_File_iread_all(f, buf, N, MPI_BYTE, &r);

	return err != 0 ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int call_split(const char *name)
{
	int err;

	if (file_is(name, "write_all_begin")) {
		err = MPI_File_write_all_begin(f, buf, N, MPI_BYTE);
		return err != 0 ? err : MPI_File_write_all_end(f, buf, MPI_STATUS_IGNORE);
	}
	err = MPI_File_read_ordered_begin(f, buf, N, MPI_BYTE);
	return err != 0 ? err : MPI_File_read_ordered_end(f, buf, MPI_STATUS_IGNORE);
}

static int file_call(const char *name)
{
	if (strstr(name, "_begin") != NULL)
		return call_split(name);
	if (file_is(name, "iwrite_all") || file_is(name, "iread_all"))
		return call_nonblocking(name);
	if (file_is(name, "write_all"))
		return MPI_File_write_all(f, buf, N, MPI_BYTE, MPI_STATUS_IGNORE);
	if (file_is(name, "read_all"))
		return MPI_File_read_all(f, buf, N, MPI_BYTE, MPI_STATUS_IGNORE);
	if (file_is(name, "read_at_all"))
		return MPI_File_read_at_all(f, 0, buf, N, MPI_BYTE, MPI_STATUS_IGNORE);
	if (file_is(name, "write_at_all"))
		return MPI_File_write_at_all(f, 0, buf, N, MPI_BYTE, MPI_STATUS_IGNORE);
	if (file_is(name, "read_ordered"))
		return MPI_File_read_ordered(f, buf, N, MPI_BYTE, MPI_STATUS_IGNORE);
	if (file_is(name, "write_ordered"))
		return MPI_File_write_ordered(f, buf, N, MPI_BYTE, MPI_STATUS_IGNORE);
	return call_other(name);
}

/* An error with these words; where all have compared first (HAFT_CHECK=coll), the file is as it
 * was, and all can close it. */
static int returns(int err, const char *words)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len;

	MPI_Error_string(err, text, &len);
	if (err == 0 || strstr(text, words) == NULL) {
		printf("rank %d: error %d: %s\n", rank, err, text);
		return 1;
	}
	if (getenv("HAFT_CHECK") == NULL)
		return 0;
	err = f != MPI_FILE_NULL ? MPI_File_close(&f) : MPI_ERR_FILE;
	if (err == 0)
		return 0;
	MPI_Error_string(err, text, &len);
	printf("rank %d: then MPI_File_close: %s\n", rank, text);
	return 1;
}

int main(int argc, char **argv)
{
	int err;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, argv[3],
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	if (argc <= 4)
		MPI_File_set_errhandler(f, MPI_ERRORS_ARE_FATAL);
	err = file_call(argv[rank == 0 ? 1 : 2]);
	if (argc > 4 && returns(err, argv[4]) != 0)
		MPI_Abort(MPI_COMM_WORLD, 9);
	MPI_Finalize();
	return 0;
}
