// SPDX-License-Identifier: BSD-3-Clause
/* plane.c - messages of the library itself, on the planes of a communicator's context id.
 *
 *     CTX_P2P     the user's messages
 *     CTX_COLL    collective calls: p2p_coll_...
 *     the others  constructors of communicators, partitioned operations: p2p_plane_...
 *
 * Messages of different planes never match.  The caller has the requests' memory. */
#include "libmpi/core/err.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/send.h"
#include <mpi-ext.h>
#include <stdio.h>
#include <string.h>

static void plane_start(
	struct comm *c, enum ctx_plane plane, int kind, const struct p2p_message *m, struct req *r)
{
	memset(r, 0, sizeof(*r));
	r->res.error = p2p_req_fill(r, kind, m, c, c->ctx | plane);
	if (r->res.error != 0)
		r->done = true;
	else if (kind == REQ_SEND)
		p2p_send_start(r);
	else
		p2p_recv_start(r);
}

void p2p_coll_start(struct comm *c, int kind, const void *buf, int64_t count, struct type *type,
	int peer, int tag, struct req *r)
{
	plane_start(c, CTX_COLL, kind, &(struct p2p_message){buf, count, type, peer, tag}, r);
}

void p2p_coll_send_error(
	struct comm *c, const struct p2p_error_msg *msg, int peer, int tag, struct req *r)
{
	struct p2p_message m = {msg, sizeof(*msg), type_predefined(MPI_BYTE), peer, tag};

	memset(r, 0, sizeof(*r));
	r->res.error = p2p_req_fill(r, REQ_SEND, &m, c, c->ctx | CTX_COLL);
	r->send.payload = msg;
	r->send.payload_bytes = sizeof(*msg);
	r->send.frame = FRAME_ERROR;
	r->state = STATE_OUT_FRAME;
	p2p_out_put(r, peer);
}

struct p2p_error_msg p2p_error_of(const struct comm *c, int err)
{
	struct p2p_error_msg msg = {.err = err};

	if (err == MPIX_ERR_PROC_FAILED)
		msg.missed = 1 + p2p_comm_failed(c);
	snprintf(msg.words, sizeof(msg.words), "%s", haft_err_text(err));
	return msg;
}

void p2p_plane_send_error(struct comm *c, enum ctx_plane plane, int err, int rank, int tag)
{
	struct p2p_error_msg msg = p2p_error_of(c, err);
	int peer = group_peer(comm_peers(c), rank);

	if (p2p_peer_gone(peer))
		return;
	p2p_out_frame(peer, c->ctx | plane, tag, FRAME_ERROR, &msg, sizeof(msg));
}

/* A message of bytes to or from a rank of c. */
static struct p2p_message plane_bytes(
	const struct comm *c, const void *buf, int64_t bytes, int rank, int tag)
{
	int peer = rank == MPI_ANY_SOURCE ? rank : group_peer(comm_peers(c), rank);

	return (struct p2p_message){buf, bytes, type_predefined(MPI_BYTE), peer, tag};
}

void p2p_plane_isend(struct comm *c, enum ctx_plane plane, const void *buf, int64_t bytes, int rank,
	int tag, struct req *r)
{
	struct p2p_message m = plane_bytes(c, buf, bytes, rank, tag);

	plane_start(c, plane, REQ_SEND, &m, r);
}

void p2p_plane_irecv(struct comm *c, enum ctx_plane plane, void *buf, int64_t bytes, int rank,
	int tag, struct req *r)
{
	struct p2p_message m = plane_bytes(c, buf, bytes, rank, tag);

	plane_start(c, plane, REQ_RECV, &m, r);
}

int p2p_coll_wait(struct req *reqs, int n)
{
	int first = 0;

	for (int i = 0; i < n; i++) {
		int err;

		if (!reqs[i].done)
			p2p_wait_done(&reqs[i]);
		if (reqs[i].res.error == 0)
			continue;
		err = p2p_req_report(&reqs[i], MPI_STATUS_IGNORE);
		if (first == 0)
			first = err;
	}
	return first;
}

int p2p_plane_send(
	struct comm *c, enum ctx_plane plane, const void *buf, int64_t bytes, int rank, int tag)
{
	struct req r;

	p2p_plane_isend(c, plane, buf, bytes, rank, tag, &r);
	return p2p_coll_wait(&r, 1);
}

int p2p_plane_recv(
	struct comm *c, enum ctx_plane plane, void *buf, int64_t bytes, int rank, int tag)
{
	struct req r;

	p2p_plane_irecv(c, plane, buf, bytes, rank, tag, &r);
	return p2p_coll_wait(&r, 1);
}
