// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* MPI-5.0 2.7, 2.8, 2.10: MPI and the system it runs on. */
#include "tests/check.h"
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

/* MPI-5.0 2.7: each process runs in an address space of its own. */
static int mine = -1;

static void processes(void)
{
	int all[64], sum = 0;
	pid_t pid = getpid(), pids[64];

	CHECK(check_size <= 64);
	mine = check_rank;
	OK(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
	OK(MPI_Allgather(&pid, sizeof(pid), MPI_BYTE, pids, sizeof(pid), MPI_BYTE, MPI_COMM_WORLD));
	for (int i = 0; i < check_size; i++) {
		CHECK(all[i] == i);
		for (int k = 0; k < i; k++)
			CHECK(pids[i] != pids[k]);
	}
	OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == check_size * (check_size - 1) / 2 && mine == check_rank);
}

/* MPI-5.0 2.8: an erroneous receive does not write behind its buffer, and MPI goes on working. */
static void signal_errors(void)
{
	int in[4] = {-1, -1, -1, -1}, out[3] = {1, 2, 3}, sum = 0, one = 1;

	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	CHECK(MPI_Sendrecv(out, 3, MPI_INT, 0, 0, in, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
		      MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
	CHECK(in[1] == -1 && in[2] == -1 && in[3] == -1);
	OK(MPI_Sendrecv(
		out, 3, MPI_INT, 0, 0, in, 3, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	CHECK(in[2] == 3);
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == check_size);
}

/* MPI-5.0 2.10.1: one process prints, allocates and reads files while others are in MPI: the
 * language's routines need no other process. */
static void language(void)
{
	char line[64] = "";
	FILE *f;

	if (check_rank == 0) {
		f = tmpfile();
		CHECK(f != NULL && fprintf(f, "%d lines\n", 7) > 0);
		rewind(f);
		CHECK(fgets(line, sizeof(line), f) != NULL && strcmp(line, "7 lines\n") == 0);
		fclose(f);
		for (int i = 0; i < 1000; i++)
			free(malloc((size_t)i * 100));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* MPI-5.0 2.10.2: signals of the program's own are delivered to it, also inside of MPI's calls,
 * which go on. */
static volatile sig_atomic_t ticks;

static void on_tick(int sig)
{
	(void)sig;
	ticks++;
}

static void signals(void)
{
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	struct sigaction act = {.sa_handler = on_tick}, old;
	int sum = 0;
	double end = MPI_Wtime() + 0.2;

	sigaction(SIGALRM, &act, &old); /* without SA_RESTART */
	setitimer(ITIMER_REAL, &often, NULL);
	for (int more = 1; more;) {
		int now = MPI_Wtime() < end || ticks <= 10;

		OK(MPI_Allreduce(&now, &more, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
		OK(MPI_Sendrecv(&now, 1, MPI_INT, (check_rank + 1) % check_size, 0, &sum, 1,
			MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	CHECK(ticks > 10);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	processes();
	signal_errors();
	language();
	signals();
	MPI_Finalize();
	return 0;
}
