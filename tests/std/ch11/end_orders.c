// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 env="END_ORDER=pcg|pgc|cpg|cgp|gpc|gcp" */
/* RUN np=1 env="END_ORDER=connected" */
/* RUN np=0 env="END_ORDER=gcp|cgp|connected" */
/* MPI-5.0 11.8.2, 11.10.4: a parent, its child and its grandchild disconnect, and end in any order:
 * each waits until those before it in the order are gone.  Or all finalize while connected. */
#include "tests/check.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROLES = 3 };

static const char roles[] = "pcg";

/* Waits until the processes before `me' in the order have ended. */
static void turn_wait(const char *order, char me, const int pids[ROLES])
{
	for (const char *o = order; *o != me; o++) {
		int pid = pids[strchr(roles, *o) - roles];

		while (kill(pid, 0) == 0 || errno != ESRCH)
			usleep(1000);
	}
}

/* All learn the process ids of all: first up, then down. */
static void pids_learn(int role, MPI_Comm up, MPI_Comm down, int pids[ROLES])
{
	if (down != MPI_COMM_NULL)
		OK(MPI_Recv(pids, ROLES, MPI_INT, 0, 1, down, MPI_STATUS_IGNORE));
	pids[role] = (int)getpid();
	if (up != MPI_COMM_NULL) {
		OK(MPI_Send(pids, ROLES, MPI_INT, 0, 1, up));
		OK(MPI_Recv(pids, ROLES, MPI_INT, 0, 2, up, MPI_STATUS_IGNORE));
	}
	if (down != MPI_COMM_NULL)
		OK(MPI_Send(pids, ROLES, MPI_INT, 0, 2, down));
}

int main(int argc, char **argv)
{
	const char *order = getenv("END_ORDER");
	MPI_Comm up, down = MPI_COMM_NULL;
	int role, pids[ROLES] = {0};
	char *deeper[] = {"1", NULL};

	check_init(&argc, &argv);
	CHECK(order != NULL);
	OK(MPI_Comm_get_parent(&up));
	role = up == MPI_COMM_NULL ? 0 : atoi(argv[argc - 1]);
	deeper[0] = role == 0 ? "1" : "2";
	if (role < ROLES - 1)
		OK(MPI_Comm_spawn(argv[0], deeper, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &down,
			MPI_ERRCODES_IGNORE));
	pids_learn(role, up, down, pids);
	if (strcmp(order, "connected") != 0) {
		if (down != MPI_COMM_NULL)
			OK(MPI_Comm_disconnect(&down));
		if (up != MPI_COMM_NULL)
			OK(MPI_Comm_disconnect(&up));
		turn_wait(order, roles[role], pids);
	}
	MPI_Finalize();
	return check_end();
}
