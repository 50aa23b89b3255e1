// SPDX-License-Identifier: BSD-3-Clause
/* calls.c - the engines of the 34 access functions: each fills in a struct io_job (MPI-5.0 14.4).
 *
 *                  explicit    individual   shared      in order of ranks
 *      blocking    read_at     read         read_shared
 *                  read_at_all read_all                 read_ordered
 *      nonblocking iread_at    iread        iread_shared
 *                  iread_at_all iread_all
 *      split       read_at_all_begin _end   read_all_begin _end   read_ordered_begin _end
 *
 * and as many that write. */
#include "libmpi/io/io.h"
#include "libmpi/io/split.h"

#include <engine.h>

/* A job of the user's arguments.  Collective: of all members. */
static struct io_job call_job(struct file *fh, enum io_direction direction,
	enum io_positioning positioning, bool collective, const void *buf, int64_t count,
	struct type *type)
{
	return (struct io_job){.f = io_of(fh),
		.direction = (uint8_t)direction,
		.positioning = (uint8_t)positioning,
		.collective = collective,
		.buf = (char *)(uintptr_t)buf,
		.count = count,
		.type = type};
}

static int call_at(struct file *fh, enum io_direction direction, bool collective, int64_t offset,
	const void *buf, int64_t count, struct type *type, MPI_Status *status)
{
	struct io_job j = call_job(fh, direction, IO_EXPLICIT, collective, buf, count, type);

	j.offset = offset;
	return io_access(&j, status);
}

static int call_iat(struct file *fh, enum io_direction direction, bool collective, int64_t offset,
	const void *buf, int64_t count, struct type *type, struct req **request)
{
	struct io_job j = call_job(fh, direction, IO_EXPLICIT, collective, buf, count, type);

	j.offset = offset;
	j.form = IO_NONBLOCKING;
	return io_access_begin(&j, request);
}

static int call_here(struct file *fh, enum io_direction direction, enum io_positioning positioning,
	bool collective, const void *buf, int64_t count, struct type *type, MPI_Status *status)
{
	struct io_job j = call_job(fh, direction, positioning, collective, buf, count, type);

	return io_access(&j, status);
}

static int call_ihere(struct file *fh, enum io_direction direction, enum io_positioning positioning,
	bool collective, const void *buf, int64_t count, struct type *type, struct req **request)
{
	struct io_job j = call_job(fh, direction, positioning, collective, buf, count, type);

	j.form = IO_NONBLOCKING;
	return io_access_begin(&j, request);
}

static int call_begin(struct file *fh, enum io_direction direction, enum io_positioning positioning,
	int64_t offset, const void *buf, int64_t count, struct type *type)
{
	struct io_job j = call_job(fh, direction, positioning, true, buf, count, type);

	j.offset = offset;
	j.form = IO_SPLIT;
	return io_split_begin(&j);
}

/* --- explicit offsets (14.4.2) ---------------------------------------------------------------- */

int io_read_at(struct file *fh, int64_t offset, void *buf, int64_t count, struct type *datatype,
	MPI_Status *status)
{
	return call_at(fh, IO_READ, false, offset, buf, count, datatype, status);
}

int io_read_at_all(struct file *fh, int64_t offset, void *buf, int64_t count, struct type *datatype,
	MPI_Status *status)
{
	return call_at(fh, IO_READ, true, offset, buf, count, datatype, status);
}

int io_iread_at(struct file *fh, int64_t offset, void *buf, int64_t count, struct type *datatype,
	struct req **request)
{
	return call_iat(fh, IO_READ, false, offset, buf, count, datatype, request);
}

int io_iread_at_all(struct file *fh, int64_t offset, void *buf, int64_t count,
	struct type *datatype, struct req **request)
{
	return call_iat(fh, IO_READ, true, offset, buf, count, datatype, request);
}

int io_write_at(struct file *fh, int64_t offset, const void *buf, int64_t count,
	struct type *datatype, MPI_Status *status)
{
	return call_at(fh, IO_WRITE, false, offset, buf, count, datatype, status);
}

int io_write_at_all(struct file *fh, int64_t offset, const void *buf, int64_t count,
	struct type *datatype, MPI_Status *status)
{
	return call_at(fh, IO_WRITE, true, offset, buf, count, datatype, status);
}

int io_iwrite_at(struct file *fh, int64_t offset, const void *buf, int64_t count,
	struct type *datatype, struct req **request)
{
	return call_iat(fh, IO_WRITE, false, offset, buf, count, datatype, request);
}

int io_iwrite_at_all(struct file *fh, int64_t offset, const void *buf, int64_t count,
	struct type *datatype, struct req **request)
{
	return call_iat(fh, IO_WRITE, true, offset, buf, count, datatype, request);
}

/* --- the individual pointer (14.4.3) ---------------------------------------------------------- */

int io_read(struct file *fh, void *buf, int64_t count, struct type *datatype, MPI_Status *status)
{
	return call_here(fh, IO_READ, IO_INDIVIDUAL, false, buf, count, datatype, status);
}

int io_read_all(
	struct file *fh, void *buf, int64_t count, struct type *datatype, MPI_Status *status)
{
	return call_here(fh, IO_READ, IO_INDIVIDUAL, true, buf, count, datatype, status);
}

