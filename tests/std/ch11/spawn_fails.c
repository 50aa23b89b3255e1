// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* RUN np=1,2 env="HAFT_VIA=net" */
/* RUN np=0 */
/* MPI-5.0 11.8.2, 9.3: a spawned program that exits with a code, or is killed, before MPI_Init:
 * calls that wait for it raise MPI_ERR_SPAWN at every parent, with the code or the signal.  Its
 * siblings are ended, in MPI or not, and the job goes on. */
#include "tests/check.h"

enum { SIBLINGS = 3 };

static char *self;

static char *failed_text(const char *s)
{
	return (char *)(uintptr_t)s;
}

/* A child that runs a line of sh, beside two siblings: one sleeps outside of MPI, and one in it. */
static MPI_Comm children(const char *line, int n)
{
	char *bad[] = {failed_text("-c"), failed_text(line), NULL},
	     *sleeps[] = {failed_text("1000"), NULL};
	char *live[] = {failed_text("live"), NULL}, **argvs[] = {bad, sleeps, live};
	char *commands[] = {failed_text("/bin/sh"), failed_text("/bin/sleep"), self};
	const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL, MPI_INFO_NULL};
	const int procs[] = {1, 1, 1};
	MPI_Comm c;

	OK(MPI_Comm_spawn_multiple(
		n, commands, argvs, procs, infos, 0, MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	return c;
}

static void all_raise(const char *line, const char *words)
{
	for (int n = 1; n <= SIBLINGS; n++) {
		MPI_Comm c = children(line, n), merged;
		int v = 0;

		FAILS(MPI_ERR_SPAWN, words, MPI_Recv(&v, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
		OK(MPI_Comm_disconnect(&c));
		c = children(line, n);
		FAILS(MPI_ERR_SPAWN, "", MPI_Barrier(c));
		OK(MPI_Comm_disconnect(&c));
		c = children(line, n);
		FAILS(MPI_ERR_SPAWN, "", MPI_Intercomm_merge(c, 0, &merged));
		OK(MPI_Comm_disconnect(&c));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* After all that a spawn works. */
static void failed_works(void)
{
	MPI_Comm inter;
	char *good[] = {failed_text("good"), NULL};

	OK(MPI_Comm_spawn(
		self, good, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
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
		if (strcmp(argv[1], "live") == 0) /* until it is ended */
			MPI_Recv(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		OK(MPI_Barrier(parent));
		OK(MPI_Comm_disconnect(&parent));
	} else {
		OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
		all_raise("exit 3", "code 3 before MPI_Init");
		all_raise("sleep 0.1; exit 3", "code 3 before MPI_Init");
		all_raise("kill -9 $$", "signal 9 (Killed) before MPI_Init");
		failed_works();
	}
	MPI_Finalize();
	return check_end();
}
