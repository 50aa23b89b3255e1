/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=17 time=60 */
/* MPI-5.0 6.12, 6.13: the same with algorithms that the user names. */
#include "tests/std/ch06/plans.h"

int main(int argc, char **argv)
{
	return plans(argc, argv,
		"barrier=binomial,bcast=parts,gather=linear,scatter=linear,"
		"allgather=ring,alltoall=bruck,alltoallv=pairwise,alltoallw=pairwise,"
		"reduce=halving,allreduce=halving,reduce_scatter_block=halving,"
		"reduce_scatter=halving,scan=gathered,exscan=gathered");
}
