// SPDX-License-Identifier: BSD-3-Clause
/* name_server.h - mpiexec -name-server: a server of names of services, for jobs of several hosts
 * and of several mpiexecs (MPI-5.0 11.9.4). */
#ifndef HAFT_TOOLS_MPIEXEC_NAME_SERVER_H
#define HAFT_TOOLS_MPIEXEC_NAME_SERVER_H

#include <stdbool.h>

#define NAME_SERVER_OPTION "-name-server"

/* True if the command line asks for a name server: its first word is the option. */
bool name_server_wanted(int argc, char **argv);

/* Prints the address and serves until a signal ends it.  Returns the exit code. */
int name_server_main(int argc, char **argv);

#endif
