// SPDX-License-Identifier: BSD-3-Clause
/* independent.c - an access of one process: its lock, its path, and its request.
 *
 *      blocking       independent_move                in this thread
 *      nonblocking    short: likewise, and the request is complete
 *                     else: a worker moves            work.h ──> independent_over: the result
 *
 * Neither touches an object of MPI while it moves; so a worker may, and other threads may enter MPI
 * meanwhile. */
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/io/convert.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/lock.h"
#include "libmpi/io/path.h"
#include "libmpi/io/work.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include <stdlib.h>

/* Bytes that are moved sooner than a worker is woken. */
#define INDEPENDENT_SHORT MEAN_OR(8, 64 << 10)

/* The bytes of the file from the first to the last one that a job touches. */
static void independent_range(const struct io_job *j, bool tidy, int64_t *lo, int64_t *hi)
{
	const struct io_view *v = j->view;

	*lo = 0;
	*hi = INT64_MAX;
	if (!tidy)
		return;
	if (v->linear) {
		*lo = v->first + j->at;
		*hi = *lo + j->bytes;
		return;
	}
	*lo = v->disp + type_offset(v->file_filetype, j->at);
	*hi = v->disp + type_offset(v->file_filetype, j->at + j->bytes - 1) + 1;
}

/* An atomic access is one step for all others that lock.  Another one must not write where a block
 * is being written back (scattered.c locks its own ranges). */
static int independent_lock(const struct io_job *j, bool tidy, struct io_lock *lock)
{
	struct io_file *f = j->f;
	int64_t lo, hi;

	lock->slot = -1;
	if (j->locked)
		return 0;
	if (!j->atomic && !(j->direction == IO_WRITE && j->view->linear && io_may_rewrite(f)))
		return 0;
	independent_range(j, tidy, &lo, &hi);
	if (j->atomic)
		return io_lock_range(f, lo, hi,
			j->direction == IO_WRITE ? IO_LOCK_EXCLUSIVE : IO_LOCK_SHARED,
			io_lock_reach(f), lock);
	return io_lock_range(f, lo, hi, IO_LOCK_SHARED, IO_LOCK_HOST, lock);
}

int io_write_beside(struct io_file *f, const char *buf, int64_t n, int64_t at, int64_t *moved)
{
	struct io_lock lock = {.slot = -1};
	int err = 0;

	*moved = 0;
	if (io_may_rewrite(f) && n > 0)
		err = io_lock_range(f, at, at + n, IO_LOCK_SHARED, IO_LOCK_HOST, &lock);
	if (err == 0)
		err = io_write_among(f, buf, n, at, moved);
	io_unlock_range(f, &lock);
	return err;
}

int io_independent_lock(const struct io_job *j, struct io_lock *lock)
{
	lock->slot = -1;
	return j->atomic ? independent_lock(j, io_view_is_tidy(j->view), lock) : 0;
}

/* Moves the bytes of a job, or of a part of one. */
static void independent_bytes(struct io_job *j, bool tidy)
{
	uint64_t begin = j->f->timed ? clock_now_ns() : 0;
	struct io_lock lock;
	int err = independent_lock(j, tidy, &lock);

	if (unlikely(j->f->timed))
		io_count(&j->f->counts.lock_ns, (int64_t)(clock_now_ns() - begin));
	if (err == 0)
		err = j->view->linear ? io_linear(j) : io_scattered(j, tidy);
	io_unlock_range(j->f, &lock);
	if (unlikely(err != 0))
		io_job_fail(j, err);
}

/* A part of a converted access, in a worker: MPI_File_set_view has looked at its view. */
static void independent_part(struct io_job *part)
{
	if (part->bytes > 0)
		independent_bytes(part, io_view_is_tidy(part->view));
}

/* Moves the bytes of a job.  Any thread, without the library's lock. */
static void independent_move(struct io_job *j, bool tidy)
{
	independent_bytes(j, tidy);
	if (unlikely(j->f->stream))
		io_stream_pass(j);
}

/* Likewise of a job that a worker converts. */
static void independent_converted(struct io_job *j)
{
	struct io_lock lock;
	int err = io_independent_lock(j, &lock);

	io_job_fail(j, err);
	if (err == 0)
		io_convert_all(j, j->atomic, independent_part);
	io_unlock_range(j->f, &lock);
	if (unlikely(j->f->stream))
		io_stream_pass(j);
}

/* Likewise in this thread, which has the library's lock. */
static void independent_here(struct io_job *j)
{
	struct io_lock lock;
	bool had = haft_user_begin();
	int err = io_independent_lock(j, &lock);

	haft_user_end(had);
	io_job_fail(j, err);
	if (err == 0)
		io_convert_all(j, j->atomic, io_independent);
	io_unlock_range(j->f, &lock);
}

