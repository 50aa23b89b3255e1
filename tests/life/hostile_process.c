// SPDX-License-Identifier: BSD-3-Clause
/* hostile_process.c - programs that harm their process in ways a library does not expect, by their
 * argument: for tests/tools/hostile_system.sh.
 *
 *     fork      children come and go, by every way, while messages run
 *     close     every descriptor but 0 to 2 is closed after MPI_Init, and files get their numbers
 *     closeall  those, too
 *     exec P    MPI_Finalize, then program P
 *     child P   a child of each rank runs program P of MPI, alone
 *     limit N   only N bytes of address space more than after MPI_Init: memory ends somewhere */
/* RUN np=1,2,4 args="fork" */
/* MPI-5.0 11.4.1: a process may do what processes do */
#include "tests/check.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE  300000
#define ROUNDS 10
#define FILES  40

static char *from, *to;

static void hostile_exchange(int turn)
{
	int right = (check_rank + 1) % check_size, sum, one = turn;
	int left = (check_rank + check_size - 1) % check_size;
	MPI_Comm dup;
	char *mem;

	OK(MPI_Alloc_mem(LARGE, MPI_INFO_NULL, &mem));
	memset(from, turn + check_rank, LARGE);
	OK(MPI_Sendrecv(from, LARGE, MPI_BYTE, right, 1, to, LARGE, MPI_BYTE, left, 1,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CHECK(to[0] == (char)(turn + left) && to[LARGE - 1] == (char)(turn + left));
	memcpy(mem, from, LARGE);
	OK(MPI_Sendrecv(mem, LARGE, MPI_BYTE, right, 1, to, LARGE, MPI_BYTE, left, 1,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CHECK(to[LARGE / 2] == (char)(turn + left));
	OK(MPI_Free_mem(mem));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, dup));
	CHECK(sum == turn * check_size);
	OK(MPI_Comm_free(&dup));
}

/* How the child of a rank ends. */
static void hostile_child(int turn, char *own)
{
	memset(from, 0x77, LARGE); /* its own copy: the parent's message is another */
	switch (turn % 4) {
	case 0: _exit(0);
	case 1: exit(0); /* with the handlers that MPI_Init may have left */
	case 2: execlp("true", "true", (char *)NULL); _exit(1);
	default: execl(own, own, "nothing", (char *)NULL); _exit(1);
	}
}

static void forks(char *own)
{
	for (int turn = 0; turn < ROUNDS; turn++) {
		int status;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (pid == 0)
			hostile_child(turn, own);
		hostile_exchange(turn);
		CHECK(waitpid(pid, &status, 0) == pid && status == 0);
		CHECK(system("exit 0") == 0);
	}
}

/* Closes the descriptors from `first' on; descriptors that get their numbers later are ours. */
static void close_all(int first)
{
	FILE *f[FILES];
	struct stat st;
	char c = 0;

	for (int fd = first; fd < 1024; fd++)
		close(fd);
	for (int i = 0; i < FILES; i++) {
		f[i] = tmpfile();
		CHECK(f[i] != NULL && fputc('x', f[i]) == 'x' && fflush(f[i]) == 0);
	}
	for (int turn = 0; turn < ROUNDS; turn++)
		hostile_exchange(turn);
	for (int i = 0; i < FILES; i++) {
		CHECK(fstat(fileno(f[i]), &st) == 0 && st.st_size == 1);
		CHECK(pread(fileno(f[i]), &c, 1, 0) == 1 && c == 'x');
		fclose(f[i]);
	}
}

static void run_alone(char *program)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, program, "0.1", (char *)NULL);
		_exit(1);
	}
	hostile_exchange(1);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* Address space that may still be had. */
static void limit(size_t more)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;
	struct rlimit r;

	CHECK(f != NULL && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	r.rlim_cur = r.rlim_max = pages * (unsigned long)sysconf(_SC_PAGESIZE) + more;
	CHECK(setrlimit(RLIMIT_AS, &r) == 0);
}

/* Comes to the end of memory with unexpected messages, requests and communicators.
 */
static void starve(void)
{
	int right = (check_rank + 1) % check_size;
	MPI_Request r;
	MPI_Comm dup;

	for (int turn = 0; turn < 100000; turn++) {
		OK(MPI_Isend(from, 2000, MPI_BYTE, right, 2, MPI_COMM_WORLD, &r));
		OK(MPI_Request_free(&r));
		if (turn % 10 == 0)
			OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "fork";

	if (strcmp(how, "nothing") == 0)
		return 0;
	check_init(&argc, &argv);
	from = malloc(LARGE);
	to = malloc(LARGE);
	CHECK(from != NULL && to != NULL);
	if (strcmp(how, "fork") == 0)
		forks(argv[0]);
	if (strncmp(how, "close", 5) == 0)
		close_all(strcmp(how, "closeall") == 0 ? 0 : 3);
	if (strcmp(how, "child") == 0)
		run_alone(argv[2]);
	if (strcmp(how, "limit") == 0) {
		limit(strtoul(argv[2], NULL, 10));
		starve();
	}
	for (int turn = 0; turn < ROUNDS; turn++)
		hostile_exchange(turn);
	free(from);
	free(to);
	MPI_Finalize();
	if (strcmp(how, "exec") == 0) {
		execl(argv[2], argv[2], "0.1", (char *)NULL);
		return 1;
	}
	return 0;
}
