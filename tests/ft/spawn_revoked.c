// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 env="HAFT_FT=yes|auto" */
/* spawn_revoked.c - rank 1 revokes a communicator and shrinks it, while the others spawn on it.
 * The spawn raises MPIX_ERR_REVOKED and takes no place in the order of agreements: all shrink. */
#include "tests/ft/ft.h"

static void spawn_on_revoked(void)
{
	MPI_Comm c, next, children;
	int revoked = 0;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	if (check_rank == 1)
		OK(MPIX_Comm_revoke(c));
	while (!revoked)
		OK(MPIX_Comm_is_revoked(c, &revoked));
	if (check_rank != 1)
		FAILS(MPIX_ERR_REVOKED, "revoke",
			MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, c,
				&children, MPI_ERRCODES_IGNORE));
	OK(MPIX_Comm_shrink(c, &next));
	OK(MPI_Barrier(next));
	OK(MPI_Comm_free(&next));
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	ft_init(&argc, &argv);
	spawn_on_revoked();
	MPI_Finalize();
	return check_end();
}
