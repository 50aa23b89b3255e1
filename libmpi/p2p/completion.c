// SPDX-License-Identifier: BSD-3-Clause
/* completion.c - progress, waiting, and the completion calls of MPI-5.0 3.7.3 to 3.7.6.
 *
 * A pass polls the transports, then every busy peer: out, feed, drain, then the hooks.  Whoever
 * waits repeats passes; when nothing moves, libshm decides between spinning, giving the CPU away
 * and sleeping, and shows meanwhile what this rank waits for.
 *
 * A finished request gives its result once: wait_req_end reports and frees its handle. */
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/claim.h"

#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/sig.h"
#include <engine.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of early messages that any peer may have here: some thousands of small ones. */
#define EARLY_LEAST ((int64_t)MEAN_OR(512, 1 << 20))

struct p2p_state p2p_state;

/* The largest message that goes unasked: an eager message is one frame. */
static int64_t p2p_eager_limit(enum haft_setting set, int64_t frame_max)
{
	int64_t eager = haft_setting_get(set);

	if (p2p_state.checks)
		frame_max -= (int64_t)sizeof(struct p2p_sig);
	return eager < frame_max ? eager : frame_max;
}

void p2p_tune(void)
{
	if (p2p_state.early_max == 0) /* not open */
		return;
	p2p_state.eager = p2p_eager_limit(SETTING_EAGER, via.frame_max);
	p2p_state.eager_far = p2p_eager_limit(SETTING_EAGER_NET, NET_FRAME_MAX);
	for (const struct via_peer *p = via.peers_made; p != NULL; p = p->next)
		if (p2p_peer_seen(p)->eager >= 0) /* the others want nothing unasked */
			p2p_credit_received(p->number, false);
}

int p2p_open(void)
{
	p2p_buffer_open();
	haft_lock_deferred_hook = p2p_part_mail;
	p2p_state.me = via.me;
	p2p_state.checks = (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_TYPES) != 0;
	p2p_state.eager = p2p_eager_limit(SETTING_EAGER, via.frame_max);
	p2p_state.eager_far = p2p_eager_limit(SETTING_EAGER_NET, NET_FRAME_MAX);
	p2p_state.early_max = haft_setting_get(SETTING_UNEXPECTED) / via.npeers;
	if (p2p_state.early_max < EARLY_LEAST)
		p2p_state.early_max = EARLY_LEAST;
	return p2p_match_open() != 0 ? MPI_ERR_NO_MEM : p2p_probe_open();
}

void p2p_peer_made(struct via_peer *p)
{
	p2p_peer(p->number)->peer = p->number;
	p->slot = p->number != p2p_state.me && p->seat >= 0 ? 1 + p->seat : 0;
	p2p_credit_received(p->number, false);
}

void p2p_progress_hook(int (*progress_pass)(void))
{
	for (int i = 0; i < p2p_state.nhooks; i++) {
		if (p2p_state.hooks[i] == progress_pass)
			return;
	}
	if (ALWAYS(p2p_state.nhooks < P2P_HOOKS_MAX))
		p2p_state.hooks[p2p_state.nhooks++] = progress_pass;
}

/* --- progress ------------------------------------------------------------------------------- */

/* Serves the busy peers; those with nothing left leave the list. */
static int progress_busy(void)
{
	struct p2p_peer *p = p2p_state.busy;
	int moved = 0;

	p2p_state.busy = NULL;
	while (p != NULL) {
		struct p2p_peer *next = p->busy_next;
		int peer = p->peer;

		p->busy = false;
		moved += p2p_credit_send(peer) + p2p_out_push(peer) + p2p_pipe_push(peer) +
			 p2p_pipe_pull(peer);
		if (p->owing != NULL)
			moved += p2p_part_flush(peer);
		if (p->out.head != NULL || p->feed.head != NULL || p->drain.head != NULL ||
			p->tell || p->owing != NULL)
			p2p_peer_busy(peer);
		p = next;
	}
	return moved;
}

/* A hook may call a function of the user's and give the lock up meanwhile: then another thread's
 * pass leaves the hooks alone, and must be told when they have moved something. */
static int progress_hooks(void)
{
	int moved = 0;

	if (p2p_state.hooking)
		return 0;
	p2p_state.hooking = true;
	for (int i = 0; i < p2p_state.nhooks; i++)
		moved += p2p_state.hooks[i]();
	p2p_state.hooking = false;
	if (moved > 0)
		via_poller_wake();
	return moved;
}

