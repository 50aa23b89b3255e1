// SPDX-License-Identifier: BSD-3-Clause
/* ofi_stream.c - large messages by the fabric: streams with the contract of libnet's (net.h).
 *
 *     receiver: post(id, buffer)                        sender: send(id, buffer)
 *       via_fabric_trecv(tag, buffer)
 *       frame CTS (id, tag, bytes) ───────────────────>   a CTS and a send of one id:
 *                                   <══ fragment, tag ═   via_fabric_tsend of as many bytes as fit
 *       buffer not full: via_fabric_trecv(tag, rest)      bytes left on both sides: same tag again
 *
 * Both sides cut as they like: messages of one tag match in their order.  A tag is used for one
 * post only, and is a random number.  So a fragment with the right tag is from the peer that got
 * the CTS.
 *
 * Invariants
 *  - A post is with libfabric, or full, or `stalled' and then its peer is in the list of work.
 *  - A stream has CTSs or sends that wait, or neither; both only while the fabric is full. */
#include "libmpi/via/ofi_internal.h"

#include "libmpi/core/err.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct cts {
	uint64_t id, tag, len;
};

struct cts_node {
	struct cts_node *next;
	struct cts room;
};

/* A send under way.  It outlives its net_op if the peer is gone. */
struct ofi_send {
	struct ofi_send *next, *all; /* of its stream, while bytes are left; of its peer */
	struct ofi_peer *ofi_peer;
	struct net_op *op; /* NULL: ended, as the peer is gone */
	size_t parts;      /* fragments under way */
};

/* Some bytes of a send. */
struct ofi_fragment {
	struct via_fabric_op op; /* first */
	struct ofi_send *ofi_send;
	size_t len;
};

struct ofi_post {
	struct via_fabric_op op;      /* first */
	struct ofi_post *next, *prev; /* of its peer */
	struct ofi_peer *ofi_peer;
	struct net_op *user;              /* NULL: unposted, or ended as the peer is gone */
	struct ofi_post *older, *younger; /* of its stream */
	uint64_t tag;
	bool stalled; /* libfabric had no room for it */
	bool told;    /* its CTS was sent */
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
	struct ofi_send *sends; /* under way */
	struct ofi_post *posts;
	struct ofi_post *ready; /* full, and its turn has come */
	uint64_t newest;        /* the highest id of a post so far */
	size_t stuck;           /* posts that are stalled, or without CTS */
	bool full;              /* the fabric had no room for a fragment */
};

static struct ofi_streams *streams_of(struct ofi_peer *t)
{
	if (t->streams == NULL)
		t->streams = calloc(1, sizeof(*t->streams));
	return t->streams;
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
	struct ofi_send **at = &s->ofi_peer->streams->sends;

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

/* Sends as much of the first send as the first CTS allows. */
static int fragment_send(struct ofi_peer *t, struct ofi_stream *s)
{
	struct cts *room = &s->rooms->room;
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

/* Sends fragments while there are a CTS and a send.  Returns their number.  Frees an empty
 * stream. */
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
		t->streams->full = true;
		via_ofi_work_add(t);
	} else if (err != 0) {
		via_ofi_fail(t, err);
	}
	if (s->rooms == NULL && s->sends == NULL)
		stream_free(t->streams, s);
	return moved;
}

int via_ofi_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op)
{
	struct ofi_peer *t = via_ofi_peer_get(peer);
	struct ofi_stream *s;
	struct ofi_send *ofi_send;

	if (t == NULL)
		return VIA_NOMEM;
	if (t->end == OFI_GONE)
		return VIA_LOST;
	ofi_send = calloc(1, sizeof(*ofi_send));
	s = ofi_send != NULL ? stream_of(t, id) : NULL;
	if (s == NULL) {
		free(ofi_send);
		return VIA_NOMEM;
	}
	op->state = NET_OP_ACTIVE;
	op->peer = peer;
	op->id = id;
	op->buf = (uint8_t *)(uintptr_t)buf;
	op->len = len;
	op->at = 0;
	ofi_send->ofi_peer = t;
	ofi_send->op = op;
	ofi_send->all = t->streams->sends;
	t->streams->sends = ofi_send;
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
	if (s == NULL) { /* the receiver waits, and there is no way to report it */
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

	via_ofi.in_flight--;
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
	struct ofi_streams *f = p->ofi_peer->streams;

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

/* Posts the rest of the buffer. */
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
	p->ofi_peer->streams->stuck += (p->stalled || !p->told) - (size_t)was;
	if (err == FABRIC_AGAIN)
		via_ofi_work_add(p->ofi_peer);
	else if (err != 0)
		via_ofi_fail(p->ofi_peer, err);
}

/* Sends the CTS.  False: not now. */
static bool post_announce(struct ofi_post *p)
{
	struct net_op *op = p->user;
	struct cts room = {op->id, p->tag, op->len};
	struct net_hdr h = {.kind = OFI_CTS};

	if (p->stalled || via_ofi_frame(p->ofi_peer, &h, &room, sizeof(room)) != 0) {
		via_ofi_work_add(p->ofi_peer);
		return false;
	}
	p->told = true;
	p->ofi_peer->streams->stuck--;
	return true;
}

/* The tags of a process differ, as the factor is odd, and none can be guessed from another. */
static uint64_t tag_new(void)
{
	static uint64_t posts;

	return (via_ofi.secret + ++posts * via_ofi.factor) & via_fabric_tags();
}

/* Links a post behind the older ones of its stream: they end in order, and a short one may be full
 * before a long one. */
static void post_link(struct ofi_streams *f, struct ofi_post *p)
{
	uint64_t id = p->user->id;
	struct ofi_post *q = id > f->newest ? NULL : f->posts; /* most ids are new */

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

/* True if libfabric has no operation of it. */
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
		return VIA_NOMEM;
	if (t->end == OFI_GONE) {
		free(p);
		return VIA_LOST;
	}
	op->state = NET_OP_ACTIVE;
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
	f->stuck++; /* no CTS yet */
	post_submit(p);
	post_announce(p);
	return 0;
}

void via_ofi_stream_unpost(struct net_op *op)
{
	struct ofi_streams *f = ((struct ofi_peer *)via_peer(op->peer)->ofi)->streams;

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
	struct ofi_streams *f = p->ofi_peer->streams;
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
	struct ofi_streams *f = t->streams;
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

bool via_ofi_streams_sent(const struct ofi_peer *t)
{
	return t->streams == NULL || (t->streams->sends == NULL && t->streams->stuck == 0);
}

bool via_ofi_streams_stop(struct ofi_peer *t, bool first)
{
	struct ofi_streams *f = t->streams;
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

/* Ends one operation; false: there is none left.  Memory of operations that libfabric still has is
 * freed with their last completion. */
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

/* Frees all streams with their CTSs. */
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
	struct ofi_streams *f = t->streams;

	if (f == NULL)
		return;
	streams_free(f);
	while (streams_end_one(f)) /* its callback may do anything */
		;
}

void via_ofi_streams_free(struct ofi_peer *t)
{
	struct ofi_streams *f = t->streams;

	if (f == NULL)
		return;
	streams_free(f);
	while (f->sends != NULL)
		send_free(f->sends);
	while (f->posts != NULL)
		post_free(f->posts);
	free(f);
}
