// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* RUN np=1 env="HAFT_VIA=net" */
/* MPI-5.0 11.8: processes that were spawned spawn further ones, all at the same time; each level
 * tells its parents how many there are below. */
#include "tests/check.h"

#include <stdlib.h>

enum { DEPTH = 3, FAN = 2 };

/* Spawns FAN processes of the next level.  Returns how many there are below this process. */
static int subtree(char *self, int level)
{
	char word[16], *words[] = {word, NULL};
	int below = 0, n;
	MPI_Comm children;

	if (level == DEPTH)
		return 0;
	snprintf(word, sizeof(word), "%d", level + 1);
	OK(MPI_Comm_spawn(
		self, words, FAN, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE));
	for (int i = 0; i < FAN; i++) {
		OK(MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 1, children, MPI_STATUS_IGNORE));
		below += 1 + n;
	}
	OK(MPI_Comm_disconnect(&children));
	return below;
}

int main(int argc, char **argv)
{
	int level, below, want = 0;
	MPI_Comm parent;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_parent(&parent));
	level = parent == MPI_COMM_NULL ? 0 : atoi(argv[argc - 1]);
	below = subtree(argv[0], level);
	for (int l = level; l < DEPTH; l++)
		want = FAN + FAN * want;
	expect_eq(below, want);
	if (parent != MPI_COMM_NULL) {
		OK(MPI_Send(&below, 1, MPI_INT, 0, 1, parent));
		OK(MPI_Comm_disconnect(&parent));
	}
	MPI_Finalize();
	return check_end();
}
