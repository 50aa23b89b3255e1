/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,3 */
/* MPI-5.0 7.7.3, 12.2.5: an attribute's delete callback fails at one rank: MPI_Win_free fails at
 * all, no rank waits, the window stays, and can be freed afterwards. */
#include "tests/check.h"

enum { BAD = 1 }; /* the rank, but of one process 0 */

static int key, refuse, deleted;

static int remove_it(MPI_Win win, int keyval, void *value, void *extra)
{
	(void)win;
	(void)keyval;
	(void)value;
	(void)extra;
	if (refuse)
		return MPI_ERR_INTERN;
	deleted++;
	return MPI_SUCCESS;
}

static void still_there(MPI_Win win, const int *mem)
{
	int one = 1, *size, found;
	void *value;

	OK(MPI_Win_fence(0, win));
	OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
	OK(MPI_Win_fence(0, win));
	CHECK(check_rank > 0 || *mem == check_size);
	OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &found));
	CHECK(found && *(MPI_Aint *)(void *)size == sizeof(int));
	OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &found));
	CHECK(found && value == mem);
	OK(MPI_Win_get_attr(win, key, &value, &found));
	CHECK(found == refuse);
}

int main(int argc, char **argv)
{
	MPI_Win win;
	int *mem, bad;

	check_init(&argc, &argv);
	bad = check_size > BAD ? BAD : 0;
	OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, remove_it, &key, NULL));
	OK(MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	OK(MPI_Win_set_attr(win, key, mem));
	*mem = 0;
	refuse = check_rank == bad;
	if (refuse)
		FAILS(MPI_ERR_INTERN, "delete callback", MPI_Win_free(&win));
	else
		FAILS(MPI_ERR_OTHER, "failed at rank 1", MPI_Win_free(&win));
	CHECK(win != MPI_WIN_NULL);
	still_there(win, mem);
	refuse = 0;
	OK(MPI_Win_free(&win));
	CHECK(win == MPI_WIN_NULL && deleted == 1);
	OK(MPI_Win_free_keyval(&key));
	MPI_Finalize();
	return 0;
}
