// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 11.8, 11.9.4: processes are spawned, and names published, whatever has started the
 * parents.  `spawns PROGRAM' takes PROGRAM for the children: a script that starts this one.
 * With SPAWNS_APART the children have another launcher than the parents, and its names; with
 * SPAWNS_NAMELESS that of the parents has none. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHILDREN 3

enum { TAG_DOWN, TAG_UP };

static char name[64];

static MPI_Info scope(void)
{
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_scope", "job"));
	return info;
}

static void spawns_child(MPI_Comm parents, int argc, char **argv)
{
	char cwd[4096], port[MPI_MAX_PORT_NAME];
	MPI_Info job = scope();
	int *app, flag, sum = 1;

	CHECK(check_size == CHILDREN);
	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &flag));
	CHECK(flag && *app == (check_rank > 0));
	CHECK(getcwd(cwd, sizeof(cwd)) != NULL);
	if (check_rank > 0) {
		CHECK(strcmp(cwd, "/") == 0 && strcmp(getenv("SPAWNS_KEY"), "a b") == 0);
	} else {
		CHECK(argc > 2 && strcmp(argv[argc - 2], "one") == 0);
		CHECK(strcmp(argv[argc - 1], "two words") == 0);
	}
	CHECK(strcmp(getenv("SPAWNS_OWN"), "x=y z") == 0);
	CHECK(getenv("SPAWNS_OLD") == NULL && getenv("HAFT_BIRTH") == NULL);
	if (getenv("SPAWNS_APART") == NULL)
		OK(MPI_Lookup_name(getenv("SPAWNS_NAME"), job, port));
	OK(MPI_Info_free(&job));
	OK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == CHILDREN);
	OK(MPI_Recv(&sum, 1, MPI_INT, 0, TAG_DOWN, parents, MPI_STATUS_IGNORE));
	sum += check_rank;
	OK(MPI_Send(&sum, 1, MPI_INT, 0, TAG_UP, parents));
	OK(MPI_Barrier(parents));
	OK(MPI_Comm_disconnect(&parents));
}

/* The first parent and each child exchange a message each way. */
static void spawns_messages(MPI_Comm children)
{
	for (int i = 0; i < CHILDREN && check_rank == 0; i++) {
		int v = 100 * i;

		OK(MPI_Send(&v, 1, MPI_INT, i, TAG_DOWN, children));
		OK(MPI_Recv(&v, 1, MPI_INT, i, TAG_UP, children, MPI_STATUS_IGNORE));
		expect_eq(v, 101 * i);
	}
}

static void spawn_two(char *program)
{
	char full[4096], *commands[2] = {program, full}, *one[] = {"one", "two words", NULL};
	char **argvs[2] = {one, NULL};
	int n[2] = {1, CHILDREN - 1}, codes[CHILDREN];
	MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
	MPI_Comm children;

	CHECK(realpath(program, full) != NULL);
	OK(MPI_Info_create(&infos[1]));
	OK(MPI_Info_set(infos[1], "wdir", "/"));
	OK(MPI_Info_set(infos[1], "env", "SPAWNS_KEY=a b"));
	setenv("SPAWNS_OWN", "x=y z", 1);
	setenv("SPAWNS_NAME", name, 1);
	unsetenv("SPAWNS_OLD");
	OK(MPI_Comm_spawn_multiple(
		2, commands, argvs, n, infos, 0, MPI_COMM_WORLD, &children, codes));
	for (int i = 0; i < CHILDREN; i++)
		CHECK(codes[i] == MPI_SUCCESS);
	spawns_messages(children);
	OK(MPI_Barrier(children));
	OK(MPI_Comm_disconnect(&children));
	OK(MPI_Info_free(&infos[1]));
}

static void missing(void)
{
	int codes[2] = {0}, err;
	MPI_Comm none = MPI_COMM_NULL;
	MPI_Info info;

	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	err = MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
		&none, codes);
	CHECK(err == MPI_ERR_SPAWN && none == MPI_COMM_NULL);
	CHECK(codes[0] == MPI_ERR_SPAWN && codes[1] == MPI_ERR_SPAWN);
	FAILS(MPI_ERR_SPAWN, "No such file or directory (2)",
		MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0,
			MPI_COMM_WORLD, &none, codes));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "wdir", "/bin/true"));
	FAILS(MPI_ERR_SPAWN, "directory",
		MPI_Comm_spawn(
			"/bin/true", MPI_ARGV_NULL, 2, info, 0, MPI_COMM_WORLD, &none, codes));
	OK(MPI_Info_delete(info, "wdir"));
	OK(MPI_Info_set(info, "mpi_initial_errhandler", "zz"));
	FAILS(MPI_ERR_INFO_VALUE, "mpi_initial_errhandler is `zz': it is ",
		MPI_Comm_spawn(
			"/bin/true", MPI_ARGV_NULL, 2, info, 0, MPI_COMM_WORLD, &none, codes));
	OK(MPI_Info_free(&info));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

static void parent(char *program)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Info job = scope();
	bool named = getenv("SPAWNS_NAMELESS") == NULL;

	snprintf(name, sizeof(name), "spawns %d", (int)getpid());
	if (check_rank == 0 && named) {
		OK(MPI_Open_port(MPI_INFO_NULL, port));
		OK(MPI_Publish_name(name, job, port));
	}
	missing();
	spawn_two(program);
	if (check_rank == 0 && named) {
		OK(MPI_Unpublish_name(name, job, port));
		OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
		CHECK(MPI_Lookup_name(name, job, port) != MPI_SUCCESS);
	}
	OK(MPI_Info_free(&job));
}

int main(int argc, char **argv)
{
	MPI_Comm from;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_parent(&from));
	if (from != MPI_COMM_NULL)
		spawns_child(from, argc, argv);
	else
		parent(argc > 1 ? argv[1] : argv[0]);
	if (check_rank == 0)
		puts(from != MPI_COMM_NULL ? "children are well" : "parents are well");
	MPI_Finalize();
	return check_end();
}
