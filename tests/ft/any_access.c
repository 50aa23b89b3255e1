// SPDX-License-Identifier: BSD-3-Clause
/* any_access.c - any_access CALL: synchronization of a window, or access to a file, in a loop,
 * while a rank dies by HAFT_DIE.  sweep.sh runs it.
 *
 * Every survivor must return, with a class of failures or without.  Then it revokes and frees the
 * object, shrinks, and does the same there without error. */
#include "tests/ft/ft.h"

#define ROUNDS 12

static const char *kind;
static int one = 1, many[4096];
static int *memory;

static bool access_is(const char *name)
{
	return strcmp(kind, name) == 0;
}

static int access_first(int a, int b)
{
	return a != 0 ? a : b;
}

/* --- windows -------------------------------------------------------------------------------- */

static int access_locked(MPI_Win w, int to, int mode)
{
	int err = MPI_Win_lock(mode, to, 0, w), end;

	if (err != 0)
		return err;
	err = MPI_Accumulate(&one, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, w);
	if (err == 0)
		err = MPI_Win_flush(to, w);
	end = MPI_Win_unlock(to, w);
	return access_first(err, end);
}

static int lock_all(MPI_Win w, int size)
{
	int err = MPI_Win_lock_all(0, w), end;

	if (err != 0)
		return err;
	for (int i = 0; i < size && err == 0; i++)
		err = MPI_Put(&one, 1, MPI_INT, i, 1, 1, MPI_INT, w);
	if (err == 0)
		err = MPI_Win_flush_all(w);
	end = MPI_Win_unlock_all(w);
	return access_first(err, end);
}

static int fence(MPI_Win w, int to)
{
	int err = MPI_Win_fence(0, w);

	if (err == 0)
		err = MPI_Put(&one, 1, MPI_INT, to, 0, 1, MPI_INT, w);
	return err != 0 ? err : MPI_Win_fence(0, w);
}

static int access_pscw(MPI_Win w, int to)
{
	MPI_Group g;
	int err, end;

	MPI_Win_get_group(w, &g);
	err = MPI_Win_post(g, 0, w);
	end = MPI_Win_start(g, 0, w);
	err = access_first(err, end);
	if (err == 0)
		err = MPI_Put(&one, 1, MPI_INT, to, 0, 1, MPI_INT, w);
	end = MPI_Win_complete(w);
	err = access_first(err, end);
	end = MPI_Win_wait(w);
	MPI_Group_free(&g);
	return access_first(err, end);
}

static int access_rget(MPI_Win w, int to)
{
	MPI_Request r;
	int err = MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w), end, x;

	if (err != 0)
		return err;
	err = MPI_Rget(&x, 1, MPI_INT, to, 0, 1, MPI_INT, w, &r);
	if (err == 0)
		err = MPI_Wait(&r, MPI_STATUS_IGNORE);
	end = MPI_Win_unlock(to, w);
	return access_first(err, end);
}

static int access_window(MPI_Win w, int rank, int size)
{
	int to = (rank + 1) % size;

	if (access_is("Win_lock"))
		return access_locked(w, 0, MPI_LOCK_EXCLUSIVE);
	if (access_is("Win_flush"))
		return access_locked(w, to, MPI_LOCK_SHARED);
	if (access_is("Win_lock_all"))
		return lock_all(w, size);
	if (access_is("Rget"))
		return access_rget(w, to);
	return access_is("Win_fence") ? fence(w, to) : access_pscw(w, to);
}

static int use_window(MPI_Comm c, bool all_well)
{
	int rank, size, err;
	MPI_Win w;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	err = MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, c, &memory, &w);
	if (err != 0)
		return err;
	MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
	for (int i = 0; i < ROUNDS && err == 0; i++)
		err = access_window(w, rank, size);
	if (!all_well)
		OK(MPIX_Win_revoke(w));
	OK(MPI_Win_free(&w));
	return err;
}

/* --- files ---------------------------------------------------------------------------------- */

static int access_file(MPI_File f)
{
	if (access_is("File_write_at_all"))
		return MPI_File_write_at_all(
			f, 4096 * check_rank, many, 1024, MPI_INT, MPI_STATUS_IGNORE);
	if (access_is("File_write_shared"))
		return MPI_File_write_shared(f, many, 10, MPI_INT, MPI_STATUS_IGNORE);
	if (access_is("File_write_ordered"))
		return MPI_File_write_ordered(f, many, 10, MPI_INT, MPI_STATUS_IGNORE);
	if (access_is("File_read_all"))
		return MPI_File_read_all(f, many, 1000, MPI_INT, MPI_STATUS_IGNORE);
	return MPI_File_sync(f);
}

static int use_file(MPI_Comm c, bool all_well)
{
	char path[4096];
	MPI_File f;
	int err;

	snprintf(path, sizeof(path), "%s/any_access.data", getenv("TMPDIR"));
	err = MPI_File_open(c, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	if (err != 0)
		return err;
	for (int i = 0; i < ROUNDS && err == 0; i++)
		err = access_file(f);
	if (!all_well)
		OK(MPIX_File_revoke(f));
	OK(MPI_File_close(&f));
	return err;
}

static int access_use(MPI_Comm c, bool all_well)
{
	return strncmp(kind, "File", 4) == 0 ? use_file(c, all_well) : use_window(c, all_well);
}

int main(int argc, char **argv)
{
	MPI_Comm c;
	int err, dies = getenv("HAFT_DIE") != NULL ? atoi(getenv("HAFT_DIE")) : 0;

	kind = argv[1];
	ft_init(&argc, &argv);
	err = access_use(MPI_COMM_WORLD, false);
	if (err != MPIX_ERR_PROC_FAILED && err != MPIX_ERR_REVOKED)
		OK(err);
	if (check_rank == dies)
		ft_die();
	OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &c));
	OK(access_use(c, true));
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return check_end();
}
