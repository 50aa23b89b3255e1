// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 11.6, 11.8: several threads spawn at the same time, each over its own communicator, and
 * talk to their children while the others wait for theirs. */
#include "tests/thread/threads.h"

enum { THREADS = 4, ROUNDS = 5, CHILDREN = 2 };

static char *self;
static MPI_Comm own[THREADS];

static void spawn_rounds(int me)
{
	int sum, word;
	MPI_Comm children;

	for (int round = 0; round < ROUNDS; round++) {
		OK(MPI_Comm_spawn(self, MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, own[me],
			&children, MPI_ERRCODES_IGNORE));
		sum = 0;
		for (int i = 0; i < CHILDREN; i++) {
			word = 100 * me + round;
			OK(MPI_Sendrecv_replace(
				&word, 1, MPI_INT, i, 1, i, 1, children, MPI_STATUS_IGNORE));
			sum += word;
		}
		expect_eq(sum, CHILDREN * (100 * me + round + 1));
		OK(MPI_Comm_disconnect(&children));
	}
}

static void thread_child(MPI_Comm parent)
{
	int word;

	OK(MPI_Recv(&word, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE));
	word++;
	OK(MPI_Send(&word, 1, MPI_INT, 0, 1, parent));
	OK(MPI_Comm_disconnect(&parent));
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	threads_init(&argc, &argv);
	OK(MPI_Comm_get_parent(&parent));
	self = argv[0];
	for (int i = 0; i < THREADS && parent == MPI_COMM_NULL; i++)
		OK(MPI_Comm_dup(MPI_COMM_SELF, &own[i]));
	if (parent != MPI_COMM_NULL)
		thread_child(parent);
	else
		threads_run(THREADS, spawn_rounds);
	for (int i = 0; i < THREADS && parent == MPI_COMM_NULL; i++)
		OK(MPI_Comm_free(&own[i]));
	MPI_Finalize();
	return check_end();
}
