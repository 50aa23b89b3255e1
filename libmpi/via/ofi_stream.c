// SPDX-License-Identifier: BSD-3-Clause
/* ofi_stream.c - large messages by the fabric: streams as libnet's, see net.h.
 *
 *     receiver: ofi_post(id, buffer)                        sender: ofi_send(id, buffer)
 *       via_fabric_trecv(tag, buffer)
 *       frame ROOM (id, tag, bytes) ──────────────────>   ROOM and send meet:
 *                                   <══ via_fabric_tsend(tag) ═  as many bytes as both have
 *       less than the buffer: via_fabric_trecv(tag, rest)        more for this room: the same tag
 *
 * Both sides cut as they like; messages of one tag match in their order.  A tag is used for one
 * post only, and is a number that nobody can guess: it says that the sender is who was told it.
 *
 * Invariants
 *  - A post is with libfabric, or full, or `stalled' and then in the list of work.
 *  - Of a stream there are rooms or sends, or neither, never both; unless the fabric is full. */
#include "libmpi/via/ofi_internal.h"

#include "libmpi/core/err.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct room {
	uint64_t id, tag, len;
};

struct cts_node {
	struct cts_node *next;
	struct room room;
};

/* A send under way; it outlives its net_op if the peer is gone. */
struct ofi_send {
	struct ofi_send *next, *all; /* of its stream, while bytes are left; of its tie */
	struct ofi_peer *ofi_peer;
	struct net_op *op; /* NULL: it was told that it is lost */
	size_t parts;      /* libfabric's */
};

/* Some bytes of it. */
struct ofi_fragment {
	struct via_fabric_op op; /* first */
	struct ofi_send *ofi_send;
	size_t len;
};

struct ofi_post {
	struct via_fabric_op op;      /* first */
	struct ofi_post *next, *prev; /* of its tie */
	struct ofi_peer *ofi_peer;
	struct net_op *user;              /* NULL: it was taken back, or told that it is lost */
	struct ofi_post *older, *younger; /* of its stream */
	uint64_t tag;
	bool stalled; /* libfabric would not take it */
	bool told;    /* its ROOM has gone */
	bool full;    /* but an older one is not */
};

/* The sending end of a stream. */
struct ofi_stream {
	struct ofi_stream *next;
	uint64_t id;
	struct cts_node *rooms, **rooms_end;
	struct ofi_send *sends, **sends_end;
};

struct ofi_streams {
	struct ofi_stream *streams;
	struct ofi_send *sends; /* that are not over */
	struct ofi_post *posts;
	struct ofi_post *ready; /* full, and its turn */
	uint64_t newest;        /* the highest id of a post so far */
	size_t stuck;           /* posts that are stalled or untold */
	bool full;              /* a part would not go */
};

static struct ofi_streams *streams_of(struct ofi_peer *t)
{
	if (t->ofi_streams == NULL)
		t->ofi_streams = calloc(1, sizeof(*t->ofi_streams));
	return t->ofi_streams;
}

static void net_op_finish(struct net_op *op, enum net_state state)
{
	op->state = state;
	if (op->done != NULL)
		op->done(op);
}

/* --- sending -------------------------------------------------------------------------------- */

static struct ofi_stream *stream_of(struct ofi_peer *t, uint64_t id)
{
	struct ofi_streams *f = streams_of(t);
	struct ofi_stream *s;

	if (f == NULL)
		return NULL;
	for (s = f->streams; s != NULL; s = s->next)
		if (s->id == id)
			return s;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->id = id;
	s->rooms_end = &s->rooms;
	s->sends_end = &s->sends;
	s->next = f->streams;
	f->streams = s;
	return s;
}

static void stream_free(struct ofi_streams *f, struct ofi_stream *s)
{
	struct ofi_stream **at = &f->streams;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	free(s);
}

static void send_free(struct ofi_send *s)
{
	struct ofi_send **at = &s->ofi_peer->ofi_streams->sends;

	while (*at != s)
		at = &(*at)->all;
	*at = s->all;
	free(s);
}

static void cts_pop(struct ofi_stream *s)
{
	struct cts_node *r = s->rooms;

	s->rooms = r->next;
	if (s->rooms == NULL)
		s->rooms_end = &s->rooms;
	free(r);
}