void io_independent(struct io_job *j)
{
	bool tidy, had;

	if (j->bytes == 0)
		return;
	if (unlikely(j->convert != NULL)) {
		independent_here(j);
		return;
	}
	if (unlikely(j->f->stream))
		io_stream_wait(j);
	tidy = io_view_is_tidy(j->view);
	had = haft_user_begin();
	independent_move(j, tidy);
	haft_user_end(had);
}

/* --- requests ------------------------------------------------------------------------------- */

/* A nonblocking access under way; owned by its request. */
struct independent_access {
	struct io_work work; /* first */
	struct io_job *job;  /* owned until it is over */
	struct req *req;
	struct file *file;   /* held: gets the errors */
	struct io_job *part; /* of CONVERT_CHAIN: under way.  NULL: the job is */
	bool tidy;
};

static void *independent_owner(const struct req *r)
{
	return r->io_access->file;
}

static void independent_gone(struct req *r)
{
	struct independent_access *a = r->io_access;

	if (a == NULL)
		return;
	if (a->file != NULL)
		obj_drop(a->file);
	free(a);
}

static const struct req_ops independent_ops = {
	.gone = independent_gone, .owner = independent_owner};

static void independent_run(struct io_work *w)
{
	struct independent_access *a = (struct independent_access *)w;

	if (unlikely(a->part != NULL))
		independent_part(a->part);
	else if (unlikely(a->job->convert != NULL))
		independent_converted(a->job);
	else
		independent_move(a->job, a->tidy);
	if (unlikely(a->job->began_ns != 0))
		a->job->ended_ns = (int64_t)clock_now_ns();
}

/* Gives the request its result. */
static void independent_end(struct independent_access *a)
{
	struct io_job *j = a->job;

	a->job = NULL;
	if (unlikely(a->part != NULL) && j->f->stream)
		io_stream_pass(j);
	io_job_finish(j);
	io_job_report(j);
	a->req->res.bytes = j->moved;
	if (j->err != 0)
		p2p_req_fail(a->req, io_job_error(j));
	io_job_count(j);
	io_job_end(j);
	free(j);
	p2p_req_done(a->req);
}

/* Can it be done here and now?  It must not wait for another process. */
static bool independent_is_short(const struct io_job *j)
{
	if (j->bytes > INDEPENDENT_SHORT || !j->view->linear || j->atomic || j->f->stream)
		return false;
	return j->direction == IO_READ || j->f->alone || !io_may_rewrite(j->f);
}

static void independent_over(struct io_work *w);

static bool independent_is_turn(const struct io_work *w)
{
	return io_stream_is_turn(((const struct independent_access *)w)->job);
}

static void independent_work(struct independent_access *a)
{
	struct io_file *f = a->job->f;

	if (!f->stream) {
		io_work_start(NULL, &a->work);
		return;
	}
	if (f->workers == NULL)
		f->workers = io_workers_new();
	a->work.ready = independent_is_turn;
	io_work_start(f->workers, &a->work);
}

struct req *io_independent_request(const struct io_file *f)
{
	struct independent_access *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return NULL;
	a->req = p2p_req_new(f->comm, &independent_ops);
	if (a->req == NULL) {
		free(a);
		return NULL;
	}
	a->file = f->file;
	obj_hold(a->file);
	a->work.run = independent_run;
	a->work.over = independent_over;
	a->req->kind = REQ_IO;
	a->req->io_access = a;
	a->req->res.source = MPI_ANY_SOURCE;
	a->req->res.tag = MPI_ANY_TAG;
	return a->req;
}

/* Starts to move the job, or its part, or has moved it: true. */
static bool independent_go(struct independent_access *a, const struct io_job *moved)
{
	bool had;

	if (!independent_is_short(moved)) {
		independent_work(a);
		return false;
	}
	had = haft_user_begin();
	independent_run(&a->work);
	haft_user_end(had);
	return true;
}

/* Converts and moves one part after the other.  true: that was the last one; else a worker has
 * one. */
static bool independent_chain(struct independent_access *a)
{
	struct io_job *j = a->job;

	do {
		a->part = io_convert_next(j);
		if (a->part->err == 0 && !independent_go(a, a->part))
			return false;
	} while (io_convert_taken(j));
	return true;
}

static void independent_over(struct io_work *w)
{
	struct independent_access *a = (struct independent_access *)w;

	if (unlikely(a->part != NULL) && io_convert_taken(a->job) && !independent_chain(a))
		return;
	independent_end(a);
}

/* true: it is over. */
static bool independent_begin(struct independent_access *a)
{
	struct io_job *j = a->job;

	if (j->err != 0 || j->bytes == 0)
		return true;
	a->tidy = io_view_is_tidy(j->view);
	if (likely(j->convert == NULL) || io_convert_mode(j) == CONVERT_WORKER)
		return independent_go(a, j);
	if (io_convert_mode(j) == CONVERT_CHAIN)
		return independent_chain(a);
	independent_here(j);
	return true;
}

void io_independent_start(struct io_job *j, struct req *r)
{
	struct independent_access *a = r->io_access;

	a->job = j;
	if (independent_begin(a))
		independent_end(a);
}
