// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes HAFT_RMA=auto|msg" args="lock|lock_all|flush|fence|access|exposure" */
/* RUN np=4 env="HAFT_FT=yes HAFT_VIA=net" args="lock|lock_all|flush|fence|access|exposure" */
/* RUN np=4 env="HAFT_FT=yes HAFT_RMA=auto|msg" args="private|requests" */
/* ULFM, windows: synchronization of a window that has lost a member raises, and waits for nothing.
 *
 * broken_window.c - rank 3 dies in one phase of an epoch.  The others wait for it, or are about to.
 * Their call raises.  So do the accesses and calls that follow, and no operation is left behind.
 * MPI_Win_free then frees the window.
 *
 *      lock      it holds an exclusive lock, for which rank 0 waits; rank 1 waits for all locks
 *      lock_all  it holds all locks; the others wait for exclusive ones
 *      flush     it is the target of operations that it has not executed, and has other targets
 *      fence     the others are in MPI_Win_fence
 *      access    the others access it in epochs of MPI_Win_start, for which it has not posted
 *      exposure  the others are in MPI_Win_wait, and it has not completed
 *      private   as flush, with memory of MPI_Win_create
 *      requests  they get the memory of a living rank again and again, with requests alone */
#include "tests/ft/ft.h"

#define DEAD 3
#define N    1000

static int one[N], other[N], memory[N], *base = memory;
static MPI_Win w;

static bool broken_is(char **argv, const char *phase)
{
	return strcmp(argv[1], phase) == 0;
}

#define raises(call) FAILS(MPIX_ERR_PROC_FAILED, "rank 3", call)

/* The others are about to wait: now it may die. */
static void broken_ready(void)
{
	if (check_rank != DEAD) {
		OK(MPI_Send(NULL, 0, MPI_INT, DEAD, 7, MPI_COMM_WORLD));
		return;
	}
	for (int i = 0; i < DEAD; i++)
		OK(MPI_Recv(NULL, 0, MPI_INT, i, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	usleep(100000); /* most wait by then */
	ft_die();
}

/* --- phases --------------------------------------------------------------------------------- */

static void lock_held(void)
{
	if (check_rank == DEAD)
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, w));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	broken_ready();
	if (check_rank == 0)
		raises(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, w));
	if (check_rank == 1)
		raises(MPI_Win_lock_all(0, w));
	if (check_rank == 2)
		raises(MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, w));
}

static void lock_all_held(void)
{
	if (check_rank == DEAD)
		OK(MPI_Win_lock_all(0, w));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	broken_ready();
	raises(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank, 0, w));
}

/* Its memory is gone, or is there: operations on it raise, or their flush does. */
static void flushed(void)
{
	MPI_Request r;
	int err;

	OK(MPI_Win_lock_all(0, w));
	broken_ready();
	do {
		err = MPI_Put(one, N, MPI_INT, DEAD, 0, N, MPI_INT, w);
		if (err == 0)
			err = MPI_Rget(other, N, MPI_INT, DEAD, 0, N, MPI_INT, w, &r);
		if (err == 0)
			err = MPI_Wait(&r, MPI_STATUS_IGNORE);
		if (err == 0)
			err = MPI_Win_flush_all(w);
	} while (err == 0);
	raises(err);
	ft_await_failures(1);
	raises(MPI_Put(one, N, MPI_INT, DEAD, 0, N, MPI_INT, w));
	raises(MPI_Rput(one, N, MPI_INT, DEAD, 0, N, MPI_INT, w, &r));
	raises(MPI_Win_flush(DEAD, w));
	raises(MPI_Win_flush_local(0, w));
	raises(MPI_Win_flush_local_all(w));
	raises(MPI_Accumulate(one, N, MPI_INT, 0, 0, N, MPI_INT, MPI_SUM, w));
	raises(MPI_Fetch_and_op(one, other, MPI_INT, 0, 0, MPI_SUM, w));
	raises(MPI_Get(other, N, MPI_INT, 0, 0, N, MPI_INT, w));
	raises(MPI_Win_unlock_all(w));
}

