// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,4 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.4.4, 14.4.4.1 to 14.4.4.3: accesses at the shared pointer get regions of their own,
 * as if one came after the other; ordered ones are in order of ranks. */
#include "tests/std/ch14/file_name.h"

enum { PARTS = 50 };

static MPI_File f;

static MPI_Offset position(void)
{
	MPI_Offset at;

	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_get_position_shared(f, &at));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	return at;
}

/* Every piece is in the file once, whole. */
static void parts_are_there(int n)
{
	int *seen = calloc((size_t)n, sizeof(*seen)), x[2];

	for (int i = 0; i < n; i++) {
		OK(MPI_File_read_at(f, 2 * i, x, 2, MPI_INT, MPI_STATUS_IGNORE));
		expect(x[0] >= 0 && x[0] < n && x[1] == ~x[0]);
		if (x[0] >= 0 && x[0] < n)
			seen[x[0]]++;
	}
	for (int i = 0; i < n; i++)
		expect_eq(seen[i], 1);
	free(seen);
}

static void unordered(void)
{
	int n = PARTS * check_size;

	for (int i = 0; i < PARTS; i++) {
		int x[2] = {check_rank * PARTS + i, ~(check_rank * PARTS + i)};
		MPI_Request r;

		if (i % 2 == 0) {
			OK(MPI_File_write_shared(f, x, 2, MPI_INT, MPI_STATUS_IGNORE));
		} else {
			OK(MPI_File_iwrite_shared(f, x, 2, MPI_INT, &r));
			OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		}
	}
	expect_eq(position(), 2 * n);
	OK(MPI_File_sync(f));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	parts_are_there(n);
	OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	for (int i = 0; i < PARTS; i++) {
		int x[2];

		OK(MPI_File_read_shared(f, x, 2, MPI_INT, MPI_STATUS_IGNORE));
		expect(x[1] == ~x[0]);
	}
	expect_eq(position(), 2 * n);
}

/* Rank r writes r + 1 ints; rank 1 none. */
static void ordered(void)
{
	int mine = check_rank == 1 ? 0 : check_rank + 1, data[64], at = 5;
	MPI_Status s;

	OK(MPI_File_seek_shared(f, 5, MPI_SEEK_SET));
	for (int i = 0; i < mine; i++)
		data[i] = 100 * check_rank + i;
	OK(MPI_File_write_ordered(f, data, mine, MPI_INT, &s));
	expect_eq(file_bytes(&s), 4 * mine);
	OK(MPI_File_sync(f));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int r = 0; r < check_size; r++) {
		for (int i = 0; r != 1 && i <= r; i++) {
			int x;

			OK(MPI_File_read_at(f, at++, &x, 1, MPI_INT, &s));
			expect_eq(x, 100 * r + i);
		}
	}
	expect_eq(position(), at);
	OK(MPI_File_seek_shared(f, 5, MPI_SEEK_SET));
	memset(data, 0, sizeof(data));
	OK(MPI_File_read_ordered_begin(f, data, mine, MPI_INT));
	OK(MPI_File_read_ordered_end(f, data, &s));
	for (int i = 0; i < mine; i++)
		expect_eq(data[i], 100 * check_rank + i);
	expect_eq(position(), at);
}

/* A failure of one rank is that of all, and the pointer stays. */
static void pointer_refused(void)
{
	MPI_Offset before = position();
	bool last = check_rank == check_size - 1;
	char c[8] = {0}, odd[64];

	FAILS(MPI_ERR_IO, "whole etypes",
		MPI_File_write_ordered(
			f, c, check_rank == check_size - 1 ? 3 : 4, MPI_CHAR, MPI_STATUS_IGNORE));
	expect_eq(position(), before);
	if (check_size > 1) { /* equal words on all ranks: they name the odd one */
		snprintf(odd, sizeof(odd), "rank %d of %d: the offset", check_size - 1, check_size);
		FAILS(MPI_ERR_NOT_SAME, odd, MPI_File_seek_shared(f, last, MPI_SEEK_SET));
		FAILS(MPI_ERR_NOT_SAME, "offset",
			MPI_File_seek_shared(f, check_rank, MPI_SEEK_SET));
		FAILS(MPI_ERR_NOT_SAME, "whence",
			MPI_File_seek_shared(f, 0, check_rank == 0 ? MPI_SEEK_SET : MPI_SEEK_CUR));
	}
	FAILS(MPI_ERR_ARG, "seek", MPI_File_seek_shared(f, -1, MPI_SEEK_SET));
	expect_eq(position(), before);
	OK(MPI_File_seek_shared(f, -1, MPI_SEEK_CUR));
	expect_eq(position(), before - 1);
}

/* Bytes of a file have numbers up to 2^63 - 1: an access beyond them does not move the pointer. */
static void at_the_end(void)
{
	const MPI_Offset most = INT64_MAX / 4, from[] = {INT64_MAX, most - 1};
	int x[2] = {0};

	for (int i = 0; i < 2; i++) {
		OK(MPI_File_seek_shared(f, from[i], MPI_SEEK_SET));
		FAILS(MPI_ERR_ARG, "shared file pointer",
			MPI_File_write_shared(f, x, 2, MPI_INT, MPI_STATUS_IGNORE));
		expect(position() == from[i]);
		FAILS(MPI_ERR_ARG, "shared file pointer",
			MPI_File_write_ordered(f, x, 2, MPI_INT, MPI_STATUS_IGNORE));
		expect(position() == from[i]);
	}
}

int main(int argc, char **argv)
{
	MPI_Offset end;

	check_init(&argc, &argv);
	f = file_new(MPI_COMM_WORLD, file_name("shared"));
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	unordered();
	ordered();
	pointer_refused();
	at_the_end();
	OK(MPI_File_get_size(f, &end));
	OK(MPI_File_seek_shared(f, 0, MPI_SEEK_END));
	expect_eq(position(), end / 4);
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	expect_eq(position(), 0);
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
