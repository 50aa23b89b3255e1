// SPDX-License-Identifier: BSD-3-Clause
/* access.c - checks of an access, its position, and its method (MPI-5.0 14.4).
 *
 *      io_access ── access_prepare ── access_position ── do it ── status
 *                    amode, types      explicit: offset        independent.c, collective.c,
 *                    bytes             individual, shared:
 *                                      the pointer moves now
 *
 * An independent access that fails its checks changes nothing.  A collective one goes on with its
 * error, which then is that of all members. */
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/core/status.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/check.h"
#include "libmpi/io/collective.h"
#include "libmpi/io/convert.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/file.h"
#include "libmpi/io/long_access.h"
#include "libmpi/io/path.h"
#include "libmpi/io/rep.h"
#include "libmpi/io/same_call.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/view.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/p2p/request.h"
#include "libmpi/type/type.h"
#include <stdlib.h>
#include <string.h>

/* --- checks --------------------------------------------------------------------------------- */

static int access_check_mode(const struct io_job *j)
{
	const struct io_file *f = j->f;

	if (j->direction == IO_WRITE && (f->amode & MPI_MODE_RDONLY) != 0)
		return haft_err(
			MPI_ERR_READ_ONLY, "a write: %s was opened with MPI_MODE_RDONLY", f->path);
	if (j->direction == IO_READ && (f->amode & MPI_MODE_WRONLY) != 0)
		return haft_err(
			MPI_ERR_ACCESS, "a read: %s was opened with MPI_MODE_WRONLY", f->path);
	if (f->sequential && j->positioning < IO_SHARED)
		return haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
			"%s was opened with MPI_MODE_SEQUENTIAL: it is accessed at the shared file "
			"pointer only",
			f->path);
	if (j->collective && f->split.req != NULL)
		return haft_err(MPI_ERR_OTHER,
			"a collective access while a split collective access of %s is active",
			f->path);
	return 0;
}

/* Does the memory hold whole etypes, and does the view have room for them?  Sets j->bytes. */
static int access_check_data(struct io_job *j)
{
	const struct io_view *v = j->view;
	int64_t element;
	int err = type_check(j->buf, j->count, 1, j->type, "the buffer");

	if (err == 0)
		err = io_convert_size(v, j->type, &element);
	if (err != 0)
		return err;
	if (__builtin_mul_overflow(j->count, j->type->size, &j->asked) ||
		__builtin_mul_overflow(j->count, element, &j->bytes))
		return haft_err(MPI_ERR_COUNT, "%lld elements of %lld bytes are too many",
			(long long)j->count, (long long)element);
	if (j->bytes > 0 && v->file_filetype->size == 0)
		return haft_err(MPI_ERR_IO, "the view of %s has no data", j->f->path);
	if (j->bytes > 0 && j->bytes % v->unit != 0)
		return haft_err(MPI_ERR_IO, "%lld bytes of data are not whole etypes of %lld bytes",
			(long long)j->bytes, (long long)v->unit);
	return 0;
}

/* A filetype may overlap its own repetition, as HDF5's do: then one tile can be written. */
int io_access_check_tiles(const struct io_job *j)
{
	const struct type *tile = j->view->file_filetype;

	if (likely(!j->view->overlaps) || j->direction == IO_READ ||
		io_view_one_tile(j->view, j->at, j->at + j->bytes))
		return 0;
	return haft_err(MPI_ERR_IO,
		"the filetype overlaps its own repetition: its extent is %lld, its data reach over "
		"%lld bytes, and more than one is written to %s",
		(long long)tile->extent, (long long)tile->true_extent, j->f->path);
}

/* Is this a position from which the bytes can be counted, here and in the file? */
static int access_offset_fits(const struct io_job *j, int64_t offset, int64_t *at)
{
	int64_t end;

	if (offset >= 0 && !__builtin_mul_overflow(offset, j->view->unit, at) &&
		!__builtin_add_overflow(*at, j->bytes, &end) && io_view_fits(j->view, end))
		return 0;
	return haft_err(MPI_ERR_ARG, "the offset is %lld etypes of %lld bytes", (long long)offset,
		(long long)j->view->unit);
}

static int access_check_offset(struct io_job *j, int64_t offset)
{
	int err = access_offset_fits(j, offset, &j->at);

	return err == 0 ? io_access_check_tiles(j) : err;
}

/* Holds the view, and checks all that needs no communication. */
static int access_prepare(struct io_job *j)
{
	struct io_file *f = j->f;
	int err;

	io_view_hold(f->view);
	j->view = f->view;
	j->atomic = f->atomic;
	f->jobs++;
	err = access_check_mode(j);
	if (err == 0)
		err = io_view_complete(j->view);
	if (err == 0)
		err = access_check_data(j);
	if (err == 0 && unlikely(f->stream) && !j->view->linear)
		err = haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
			"the view of %s is not in the order of the bytes, and a pipe has no other",
			f->path);
	if (err == 0 && j->positioning == IO_EXPLICIT)
		err = access_check_offset(j, j->offset);
	return err;
}

