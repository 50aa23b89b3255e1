// SPDX-License-Identifier: BSD-3-Clause
/* ofiflow.c - large messages by the fabric: streams as libnet's, see net.h.
 *
 *     receiver: post(id, buffer)                        sender: send(id, buffer)
 *       fab_trecv(tag, buffer)
 *       frame ROOM (id, tag, bytes) ──────────────────>   ROOM and send meet:
 *                                   <══ fab_tsend(tag) ═  as many bytes as both have
 *       less than the buffer: fab_trecv(tag, rest)        more for this room: the same tag
 *
 * Both sides cut as they like; messages of one tag match in their order.  A tag is used for one
 * post only, and is a number that nobody can guess: it says that the sender is who was told it.
 *
 * Invariants
 *  - A post is with libfabric, or full, or `stalled' and then in the list of work.
 *  - Of a stream there are rooms or sends, or neither, never both; unless the fabric is full. */
#include "libmpi/via/ofiin.h"

#include "libmpi/core/err.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct room {
	uint64_t id, tag, len;
};

struct room_node {
	struct room_node *next;
	struct room room;
};

/* A send under way; it outlives its net_op if the peer is gone. */
struct send {
	struct send *next, *all; /* of its stream, while bytes are left; of its tie */
	struct tie *tie;
	struct net_op *op; /* NULL: it was told that it is lost */
	size_t parts;      /* libfabric's */
};

/* Some bytes of it. */
struct part {
	struct fab_op op; /* first */
	struct send *send;
	size_t len;
};

struct post {
	struct fab_op op;         /* first */
	struct post *next, *prev; /* of its tie */
	struct tie *tie;
	struct net_op *user;          /* NULL: it was taken back, or told that it is lost */
	struct post *older, *younger; /* of its stream */
	uint64_t tag;
	bool stalled; /* libfabric would not take it */
	bool told;    /* its ROOM has gone */
	bool full;    /* but an older one is not */
};

/* The sending end of a stream. */
struct stream {
	struct stream *next;
	uint64_t id;
	struct room_node *rooms, **rooms_end;
	struct send *sends, **sends_end;
};

struct flows {
	struct stream *streams;
	struct send *sends; /* that are not over */
	struct post *posts;
	struct post *ready; /* full, and its turn */
	uint64_t newest;    /* the highest id of a post so far */
	size_t stuck;       /* posts that are stalled or untold */
	bool full;          /* a part would not go */
};

static struct flows *flows_of(struct tie *t)
{
	if (t->flows == NULL)
		t->flows = calloc(1, sizeof(*t->flows));
	return t->flows;
}

static void op_over(struct net_op *op, enum net_state state)
{
	op->state = state;
	if (op->done != NULL)
		op->done(op);
}

/* --- sending -------------------------------------------------------------------------------- */

