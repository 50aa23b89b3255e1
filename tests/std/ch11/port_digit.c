// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 11.9.2, 11.9.3: a name with a wrong digit is refused while its port is open, and the
 * words say that the name is wrong.  The port goes on. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm c;

	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (check_rank == 0)
		OK(MPI_Open_port(MPI_INFO_NULL, port));
	OK(MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD));
	if (check_rank == 0) {
		OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
		OK(MPI_Close_port(port));
	} else {
		char *last = &port[strlen(port) - 1], right = *last;

		*last = right == '0' ? '1' : '0';
		FAILS(MPI_ERR_PORT, "a digit of the name is wrong",
			MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
		*last = right;
		OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
	}
	OK(MPI_Comm_disconnect(&c));
	MPI_Finalize();
	return check_end();
}
