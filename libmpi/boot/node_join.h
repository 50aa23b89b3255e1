// SPDX-License-Identifier: BSD-3-Clause
/* node_join.h - the ranks of a node that another launcher has started get one segment.
 *
 * mpiexec makes the segment of a host and hands it down.  Under another launcher the ranks of a
 * node elect a creator, which makes the segment and sends it to the others, the joiners.  If there
 * are several nodes, or with HAFT_VIA=net or ofi-all, each rank also listens, at an address that
 * the others learn from the launcher. */
#ifndef LIBMPI_BOOT_NODE_JOIN_H
#define LIBMPI_BOOT_NODE_JOIN_H

#include <stdint.h>
#include "libmpi/boot/kvs.h"

struct shm_seg;

#define NODE_JOIN_S \
	60 /* longest wait for the others of a node, all of which have passed the fence */

struct boot_node {
	struct shm_seg *seg; /* of this node; it has a map if the ranks listen */
	int fd;              /* its memfd, close-on-exec; the caller's */
	int seat;            /* of this rank */
	int listen;          /* the socket on which this rank listens, close-on-exec; -1: none */
	uint64_t cookie;     /* of the job, equal in all its ranks; not 0 */
};

/* Blocks until all ranks of the job have called it.  0, or -1 with boot_error_text(). */
int boot_node_join(struct kvs *k, struct boot_node *m);

#endif
