// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 alone */
/* MPI-5.0 2.5.1, pitfalls 17 and 22: objects live in millions, and each has an INTEGER of its own,
 * positive, outside of the ABI's numbers, the same at each call. */
#include "tests/check.h"

#define LIVE    9000000 /* others stop at 8388608 */
#define CHECKED 1000000

static void integer_on_error(MPI_Comm *c, int *code, ...)
{
	(void)c;
	(void)code;
}

int main(int argc, char **argv)
{
	MPI_Errhandler *e = malloc(LIVE * sizeof(*e)), copy;
	int *seen = calloc(1 << 24, sizeof(*seen)), bad = 0;

	check_init(&argc, &argv);
	CHECK(e != NULL && seen != NULL);
	for (int i = 0; i < LIVE; i++)
		OK(MPI_Comm_create_errhandler(integer_on_error, &e[i]));
	for (int i = 0; i < CHECKED; i++) {
		int n = MPI_Errhandler_toint(e[i]);

		bad += n < 4096 || n != MPI_Errhandler_toint(e[i]);
		bad += MPI_Errhandler_fromint(n) != e[i];
		bad += seen[n & 0xffffff]++ != 0;
	}
	CHECK(bad == 0);
	copy = e[LIVE / 2];
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, copy));
	for (int i = 0; i < LIVE; i++)
		OK(MPI_Errhandler_free(&e[i]));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	FAILS(MPI_ERR_ERRHANDLER, "freed", MPI_Errhandler_free(&copy));
	free(e);
	free(seen);
	MPI_Finalize();
	return 0;
}
