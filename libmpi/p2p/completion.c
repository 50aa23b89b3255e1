// SPDX-License-Identifier: BSD-3-Clause
/* completion.c - the completion calls of MPI-5.0 3.7.3 to 3.7.6: Wait, Test, Request_free and the
 * forms for several requests.
 *
 * A finished request gives its result once: wait_req_end reports it and frees its handle, or makes
 * a persistent request inactive. */
#include "libmpi/core/err.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/failed.h"
#include "libmpi/p2p/progress.h"
#include "libmpi/p2p/quick_message.h"
#include "libmpi/p2p/request.h"
#include <engine.h>
#include <string.h>

/* Ends a finished pristine request: it has no words, no parts, no memory of its own. */
static inline void wait_req_end_pristine(struct req *r, MPI_Status *status)
{
	haft_status_set(status, r->res.source, r->res.tag, r->res.bytes, r->res.cancelled);
	if (r->comm != NULL) {
		obj_drop(r->type);
		obj_drop(r->comm);
	}
	obj_free_fresh(&haft_req_class, r);
}

/* Ends a generalized request after its query function, which gave err.  Its free function runs in
 * any case, and its code is the last one (MPI-5.0 13.2).  A request that was freed before it is
 * complete stays for MPI_Grequest_complete. */
static int wait_user_end(struct req **request, int err)
{
	struct req *r = *request;
	int freed;

	if (r->orphan)
		return err;
	freed = r->ops->ended(r);
	p2p_req_free(r);
	*request = NULL;
	return freed != 0 ? freed : err;
}

static int wait_req_end(struct req **request, MPI_Status *status);

/* A receive whose sender may have failed goes on, unless its message comes just now.  A loop over
 * the call makes progress. */
static int wait_req_pended(struct req **request, MPI_Status *status, int err)
{
	struct req *r = *request;

	p2p_progress();
	if (r->done && !p2p_req_pended(r))
		return wait_req_end(request, status);
	return p2p_req_error(r, err);
}

/* Ends a finished request: writes its result, and frees its handle unless it is persistent. */
static int wait_req_end(struct req **request, MPI_Status *status)
{
	struct req *r = *request;
	int err;

	if (likely(r->pristine)) {
		wait_req_end_pristine(r, status);
		*request = NULL;
		return 0;
	}
	err = p2p_req_report(r, status);

	if (unlikely(err == MPIX_ERR_PROC_FAILED_PENDING) && p2p_req_pended(r))
		return wait_req_pended(request, status, err);
	if (unlikely(r->copies != NULL))
		p2p_req_copies_give(r, true);
	if (r->persist) {
		r->active = false;
		return err;
	}
	if (unlikely(r->ops != NULL && r->ops->ended != NULL))
		return wait_user_end(request, err);
	p2p_req_free(r);
	*request = NULL;
	return err;
}

/* --- one request ---------------------------------------------------------------------------- */

int p2p_wait(struct req **request, MPI_Status *status)
{
	if (p2p_req_idle(*request)) {
		haft_status_empty(status);
		return 0;
	}
	if (!(*request)->done)
		p2p_wait_done(*request);
	return wait_req_end(request, status);
}

int p2p_test(struct req **request, int *flag, MPI_Status *status)
{
	*flag = 1;
	if (p2p_req_idle(*request)) {
		haft_status_empty(status);
		return 0;
	}
	if (!(*request)->done)
		p2p_progress_poll();
	if ((*request)->done)
		return wait_req_end(request, status);
	*flag = 0;
	return 0;
}

/* Writes the result of a request, finished or idle, which stays.  The buffer is the user's
 * again. */
static int wait_result(struct req *r, MPI_Status *status)
{
	if (p2p_req_idle(r)) {
		haft_status_empty(status);
		return 0;
	}
	if (unlikely(r->copies != NULL))
		p2p_req_copies_give(r, true);
	return p2p_req_report(r, status);
}

static void wait_result_one(struct req *r, int at, MPI_Status *statuses)
{
	if (statuses == MPI_STATUSES_IGNORE)
		wait_result(r, MPI_STATUS_IGNORE);
	else
		statuses[at].MPI_ERROR = wait_result(r, &statuses[at]);
}

int p2p_request_get_status(struct req *request, int *flag, MPI_Status *status)
{
	int err = 0;

	*flag = 1;
	if (p2p_req_idle(request)) {
		haft_status_empty(status);
		return 0;
	}
	if (!request->done)
		p2p_progress_poll();
	*flag = request->done;
	if (request->done)
		err = wait_result(request, status);
	return request->kind == REQ_USER ? err : 0; /* 13.2; a message's error is MPI_Wait's */
}