static void access_position_individual(struct io_job *j, int64_t n)
{
	int err = access_check_offset(j, j->f->position);

	io_job_fail(j, err);
	j->placed = err == 0;
	if (j->placed)
		j->f->position += n;
}

static void access_take_shared(struct io_job *j, int64_t n)
{
	int64_t before;
	int err = io_shared_add(j->f, n, io_view_most(j->view), &before);

	j->placed = err == 0;
	if (err == 0)
		err = access_check_offset(j, before);
	if (err == 0)
		return;
	io_job_fail(j, err);
	if (j->placed)
		io_shared_give_back(j->f, before, n);
	j->placed = false;
}

static void access_position_shared(struct io_job *j, int64_t n)
{
	bool reserve = j->f->stream && j->bytes > 0;

	if (unlikely(reserve))
		io_job_fail(j, io_stream_reserve_begin(j));
	if (unlikely(j->err != 0))
		return;
	access_take_shared(j, n);
	if (unlikely(reserve))
		io_stream_reserve_end(j);
}

/* Takes the position; the pointers move now. */
static void access_position(struct io_job *j)
{
	struct io_file *f = j->f;
	int64_t n = io_view_etypes(j->view, j->bytes);

	if (j->positioning == IO_ORDERED)
		io_shared_order(j);
	if (j->err != 0)
		return;
	if (j->positioning == IO_INDIVIDUAL)
		access_position_individual(j, n);
	else if (j->positioning == IO_SHARED)
		access_position_shared(j, n);
	if (unlikely(j->err != 0))
		return;
	if (j->direction == IO_WRITE)
		f->dirty = true;
	if (unlikely(io_check_wanted) && j->direction == IO_WRITE)
		io_check_write(j);
	if (unlikely(j->bytes >= IO_PROGRESS_LONG))
		io_progress_begin(j);
	j->counted = true;
	f->counts.calls[j->direction]++;
	f->counts.bytes[j->direction] += j->bytes;
}

/* --- doing it ------------------------------------------------------------------------------- */

/* A pending access may be the one that compares, at another time on each member: all go on when it
 * is over. */
bool io_access_compares(const struct io_file *f, const struct io_view *v)
{
	if (!io_rep_is_lazy(v->rep))
		return false;
	io_collective_drain(f);
	return !v->compared;
}

static void access_move(struct io_job *j)
{
	if (j->collective)
		io_collective(j);
	else if (j->err == 0)
		io_independent(j);
}

/* An access of no bytes compares the extents of the program's: collective.c. */
static void access_compare(struct io_job *j)
{
	struct io_job none = {.f = j->f,
		.direction = j->direction,
		.collective = true,
		.inner = true,
		.view = j->view,
		.atomic = j->atomic};

	io_job_fail(&none, io_job_error(j));
	io_collective(&none);
	io_job_take(j, io_job_error(&none));
	free(none.words);
}

/* Each member has the lock of its whole range while it moves parts, so it does not wait for other
 * members in between. */
static void access_apart(struct io_job *j)
{
	if (io_access_compares(j->f, j->view)) {
		access_compare(j);
		if (j->err != 0)
			return;
	}
	j->collective = false;
	if (j->err == 0)
		io_convert_begin(j);
	access_move(j);
	j->collective = true;
	io_job_take(j, io_agree(j->f, io_job_error(j)));
}

static void access_parts(struct io_job *j)
{
	bool converts = io_rep_converts(j->view->rep);

	if (unlikely(converts && j->collective && j->atomic)) {
		access_apart(j);
		return;
	}
	if (unlikely(converts) && j->err == 0)
		io_convert_begin(j);
	access_move(j);
}

/* On a pipe or device each member moves all its bytes in one turn, and waits for no other member in
 * it.  Then all agree on an error. */
static void access_in_turn(struct io_job *j)
{
	bool collective = j->collective;

	j->collective = false;
	access_parts(j);
	if (j->placed && j->bytes > 0) {
		io_stream_wait(j);
		io_stream_pass(j);
	}
	j->collective = collective;
	if (collective)
		io_job_take(j, io_agree(j->f, io_job_error(j)));
}

static void access_do(struct io_job *j)
{
	if (unlikely(j->f->stream))
		access_in_turn(j);
	else
		access_parts(j);
}

/* One range of memory to one range of the file, without any lock: the system call is all. */
static bool access_is_whole(const struct io_job *j)
{
	const struct io_file *f = j->f;

	return !j->collective && j->err == 0 && j->bytes > 0 && j->view->linear && !f->timed &&
	       !f->atomic && !f->stream && !io_rep_converts(j->view->rep) &&
	       (j->direction == IO_READ || !io_may_rewrite(f));
}

/* Few frames: each one costs a return that the processor has not foreseen after a system call.
 * false: nothing was done. */
