// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 env="HAFT_FT=auto|yes" args="1" */
/* RUN np=1 env="HAFT_FT=no" args="0" */
/* ft_attribute.c - the attribute MPIX_FT of MPI_COMM_WORLD: can failures be survived? */
#include "tests/ft/ft.h"

int main(int argc, char **argv)
{
	int *value = NULL, flag = 0;

	ft_init(&argc, &argv);
	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &flag));
	CHECK(flag && *value == atoi(argv[1]));
	FAILS(MPI_ERR_KEYVAL, "predefined", MPI_Comm_set_attr(MPI_COMM_WORLD, MPIX_FT, NULL));
	MPI_Finalize();
	return check_end();
}
