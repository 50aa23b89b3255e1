// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 11.2.1 to 11.2.3, 11.4.1: calls allowed before MPI_Init and after MPI_Finalize, and
 * levels of threads. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	char lib[MPI_MAX_LIBRARY_VERSION_STRING], name[MPI_MAX_PROCESSOR_NAME];
	int flag = -1, v = 0, sv = -1, len = 0, provided = -1;
	double t;

	OK(MPI_Initialized(&flag));
	CHECK(flag == 0);
	OK(MPI_Finalized(&flag));
	CHECK(flag == 0);
	OK(MPI_Get_version(&v, &sv));
	CHECK(v == MPI_VERSION && v == 5 && sv == MPI_SUBVERSION);
	OK(MPI_Get_library_version(lib, &len));
	CHECK(len == (int)strlen(lib) && strstr(lib, "Haft") != NULL);
	OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	CHECK(provided >= MPI_THREAD_SERIALIZED && provided <= MPI_THREAD_MULTIPLE);
	OK(MPI_Query_thread(&flag));
	CHECK(flag == provided);
	OK(MPI_Is_thread_main(&flag));
	CHECK(flag == 1);
	OK(MPI_Initialized(&flag));
	CHECK(flag == 1);
	OK(MPI_Get_processor_name(name, &len));
	CHECK(len == (int)strlen(name) && len > 0);
	t = MPI_Wtime();
	CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1e-3 && MPI_Wtime() >= t);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	CHECK(MPI_Init(&argc, &argv) != MPI_SUCCESS); /* only once */
	OK(MPI_Finalize());
	OK(MPI_Finalized(&flag));
	CHECK(flag == 1);
	OK(MPI_Initialized(&flag));
	CHECK(flag == 1);
	return 0;
}
