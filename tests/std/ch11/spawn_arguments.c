// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* MPI-5.0 11.8.2, 11.8.3: a wrong argument of the root is an error of all members, with the code of
 * each process.  Arrays that are null pointers are such arguments, and mean nothing elsewhere. */
#include "tests/check.h"

enum { PROCS = 3, UNTOUCHED = -99 };

static int argument_class_of(int code)
{
	int class;

	MPI_Error_class(code, &class);
	return class;
}

static void codes_are(const int *codes, int n)
{
	for (int i = 0; i < n; i++)
		expect_eq(argument_class_of(codes[i]), MPI_ERR_ARG);
	expect_eq(codes[n], UNTOUCHED);
}

static void argument_one(void)
{
	int codes[PROCS + 1] = {UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED};
	MPI_Comm inter;

	FAILS(MPI_ERR_ARG, "empty",
		MPI_Comm_spawn("", MPI_ARGV_NULL, PROCS, MPI_INFO_NULL, check_size - 1,
			MPI_COMM_WORLD, &inter, codes));
	codes_are(codes, PROCS);
}

static void argument_several(
	const char *words, char *commands[], const int procs[], const MPI_Info infos[], int total)
{
	int codes[PROCS + 1] = {UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED};
	MPI_Comm inter;

	FAILS(MPI_ERR_ARG, words,
		MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, procs, infos, 0,
			MPI_COMM_WORLD, &inter, codes));
	codes_are(codes, total);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	const int procs[] = {1, PROCS - 1};
	char *commands[] = {NULL, NULL};

	check_init(&argc, &argv);
	commands[0] = argv[0];
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	argument_one();
	argument_several("array_of_commands", NULL, procs, infos, PROCS);
	argument_several("array_of_maxprocs", commands, NULL, infos, 0);
	argument_several("array_of_info", commands, procs, NULL, PROCS);
	argument_several("command 1 is a null pointer", commands, procs, infos, PROCS);
	MPI_Finalize();
	return check_end();
}
