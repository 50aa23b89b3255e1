// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 11.9.2, 11.9.3: a closed port, a text that is no port, and a port at which no process
 * accepts are MPI_ERR_PORT, at all members, and soon. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME], other[MPI_MAX_PORT_NAME];
	MPI_Comm c;
	MPI_Info info;
	double t;

	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	t = MPI_Wtime();
	OK(MPI_Open_port(MPI_INFO_NULL, port));
	OK(MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "timeout", "1"));
	FAILS(MPI_ERR_PORT, "accepted", MPI_Comm_connect(port, info, 0, MPI_COMM_WORLD, &c));
	FAILS(MPI_ERR_PORT, "connected", MPI_Comm_accept(port, info, 0, MPI_COMM_WORLD, &c));
	FAILS(MPI_ERR_PORT, "not the name",
		MPI_Comm_connect("haft://a/b", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c));
	FAILS(MPI_ERR_PORT, "not the name",
		MPI_Comm_accept("a port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c));
	FAILS(MPI_ERR_PORT, "not the name", MPI_Close_port(""));
	/* The right place, but not its secret. */
	snprintf(other, sizeof(other), "%s", port);
	other[strlen(other) - 1] = other[strlen(other) - 1] == '0' ? '1' : '0';
	FAILS(MPI_ERR_PORT, "not open in this process", MPI_Close_port(other));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		OK(MPI_Close_port(port));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	FAILS(MPI_ERR_PORT, "closed", MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c));
	FAILS(MPI_ERR_PORT, "not open in this process",
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c));
	OK(MPI_Info_free(&info));
	CHECK(MPI_Wtime() - t < 30);
	MPI_Finalize();
	return check_end();
}
