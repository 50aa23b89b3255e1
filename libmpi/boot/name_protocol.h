// SPDX-License-Identifier: BSD-3-Clause
/* name_protocol.h - the protocol between a name server and its clients.
 *
 *      mpiexec -name-server            tools/mpiexec/name_server.c, at an address that it prints:
 *                                      haft-names://HOST/tcp:IP:PORT/SECRET
 *      MPI_Publish_name, _Lookup_name  libmpi/dyn/name_client.c
 *
 *      server   HELLO ──────────>
 *      client   <── struct boot_name_request      signed and masked messages (libnet/handshake.h)
 *      server   struct boot_name_answer ──>       any number of these pairs
 *
 * A name lasts as long as the connection by which it was published. */
#ifndef LIBMPI_BOOT_NAME_PROTOCOL_H
#define LIBMPI_BOOT_NAME_PROTOCOL_H

#include <stdint.h>

#define BOOT_NAMES_PREFIX "haft-names://" /* of an address */
#define BOOT_NAMES_FILE   "file:"         /* of the name of a file whose first line is one */
#define BOOT_NAME_SERVICE 2049            /* bytes of a service's name, with its 0 */
#define BOOT_NAME_PORT    1024            /* bytes of a port's name: MPI_MAX_PORT_NAME */

#define BOOT_NAMES_MAX 65536 /* of a connection: memory of the server */

enum boot_name_command {
	BOOT_NAME_PUBLISH = 1,
	BOOT_NAME_REPLACE,  /* as PUBLISH; a name of this connection gets the new port */
	BOOT_NAME_WITHDRAW, /* if it leads to the port */
	BOOT_NAME_LOOKUP,
};

struct boot_name_request {
	uint32_t command;
	char service[BOOT_NAME_SERVICE];
	char port[BOOT_NAME_PORT];
};

enum boot_name_result {
	BOOT_NAME_OK,
	BOOT_NAME_TAKEN,   /* published already */
	BOOT_NAME_UNKNOWN, /* not published; for WITHDRAW: not by this connection */
	BOOT_NAME_FULL,    /* this connection has BOOT_NAMES_MAX names */
	BOOT_NAME_OTHER,   /* WITHDRAW: the name leads to another port */
};

struct boot_name_answer {
	uint32_t result;           /* enum boot_name_result */
	uint32_t names;            /* of this connection, now */
	char port[BOOT_NAME_PORT]; /* of LOOKUP */
};

#endif
