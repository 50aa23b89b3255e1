// SPDX-License-Identifier: BSD-3-Clause
/* seek.c - file pointers and positions (MPI-5.0 14.4.3, 14.4.4), and extents in a file (14.5.1).
 *
 * The end of the file in a view is found by a division per loop of the filetype, not by walking
 * over the tiles. */
#include "libmpi/core/err.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/file.h"
#include "libmpi/io/rep.h"
#include "libmpi/io/same_call.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/view.h"
#include <engine.h>

/* Positions mean nothing in a file that is only read or written in sequence. */
static int seek_allowed(struct io_file *f)
{
	if (f->sequential)
		return haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
			"%s was opened with MPI_MODE_SEQUENTIAL, it has no positions", f->path);
	return io_view_complete(f->view);
}

/* Where a seek leads, in etypes; now: where the pointer is. */
static int seek_to(
	const struct io_file *f, int64_t offset, int whence, int64_t now, int64_t *position)
{
	int64_t from = 0, size;
	int err;

	if (whence == MPI_SEEK_CUR) {
		from = now;
	} else if (whence == MPI_SEEK_END) {
		err = io_disk_size(f, &size);
		if (err != 0)
			return err;
		from = io_view_etypes(f->view, io_view_position(f->view, size));
	} else if (whence != MPI_SEEK_SET) {
		return haft_err(MPI_ERR_ARG,
			"whence is %d, not MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END", whence);
	}
	if (__builtin_add_overflow(from, offset, position) || *position < 0)
		return haft_err(MPI_ERR_ARG, "a seek by %lld from etype %lld of the view",
			(long long)offset, (long long)from);
	return 0;
}

int io_seek(struct file *fh, int64_t offset, int whence)
{
	struct io_file *f = io_of(fh);
	int err = seek_allowed(f);
	int64_t to;

	if (err == 0)
		err = seek_to(f, offset, whence, f->position, &to);
	if (err == 0)
		f->position = to;
	return err;
}

int io_get_position(struct file *fh, int64_t *offset)
{
	struct io_file *f = io_of(fh);
	int err = seek_allowed(f);

	if (err == 0)
		*offset = f->position;
	return err;
}

int io_get_byte_offset(struct file *fh, int64_t offset, int64_t *disp)
{
	struct io_file *f = io_of(fh);
	int64_t at;
	int err = io_view_complete(f->view);

	if (err != 0)
		return err;
	if (offset < 0 || offset == INT64_MAX ||
		__builtin_mul_overflow(offset, f->view->unit, &at) || !io_view_fits(f->view, at))
		return haft_err(MPI_ERR_ARG, "the offset is %lld etypes of %lld bytes",
			(long long)offset, (long long)f->view->unit);
	*disp = io_view_byte(f->view, at);
	return 0;
}

int io_seek_shared(struct file *fh, int64_t offset, int whence)
{
	const struct io_same same[] = {{.value = offset, .name = "the offset"},
		{.value = whence, .name = "the value of whence"}};
	struct io_file *f = io_of(fh);
	int64_t now, to;
	int err = io_same_call(f, COLL_FILE_SEEK_SHARED);

	if (err != 0)
		return err;
	err = seek_allowed(f);
	/* From here on the pointer rests: all members have made their earlier accesses. */
	err = io_agree_same(f, err, same, countof(same), NULL);
	if (err != 0)
		return err;
	if (f->rank == 0) {
		err = io_shared_add(f, 0, 0, &now);
		if (err == 0)
			err = seek_to(f, offset, whence, now, &to);
		if (err == 0)
			io_shared_prepare(f, to);
	}
	err = io_agree(f, err);
	if (err == 0)
		io_shared_word_next(f);
	return err;
}

int io_get_position_shared(struct file *fh, int64_t *offset)
{
	struct io_file *f = io_of(fh);
	int err = seek_allowed(f);

	return err != 0 ? err : io_shared_add(f, 0, 0, offset);
}

int io_get_type_extent(struct file *fh, struct type *datatype, int64_t *extent)
{
	struct type *t;
	int err = io_rep_scale(io_of(fh)->view->rep, datatype, &t);

	if (err != 0)
		return err;
	*extent = t->extent;
	obj_drop(t);
	return 0;
}
