// SPDX-License-Identifier: BSD-3-Clause
/* owned.c - revocation and failures of windows and files: those of the communicators that they own.
 *
 *      MPIX_Win_revoke  ──> ft_comm_revoke(win->comm)  ──> all members; rma: the window is broken
 *      MPIX_File_revoke ──> ft_comm_revoke(file->comm) ──> all members; io: its collectives fail */
#include "libmpi/core/err.h"
#include "libmpi/core/file_object.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/win_object.h"
#include "libmpi/ft/ft_inner.h"
#include <engine.h>

/* --- windows -------------------------------------------------------------------------------- */

int ft_win_revoke(struct win *w)
{
	return ft_comm_revoke(w->comm);
}

int ft_win_is_revoked(struct win *w, int *flag)
{
	return ft_comm_is_revoked(w->comm, flag);
}

int ft_win_get_failed(struct win *w, struct group **failed)
{
	return ft_comm_get_failed(w->comm, failed);
}

/* --- files ---------------------------------------------------------------------------------- */

static int file_closed(void)
{
	return haft_err(MPI_ERR_FILE, "the file is closed");
}

int ft_file_revoke(struct file *fh)
{
	return fh->comm != NULL ? ft_comm_revoke(fh->comm) : file_closed();
}

int ft_file_is_revoked(struct file *fh, int *flag)
{
	return fh->comm != NULL ? ft_comm_is_revoked(fh->comm, flag) : file_closed();
}

int ft_file_get_failed(struct file *fh, struct group **failed)
{
	return fh->comm != NULL ? ft_comm_get_failed(fh->comm, failed) : file_closed();
}

/* --- all communicators ---------------------------------------------------------------------- */

struct each {
	ft_comm_fn *fn;
	void *arg;
};

static int each_comm(void *self, void *arg)
{
	const struct each *e = arg;

	return e->fn(self, e->arg);
}

static int each_win(void *self, void *arg)
{
	const struct win *w = self;
	const struct each *e = arg;

	return w->comm != NULL ? e->fn(w->comm, e->arg) : 0;
}

static int each_file(void *self, void *arg)
{
	const struct file *f = self;
	const struct each *e = arg;

	return f->comm != NULL ? e->fn(f->comm, e->arg) : 0;
}

int ft_comm_each(ft_comm_fn *fn, void *arg)
{
	struct each e = {fn, arg};
	int rc = fn(&haft_world, arg);

	if (rc == 0)
		rc = obj_foreach(&haft_comm_class, each_comm, &e);
	if (rc == 0)
		rc = obj_foreach(&haft_win_class, each_win, &e);
	return rc != 0 ? rc : obj_foreach(&haft_file_class, each_file, &e);
}
