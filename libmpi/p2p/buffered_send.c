// SPDX-License-Identifier: BSD-3-Clause
/* buffered_send.c - buffered sends (MPI-5.0 3.6): messages are copied to memory that the user has
 * attached, and sent from there.
 *
 *     addr [ slot | data ....... ][ free ][ slot | data .. ][ free ............. ] addr + size
 *            └─────── next ────────────────^
 *
 * Slots are in the order of their addresses.  Each is a send of bytes under way; slots that are
 * over are freed when the next one looks for room.  A slot costs less than MPI_BSEND_OVERHEAD,
 * alignment included.  With MPI_BUFFER_AUTOMATIC each slot is malloc'ed.
 *
 * A communicator's own buffer goes before that of its session, and that before the process's.
 *
 * A buffered send to this process itself that has no receive is kept in the unexpected queue, so
 * its slot is free at once.  So a second one succeeds where the model of 3.6 would have no room. */
#include "libmpi/p2p/buffered_send.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/progress.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/send.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>

#define SLOT_ALIGN 16

struct slot {
	struct slot *next;
	struct req *req; /* held */
	int64_t size;    /* of slot and data, a multiple of SLOT_ALIGN */
	int64_t pad;
	char data[];
};
static_assert(sizeof(struct slot) + 2 * SLOT_ALIGN <= MPI_BSEND_OVERHEAD, "what users add for us");

struct buffer {
	char *addr;
	int64_t size; /* as attached */
	bool automatic;
	struct slot *slots;
};

static struct buffer *buffer_of_process;

/* --- slots ---------------------------------------------------------------------------------- */

/* Frees the slots that are over; returns whether none is left. */
static bool buffer_reap(void *arg)
{
	struct buffer *b = arg;
	struct slot **at = &b->slots;

	while (*at != NULL) {
		struct slot *s = *at;

		if (!s->req->done) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		obj_drop(s->req);
		if (b->automatic)
			free(s);
	}
	return b->slots == NULL;
}

static char *buffer_aligned(char *p)
{
	return (char *)(((uintptr_t)p + SLOT_ALIGN - 1) & ~(uintptr_t)(SLOT_ALIGN - 1));
}

/* First gap with room for `size' bytes; NULL: none. */
static struct slot *buffer_slot_new(struct buffer *b, int64_t size)
{
	char *begin = buffer_aligned(b->addr), *end = b->addr + b->size;
	struct slot **at = &b->slots, *s;

	if (b->automatic) {
		s = malloc((size_t)size);
		if (s != NULL)
			s->next = b->slots;
		at = &b->slots;
	} else {
		while (*at != NULL && (char *)*at - begin < size) {
			begin = (char *)*at + (*at)->size;
			at = &(*at)->next;
		}
		s = (*at != NULL || end - begin >= size) ? (struct slot *)(void *)begin : NULL;
		if (s != NULL)
			s->next = *at;
	}
	if (s == NULL)
		return NULL;
	s->size = size;
	*at = s;
	return s;
}

/* --- sending -------------------------------------------------------------------------------- */

static int buffer_no_room(const struct buffer *b, int64_t bytes)
{
	int64_t used = 0;

	for (const struct slot *s = b->slots; s != NULL; s = s->next)
		used += s->size;
	return haft_err(MPI_ERR_BUFFER,
		"a message of %lld bytes needs %lld + %d of the attached buffer, which has %lld, "
		"%lld of them in use",
		(long long)bytes, (long long)bytes, MPI_BSEND_OVERHEAD, (long long)b->size,
		(long long)used);
}

/* The buffer that a communicator's sends use. */
static struct buffer *buffer_for_comm(const struct comm *c)
{
	if (c->buffer != NULL)
		return c->buffer;
	return c->session != NULL && c->session->buffer != NULL ? c->session->buffer
								: buffer_of_process;
}

int p2p_buffer_send(
	const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c)
{
	struct buffer *b = buffer_for_comm(c);
	struct type *byte = type_predefined(MPI_BYTE);
	struct req query = {.state = STATE_NEW};
	struct slot *s = NULL;
	struct req *r;
	int64_t room;
	struct p2p_message m = {buf, count, type, dest, tag};
	int err;

	if (dest == MPI_PROC_NULL)
		return 0;
	if (b == NULL)
		return haft_err(MPI_ERR_BUFFER, "no buffer is attached");
	m.peer = group_peer(comm_peers(c), dest);
	err = p2p_req_fill(&query, REQ_SEND, &m, c, c->ctx);
	if (err != 0)
		return err;
	p2p_progress();
	buffer_reap(b);
	if (!__builtin_add_overflow(query.bytes, (int64_t)sizeof(*s) + SLOT_ALIGN - 1, &room))
		s = buffer_slot_new(b, room & -SLOT_ALIGN);
	if (s == NULL)
		return buffer_no_room(b, query.bytes);
	r = s->req = p2p_req_new_message(byte, c);
	if (r == NULL) {
		s->req = &query; /* counts as over, so that buffer_reap frees the slot */
		query.done = true;
		buffer_reap(b);
		return p2p_req_no_memory();
	}
	type_pack(type, buf, count, 0, s->data, query.bytes);
	m = (struct p2p_message){s->data, query.bytes, byte, m.peer, tag};
	p2p_req_fill(r, REQ_SEND, &m, c, c->ctx);
	r->send.sig = p2p_sig_for_copy(&query);
	obj_hold(r); /* the slot's */
	p2p_send_start_part(r, NULL);
	p2p_req_begun(r);
	return 0;
}