/* Frees a generalized request (MPI-5.0 13.2).  If it is not complete its handle stays good for
 * MPI_Cancel and MPI_Grequest_complete, which frees it.  It counts as done, so that no call waits
 * for it; its query function says why not. */
static int free_user(struct req **request)
{
	struct req *r = *request;
	int err;

	if (r->orphan)
		return haft_err(MPI_ERR_REQUEST, "the generalized request was freed before");
	*request = NULL;
	if (!r->done) {
		req_touch(r);
		r->orphan = true;
		r->done = true;
		return 0;
	}
	err = r->ops->ended(r);
	p2p_req_free(r);
	return err;
}

/* A message under way: the handle goes now, and the request when the operation is over (3.7.3). */
static void free_active(struct req *r)
{
	obj_hold(r);
	req_touch(r);
	r->orphan = true;
	if (r->comm != NULL)
		r->comm->freed++;
	obj_free_obj(r);
}

static int free_refuse(const struct req *r, const char *what)
{
	haft_err(MPI_ERR_REQUEST,
		"the request of a %s operation cannot be freed before MPI_Wait or MPI_Test has "
		"completed it",
		what);
	haft_err_attach(p2p_req_owner(r), MPI_ERR_REQUEST);
	return MPI_ERR_REQUEST;
}

int p2p_request_free(struct req **request)
{
	struct req *r = *request;
	bool active = !p2p_req_idle(r), partitioned = r->kind == REQ_PSEND || r->kind == REQ_PRECV;

	if (active && (partitioned || r->kind == REQ_COLL || r->kind == REQ_IO))
		return free_refuse(r, partitioned           ? "partitioned"
				      : r->kind == REQ_COLL ? "collective"
							    : "file");
	if (r->kind == REQ_USER)
		return free_user(request);
	if (active && p2p_req_pended(r))
		p2p_req_unpend(r);
	*request = NULL;
	if (active && !r->done) {
		free_active(r);
		return 0;
	}
	if (active)
		p2p_req_copies_give(r, true);
	p2p_req_free(r);
	return 0;
}

/* --- several requests ----------------------------------------------------------------------- */

struct some {
	struct req **reqs;
	int n;
	int active; /* not idle */
};

static bool wait_any_done(void *arg)
{
	const struct some *s = arg;

	for (int i = 0; i < s->n; i++) {
		if (!p2p_req_idle(s->reqs[i]) && s->reqs[i]->done)
			return true;
	}
	return false;
}

static bool wait_all_done(void *arg)
{
	const struct some *s = arg;

	for (int i = 0; i < s->n; i++) {
		if (!p2p_req_idle(s->reqs[i]) && !s->reqs[i]->done)
			return false;
	}
	return true;
}

static struct some wait_some_of(int count, struct req *reqs[])
{
	struct some s = {.reqs = reqs, .n = count};

	for (int i = 0; i < count; i++)
		s.active += !p2p_req_idle(reqs[i]);
	return s;
}

/* For the wait report of a call that waits for any of them. */
static struct p2p_about wait_about_some(const struct some *s)
{
	struct p2p_about about = {.reqs = s->reqs, .n = s->n, .any = true};

	for (int i = 0; i < s->n && about.req == NULL; i++)
		if (!p2p_req_idle(s->reqs[i]) && !s->reqs[i]->done)
			about.req = s->reqs[i];
	return about;
}

/* Ends request i with its status in an array; returns its error.  In arrays MPI_ERROR is set. */
static int wait_end_twice(struct req **r)
{
	*r = NULL;
	return haft_err(MPI_ERR_REQUEST, "an earlier entry is the same request, which has ended");
}

static int wait_end_at(struct req **r, MPI_Status *statuses, int i)
{
	MPI_Status *s = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
	int err = 0;

	if (p2p_req_idle(*r))
		haft_status_empty(s);
	else if (unlikely(p2p_req_ended(*r)))
		err = wait_end_twice(r);
	else
		err = wait_req_end(r, s);
	if (s != MPI_STATUS_IGNORE)
		s->MPI_ERROR = err;
	return err;
}

/* The first failure among the requests of an array. */
struct bad {
	int at, err; /* err 0: none yet */
	void *self;  /* on which it is to be raised */
	char words[HAFT_ERR_TEXT_MAX];
};

