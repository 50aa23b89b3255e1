// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.2.8, 14.2.8.1: MPI_File_get_info returns the hints in use, with their defaults, and
 * not those that were ignored; hints that must be equal on all ranks are compared. */
#include "tests/std/ch14/file_name.h"

/* The value of a key in use, or "". */
static const char *file_hint(MPI_File f, const char *key)
{
	static char value[MPI_MAX_INFO_VAL];
	int n = MPI_MAX_INFO_VAL, found;
	MPI_Info used;

	OK(MPI_File_get_info(f, &used));
	value[0] = '\0';
	OK(MPI_Info_get_string(used, key, &n, value, &found));
	OK(MPI_Info_free(&used));
	return found ? value : "";
}

/* A few hints leave the others alone; some come too late; unequal ones are an error.  Closes f. */
static void hints_change(MPI_File f, const char *path)
{
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_buffer_size", "4096"));
	OK(MPI_Info_set(info, "file_perm", "600"));
	OK(MPI_File_set_info(f, info));
	expect(strcmp(file_hint(f, "cb_buffer_size"), "4096") == 0);
	expect(strcmp(file_hint(f, "cb_nodes"), "1") == 0);
	expect(strcmp(file_hint(f, "file_perm"), "640") == 0);
	OK(MPI_Info_set(info, "cb_buffer_size", "8192"));
	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", info));
	expect(strcmp(file_hint(f, "cb_buffer_size"), "8192") == 0);
	if (check_size > 1) {
		OK(MPI_Info_set(info, "cb_nodes", check_rank == 0 ? "1" : "2"));
		FAILS(MPI_ERR_NOT_SAME, "cb_nodes=1", MPI_File_set_info(f, info));
		FAILS(MPI_ERR_NOT_SAME, "cb_nodes=2", MPI_File_set_info(f, info));
		expect(strcmp(file_hint(f, "cb_nodes"), "1") == 0);
	}
	OK(MPI_File_close(&f));
	if (check_size > 1)
		FAILS(MPI_ERR_NOT_SAME, "the hint cb_nodes is 1 on rank 0 and 2 on rank 1",
			MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, info, &f));
	OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
	const char *path;
	MPI_Info info;
	MPI_File f;

	check_init(&argc, &argv);
	path = file_name("hints");
	f = file_new(MPI_COMM_WORLD, file_name("chosen"));
	expect(atoi(file_hint(f, "cb_nodes")) >= 1 && atoi(file_hint(f, "cb_nodes")) <= check_size);
	expect(strcmp(file_hint(f, "striping_unit"), "") == 0); /* none is used */
	OK(MPI_File_close(&f));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_nodes", " 1 "));
	OK(MPI_Info_set(info, "romio_cb_write", "enable"));
	OK(MPI_Info_set(info, "romio_ds_read", "sometimes"));
	OK(MPI_Info_set(info, "no_such_hint", "7"));
	OK(MPI_Info_set(info, "cb_buffer_size", "-4"));
	OK(MPI_Info_set(info, "access_style", "read_once,sequential"));
	OK(MPI_Info_set(info, "file_perm", "640"));
	OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
	expect(strcmp(file_hint(f, "cb_nodes"), "1") == 0);
	expect(strcmp(file_hint(f, "romio_cb_write"), "enable") == 0);
	expect(strcmp(file_hint(f, "romio_ds_read"), "automatic") == 0);
	expect(strcmp(file_hint(f, "no_such_hint"), "") == 0);
	expect(atol(file_hint(f, "cb_buffer_size")) > 0);
	expect(strcmp(file_hint(f, "access_style"), "read_once,sequential") == 0);
	expect(strcmp(file_hint(f, "file_perm"), "640") == 0);
	expect(strcmp(file_hint(f, "filename"), path) == 0);
	expect(strstr(file_hint(f, "mpi_memory_alloc_kinds"), "system") != NULL);
	OK(MPI_Info_free(&info));
	hints_change(f, path);
	file_delete(path);
	MPI_Finalize();
	return check_end();
}
