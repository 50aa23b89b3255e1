// SPDX-License-Identifier: BSD-3-Clause
/* libfabric.h - libmpi/via's own: the calls of libfabric that ofi.c needs, without its names.
 *
 *      ofi.c ──> via_fabric_send, via_fabric_recv      frames: from and to registered slabs
 *                via_fabric_tsend, via_fabric_trecv    large messages, by tags
 *                via_fabric_poll                       completions; nothing else makes progress
 *
 * One endpoint a process, reliable and connectionless, and one completion queue.  via_fabric_open
 * loads libfabric.so.1, which is never loaded without it.  Only libfabric.c includes the library's
 * headers.  A build without them has libfabric_stub.c, whose via_fabric_open fails with words.
 *
 * Functions that return int return 0, FABRIC_AGAIN, or an error of libfabric, > 0, for
 * via_fabric_error_text. */
#ifndef HAFT_VIA_LIBFABRIC_H
#define HAFT_VIA_LIBFABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FABRIC_AGAIN = -1 }; /* the queue is full, or not connected yet: poll, then try again */

#define FABRIC_NAME_MAX 256 /* bytes of an endpoint's name, the longest of any provider */

/* One operation.  The caller's memory, which libfabric uses until via_fabric_poll returns it. */
struct via_fabric_op {
	void *room[8]; /* first: struct fi_context2 */
	void *mr;      /* the registration that ends with it, or NULL */
	int what;      /* for the caller */
};

struct via_fabric_event {
	struct via_fabric_op *op;
	size_t len; /* of receives: bytes received */
	int err;    /* 0, or the error; a cancelled receive has one, too */
};

struct via_fabric_options {
	const char *provider; /* "": the first one that fits */
	const char *ip;       /* where a provider of IP listens; NULL: anywhere */
	size_t ops;           /* receives at a time, and as many sends */
	size_t msg_max;       /* bytes of a message */
	bool fd;              /* via_fabric_fd is wanted; it may cost two system calls a message */
};

/* Opens an endpoint.  False: words (n bytes) say why. */
bool via_fabric_open(const struct via_fabric_options *want, char *words, size_t n);
void via_fabric_close(void);

/* The provider in use: "tcp;ofi_rxm", for example. */
const char *via_fabric_provider(void);

/* Copies the name of this endpoint, for other processes, into name (FABRIC_NAME_MAX bytes). */
int via_fabric_name(void *name, size_t *len);

/* Adds the endpoint of another process by its name; *addr is the target for sends. */
int via_fabric_peer_add(const void *name, size_t len, uint64_t *addr);

/* The bits of a tag that may be used. */
uint64_t via_fabric_tags(void);

/* Allocates len bytes for frames, a multiple of 64, until via_fabric_close; *desc is an argument of
 * the two functions below.  NULL: no memory. */
void *via_fabric_slab(size_t len, void **desc);

/* Starts a send from, or a receive into, a buffer of a slab.  0, FABRIC_AGAIN, or an error. */
int via_fabric_send(
	struct via_fabric_op *op, uint64_t addr, const void *buf, size_t len, void *desc);
int via_fabric_recv(struct via_fabric_op *op, void *buf, size_t len, void *desc);

/* Send and receive with a tag, from and to any memory. */
int via_fabric_tsend(
	struct via_fabric_op *op, uint64_t addr, uint64_t tag, const void *buf, size_t len);
int via_fabric_trecv(struct via_fabric_op *op, uint64_t tag, void *buf, size_t len);

/* Cancels a receive: via_fabric_poll returns it. */
void via_fabric_cancel(struct via_fabric_op *op);

/* Makes progress.  Returns the number of completions in ev, at most max. */
int via_fabric_poll(struct via_fabric_event *ev, int max);

/* A descriptor that becomes readable when via_fabric_poll has something to do.  -1: the provider
 * has none.  Valid for one sleep after via_fabric_may_sleep has returned true. */
int via_fabric_fd(void);
bool via_fabric_may_sleep(void);

/* libfabric's words for an error code; static. */
const char *via_fabric_error_text(int err);

#endif
