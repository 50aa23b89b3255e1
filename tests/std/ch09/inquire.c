// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 9.1.1, 9.1.2.4, 9.6: version, name of the processor, clock. */
#include "tests/check.h"
#include <math.h>
#include <time.h>
#include <unistd.h>

/* MPI-5.0 9.1.1: the version at compile time and at run time; a string for the library. */
static void version(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
	int v = 0, sub = -1, len = -1;

	OK(MPI_Get_version(&v, &sub));
	CHECK(v == MPI_VERSION && sub == MPI_SUBVERSION && v == 5 && sub == 0);
	memset(text, '#', sizeof(text));
	OK(MPI_Get_library_version(text, &len));
	CHECK(text[MPI_MAX_LIBRARY_VERSION_STRING] == '#');
	CHECK(len > 0 && len == (int)strlen(text) && len < MPI_MAX_LIBRARY_VERSION_STRING);
}

/* MPI-5.0 9.1.2.4: a name for the processor, the same on all ranks of this machine. */
static void processor(void)
{
	char name[MPI_MAX_PROCESSOR_NAME + 1], first[MPI_MAX_PROCESSOR_NAME + 1], host[256] = "";
	int len = -1;

	memset(name, '#', sizeof(name));
	OK(MPI_Get_processor_name(name, &len));
	CHECK(name[MPI_MAX_PROCESSOR_NAME] == '#');
	CHECK(len > 0 && len == (int)strlen(name) && len < MPI_MAX_PROCESSOR_NAME);
	memcpy(first, name, sizeof(first));
	OK(MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, MPI_COMM_WORLD));
	CHECK(strcmp(first, name) == 0);
	gethostname(host, sizeof(host) - 1);
	CHECK(strcmp(host, name) == 0);
}

/* MPI-5.0 9.6: seconds that never go back, in steps of MPI_Wtick at most, of the real world. */
static void clocks(void)
{
	struct timespec nap = {.tv_nsec = 20 * 1000 * 1000};
	double t = MPI_Wtime(), last = t, tick = MPI_Wtick();

	CHECK(tick > 0 && tick <= 1e-3);
	for (int i = 0; i < 10000; i++) {
		double now = MPI_Wtime();

		CHECK(now >= last);
		last = now;
	}
	t = MPI_Wtime();
	nanosleep(&nap, NULL);
	last = MPI_Wtime() - t;
	CHECK(last > 0.0199 && last < 2000);
}

/* MPI-5.0 9.1.2.3, 9.6: if the attribute says that clocks agree, a message is not received before
 * it was sent. */
static void global(void)
{
	double sent, got, back;
	int *agree, flag;

	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &agree, &flag));
	if (!flag || !*agree || check_size < 2 || check_rank > 1)
		return;
	for (int i = 0; i < 100; i++) {
		sent = MPI_Wtime();
		OK(MPI_Sendrecv(&sent, 1, MPI_DOUBLE, 1 - check_rank, 0, &back, 1, MPI_DOUBLE,
			1 - check_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		got = MPI_Wtime();
		CHECK(got >= back);
	}
}

int main(int argc, char **argv)
{
	version();
	check_init(&argc, &argv);
	version();
	processor();
	clocks();
	global();
	MPI_Finalize();
	version();
	return 0;
}
