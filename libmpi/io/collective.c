// SPDX-License-Identifier: BSD-3-Clause
/* collective.c - an access of all members, from its call to its result.
 *
 *      io_collective         runs it here, to the end
 *      io_collective_start   puts it in the file's queue; progress runs the first of each queue
 *
 *      file A   head ──> [ access 1 ] ──> [ access 2 ]      one at a time, in the order of calls
 *      file B   head ──> [ access 3 ]
 *
 * The states of an access, and each member's permitted actions in them, are in collective.h. */
#include "libmpi/io/collective.h"
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/io/file.h"
#include "libmpi/io/access_thread.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/hosts.h"
#include "libmpi/io/convert.h"
#include "libmpi/io/rep.h"
#include "libmpi/io/stage.h"
#include "libmpi/io/view.h"
#include "libmpi/io/work.h"
#include "libmpi/p2p/request.h"
#include <stdlib.h>
#include <string.h>

static struct io_collective *active; /* nonblocking accesses of all files, in order of calls */

/* --- this member's own access --------------------------------------------------------------- */

/* Starts it: at once in a blocking call, else under a request of its own. */
static void collective_direct(struct io_collective *c)
{
	struct io_job *j = c->j, *own;

	if (j->err != 0 || j->bytes == 0)
		return;
	if (!c->later) {
		io_independent(j);
		return;
	}
	own = malloc(sizeof(*own));
	c->direct = own != NULL ? io_independent_request(j->f) : NULL;
	if (c->direct == NULL) { /* then it needs no memory */
		free(own);
		io_independent(j);
		return;
	}
	*own = *j; /* with j->convert */
	j->convert = NULL;
	own->words = NULL;
	own->watched = NULL; /* j's */
	own->inner = true;
	io_view_hold(own->view);
	obj_hold(own->type);
	own->f->jobs++;
	io_independent_start(own, c->direct);
}

/* Is it over?  Takes its result. */
static bool collective_direct_done(struct io_collective *c)
{
	if (c->direct == NULL)
		return true;
	if (!c->direct->done)
		return false;
	c->j->moved = c->direct->res.bytes;
	io_job_fail(c->j, p2p_req_report(c->direct, MPI_STATUS_IGNORE));
	p2p_req_free(c->direct);
	c->direct = NULL;
	return true;
}

/* --- states --------------------------------------------------------------------------------- */

/* Where aggregators keep their stages, and how many there are; equal on all members. */
static void collective_plan(struct io_collective *c)
{
	c->local = c->f->one_host;
	c->naggregators = io_hosts_aggregators(c->f);
	if (!c->local)
		c->image_room = io_hosts_image_room(c->f, c->naggregators);
	io_stage_size(c);
	c->mine_aggregator = -1;
	for (int a = 0; a < c->naggregators; a++)
		if (io_stage_rank(c, a) == c->f->rank)
			c->mine_aggregator = a;
}

static void collective_describe(struct io_collective *c)
{
	if (c->left || c->g->wanted)
		io_job_fail(c->j, io_stage_new(c));
	io_describe(c, c->left);
	io_exchange_begin(c, false);
	c->state = COLLECTIVE_DESCRIBE;
}

/* The last exchange: how the rounds, or each member's own pieces, have ended. */
static void collective_last(struct io_collective *c)
{
	c->mine.err = c->j->err;
	c->mine.runs = c->unwritten;
	io_exchange_begin(c, false);
	c->state = COLLECTIVE_LAST;
}

/* The bytes of a part have come to all members, in another representation: this one converts its
 * own, and tells whether that has failed, and whether it has more. */
static void collective_convert(struct io_collective *c)
{
	c->mine.runs = io_convert_taken(c->whole);
	c->j = c->whole;
	c->mine.err = c->j->err;
	io_exchange_begin(c, false);
	c->state = COLLECTIVE_CONVERT;
}

/* Has a member failed?  Then the lowest of those tells its words. */
static bool collective_has_failed(struct io_collective *c)
{
	for (int r = 0; r < c->f->size; r++)
		if (c->g->all[r].err != 0) {
			c->from = r;
			io_words_begin(c, r);
			c->state = COLLECTIVE_WORDS;
			return true;
		}
	return false;
}

static void collective_end(struct io_collective *c)
{
	c->state = COLLECTIVE_DONE;
	if (!collective_has_failed(c) && c->whole != NULL)
		collective_convert(c);
}

/* The next part is an access like the first one. */
static void collective_next(struct io_collective *c)
{
	io_stage_remote_free(c);
	*c = (struct io_collective){.j = io_convert_next(c->whole),
		.whole = c->whole,
		.f = c->f,
		.g = c->g,
		.file = c->file,
		.next = c->next,
		.active_next = c->active_next,
		.request = c->request,
		.running = c->running,
		.later = c->later,
		.by_calls = c->by_calls,
		.state = COLLECTIVE_BEGIN};
}

