// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 env="HAFT_FT=yes|auto" */
/* RUN np=5 env="HAFT_FT=yes HAFT_VIA=net" */
/* spawn_revoked.c - rank 1 revokes a communicator and shrinks or frees it, while the others spawn
 * on it: they know of the revocation, or are in the spawn already.  The spawn raises
 * MPIX_ERR_REVOKED and takes no place in the order of agreements: all shrink. */
#include "tests/ft/ft.h"

static MPI_Comm duplicate(void)
{
	MPI_Comm c;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	return c;
}

/* in_time: it is revoked already, or the spawn is not over without rank 1. */
static void spawn_fails(MPI_Comm c, bool in_time)
{
	MPI_Comm children;
	int err = MPI_Comm_spawn(
		"/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, c, &children, MPI_ERRCODES_IGNORE);

	if (err == 0 && !in_time)
		OK(MPI_Comm_free(&children));
	else
		FAILS(MPIX_ERR_REVOKED, "revoke", err);
}

static void shrink_works(MPI_Comm c)
{
	MPI_Comm next;

	OK(MPIX_Comm_shrink(c, &next));
	OK(MPI_Barrier(next));
	OK(MPI_Comm_free(&next));
	OK(MPI_Comm_free(&c));
}

static void spawn_on_revoked(void)
{
	MPI_Comm c = duplicate();
	int revoked = 0;

	if (check_rank == 1)
		OK(MPIX_Comm_revoke(c));
	while (!revoked)
		OK(MPIX_Comm_is_revoked(c, &revoked));
	if (check_rank != 1)
		spawn_fails(c, true);
	shrink_works(c);
}

/* Rank 1 revokes c when the others are in the spawn, mostly.  It shrinks c, or frees it at once.
 * waits: the spawn ends by an agreement of all (HAFT_FT=yes), or all have come (shared memory). */
static void revoke_in_spawn(bool shrinks, bool waits)
{
	MPI_Comm c = duplicate();

	if (check_rank == 1) {
		usleep(30000);
		OK(MPIX_Comm_revoke(c));
	} else {
		spawn_fails(c, waits);
	}
	if (shrinks)
		shrink_works(c);
	else
		OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	bool waits;

	ft_init(&argc, &argv);
	waits = strcmp(getenv("HAFT_FT"), "yes") == 0 || !check_has_remote();
	spawn_on_revoked();
	for (int i = 0; i < 3; i++) {
		revoke_in_spawn(true, waits);
		revoke_in_spawn(false, waits);
	}
	MPI_Finalize();
	return check_end();
}
