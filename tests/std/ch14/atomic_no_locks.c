// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.6.1, 14.7: a file system without locks has no atomic mode; MPI_File_set_atomicity says
 * so on all members, and the file works on in nonatomic mode. */
#include "tests/check.h"
#include "tests/failing_disk.h"
#include "tests/std/ch14/file_name.h"

int main(int argc, char **argv)
{
	const char *name;
	int flag, word = 5;
	MPI_File f;

	check_init(&argc, &argv);
	name = file_name("no_locks");
	f = file_create(MPI_COMM_WORLD, name, 0);
	if (check_rank == check_size - 1)
		disk_arm(DISK_LOCK, 1, ENOLCK);
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "no locks", MPI_File_set_atomicity(f, 1));
	disk_disarm();
	OK(MPI_File_get_atomicity(f, &flag));
	expect_eq(flag, 0);
	OK(MPI_File_write_at(f, 4 * check_rank, &word, 1, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_set_atomicity(f, 1));
	OK(MPI_File_read_at(f, 4 * check_rank, &word, 1, MPI_INT, MPI_STATUS_IGNORE));
	expect_eq(word, 5);
	OK(MPI_File_close(&f));
	if (check_rank == 0)
		OK(MPI_File_delete(name, MPI_INFO_NULL));
	MPI_Finalize();
	return check_end();
}