static struct stream *stream_of(struct tie *t, uint64_t id)
{
	struct flows *f = flows_of(t);
	struct stream *s;

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

static void stream_free(struct flows *f, struct stream *s)
{
	struct stream **at = &f->streams;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	free(s);
}

static void send_free(struct send *s)
{
	struct send **at = &s->tie->flows->sends;

	while (*at != s)
		at = &(*at)->all;
	*at = s->all;
	free(s);
}

static void room_pop(struct stream *s)
{
	struct room_node *r = s->rooms;

	s->rooms = r->next;
	if (s->rooms == NULL)
		s->rooms_end = &s->rooms;
	free(r);
}

static void send_pop(struct stream *s)
{
	s->sends = s->sends->next;
	if (s->sends == NULL)
		s->sends_end = &s->sends;
}

/* Gives libfabric as much of the first send as the first room takes. */
static int part_go(struct tie *t, struct stream *s)
{
	struct room *room = &s->rooms->room;
	struct send *send = s->sends;
	struct net_op *op = send->op;
	size_t n = op->len - op->at;
	struct part *p;
	int err;

	n = n < room->len ? n : room->len;
	n = n < OFI_PART_MAX ? n : OFI_PART_MAX;
	p = malloc(sizeof(*p));
	if (p == NULL)
		return FAB_AGAIN; /* there may be some later */
	p->op.what = OFI_PART;
	p->send = send;
	p->len = n;
	err = fab_tsend(&p->op, t->addr, room->tag, op->buf + op->at, n);
	if (err != 0) {
		free(p);
		return err;
	}
	ofi_began();
	send->parts++;
	via_ofi_count.sent_bytes += n;
	op->at += n;
	room->len -= n;
	if (op->at == op->len)
		send_pop(s);
	if (room->len == 0)
		room_pop(s);
	return 0;
}

/* Rooms and sends meet; returns how many parts have gone.  The stream may be gone then. */
static int stream_push(struct tie *t, struct stream *s)
{
	int moved = 0, err = 0;

	while (s->rooms != NULL && s->sends != NULL && !t->broken && t->end == OFI_HERE) {
		err = part_go(t, s);
		if (err != 0)
			break;
		moved++;
	}
	if (err == FAB_AGAIN) {
		t->flows->full = true;
		ofi_work(t);
	} else if (err != 0) {
		ofi_break(t, err);
	}
	if (s->rooms == NULL && s->sends == NULL)
		stream_free(t->flows, s);
	return moved;
}

int ofi_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op)
{
	struct tie *t = ofi_tie(peer);
	struct stream *s;
	struct send *send;

	if (t == NULL)
		return SHM_NOMEM;
	if (t->end == OFI_GONE)
		return VIA_LOST;
	send = calloc(1, sizeof(*send));
	s = send != NULL ? stream_of(t, id) : NULL;
	if (s == NULL) {
		free(send);
		return SHM_NOMEM;
	}
	op->state = NET_OP_BUSY;
	op->peer = peer;
	op->id = id;
	op->buf = (uint8_t *)(uintptr_t)buf;
	op->len = len;
	op->at = 0;
	send->tie = t;
	send->op = op;
	send->all = t->flows->sends;
	t->flows->sends = send;
	*s->sends_end = send;
	s->sends_end = &send->next;
	stream_push(t, s);
	return 0;
}