int p2p_progress(void)
{
	int moved = via_poll();

	if (p2p_state.busy != NULL)
		moved += progress_busy();
	return p2p_state.nhooks > 0 ? moved + progress_hooks() : moved;
}

/* Whoever is waited for may need this CPU, and a loop over MPI_Test would keep it for a whole turn
 * of the scheduler.  With threads the lock is held here: then it is not given up. */
void p2p_progress_poll(void)
{
	enum { FRUITLESS = 16 }; /* looks: 1 to 2 us, less than a switch */
	static int fruitless;

	if (p2p_progress() > 0 || !via.contended || haft_threads_enabled()) {
		fruitless = 0;
		return;
	}
	if (++fruitless < FRUITLESS)
		return;
	fruitless = 0;
	sched_yield();
}

static int progress_pass(void *arg)
{
	(void)arg;
	return p2p_progress();
}

static bool wait_req_done(void *arg)
{
	return ((const struct req *)arg)->done;
}

/* Waits for r, one of n requests of the call. */
static void wait_one(struct req *r, struct req *const reqs[], int n)
{
	struct p2p_about about = {{p2p_wait_report_req}, r, reqs, n, false};
	struct shm_wait w;
	bool one = r->kind == REQ_RECV && r->peer >= 0 && via_peer_get(r->peer)->slot > 0;

	if (haft_threads_enabled()) {
		via_wait(&(struct via_condition){
			wait_req_done, r, progress_pass, NULL, &about.teller});
		return;
	}
	via_await(r->peer);
	shm_wait_begin(&w);
	w.teller = &about.teller;
	while (!r->done) {
		if (one && p2p_poll_from(r->peer) > 0)
			continue;
		if (p2p_progress() > 0)
			shm_wait_again(&w);
		else if (!r->done)
			via_idle(&w);
	}
	via_wait_end(&w);
	via_await(-1);
}

/* Inlined it would cost those who need not wait. */
__attribute__((noinline)) void p2p_wait_done(struct req *r)
{
	wait_one(r, NULL, 0);
}

void p2p_wait_until(bool (*ready)(void *arg), void *arg, struct p2p_about about)
{
	struct shm_wait w;

	if (ready(arg))
		return;
	about.teller.tell = p2p_wait_report_req;
	if (haft_threads_enabled()) {
		via_wait(&(struct via_condition){ready, arg, progress_pass, NULL, &about.teller});
		return;
	}
	shm_wait_begin(&w);
	w.teller = &about.teller;
	do {
		if (p2p_progress() > 0)
			shm_wait_again(&w);
		else
			via_idle(&w);
	} while (!ready(arg));
	via_wait_end(&w);
}

static bool progress_nothing_out(void *arg)
{
	(void)arg;
	return p2p_state.busy == NULL && via_quiet();
}

void p2p_flush(void)
{
	p2p_wait_until(progress_nothing_out, NULL, (struct p2p_about){.req = NULL});
}

static bool freed_done(void *arg)
{
	const struct comm *c = arg;

	return c->freed == 0;
}

void p2p_complete_freed(struct comm *c)
{
	p2p_wait_until(freed_done, c, (struct p2p_about){.req = NULL});
}

static void req_copies_gone(struct req *r)
{
	for (struct req_copy *c = r->copies, *next; c != NULL; c = next) {
		next = c->next;
		c->gone(c);
	}
}

void p2p_req_copies_take(struct req *r)
{
	for (struct req_copy *c = r->copies; c != NULL; c = c->next) {
		c->given = false;
		c->take(c);
	}
}

void p2p_req_copies_give(struct req *r, bool last)
{
	for (struct req_copy *c = r->copies; c != NULL; c = c->next) {
		if (c->given)
			continue;
		c->give(c);
		c->given = last;
	}
}

void p2p_req_release(struct req *r)
{
	if (r->type != NULL)
		obj_drop(r->type);
	if (r->comm != NULL)
		obj_drop(r->comm);
	if (unlikely(r->errwords != NULL))
		free(r->errwords);
	if (unlikely(r->note != NULL))
		free(r->note);
	if (unlikely(r->copies != NULL))
		req_copies_gone(r);
	if (unlikely(r->ops != NULL && r->ops->gone != NULL))
		r->ops->gone(r);
	else if (unlikely(r->scratch != NULL))
		free(r->scratch);
}

struct req *p2p_req_new(struct comm *c, const struct req_ops *ops)
{
	struct req *r = p2p_req_alloc();

