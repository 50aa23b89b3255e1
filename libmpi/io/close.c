// SPDX-License-Identifier: BSD-3-Clause
/* close.c - MPI_File_close, MPI_File_sync, MPI_File_delete (MPI-5.0 14.2.2, 14.2.3, 14.6.1).
 *
 *   close   drain ── sync, if asked for ── close(2) ── agreement ── rank 0: close(2), rename
 *                     hint haft_sync, HAFT_FILE_SYNC                  └─ agreement
 *
 * Rank 0 closes last: its mark (sieve_lock.h) stays until all members are here.  On a file system
 * of this host alone close(2) brings nothing to a server, so nothing can fail, and no agreement
 * follows.
 *
 * A write that has returned is in the kernel of the host that made it, so close needs no sync for
 * members of one host to see it.  After a failed write a file with haft_commit does not get its
 * name: its old contents stay, and all members get that error.  The handle and everything else is
 * freed in any case.
 *
 * A file that is revoked, or has lost a member, is closed all the same, as MPI_Win_free frees a
 * window.  That is an error of the close only where it was to do what one process does for all:
 * give the file its name, or delete it. */
#include "libmpi/core/err.h"
#include "libmpi/core/event.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/core/process_state.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/check.h"
#include "libmpi/io/collective.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/file.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/io_valid.h"
#include "libmpi/io/same_call.h"
#include "libmpi/io/stats.h"
#include "libmpi/p2p/p2p.h"
#include <engine.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first error of this member's writes, after which haft_commit gives the file no name. */
static int close_poisoned(const struct io_file *f)
{
	if (f->poisoned == 0)
		return 0;
	return haft_err(f->poisoned, "%s", f->poisoned_words != NULL ? f->poisoned_words : "");
}

/* The words of an error say that the old file has stayed. */
static int close_not_committed(const struct io_file *f, int err)
{
	char words[HAFT_ERR_TEXT_MAX];

	if (err == 0 || f->final_path == NULL)
		return err;
	snprintf(words, sizeof(words), "%s", haft_err_text(err));
	return haft_err(err, "not committed, because %s", words);
}

/* The first of two errors; it has the words. */
static int close_first(int err, int next, const char *words)
{
	return err == 0 || next == 0 ? err + next : haft_err(err, "%s", words);
}

/* Is the error a failure of another member, or a revocation? */
static bool close_is_loss(int err)
{
	return err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED;
}

/* One error for all, as io_agree; where that fails because a member has, this one's own. */
static int close_agree(const struct io_file *f, int mine)
{
	bool once = f->final_path != NULL || (f->amode & MPI_MODE_DELETE_ON_CLOSE) != 0;
	char words[HAFT_ERR_TEXT_MAX] = "";
	int err;

	if (mine != 0)
		snprintf(words, sizeof(words), "%s", haft_err_text(mine));
	err = io_agree(f, mine);
	if (!close_is_loss(err))
		return err;
	if (mine != 0 && !close_is_loss(mine))
		return haft_err(mine, "%s", words);
	if (once)
		return err;
	haft_err_clear();
	return 0;
}

/* Runs the next step of closing after `err', whose words it may overwrite. */
#define CLOSE_STEP(err, call)                                    \
	do {                                                     \
		char close_words[HAFT_ERR_TEXT_MAX];             \
		snprintf(close_words, sizeof(close_words), "%s", \
			(err) != 0 ? haft_err_text(err) : "");   \
		err = close_first(err, call, close_words);       \
	} while (0)

static bool close_is_idle(void *arg)
{
	const struct io_file *f = arg;

	return f->jobs == 0;
}

/* Waits for the accesses that the program has left. */
static int close_drain(struct io_file *f)
{
	const struct p2p_condition idle = {.ready = close_is_idle, .arg = f};
	int err = io_file_idle(f);

	if (f->jobs > 0)
		p2p_progress_until(&idle);
	io_collective_drain(f);
	return err;
}

/* Rank 0, when no other living member has the file open, or when one has failed and the others may
 * still close it: closes it.  Gives it its name, or deletes it. */
static int close_last(struct io_file *f, int err)
{
	const int once = MPI_MODE_CREATE | MPI_MODE_EXCL;

	CLOSE_STEP(err, io_disk_close(f));
	if (f->final_path != NULL && err != 0) { /* the old file stays */
		CLOSE_STEP(err, io_disk_delete(f, f->path));
		return close_not_committed(f, err);
	}
	if (f->final_path != NULL)
		err = close_not_committed(
			f, io_disk_rename(f, f->path, f->final_path, (f->amode & once) == once));
	if (f->final_path != NULL && err == 0)
		err = io_disk_sync_folder(f, f->final_path);
	if ((f->amode & MPI_MODE_DELETE_ON_CLOSE) != 0)
		CLOSE_STEP(err, io_disk_delete(f, f->path));
	return err;
}

/* Keeps the object of the last file whose close has failed, until the next one: its error handler
 * is called after the handle has gone. */
static void close_keep(struct file *file)
{
	static struct file *kept;

	obj_hold(file);
	if (kept != NULL)
		obj_drop(kept);
	kept = file;
}

int io_close(struct file **fh)
{
	struct file *file = *fh;
	struct io_file *f = io_of(file);
	bool rename = f->final_path != NULL;
	bool more = rename || !f->local_fs || (f->amode & MPI_MODE_DELETE_ON_CLOSE) != 0;
	int err = io_same_call(f, COLL_FILE_CLOSE), failed;
	obj_h h;

	if (err != 0 && io_same_call_goes_on(f)) /* the others have it open */
		return err;
	if (close_is_loss(err)) /* close_agree has it, too */
		err = 0;
	CLOSE_STEP(err, close_drain(f));
	must_valid(io_file_valid(f));
	CLOSE_STEP(err, close_poisoned(f));
	if ((rename || io_hint(f, IO_HAFT_SYNC) == IO_SYNC_CLOSE) && f->dirty)
		CLOSE_STEP(err, io_disk_sync(f));
	io_stats_close(f);
	err = io_check_writes(f, err);
	if (f->rank != 0 || !f->marked)
		CLOSE_STEP(err, io_disk_close(f));
	err = close_not_committed(f, close_agree(f, err));
	failed = f->rank == 0 ? close_last(f, err) : 0;
	if (err == 0)
		err = more ? close_agree(f, failed) : failed;
	io_file_free(f);
	file->io = NULL;
	file->comm = NULL;
	file->path = NULL;
	if (err != 0)
		close_keep(file);
	h = obj_handle(file);
	haft_obj_free(file, MPI_ERR_FILE, "file");
	haft_event(EVENT_FILE_CLOSED, h, (int64_t)(intptr_t)h, err, 0, 0);
	*fh = NULL;
	return err;
}

int io_sync(struct file *fh)
{
	struct io_file *f = io_of(fh);
	int err = io_same_call(f, COLL_FILE_SYNC);

	if (err != 0)
		return io_file_poison(f, err, NULL);
	err = io_file_idle(f);
	if (f->dirty && f->fd >= 0)
		CLOSE_STEP(err, io_disk_sync(f));
	f->dirty = false;
	return io_file_poison(f, io_agree(f, io_check_writes(f, err)), NULL);
}

int io_delete(const char *filename, struct info *info)
{
	struct io_file f = {.fd = -1, .rank = haft_life.rank, .size = haft_life.size};
	int err = io_file_path(&f, filename);

	(void)info; /* no hint changes how a file is deleted */
	if (err == 0)
		err = io_disk_delete(&f, f.path);
	free(f.path);
	free(f.name);
	return err;
}
