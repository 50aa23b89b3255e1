// SPDX-License-Identifier: BSD-3-Clause
/* buffer.c - buffered sends (MPI-5.0 3.6): memory of the user's that holds messages until they are
 * out.
 *
 *     addr [ slot | data ....... ][ free ][ slot | data .. ][ free ............. ] addr + size
 *            └─────── next ────────────────^
 *
 * Slots lie in the order of their addresses and each is a send of bytes under way; those that are
 * over are taken out when room is looked for.  A slot costs less than MPI_BSEND_OVERHEAD, alignment
 * included.  With MPI_BUFFER_AUTOMATIC each slot is malloc'ed instead.  A communicator's own buffer
 * is used before that of its session, and that before the one of the process. */
#include "libmpi/p2p/inner.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/note.h"
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

static struct buffer *process;

/* --- slots ---------------------------------------------------------------------------------- */

/* Takes out what is over; returns whether nothing is left. */
static bool clean(void *arg)
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

static char *aligned(char *p)
{
	return (char *)(((uintptr_t)p + SLOT_ALIGN - 1) & ~(uintptr_t)(SLOT_ALIGN - 1));
}

/* First gap with room for `size' bytes; NULL: none. */
static struct slot *slot_new(struct buffer *b, int64_t size)
{
	char *begin = aligned(b->addr), *end = b->addr + b->size;
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

static int no_room(const struct buffer *b, int64_t bytes)
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

/* The communicator's, else that of the session it comes from, else that of the process. */
static struct buffer *buffer_of(const struct comm *c)
{
	if (c->buffer != NULL)
		return c->buffer;
	return c->session != NULL && c->session->buffer != NULL ? c->session->buffer : process;
}

int buffer_send(
	const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c)
{
	struct buffer *b = buffer_of(c);
	struct type *byte = type_predefined(MPI_BYTE);
	struct req look = {.state = STATE_NEW};
	struct slot *s = NULL;
	struct req *r;
	int64_t room;
	int err, peer;

	if (dest == MPI_PROC_NULL)
		return 0;
	if (b == NULL)
		return haft_err(MPI_ERR_BUFFER, "no buffer is attached");
	peer = group_peer(comm_peers(c), dest);
	err = req_fill(&look, REQ_SEND, buf, count, type, peer, tag, c, c->ctx);
	if (err != 0)
		return err;
	p2p_progress();
	clean(b);
	if (!__builtin_add_overflow(look.bytes, (int64_t)sizeof(*s) + SLOT_ALIGN - 1, &room))
		s = slot_new(b, room & -SLOT_ALIGN);
	if (s == NULL)
		return no_room(b, look.bytes);
	r = s->req = req_new(byte, c);
	if (r == NULL) {
		s->req = &look; /* counts as over: the slot goes with the next look */
		look.done = true;
		clean(b);
		return no_request();
	}
	type_pack(type, buf, count, 0, s->data, look.bytes);
	req_fill(r, REQ_SEND, s->data, look.bytes, byte, peer, tag, c, c->ctx);
	r->note = note_for_copy(&look);
	obj_hold(r); /* the slot's */
	req_start_part(r, NULL);
	return 0;
}

int p2p_bsend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c)
{
	return buffer_send(buf, count, type, dest, tag, c);
}

int p2p_ibsend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c,
	struct req **request)
{
	struct req *r = req_new(type, c);
	int err;

	if (r == NULL)
		return no_request();
	err = buffer_send(buf, count, type, dest, tag, c);
	if (err != 0) {
		req_free(r);
		return err;
	}
	req_nobody(r);
	*request = r;
	return 0;
}

/* --- attaching ------------------------------------------------------------------------------ */

static int attach(struct buffer **where, void *addr, int64_t size)
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

/* Waits until all is out.  An automatic buffer is given back as it was attached. */
static int detach(struct buffer **where, void *addr, int64_t *size)
{
	struct buffer *b = *where;

	if (b == NULL)
		return haft_err(MPI_ERR_BUFFER, "no buffer is attached");
	wait_until(clean, b, (struct p2p_about){.req = NULL});
	*(void **)addr = b->addr;
	*size = b->size;
	free(b);
	*where = NULL;
	return 0;
}

/* A communicator goes: its messages are out, because each of them has held it. */
static void gone(struct comm *c)
{
	if (c->buffer == NULL)
		return;
	must(clean(c->buffer));
	free(c->buffer);
	c->buffer = NULL;
}

void buffer_open(void)
{
	haft_buffer_gone = gone;
}

int64_t p2p_buffer_bytes(const struct comm *c)
{
	const struct buffer *b = c != NULL ? c->buffer : process;

	return b != NULL ? b->size : -1;
}

static int flush(struct buffer *b)
{
	if (b != NULL)
		wait_until(clean, b, (struct p2p_about){.req = NULL});
	return 0;
}

/* The end of the chain of wholes that r is a part of. */
static struct req *last_whole(struct req *r)
{
	while (r->whole != NULL)
		r = r->whole;
	return r;
}

/* A request of which everything that is under way becomes a part.  What is a part of an earlier one
 * already makes that one a part. */
static int iflush(struct buffer *b, struct comm *c, struct req **request)
{
	struct req *f = req_new(type_predefined(MPI_BYTE), c);

	if (f == NULL)
		return no_request();
	req_nobody(f);
	f->res.source = MPI_ANY_SOURCE;
	for (struct slot *s = b != NULL && !clean(b) ? b->slots : NULL; s != NULL; s = s->next) {
		struct req *last = last_whole(s->req);

		if (last == f)
			continue;
		obj_hold(f);
		last->whole = f;
		f->parts++;
		f->done = false;
	}
	*request = f;
	return 0;
}

int p2p_buffer_attach(void *addr, int64_t size)
{
	return attach(&process, addr, size);
}

int p2p_buffer_detach(void *addr, int64_t *size)
{
	return detach(&process, addr, size);
}

int p2p_buffer_flush(void)
{
	return flush(process);
}

int p2p_buffer_iflush(struct req **request)
{
	return iflush(process, &haft_world, request);
}

int p2p_comm_attach_buffer(struct comm *c, void *addr, int64_t size)
{
	return attach(&c->buffer, addr, size);
}

int p2p_comm_detach_buffer(struct comm *c, void *addr, int64_t *size)
{
	return detach(&c->buffer, addr, size);
}

int p2p_comm_flush_buffer(struct comm *c)
{
	return flush(c->buffer);
}

int p2p_comm_iflush_buffer(struct comm *c, struct req **request)
{
	return iflush(c->buffer, c, request);
}

int p2p_session_attach_buffer(struct session *s, void *addr, int64_t size)
{
	return attach(&s->buffer, addr, size);
}

int p2p_session_detach_buffer(struct session *s, void *addr, int64_t *size)
{
	return detach(&s->buffer, addr, size);
}

int p2p_session_flush_buffer(struct session *s)
{
	return flush(s->buffer);
}

int p2p_session_iflush_buffer(struct session *s, struct req **request)
{
	return iflush(s->buffer, &haft_world, request);
}

void p2p_session_end(struct session *s)
{
	void *addr;
	int64_t size;

	if (s->buffer != NULL)
		detach(&s->buffer, &addr, &size);
}
