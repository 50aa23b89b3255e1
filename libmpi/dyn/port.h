// SPDX-License-Identifier: BSD-3-Clause
/* port.h - ports: names at which other jobs connect (MPI-5.0 11.9.2).
 *
 *      haft://node7/tcp:10.0.0.2:41234,unix:haft-port-5f0c2d1e9a3b4c5d/0123..cdef
 *             host  addresses at which the port's process listens       secret, 128 bits
 *
 * The name is all that a client needs, and proves that it may connect: it cannot be guessed.  The
 * port is the listening sockets, so it ends with them: by MPI_Close_port, or with its process. */
#ifndef HAFT_DYN_PORT_H
#define HAFT_DYN_PORT_H

#include "libmpi/core/info_object.h"
#include "libnet/net.h"
#include <mpi.h>

struct port_client;

#define PORT_ADDRS 2 /* TCP, and a UNIX socket */

/* A port of this process. */
struct dyn_port {
	struct dyn_port *next;
	char name[MPI_MAX_PORT_NAME];
	uint8_t secret[NET_KEY_LEN];
	int fd[PORT_ADDRS];
	int nfd;
	int users; /* accepts under way, each in a thread */
	int nclients;
	struct port_client *clients; /* that wait: port_clients.h */
	bool closed;                 /* by MPI_Close_port; freed by the last user */
};

/* A port's name, taken apart. */
struct dyn_port_name {
	char host[MPI_MAX_PORT_NAME];
	char addr[PORT_ADDRS][NET_ADDR_LEN]; /* in the order in which to try them */
	int naddr;
	uint8_t secret[NET_KEY_LEN];
};

/* Opens a port; info may be NULL.  name has MPI_MAX_PORT_NAME bytes.  0, or MPI_ERR_PORT or another
 * class with words. */
int dyn_port_open(struct info *info, char *name);

/* Closes it: clients that wait there, and later ones, are refused.  0, or MPI_ERR_PORT with
 * words. */
int dyn_port_close(const char *name);

/* Closes all ports of this process. */
void dyn_port_close_all(void);

/* The port of this process with that name, used from now on: dyn_port_drop.  NULL: MPI_ERR_PORT,
 * with words. */
struct dyn_port *dyn_port_use(const char *name);
void dyn_port_drop(struct dyn_port *p);

/* Has each open port listeners, and the secret of its name?  (core/valid.h) */
bool dyn_ports_valid(void);

/* Reads a text of the form of a port's name, but for its first characters.  False: it is none. */
bool dyn_port_read(const char *prefix, const char *name, struct dyn_port_name *p);

/* Reads a name.  0, or MPI_ERR_PORT with words. */
int dyn_port_parse(const char *name, struct dyn_port_name *p);

#endif
