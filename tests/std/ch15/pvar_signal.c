// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 args="single|multiple" */
/* RUN np=1 args="multiple" */
/* MPI-5.0 15.3.7.6, advice: a signal handler that interrupts MPI, or the tools interface, starts,
 * stops, reads, writes and resets performance variables.  Nothing waits for itself, and the values
 * of other handles stay right. */
#include "tests/check.h"
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

typedef unsigned long long num;

enum { VARS = 8, ROUNDS = 3000 };

static MPI_T_pvar_session session;
static MPI_T_pvar_handle var[VARS], mark, level, counted;
static int nvars;
static volatile sig_atomic_t handled, failed;
static bool alone; /* one handler at a time: its values are its own */

#define SAFE(call)                         \
	do {                               \
		if ((call) != MPI_SUCCESS) \
			failed = __LINE__; \
	} while (0)

/* All six calls, on counters, a watermark and levels. */
static void signal_handler(int sig)
{
	num x, y;

	(void)sig;
	for (int i = 0; i < nvars; i++) {
		SAFE(MPI_T_pvar_read(session, var[i], &x));
		SAFE(MPI_T_pvar_stop(session, var[i]));
		SAFE(MPI_T_pvar_read(session, var[i], &y));
		if (alone && y < x)
			failed = __LINE__;
		SAFE(MPI_T_pvar_start(session, var[i]));
		SAFE(MPI_T_pvar_readreset(session, var[i], &x));
		x = 5;
		SAFE(MPI_T_pvar_write(session, var[i], &x));
		SAFE(MPI_T_pvar_read(session, var[i], &y));
		if (alone && y < 5)
			failed = __LINE__;
		SAFE(MPI_T_pvar_reset(session, var[i]));
	}
	SAFE(MPI_T_pvar_readreset(session, mark, &x));
	SAFE(MPI_T_pvar_read(session, level, &x));
	SAFE(MPI_T_pvar_read(session, counted, &x));
	handled++;
}

static MPI_T_pvar_handle signal_open_var(const char *name, int class)
{
	MPI_T_pvar_handle h;
	int i, n;

	OK(MPI_T_pvar_get_index(name, class, &i));
	OK(MPI_T_pvar_handle_alloc(session, i, NULL, &h, &n));
	if (class != MPI_T_PVAR_CLASS_LEVEL)
		OK(MPI_T_pvar_start(session, h));
	return h;
}

static void open_vars(void)
{
	static const char *const names[] = {"shm_put", "shm_got", "net_put", "shm_spins"};

	OK(MPI_T_pvar_session_create(&session));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		var[nvars++] = signal_open_var(names[i], MPI_T_PVAR_CLASS_COUNTER);
	var[nvars++] = signal_open_var("net_put_bytes", MPI_T_PVAR_CLASS_AGGREGATE);
	mark = signal_open_var("unexpected_bytes", MPI_T_PVAR_CLASS_HIGHWATERMARK);
	level = signal_open_var("unexpected_messages", MPI_T_PVAR_CLASS_LEVEL);
	counted = signal_open_var("live_MPI_Comm", MPI_T_PVAR_CLASS_LEVEL);
}

/* The program's own tools: handles come and go, and values are its own. */
static void tool_calls(void)
{
	MPI_T_pvar_session s;
	MPI_T_pvar_handle h, all;
	num x = 7;
	int i, n;

	OK(MPI_T_pvar_session_create(&s));
	OK(MPI_T_pvar_get_index("shm_put", MPI_T_PVAR_CLASS_COUNTER, &i));
	OK(MPI_T_pvar_handle_alloc(s, i, NULL, &h, &n));
	OK(MPI_T_pvar_handle_alloc(s, i, NULL, &all, &n));
	OK(MPI_T_pvar_write(s, h, &x));
	OK(MPI_T_pvar_read(s, h, &x));
	CHECK(x == 7);
	OK(MPI_T_pvar_start(s, MPI_T_PVAR_ALL_HANDLES));
	OK(MPI_T_pvar_stop(s, MPI_T_PVAR_ALL_HANDLES));
	OK(MPI_T_pvar_read(s, h, &x));
	CHECK(x >= 7 && x < 100000);
	OK(MPI_T_pvar_handle_free(s, &all));
	OK(MPI_T_pvar_session_free(&s));
}

static void mpi_calls(int tag)
{
	static char big[100000];
	int to = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size;
	int x = check_rank, sum = 0, n = tag % 100 == 0 ? (int)sizeof(big) : tag % 2000;
	char out[2000] = "";
	MPI_Request r;
	MPI_Comm c;

	OK(MPI_Irecv(big, (int)sizeof(big), MPI_CHAR, from, tag, MPI_COMM_WORLD, &r));
	OK(MPI_Send(
		n > 2000 ? big + 0 : out, n > 2000 ? 2000 : n, MPI_CHAR, to, tag, MPI_COMM_WORLD));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == check_size * (check_size - 1) / 2);
	if (tag % 50 == 0) {
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
		OK(MPI_Comm_free(&c));
	}
}

/* Another thread of a program with MPI_THREAD_MULTIPLE; the signals interrupt either. */
static void *beside(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		tool_calls();
	return arg;
}

int main(int argc, char **argv)
{
	bool multiple = argc > 1 && strcmp(argv[1], "multiple") == 0;
	struct sigaction act = {.sa_handler = signal_handler, .sa_flags = SA_RESTART};
	struct itimerval timer = {{0, 200}, {0, 200}}, none = {{0, 0}, {0, 0}};
	int provided;
	pthread_t t;

	alone = !multiple;
	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	MPI_Init_thread(
		&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &check_size);
	open_vars();
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	if (multiple)
		CHECK(pthread_create(&t, NULL, beside, NULL) == 0);
	for (int i = 0; i < ROUNDS || handled < 20; i++) {
		if (i < ROUNDS)
			mpi_calls(i);
		tool_calls();
	}
	if (multiple)
		CHECK(pthread_join(t, NULL) == 0);
	setitimer(ITIMER_REAL, &none, NULL);
	if (failed != 0)
		fprintf(stderr, "line %d of the handler has failed\n", (int)failed);
	CHECK(failed == 0);
	OK(MPI_T_pvar_session_free(&session));
	OK(MPI_T_finalize());
	MPI_Finalize();
	return 0;
}
