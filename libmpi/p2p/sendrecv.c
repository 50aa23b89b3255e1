// SPDX-License-Identifier: BSD-3-Clause
/* sendrecv.c - a send and a receive in one call (MPI-5.0 3.10, 3.7.2).
 *
 * The receive is posted first, so that a message that comes meanwhile is not unexpected.  A
 * nonblocking call returns the receive's request; the send is a part of it without a handle. */
#include "libmpi/core/err.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/send.h"
#include "libmpi/p2p/sig.h"
#include <engine.h>
#include <stdlib.h>

int p2p_sendrecv(const void *sbuf, int64_t scount, struct type *stype, int dest, int stag,
	void *rbuf, int64_t rcount, struct type *rtype, int source, int rtag, struct comm *c,
	MPI_Status *status)
{
	struct p2p_message in = {rbuf, rcount, rtype, source, rtag};
	struct req r = {.state = STATE_NEW};
	int err, send_err;

	if (source == MPI_PROC_NULL) {
		haft_status_nobody(status);
		return p2p_send(sbuf, scount, stype, dest, stag, c);
	}
	err = dest == MPI_PROC_NULL ? 0 : type_check(sbuf, scount, 1, stype, "the send buffer");
	if (err != 0)
		return err; /* before a receive is posted that the call could not take back */
	if (source != MPI_ANY_SOURCE)
		in.peer = group_peer(comm_peers(c), source);
	err = p2p_req_fill_inline(&r, REQ_RECV, &in, c, c->ctx);
	if (err != 0)
		return err;
	p2p_recv_start(&r);
	send_err = p2p_send(sbuf, scount, stype, dest, stag, c);
	if (!r.done)
		p2p_wait_done(&r);
	err = p2p_req_report(&r, status);
	return send_err != 0 ? send_err : err;
}

int p2p_sendrecv_replace(void *buf, int64_t count, struct type *type, int dest, int stag,
	int source, int rtag, struct comm *c, MPI_Status *status)
{
	struct type *bytes_of = type_predefined(MPI_PACKED); /* matches every type */
	struct req *request;
	int64_t bytes;
	int err = type_check(buf, count, 1, type, "the buffer");
	char *copy;

	if (err != 0)
		return err;
	/* Only a request can carry the signature of the copied data. */
	if (p2p_state.checks) {
		err = p2p_isendrecv_replace(
			buf, count, type, dest, stag, source, rtag, c, &request);
		return err != 0 ? err : p2p_wait(&request, status);
	}
	bytes = count * type->size;
	err = p2p_req_pack(buf, count, type, bytes, &copy);
	if (err != 0)
		return err;
	err = p2p_sendrecv(
		copy, bytes, bytes_of, dest, stag, buf, count, type, source, rtag, c, status);
	free(copy);
	return err;
}

/* A request of the send half, not started; *s is NULL if it goes to MPI_PROC_NULL.  out->peer is
 * still a rank of c. */
static int isend_half(const struct p2p_message *out, struct comm *c, struct req **s)
{
	struct p2p_message m = *out;
	int err;

	*s = NULL;
	if (out->peer == MPI_PROC_NULL)
		return 0;
	*s = p2p_req_new_message(out->type, c);
	if (*s == NULL)
		return p2p_req_no_memory();
	m.peer = group_peer(comm_peers(c), out->peer);
	err = p2p_req_fill(*s, REQ_SEND, &m, c, c->ctx);
	if (err != 0) {
		p2p_req_free(*s);
		*s = NULL;
	}
	return err;
}

static int sendrecv_cancel(struct req *r)
{
	(void)r;
	return haft_err(MPI_ERR_REQUEST,
		"a combined send and receive cannot be cancelled: MPI_Cancel takes the request of "
		"a send or of a receive");
}

static const struct req_ops sendrecv_ops = {.cancel = sendrecv_cancel};

/* Starts both halves, whose peers are still ranks of c.  sig: NULL, or malloc'ed, and goes with the
 * send, as does `copy'. */
static int isendrecv_start(const struct p2p_message *out, const struct p2p_message *in,
	struct comm *c, void *copy, struct p2p_sig *sig, struct req **request)
{
	struct req *r, *s;
	int err = isend_half(out, c, &s);

	if (err == 0)
		err = p2p_irecv(
			(void *)(uintptr_t)in->buf, in->count, in->type, in->peer, in->tag, c, &r);
	if (err != 0 || s == NULL) {
		free(copy);
		free(sig);
	}
	if (err != 0) {
		if (s != NULL)
			p2p_req_free(s);
		return err;
	}
	req_touch(r);
	r->ops = &sendrecv_ops;
	*request = r;
	if (s == NULL)
		return 0;
	s->send.copy = copy;
	s->send.sig = sig;
	r->open_parts = r->done ? 0 : 1;
	r->done = false;
	p2p_send_start_part(s, r);
	return 0;
}

int p2p_isendrecv(const void *sbuf, int64_t scount, struct type *stype, int dest, int stag,
	void *rbuf, int64_t rcount, struct type *rtype, int source, int rtag, struct comm *c,
	struct req **request)
{
	struct p2p_message out = {sbuf, scount, stype, dest, stag};
	struct p2p_message in = {rbuf, rcount, rtype, source, rtag};

	return isendrecv_start(&out, &in, c, NULL, NULL, request);
}

int p2p_isendrecv_replace(void *buf, int64_t count, struct type *type, int dest, int stag,
	int source, int rtag, struct comm *c, struct req **request)
{
	struct p2p_message out = {NULL, 0, type_predefined(MPI_PACKED), dest, stag};
	struct p2p_message in = {buf, count, type, source, rtag};
	int err = type_check(buf, count, 1, type, "the buffer");
	struct req what = {.kind = REQ_SEND, .type = type}; /* for the signature */
	char *copy;

	if (err != 0)
		return err;
	out.count = what.bytes = count * type->size;
	err = p2p_req_pack(buf, count, type, out.count, &copy);
	if (err != 0)
		return err;
	out.buf = copy;
	return isendrecv_start(&out, &in, c, copy, p2p_sig_for_copy(&what), request);
}
