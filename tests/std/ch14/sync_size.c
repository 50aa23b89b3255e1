// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.2.4, 14.2.5, 14.6.1: MPI_File_sync brings a changed size and allocated space to the
 * device. */
#include "tests/failing_disk.h"
#include "tests/std/ch14/file_name.h"

/* Did some member ask for the device since the last call? */
static bool synced(void)
{
	static int before;
	int n = disk[DISK_SYNC].calls, all;

	OK(MPI_Allreduce(&(int){n - before}, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	before = n;
	return all > 0;
}

int main(int argc, char **argv)
{
	MPI_File f;

	check_init(&argc, &argv);
	f = file_new(MPI_COMM_WORLD, file_name("size"));
	OK(MPI_File_sync(f));
	synced();
	OK(MPI_File_set_size(f, 5000));
	OK(MPI_File_sync(f));
	expect(synced());
	OK(MPI_File_preallocate(f, 9000));
	OK(MPI_File_sync(f));
	expect(synced());
	OK(MPI_File_sync(f));
	expect(!synced());
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
