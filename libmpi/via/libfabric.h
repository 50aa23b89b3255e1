// SPDX-License-Identifier: BSD-3-Clause
/* libfabric.h - libmpi/via's own: libfabric, as much of it as ofi.c needs, without its names.
 *
 *      ofi.c ──> via_fabric_send, via_fabric_recv      frames: from and to registered slabs
 *                via_fabric_tsend, via_fabric_trecv    large messages, by tags
 *                via_fabric_poll                what has ended; nothing else makes progress
 *
 * One endpoint a process (reliable, no connections to be seen), one queue of completions.  The
 * library is loaded by via_fabric_open and never before: libfabric.so.1.  libfabric.c is the only
 * file that includes its headers; where a system has none of them, libfabric_stub.c takes its place
 * and via_fabric_open fails with words.
 *
 * Functions that return int return 0, FABRIC_AGAIN, or an error of libfabric's, > 0, for
 * via_fabric_error_text. */
#ifndef HAFT_VIA_LIBFABRIC_H
#define HAFT_VIA_LIBFABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FABRIC_AGAIN = -1
}; /* the way is full, or not made yet: nothing was done; poll, call again */

#define FABRIC_NAME_MAX 256 /* bytes of an endpoint's name, the longest of any provider */

/* One operation: the user's memory, libfabric's from the call until via_fabric_poll has given it
 * back. */
struct via_fabric_op {
	void *room[8]; /* first: struct fi_context2 */
	void *mr;      /* the registration that ends with it, or NULL */
	int what;      /* the user's affair */
};

struct via_fabric_event {
	struct via_fabric_op *op;
	size_t len; /* of receives: bytes that came */
	int err;    /* 0, or why it failed; cancelled ones, too */
};

struct via_fabric_options {
	const char *provider; /* "": the first that will do */
	const char *ip;       /* where it listens, if it is one of IP; NULL: anywhere */
	size_t ops;           /* receives, and as many sends, that are under way at a time */
	size_t msg_max;       /* bytes of a message */
	bool fd;              /* via_fabric_fd is wanted; it may cost two system calls a message */
};

/* Opens an endpoint.  False: words (n bytes) say why. */
bool via_fabric_open(const struct via_fabric_options *want, char *words, size_t n);
void via_fabric_close(void);

/* What it is, once it is open: "tcp;ofi_rxm". */
const char *via_fabric_provider(void);

/* The name by which others reach it, into name (FABRIC_NAME_MAX bytes). */
int via_fabric_name(void *name, size_t *len);

/* A name from elsewhere: *addr is what sends go to. */
int via_fabric_peer_add(const void *name, size_t len, uint64_t *addr);

/* The bits that a tag has. */
uint64_t via_fabric_tags(void);

/* Memory for frames, a multiple of 64, until via_fabric_close; *desc is for the two below.  NULL:
 * none. */
void *via_fabric_slab(size_t len, void **desc);

int via_fabric_send(
	struct via_fabric_op *op, uint64_t addr, const void *buf, size_t len, void *desc);
int via_fabric_recv(struct via_fabric_op *op, void *buf, size_t len, void *desc);

/* The same with a tag and any memory. */
int via_fabric_tsend(
	struct via_fabric_op *op, uint64_t addr, uint64_t tag, const void *buf, size_t len);
int via_fabric_trecv(struct via_fabric_op *op, uint64_t tag, void *buf, size_t len);

/* Asks for a receive back: via_fabric_poll gives it. */
void via_fabric_cancel(struct via_fabric_op *op);

/* What has ended, at most max; makes progress. */
int via_fabric_poll(struct via_fabric_event *ev, int max);

/* A descriptor that is readable when via_fabric_poll has something to do, for who has just been
 * told by via_fabric_may_sleep that it has nothing now.  -1: the provider has none. */
int via_fabric_fd(void);
bool via_fabric_may_sleep(void);

const char *via_fabric_error_text(int err);

#endif