/* Does a member have another part?  Representations are equal on all members. */
static void collective_converted(struct io_collective *c)
{
	c->state = COLLECTIVE_DONE;
	if (collective_has_failed(c))
		return;
	for (int r = 0; r < c->f->size; r++)
		if (c->g->all[r].runs != 0) {
			collective_next(c);
			return;
		}
}

/* A job that is converted is moved part by part. */
static void collective_attach(struct io_collective *c, struct io_job *j)
{
	c->j = j;
	if (likely(j->convert == NULL) || io_convert_mode(j) != CONVERT_ROUNDS)
		return;
	c->whole = j;
	c->j = io_convert_next(j);
}

/* Counts the reason of this member's path. */
static void collective_count(const struct io_collective *c)
{
	if (c->j->err == 0 && c->why < IO_WHYS)
		c->f->counts.why[c->why]++;
}

static void collective_choose(struct io_collective *c)
{
	switch (io_describe_choose(c)) {
	case COLLECTIVE_STAGE:
		c->state = COLLECTIVE_STAGE;
		c->staged = true;
		c->f->counts.aggregated++;
		if (c->left)
			collective_count(c);
		return;
	case COLLECTIVE_SPREAD:
		if (!c->g->wanted && c->lacks_stage) { /* once more, with stages */
			c->g->wanted = true;
			collective_describe(c);
			return;
		}
		if (c->left) {
			collective_count(c);
			collective_direct(c);
		}
		c->state = COLLECTIVE_SPREAD;
		return;
	default: collective_end(c); return;
	}
}

/* All members fail with one class and one text. */
static void collective_take_words(struct io_collective *c)
{
	free(c->j->words);
	c->j->err = c->words.err;
	c->j->words = strdup(c->words.words);
	c->state = COLLECTIVE_DONE;
}

/* --- states --------------------------------------------------------------------------------- */

static bool collective_same_done(struct io_collective *c)
{
	return c->comparison == NULL || c->comparison->done;
}

/* A difference is the error of all members: none of them goes on. */
static void collective_same_end(struct io_collective *c)
{
	int err = 0;

	if (unlikely(c->comparison != NULL)) {
		err = p2p_req_report(c->comparison, MPI_STATUS_IGNORE);
		p2p_req_free(c->comparison);
		c->comparison = NULL;
	}
	io_job_take(c->j, err);
	c->state = err != 0 ? COLLECTIVE_DONE : COLLECTIVE_BEGIN;
}

static void collective_plan_begin(struct io_collective *c)
{
	collective_plan(c);
	c->left = c->j->err == 0 && !io_describe_is_direct(c, &c->why);
	if (!c->left) {
		collective_count(c);
		collective_direct(c);
	}
	c->state = COLLECTIVE_DIRECT;
}

/* MPI_File_set_view calls no function of the program.  So the first collective access of a view
 * whose extents come from one compares them, before any byte is moved. */
static void collective_begin(struct io_collective *c)
{
	const struct io_view *v = c->j->view != NULL ? c->j->view : c->f->view; /* a refusal */

	c->g->tag++;
	if (likely(!io_rep_is_lazy(v->rep) || v->compared)) {
		collective_plan_begin(c);
		return;
	}
	c->mine = (struct io_member){.err = c->j->err};
	if (c->j->err == 0)
		c->mine.runs = v->file_etype->extent;
	io_exchange_begin(c, false);
	c->state = COLLECTIVE_COMPARE;
}

/* All members have equal numbers, and so one result.  One with an error compares nothing. */
static void collective_compare(struct io_collective *c)
{
	const struct io_member *all = c->g->all;
	int odd = 0;

	for (int r = 0; r < c->f->size; r++) {
		if (all[r].err != 0) {
			collective_plan_begin(c);
			return;
		}
		if (odd == 0 && all[r].runs != all[0].runs)
			odd = r;
	}
	c->j->view->compared = odd == 0;
	if (odd == 0) {
		collective_plan_begin(c);
		return;
	}
	io_job_fail(c->j,
		haft_err(MPI_ERR_NOT_SAME,
			"rank %d of %d: the extent of the etype in the file is %lld bytes in the "
			"data representation \"%s\", and %lld on rank 0",
			odd, c->f->size, (long long)all[odd].runs, c->j->view->rep->name,
			(long long)all[0].runs));
	c->state = COLLECTIVE_DONE;
}

