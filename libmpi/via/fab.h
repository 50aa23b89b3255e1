// SPDX-License-Identifier: BSD-3-Clause
/* fab.h - libmpi/via's own: libfabric, as much of it as ofi.c needs, without its names.
 *
 *      ofi.c ──> fab_send, fab_recv      frames: from and to registered slabs
 *                fab_tsend, fab_trecv    large messages, by tags
 *                fab_poll                what has ended; nothing else makes progress
 *
 * One endpoint a process (reliable, no connections to be seen), one queue of completions.  The
 * library is loaded by fab_open and never before: libfabric.so.1.  fab.c is the only file that
 * includes its headers; where a system has none of them, fabno.c takes its place and fab_open fails
 * with words.
 *
 * Functions that return int return 0, FAB_AGAIN, or an error of libfabric's, > 0, for fab_text. */
#ifndef HAFT_VIA_FAB_H
#define HAFT_VIA_FAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAB_AGAIN = -1 }; /* the way is full, or not made yet: nothing was done; poll, call again */

#define FAB_NAME_MAX 256 /* bytes of an endpoint's name, the longest of any provider */

/* One operation: the user's memory, libfabric's from the call until fab_poll has given it back. */
struct fab_op {
	void *room[8]; /* first: struct fi_context2 */
	void *mr;      /* the registration that ends with it, or NULL */
	int what;      /* the user's affair */
};

struct fab_event {
	struct fab_op *op;
	size_t len; /* of receives: bytes that came */
	int err;    /* 0, or why it failed; cancelled ones, too */
};

struct fab_want {
	const char *provider; /* "": the first that will do */
	const char *ip;       /* where it listens, if it is one of IP; NULL: anywhere */
	size_t ops;           /* receives, and as many sends, that are under way at a time */
	size_t msg_max;       /* bytes of a message */
	bool fd;              /* fab_fd is wanted; it may cost two system calls a message */
};

/* Opens an endpoint.  False: words (n bytes) say why. */
bool fab_open(const struct fab_want *want, char *words, size_t n);
void fab_close(void);

/* What it is, once it is open: "tcp;ofi_rxm". */
const char *fab_provider(void);

/* The name by which others reach it, into name (FAB_NAME_MAX bytes). */
int fab_name(void *name, size_t *len);

/* A name from elsewhere: *addr is what sends go to. */
int fab_peer(const void *name, size_t len, uint64_t *addr);

/* The bits that a tag has. */
uint64_t fab_tags(void);

/* Memory for frames, a multiple of 64, until fab_close; *desc is for the two below.  NULL: none. */
void *fab_slab(size_t len, void **desc);

int fab_send(struct fab_op *op, uint64_t addr, const void *buf, size_t len, void *desc);
int fab_recv(struct fab_op *op, void *buf, size_t len, void *desc);

/* The same with a tag and any memory. */
int fab_tsend(struct fab_op *op, uint64_t addr, uint64_t tag, const void *buf, size_t len);
int fab_trecv(struct fab_op *op, uint64_t tag, void *buf, size_t len);

/* Asks for a receive back: fab_poll gives it. */
void fab_cancel(struct fab_op *op);

/* What has ended, at most max; makes progress. */
int fab_poll(struct fab_event *ev, int max);

/* A descriptor that is readable when fab_poll has something to do, for who has just been told by
 * fab_may_sleep that it has nothing now.  -1: the provider has none. */
int fab_fd(void);
bool fab_may_sleep(void);

const char *fab_text(int err);

#endif
