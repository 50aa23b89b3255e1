// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 */
/* notice.c - a process waits for one that dies: the error names the dead, and comes soon.  With the
 * argument `host' ranks 2 and 3 are of a host whose proxy is killed, with `slow' of one whose proxy
 * is stopped for a while; `late' is the limit in ms.
 * HAFT_FT is auto: the failure is survived because rank 0 has called MPIX_Comm_ack_failed. */
#include "tests/ft/ft.h"
#include <time.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The notices of this host are late. */
static void stop_proxy(void)
{
	char resume[80];

	snprintf(resume, sizeof(resume), "(sleep 0.3; kill -CONT %d) &", (int)getppid());
	CHECK(kill(getppid(), SIGSTOP) == 0 && system(resume) == 0);
}

/* Rank 3 says when it dies, and dies of itself or with its host. */
static void victim(bool host, bool slow)
{
	double when;
	int x;

	OK(MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (slow)
		stop_proxy();
	when = now_ms();
	OK(MPI_Send(&when, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD));
	if (host)
		kill(getppid(), SIGKILL);
	else
		ft_die();
	for (;;)
		pause();
}

static void observer(bool host, const char *late)
{
	char words[MPI_MAX_ERROR_STRING], want[64];
	double when, ms;
	int x = 0, n, err;

	OK(MPIX_Comm_ack_failed(MPI_COMM_WORLD, 0, &n));
	CHECK(n == 0);
	usleep(20000); /* a launcher of another host learns of it */
	OK(MPI_Send(&x, 1, MPI_INT, 3, 1, MPI_COMM_WORLD));
	OK(MPI_Recv(&when, 1, MPI_DOUBLE, 3, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	err = MPI_Recv(&x, 1, MPI_INT, 3, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	ms = now_ms() - when;
	CHECK(err == MPIX_ERR_PROC_FAILED);
	OK(MPI_Error_string(err, words, &n));
	if (!host) {
		snprintf(want, sizeof(want), "was killed by signal 9 (Killed) at ");
		CHECK(strstr(words, "rank 3 of the job") != NULL && strstr(words, want) != NULL);
	}
	printf("noticed after %.2f ms: %s\n", ms, words);
	if (late != NULL && ms > atof(late))
		MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	bool host = argc > 1 && strcmp(argv[1], "host") == 0;
	bool slow = argc > 1 && strcmp(argv[1], "slow") == 0;
	MPI_Comm c;
	int n;

	ft_init(&argc, &argv);
	if (check_rank == 3)
		victim(host, slow);
	if (check_rank == 0)
		observer(host, argc > 2 ? argv[2] : NULL);
	if (host && check_rank == 2)
		for (;;)
			pause();
	OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &c));
	MPI_Comm_size(c, &n);
	CHECK(n == (host ? 2 : 3));
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return check_end();
}
