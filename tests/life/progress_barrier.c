// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_PROGRESS=thread" */
/* The helper's membarrier is registered before there are threads.  Later that takes 10 ms, in which
 * the helper of a short job serves no message. */
#include "tests/check.h"
#include <linux/membarrier.h>
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) & MEMBARRIER_CMD_PRIVATE_EXPEDITED)
		expect(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
	MPI_Finalize();
	return check_end();
}
