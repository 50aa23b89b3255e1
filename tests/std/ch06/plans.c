/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=5,17 time=60 */
/* MPI-5.0 6.12, 6.13: collective calls in three forms, through memory where that is possible. */
#include "tests/std/ch06/plans.h"

int main(int argc, char **argv)
{
	return plans(argc, argv, "");
}