static void wait_error_keep(struct bad *b, int i, int err)
{
	if (err == 0 || b->err != 0)
		return;
	b->at = i;
	b->err = err;
	b->self = haft_err_attached(err, &err);
	memcpy(b->words, haft_err_text(b->err), sizeof(b->words));
}

/* The words say which request it was: with MPI_STATUSES_IGNORE the user would learn no more.  The
 * error is raised on that request's object (9.3.1). */
static int wait_error_result(const struct bad *b, int count)
{
	if (b->err == 0)
		return 0;
	haft_err(MPI_ERR_IN_STATUS, "request %d of %d failed: %s: %s", b->at, count,
		haft_err_class_name(b->err), b->words);
	haft_err_attach(b->self, b->err);
	return MPI_ERR_IN_STATUS;
}

HAFT_HOT static int wait_end_all(int count, struct req *reqs[], MPI_Status *statuses)
{
	struct obj_batch batch;
	struct bad bad;

	bad.err = 0;
	p2p_quick_end_begin(&batch, obj_site_now());
	for (int i = 0; i < count; i++) {
		if (likely(statuses == MPI_STATUSES_IGNORE && reqs[i] != NULL &&
			    reqs[i]->pristine && !p2p_req_ended(reqs[i]))) {
			p2p_quick_end(&batch, reqs[i]);
			reqs[i] = NULL;
			continue;
		}
		obj_batch_end(&batch);
		wait_error_keep(&bad, i, wait_end_at(&reqs[i], statuses, i));
		p2p_quick_end_begin(&batch, batch.site);
	}
	obj_batch_end(&batch);
	return wait_error_result(&bad, count);
}

/* Has a process failed, or a communicator been revoked, and so one of the requests? */
static bool wait_one_failed(const struct some *s)
{
	for (int i = 0; i < s->n; i++) {
		const struct req *r = s->reqs[i];

		if (!p2p_req_idle(r) && r->done && r->res.error > MPI_ERR_LASTCODE)
			return true;
	}
	return false;
}

static bool wait_all_or_failed(void *arg)
{
	return wait_one_failed(arg) || wait_all_done(arg);
}

/* One of the requests has failed because of a process.  Its partners may never complete the others,
 * so these go on, and have MPI_ERR_PENDING (MPI-5.0 3.7.5). */
static int wait_end_failed(int count, struct req *reqs[], MPI_Status *statuses)
{
	struct bad bad;

	bad.err = 0;
	for (int i = 0; i < count; i++) {
		if (p2p_req_idle(reqs[i]) || reqs[i]->done)
			wait_error_keep(&bad, i, wait_end_at(&reqs[i], statuses, i));
		else if (statuses != MPI_STATUSES_IGNORE)
			statuses[i].MPI_ERROR = MPI_ERR_PENDING;
	}
	return wait_error_result(&bad, count);
}

/* As p2p_waitall, when processes have failed or communicators were revoked. */
static int waitall_failed(int count, struct req *reqs[], MPI_Status *statuses)
{
	struct some s = {.reqs = reqs, .n = count};

	p2p_wait_until(wait_all_or_failed, &s, wait_about_some(&s));
	return wait_all_done(&s) ? wait_end_all(count, reqs, statuses)
				 : wait_end_failed(count, reqs, statuses);
}

HAFT_HOT bool p2p_quick_wait(int n, struct req *reqs[])
{
	for (int i = 0; i < n; i++) {
		if (unlikely(!reqs[i]->done) && !p2p_wait_one_of(reqs[i], reqs, n))
			return false;
		if (unlikely(!reqs[i]->pristine))
			return false;
	}
	return true;
}

HAFT_HOT int p2p_waitall(int count, struct req *reqs[], MPI_Status *statuses)
{
	struct some s = {.reqs = reqs, .n = count};

	for (int i = 0; i < count; i++) {
		if (reqs[i] == NULL || reqs[i]->done)
			continue;
		if (!p2p_req_idle(reqs[i]) && !p2p_wait_one_of(reqs[i], reqs, count))
			return waitall_failed(count, reqs, statuses);
	}
	must(wait_all_done(&s));
	return wait_end_all(count, reqs, statuses);
}

int p2p_testall(int count, struct req *reqs[], int *flag, MPI_Status *statuses)
{
	struct some s = {.reqs = reqs, .n = count};

	if (!wait_all_done(&s))
		p2p_progress_poll();
	*flag = wait_all_done(&s);
	if (unlikely(!*flag && p2p_state.lost != 0 && wait_one_failed(&s))) {
		*flag = 1;
		return wait_end_failed(count, reqs, statuses);
	}
	return *flag ? wait_end_all(count, reqs, statuses) : 0;
}

