// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1,2 env="SENDS=parent|child" */
/* RUN np=0,1,2 env="HAFT_VIA=net SENDS=parent|child" */
/* MPI-5.0 11.2.2: MPI_Finalize completes the sends to connected processes, also long ones whose
 * requests were freed and buffered ones: the receiver is late, and still gets them. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG (4 << 20)

static char *freed, *buffered, *synced, *room; /* until MPI_Finalize */

static void send_all(MPI_Comm c)
{
	int bytes = LONG + MPI_BSEND_OVERHEAD;
	MPI_Request r;

	freed = malloc(LONG);
	buffered = malloc(LONG);
	synced = malloc(LONG);
	room = malloc((size_t)bytes);
	memset(freed, 1, LONG);
	memset(buffered, 2, LONG);
	OK(MPI_Isend(freed, LONG, MPI_CHAR, 0, 1, c, &r));
	OK(MPI_Request_free(&r));
	OK(MPI_Buffer_attach(room, bytes));
	OK(MPI_Bsend(buffered, LONG, MPI_CHAR, 0, 2, c));
	synced[0] = 3;
	OK(MPI_Issend(synced, 1, MPI_CHAR, 0, 3, c, &r));
	OK(MPI_Request_free(&r));
}

static void receive_all(MPI_Comm c)
{
	char *in = malloc(LONG);

	usleep(300000);
	for (int tag = 3; tag > 0; tag--) {
		OK(MPI_Recv(in, LONG, MPI_CHAR, 0, tag, c, MPI_STATUS_IGNORE));
		CHECK(in[0] == tag && (tag == 3 || in[LONG - 1] == tag));
	}
	free(in);
}

int main(int argc, char **argv)
{
	const char *sends = getenv("SENDS");
	MPI_Comm c;
	bool child;

	check_init(&argc, &argv);
	CHECK(sends != NULL);
	OK(MPI_Comm_get_parent(&c));
	child = c != MPI_COMM_NULL;
	if (!child)
		OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c,
			MPI_ERRCODES_IGNORE));
	if (check_rank == 0 && child == (strcmp(sends, "child") == 0))
		send_all(c);
	else if (check_rank == 0)
		receive_all(c);
	MPI_Finalize();
	free(freed);
	free(buffered);
	free(synced);
	free(room);
	return 0;
}
