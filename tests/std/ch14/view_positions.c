// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 14.3, 14.4.3: positions are etypes of the view; MPI_SEEK_END is the first etype behind
 * the end of the file in this view.  A view costs nothing to set, whatever its number of blocks. */
#include "tests/std/ch14/file_name.h"
#include <limits.h>

static MPI_File f;

static MPI_Offset position(void)
{
	MPI_Offset at;

	OK(MPI_File_get_position(f, &at));
	return at;
}

static MPI_Offset position_end(void)
{
	OK(MPI_File_seek(f, 0, MPI_SEEK_END));
	return position();
}

static MPI_Offset position_byte_of(MPI_Offset offset)
{
	MPI_Offset byte;

	OK(MPI_File_get_byte_offset(f, offset, &byte));
	return byte;
}

/* Two of every five ints, from byte 4 on:  |4|##---|##---|... */
static void position_strided(void)
{
	MPI_Datatype two, tile;

	OK(MPI_Type_contiguous(2, MPI_INT, &two));
	OK(MPI_Type_create_resized(two, 0, 20, &tile));
	OK(MPI_Type_commit(&tile));
	OK(MPI_File_set_size(f, 0));
	OK(MPI_File_set_view(f, 4, MPI_INT, tile, "native", MPI_INFO_NULL));
	expect_eq(position(), 0);
	expect_eq(position_end(), 0);
	expect_eq(position_byte_of(0), 4);
	expect_eq(position_byte_of(1), 8);
	expect_eq(position_byte_of(2), 24);
	expect_eq(position_byte_of(2000001), 4 + 20LL * 1000000 + 4);
	for (MPI_Offset size = 0; size < 70; size++) {
		MPI_Offset at = 0;

		while (position_byte_of(at) < size)
			at++;
		OK(MPI_File_set_size(f, size));
		expect_eq(position_end(), at);
	}
	OK(MPI_File_seek(f, -1, MPI_SEEK_CUR));
	FAILS(MPI_ERR_ARG, "seek", MPI_File_seek(f, -1000, MPI_SEEK_CUR));
	FAILS(MPI_ERR_ARG, "whence", MPI_File_seek(f, 0, 77));
	FAILS(MPI_ERR_ARG, "offset", MPI_File_get_byte_offset(f, -1, &(MPI_Offset){0}));
	OK(MPI_Type_free(&two));
	OK(MPI_Type_free(&tile));
}

/* A block of a matrix of 10^6 x 10^6 doubles. */
static void position_huge(void)
{
	int sizes[] = {1000000, 1000000}, part[] = {500000, 300000}, from[] = {250000, 600000};
	MPI_Datatype t;
	double x = 1.5, y = 0;
	MPI_Status s;

	OK(MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_DOUBLE, &t));
	OK(MPI_Type_commit(&t));
	for (int i = 0; i < 1000; i++)
		OK(MPI_File_set_view(f, 0, MPI_DOUBLE, t, "native", MPI_INFO_NULL));
	expect_eq(position_byte_of(0), 8 * (250000LL * 1000000 + 600000));
	expect_eq(position_byte_of(300000), 8 * (250001LL * 1000000 + 600000));
	OK(MPI_File_write_at(f, 300000, &x, 1, MPI_DOUBLE, &s));
	OK(MPI_File_read_at(f, 300000, &y, 1, MPI_DOUBLE, &s));
	expect(y == 1.5);
	expect_eq(position_end(), 300001);
	OK(MPI_File_set_size(f, 0));
	OK(MPI_Type_free(&t));
}

/* Explicit offsets leave the pointer alone; it moves by the requested count, also at the end. */
static void pointer(void)
{
	int data[10];
	MPI_Status s;

	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	check_fill(data, sizeof(data), 0);
	OK(MPI_File_write(f, data, 10, MPI_INT, &s));
	expect_eq(position(), 10);
	OK(MPI_File_read_at(f, 3, data, 2, MPI_INT, &s));
	expect_eq(position(), 10);
	OK(MPI_File_seek(f, 7, MPI_SEEK_SET));
	OK(MPI_File_read(f, data, 10, MPI_INT, &s));
	expect_eq(file_bytes(&s), 12);
	expect_eq(position(), 17);
	OK(MPI_File_read(f, data, 10, MPI_INT, &s));
	expect_eq(file_bytes(&s), 0);
	OK(MPI_File_set_size(f, 6)); /* the file ends inside an element */
	OK(MPI_File_read_at(f, 0, data, 10, MPI_INT, &s));
	expect_eq(file_bytes(&s), 6);
	FAILS(MPI_ERR_ARG, "-1", MPI_File_read_at(f, -1, data, 1, MPI_INT, &s));
	FAILS(MPI_ERR_IO, "whole etypes", MPI_File_write(f, data, 3, MPI_CHAR, &s));
	FAILS(MPI_ERR_ARG, "offset", MPI_File_write_at(f, LLONG_MAX / 4, data, 1, MPI_INT, &s));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	f = file_new(MPI_COMM_WORLD, file_name("positions"));
	position_strided();
	position_huge();
	pointer();
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
