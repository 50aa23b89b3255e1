// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 3.5: a receive takes the first message that it matches.  The messages behind it stay
 * where the sender has put them until there are receives for them: the wait for one message does
 * not copy the others into memory of their own. */
#include "tests/check.h"
#include <unistd.h>

enum { MESSAGES = 3, OTHER = MESSAGES, WARM = 8 };

static unsigned long long unexpected_now(void)
{
	MPI_T_pvar_session session;
	MPI_T_pvar_handle h;
	unsigned long long n = 77;
	int i, count;

	OK(MPI_T_pvar_session_create(&session));
	OK(MPI_T_pvar_get_index("unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &i));
	OK(MPI_T_pvar_handle_alloc(session, i, NULL, &h, &count));
	OK(MPI_T_pvar_read(session, h, &n));
	OK(MPI_T_pvar_session_free(&session));
	return n;
}

/* The first messages of a pair go another way than later ones. */
static void warm(void)
{
	int x = 0;

	for (int i = 0; i < WARM; i++)
		OK(MPI_Sendrecv_replace(&x, 1, MPI_INT, 1 - check_rank, 0, 1 - check_rank, 0,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void sender(volatile int *round, int all)
{
	MPI_Request r[MESSAGES];
	int x[MESSAGES];

	for (int i = 0; i < MESSAGES; i++) {
		x[i] = i;
		OK(MPI_Isend(&x[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]));
	}
	__atomic_store_n(round, 1 + all, __ATOMIC_RELEASE);
	OK(MPI_Waitall(MESSAGES, r, MPI_STATUSES_IGNORE));
	OK(MPI_Send(x, 1, MPI_INT, 1, OTHER, MPI_COMM_WORLD));
}

/* A receive of another message is posted meanwhile.  all: two messages are waited for at once. */
static void receiver(volatile int *round, int all)
{
	int x[MESSAGES] = {-1, -1, -1}, other = -1, n = all ? 2 : 1;
	MPI_Request r[MESSAGES], last;

	while (__atomic_load_n(round, __ATOMIC_ACQUIRE) != 1 + all)
		usleep(1000);
	OK(MPI_Irecv(&other, 1, MPI_INT, 0, OTHER, MPI_COMM_WORLD, &last));
	for (int i = 0; i < n; i++)
		OK(MPI_Irecv(&x[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &r[i]));
	if (all)
		OK(MPI_Waitall(n, r, MPI_STATUSES_IGNORE));
	else
		OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	expect_eq(unexpected_now(), 0);
	for (int i = n; i < MESSAGES; i++)
		OK(MPI_Recv(&x[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	for (int i = 0; i < MESSAGES; i++)
		expect_eq(x[i], i);
	OK(MPI_Wait(&last, MPI_STATUS_IGNORE));
	expect_eq(other, 0);
}

int main(int argc, char **argv)
{
	volatile int *round;
	MPI_Aint bytes;
	MPI_Win win;
	int unit, level;

	check_init(&argc, &argv);
	check_one_host("a sender puts messages into shared memory");
	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
	OK(MPI_Win_allocate_shared(check_rank == 0 ? (MPI_Aint)sizeof(int) : 0, 1, MPI_INFO_NULL,
		MPI_COMM_WORLD, (void *)&round, &win));
	OK(MPI_Win_shared_query(win, 0, &bytes, &unit, (void *)&round));
	warm();
	for (int all = 0; all < 2; all++) {
		if (check_rank == 0)
			sender(round, all);
		else
			receiver(round, all);
		OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	OK(MPI_Win_free(&win));
	OK(MPI_T_finalize());
	MPI_Finalize();
	return check_end();
}
