// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 */
/* RUN np=2 env="HAFT_VIA=net" */
/* MPI-5.0 14.6.1: accesses that do not conflict do not disturb each other: a write through a view
 * with holes leaves the holes alone while others write into them, over one handle, and over a
 * handle of each process; contiguous and scattered, blocking and nonblocking. */
#include "tests/check.h"
#include "tests/std/ch14/file_name.h"

enum { BLOCK = 8, BLOCKS = 3000, ROUNDS = 30 };

static unsigned char mine[BLOCK * BLOCKS], all[BLOCK * BLOCKS * 8];

/* Each rank has every size-th block; the last one writes its blocks one by one. */
static void write_blocks(MPI_File f, int round, MPI_Datatype t)
{
	MPI_Request r;

	memset(mine, 1 + (round * 8 + check_rank) % 250, sizeof(mine));
	if (check_rank < check_size - 1 || round % 2 == 0) {
		OK(MPI_File_set_view(
			f, (MPI_Offset)check_rank * BLOCK, MPI_BYTE, t, "native", MPI_INFO_NULL));
		OK(MPI_File_iwrite_at(f, 0, mine, sizeof(mine), MPI_BYTE, &r));
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		return;
	}
	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	for (int i = 0; i < BLOCKS; i++)
		OK(MPI_File_write_at(f, ((MPI_Offset)i * check_size + check_rank) * BLOCK, mine,
			BLOCK, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void holes_verify(MPI_File f, int round)
{
	int wrong = 0;

	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	OK(MPI_File_read_at(f, 0, all, BLOCK * BLOCKS * check_size, MPI_BYTE, MPI_STATUS_IGNORE));
	for (int i = 0; i < BLOCK * BLOCKS * check_size; i++)
		wrong += all[i] != 1 + (round * 8 + i / BLOCK % check_size) % 250;
	expect_eq(wrong, 0);
}

static void holes_rounds(MPI_Comm c, const char *name)
{
	MPI_Datatype block, t;
	MPI_File f;

	OK(MPI_Type_contiguous(BLOCK, MPI_BYTE, &block));
	OK(MPI_Type_create_resized(block, 0, (MPI_Aint)BLOCK * check_size, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_Type_free(&block));
	OK(MPI_File_open(c, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	for (int round = 0; round < ROUNDS; round++) {
		write_blocks(f, round, t);
		OK(MPI_Barrier(MPI_COMM_WORLD));
		holes_verify(f, round);
		OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	OK(MPI_File_close(&f));
	OK(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
	const char *name;

	check_init(&argc, &argv);
	name = file_name("holes");
	holes_rounds(MPI_COMM_WORLD, name);
	holes_rounds(MPI_COMM_SELF, name);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		OK(MPI_File_delete(name, MPI_INFO_NULL));
	MPI_Finalize();
	return check_end();
}
