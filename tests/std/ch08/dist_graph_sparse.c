// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=16 env=HAFT_VIA=net */
/* MPI-5.0 8.5.4: MPI_Dist_graph_create of a sparse graph: a process talks to its neighbours and to
 * a logarithmic number of others, not to all.  Seen by its connections, which the first message
 * between two processes opens. */
#include "tests/check.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

static int sockets(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	CHECK(d != NULL);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		char path[300], to[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%s", e->d_name);
		n += readlink(path, to, sizeof(to) - 1) > 0 && strncmp(to, "socket:", 7) == 0;
	}
	closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	int before, one = 1, right, in, out, w[1], source[1], weighted;
	MPI_Comm c;

	check_init(&argc, &argv);
	before = sockets();
	right = (check_rank + 1) % check_size;
	OK(MPI_Dist_graph_create(
		MPI_COMM_WORLD, 1, &check_rank, &one, &right, &check_rank, MPI_INFO_NULL, 0, &c));
	CHECK(sockets() - before < check_size - 4); /* 8 partners at distances 2^k, 2 neighbours */
	OK(MPI_Dist_graph_neighbors_count(c, &in, &out, &weighted));
	CHECK(in == 1 && out == 1 && weighted);
	OK(MPI_Dist_graph_neighbors(c, 1, source, w, 1, &right, MPI_UNWEIGHTED));
	CHECK(source[0] == (check_rank + check_size - 1) % check_size && w[0] == source[0]);
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return 0;
}