static void send_pop(struct ofi_stream *s)
{
	s->sends = s->sends->next;
	if (s->sends == NULL)
		s->sends_end = &s->sends;
}

/* Gives libfabric as much of the first send as the first room takes. */
static int fragment_send(struct ofi_peer *t, struct ofi_stream *s)
{
	struct room *room = &s->rooms->room;
	struct ofi_send *ofi_send = s->sends;
	struct net_op *op = ofi_send->op;
	size_t n = op->len - op->at;
	struct ofi_fragment *p;
	int err;

	n = n < room->len ? n : room->len;
	n = n < OFI_FRAGMENT_MAX ? n : OFI_FRAGMENT_MAX;
	p = malloc(sizeof(*p));
	if (p == NULL)
		return FABRIC_AGAIN; /* there may be some later */
	p->op.what = OFI_FRAGMENT;
	p->ofi_send = ofi_send;
	p->len = n;
	err = via_fabric_tsend(&p->op, t->addr, room->tag, op->buf + op->at, n);
	if (err != 0) {
		free(p);
		return err;
	}
	via_ofi_started();
	ofi_send->parts++;
	via_ofi_count.sent_bytes += n;
	op->at += n;
	room->len -= n;
	if (op->at == op->len)
		send_pop(s);
	if (room->len == 0)
		cts_pop(s);
	return 0;
}

/* Rooms and sends meet; returns how many parts have gone.  The stream may be gone then. */
static int stream_push(struct ofi_peer *t, struct ofi_stream *s)
{
	int moved = 0, err = 0;

	while (s->rooms != NULL && s->sends != NULL && !t->broken && t->end == OFI_HERE) {
		err = fragment_send(t, s);
		if (err != 0)
			break;
		moved++;
	}
	if (err == FABRIC_AGAIN) {
		t->ofi_streams->full = true;
		via_ofi_work_add(t);
	} else if (err != 0) {
		via_ofi_fail(t, err);
	}
	if (s->rooms == NULL && s->sends == NULL)
		stream_free(t->ofi_streams, s);
	return moved;
}

int via_ofi_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op)
{
	struct ofi_peer *t = via_ofi_peer_get(peer);
	struct ofi_stream *s;
	struct ofi_send *ofi_send;

	if (t == NULL)
		return SHM_NOMEM;
	if (t->end == OFI_GONE)
		return VIA_LOST;
	ofi_send = calloc(1, sizeof(*ofi_send));
	s = ofi_send != NULL ? stream_of(t, id) : NULL;
	if (s == NULL) {
		free(ofi_send);
		return SHM_NOMEM;
	}
	op->state = NET_OP_BUSY;
	op->peer = peer;
	op->id = id;
	op->buf = (uint8_t *)(uintptr_t)buf;
	op->len = len;
	op->at = 0;
	ofi_send->ofi_peer = t;
	ofi_send->op = op;
	ofi_send->all = t->ofi_streams->sends;
	t->ofi_streams->sends = ofi_send;
	*s->sends_end = ofi_send;
	s->sends_end = &ofi_send->next;
	stream_push(t, s);
	return 0;
}

void via_ofi_streams_cts(struct ofi_peer *t, const void *data, size_t len)
{
	struct cts_node *r = malloc(sizeof(*r));
	struct ofi_stream *s;

	if (len != sizeof(r->room)) {
		free(r);
		return;
	}
	if (r != NULL) {
		memcpy(&r->room, data, len);
		r->next = NULL;
	}
	s = r != NULL ? stream_of(t, r->room.id) : NULL;
	if (s == NULL) { /* the receiver is waiting and cannot be told otherwise */
		free(r);
		haft_abort_job(MPI_ERR_NO_MEM, "no memory to send a large message");
	}
	*s->rooms_end = r;
	s->rooms_end = &r->next;
	stream_push(t, s);
}

static void fragment_done(struct ofi_fragment *p, int err)
{
	struct ofi_send *s = p->ofi_send;
	struct net_op *op = s->op;

	via_ofi.busy--;
	free(p);
	s->parts--;
	if (err != 0)
		via_ofi_fail(s->ofi_peer, err);
	if (s->parts > 0 || (op != NULL && (op->at < op->len || s->ofi_peer->broken)))
		return;
	send_free(s);
	if (op != NULL)
		net_op_finish(op, NET_OP_DONE);
}

