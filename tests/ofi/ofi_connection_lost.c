// SPDX-License-Identifier: BSD-3-Clause
/* MPI-5.0 2.8: libfabric's connections break and those of sockets do not: the peer is lost all the
 * same, at both ends, in words that name it and libfabric's provider. tests/ofi/tcp_provider.sh
 * runs it.
 */
#include "tests/check.h"

#include <netinet/in.h>
#include <sys/socket.h>

#define FDS    256
#define PORTS  16
#define ROUNDS 1000 /* as a rule it is connected then */
#define PAUSE  0.1  /* s between two cuts */
#define LARGE  (1 << 20)

static char out[LARGE], in[LARGE];

static int port_of(int fd, int (*name)(int, struct sockaddr *, socklen_t *))
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	if (name(fd, (struct sockaddr *)&a, &len) != 0 || a.sin_family != AF_INET)
		return -1;
	return ntohs(a.sin_port);
}

/* Where the launcher has made us listen, and maybe others who have started it: before MPI_Init,
 * libfabric does not. */
static void listeners(int ports[PORTS])
{
	int n = 0;

	memset(ports, -1, PORTS * sizeof(*ports));
	for (int fd = 3; fd < FDS && n < PORTS; fd++) {
		int listens = 0;
		socklen_t len = sizeof(listens);

		if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens &&
			port_of(fd, getsockname) > 0)
			ports[n++] = port_of(fd, getsockname);
	}
}

static bool is_in(const int ports[PORTS], int port)
{
	for (int i = 0; i < PORTS; i++)
		if (ports[i] == port)
			return true;
	return false;
}

/* Ends the connections that are not of these listeners. */
static void ofi_cut(const int mine[PORTS], const int theirs[PORTS])
{
	for (int fd = 3; fd < FDS; fd++) {
		int to = port_of(fd, getpeername);

		if (to >= 0 && !is_in(theirs, to) && !is_in(mine, port_of(fd, getsockname)))
			shutdown(fd, SHUT_RDWR);
	}
}

static void ofi_turn(int other)
{
	OK(MPI_Sendrecv(out, 8, MPI_BYTE, other, 0, in, 8, MPI_BYTE, other, 0, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE));
}

static void is_lost(int err, int other)
{
	char words[MPI_MAX_ERROR_STRING], name[64];
	int len, class;

	MPI_Error_class(err, &class);
	MPI_Error_string(err, words, &len);
	snprintf(name, sizeof(name), "rank %d of the job, on host ", other);
	if (class != MPI_ERR_PROC_ABORTED || strstr(words, name) == NULL ||
		strstr(words, "libfabric's provider ") == NULL) {
		fprintf(stderr, "rank %d: class %d: %s\n", check_rank, class, words);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

/* Cuts whatever there is, and then says something, until that fails: the fabric may be connected
 * later, or once more. */
static void cut_all(const int mine[PORTS], const int theirs[PORTS])
{
	MPI_Request r[2];
	MPI_Status s[2];
	int err = 0;

	OK(MPI_Irecv(in, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r[0]));
	OK(MPI_Isend(out, LARGE, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &r[1]));
	while (err == 0) {
		double end = MPI_Wtime() + PAUSE;

		ofi_cut(mine, theirs);
		while (err == 0 && MPI_Wtime() < end)
			err = MPI_Send(out, 1, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
	}
	is_lost(err, 0);
	CHECK(MPI_Waitall(2, r, s) == MPI_ERR_IN_STATUS);
	CHECK(s[0].MPI_ERROR == MPI_ERR_PROC_ABORTED && s[1].MPI_ERROR == MPI_ERR_PROC_ABORTED);
}

int main(int argc, char **argv)
{
	int mine[PORTS], theirs[PORTS], other;

	listeners(mine);
	check_init(&argc, &argv);
	other = 1 - check_rank;
	CHECK(mine[0] > 0);
	OK(MPI_Sendrecv(mine, PORTS, MPI_INT, other, 0, theirs, PORTS, MPI_INT, other, 0,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	for (int i = 0; i < ROUNDS; i++)
		ofi_turn(other);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	if (check_rank == 0) {
		OK(MPI_Send(out, 1, MPI_BYTE, other, 2, MPI_COMM_WORLD)); /* I only listen now */
		is_lost(MPI_Recv(in, 1, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
			other);
	} else {
		OK(MPI_Recv(in, 1, MPI_BYTE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		cut_all(mine, theirs);
	}
	is_lost(MPI_Send(out, 8, MPI_BYTE, other, 0, MPI_COMM_WORLD), other);
	OK(MPI_Finalize());
	return 0;
}
