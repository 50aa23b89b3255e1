// SPDX-License-Identifier: BSD-3-Clause
/* spawner.c - spawns what its arguments say, and says what came of it: for spawn.sh.
 *
 *   spawner [-n N] [-r ROUNDS] [-k KEY=VALUE]... PROGRAM [ARGUMENT]...
 *
 * As a child (argument "child", and its task) it reports to its parents. */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CODES 256

static void universe_tell(void)
{
	int *v, flag;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &v, &flag);
	if (flag)
		printf("universe %d\n", *v);
	else
		printf("universe not set\n");
}

/* Says how much of stdin this process gets. */
static void input_tell(int rank)
{
	long n = 0;

	while (getchar() != EOF)
		n++;
	printf("child %d has read %ld bytes\n", rank, n);
}

/* Starts a process that holds stdout, and is in no process group of a rank; says which. */
static void sleeper_leave(char *seconds)
{
	char *words[] = {(char *)(uintptr_t) "sleep", seconds, NULL};

	if (fork() != 0)
		return;
	setsid();
	printf("left %d\n", (int)getpid());
	fflush(stdout);
	execvp(words[0], words);
	_exit(1);
}

static int spawner_child(MPI_Comm parents, char **argv)
{
	const char *what = argv[2] != NULL ? argv[2] : "";
	int rank, size;
	char *env = getenv("SPAWN_TEST"), *cwd = getcwd(NULL, 0);

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(what, "say") == 0)
		printf("child %d of %d in %s, SPAWN_TEST=%s\n", rank, size, cwd,
			env != NULL ? env : "(none)");
	if (strcmp(what, "universe") == 0)
		universe_tell();
	if (strcmp(what, "read") == 0)
		input_tell(rank);
	free(cwd);
	fflush(stdout);
	if (strcmp(what, "die") == 0 && rank == size - 1)
		raise(SIGKILL);
	if (strcmp(what, "alone") == 0) { /* without its parents from now on */
		MPI_Comm_disconnect(&parents);
		MPI_Abort(MPI_COMM_WORLD, 7);
	}
	if (strcmp(what, "leave") == 0)
		sleeper_leave(argv[3]);
	if (strcmp(what, "sleep") == 0 || strcmp(what, "leave") == 0)
		pause();
	MPI_Barrier(parents);
	MPI_Comm_disconnect(&parents);
	MPI_Finalize();
	if (strcmp(what, "linger") == 0)
		sleep(3);
	return 0;
}

static void spawner_tell(int err, int n, const int *codes, MPI_Comm c)
{
	char text[MPI_MAX_ERROR_STRING];
	int len, bad = 0, class = 0, size = 0;

	for (int i = 0; i < n && i < CODES; i++)
		bad += codes[i] != MPI_SUCCESS;
	MPI_Error_class(err, &class);
	if (c != MPI_COMM_NULL)
		MPI_Comm_remote_size(c, &size);
	MPI_Error_string(err, text, &len);
	printf("spawn: %s, %d processes, %d codes\n",
		class == MPI_SUCCESS     ? "MPI_SUCCESS"
		: class == MPI_ERR_SPAWN ? "MPI_ERR_SPAWN"
					 : text,
		size, bad);
	if (err != MPI_SUCCESS)
		printf("words: %s\n", text);
	fflush(stdout);
}

static void spawn_round(char **argv, int n, MPI_Info info)
{
	static int codes[CODES];
	MPI_Comm c = MPI_COMM_NULL;
	int err = MPI_Comm_spawn(
		argv[0], argv + 1, n, info, 0, MPI_COMM_WORLD, &c, n <= CODES ? codes : NULL);
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		spawner_tell(err, n, codes, c);
	if (err != MPI_SUCCESS || c == MPI_COMM_NULL)
		return;
	if (argv[1] == NULL || strcmp(argv[1], "child") != 0 || strcmp(argv[2], "alone") != 0)
		MPI_Barrier(c);
	MPI_Comm_disconnect(&c);
}

int main(int argc, char **argv)
{
	MPI_Comm parents;
	MPI_Info info;
	int n = 1, rounds = 1, i = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL)
		return spawner_child(parents, argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (argc > 1 && strcmp(argv[1], "-u") == 0)
		universe_tell();
	MPI_Info_create(&info);
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		char *eq = strchr(argv[i + 1], '=');

		if (argv[i][1] == 'n')
			n = atoi(argv[i + 1]);
		else if (argv[i][1] == 'r')
			rounds = atoi(argv[i + 1]);
		else if (eq != NULL) {
			*eq = '\0';
			MPI_Info_set(info, argv[i + 1], eq + 1);
		}
	}
	for (int k = 0; k < rounds && i < argc && argv[i][0] != '-'; k++)
		spawn_round(argv + i, n, info);
	MPI_Info_free(&info);
	MPI_Finalize();
	return 0;
}
