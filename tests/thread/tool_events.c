// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 15.3.8: several threads raise events and register for them at once.  One callback runs at
 * a time, times do not go back, and each event is delivered or told as dropped. */
#include "tests/check.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, ROUNDS = 400 };

static _Atomic long seen, lost, inside;
static MPI_Count last;
static MPI_Comm comm[THREADS];

static void event_named(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	MPI_Count at;
	int one = 1;

	(void)reg, (void)safety, (void)user;
	CHECK(inside++ == 0);
	OK(MPI_T_event_get_timestamp(e, &at));
	CHECK(at >= last);
	last = at;
	OK(MPI_Sendrecv_replace(&one, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	seen++;
	inside--;
}

static void dropped(
	MPI_Count n, MPI_T_event_registration reg, int source, MPI_T_cb_safety safety, void *user)
{
	(void)reg, (void)source, (void)safety, (void)user;
	lost += n;
}

static void event_nothing(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	(void)e, (void)reg, (void)safety, (void)user;
}

static void ended(MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	(void)reg, (void)safety;
	++*(_Atomic int *)user;
}

static void *event_run(void *arg)
{
	int i, to = (check_rank + 1) % check_size,
	       from = (check_rank + check_size - 1) % check_size;
	_Atomic int frees = 0;
	int x = 0;
	MPI_Comm c = *(MPI_Comm *)arg;

	OK(MPI_T_event_get_index("wait_ended", &i));
	for (int k = 0; k < ROUNDS; k++) {
		MPI_T_event_registration reg;

		OK(MPI_T_event_handle_alloc(i, NULL, MPI_INFO_NULL, &reg));
		OK(MPI_T_event_register_callback(
			reg, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, NULL, event_nothing));
		OK(MPI_Comm_set_name(c, "c"));
		OK(MPI_Sendrecv_replace(&x, 1, MPI_INT, to, 0, from, 0, c, MPI_STATUS_IGNORE));
		OK(MPI_T_event_handle_free(reg, (void *)&frees, ended));
	}
	while (frees < ROUNDS)
		OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_ARE_FATAL)); /* a call that delivers */
	return NULL;
}

int main(int argc, char **argv)
{
	MPI_T_event_registration reg[THREADS];
	pthread_t t[THREADS];
	int provided, i;

	OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	CHECK(provided == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &check_size);
	OK(MPI_T_event_get_index("comm_named", &i));
	for (int k = 0; k < THREADS; k++) {
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[k]));
		OK(MPI_T_event_handle_alloc(i, &comm[k], MPI_INFO_NULL, &reg[k]));
		OK(MPI_T_event_set_dropped_handler(reg[k], dropped));
		OK(MPI_T_event_register_callback(
			reg[k], MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, event_named));
	}
	for (int k = 0; k < THREADS; k++)
		CHECK(pthread_create(&t[k], NULL, event_run, &comm[k]) == 0);
	for (int k = 0; k < THREADS; k++)
		CHECK(pthread_join(t[k], NULL) == 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(seen + lost == THREADS * ROUNDS);
	for (int k = 0; k < THREADS; k++)
		OK(MPI_T_event_handle_free(reg[k], NULL, NULL));
	OK(MPI_T_finalize());
	MPI_Finalize();
	return 0;
}
