// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes" time=60 */
/* RUN np=4 env="HAFT_FT=yes HAFT_VIA=net" time=60 */
/* late_messages.c - rank 0 dies, and the others send their parts of all agreements that they keep
 * to rank 1, the next root.  It has dropped these, and freed the communicators: once it kept the
 * messages until MPI_Finalize. */
#include "tests/ft/ft.h"
#include <malloc.h>

#define KEPT    256 /* agreements that a process keeps */
#define MESSAGE 64  /* bytes of heap that each takes, at least */

static void agree_and_free(MPI_Comm of)
{
	MPI_Comm c;
	int flag = 1;

	OK(MPI_Comm_dup(of, &c));
	MPIX_Comm_agree(c, &flag); /* some: a member has failed */
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	int x = 0;
	size_t before;

	ft_init(&argc, &argv);
	for (int i = 0; i < KEPT; i++)
		agree_and_free(MPI_COMM_WORLD);
	for (int i = 0; i < KEPT && check_rank == 1; i++)
		agree_and_free(MPI_COMM_SELF);
	ft_root_dies(MPI_COMM_WORLD);
	before = mallinfo2().uordblks;
	ft_await_failures(1);
	if (check_rank == 1) { /* their messages have come before this one */
		for (int i = 2; i < check_size; i++)
			OK(MPI_Recv(&x, 1, MPI_INT, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(mallinfo2().uordblks < before + KEPT / 2 * MESSAGE);
	} else {
		OK(MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
	}
	MPI_Finalize();
	return check_end();
}
