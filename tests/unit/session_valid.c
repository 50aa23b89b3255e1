// SPDX-License-Identifier: BSD-3-Clause
/* The end of the last session runs the invariants of all engines in debug and MEAN=1 builds: once,
 * also in a program that never calls MPI_Init (MPI-5.0 11.3). */
#include "libmpi/core/valid.h"
#include "libobj/base.h"
#include "tests/check.h"

static int runs;

static bool session_counted(void)
{
	runs++;
	return true;
}

int main(void)
{
	MPI_Session first, last;

	haft_valid_add("counted", session_counted);
	OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first));
	OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &last));
	OK(MPI_Session_finalize(&first));
	expect_eq(runs, 0);
	OK(MPI_Session_finalize(&last));
	expect_eq(runs, HAFT_DEBUG || HAFT_MEAN ? 1 : 0);
	return check_end();
}
