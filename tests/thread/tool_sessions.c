// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 15.3.4: several threads use the tools interface at once, each its own sessions, before
 * MPI_Init and while others send and receive; the count of beginnings and ends comes out. */
#include "tests/check.h"
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 300 };

typedef unsigned long long num;

static int messages; /* threads send, too */

/* Each thread talks to the same thread of its neighbour. */
static void session_exchange(int me)
{
	int x = me, to = (check_rank + 1) % check_size,
	    from = (check_rank + check_size - 1) % check_size;

	OK(MPI_Sendrecv_replace(
		&x, 1, MPI_INT, to, me, from, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CHECK(x == me);
}

/* A counter of one's own session cannot go back while it runs, even if other sessions reset
 * theirs. */
static void session_look(int me)
{
	MPI_T_pvar_session s;
	MPI_T_pvar_handle h;
	MPI_T_cvar_handle c;
	num a = 1, b = 0;
	int i, n, value = -1;

	OK(MPI_T_pvar_session_create(&s));
	OK(MPI_T_pvar_get_index("shm_put", MPI_T_PVAR_CLASS_COUNTER, &i));
	OK(MPI_T_pvar_handle_alloc(s, i, NULL, &h, &n));
	OK(MPI_T_pvar_start(s, h));
	OK(MPI_T_pvar_read(s, h, &a));
	if (messages)
		session_exchange(me);
	OK(MPI_T_pvar_read(s, h, &b));
	CHECK(b >= a);
	OK(MPI_T_pvar_readreset(s, h, &a));
	CHECK(a >= b);
	OK(MPI_T_pvar_session_free(&s));
	OK(MPI_T_cvar_get_index("HAFT_EAGER", &i));
	OK(MPI_T_cvar_handle_alloc(i, NULL, &c, &n));
	OK(MPI_T_cvar_read(c, &value));
	CHECK(value >= 0);
	OK(MPI_T_cvar_handle_free(&c));
}

static void *session_run(void *arg)
{
	int me = *(int *)arg, provided;

	for (int i = 0; i < ROUNDS; i++) {
		OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
		CHECK(provided == MPI_THREAD_MULTIPLE);
		session_look(me);
		OK(MPI_T_finalize());
	}
	return NULL;
}

static void storm(void)
{
	pthread_t t[THREADS];
	int me[THREADS];

	for (int i = 0; i < THREADS; i++) {
		me[i] = i;
		CHECK(pthread_create(&t[i], NULL, session_run, &me[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
}

int main(int argc, char **argv)
{
	int provided, outer;

	/* the interface stays: else one thread's end would end the handles of all */
	OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &outer));
	storm();
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &check_size);
	messages = provided == MPI_THREAD_MULTIPLE;
	storm();
	OK(MPI_T_finalize());
	CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
	MPI_Finalize();
	return 0;
}
