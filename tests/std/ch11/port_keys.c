// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 11.9.5, 11.9.1: MPI_Open_port listens at the ip_address and ip_port of its info, and the
 * name that it returns serves to connect. */
#include "tests/check.h"

/* The number of the TCP port in the name of a port. */
static int key_number(const char *port)
{
	const char *at = strstr(port, "tcp:127.0.0.1:");

	return at != NULL ? atoi(at + strlen("tcp:127.0.0.1:")) : -1;
}

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME], number[16];
	MPI_Info info;
	int chosen;

	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "ip_address", "127.0.0.1"));
	OK(MPI_Open_port(info, port));
	chosen = key_number(port);
	expect(chosen > 0);
	OK(MPI_Close_port(port));
	snprintf(number, sizeof(number), "%d", chosen);
	OK(MPI_Info_set(info, "ip_port", number));
	OK(MPI_Open_port(info, port));
	expect_eq(key_number(port), chosen);
	OK(MPI_Close_port(port));
	OK(MPI_Info_set(info, "ip_port", "70000"));
	FAILS(MPI_ERR_INFO_VALUE, "70000", MPI_Open_port(info, port));
	OK(MPI_Info_set(info, "ip_port", "http"));
	FAILS(MPI_ERR_INFO_VALUE, "http", MPI_Open_port(info, port));
	OK(MPI_Info_set(info, "ip_port", "0"));
	OK(MPI_Info_set(info, "ip_address", "192.0.2.1"));
	FAILS(MPI_ERR_PORT, "192.0.2.1", MPI_Open_port(info, port));
	OK(MPI_Info_free(&info));
	MPI_Finalize();
	return check_end();
}
