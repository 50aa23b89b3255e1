// SPDX-License-Identifier: BSD-3-Clause
/* request.c - the life of a request (request.h). */
#include "libmpi/p2p/request.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/num.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/status.h"
#include "libmpi/core/win_object.h"
#include "libmpi/p2p/p2p.h"
#include <stdlib.h>
#include <string.h>

bool p2p_req_is_pristine(const struct req *r)
{
	const char *p = (const char *)&r->recv.sender_id;

	while (p < (const char *)(r + 1) && *p == 0)
		p++;
	return p == (const char *)(r + 1);
}

int p2p_req_fill(struct req *r, int kind, const struct p2p_message *m, struct comm *c, uint64_t ctx)
{
	return p2p_req_fill_inline(r, kind, m, c, ctx);
}

struct req *p2p_req_alloc(void)
{
	struct req *r = obj_new(&haft_req_class, NULL);

	if (r != NULL)
		p2p_req_clear(r, true);
	return r;
}

struct req *p2p_req_new_message(struct type *type, struct comm *c)
{
	struct req *r = p2p_req_alloc();

	if (r != NULL)
		p2p_req_hold(r, type, c);
	return r;
}

void p2p_req_proc_null(struct req *r)
{
	r->kind = REQ_DONE;
	r->res = (struct req_result){.source = MPI_PROC_NULL, .tag = MPI_ANY_TAG};
	r->done = true;
}

int p2p_req_no_memory(void)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory for another request");
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

int p2p_req_pack(
	const void *buf, int64_t count, const struct type *type, int64_t bytes, char **copy)
{
	*copy = malloc((size_t)bytes + 1);
	if (*copy == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for a copy of %lld bytes", (long long)bytes);
	type_pack(type, buf, count, 0, *copy, bytes);
	return 0;
}

/* --- the end of a request ------------------------------------------------------------------- */

void p2p_req_detach(struct req *r, struct req *whole)
{
	req_touch(r);
	r->orphan = true;
	if (r->comm != NULL)
		r->comm->freed++;
	r->whole = whole;
	if (whole != NULL)
		obj_hold(whole);
	obj_hold(r); /* dropped when it is over */
	obj_free_obj(r);
}

void p2p_req_abandon(struct req *r)
{
	if (r->done)
		p2p_req_free(r);
	else
		p2p_req_detach(r, NULL);
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
	if (r->kind == REQ_SEND) {
		free(r->send.sig);
		free(r->send.copy);
	}
	if (unlikely(r->copies != NULL))
		req_copies_gone(r);
	if (unlikely(r->ops != NULL && r->ops->gone != NULL))
		r->ops->gone(r);
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

	if (r->open_parts > 0) {
		r->open_parts--;
		return;
	}
	r->whole = NULL;
	r->done = true;
	if (r->helped)
		haft_help_need(-1);
	r->helped = false;
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

/* --- the helper ----------------------------------------------------------------------------- */

/* Short receives that the helper serves after the last message that asked for an answer. */
#define SHORT_HELPED 1000

void p2p_helper_tell(void)
{
	p2p_state.one_frame = num_min(p2p_state.eager, p2p_state.eager_remote);
	p2p_state.alone = p2p_state.short_helped > 0 ? -1 : p2p_state.one_frame;
	if (!haft_helper)
		p2p_state.alone = INT64_MAX;
}

void p2p_help_short(void)
{
	p2p_state.short_helped = SHORT_HELPED;
	p2p_helper_tell();
}

/* Is r a receive whose message is one frame?  It is there without help, but for one that asks for
 * an answer (p2p_help_short). */
static bool help_is_short(const struct req *r)
{
	if (r->kind != REQ_RECV || r->state != STATE_POSTED || r->open_parts > 0 ||
		r->bytes > p2p_state.one_frame)
		return false;
	if (p2p_state.short_helped == 0)
		return true;
	if (--p2p_state.short_helped == 0)
		p2p_helper_tell();
	return false;
}

void p2p_help(struct req *r)
{
	if (r->helped || r->kind == REQ_USER || p2p_req_idle(r) || help_is_short(r))
		return;
	req_touch(r);
	r->helped = true;
	haft_help_need(1);
}

void p2p_req_done(struct req *r)
{
	p2p_req_finish(r);
}

/* --- results -------------------------------------------------------------------------------- */

void p2p_req_fail(struct req *r, int err)
{
	req_touch(r);
	r->res.error = err;
	r->errwords = strdup(haft_err_text(err));
}

int p2p_req_error(const struct req *r, int class)
{
	return haft_err(class, "%s", r->errwords != NULL ? r->errwords : "");
}

void *p2p_req_owner(const struct req *r)
{
	if (r->ops != NULL && r->ops->owner != NULL)
		return r->ops->owner(r);
	return unlikely(r->comm != NULL && r->comm->win != NULL) ? (void *)r->comm->win : r->comm;
}

int p2p_req_report(struct req *r, MPI_Status *status)
{
	haft_status_set(status, r->res.source, r->res.tag, r->res.bytes, r->res.cancelled);
	if (unlikely(r->ops != NULL && r->ops->query != NULL))
		return r->ops->query(r, status);
	if (likely(r->res.error == 0))
		return 0;
	p2p_req_error(r, r->res.error);
	haft_err_attach(p2p_req_owner(r), r->res.error);
	if (r->o.token == 0) { /* no handle, and so no p2p_req_free, which would free the words */
		free(r->errwords);
		r->errwords = NULL;
	}
	return r->res.error;
}
