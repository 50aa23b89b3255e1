// SPDX-License-Identifier: BSD-3-Clause
/* request.h - the life of a request: made, filled, finished, reported, freed.
 *
 *     p2p_req_alloc ──> p2p_req_fill ──> an engine starts it ──> p2p_req_finish
 *                                                                      │
 *               user has the handle: MPI_Wait: p2p_req_report, p2p_req_free
 *               no handle any more (orphan): ops->over, and the memory goes at once
 *
 * A blocking call has its request on the stack: no handle, no references held.
 *
 * A request may be a part of another (`whole'): the send of MPI_Isendrecv, a range of a partitioned
 * operation.  The whole is done when all of them are (`open_parts'). */
#ifndef HAFT_P2P_REQUEST_H
#define HAFT_P2P_REQUEST_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/type/type.h"
#include <mpi.h>
#include <string.h>

/* A request with a handle, zero behind its header; NULL: no memory. */
struct req *p2p_req_alloc(void);

/* Likewise, and it holds a datatype and a communicator. */
struct req *p2p_req_new_message(struct type *type, struct comm *c);

/* MPI_ERR_NO_MEM with words: there is no memory for a request. */
int p2p_req_no_memory(void);

/* Makes *r the finished request of an operation with MPI_PROC_NULL. */
void p2p_req_proc_null(struct req *r);

/* A message to send or to receive: count elements at buf, to or from a peer, which may be
 * MPI_ANY_SOURCE or MPI_PROC_NULL. */
struct p2p_message {
	const void *buf; /* a receive writes it */
	int64_t count;
	struct type *type;
	int peer, tag;
};

/* Fills a request for a send or receive (kind) of a message, with context id and plane ctx.  0, or
 * an error class with words: the buffer is no memory, or longer than 63 bits can say. */
int p2p_req_fill(
	struct req *r, int kind, const struct p2p_message *m, struct comm *c, uint64_t ctx);

/* *copy is a malloc'ed packed copy of a message, `bytes' long.  0, or MPI_ERR_NO_MEM with words. */
int p2p_req_pack(
	const void *buf, int64_t count, const struct type *type, int64_t bytes, char **copy);

/* Drops r's handle, which no user has.  r goes when its operation is over, and counts as a part of
 * `whole' until then (NULL: of none), which it holds. */
void p2p_req_detach(struct req *r, struct req *whole);

/* Drops what r holds. */
void p2p_req_release(struct req *r);

/* Likewise, and frees its handle and memory. */
void p2p_req_free(struct req *r);

/* The other half of p2p_req_finish. */
void p2p_req_finish_slow(struct req *r);

/* An operation of r is over.  Without a handle r may be gone afterwards. */
static inline void p2p_req_finish(struct req *r)
{
	if (unlikely(!r->pristine &&
		     (r->orphan || r->helped || r->open_parts > 0 || r->whole != NULL)))
		p2p_req_finish_slow(r);
	else
		r->done = true;
}

/* There is nothing to wait for: the null handle, or a persistent request that is not started
 * (MPI-5.0 3.9). */
static inline bool p2p_req_idle(const struct req *r)
{
	return r == NULL || (r->persist && !r->active);
}

/* The object whose error handler gets the errors of a request. */
void *p2p_req_owner(const struct req *r);

/* Writes a finished request's result into a status (or MPI_STATUS_IGNORE), and hands its words to
 * haft_err.  Returns its error class. */
int p2p_req_report(struct req *r, MPI_Status *status);

/* Copies that stand for the user's memory (struct req_copy): p2p_req_copies_take fills them,
 * p2p_req_copies_give writes them back, for the last time of this start if `last'.  Both under the
 * library's lock. */
void p2p_req_copies_take(struct req *r);
void p2p_req_copies_give(struct req *r, bool last);

/* --- inline, for the calls that most programs make most ------------------------------------- */

/* Makes a request that holds nothing yet hold what its operation needs. */
static inline void p2p_req_hold(struct req *r, struct type *type, struct comm *c)
{
	obj_hold(type);
	obj_hold(c);
	r->type = type;
	r->comm = c;
}

static inline int p2p_req_fill_inline(
	struct req *r, int kind, const struct p2p_message *m, struct comm *c, uint64_t ctx)
{
	/* MPI_PROC_NULL, of a persistent request: the buffer will never be used. */
	int64_t count = unlikely(m->peer == MPI_PROC_NULL) ? 0 : m->count;
	int err = type_check(m->buf, count, 1, m->type, "the buffer");

	if (unlikely(err != 0))
		return err;
	r->bytes = count * m->type->size;
	r->kind = (uint8_t)kind;
	r->buf = (char *)(uintptr_t)m->buf;
	r->count = count;
	r->type = m->type;
	r->comm = c;
	r->peer = m->peer;
	r->tag = m->tag;
	r->ctx = ctx;
	return 0;
}

/* Clears a request behind its header; not `all': only the first two lines, as the third is set by a
 * receive, and the rest of a pristine request is zero.  Line by line: for more than 64 bytes the
 * compiler makes a loop, which costs as much as everything else in MPI_Irecv. */
static inline void p2p_req_clear(struct req *r, bool all)
{
	char *p = (char *)r;

	memset(p + sizeof(r->o), 0, CACHE_LINE - sizeof(r->o));
	memset(p + CACHE_LINE, 0, CACHE_LINE);
	if (!all)
		return;
	memset(p + 2 * CACHE_LINE, 0, CACHE_LINE);
	memset(p + 3 * CACHE_LINE, 0, CACHE_LINE);
	memset(p + 4 * CACHE_LINE, 0, sizeof(*r) - 4 * CACHE_LINE);
}

/* Debug builds: is the part of r that was not cleared zero? */
bool p2p_req_is_pristine(const struct req *r);

/* A pristine request, for a message that may come or go in one frame; NULL: no memory. */
static inline struct req *p2p_req_alloc_fast(void)
{
	struct req *r = obj_new(&haft_req_class, NULL);

	if (unlikely(r == NULL))
		return NULL;
	must(!r->pristine || p2p_req_is_pristine(r));
	if (likely(r->pristine))
		p2p_req_clear(r, false);
	else
		p2p_req_clear(r, true);
	r->pristine = true;
	return r;
}

/* Has this request of an array ended as an earlier entry?  Its slot is not used again before the
 * call returns, as only this thread's magazine has it. */
static inline bool p2p_req_ended(const struct req *r)
{
	return r->o.refs == 0;
}

#endif
