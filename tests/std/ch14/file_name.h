// SPDX-License-Identifier: BSD-3-Clause
/* file_name.h - names of files for tests, in the TMPDIR that the runner makes for each. */
#ifndef TESTS_STD_CH14_FILE_NAME_H
#define TESTS_STD_CH14_FILE_NAME_H

#include "tests/check.h"

/* The path of a file in TMPDIR; a static buffer, one a call site. */
#define file_name(name) file_path((char[512]){""}, 512, name)

static inline const char *file_path(char *buf, size_t n, const char *name)
{
	const char *folder = getenv("TMPDIR");

	snprintf(buf, n, "%s/%s", folder != NULL ? folder : "/tmp", name);
	return buf;
}

/* Opens a new file for reading and writing on all ranks, with more bits of an amode. */
static inline MPI_File file_create(MPI_Comm comm, const char *path, int more)
{
	MPI_File f;
	int rank;

	OK(MPI_Comm_rank(comm, &rank));
	if (rank == 0)
		MPI_File_delete(path, MPI_INFO_NULL); /* left by an earlier run */
	OK(MPI_Barrier(comm));
	OK(MPI_File_open(comm, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL | more,
		MPI_INFO_NULL, &f));
	return f;
}

/* Likewise; MPI_File_close deletes it. */
static inline MPI_File file_new(MPI_Comm comm, const char *path)
{
	return file_create(comm, path, MPI_MODE_DELETE_ON_CLOSE);
}

/* Deletes a file, when all ranks are here. */
static inline void file_delete(const char *path)
{
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		OK(MPI_File_delete(path, MPI_INFO_NULL));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The data of a status, in bytes. */
static inline long file_bytes(const MPI_Status *status)
{
	MPI_Count n;

	OK(MPI_Get_count_c(status, MPI_BYTE, &n));
	return (long)n;
}

#endif
