// SPDX-License-Identifier: BSD-3-Clause
/* access.c - checks of an access, its position, and who does it (MPI-5.0 14.4).
 *
 *      io_access ── access_prepare ── access_place ── do it ── status
 *                    amode, types      explicit: offset        independent.c, collective.c,
 *                    bytes             individual, shared:
 *                                      the pointer moves now
 *
 * An independent access that fails its checks changes nothing.  A collective one goes on with its
 * error, which then is that of all members. */
#include "libmpi/core/err.h"
#include "libmpi/core/status.h"
#include "libmpi/io/file.h"
#include "libmpi/io/rep.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/view.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"
#include <stdlib.h>
#include <string.h>

/* --- checks --------------------------------------------------------------------------------- */

static int access_check_mode(const struct io_job *j)
{
	const struct io_file *f = j->f;

	if (j->way == IO_WRITE && (f->amode & MPI_MODE_RDONLY) != 0)
		return haft_err(
			MPI_ERR_READ_ONLY, "a write: %s was opened with MPI_MODE_RDONLY", f->path);
	if (j->way == IO_READ && (f->amode & MPI_MODE_WRONLY) != 0)
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

/* Does the memory hold whole etypes, and does the view have room for them? */
static int access_check_data(const struct io_job *j)
{
	const struct io_view *v = j->view;
	int err = type_check(j->buf, j->count, 1, j->type, "the buffer");

	if (err != 0)
		return err;
	if (v->etype->size > 0 ? j->count * j->type->size % v->etype->size != 0
			       : j->count * j->type->size > 0)
		return haft_err(MPI_ERR_IO, "%lld bytes of data are not whole etypes of %lld bytes",
			(long long)(j->count * j->type->size), (long long)v->etype->size);
	if (v->filetype->size == 0 && j->count * j->type->size > 0)
		return haft_err(MPI_ERR_IO, "the view of %s has no data", j->f->path);
	return 0;
}

/* Holds the view, and checks all that needs no communication.  Sets j->bytes. */
static int access_prepare(struct io_job *j)
{
	struct io_view *v = j->f->view;
	int err;

	io_view_hold(v);
	j->view = v;
	j->f->busy++;
	err = access_check_mode(j);
	if (err == 0)
		err = access_check_data(j);
	if (err == 0)
		err = io_view_complete(v);
	if (err != 0)
		return err;
	j->bytes = j->count * j->type->size;
	if (v->unit != v->etype->size) /* in the file the data have another size */
		j->bytes = j->bytes / v->etype->size * v->unit;
	if (j->positioning == IO_EXPLICIT &&
		(j->offset < 0 || __builtin_mul_overflow(j->offset, v->unit, &j->at)))
		return haft_err(MPI_ERR_ARG, "the offset is %lld etypes of %lld bytes",
			(long long)j->offset, (long long)v->unit);
	return 0;
}

/* Takes the position; the pointers move now. */
static void access_place(struct io_job *j)
{
	struct io_file *f = j->f;
	int64_t n = io_view_etypes(j->view, j->bytes), before = 0;

	if (j->positioning == IO_ORDERED)
		io_shared_order(j);
	if (j->err != 0)
		return;
	if (j->positioning == IO_INDIVIDUAL) {
		j->at = f->position * j->view->unit;
		f->position += n;
	} else if (j->positioning == IO_SHARED) {
		io_job_fail(j, io_shared_add(f, n, &before));
		j->at = before * j->view->unit;
	}
	if (j->way == IO_WRITE)
		f->dirty = true;
	f->counts.calls[j->way]++;
	f->counts.bytes[j->way] += j->bytes;
}

/* --- doing it ------------------------------------------------------------------------------- */

static void access_do(struct io_job *j)
{
	if (j->collective)
		io_collective(j);
	else if (j->err == 0)
		io_independent(j);
}

/* Bytes of memory that were moved. */
static int64_t access_memory_bytes(const struct io_job *j)
{
	return j->moved;
}

static void access_status(const struct io_job *j, MPI_Status *status)
{
	haft_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, access_memory_bytes(j), 0);
}

int io_access(struct io_job *j, MPI_Status *status)
{
	int err = access_prepare(j);

	io_job_fail(j, err);
	if (err == 0 || j->collective) {
		access_place(j);
		access_do(j);
		access_status(j, status);
		err = io_job_error(j);
	}
	io_job_end(j);
	return err;
}

int io_access_begin(struct io_job *job, struct req **request)
{
	struct io_job *j = malloc(sizeof(*j));
	int err;

	if (j == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a nonblocking access");
	*j = *job;
	obj_hold(j->type);
	err = access_prepare(j);
	io_job_fail(j, err);
	if (err == 0 || j->collective) {
		access_place(j);
		return j->collective ? io_collective_begin(j, request)
				     : io_independent_begin(j, request);
	}
	io_job_end(j);
	free(j);
	return err;
}