void flows_room(struct tie *t, const void *data, size_t len)
{
	struct room_node *r = malloc(sizeof(*r));
	struct stream *s;

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

static void part_over(struct part *p, int err)
{
	struct send *s = p->send;
	struct net_op *op = s->op;

	ofi.busy--;
	free(p);
	s->parts--;
	if (err != 0)
		ofi_break(s->tie, err);
	if (s->parts > 0 || (op != NULL && (op->at < op->len || s->tie->broken)))
		return;
	send_free(s);
	if (op != NULL)
		op_over(op, NET_OP_DONE);
}

/* --- receiving ------------------------------------------------------------------------------ */

static void post_free(struct post *p)
{
	struct flows *f = p->tie->flows;

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
static void post_give(struct post *p)
{
	struct net_op *op = p->user;
	size_t n = op->len - op->at;
	bool was = p->stalled || !p->told;
	int err = FAB_AGAIN;

	if (p->tie->end == OFI_HERE)
		err = fab_trecv(
			&p->op, p->tag, op->buf + op->at, n < OFI_PART_MAX ? n : OFI_PART_MAX);
	p->stalled = err != 0;
	p->tie->flows->stuck += (p->stalled || !p->told) - (size_t)was;
	if (err == FAB_AGAIN)
		ofi_work(p->tie);
	else if (err != 0)
		ofi_break(p->tie, err);
}

/* Tells the sender of it.  False: not now. */
static bool post_tell(struct post *p)
{
	struct net_op *op = p->user;
	struct room room = {op->id, p->tag, op->len};
	struct net_hdr h = {.kind = OFI_ROOM};

	if (p->stalled || ofi_frame(p->tie, &h, &room, sizeof(room)) != 0) {
		ofi_work(p->tie);
		return false;
	}
	p->told = true;
	p->tie->flows->stuck--;
	return true;
}

/* All tags of a process differ, and say nothing of each other: the factor is odd. */
static uint64_t tag_new(void)
{
	static uint64_t posts;

	return (ofi.secret + ++posts * ofi.factor) & fab_tags();
}

/* Posts of a stream end in their order, and a short one may be full before a long one. */
static void post_link(struct flows *f, struct post *p)
{
	uint64_t id = p->user->id;
	struct post *q = id > f->newest ? NULL : f->posts; /* as a rule a new one */

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
static bool post_idle(const struct post *p)
{
	return p->stalled || p->full;
}

int ofi_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op)
{
	struct tie *t = ofi_tie(peer);
	struct flows *f = t != NULL ? flows_of(t) : NULL;
	struct post *p = f != NULL ? calloc(1, sizeof(*p)) : NULL;

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
	p->tie = t;
	p->user = op;
	p->tag = tag_new();
	post_link(f, p);
	f->stuck++; /* untold */
	post_give(p);
	post_tell(p);
	return 0;
}

void ofi_unpost(struct net_op *op)
{
	struct flows *f = ((struct tie *)via_peer(op->peer)->ofi)->flows;

	for (struct post *p = f->posts; p != NULL; p = p->next) {
		if (p->user != op)
			continue;
		p->user = NULL;
		op->state = NET_OP_NONE;
		if (post_idle(p))
			post_free(p);
		else
			fab_cancel(&p->op);
		return;
	}
}

static void post_over(struct post *p, size_t len, int err)
{
	struct flows *f = p->tie->flows;
	struct net_op *op = p->user;

	if (op == NULL) {
		post_free(p);
		return;
	}
	if (err != 0) {
		p->stalled = true;
		f->stuck += p->told;
		ofi_break(p->tie, err);
		return;
	}
	op->at += len;
	via_ofi_count.read_bytes += len;
	if (op->at < op->len) {
		post_give(p);
		return;
	}
	p->full = true;
	if (p->older != NULL)
		return;
	for (f->ready = p; (p = f->ready) != NULL;) {
		op = p->user;
		f->ready = p->younger != NULL && p->younger->full ? p->younger : NULL;
		post_free(p);
		op_over(op, NET_OP_DONE);
	}
}

/* --- for ofi.c ------------------------------------------------------------------------------ */

void flows_event(const struct fab_event *ev)
{
	if (ev->op->what == OFI_PART)
		part_over((struct part *)(void *)ev->op, ev->err);
	else
		post_over((struct post *)(void *)ev->op, ev->len, ev->err);
}

int flows_push(struct tie *t)
{
	struct flows *f = t->flows;
	int moved = 0;

	if (f == NULL || t->broken || t->end != OFI_HERE)
		return 0;
	for (struct post *p = f->stuck > 0 ? f->posts : NULL; p != NULL; p = p->next) {
		if (p->stalled && p->user != NULL)
			post_give(p);
		if (!p->told && p->user != NULL)
			moved += post_tell(p);
	}
	if (!f->full)
		return moved;
	f->full = false;
	for (struct stream *s = f->streams, *next; s != NULL && !f->full; s = next) {
		next = s->next;
		moved += stream_push(t, s);
	}
	return moved;
}

bool flows_quiet(const struct tie *t)
{
	return t->flows == NULL || (t->flows->sends == NULL && t->flows->stuck == 0);
}

bool flows_stop(struct tie *t, bool first)
{
	struct flows *f = t->flows;
	bool none = true;

	if (f == NULL)
		return true;
	for (struct post *p = f->posts; p != NULL; p = p->next) {
		if (!post_idle(p) && first)
			fab_cancel(&p->op);
		none = none && post_idle(p);
	}
	for (struct send *s = f->sends; s != NULL; s = s->all)
		none = none && s->parts == 0;
	return none;
}

/* Ends one operation; false: there is none left.  What libfabric still has of it is left to it, and
 * ends with its last completion. */
static bool end_one(struct flows *f)
{
	struct send *s = f->sends;
	struct post *p = f->posts;
	struct net_op *op;

	while (s != NULL && s->op == NULL)
		s = s->all;
	if (s != NULL) {
		op = s->op;
		s->op = NULL;
		if (s->parts == 0)
			send_free(s);
		op_over(op, NET_OP_LOST);
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
	op_over(op, NET_OP_LOST);
	return true;
}

/* Forgets what others have room for. */
static void streams_free(struct flows *f)
{
	while (f->streams != NULL) {
		while (f->streams->rooms != NULL)
			room_pop(f->streams);
		stream_free(f, f->streams);
	}
}

void flows_end(struct tie *t)
{
	struct flows *f = t->flows;

	if (f == NULL)
		return;
	streams_free(f);
	while (end_one(f)) /* its callback may do anything */
		;
}

void flows_free(struct tie *t)
{
	struct flows *f = t->flows;

	if (f == NULL)
		return;
	streams_free(f);
	while (f->sends != NULL)
		send_free(f->sends);
	while (f->posts != NULL)
		post_free(f->posts);
	free(f);
}