	if (r == NULL)
		return NULL;
	obj_hold(c);
	r->comm = c;
	r->ctx = c->ctx | CTX_COLL;
	r->peer = r->res.source = MPI_ANY_SOURCE;
	r->res.tag = MPI_ANY_TAG;
	r->ops = ops;
	return r;
}

void p2p_req_done(struct req *r)
{
	p2p_req_finish(r);
}

void p2p_req_free(struct req *r)
{
	obj_h h = obj_handle(r);

	p2p_req_release(r);
	obj_free(&haft_req_class, &h);
}

void p2p_req_finish_slow(struct req *r)
{
	struct req *whole = r->whole;

	if (r->parts > 1) {
		r->parts--;
		return;
	}
	r->parts = 0;
	r->whole = NULL;
	r->done = true;
	if (whole != NULL && r->res.error != 0 && whole->res.error == 0) {
		whole->res.error = r->res.error;
		whole->errwords = r->errwords;
		r->errwords = NULL;
	}
	if (r->orphan) {
		if (r->comm != NULL)
			r->comm->freed--;
		if (r->ops != NULL && r->ops->over != NULL)
			r->ops->over(r);
		p2p_req_copies_give(r, true);
		p2p_req_release(r);
		obj_drop(r);
	}
	if (whole != NULL) {
		p2p_req_finish(whole);
		obj_drop(whole);
	}
}

/* --- results -------------------------------------------------------------------------------- */

void p2p_req_set_error(struct req *r, int err)
{
	req_touch(r);
	r->res.error = err;
	r->errwords = strdup(haft_err_text(err));
}

void p2p_req_fail(struct req *r, int err)
{
	p2p_req_set_error(r, err);
}

/* Whose handler gets the errors of a request. */
static void *req_error_owner(const struct req *r)
{
	return unlikely(r->comm != NULL && r->comm->win != NULL) ? (void *)r->comm->win : r->comm;
}

int p2p_req_report(struct req *r, MPI_Status *status)
{
	haft_status_set(status, r->res.source, r->res.tag, r->res.bytes, r->res.cancelled);
	if (unlikely(r->kind == REQ_USER))
		return p2p_grequest_call_query(r, status);
	if (likely(r->res.error == 0))
		return 0;
	haft_err(r->res.error, "%s", r->errwords != NULL ? r->errwords : "");
	haft_err_attach(req_error_owner(r), r->res.error);
	if (r->o.token == 0) { /* no handle: nobody else will free the words */
		free(r->errwords);
		r->errwords = NULL;
	}
	return r->res.error;
}

/* The end of a finished request that is `clean': no words, no parts, no memory of its own. */
static inline void wait_req_end_pristine(struct req *r, MPI_Status *status)
{
	haft_status_set(status, r->res.source, r->res.tag, r->res.bytes, r->res.cancelled);
	if (r->comm != NULL) {
		obj_drop(r->type);
		obj_drop(r->comm);
	}
	obj_free_fresh(&haft_req_class, r);
}

