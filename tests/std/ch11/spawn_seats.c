// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 env="HAFT_SEATS=0|1|2|3|4|5|6|7" */
/* RUN np=0 env="HAFT_SEATS=0|1|2|3|4|7" */
/* RUN np=2 env="HAFT_VIA=net HAFT_SEATS=0|2|4" */
/* MPI-5.0 11.8.2, 11.8.3: children that the memory of their host has no seats for are MPI_ERR_SPAWN
 * of all parents at once, with words; with `soft' there are fewer of them.  Seats of those that
 * have been disconnected are free again.  A tree of spawns ends in any case. */
#include "tests/check.h"

#define WANTED 3

static char *self;

/* HAFT_SEATS is of each host; mpiexec lists the hosts with commas, if there are several. */
static int seats(void)
{
	char hosts[256] = "";
	int n = 1, flag, len = sizeof(hosts);

	OK(MPI_Info_get_string(MPI_INFO_ENV, "host", &len, hosts, &flag));
	for (const char *p = hosts; *p != '\0'; p++)
		n += *p == ',';
	return n * atoi(getenv("HAFT_SEATS"));
}

/* Messages between all pairs, and the end of the connection. */
static void seats_messages(MPI_Comm inter, int high)
{
	MPI_Comm all;
	int one = 1, sum, size, remote;

	OK(MPI_Comm_size(inter, &size));
	OK(MPI_Comm_remote_size(inter, &remote));
	OK(MPI_Intercomm_merge(inter, high, &all));
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all));
	expect_eq(sum, size + remote);
	OK(MPI_Comm_free(&all));
	OK(MPI_Comm_disconnect(&inter));
}

static int seats_class_of(int code)
{
	int class;

	MPI_Error_class(code, &class);
	return class;
}

/* Spawns, hard or by two programs; works if there are seats. */
static void seats_hard(int depth)
{
	char text[2] = {(char)('0' + depth), '\0'}, *argv[] = {text, NULL},
	     **argvs[] = {argv, argv};
	char *commands[] = {self, self};
	const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	const int procs[] = {1, WANTED - 1};
	int codes[WANTED] = {9, 9, 9};
	MPI_Comm inter;

	for (int times = 0; times < 4; times++) {
		int err = times % 2 == 0 ? MPI_Comm_spawn(self, argv, WANTED, MPI_INFO_NULL, 0,
						   MPI_COMM_WORLD, &inter, codes)
					 : MPI_Comm_spawn_multiple(2, commands, argvs, procs, infos,
						   0, MPI_COMM_WORLD, &inter, codes);

		/* Children of several parents use seats at the same time. */
		if (depth == 1)
			expect_eq(seats_class_of(err),
				seats() >= WANTED ? MPI_SUCCESS : MPI_ERR_SPAWN);
		for (int i = 0; i < WANTED; i++)
			expect_eq(seats_class_of(codes[i]), seats_class_of(err));
		if (err == MPI_SUCCESS)
			seats_messages(inter, 0);
		else
			expect(seats_class_of(err) == MPI_ERR_SPAWN &&
				error_says(err, "HAFT_SEATS"));
	}
}

static void seats_soft(void)
{
	char *argv[] = {(char *)(uintptr_t) "2", NULL};
	int want = seats() < WANTED ? seats() : WANTED, started = 0, remote;
	int codes[WANTED] = {9, 9, 9};
	MPI_Comm inter;
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "soft", "0:3"));
	OK(MPI_Comm_spawn(self, argv, WANTED, info, 0, MPI_COMM_WORLD, &inter, codes));
	OK(MPI_Comm_remote_size(inter, &remote));
	expect_eq(remote, want);
	for (int i = 0; i < WANTED; i++)
		started += codes[i] == MPI_SUCCESS;
	expect_eq(started, want);
	if (remote > 0)
		seats_messages(inter, 0);
	else
		OK(MPI_Comm_disconnect(&inter));
	OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	check_init(&argc, &argv);
	self = argv[0];
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_get_parent(&parent));
	if (parent == MPI_COMM_NULL) {
		seats_soft();
		seats_hard(1);
	} else {
		if (argv[1][0] == '1')
			seats_hard(2);
		seats_messages(parent, 1);
	}
	MPI_Finalize();
	return check_end();
}
