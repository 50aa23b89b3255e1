// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* RUN np=1,2 env="HAFT_VIA=net" */
/* RUN np=0 */
/* MPI-5.0 11.8.2: spawned programs that end without MPI_Init, at once or after a while: calls
 * that wait for them raise MPI_ERR_SPAWN with words, also a receive from any source.  A sibling
 * that is in MPI is ended, and the job goes on.  9.3: a disconnect from such children succeeds, and
 * leaves no words of their end. */
#include "tests/check.h"

#include <unistd.h>

#define OF_WORLD " of world "

static char *self;

/* A call has returned MPI_SUCCESS: its text has no words of an error that the call has met. */
static void success_has_no_words(void)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	OK(MPI_Error_string(MPI_SUCCESS, text, &len));
	expect(strstr(text, "lost") == NULL && strstr(text, "process") == NULL);
}

/* Two children: one ends without MPI_Init; the other calls it (both), or ends as well. */
static MPI_Comm children(char *seconds, bool both)
{
	char *end[] = {seconds, NULL}, *live[] = {(char *)(uintptr_t) "live", NULL}, **argvs[2];
	char *commands[] = {(char *)(uintptr_t) "/bin/sleep", both ? self : commands[0]};
	const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	const int procs[] = {1, 1};
	MPI_Comm c;

	argvs[0] = end;
	argvs[1] = both ? live : end;
	OK(MPI_Comm_spawn_multiple(
		2, commands, argvs, procs, infos, 0, MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	return c;
}

static void all_raise(char *seconds, bool both)
{
	MPI_Comm c, merged;
	int v = 0;

	c = children(seconds, both);
	FAILS(MPI_ERR_SPAWN, OF_WORLD, MPI_Barrier(c));
	OK(MPI_Comm_disconnect(&c));
	success_has_no_words();
	c = children(seconds, both);
	FAILS(MPI_ERR_SPAWN, OF_WORLD, MPI_Recv(&v, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
	OK(MPI_Comm_disconnect(&c));
	success_has_no_words();
	c = children(seconds, both);
	FAILS(MPI_ERR_SPAWN, OF_WORLD,
		MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, c, MPI_STATUS_IGNORE));
	OK(MPI_Comm_disconnect(&c));
	success_has_no_words();
	c = children(seconds, both);
	FAILS(MPI_ERR_SPAWN, "", MPI_Intercomm_merge(c, 0, &merged));
	OK(MPI_Comm_disconnect(&c));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	check_init(&argc, &argv);
	self = argv[0];
	OK(MPI_Comm_get_parent(&parent));
	if (parent != MPI_COMM_NULL) /* until it is ended */
		OK(MPI_Recv(
			NULL, 0, MPI_INT, 1 - check_rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	all_raise((char *)(uintptr_t) "0", false);
	all_raise((char *)(uintptr_t) "0.2", false);
	all_raise((char *)(uintptr_t) "0.1", true);
	MPI_Finalize();
	return check_end();
}
