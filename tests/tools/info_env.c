// SPDX-License-Identifier: BSD-3-Clause
/* info_env.c - prints MPI_INFO_ENV and the info of MPI_COMM_WORLD: info_env.sh. */
#include <mpi.h>
#include <stdio.h>

static void env_show(MPI_Info i)
{
	char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL + 1];
	int n, flag, len;

	MPI_Info_get_nkeys(i, &n);
	for (int k = 0; k < n; k++) {
		MPI_Info_get_nthkey(i, k, key);
		len = sizeof(value);
		MPI_Info_get_string(i, key, &len, value, &flag);
		printf("%s=%s.\n", key, value);
	}
}

int main(int argc, char **argv)
{
	MPI_Info i;
	int rank;

	if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
		printf("went on\n");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	env_show(MPI_INFO_ENV);
	MPI_Comm_get_info(MPI_COMM_WORLD, &i);
	printf("supported:\n");
	env_show(i);
	MPI_Info_free(&i);
	MPI_Finalize();
	return 0;
}
