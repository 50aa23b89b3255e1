// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_CHECK=io" */
/* MPI-5.0 14.6.1: HAFT_CHECK=io finds writes of two ranks that meet between two syncs, and buffers
 * that change too early; correct programs it leaves alone. */
#include "tests/std/ch14/file_name.h"

static MPI_File f;

static void conflicts(void)
{
	char data[100] = "";

	OK(MPI_File_write_at(f, 96 * check_rank, data, 100, MPI_CHAR, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_OTHER, "bytes 96 to 99 were written by rank 0 (", MPI_File_sync(f));
	OK(MPI_File_sync(f)); /* it was told once */
	OK(MPI_File_write_at(f, 96 * check_rank, data, 100, MPI_CHAR, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_OTHER, "check_io.c:", MPI_File_sync(f));
}

static void checked_strided(void)
{
	MPI_Datatype tile;
	int data[100] = {0};

	OK(MPI_Type_create_resized(MPI_INT, 0, 8, &tile));
	OK(MPI_Type_commit(&tile));
	OK(MPI_File_set_view(f, 4 * check_rank, MPI_INT, tile, "native", MPI_INFO_NULL));
	OK(MPI_File_write_all(f, data, 100, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_sync(f));
	OK(MPI_File_write_at(f, 0, data, 1 + check_rank, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_sync(f));
	OK(MPI_File_set_view(f, 0, MPI_INT, tile, "native", MPI_INFO_NULL));
	OK(MPI_File_write_at(f, 50 - check_rank, data, 2, MPI_INT, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_OTHER, "bytes 400 to 403", MPI_File_sync(f));
	OK(MPI_Type_free(&tile));
}

/* One after the other, with a sync between; and atomic mode. */
static void in_order(void)
{
	int x = check_rank;

	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	if (check_rank == 0)
		OK(MPI_File_write_at(f, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_sync(f));
	if (check_rank == 1)
		OK(MPI_File_write_at(f, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_sync(f));
	OK(MPI_File_set_atomicity(f, 1));
	OK(MPI_File_write_at(f, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_sync(f));
	OK(MPI_File_set_atomicity(f, 0));
}

/* The mistake that is to be found; ThreadSanitizer finds it, too. */
__attribute__((noinline, no_sanitize_thread)) static void spoil(char *byte)
{
	*byte = 'x';
}

static void checked_buffers(void)
{
	enum { N = 4 << 20 };
	char *data = calloc(N, 1);
	MPI_Request r;

	OK(MPI_File_iwrite_at(f, (MPI_Offset)N * check_rank, data, N / 4, MPI_INT, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_File_write_at_all_begin(f, (MPI_Offset)N * check_rank, data, N / 4, MPI_INT));
	OK(MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE));
	OK(MPI_File_sync(f));
	OK(MPI_File_iwrite_at(f, (MPI_Offset)N * check_rank, data, N / 4, MPI_INT, &r));
	spoil(&data[N - 1]);
	FAILS(MPI_ERR_BUFFER, "was changed", MPI_Wait(&r, MPI_STATUS_IGNORE));
	memset(data, 'r', N);
	OK(MPI_File_iread_at(f, (MPI_Offset)N * check_rank, data, N / 4, MPI_INT, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	expect(data[0] == 0 && data[N - 2] == 0);
	memset(data, 'r', N);
	OK(MPI_File_iread_at(f, (MPI_Offset)N * check_rank, data, N / 4, MPI_INT, &r));
	spoil(&data[5]);
	FAILS(MPI_ERR_BUFFER, "read from", MPI_Wait(&r, MPI_STATUS_IGNORE));
	expect(data[0] == 0 && data[N - 2] == 0);
	free(data);
}

/* Rank 0 changes its buffer before rank 1 has begun: a transfer that ended before the change has no
 * error, and this one cannot have ended. */
static void checked_collective_buffers(void)
{
	enum { N = 4 << 20 };
	char *data = malloc(N);
	MPI_Offset at = (MPI_Offset)N * check_rank;
	MPI_Request r;

	for (int changed = 0; changed < 2; changed++) {
		memset(data, 'r', N);
		if (check_rank == 1)
			OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_File_iread_at_all(f, at, data, N / 4, MPI_INT, &r));
		if (check_rank == 0 && changed)
			spoil(&data[5]);
		if (check_rank == 0)
			OK(MPI_Barrier(MPI_COMM_WORLD));
		if (check_rank == 0 && changed)
			FAILS(MPI_ERR_BUFFER, "read from", MPI_Wait(&r, MPI_STATUS_IGNORE));
		else
			OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		expect(data[0] == 0 && data[N - 2] == 0);
	}
	free(data);
}

/* One member alone has changed its buffer: at most its own error (a transfer that ended before the
 * change has none), and no other member waits for it. */
static void one_buffer(void)
{
	enum { N = 4 << 20 };
	char *data = calloc(N, 1);
	MPI_Offset at;
	int err;

	for (int i = 0; i < 3; i++) {
		OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
		OK(MPI_File_seek(f, (MPI_Offset)check_rank * N, MPI_SEEK_SET));
		if (i == 0)
			OK(MPI_File_write_ordered_begin(f, data, N / 4, MPI_INT));
		else if (i == 1)
			OK(MPI_File_read_ordered_begin(f, data, N / 4, MPI_INT));
		else
			OK(MPI_File_write_all_begin(f, data, N / 4, MPI_INT));
		if (check_rank == 1)
			spoil(&data[5]);
		err = i == 0   ? MPI_File_write_ordered_end(f, data, MPI_STATUS_IGNORE)
		      : i == 1 ? MPI_File_read_ordered_end(f, data, MPI_STATUS_IGNORE)
			       : MPI_File_write_all_end(f, data, MPI_STATUS_IGNORE);
		if (check_rank == 1)
			CHECK(err == MPI_SUCCESS || err == MPI_ERR_BUFFER);
		else
			OK(err);
		OK(MPI_File_get_position_shared(f, &at)); /* the data have moved */
		expect_eq(at, i == 2 ? 0 : N / 4 * check_size);
		OK(MPI_File_sync(f));
	}
	OK(MPI_File_get_position(f, &at));
	expect_eq(at, (MPI_Offset)check_rank * N + N / 4);
	free(data);
}

/* More runs than fit one block of memory: the last ones meet. */
static void checked_many(void)
{
	enum { RUNS = 40000 };
	static int data[RUNS];
	MPI_Datatype tile;

	OK(MPI_File_sync(f));
	OK(MPI_Type_create_resized(MPI_INT, 0, 16, &tile));
	OK(MPI_Type_commit(&tile));
	OK(MPI_File_set_view(f, 4 * check_rank, MPI_INT, tile, "native", MPI_INFO_NULL));
	OK(MPI_File_write_at(f, 0, data, RUNS, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_sync(f));
	OK(MPI_File_write_at(f, 0, data, RUNS, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	if (check_rank == 1)
		OK(MPI_File_write_at(f, 4 * (RUNS - 1), data, 1, MPI_INT, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_OTHER, "were written by rank 0", MPI_File_sync(f));
	OK(MPI_Type_free(&tile));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	f = file_new(MPI_COMM_WORLD, file_name("checked"));
	conflicts();
	checked_strided();
	in_order();
	checked_buffers();
	checked_collective_buffers();
	one_buffer();
	checked_many();
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
