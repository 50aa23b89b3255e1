// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 env="SIBLING=dies|apart|freed" */
/* MPI-5.0 11.10.4: two spawned jobs that have connected by a port are connected, also without
 * their parents: if one dies the other ends, and the parents go on.  After MPI_Comm_disconnect it
 * lives. */
#include "tests/check.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static MPI_Comm spawn_one(char *self, char *what, char *port)
{
	char *words[] = {what, port, NULL};
	MPI_Comm c;

	OK(MPI_Comm_spawn(
		self, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE));
	return c;
}

/* One rank dies; those of the other job wait for a message that only they could send. */
static void killed(MPI_Comm c, bool first)
{
	int n;

	OK(MPI_Barrier(c));
	if (first && check_rank == 1)
		raise(SIGKILL);
	MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sibling_child(MPI_Comm parent, const char *what, char *port)
{
	const char *how = getenv("SIBLING");
	bool first = strcmp(what, "first") == 0;
	MPI_Comm c, dup;
	int go = 0;

	if (first) {
		char mine[MPI_MAX_PORT_NAME] = "";

		if (check_rank == 0)
			OK(MPI_Open_port(MPI_INFO_NULL, mine));
		if (check_rank == 0)
			OK(MPI_Send(mine, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, parent));
		OK(MPI_Comm_disconnect(&parent));
		OK(MPI_Comm_accept(mine, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c));
	} else {
		OK(MPI_Comm_disconnect(&parent));
		OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c));
	}
	if (strcmp(how, "dies") == 0)
		killed(c, first);
	if (strcmp(how, "freed") == 0) { /* a communicator made of it connects as well */
		OK(MPI_Intercomm_merge(c, first, &dup));
		OK(MPI_Comm_disconnect(&c));
		killed(dup, first);
	}
	OK(MPI_Comm_disconnect(&c));
	if (first)
		raise(SIGKILL); /* both ranks; the others go on */
	OK(MPI_Allreduce(MPI_IN_PLACE, &go, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	MPI_Finalize();
	exit(check_end());
}

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm parent, one, two;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_parent(&parent));
	if (parent != MPI_COMM_NULL)
		sibling_child(parent, argv[1], argc > 2 ? argv[2] : port);
	one = spawn_one(argv[0], (char *)(uintptr_t) "first", NULL);
	if (check_rank == 0)
		OK(MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, one, MPI_STATUS_IGNORE));
	OK(MPI_Comm_disconnect(&one));
	two = spawn_one(argv[0], (char *)(uintptr_t) "second", port);
	OK(MPI_Comm_disconnect(&two));
	MPI_Finalize();
	return check_end();
}