/* Ends the first finished one; there is one. */
static int wait_end_any(int count, struct req *reqs[], int *index, MPI_Status *status)
{
	for (int i = 0; i < count; i++) {
		if (!p2p_req_idle(reqs[i]) && reqs[i]->done) {
			*index = i;
			return wait_req_end(&reqs[i], status);
		}
	}
	return 0;
}

int p2p_waitany(int count, struct req *reqs[], int *index, MPI_Status *status)
{
	struct some s = wait_some_of(count, reqs);

	if (s.active == 0) {
		*index = MPI_UNDEFINED;
		haft_status_empty(status);
		return 0;
	}
	p2p_wait_until(wait_any_done, &s, wait_about_some(&s));
	return wait_end_any(count, reqs, index, status);
}

int p2p_testany(int count, struct req *reqs[], int *index, int *flag, MPI_Status *status)
{
	struct some s = wait_some_of(count, reqs);

	*index = MPI_UNDEFINED;
	*flag = 1;
	if (s.active == 0) {
		haft_status_empty(status);
		return 0;
	}
	if (!wait_any_done(&s))
		p2p_progress_poll();
	*flag = wait_any_done(&s);
	return *flag ? wait_end_any(count, reqs, index, status) : 0;
}

/* Ends all finished ones: indices and statuses are filled from the front. */
static int wait_end_some(
	int count, struct req *reqs[], int *outcount, int indices[], MPI_Status *statuses)
{
	struct bad bad;
	int n = 0;

	bad.err = 0;
	for (int i = 0; i < count; i++) {
		if (p2p_req_idle(reqs[i]) || !reqs[i]->done)
			continue;
		indices[n] = i;
		wait_error_keep(&bad, i, wait_end_at(&reqs[i], statuses, n++));
	}
	*outcount = n;
	return wait_error_result(&bad, count);
}

int p2p_waitsome(int count, struct req *reqs[], int *outcount, int indices[], MPI_Status *statuses)
{
	struct some s = wait_some_of(count, reqs);

	*outcount = MPI_UNDEFINED;
	if (s.active == 0)
		return 0;
	p2p_wait_until(wait_any_done, &s, wait_about_some(&s));
	return wait_end_some(count, reqs, outcount, indices, statuses);
}

int p2p_testsome(int count, struct req *reqs[], int *outcount, int indices[], MPI_Status *statuses)
{
	struct some s = wait_some_of(count, reqs);

	*outcount = MPI_UNDEFINED;
	if (s.active == 0)
		return 0;
	if (!wait_any_done(&s))
		p2p_progress_poll();
	return wait_end_some(count, reqs, outcount, indices, statuses);
}

/* --- several requests, looking only (3.7.6) ------------------------------------------------- */

int p2p_request_get_status_any(
	int count, struct req *reqs[], int *index, int *flag, MPI_Status *status)
{
	struct some s = wait_some_of(count, reqs);

	*index = MPI_UNDEFINED;
	*flag = 1;
	if (s.active == 0)
		return wait_result(NULL, status);
	if (!wait_any_done(&s))
		p2p_progress_poll();
	*flag = wait_any_done(&s);
	for (int i = 0; i < count && *flag; i++) {
		if (!p2p_req_idle(reqs[i]) && reqs[i]->done) {
			*index = i;
			return wait_result(reqs[i], status);
		}
	}
	return 0;
}

int p2p_request_get_status_all(int count, struct req *reqs[], int *flag, MPI_Status *statuses)
{
	struct some s = wait_some_of(count, reqs);

	if (!wait_all_done(&s))
		p2p_progress_poll();
	*flag = wait_all_done(&s);
	for (int i = 0; i < count && *flag; i++)
		wait_result_one(reqs[i], i, statuses);
	return 0;
}

int p2p_request_get_status_some(
	int count, struct req *reqs[], int *outcount, int indices[], MPI_Status *statuses)
{
	struct some s = wait_some_of(count, reqs);
	int n = 0;

	*outcount = MPI_UNDEFINED;
	if (s.active == 0)
		return 0;
	/* A completed request stays in the array, so it must not keep the others from progress. */
	if (!wait_all_done(&s))
		p2p_progress_poll();
	for (int i = 0; i < count; i++) {
		if (p2p_req_idle(reqs[i]) || !reqs[i]->done)
			continue;
		wait_result_one(reqs[i], n, statuses);
		indices[n++] = i;
	}
	*outcount = n;
	return 0;
}
