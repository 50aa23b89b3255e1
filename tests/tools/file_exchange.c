// SPDX-License-Identifier: BSD-3-Clause
/* file_exchange.c - writes or reads a file in external32; for file_exchange.sh, which builds it
 * with several libraries.
 *
 *     file_exchange write|read PATH
 *
 * A block of each basic type, then an array of ints that is distributed in blocks over the
 * ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, SIDE = 8, BLOCK = 1024 };

static int rank, size, bad;
static MPI_File f;
static int writes;

#define VALUE(i) ((i) % 2 ? -(i)-1 : (i) + 100)

static void differ(const char *what, int i)
{
	if (bad++ < 5)
		fprintf(stderr, "rank %d: %s: element %d differs\n", rank, what, i);
}

/* One element, either way. */
static void disk_move(int i, void *data, MPI_Datatype t)
{
	if (writes)
		MPI_File_write_at(f, i, data, 1, t, MPI_STATUS_IGNORE);
	else
		MPI_File_read_at(f, i, data, 1, t, MPI_STATUS_IGNORE);
}

/* Block `k' of the file: N elements of a type; rank r has every size-th one. */
#define BLOCK(k, type, mpi)                                                             \
	do {                                                                            \
		type data[N];                                                           \
		MPI_File_set_view(f, (k)*BLOCK, mpi, mpi, "external32", MPI_INFO_NULL); \
		for (int i = rank; i < N; i += size) {                                  \
			data[i] = writes ? (type)VALUE(i) : (type)77;                   \
			disk_move(i, &data[i], mpi);                                    \
			if (data[i] != (type)VALUE(i))                                  \
				differ(#type, i);                                       \
		}                                                                       \
	} while (0)

/* Where element i of this rank's columns is in the whole array. */
static int disk_element_at(int i, int columns)
{
	return i / columns * SIDE + rank * columns + i % columns;
}

static void array(void)
{
	int sizes[2] = {SIDE, SIDE}, parts[2] = {SIDE, 0}, starts[2] = {0, 0};
	int mine[SIDE * SIDE], n;
	MPI_Datatype t;

	parts[1] = SIDE / size;
	starts[1] = rank * parts[1];
	n = SIDE * parts[1];
	MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &t);
	MPI_Type_commit(&t);
	MPI_File_set_view(f, 100 * BLOCK, MPI_INT, t, "external32", MPI_INFO_NULL);
	for (int i = 0; i < n; i++)
		mine[i] = writes ? disk_element_at(i, parts[1]) : -1;
	if (writes)
		MPI_File_write_all(f, mine, n, MPI_INT, MPI_STATUS_IGNORE);
	else
		MPI_File_read_all(f, mine, n, MPI_INT, MPI_STATUS_IGNORE);
	for (int i = 0; i < n; i++)
		if (mine[i] != disk_element_at(i, parts[1]))
			differ("array", i);
	MPI_Type_free(&t);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	writes = argc > 2 && strcmp(argv[1], "write") == 0;
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
	MPI_File_open(MPI_COMM_WORLD, argv[2],
		writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
	BLOCK(0, signed char, MPI_SIGNED_CHAR);
	BLOCK(1, short, MPI_SHORT);
	BLOCK(2, int, MPI_INT);
	BLOCK(3, long long, MPI_LONG_LONG);
	BLOCK(4, float, MPI_FLOAT);
	BLOCK(5, double, MPI_DOUBLE);
	BLOCK(6, unsigned short, MPI_UNSIGNED_SHORT);
	BLOCK(7, unsigned, MPI_UNSIGNED);
	array();
	MPI_File_close(&f);
	MPI_Finalize();
	return bad != 0;
}