static bool collective_stage_step(struct io_collective *c)
{
	return c->local ? io_stage_local_step(c) : io_stage_remote_step(c);
}

/* The rounds are over.  Or blocks must not be written: then each member writes its own pieces. */
static void collective_stage_end(struct io_collective *c)
{
	if (!c->others_open) {
		collective_last(c);
		return;
	}
	c->staged = false;
	c->f->counts.aggregated--;
	if (c->left)
		collective_direct(c);
	c->state = COLLECTIVE_SPREAD;
}

static void collective_last_end(struct io_collective *c)
{
	if (c->staged && c->left && c->j->direction == IO_WRITE)
		c->j->moved = io_stage_written(c);
	collective_end(c);
}

static bool collective_words_step(struct io_collective *c)
{
	return io_words_step(c, c->from);
}

/* `step' is called until it is true; then `next' sets the following state. */
static const struct {
	bool (*step)(struct io_collective *c);
	void (*next)(struct io_collective *c);
} states[] = {
	[COLLECTIVE_SAME] = {collective_same_done, collective_same_end},
	[COLLECTIVE_BEGIN] = {NULL, collective_begin},
	[COLLECTIVE_COMPARE] = {io_exchange_step, collective_compare},
	[COLLECTIVE_DIRECT] = {collective_direct_done, collective_describe},
	[COLLECTIVE_DESCRIBE] = {io_exchange_step, collective_choose},
	[COLLECTIVE_STAGE] = {collective_stage_step, collective_stage_end},
	[COLLECTIVE_SPREAD] = {collective_direct_done, collective_last},
	[COLLECTIVE_LAST] = {io_exchange_step, collective_last_end},
	[COLLECTIVE_CONVERT] = {io_exchange_step, collective_converted},
	[COLLECTIVE_WORDS] = {collective_words_step, collective_take_words},
};

/* Runs states until something must come first (false), or to the end. */
static bool collective_run(struct io_collective *c)
{
	while (c->state != COLLECTIVE_DONE) {
		if (states[c->state].step != NULL && !states[c->state].step(c))
			return false;
		states[c->state].next(c);
	}
	io_stage_remote_free(c);
	if (unlikely(c->whole != NULL && c->j != c->whole)) { /* a part that all have failed in */
		io_job_take(c->whole, io_job_error(c->j));
		io_convert_taken(c->whole);
		c->j = c->whole;
	}
	return true;
}

static struct req *collective_awaited(const struct io_collective *c)
{
	if (c->comparison != NULL)
		return c->comparison;
	if (c->direct != NULL)
		return c->direct;
	return c->waited < c->nreqs ? &c->g->reqs[c->waited] : NULL;
}

/* --- blocking ------------------------------------------------------------------------------- */

static bool collective_row_is_empty(void *arg)
{
	const struct io_aggregate *g = arg;

	return g->head == NULL;
}

void io_collective_drain(const struct io_file *f)
{
	struct io_aggregate *g = f->aggregate;
	const struct p2p_condition empty = {.ready = collective_row_is_empty, .arg = g};

	if (g != NULL && g->head != NULL)
		p2p_progress_until(&empty);
}

static bool collective_has_written(void *arg)
{
	return !((const struct io_collective *)arg)->writing;
}

static void collective_blocking(struct io_job *j)
{
	struct io_aggregate *g = j->f->aggregate;
	struct io_collective c = {.f = j->f, .g = g, .by_calls = true};
	const struct p2p_condition written = {.ready = collective_has_written, .arg = &c};

	io_collective_drain(j->f);
	io_access_thread_rest();
	collective_attach(&c, j);
	while (!collective_run(&c)) {
		struct req *r = collective_awaited(&c);

		if (r != NULL && !r->done)
			p2p_wait_done(r);
		else if (c.stops_at_disk)
			p2p_progress_until(&written);
	}
}

void io_collective(struct io_job *j)
{
	if (j->f->size > 1)
		collective_blocking(j);
	else if (j->err == 0)
		io_independent(j);
}

/* --- requests ------------------------------------------------------------------------------- */

static int collective_needs(const struct req *r)
{
	const struct io_collective *c = r->io_collective;
	const struct req *awaited = c->j != NULL ? collective_awaited(c) : NULL;

	return awaited != NULL ? awaited->peer : -1;
}

static void *collective_owner(const struct req *r)
{
	return r->io_collective->file;
}

static void collective_gone(struct req *r)
{
	struct io_collective *c = r->io_collective;

	obj_drop(c->file);
	free(c);
}

static const struct req_ops collective_ops = {
	.gone = collective_gone, .needs = collective_needs, .owner = collective_owner};

