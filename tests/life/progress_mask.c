// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 env="HAFT_PROGRESS=thread" */
/* RUN np=2 */
/* Long messages arrive while one rank computes, whichever thread reads them, and the threads of the
 * library stay as free as the program: all have its affinity mask. */
#define _GNU_SOURCE
#include "tests/check.h"
#include <dirent.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BYTES  (2 << 20)
#define ROUNDS 20
#define TRIES  1000

/* How many threads of this process have another mask than the calling one. */
static int others(void)
{
	DIR *dir = opendir("/proc/self/task");
	cpu_set_t mine, set;
	int n = 0;

	sched_getaffinity(0, sizeof(mine), &mine);
	for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
		pid_t id = atoi(e->d_name);

		n += id > 0 && sched_getaffinity(id, sizeof(set), &set) == 0 &&
		     !CPU_EQUAL(&set, &mine);
	}
	if (dir != NULL)
		closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	char *in = malloc(BYTES), *out = malloc(BYTES);
	int n, me, tries = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Request r[2];
		int from = (me + n - 1) % n;
		double until = MPI_Wtime() + (me == 0 ? 2e-3 : 0);

		memset(out, 1 + me + i, BYTES);
		expect_ok(MPI_Irecv(in, BYTES, MPI_BYTE, from, 0, MPI_COMM_WORLD, &r[0]));
		expect_ok(MPI_Isend(out, BYTES, MPI_BYTE, (me + 1) % n, 0, MPI_COMM_WORLD, &r[1]));
		while (MPI_Wtime() < until)
			;
		expect_ok(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		expect(in[0] == 1 + from + i && in[BYTES - 1] == 1 + from + i);
		expect(memcmp(in, in + 1, BYTES - 1) == 0);
	}
	while (others() > 0 && ++tries < TRIES) /* one may be about to move */
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	expect(tries < TRIES);
	MPI_Finalize();
	free(in);
	free(out);
	return check_end();
}