/* --- receiving ------------------------------------------------------------------------------ */

static void post_free(struct ofi_post *p)
{
	struct ofi_streams *f = p->ofi_peer->ofi_streams;

	*(p->prev != NULL ? &p->prev->next : &f->posts) = p->next;
	if (p->next != NULL)
		p->next->prev = p->prev;
	if (p->older != NULL)
		p->older->younger = p->younger;
	if (p->younger != NULL)
		p->younger->older = p->older;
	if (f->ready == p)
		f->ready = NULL;
	if (p->stalled || !p->told)
		f->stuck--;
	free(p);
}

/* Gives libfabric what is left of the buffer. */
static void post_submit(struct ofi_post *p)
{
	struct net_op *op = p->user;
	size_t n = op->len - op->at;
	bool was = p->stalled || !p->told;
	int err = FABRIC_AGAIN;

	if (p->ofi_peer->end == OFI_HERE)
		err = via_fabric_trecv(&p->op, p->tag, op->buf + op->at,
			n < OFI_FRAGMENT_MAX ? n : OFI_FRAGMENT_MAX);
	p->stalled = err != 0;
	p->ofi_peer->ofi_streams->stuck += (p->stalled || !p->told) - (size_t)was;
	if (err == FABRIC_AGAIN)
		via_ofi_work_add(p->ofi_peer);
	else if (err != 0)
		via_ofi_fail(p->ofi_peer, err);
}

/* Tells the sender of it.  False: not now. */
static bool post_announce(struct ofi_post *p)
{
	struct net_op *op = p->user;
	struct room room = {op->id, p->tag, op->len};
	struct net_hdr h = {.kind = OFI_CTS};

	if (p->stalled || via_ofi_frame(p->ofi_peer, &h, &room, sizeof(room)) != 0) {
		via_ofi_work_add(p->ofi_peer);
		return false;
	}
	p->told = true;
	p->ofi_peer->ofi_streams->stuck--;
	return true;
}

/* All tags of a process differ, and say nothing of each other: the factor is odd. */
static uint64_t tag_new(void)
{
	static uint64_t posts;

	return (via_ofi.secret + ++posts * via_ofi.factor) & via_fabric_tags();
}

/* Posts of a stream end in their order, and a short one may be full before a long one. */
static void post_link(struct ofi_streams *f, struct ofi_post *p)
{
	uint64_t id = p->user->id;
	struct ofi_post *q = id > f->newest ? NULL : f->posts; /* as a rule a new one */

	while (q != NULL && (q->user == NULL || q->user->id != id))
		q = q->next;
	f->newest = id > f->newest ? id : f->newest;
	p->older = q;
	if (q != NULL)
		q->younger = p;
	p->next = f->posts;
	if (p->next != NULL)
		p->next->prev = p;
	f->posts = p;
}

/* Libfabric has nothing of it. */
static bool post_idle(const struct ofi_post *p)
{
	return p->stalled || p->full;
}

int via_ofi_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op)
{
	struct ofi_peer *t = via_ofi_peer_get(peer);
	struct ofi_streams *f = t != NULL ? streams_of(t) : NULL;
	struct ofi_post *p = f != NULL ? calloc(1, sizeof(*p)) : NULL;

	if (p == NULL)
		return SHM_NOMEM;
	if (t->end == OFI_GONE) {
		free(p);
		return VIA_LOST;
	}
	op->state = NET_OP_BUSY;
	op->peer = peer;
	op->id = id;
	op->buf = buf;
	op->len = len;
	op->at = 0;
	p->op.what = OFI_POST;
	p->ofi_peer = t;
	p->user = op;
	p->tag = tag_new();
	post_link(f, p);
	f->stuck++; /* untold */
	post_submit(p);
	post_announce(p);
	return 0;
}

void via_ofi_stream_unpost(struct net_op *op)
{
	struct ofi_streams *f = ((struct ofi_peer *)via_peer(op->peer)->ofi)->ofi_streams;

	for (struct ofi_post *p = f->posts; p != NULL; p = p->next) {
		if (p->user != op)
			continue;
		p->user = NULL;
		op->state = NET_OP_NONE;
		if (post_idle(p))
			post_free(p);
		else
			via_fabric_cancel(&p->op);
		return;
	}
}