static inline bool access_whole(struct io_job *j)
{
	char *mem = access_is_whole(j) ? type_contiguous_at(j->type, j->buf, j->count) : NULL;

	if (mem == NULL)
		return false;
	io_count(&j->f->counts.direct, 1);
	io_job_fail(j, io_disk_move(j->f, (enum io_direction)j->direction, mem, j->bytes,
			       j->view->first + j->at, &j->moved));
	return true;
}

static int64_t access_elsewhere(const struct io_counts *c)
{
	return __atomic_load_n(&c->disk_ns, __ATOMIC_RELAXED) +
	       __atomic_load_n(&c->lock_ns, __ATOMIC_RELAXED);
}

static void access_timed(struct io_job *j)
{
	struct io_counts *c = &j->f->counts;
	int64_t begin, elsewhere, ns;

	if (likely(!j->f->timed)) {
		access_do(j);
		return;
	}
	elsewhere = access_elsewhere(c);
	begin = (int64_t)clock_now_ns();
	access_do(j);
	ns = (int64_t)clock_now_ns() - begin;
	c->access_ns += ns;
	if (j->collective)
		c->exchange_ns += num_max(ns - (access_elsewhere(c) - elsewhere), 0);
}

/* Another thread may have moved the pointer since: then it stays. */
static void access_go_back(const struct io_job *j, int64_t n)
{
	int64_t before = io_view_etypes(j->view, j->at);

	if (j->f->position == before + n)
		j->f->position = before;
}

/* A call that has failed leaves the pointers as they were.  But bytes that have left by a pipe do
 * not come back. */
static void access_undo(struct io_job *j)
{
	int64_t n = io_view_etypes(j->view, j->bytes);

	if (!j->placed || j->f->stream)
		return;
	if (j->positioning == IO_ORDERED)
		io_shared_order_undo(j->f);
	else if (j->positioning == IO_INDIVIDUAL)
		access_go_back(j, n);
	else
		io_shared_give_back(j->f, io_view_etypes(j->view, j->at), n);
}

static int access_blocking(struct io_job *j, MPI_Status *status)
{
	int err = access_prepare(j);

	io_job_fail(j, err);
	if (err == 0 || j->collective) {
		access_position(j);
		if (!access_whole(j))
			access_timed(j);
		haft_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, j->moved, 0);
		if (unlikely(j->err != 0))
			access_undo(j);
		io_job_count(j);
		err = io_job_error(j);
	}
	io_job_end(j);
	return err;
}

int io_access(struct io_job *j, MPI_Status *status)
{
	int err;

	if (!j->collective)
		return access_blocking(j, status);
	err = io_same_call(j->f, io_same_call_of(j));
	return io_has_joined(err != 0 ? err : access_blocking(j, status));
}

/* All that may fail before a pointer moves: the conversion of data that are moved later, and the
 * request. */
static struct req *access_make(struct io_job *j)
{
	struct req *r = NULL;

	if (unlikely(io_check_wanted) && j->err == 0)
		io_check_buffer_begin(j);
	if (j->err == 0 && io_rep_converts(j->view->rep))
		io_convert_begin(j);
	if (j->collective)
		r = io_collective_request(j->f);
	else if (j->err == 0)
		r = io_independent_request(j->f);
	if (r == NULL && (j->collective || j->err == 0))
		io_job_fail(j, p2p_req_no_memory());
	return r;
}

/* There is no memory for an access that is not blocking.  The other members of a collective one
 * must not wait. */
static int access_refuse(struct io_job *job, int err)
{
	io_job_fail(job, err);
	if (job->positioning == IO_ORDERED)
		io_shared_order(job);
	err = job->collective ? io_collective_refuse(job) : io_job_error(job);
	free(job->words);
	return job->direction == IO_WRITE ? io_file_poison(job->f, err, NULL) : err;
}

/* Ends a job that was not started. */
static int access_drop(struct io_job *j, struct req *r)
{
	int err = io_job_error(j);

	if (r != NULL)
		p2p_req_free(r);
	io_job_count(j);
	io_job_end(j);
	free(j);
	return err;
}

static int access_start(struct io_job *job, struct req **request)
{
	struct io_job *j = malloc(sizeof(*j));
	struct req *r;

	if (j == NULL)
		return access_refuse(
			job, haft_err(MPI_ERR_NO_MEM, "no memory for a nonblocking access"));
	*j = *job;
	if (unlikely(j->f->timed))
		j->began_ns = (int64_t)clock_now_ns();
	obj_hold(j->type);
	io_job_fail(j, access_prepare(j));
	r = access_make(j);
	if (r == NULL && j->collective) {
		access_refuse(job, io_job_error(j));
		return access_drop(j, NULL);
	}
	if (j->err == 0 || j->collective)
		access_position(j);
	if (j->err != 0 && !j->collective)
		return access_drop(j, r);
	*request = r;
	if (j->collective)
		io_collective_start(j, r);
	else
		io_independent_start(j, r);
	return 0;
}

int io_access_begin(struct io_job *job, struct req **request)
{
	int err;

	if (!job->collective)
		return access_start(job, request);
	err = io_same_call_job(job);
	return io_has_joined(err != 0 ? err : access_start(job, request));
}