/* A finished request: its result, and the end of its handle. */
static int wait_req_end(struct req **request, MPI_Status *status)
{
	struct req *r = *request;
	int err;

	if (likely(r->clean)) {
		wait_req_end_pristine(r, status);
		*request = NULL;
		return 0;
	}
	err = p2p_req_report(r, status);

	if (unlikely(r->copies != NULL))
		p2p_req_copies_give(r, true);
	if (r->persist) {
		r->active = false;
		return err;
	}
	if (unlikely(r->kind == REQ_USER) && err == 0)
		err = p2p_grequest_call_free(r);
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

/* Writes the result of a request, finished or idle, and keeps it; the memory is the user's again.
 */
static int wait_look(struct req *r, MPI_Status *status)
{
	if (p2p_req_idle(r)) {
		haft_status_empty(status);
		return 0;
	}
	if (unlikely(r->copies != NULL))
		p2p_req_copies_give(r, true);
	return p2p_req_report(r, status);
}

static void wait_look_one(struct req *r, int at, MPI_Status *statuses)
{
	if (statuses == MPI_STATUSES_IGNORE)
		wait_look(r, MPI_STATUS_IGNORE);
	else
		statuses[at].MPI_ERROR = wait_look(r, &statuses[at]);
}

int p2p_request_get_status(struct req *request, int *flag, MPI_Status *status)
{
	*flag = 1;
	if (p2p_req_idle(request)) {
		haft_status_empty(status);
		return 0;
	}
	if (!request->done)
		p2p_progress_poll();
	*flag = request->done;
	if (request->done)
		wait_look(request, status);
	return 0;
}

/* A generalized request that has not completed (MPI-5.0 13.2): the handle stays good for
 * MPI_Grequest_complete, which frees it. */
static void free_incomplete_user(struct req *r)
{
	req_touch(r);
	r->orphan = true;
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

int p2p_request_free(struct req **request)
{
	struct req *r = *request;
	bool active = !p2p_req_idle(r), partitioned = r->kind == REQ_PSEND || r->kind == REQ_PRECV;

	if (active && (partitioned || r->kind == REQ_COLL))
		return haft_err(MPI_ERR_REQUEST,
			"the request of a %s operation cannot be freed before MPI_Wait or "
			"MPI_Test has completed it",
			partitioned ? "partitioned" : "collective");
	*request = NULL;
	if (active && !r->done) {
		if (r->kind == REQ_USER)
			free_incomplete_user(r);
		else
			free_active(r);
		return 0;
	}
	if (r->kind == REQ_USER)
		p2p_grequest_call_free(r);
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

/* For who waits for any of them. */
static struct p2p_about wait_about_some(const struct some *s)
{
	struct p2p_about about = {.reqs = s->reqs, .n = s->n, .one = true};

	for (int i = 0; i < s->n && about.req == NULL; i++)
		if (!p2p_req_idle(s->reqs[i]) && !s->reqs[i]->done)
			about.req = s->reqs[i];
	return about;
}

/* Ends request i with its status in an array; returns its error.  In arrays MPI_ERROR is set. */
static int wait_end_at(struct req **r, MPI_Status *statuses, int i)
{
	MPI_Status *s = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
	int err = 0;

	if (p2p_req_idle(*r))
		haft_status_empty(s);
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

static void wait_error_note(struct bad *b, int i, int err)
{
	if (err == 0 || b->err != 0)
		return;
	b->at = i;
	b->err = err;
	b->self = haft_err_attached(err, &err);
	memcpy(b->words, haft_err_text(b->err), sizeof(b->words));
}

/* The words say which request it was: with MPI_STATUSES_IGNORE nobody would learn more.  The
 * handler gets the error of that request (9.3.1). */
static int wait_error_result(const struct bad *b, int count)
{
	if (b->err == 0)
		return 0;
	haft_err(MPI_ERR_IN_STATUS, "request %d of %d failed: %s: %s", b->at, count,
		haft_err_class_name(b->err), b->words);
	haft_err_attach(b->self, b->err);
	return MPI_ERR_IN_STATUS;
}

static int wait_end_all(int count, struct req *reqs[], MPI_Status *statuses)
{
	struct bad bad;

	bad.err = 0;
	for (int i = 0; i < count; i++) {
		if (likely(statuses == MPI_STATUSES_IGNORE && reqs[i] != NULL && reqs[i]->clean)) {
			wait_req_end_pristine(reqs[i], MPI_STATUS_IGNORE);
			reqs[i] = NULL;
			continue;
		}
		wait_error_note(&bad, i, wait_end_at(&reqs[i], statuses, i));
	}
	return wait_error_result(&bad, count);
}

int p2p_waitall(int count, struct req *reqs[], MPI_Status *statuses)
{
	struct some s = {.reqs = reqs, .n = count};

	for (int i = 0; i < count; i++) {
		if (reqs[i] == NULL || reqs[i]->done)
			continue;
		if (!p2p_req_idle(reqs[i]))
			wait_one(reqs[i], reqs, count);
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
		wait_error_note(&bad, i, wait_end_at(&reqs[i], statuses, n++));
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
		return wait_look(NULL, status);
	if (!wait_any_done(&s))
		p2p_progress_poll();
	*flag = wait_any_done(&s);
	for (int i = 0; i < count && *flag; i++) {
		if (!p2p_req_idle(reqs[i]) && reqs[i]->done) {
			*index = i;
			return wait_look(reqs[i], status);
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
		wait_look_one(reqs[i], i, statuses);
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
	if (!wait_any_done(&s))
		p2p_progress_poll();
	for (int i = 0; i < count; i++) {
		if (p2p_req_idle(reqs[i]) || !reqs[i]->done)
			continue;
		wait_look_one(reqs[i], n, statuses);
		indices[n++] = i;
	}
	*outcount = n;
	return 0;
}
