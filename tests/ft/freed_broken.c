// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes HAFT_COLL=auto|p2p" args="revoked|dead" time=60 */
/* RUN np=4 env="HAFT_FT=yes HAFT_VIA=net" args="revoked|dead" time=60 */
/* freed_broken.c - communicators, windows and files that are revoked, or lack a member, are freed
 * without an error.  A file that was to get its name or to be deleted by the close raises it. */
#include "tests/ft/ft.h"
#include "tests/std/ch14/file_name.h"

#define DEAD 3

static MPI_Comm comm[2];
static MPI_Win win[2];
static MPI_File file[3];

static void make(void)
{
	MPI_Info commit;
	int *base;

	for (int i = 0; i < 2; i++)
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]));
	OK(MPI_Win_allocate(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win[0]));
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win[1]));
	OK(MPI_Info_create(&commit));
	OK(MPI_Info_set(commit, "haft_commit", "replace"));
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("plain"), MPI_MODE_RDWR | MPI_MODE_CREATE,
		MPI_INFO_NULL, &file[0]));
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("delete"),
		MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		&file[1]));
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("commit"), MPI_MODE_RDWR | MPI_MODE_CREATE,
		commit, &file[2]));
	OK(MPI_Info_free(&commit));
	for (int i = 0; i < 3; i++)
		OK(MPI_File_write_at_all(
			file[i], check_rank * 4, &check_rank, 1, MPI_INT, MPI_STATUS_IGNORE));
}

static void revoke_all(void)
{
	for (int i = 0; i < 2; i++)
		OK(MPIX_Comm_revoke(comm[i]));
	for (int i = 0; i < 2; i++)
		OK(MPIX_Win_revoke(win[i]));
	for (int i = 0; i < 3; i++)
		OK(MPIX_File_revoke(file[i]));
}

int main(int argc, char **argv)
{
	int class, flag = 1;

	ft_init(&argc, &argv);
	make();
	OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
	class = argv[1][0] == 'r' ? MPIX_ERR_REVOKED : MPIX_ERR_PROC_FAILED;
	if (argv[1][0] == 'd' && check_rank == DEAD)
		ft_die();
	if (argv[1][0] == 'd')
		ft_await_failures(1);
	else
		revoke_all();
	OK(MPI_Comm_free(&comm[0]));
	OK(MPI_Comm_disconnect(&comm[1]));
	OK(MPI_Win_free(&win[0]));
	OK(MPI_Win_free(&win[1]));
	OK(MPI_File_close(&file[0]));
	FAILS(class, "", MPI_File_close(&file[1]));
	FAILS(class, "not committed", MPI_File_close(&file[2]));
	for (int i = 0; i < 3; i++)
		CHECK(file[i] == MPI_FILE_NULL);
	MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
	if (check_rank == 0)
		OK(MPI_File_delete(file_name("plain"), MPI_INFO_NULL));
	MPI_Finalize();
	return check_end();
}
