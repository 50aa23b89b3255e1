// SPDX-License-Identifier: BSD-3-Clause
/* node_record.h - the texts that ranks put at another launcher, while their nodes form.
 *
 *   rank 0                      "job"              3,SECRET,KEY,NET
 *   first rank of each node     "node0", "node1"   3,LENGTH,NAME,RANKS,ADDRESSES
 *                                                  one text, in as few values as it fits
 *
 *   RANKS      0-3+8-14x2+17           runs; 8-14x2 is 8, 10, 12, 14
 *   ADDRESSES  tcp:10.0.0.2:4711/4712  by the order of the ranks; 4712 is a port of the same host
 *
 * A node of 128 ranks needs one value. */
#ifndef LIBMPI_BOOT_NODE_RECORD_H
#define LIBMPI_BOOT_NODE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/kvs.h"

#define NODE_VERSION 3  /* of the values and of the messages of node_socket.h */
#define NODE_NAME    64 /* bytes of the name of a host, with the final 0 */

/* The value under "job". */
struct job_secret {
	uint64_t name;         /* part of the names of the nodes' sockets */
	uint8_t key[BOOT_KEY]; /* by which ranks prove that they belong to the job */
	bool net;              /* all ranks listen, even on one node: HAFT_VIA=net, ofi-all */
};

/* All nodes of a job, numbered by their first ranks. */
struct node_table {
	int nranks, nhosts;
	int *host_of; /* by rank; -1: not known yet */
	char **addr;  /* by rank; malloc'ed */
	char **names; /* by host; malloc'ed */
};

/* All return 0, or -1 with boot_error_text(). */

/* Rank 0 makes the secrets and puts them; after a fence each rank gets them. */
int boot_job_secret_put(struct kvs *k);
int boot_job_secret_get(struct kvs *k, struct job_secret *s);

/* The record of a node: rank[0 .. n-1] ascend, addr[i] is that of rank[i].  malloc'ed, the
 * caller's; NULL: no memory. */
char *boot_node_record(const char *name, int n, const int *rank, char *const *addr);

/* The first rank of the node puts its record. */
int boot_node_record_put(struct kvs *k, const char *record);

/* After a fence: gets the records of all nodes.  To be freed by boot_node_table_free, after an
 * error too. */
int boot_node_table_get(struct kvs *k, struct node_table *t);
void boot_node_table_free(struct node_table *t);

#endif
