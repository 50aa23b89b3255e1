// SPDX-License-Identifier: BSD-3-Clause
/* node_socket.h - the socket on which the ranks of a node get their segment from its creator.
 *
 *   joiner                        creator
 *      |-- struct node_hello ------->|   before the second fence (PMI): one more rank of the node
 *      |<------------ struct grant --|   ORDER_ADDED
 *      |                             |
 *      |<------------ struct grant --|   ORDER_SEGMENT with the descriptor, or ORDER_LISTEN_...
 *      |-- its address, text ------->|   after ORDER_LISTEN_...
 *      |<----- the node's record ----|   to the first rank, which puts it
 *
 * A message is one datagram of SOCK_SEQPACKET.  Both ends check that the other one has the same
 * user id. */
#ifndef HAFT_BOOT_NODE_SOCKET_H
#define HAFT_BOOT_NODE_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NODE_CPUS      2048 /* CPUs that a rank can name */
#define NODE_CPU_WORDS (NODE_CPUS / 64)

struct node_hello {
	uint32_t version;
	int32_t rank;
	uint64_t cpu[NODE_CPU_WORDS]; /* on which it may run */
};

enum grant_order {
	ORDER_ADDED,
	ORDER_SEGMENT,         /* its descriptor comes with the grant */
	ORDER_LISTEN_LOOPBACK, /* listen on the loopback, answer the address, fence, next order */
	ORDER_LISTEN_NETWORK,  /* listen where other hosts reach this one, answer, fence, ... */
};

/* A message of the creator to a joiner. */
struct grant {
	uint32_t version;
	int32_t seat;
	uint32_t order;  /* enum grant_order */
	uint32_t first;  /* 1: the joiner is the first rank of its node */
	uint64_t cookie; /* of the segment */
};

/* Makes the name of the socket of a node: `host' tells nodes in one network namespace apart.
 * Returns its length. */
socklen_t boot_node_name(struct sockaddr_un *a, uint64_t job_secret, const char *host);

/* Connects to the creator, which may have bound its name and not listen yet.  -1 with
 * boot_error_text(). */
int boot_node_connect(const struct sockaddr_un *a, socklen_t len);

/* The pid at the other end of a connection; 0: unknown, or of another user. */
int boot_node_peer(int fd);

/* Waits until fd is readable, at most until `end' by the clock boot_node_ms, which is monotonic and
 * counts milliseconds.  True: it is readable. */
bool boot_node_readable(int fd, uint64_t end);
uint64_t boot_node_ms(void);

/* Sends a grant, with descriptor fd unless that is -1.  False: not sent. */
bool boot_grant_send(int to, struct grant g, int fd);

/* Receives a grant; *fd is its descriptor, the caller's, or -1.  False: nothing, or no grant. */
bool boot_grant_recv(int from, struct grant *g, int *fd);

#endif
