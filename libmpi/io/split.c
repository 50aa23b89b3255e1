// SPDX-License-Identifier: BSD-3-Clause
/* split.c - split collective accesses (MPI-5.0 14.4.5). */
#include "libmpi/io/split.h"

#include "libmpi/core/err.h"
#include "libmpi/io/shared.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/p2p/request.h"

/* The verb of a split access: which _end belongs to which _begin. */
static uint8_t split_routine(enum io_direction direction, enum io_positioning positioning)
{
	return (uint8_t)(direction | positioning << 1);
}

int io_split_begin(struct io_job *j)
{
	struct io_file *f = j->f;
	struct req *r;
	int err;

	if (f->split.req != NULL)
		return haft_err(MPI_ERR_OTHER, "a split collective access of %s is active already",
			f->path);
	f->split.before = f->position;
	f->split.touched = false;
	err = io_access_begin(j, &r);
	if (err != 0)
		return err;
	f->split.req = r;
	f->split.routine = split_routine(j->direction, j->positioning);
	f->split.buf = j->buf;
	f->split.after = f->position;
	return 0;
}

/* The access has failed, on all members: the pointers go back.  The individual one stays where the
 * program has moved it since. */
static void split_undo(struct io_file *f, enum io_positioning positioning)
{
	if (positioning == IO_ORDERED)
		io_shared_order_undo(f);
	else if (positioning == IO_INDIVIDUAL && f->position == f->split.after)
		f->position = f->split.before;
}

int io_split_end(struct io_file *f, enum io_direction direction, enum io_positioning positioning,
	const void *buf, MPI_Status *status)
{
	struct req *r = f->split.req;
	int err;

	if (r == NULL)
		return haft_err(
			MPI_ERR_OTHER, "no split collective access of %s is active", f->path);
	if (f->split.routine != split_routine(direction, positioning))
		return haft_err(MPI_ERR_OTHER,
			"the split collective access of %s that is active was begun by another "
			"function",
			f->path);
	if (f->split.buf != buf)
		return haft_err(MPI_ERR_OTHER,
			"the buffer is not that of the split collective access of %s", f->path);
	p2p_wait_done(r);
	f->split.req = NULL;
	if (r->res.error != 0 && !f->split.touched)
		split_undo(f, positioning);
	err = p2p_req_report(r, status);
	p2p_req_free(r);
	return err;
}
