// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4,7 env="HAFT_FT=yes HAFT_VIA=auto|net" time=60 */
/* RUN np=4 env="HAFT_COLL=p2p HAFT_FT=yes" time=60 */
/* recover.c - half of the processes die, one after the other, in a loop of collectives; the others
 * revoke, agree, shrink, and go on. */
#include "tests/ft/ft.h"

/* All ranks of c; false: a process has failed, or the communicator was revoked. */
static bool recover_compute(MPI_Comm c, int steps, int victim)
{
	int n, rank, sum;

	MPI_Comm_size(c, &n);
	MPI_Comm_rank(c, &rank);
	for (int i = 0; i < steps; i++) {
		int one = 1, err;

		if (rank == victim && i == steps / 2)
			ft_die();
		err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
		if (err == MPIX_ERR_PROC_FAILED)
			OK(MPIX_Comm_revoke(c));
		if (err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED)
			return false;
		OK(err);
		CHECK(sum == n);
	}
	return true;
}

static void agree_all(MPI_Comm c, int rank, int n)
{
	int flag = ~(1 << rank), err = MPIX_Comm_agree(c, &flag), acked, want = ~0;
	MPI_Request r;

	CHECK(err == MPI_SUCCESS || err == MPIX_ERR_PROC_FAILED);
	OK(MPIX_Comm_ack_failed(c, ft_failures(c), &acked));
	CHECK(acked == ft_failures(c));
	flag = ~(1 << rank);
	err = MPIX_Comm_iagree(c, &flag, &r);
	OK(err);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	for (int i = 0; i < n; i++)
		want &= i == n / 2 ? ~0 : ~(1 << i);
	CHECK(flag == want);
}

int main(int argc, char **argv)
{
	MPI_Comm c, next;
	int n, rank, flag, half;

	ft_init(&argc, &argv);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	half = check_size / 2;
	for (int round = 0; round < half; round++) {
		MPI_Comm_size(c, &n);
		MPI_Comm_rank(c, &rank);
		CHECK(n == check_size - round);
		CHECK(!recover_compute(c, 100, n / 2));
		OK(MPIX_Comm_is_revoked(c, &flag));
		FAILS(MPIX_ERR_REVOKED, "revoke", MPI_Send(&n, 1, MPI_INT, MPI_PROC_NULL, 0, c));
		FAILS(MPIX_ERR_REVOKED, "revoke", MPI_Barrier(c));
		FAILS(MPIX_ERR_REVOKED, "revoke", MPI_Comm_dup(c, &next));
		agree_all(c, rank, n);
		if (round % 2 == 0) {
			OK(MPIX_Comm_shrink(c, &next));
		} else {
			MPI_Request r;

			OK(MPIX_Comm_ishrink(c, &next, &r));
			OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		}
		OK(MPI_Comm_free(&c));
		c = next;
	}
	CHECK(recover_compute(c, 100, -1));
	MPI_Comm_rank(c, &rank);
	if (rank == 0)
		printf("%d of %d processes have recovered\n", check_size - half, check_size);
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return check_end();
}