int io_iread(struct file *fh, void *buf, int64_t count, struct type *datatype, struct req **request)
{
	return call_ihere(fh, IO_READ, IO_INDIVIDUAL, false, buf, count, datatype, request);
}

int io_iread_all(
	struct file *fh, void *buf, int64_t count, struct type *datatype, struct req **request)
{
	return call_ihere(fh, IO_READ, IO_INDIVIDUAL, true, buf, count, datatype, request);
}

int io_write(
	struct file *fh, const void *buf, int64_t count, struct type *datatype, MPI_Status *status)
{
	return call_here(fh, IO_WRITE, IO_INDIVIDUAL, false, buf, count, datatype, status);
}

int io_write_all(
	struct file *fh, const void *buf, int64_t count, struct type *datatype, MPI_Status *status)
{
	return call_here(fh, IO_WRITE, IO_INDIVIDUAL, true, buf, count, datatype, status);
}

int io_iwrite(struct file *fh, const void *buf, int64_t count, struct type *datatype,
	struct req **request)
{
	return call_ihere(fh, IO_WRITE, IO_INDIVIDUAL, false, buf, count, datatype, request);
}

int io_iwrite_all(struct file *fh, const void *buf, int64_t count, struct type *datatype,
	struct req **request)
{
	return call_ihere(fh, IO_WRITE, IO_INDIVIDUAL, true, buf, count, datatype, request);
}

/* --- the shared pointer (14.4.4) -------------------------------------------------------------- */

int io_read_shared(
	struct file *fh, void *buf, int64_t count, struct type *datatype, MPI_Status *status)
{
	return call_here(fh, IO_READ, IO_SHARED, false, buf, count, datatype, status);
}

int io_iread_shared(
	struct file *fh, void *buf, int64_t count, struct type *datatype, struct req **request)
{
	return call_ihere(fh, IO_READ, IO_SHARED, false, buf, count, datatype, request);
}

int io_read_ordered(
	struct file *fh, void *buf, int64_t count, struct type *datatype, MPI_Status *status)
{
	return call_here(fh, IO_READ, IO_ORDERED, true, buf, count, datatype, status);
}

int io_write_shared(
	struct file *fh, const void *buf, int64_t count, struct type *datatype, MPI_Status *status)
{
	return call_here(fh, IO_WRITE, IO_SHARED, false, buf, count, datatype, status);
}

int io_iwrite_shared(struct file *fh, const void *buf, int64_t count, struct type *datatype,
	struct req **request)
{
	return call_ihere(fh, IO_WRITE, IO_SHARED, false, buf, count, datatype, request);
}

int io_write_ordered(
	struct file *fh, const void *buf, int64_t count, struct type *datatype, MPI_Status *status)
{
	return call_here(fh, IO_WRITE, IO_ORDERED, true, buf, count, datatype, status);
}

/* --- split collectives (14.4.5) --------------------------------------------------------------- */

int io_read_at_all_begin(
	struct file *fh, int64_t offset, void *buf, int64_t count, struct type *datatype)
{
	return call_begin(fh, IO_READ, IO_EXPLICIT, offset, buf, count, datatype);
}

int io_read_at_all_end(struct file *fh, void *buf, MPI_Status *status)
{
	return io_split_end(io_of(fh), IO_READ, IO_EXPLICIT, buf, status);
}

int io_read_all_begin(struct file *fh, void *buf, int64_t count, struct type *datatype)
{
	return call_begin(fh, IO_READ, IO_INDIVIDUAL, 0, buf, count, datatype);
}

int io_read_all_end(struct file *fh, void *buf, MPI_Status *status)
{
	return io_split_end(io_of(fh), IO_READ, IO_INDIVIDUAL, buf, status);
}

int io_read_ordered_begin(struct file *fh, void *buf, int64_t count, struct type *datatype)
{
	return call_begin(fh, IO_READ, IO_ORDERED, 0, buf, count, datatype);
}

int io_read_ordered_end(struct file *fh, void *buf, MPI_Status *status)
{
	return io_split_end(io_of(fh), IO_READ, IO_ORDERED, buf, status);
}

int io_write_at_all_begin(
	struct file *fh, int64_t offset, const void *buf, int64_t count, struct type *datatype)
{
	return call_begin(fh, IO_WRITE, IO_EXPLICIT, offset, buf, count, datatype);
}

int io_write_at_all_end(struct file *fh, const void *buf, MPI_Status *status)
{
	return io_split_end(io_of(fh), IO_WRITE, IO_EXPLICIT, buf, status);
}

int io_write_all_begin(struct file *fh, const void *buf, int64_t count, struct type *datatype)
{
	return call_begin(fh, IO_WRITE, IO_INDIVIDUAL, 0, buf, count, datatype);
}

int io_write_all_end(struct file *fh, const void *buf, MPI_Status *status)
{
	return io_split_end(io_of(fh), IO_WRITE, IO_INDIVIDUAL, buf, status);
}

int io_write_ordered_begin(struct file *fh, const void *buf, int64_t count, struct type *datatype)
{
	return call_begin(fh, IO_WRITE, IO_ORDERED, 0, buf, count, datatype);
}

int io_write_ordered_end(struct file *fh, const void *buf, MPI_Status *status)
{
	return io_split_end(io_of(fh), IO_WRITE, IO_ORDERED, buf, status);
}
