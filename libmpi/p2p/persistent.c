// SPDX-License-Identifier: BSD-3-Clause
/* persistent.c - requests that are started again and again (MPI-5.0 3.9).
 *
 *     Send_init ──> idle ── Start ──> active ── Wait, Test ──> idle ...  Request_free
 *
 * MPI_Wait and MPI_Test take an idle request as the null handle. */
#include "libmpi/core/err.h"
#include "libmpi/p2p/buffered_send.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/send.h"
#include <engine.h>
#include <stdlib.h>

static int persistent_init(int kind, const void *buf, int64_t count, struct type *type, int rank,
	int tag, struct comm *c, struct req **request)
{
	struct req *r = p2p_req_new_message(type, c);
	struct p2p_message m = {buf, count, type, rank, tag};
	int err;

	if (r == NULL)
		return p2p_req_no_memory();
	if (rank >= 0)
		m.peer = group_peer(comm_peers(c), rank);
	err = p2p_req_fill(r, kind, &m, c, c->ctx);
	if (err != 0) {
		p2p_req_free(r);
		return err;
	}
	r->persist = true;
	*request = r;
	return 0;
}

int p2p_send_init(const void *buf, int64_t count, struct type *type, int dest, int tag,
	struct comm *c, struct req **request)
{
	return persistent_init(REQ_SEND, buf, count, type, dest, tag, c, request);
}

int p2p_ssend_init(const void *buf, int64_t count, struct type *type, int dest, int tag,
	struct comm *c, struct req **request)
{
	int err = persistent_init(REQ_SEND, buf, count, type, dest, tag, c, request);

	if (err == 0)
		(*request)->send.sync = true;
	return err;
}

int p2p_rsend_init(const void *buf, int64_t count, struct type *type, int dest, int tag,
	struct comm *c, struct req **request)
{
	return persistent_init(REQ_SEND, buf, count, type, dest, tag, c, request);
}

int p2p_recv_init(void *buf, int64_t count, struct type *type, int source, int tag, struct comm *c,
	struct req **request)
{
	return persistent_init(REQ_RECV, buf, count, type, source, tag, c, request);
}

/* The message is copied to the attached buffer: the request is complete at once. */
static int persistent_start_buffered(struct req *r)
{
	int err;

	if (r->peer == MPI_PROC_NULL) {
		p2p_req_proc_null(r);
		return 0;
	}
	err = p2p_buffer_send(r->buf, r->count, r->type,
		group_rank_of(comm_peers(r->comm), r->peer), r->tag, r->comm);
	r->active = err == 0;
	r->done = true;
	return err;
}

static const struct req_ops persistent_buffered_ops = {.start = persistent_start_buffered};

int p2p_bsend_init(const void *buf, int64_t count, struct type *type, int dest, int tag,
	struct comm *c, struct req **request)
{
	int err = persistent_init(REQ_SEND, buf, count, type, dest, tag, c, request);

	if (err == 0)
		(*request)->ops = &persistent_buffered_ops;
	return err;
}

int p2p_start(struct req **request)
{
	struct req *r = *request;
	int err = 0;

	if (!r->persist)
		return haft_err(
			MPI_ERR_REQUEST, "the request is not persistent: it cannot be started");
	if (r->active)
		return haft_err(MPI_ERR_REQUEST,
			"the request is active: it must complete before it is started again");
	p2p_req_copies_take(r);
	free(r->errwords);
	r->errwords = NULL;
	r->moved = 0;
	r->res = (struct req_result){.source = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG};
	r->done = false;
	r->active = true;
	r->state = STATE_NEW;
	if (r->ops != NULL)
		err = r->ops->start(r);
	else if (r->peer == MPI_PROC_NULL)
		p2p_req_proc_null(r);
	else if (r->kind == REQ_SEND)
		p2p_send_start(r);
	else
		p2p_recv_start(r);
	if (err == 0)
		p2p_req_begun(r);
	return err;
}

int p2p_startall(int count, struct req *reqs[])
{
	for (int i = 0; i < count; i++) {
		int err = p2p_start(&reqs[i]);

		if (err != 0)
			return err;
	}
	return 0;
}
