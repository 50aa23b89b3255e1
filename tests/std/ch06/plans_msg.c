/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=4,17 time=60 env="HAFT_COLL=p2p" */
/* MPI-5.0 6.12, 6.13: the same with algorithms that the user names. */
#include "tests/std/ch06/plans.h"

int main(int argc, char **argv)
{
	return plans(argc, argv, "");
}
