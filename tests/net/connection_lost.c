// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=3 env="HAFT_VIA=net" time=60 */
/* MPI-5.0 2.8: connections to one rank break: operations with it fail, with its rank and host in
 * words, those under way and later ones; nothing hangs, and the others go on. */
#include "tests/check.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define LARGE   (1 << 20)
#define BREAKER 2

static char out[LARGE], in[5][LARGE];
static char all[LARGE];

/* Ends every TCP connection of this process, as a cut link would; not the launcher's pipes. */
static void lost_cut(void)
{
	for (int fd = 3; fd < 256; fd++) {
		struct sockaddr_storage peer;
		socklen_t len = sizeof(peer);

		if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
			peer.ss_family == AF_INET)
			shutdown(fd, SHUT_RDWR);
	}
}

static void is_lost(int err)
{
	char words[MPI_MAX_ERROR_STRING];
	int len, class;

	MPI_Error_class(err, &class);
	MPI_Error_string(err, words, &len);
	if (class != MPI_ERR_PROC_ABORTED || strstr(words, "rank 2 of the job, on host ") == NULL) {
		fprintf(stderr, "rank %d: class %d: %s\n", check_rank, class, words);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

static void survive(MPI_Comm two)
{
	MPI_Request r[7];
	MPI_Status s[7];
	int got = check_rank, flag, err;

	/* none of these can end while rank 2 is silent */
	OK(MPI_Irecv(in[0], LARGE, MPI_BYTE, BREAKER, 1, MPI_COMM_WORLD, &r[0]));
	OK(MPI_Irecv(in[1], LARGE, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &r[1]));
	OK(MPI_Issend(out, 8, MPI_BYTE, BREAKER, 3, MPI_COMM_WORLD, &r[2]));
	OK(MPI_Isend(out, LARGE, MPI_BYTE, BREAKER, 4, MPI_COMM_WORLD, &r[3]));
	OK(MPI_Iallreduce(all, in[2], LARGE / 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r[4]));
	OK(MPI_Psend_init(out, 4, 8, MPI_BYTE, BREAKER, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[5]));
	OK(MPI_Precv_init(in[3], 4, 8, MPI_BYTE, BREAKER, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r[6]));
	OK(MPI_Startall(2, &r[5]));
	OK(MPI_Pready_range(0, 3, r[5]));
	OK(MPI_Send(out, 0, MPI_BYTE, BREAKER, 0, MPI_COMM_WORLD)); /* now it may */
	err = MPI_Waitall(7, r, s);
	CHECK(err == MPI_ERR_IN_STATUS);
	for (int i = 0; i < 7; i++)
		if (i != 4)
			CHECK(s[i].MPI_ERROR == MPI_ERR_PROC_ABORTED);
	CHECK(s[4].MPI_ERROR == MPI_ERR_PROC_ABORTED);
	MPI_Request_free(&r[5]);
	MPI_Request_free(&r[6]);

	is_lost(MPI_Send(out, 8, MPI_BYTE, BREAKER, 0, MPI_COMM_WORLD));
	is_lost(MPI_Send(out, LARGE, MPI_BYTE, BREAKER, 0, MPI_COMM_WORLD));
	is_lost(MPI_Recv(in[0], 8, MPI_BYTE, BREAKER, 0, MPI_COMM_WORLD, &s[0]));
	is_lost(MPI_Probe(BREAKER, 0, MPI_COMM_WORLD, &s[0]));
	is_lost(MPI_Iprobe(BREAKER, 0, MPI_COMM_WORLD, &flag, &s[0]));
	is_lost(MPI_Barrier(MPI_COMM_WORLD));

	/* the two of us are as before */
	OK(MPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM, two));
	CHECK(got == 1);
	OK(MPI_Sendrecv(out, LARGE, MPI_BYTE, 1 - check_rank, 9, in[0], LARGE, MPI_BYTE,
		MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &s[0]));
}

int main(int argc, char **argv)
{
	MPI_Request r;
	MPI_Comm two;
	char byte;

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank == BREAKER, 0, &two));
	if (check_rank != BREAKER) {
		survive(two);
	} else {
		for (int i = 0; i < 2; i++)
			OK(MPI_Recv(&byte, 0, MPI_BYTE, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		lost_cut();
		OK(MPI_Iallreduce(all, in[2], LARGE / 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r));
		CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_ERR_PROC_ABORTED);
		CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_ERR_PROC_ABORTED);
		CHECK(MPI_Recv(&byte, 1, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
			MPI_ERR_PROC_ABORTED);
		CHECK(MPI_Recv(&byte, 1, MPI_BYTE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD,
			      MPI_STATUS_IGNORE) == MPI_ERR_PROC_ABORTED);
	}
	MPI_Comm_free(&two);
	OK(MPI_Finalize());
	return 0;
}
