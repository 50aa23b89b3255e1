// SPDX-License-Identifier: BSD-3-Clause
/* profile_count.h - a library that counts calls by PMPI (call_count.h), for profile.sh and qmpi.sh.
 * The generator writes a function for each of MPI's. */
#ifndef TESTS_TOOLS_PROFILE_COUNT_H
#define TESTS_TOOLS_PROFILE_COUNT_H

#include "tests/tools/call_count.h"
#include <mpi.h>

static inline void count_call(struct count *c)
{
	int up, down;

	PMPI_Initialized(&up);
	PMPI_Finalized(&down);
	count_once(c, up && !down);
}

__attribute__((destructor)) static void count_end(void)
{
	count_write("");
}

#endif
