// SPDX-License-Identifier: BSD-3-Clause
/* size.c - the size of a file and its parameters (MPI-5.0 14.2.4 to 14.2.7, 14.6.1).
 *
 * Collective calls here first compare their arguments; that exchange is also the moment at which
 * all members have made their earlier accesses.  Then rank 0 acts, and all get its result. */
#include "libmpi/comm/groups.h"
#include "libmpi/core/err.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/file.h"
#include "libmpi/io/lock.h"
#include "libmpi/io/same_call.h"
#include <engine.h>

/* May the size of the file be asked for and set? */
static int size_check(const struct io_file *f)
{
	if (!f->sequential)
		return 0;
	return haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
		"%s was opened with MPI_MODE_SEQUENTIAL, it has no size", f->path);
}

static int size_change(struct io_file *f, int64_t size, enum coll_maker call)
{
	const struct io_same same = {.value = size, .name = "the size"};
	int err = io_same_call(f, call);

	if (err != 0)
		return err;
	err = size_check(f);
	if (err == 0 && size < 0)
		err = haft_err(MPI_ERR_ARG, "the size is %lld bytes", (long long)size);
	if (err == 0 && (f->amode & MPI_MODE_RDONLY) != 0)
		err = haft_err(MPI_ERR_READ_ONLY, "%s was opened with MPI_MODE_RDONLY", f->path);
	if (err == 0)
		err = io_file_idle(f);
	return io_agree_same(f, err, &same, 1, NULL);
}

int io_set_size(struct file *fh, int64_t size)
{
	struct io_file *f = io_of(fh);
	int err = size_change(f, size, COLL_FILE_SET_SIZE);

	if (err == 0) {
		f->dirty = f->dirty || f->rank == 0;
		err = io_agree(f, f->rank == 0 ? io_disk_truncate(f, size) : 0);
	}
	return io_file_poison(f, err, NULL);
}

int io_preallocate(struct file *fh, int64_t size)
{
	struct io_file *f = io_of(fh);
	int err = size_change(f, size, COLL_FILE_PREALLOCATE);

	if (err == 0) {
		f->dirty = f->dirty || f->rank == 0;
		err = io_agree(f, f->rank == 0 ? io_disk_allocate(f, size) : 0);
	}
	return io_file_poison(f, err, NULL);
}

int io_get_size(struct file *fh, int64_t *size)
{
	struct io_file *f = io_of(fh);
	int err = size_check(f);

	return err != 0 ? err : io_disk_size(f, size);
}

int io_get_group(struct file *fh, struct group **group)
{
	struct comm *c = io_of(fh)->comm;

	return group_copy(c->group, c->session, group);
}

int io_get_amode(struct file *fh, int *amode)
{
	*amode = io_of(fh)->amode;
	return 0;
}

int io_set_atomicity(struct file *fh, int flag)
{
	const struct io_same same = {.value = flag != 0, .name = "the flag"};
	struct io_file *f = io_of(fh);
	int err = io_same_call(f, COLL_FILE_SET_ATOMICITY);

	if (err != 0)
		return err;
	err = io_agree_same(f, 0, &same, 1, NULL);
	if (err == 0 && flag)
		err = io_agree(f, io_lock_possible(f));
	if (err == 0)
		f->atomic = flag != 0;
	return err;
}

int io_get_atomicity(struct file *fh, int *flag)
{
	*flag = io_of(fh)->atomic;
	return 0;
}
