// SPDX-License-Identifier: BSD-3-Clause
/* node_join.h - ranks that another launcher has started find each other.
 *
 * Under our mpiexec a rank inherits its host's segment.  Here nobody has made one: the ranks of a
 * host elect a maker, and he gives the segment to the others.  Only if there are several hosts (or
 * HAFT_VIA=net) does each rank listen, at an address that the others learn from the launcher. */
#ifndef HAFT_BOOT_NODE_JOIN_H
#define HAFT_BOOT_NODE_JOIN_H

#include <stdint.h>
#include "libmpi/boot/kvs.h"

struct shm_seg;

#define NODE_JOIN_S \
	60 /* longest wait for the others of a host, all of whom have come to the fence */

struct boot_node {
	struct shm_seg *seg; /* of this host; it has a map if ranks are on several, or listen */
	int fd;              /* its memfd, close-on-exec, the caller's */
	int near;            /* this rank's index in it */
	int listen;          /* the socket on which this rank listens, close-on-exec; -1: none */
	uint64_t cookie;     /* of the job: the same in all its ranks; not 0 */
};

/* Blocks until all ranks of the job have called it.  0, or -1 with boot_error_text(). */
int boot_node_join(struct kvs *k, struct boot_node *m);

#endif
