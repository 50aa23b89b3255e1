// SPDX-License-Identifier: BSD-3-Clause
/* host_names.h - names of services that processes of one user on one host can look up.
 *
 *      abstract sockets   haft-name-UID-HASH             the name is taken: binding fails
 *                         haft-name-UID-HASH-PID-FD      where its port is
 *      memfd FD of PID    "service\nport\n"
 *
 * The kernel keeps all of it, and drops it when the process that has published the name ends: no
 * server and no file.  Other users cannot read the memfd. */
#ifndef HAFT_DYN_HOST_NAMES_H
#define HAFT_DYN_HOST_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define DYN_SERVICE_MAX 2048 /* characters of a service's name, which the caller has checked */

/* Publishes a port under a name.  replace: a name that this process has published gets the new
 * port.  0, or MPI_ERR_SERVICE with words. */
int dyn_service_publish(const char *service, const char *port, bool replace);

/* Withdraws a name of this process that leads to this port.  0, or MPI_ERR_SERVICE with words. */
int dyn_service_unpublish(const char *service, const char *port);

/* The port of a name that this process has published: len bytes with its 0.  False: it has not. */
bool dyn_service_mine(const char *service, char *port, size_t len);

/* Finds the port of a name: len bytes with its 0.  0, or MPI_ERR_NAME with words. */
int dyn_service_lookup(const char *service, char *port, size_t len);

/* Withdraws all names of this process. */
void dyn_service_close(void);

#endif
