/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=17 time=60 */
/* MPI-5.0 6.12, 6.13: the same with algorithms that the user names. */
#include "tests/std/ch06/plans.h"

int main(int argc, char **argv)
{
	return plans(argc, argv,
		"bcast=binomial,gather=binomial,scatter=binomial,allgather=bruck,"
		"alltoall=pairwise,reduce=gathered,allreduce=gathered,"
		"reduce_scatter_block=shared,reduce_scatter=shared,scan=chain,"
		"exscan=chain");
}
