// SPDX-License-Identifier: BSD-3-Clause
/* crash.c - programs that crash, by name: crash.sh looks at the words of mpiexec. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;
static volatile int zero;
static int *volatile nowhere;

__attribute__((noinline)) static int crash_sum(const int *v)
{
	int s = 0;

	for (int i = 0; i < 4; i++)
		s += v[i];
	return s;
}

__attribute__((noinline)) static void crash_segv(void)
{
	zero = crash_sum(nowhere);
}

__attribute__((noinline)) static void divide(void)
{
	zero = size / zero;
}

__attribute__((noinline)) static int crash_deep(int n)
{
	volatile char room[4096];

	room[n % 4096] = (char)n;
	return n < 0 ? 0 : crash_deep(n + 1) + room[(n + 1) % 4096];
}

static void overflow(void)
{
	zero = crash_deep(0);
}

static void in_mpi(void)
{
	MPI_Send((void *)8, 4, MPI_INT, 0, 0, MPI_COMM_SELF);
}

static void illegal(void)
{
	__builtin_trap();
}

static void finalized(void)
{
	MPI_Finalize();
	crash_segv();
}

static void *thread_main(void *arg)
{
	crash_segv();
	return arg;
}

static void in_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread_main, NULL);
	pthread_join(t, NULL);
}

/* A child crashes, and its parent does not. */
static void crash_child(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		abort();
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		_exit(9);
	kill(getpid(), SIGKILL);
}

static void own_handler(int sig)
{
	_exit(sig == SIGSEGV ? 7 : 8);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {{"segv", crash_segv}, {"abort", abort}, {"divide", divide}, {"overflow", overflow},
	{"in_mpi", in_mpi}, {"illegal", illegal}, {"finalized", finalized},
	{"in_thread", in_thread}, {"child", crash_child}};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct rlimit limit;

	getrlimit(RLIMIT_CORE, &limit);
	if (argc > 3 && strcmp(argv[3], "core") == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_CORE, &limit);
	}
	if (strcmp(name, "handled") == 0)
		signal(SIGSEGV, own_handler);
	MPI_Init(&argc, &argv);
	if (strcmp(name, "handled_later") == 0)
		signal(SIGSEGV, own_handler);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Barrier(MPI_COMM_WORLD);
	if (strncmp(name, "handled", 7) == 0)
		crash_segv();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, name) == 0 && (argc < 3 || rank == atoi(argv[2])))
			cases[i].run();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