int p2p_bsend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c)
{
	return p2p_buffer_send(buf, count, type, dest, tag, c);
}

int p2p_ibsend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c,
	struct req **request)
{
	struct req *r = p2p_req_new_message(type, c);
	int err;

	if (r == NULL)
		return p2p_req_no_memory();
	err = p2p_buffer_send(buf, count, type, dest, tag, c);
	if (err != 0) {
		p2p_req_free(r);
		return err;
	}
	p2p_req_proc_null(r);
	*request = r;
	return 0;
}

/* --- attaching ------------------------------------------------------------------------------ */

static int buffer_attach(struct buffer **where, void *addr, int64_t size)
{
	struct buffer *b;

	if (*where != NULL)
		return haft_err(MPI_ERR_BUFFER, "a buffer of %lld bytes is attached already",
			(long long)(*where)->size);
	if (addr == NULL && size > 0)
		return haft_err(MPI_ERR_BUFFER, "the buffer is NULL");
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to attach a buffer");
	b->automatic = addr == MPI_BUFFER_AUTOMATIC;
	b->addr = addr;
	b->size = b->automatic ? 0 : size;
	*where = b;
	return 0;
}

/* Waits until all messages are sent.  An automatic buffer is returned as it was attached. */
static int buffer_detach(struct buffer **where, void *addr, int64_t *size)
{
	struct buffer *b = *where;

	if (b == NULL)
		return haft_err(MPI_ERR_BUFFER, "no buffer is attached");
	p2p_wait_until(buffer_reap, b, (struct p2p_about){.req = NULL});
	*(void **)addr = b->addr;
	*size = b->size;
	free(b);
	*where = NULL;
	return 0;
}

/* A communicator goes: its messages are sent, because each of them has held it. */
static void buffer_comm_gone(struct comm *c)
{
	must(buffer_reap(c->buffer));
	free(c->buffer);
	c->buffer = NULL;
}

HAFT_START void p2p_buffer_open(void)
{
	haft_comm_hooks.buffer_destroy = buffer_comm_gone;
}

int64_t p2p_buffer_bytes(const struct comm *c)
{
	const struct buffer *b = c != NULL ? c->buffer : buffer_of_process;

	return b != NULL ? b->size : -1;
}

static int buffer_flush(struct buffer *b)
{
	if (b != NULL)
		p2p_wait_until(buffer_reap, b, (struct p2p_about){.req = NULL});
	return 0;
}

/* The end of the chain of wholes that r is a part of. */
static struct req *buffer_last_whole(struct req *r)
{
	while (r->whole != NULL)
		r = r->whole;
	return r;
}

/* Makes a request of which all sends under way become parts.  A send that is a part of an earlier
 * one makes that one a part. */
static int buffer_iflush(struct buffer *b, struct comm *c, struct req **request)
{
	struct req *f = p2p_req_new_message(type_predefined(MPI_BYTE), c);

	if (f == NULL)
		return p2p_req_no_memory();
	p2p_req_proc_null(f);
	f->res.source = MPI_ANY_SOURCE;
	for (struct slot *s = b != NULL && !buffer_reap(b) ? b->slots : NULL; s != NULL;
		s = s->next) {
		struct req *last = buffer_last_whole(s->req);

		if (last == f)
			continue;
		obj_hold(f);
		last->whole = f;
		if (f->done)
			f->done = false;
		else
			f->open_parts++;
	}
	*request = f;
	return 0;
}

int p2p_buffer_attach(void *addr, int64_t size)
{
	return buffer_attach(&buffer_of_process, addr, size);
}

int p2p_buffer_detach(void *addr, int64_t *size)
{
	return buffer_detach(&buffer_of_process, addr, size);
}

int p2p_buffer_flush(void)
{
	return buffer_flush(buffer_of_process);
}

int p2p_buffer_iflush(struct req **request)
{
	return buffer_iflush(buffer_of_process, &haft_world, request);
}

int p2p_comm_attach_buffer(struct comm *c, void *addr, int64_t size)
{
	return buffer_attach(&c->buffer, addr, size);
}

int p2p_comm_detach_buffer(struct comm *c, void *addr, int64_t *size)
{
	return buffer_detach(&c->buffer, addr, size);
}

int p2p_comm_flush_buffer(struct comm *c)
{
	return buffer_flush(c->buffer);
}

int p2p_comm_iflush_buffer(struct comm *c, struct req **request)
{
	return buffer_iflush(c->buffer, c, request);
}

int p2p_session_attach_buffer(struct session *s, void *addr, int64_t size)
{
	return buffer_attach(&s->buffer, addr, size);
}

int p2p_session_detach_buffer(struct session *s, void *addr, int64_t *size)
{
	return buffer_detach(&s->buffer, addr, size);
}

int p2p_session_flush_buffer(struct session *s)
{
	return buffer_flush(s->buffer);
}

int p2p_session_iflush_buffer(struct session *s, struct req **request)
{
	return buffer_iflush(s->buffer, &haft_world, request);
}

void p2p_session_end(struct session *s)
{
	void *addr;
	int64_t size;

	if (s->buffer != NULL)
		buffer_detach(&s->buffer, &addr, &size);
}
