// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 args="16 1" time=600 */
/* RUN np=0 args="4 2" */
/* RUN np=1 env="HAFT_VIA=net" args="3 2" */
/* MPI-5.0 11.6, 11.8: threads of a process spawn at the same time, 64 spawns of four processes at
 * once; each gets its own children, which answer it alone. */
#include "tests/check.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS_MAX 16

static char *self;
static int rounds;

/* A thread's children get its number, and send it back twice. */
static void *spawner(void *arg)
{
	int mine = (int)(intptr_t)arg, got, size;
	char word[16], *words[] = {(char *)(uintptr_t) "child", word, NULL};
	MPI_Comm c;

	for (int i = 0; i < rounds; i++) {
		snprintf(word, sizeof(word), "%d", 1000 * mine + i);
		OK(MPI_Comm_spawn(
			self, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c, MPI_ERRCODES_IGNORE));
		OK(MPI_Comm_remote_size(c, &size));
		expect_eq(size, 1);
		OK(MPI_Recv(&got, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
		expect_eq(got, 1000 * mine + i);
		OK(MPI_Send(&got, 1, MPI_INT, 0, 0, c));
		OK(MPI_Comm_disconnect(&c));
	}
	return NULL;
}

static void concurrent_child(MPI_Comm parent, const char *word)
{
	int mine = atoi(word), back;

	OK(MPI_Send(&mine, 1, MPI_INT, 0, 0, parent));
	OK(MPI_Recv(&back, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE));
	expect_eq(back, mine);
	OK(MPI_Comm_disconnect(&parent));
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS_MAX];
	MPI_Comm parent;
	int level, n;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE && argc == 3);
	MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
	OK(MPI_Comm_get_parent(&parent));
	if (parent != MPI_COMM_NULL) {
		concurrent_child(parent, argv[2]);
	} else {
		self = argv[0];
		n = atoi(argv[1]);
		rounds = atoi(argv[2]);
		CHECK(n <= THREADS_MAX);
		for (int i = 0; i < n; i++)
			CHECK(pthread_create(&t[i], NULL, spawner, (void *)(intptr_t)i) == 0);
		for (int i = 0; i < n; i++)
			CHECK(pthread_join(t[i], NULL) == 0);
	}
	MPI_Finalize();
	return check_end();
}