/* Gives the request its result; only its handle and c are left.  A refusal has no request. */
static void collective_finish(struct io_collective *c)
{
	struct req *r = c->request;
	struct io_job *j = c->j;

	c->j = NULL;
	if (r == NULL) {
		if (j->direction == IO_WRITE)
			io_file_poison(j->f, j->err, j->words);
		free(j->words);
		io_view_drop(j->view);
		j->f = NULL;
		return;
	}
	io_job_finish(j);
	io_job_report(j);
	r->res.bytes = j->moved;
	r->res.error = j->err;
	r->errwords = j->words;
	j->words = NULL;
	io_job_count(j);
	io_job_end(j);
	free(j);
	p2p_req_done(r);
}

static void collective_remove(struct io_collective *c)
{
	struct io_collective **p = &active;

	while (*p != c)
		p = &(*p)->active_next;
	*p = c->active_next;
	must(c->g->head == c);
	c->g->head = c->next;
	if (c->g->head == NULL)
		c->g->tail = NULL;
	c->g->queued--;
}

/* Can it go on?  Only the first of a queue can. */
static bool collective_is_ready(const struct io_collective *c)
{
	const struct req *r = collective_awaited(c);

	return !c->running && c->g->head == c && (r == NULL || r->done) &&
	       !(c->stops_at_disk && c->writing);
}

/* Runs what can go on; called by p2p's progress.  Returns how many have moved.  After each it
 * begins again, because the list may have changed while the disk was waited for. */
static int collective_progress(void)
{
	int moved = 0;

	for (struct io_collective *c = active; c != NULL;) {
		bool over;

		if (!collective_is_ready(c)) {
			c = c->active_next;
			continue;
		}
		moved++;
		c->running = true;
		over = collective_run(c);
		c->running = false;
		if (over) {
			collective_remove(c);
			collective_finish(c);
		}
		c = active;
	}
	return moved;
}

/* A pass of the access thread: it also ends the accesses that members do themselves. */
static int collective_thread_pass(void)
{
	return io_work_progress() + collective_progress();
}

static bool collective_is_pending(void)
{
	return active != NULL;
}

static void collective_enqueue(struct io_collective *c)
{
	struct io_collective **p = &active;

	while (*p != NULL)
		p = &(*p)->active_next;
	*p = c;
	if (c->g->tail != NULL)
		c->g->tail->next = c;
	else
		c->g->head = c;
	c->g->tail = c;
	c->g->queued++;
	p2p_progress_hook(collective_progress);
	collective_progress();
	if (active != NULL)
		io_access_thread_want(collective_thread_pass, collective_is_pending);
}

static bool collective_refusal_is_over(void *arg)
{
	const struct io_refusal *r = arg;

	return r->job.f == NULL;
}

int io_collective_refuse(const struct io_job *j)
{
	struct io_aggregate *g = j->f->aggregate;
	struct io_refusal *r = g != NULL ? g->refusal : NULL;
	const struct p2p_condition over = {.ready = collective_refusal_is_over, .arg = r};

	if (r == NULL) /* one member */
		return io_job_error(j);
	if (r->job.f != NULL)
		p2p_progress_until(&over);
	r->job = (struct io_job){.f = j->f,
		.direction = j->direction,
		.collective = true,
		.view = j->f->view,
		.atomic = j->f->atomic,
		.err = j->err};
	io_view_hold(r->job.view);
	if (j->words != NULL)
		r->job.words = strdup(j->words);
	r->access = (struct io_collective){.j = &r->job,
		.f = j->f,
		.g = g,
		.file = j->f->file,
		.comparison = j->comparison,
		.later = true};
	collective_enqueue(&r->access);
	return io_job_error(j);
}

struct req *io_collective_request(const struct io_file *f)
{
	struct io_collective *c;
	struct req *r;

	if (f->size == 1)
		return io_independent_request(f);
	c = calloc(1, sizeof(*c));
	r = c == NULL ? NULL : p2p_req_new(f->comm, &collective_ops);
	if (r == NULL) {
		free(c);
		return NULL;
	}
	r->kind = REQ_IO;
	r->res.source = MPI_ANY_SOURCE;
	r->res.tag = MPI_ANY_TAG;
	c->file = f->file;
	obj_hold(c->file);
	c->g = f->aggregate;
	c->request = r;
	c->later = true;
	r->io_collective = c;
	return r;
}

void io_collective_start(struct io_job *j, struct req *r)
{
	struct io_collective *c;

	if (j->f->size == 1) {
		io_independent_start(j, r);
		return;
	}
	io_access_thread_rest();
	c = r->io_collective;
	collective_attach(c, j);
	c->f = j->f;
	c->comparison = j->comparison;
	collective_enqueue(c);
}
