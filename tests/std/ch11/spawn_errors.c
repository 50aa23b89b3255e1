// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* MPI-5.0 11.8.2, 11.8.3: a spawn that fails is an error of all members, with the code of each
 * process; `soft' makes less of it; nothing of a failed spawn is left. */
#include "tests/check.h"
#include <limits.h>

#define NONE "/no/such/program"

static char *self;

static int error_class_of(int code)
{
	int class;

	MPI_Error_class(code, &class);
	return class;
}

static void codes_are(const int *codes, int n, int class)
{
	for (int i = 0; i < n; i++)
		expect_eq(error_class_of(codes[i]), class);
}

static void not_there(void)
{
	int codes[4] = {0, 0, 0, 9};
	MPI_Comm inter;

	FAILS(MPI_ERR_SPAWN, NONE,
		MPI_Comm_spawn(
			NONE, MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes));
	codes_are(codes, 3, MPI_ERR_SPAWN);
	expect_eq(codes[3], 9);
	FAILS(MPI_ERR_ARG, "-3",
		MPI_Comm_spawn(self, MPI_ARGV_NULL, -3, MPI_INFO_NULL, check_size - 1,
			MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
}

/* More than any host has room for: refused with words. */
static void too_many(void)
{
	char *commands[] = {self, self};
	const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	const int procs[] = {INT_MAX, 2};
	enum { MANY = 100000 };
	static int codes[MANY];
	MPI_Comm inter;

	FAILS(MPI_ERR_SPAWN, "more processes than a job can have",
		MPI_Comm_spawn(self, MPI_ARGV_NULL, MANY, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
			codes));
	codes_are(codes, MANY, MPI_ERR_SPAWN);
	FAILS(MPI_ERR_ARG, "add up",
		MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, procs, infos, 0,
			MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
}

/* The first program is there, and must not run on. */
static void second_not_there(void)
{
	char *commands[] = {self, NONE};
	const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	const int procs[] = {1, 2};
	int codes[3] = {0};
	MPI_Comm inter;

	FAILS(MPI_ERR_SPAWN, NONE,
		MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, procs, infos, 0,
			MPI_COMM_WORLD, &inter, codes));
	codes_are(codes + 1, 2, MPI_ERR_SPAWN);
}

static void error_soft(void)
{
	int codes[3] = {0}, remote = -1;
	MPI_Comm inter;
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "soft", "0:3"));
	OK(MPI_Comm_spawn(NONE, MPI_ARGV_NULL, 3, info, 0, MPI_COMM_WORLD, &inter, codes));
	codes_are(codes, 3, MPI_ERR_SPAWN);
	OK(MPI_Comm_remote_size(inter, &remote));
	expect_eq(remote, 0);
	OK(MPI_Barrier(inter));
	OK(MPI_Comm_disconnect(&inter));
	OK(MPI_Info_free(&info));
	OK(MPI_Comm_spawn(self, MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
		MPI_ERRCODES_IGNORE));
	OK(MPI_Comm_remote_size(inter, &remote));
	expect_eq(remote, 0);
	OK(MPI_Comm_disconnect(&inter));
}

/* One of two programs is missing, and soft allows none of it: the other one starts. */
static void soft_of_one(int missing)
{
	char *commands[] = {self, self};
	MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	const int procs[] = {2, 2};
	int codes[4] = {9, 9, 9, 9}, remote = -1;
	MPI_Comm inter;

	commands[missing] = (char *)(uintptr_t)NONE;
	OK(MPI_Info_create(&infos[missing]));
	OK(MPI_Info_set(infos[missing], "soft", "0:9"));
	OK(MPI_Comm_spawn_multiple(
		2, commands, MPI_ARGVS_NULL, procs, infos, 0, MPI_COMM_WORLD, &inter, codes));
	codes_are(codes + 2 * missing, 2, MPI_ERR_SPAWN);
	codes_are(codes + 2 * (1 - missing), 2, MPI_SUCCESS);
	OK(MPI_Comm_remote_size(inter, &remote));
	expect_eq(remote, 2);
	OK(MPI_Barrier(inter));
	OK(MPI_Comm_disconnect(&inter));
	OK(MPI_Info_free(&infos[missing]));
}

/* The words of a refusal have bytes that mean something in the protocol: all answers come, in
 * their order, and the words are whole. */
static void odd_names(void)
{
	int codes[1] = {9}, remote = -1;
	MPI_Comm inter;
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "soft", "0:9"));
	OK(MPI_Comm_spawn("./a\nb", MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD, &inter, codes));
	codes_are(codes, 1, MPI_ERR_SPAWN);
	OK(MPI_Comm_remote_size(inter, &remote));
	expect_eq(remote, 0);
	OK(MPI_Comm_disconnect(&inter));
	OK(MPI_Info_free(&info));
	FAILS(MPI_ERR_SPAWN, "haft_other_hosts=vm:1;1;;; rc=0 %41",
		MPI_Comm_spawn("./no haft_other_hosts=vm:1;1;;; rc=0 %41", MPI_ARGV_NULL, 1,
			MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes));
	codes_are(codes, 1, MPI_ERR_SPAWN);
}

/* After all that a spawn works. */
static void error_works(void)
{
	MPI_Comm inter;
	int codes[2] = {9, 9};

	OK(MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes));
	codes_are(codes, 2, MPI_SUCCESS);
	OK(MPI_Barrier(inter));
	OK(MPI_Comm_disconnect(&inter));
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	check_init(&argc, &argv);
	self = argv[0];
	OK(MPI_Comm_get_parent(&parent));
	if (parent != MPI_COMM_NULL) {
		OK(MPI_Barrier(parent));
		OK(MPI_Comm_disconnect(&parent));
	} else {
		OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
		not_there();
		too_many();
		second_not_there();
		error_soft();
		soft_of_one(0);
		soft_of_one(1);
		odd_names();
		error_works();
	}
	MPI_Finalize();
	return check_end();
}
