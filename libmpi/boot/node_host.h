// SPDX-License-Identifier: BSD-3-Clause
/* node_host.h - which node this process is on, and its CPUs. */
#ifndef LIBMPI_BOOT_NODE_HOST_H
#define LIBMPI_BOOT_NODE_HOST_H

#include <stdint.h>
#include "libmpi/boot/node_record.h"
#include "libmpi/boot/node_socket.h"

#define NODE_ID 96 /* bytes of the identity of a node, with the final 0 */

struct node_host {
	char id[NODE_ID];     /* equal for processes that can share memory, and for no others */
	char name[NODE_NAME]; /* of the host, for messages */
	uint64_t cpu[NODE_CPU_WORDS];
};

/* A node is a set of processes that can share memory and see each other: one running kernel
 * (boot_id), network namespace (abstract sockets), pid namespace and user.  Host names do not
 * count, as containers choose them freely. */
void boot_node_host(struct node_host *h);

#endif
