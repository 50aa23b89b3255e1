// SPDX-License-Identifier: BSD-3-Clause
/* node_members.h - the creator's list of the ranks of its node, and its messages to them.
 *
 * Only the ranks themselves know how many of them share a node.  So a thread of the creator takes
 * the hello of each, while all ranks of the job wait in a fence: behind it there are no more. */
#ifndef LIBMPI_BOOT_NODE_MEMBERS_H
#define LIBMPI_BOOT_NODE_MEMBERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "libmpi/boot/node_socket.h"

struct node_member {
	int rank, pid;
	int fd;     /* its connection; -1: it is this process */
	char *addr; /* where it listens; NULL: it does not */
};

struct node_members {
	struct node_member *v; /* ascending ranks, by seat, after boot_members_end */
	int n;
	uint64_t cpu[NODE_CPU_WORDS]; /* of all of them */
	int listener, stop;           /* stop: an eventfd, readable: the thread is to end */
	bool no_memory;
	pthread_t thread;
};

/* Functions that return int return 0, or -1 with boot_error_text(). */

/* Adds this process as `rank', and takes hellos at `listener' from now on. */
int boot_members_begin(
	struct node_members *m, int listener, int rank, const uint64_t cpu[NODE_CPU_WORDS]);

/* After the fence: there are no more members. */
int boot_members_end(struct node_members *m);

/* Sends an order to each other member, with the descriptor `segment' unless that is -1.  After
 * ORDER_LISTEN_... receives their addresses. */
int boot_members_order(struct node_members *m, struct grant g, int segment);

/* Sends a text to the first member, which is not this process. */
int boot_members_tell(struct node_members *m, const char *text);

/* Frees the list, and closes the connections to all members. */
void boot_members_free(struct node_members *m);

#endif