static void post_done(struct ofi_post *p, size_t len, int err)
{
	struct ofi_streams *f = p->ofi_peer->ofi_streams;
	struct net_op *op = p->user;

	if (op == NULL) {
		post_free(p);
		return;
	}
	if (err != 0) {
		p->stalled = true;
		f->stuck += p->told;
		via_ofi_fail(p->ofi_peer, err);
		return;
	}
	op->at += len;
	via_ofi_count.read_bytes += len;
	if (op->at < op->len) {
		post_submit(p);
		return;
	}
	p->full = true;
	if (p->older != NULL)
		return;
	for (f->ready = p; (p = f->ready) != NULL;) {
		op = p->user;
		f->ready = p->younger != NULL && p->younger->full ? p->younger : NULL;
		post_free(p);
		net_op_finish(op, NET_OP_DONE);
	}
}

/* --- for ofi.c ------------------------------------------------------------------------------ */

void via_ofi_streams_event(const struct via_fabric_event *ev)
{
	if (ev->op->what == OFI_FRAGMENT)
		fragment_done((struct ofi_fragment *)(void *)ev->op, ev->err);
	else
		post_done((struct ofi_post *)(void *)ev->op, ev->len, ev->err);
}

int via_ofi_streams_push(struct ofi_peer *t)
{
	struct ofi_streams *f = t->ofi_streams;
	int moved = 0;

	if (f == NULL || t->broken || t->end != OFI_HERE)
		return 0;
	for (struct ofi_post *p = f->stuck > 0 ? f->posts : NULL; p != NULL; p = p->next) {
		if (p->stalled && p->user != NULL)
			post_submit(p);
		if (!p->told && p->user != NULL)
			moved += post_announce(p);
	}
	if (!f->full)
		return moved;
	f->full = false;
	for (struct ofi_stream *s = f->streams, *next; s != NULL && !f->full; s = next) {
		next = s->next;
		moved += stream_push(t, s);
	}
	return moved;
}

bool via_ofi_streams_quiet(const struct ofi_peer *t)
{
	return t->ofi_streams == NULL ||
	       (t->ofi_streams->sends == NULL && t->ofi_streams->stuck == 0);
}

bool via_ofi_streams_stop(struct ofi_peer *t, bool first)
{
	struct ofi_streams *f = t->ofi_streams;
	bool none = true;

	if (f == NULL)
		return true;
	for (struct ofi_post *p = f->posts; p != NULL; p = p->next) {
		if (!post_idle(p) && first)
			via_fabric_cancel(&p->op);
		none = none && post_idle(p);
	}
	for (struct ofi_send *s = f->sends; s != NULL; s = s->all)
		none = none && s->parts == 0;
	return none;
}

/* Ends one operation; false: there is none left.  What libfabric still has of it is left to it, and
 * ends with its last completion. */
static bool streams_end_one(struct ofi_streams *f)
{
	struct ofi_send *s = f->sends;
	struct ofi_post *p = f->posts;
	struct net_op *op;

	while (s != NULL && s->op == NULL)
		s = s->all;
	if (s != NULL) {
		op = s->op;
		s->op = NULL;
		if (s->parts == 0)
			send_free(s);
		net_op_finish(op, NET_OP_LOST);
		return true;
	}
	while (p != NULL && p->user == NULL)
		p = p->next;
	if (p == NULL)
		return false;
	op = p->user;
	p->user = NULL;
	if (post_idle(p))
		post_free(p);
	net_op_finish(op, NET_OP_LOST);
	return true;
}

/* Forgets what others have room for. */
static void streams_free(struct ofi_streams *f)
{
	while (f->streams != NULL) {
		while (f->streams->rooms != NULL)
			cts_pop(f->streams);
		stream_free(f, f->streams);
	}
}

void via_ofi_streams_end(struct ofi_peer *t)
{
	struct ofi_streams *f = t->ofi_streams;

	if (f == NULL)
		return;
	streams_free(f);
	while (streams_end_one(f)) /* its callback may do anything */
		;
}

void via_ofi_streams_free(struct ofi_peer *t)
{
	struct ofi_streams *f = t->ofi_streams;

	if (f == NULL)
		return;
	streams_free(f);
	while (f->sends != NULL)
		send_free(f->sends);
	while (f->posts != NULL)
		post_free(f->posts);
	free(f);
}