/* Until the dead would change a value: each request is complete at once, but the loop must end. */
static void requested(void)
{
	MPI_Request r;
	int err;

	OK(MPI_Win_lock_all(0, w));
	broken_ready();
	do {
		err = MPI_Rget(other, 1, MPI_INT, 0, 0, 1, MPI_INT, w, &r);
		if (err == 0)
			err = MPI_Wait(&r, MPI_STATUS_IGNORE);
	} while (err == 0);
	raises(err);
	raises(MPI_Win_unlock_all(w));
}

static void fenced(void)
{
	OK(MPI_Win_fence(0, w));
	broken_ready();
	MPI_Put(one, 1, MPI_INT, DEAD, 0, 1, MPI_INT, w); /* by messages it may raise */
	raises(MPI_Win_fence(0, w));
	ft_await_failures(1);
	raises(MPI_Put(one, N, MPI_INT, 0, 0, N, MPI_INT, w));
}

/* The group of the ranks from `first' on. */
static MPI_Group group_from(int first)
{
	MPI_Group all, some;

	MPI_Win_get_group(w, &all);
	MPI_Group_range_incl(all, 1, (int[1][3]){{first, DEAD, 1}}, &some);
	MPI_Group_free(&all);
	return some;
}

/* Rank 2's put waits for the post; the others do in MPI_Win_complete. */
static void accessed(void)
{
	MPI_Group g = group_from(DEAD);

	if (check_rank != DEAD)
		OK(MPI_Win_start(g, 0, w));
	MPI_Group_free(&g);
	broken_ready();
	if (check_rank == 2)
		raises(MPI_Put(one, N, MPI_INT, DEAD, 0, N, MPI_INT, w));
	raises(MPI_Win_complete(w));
}

static void exposed(void)
{
	MPI_Group g = group_from(DEAD);
	int flag = 0, err;

	if (check_rank != DEAD)
		OK(MPI_Win_post(g, 0, w));
	MPI_Group_free(&g);
	broken_ready();
	if (check_rank != 1) {
		raises(MPI_Win_wait(w));
		return;
	}
	do
		err = MPI_Win_test(w, &flag);
	while (err == 0);
	raises(err);
}

/* --- afterwards ----------------------------------------------------------------------------- */

/* Every kind of epoch, begun when the failure is known. */
static void begun_later(void)
{
	MPI_Group g;

	ft_await_failures(1);
	raises(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
	raises(MPI_Win_lock(MPI_LOCK_SHARED, DEAD, 0, w));
	raises(MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, w));
	raises(MPI_Win_lock_all(0, w));
	raises(MPI_Win_lock_all(MPI_MODE_NOCHECK, w));
	raises(MPI_Win_fence(0, w));
	raises(MPI_Win_fence(MPI_MODE_NOPRECEDE, w));
	g = group_from(DEAD);
	raises(MPI_Win_post(g, 0, w));
	raises(MPI_Win_wait(w));
	raises(MPI_Win_start(g, 0, w));
	raises(MPI_Put(one, N, MPI_INT, DEAD, 0, N, MPI_INT, w));
	raises(MPI_Win_complete(w));
	MPI_Group_free(&g);
}

int main(int argc, char **argv)
{
	ft_init(&argc, &argv);
	if (broken_is(argv, "private"))
		OK(MPI_Win_create(
			memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	else
		OK(MPI_Win_allocate(
			sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w));
	MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
	if (broken_is(argv, "lock"))
		lock_held();
	else if (broken_is(argv, "lock_all"))
		lock_all_held();
	else if (broken_is(argv, "flush") || broken_is(argv, "private"))
		flushed();
	else if (broken_is(argv, "requests"))
		requested();
	else if (broken_is(argv, "fence"))
		fenced();
	else if (broken_is(argv, "access"))
		accessed();
	else
		exposed();
	begun_later();
	OK(MPI_Win_free(&w));
	MPI_Finalize();
	return check_end();
}
