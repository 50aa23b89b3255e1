// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.6.7, 14.6.6, 14.6.8: communicator, info and datatypes may be freed once the routine
 * that got them has returned; datatypes that are not committed are refused; MPI_BYTE as the etype
 * matches any datatype; offsets have 64 bits. */
#include "tests/std/ch14/file_name.h"

#define BEYOND ((MPI_Offset)1 << 40)

int main(int argc, char **argv)
{
	double data[8], back[8];
	MPI_Datatype tile, open;
	MPI_Offset at, size;
	MPI_Request r;
	MPI_Comm c;
	MPI_Info info;
	MPI_File f;

	check_init(&argc, &argv);
	for (int i = 0; i < 8; i++)
		data[i] = 100 * check_rank + i;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_nodes", "1"));
	OK(MPI_File_open(c, file_name("freed"),
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Comm_free(&c));
	OK(MPI_Type_create_resized(MPI_DOUBLE, 0, check_size * (MPI_Aint)sizeof(double), &tile));
	FAILS(MPI_ERR_TYPE, "commit",
		MPI_File_set_view(f, 0, MPI_DOUBLE, tile, "native", MPI_INFO_NULL));
	OK(MPI_Type_commit(&tile));
	OK(MPI_File_set_view(f, BEYOND + check_rank * (MPI_Offset)sizeof(double), MPI_DOUBLE, tile,
		"native", info));
	OK(MPI_Type_free(&tile));
	OK(MPI_Info_free(&info));
	OK(MPI_Type_contiguous(4, MPI_DOUBLE, &open));
	FAILS(MPI_ERR_TYPE, "commit", MPI_File_write_at(f, 0, data, 2, open, MPI_STATUS_IGNORE));
	OK(MPI_Type_commit(&open));
	OK(MPI_File_iwrite_at_all(f, 0, data, 2, open, &r));
	OK(MPI_Type_free(&open));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_File_get_byte_offset(f, 1, &at));
	expect_eq(at, BEYOND + (check_rank + check_size) * (MPI_Offset)sizeof(double));
	OK(MPI_File_sync(f));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_get_size(f, &size));
	expect_eq(size, BEYOND + 8 * check_size * (MPI_Offset)sizeof(double));
	/* The etype MPI_BYTE matches doubles. */
	OK(MPI_File_set_view(f, BEYOND, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	for (int i = 0; i < 8; i++)
		OK(MPI_File_read_at(f, (i * check_size + check_rank) * (MPI_Offset)sizeof(double),
			&back[i], 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
	for (int i = 0; i < 8; i++)
		expect(back[i] == data[i]);
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
