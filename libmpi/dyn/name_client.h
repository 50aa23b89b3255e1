// SPDX-License-Identifier: BSD-3-Clause
/* name_client.h - names of services at a name server, which is `mpiexec -name-server'
 * (boot/name_protocol.h).
 *
 * address: "haft-names://...", or "file:FILE" with such a line.  The functions make progress while
 * they wait, at most NAME_CLIENT_S seconds.  Names that this process has published last until it
 * withdraws them, or ends. */
#ifndef HAFT_DYN_NAME_CLIENT_H
#define HAFT_DYN_NAME_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

/* Publishes a port.  replace: a name that this process has published gets the new port.  0, or
 * MPI_ERR_SERVICE with words. */
int dyn_server_publish(const char *address, const char *service, const char *port, bool replace);

/* Withdraws a name of this process that leads to this port.  0, or MPI_ERR_SERVICE with words. */
int dyn_server_unpublish(const char *address, const char *service, const char *port);

/* Finds a port: MPI_MAX_PORT_NAME bytes.  0, or MPI_ERR_NAME with words. */
int dyn_server_lookup(const char *address, const char *service, char *port);

/* Withdraws all names of this process. */
void dyn_server_close(void);

#endif
