// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 15.3.7.1: a STATE with an enumeration, a TIMER and a PERCENTAGE: the call that a signal
 * handler interrupts, the time that calls wait, and the part of the segment that is used. */
#include "tests/check.h"
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

typedef unsigned long long num;

static MPI_T_pvar_session session;
static MPI_T_pvar_handle state;
static volatile sig_atomic_t seen[2000];

static void calls_handler(int sig)
{
	int fn;

	(void)sig;
	if (MPI_T_pvar_read(session, state, &fn) == MPI_SUCCESS && fn >= 0 && fn < 2000)
		seen[fn]++;
}

static MPI_T_pvar_handle calls_open_var(
	const char *name, int class, MPI_Datatype want, MPI_T_enum *e)
{
	MPI_T_pvar_handle h;
	MPI_Datatype type;
	int i, n;

	OK(MPI_T_pvar_get_index(name, class, &i));
	OK(MPI_T_pvar_get_info(
		i, NULL, NULL, NULL, NULL, &type, e, NULL, NULL, NULL, NULL, NULL, NULL));
	CHECK(type == want);
	OK(MPI_T_pvar_handle_alloc(session, i, NULL, &h, &n));
	CHECK(n == 1);
	return h;
}

/* The value of a name in an enumeration. */
static int calls_value_of(MPI_T_enum e, const char *name)
{
	char text[64];
	int n, value, len;

	OK(MPI_T_enum_get_info(e, &n, NULL, NULL));
	for (int i = 0; i < n; i++) {
		len = sizeof(text);
		OK(MPI_T_enum_get_item(e, i, &value, text, &len));
		if (strcmp(text, name) == 0)
			return value;
	}
	return -1;
}

/* Rank 1 comes 300 ms late. */
static void calls_late(void)
{
	double end = MPI_Wtime() + 0.3;

	while (check_rank == 1 && MPI_Wtime() < end)
		usleep(1000); /* ends early by a signal */
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	struct itimerval timer = {{0, 5000}, {0, 5000}}, none = {{0, 0}, {0, 0}};
	struct sigaction act = {.sa_handler = calls_handler, .sa_flags = SA_RESTART};
	MPI_T_pvar_handle timed, room;
	MPI_T_enum functions, nothing;
	int provided, fn = -1;
	double part = -1;
	bool alone;
	num ns;

	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	OK(MPI_T_pvar_session_create(&session));
	timed = calls_open_var("wait_ns", MPI_T_PVAR_CLASS_TIMER, MPI_UNSIGNED_LONG_LONG, &nothing);
	CHECK(nothing == MPI_T_ENUM_NULL);
	state = calls_open_var("in_call", MPI_T_PVAR_CLASS_STATE, MPI_INT, &functions);
	room = calls_open_var("segment_used", MPI_T_PVAR_CLASS_PERCENTAGE, MPI_DOUBLE, &nothing);
	CHECK(functions != MPI_T_ENUM_NULL && calls_value_of(functions, "none") == 0);
	CHECK(calls_value_of(functions, "MPI_Barrier") > 0);
	OK(MPI_T_pvar_read(session, room, &part));
	CHECK(part == 0.0);
	check_init(&argc, &argv);
	alone = check_local(check_rank, NULL) == 1;
	OK(MPI_T_pvar_start(session, timed));
	OK(MPI_T_pvar_read(session, state, &fn));
	CHECK(fn == 0);
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	calls_late();
	setitimer(ITIMER_REAL, &none, NULL);
	OK(MPI_T_pvar_read(session, timed, &ns));
	OK(MPI_T_pvar_read(session, room, &part));
	CHECK(part <= 1.0 && (part > 0.0 || alone)); /* by sockets nothing is in the segment */
	if (check_rank == 0)
		CHECK(ns > 200000000 && seen[calls_value_of(functions, "MPI_Barrier")] > 10);
	else
		CHECK(ns < 200000000 && seen[0] > 0);
	OK(MPI_T_pvar_reset(session, timed));
	OK(MPI_T_pvar_read(session, timed, &ns));
	CHECK(ns < 100000000);
	MPI_Finalize();
	OK(MPI_T_pvar_read(session, room, &part));
	OK(MPI_T_finalize());
	return 0;
}
