// SPDX-License-Identifier: BSD-3-Clause
/* grequest.c - generalized requests (MPI-5.0 13.2): operations of the program's own, which MPI_Wait
 * and MPI_Test complete.
 *
 *     Grequest_start ── Grequest_complete ──> done ── Wait: query(status), free(extra)
 *
 *     Grequest_start ── Request_free ── Grequest_complete: free(extra), and the handle goes
 *                                   '── between them it is an orphan, and done: no call waits
 *
 * The callbacks run in the call that ends the request, with no lock held. */
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/request.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>

struct grequest {
	MPI_Grequest_query_function *query;
	MPI_Grequest_free_function *free;
	MPI_Grequest_cancel_function *cancel;
	void *extra;
};

/* Checks a callback's result, and takes the library's lock again if it was held (had). */
static int grequest_said(int code, const char *what, bool had)
{
	haft_user_end(had);
	if (code == MPI_SUCCESS)
		return 0;
	return haft_err(haft_err_of_callback(code),
		"the %s callback of a generalized request returned %d", what, code);
}

static int grequest_query(struct req *r, MPI_Status *status)
{
	const struct grequest *u = r->user;
	MPI_Status own = {.MPI_ERROR = MPI_SUCCESS};
	bool had;

	if (r->orphan)
		return haft_err(MPI_ERR_REQUEST,
			"the generalized request was freed: only MPI_Grequest_complete and "
			"MPI_Cancel may have it now");
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	haft_status_set(status, MPI_UNDEFINED, MPI_UNDEFINED, 0, 0);
	had = haft_user_begin();
	return grequest_said(u->query(u->extra, status), "query", had);
}

static int grequest_ended(struct req *r)
{
	const struct grequest *u = r->user;
	bool had = haft_user_begin();

	return grequest_said(u->free(u->extra), "free", had);
}

static int grequest_cancel(struct req *r)
{
	const struct grequest *u = r->user;
	bool done = r->done && !r->orphan, had = haft_user_begin();

	return grequest_said(u->cancel(u->extra, done), "cancel", had);
}

static void grequest_gone(struct req *r)
{
	free(r->user);
}

static const struct req_ops grequest_ops = {.gone = grequest_gone,
	.query = grequest_query,
	.ended = grequest_ended,
	.cancel = grequest_cancel};

int p2p_grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free_fn,
	MPI_Grequest_cancel_function *cancel, void *extra, struct req **request)
{
	struct grequest *u = malloc(sizeof(*u));
	struct req *r = p2p_req_alloc();

	if (u == NULL || r == NULL) {
		free(u);
		if (r != NULL)
			p2p_req_free(r);
		return p2p_req_no_memory();
	}
	*u = (struct grequest){.query = query, .free = free_fn, .cancel = cancel, .extra = extra};
	r->kind = REQ_USER;
	r->user = u;
	r->ops = &grequest_ops;
	*request = r;
	return 0;
}

int p2p_grequest_complete(struct req *r)
{
	if (r->kind != REQ_USER)
		return haft_err(MPI_ERR_REQUEST, "not a generalized request");
	if (r->orphan) {
		int err = grequest_ended(r);

		p2p_req_free(r);
		return err;
	}
	if (r->done)
		return haft_err(MPI_ERR_REQUEST, "the generalized request is complete already");
	p2p_req_finish(r);
	return 0;
}

int p2p_status_set_cancelled(MPI_Status *status, int flag)
{
	haft_status_set_cancelled(status, flag != 0);
	return 0;
}

int p2p_status_set_elements(MPI_Status *status, struct type *type, int64_t count)
{
	int64_t bytes;
	int err = type_basic_bytes(type, count, &bytes);

	if (err == 0)
		haft_status_set_bytes(status, bytes);
	return err;
}
