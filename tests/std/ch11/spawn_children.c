// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 */
/* RUN np=1,2 env="HAFT_VIA=net" */
/* RUN np=2 env="HAFT_SEATS=6" */
/* MPI-5.0 11.8.2: spawned processes have a WORLD of their own, and their parents by an
 * inter-communicator, for messages of all sizes, merge, collectives and disconnect. */
#include "tests/check.h"

#include <stdint.h>

#define CHILDREN 3
#define LARGE    300000

/* Ring messages of several sizes in an intra-communicator, by which all pairs of neighbors talk. */
static void spawned_ring(MPI_Comm c)
{
	static char out[LARGE], in[LARGE];
	int rank, size;

	OK(MPI_Comm_rank(c, &rank));
	OK(MPI_Comm_size(c, &size));
	for (int n = 0; n <= LARGE; n = n * 5 + 7)
		for (int times = 0; times < 10; times++) {
			memset(out, rank + times, (size_t)n);
			OK(MPI_Sendrecv(out, n, MPI_CHAR, (rank + 1) % size, 5, in, n, MPI_CHAR,
				(rank + size - 1) % size, 5, c, MPI_STATUS_IGNORE));
			CHECK(n == 0 || in[n - 1] == (char)((rank + size - 1) % size + times));
		}
}

static void spawned_together(MPI_Comm inter, int high)
{
	MPI_Comm all;
	int one = 1, sum, size, remote;

	OK(MPI_Barrier(inter));
	OK(MPI_Comm_size(inter, &size));
	OK(MPI_Comm_remote_size(inter, &remote));
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter));
	expect_eq(sum, remote);
	OK(MPI_Intercomm_merge(inter, high, &all));
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all));
	expect_eq(sum, size + remote);
	spawned_ring(all);
	OK(MPI_Comm_free(&all));
}

static void spawned_child(MPI_Comm parent, char **argv)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Comm again;
	int len, flag, *appnum;

	OK(MPI_Comm_get_name(parent, name, &len));
	expect(strcmp(name, "MPI_COMM_PARENT") == 0);
	OK(MPI_Comm_get_parent(&again));
	expect(again == parent);
	expect_eq(check_size, CHILDREN);
	expect(strcmp(argv[1], "child") == 0 && strcmp(argv[2], "with blank") == 0);
	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag));
	expect(flag && *appnum == 0);
	spawned_ring(MPI_COMM_WORLD);
	spawned_together(parent, 1);
	OK(MPI_Comm_disconnect(&parent));
	expect(parent == MPI_COMM_NULL);
	OK(MPI_Comm_get_parent(&again));
	expect(again == MPI_COMM_NULL);
}

static void parent(char *self)
{
	char *argv[] = {"child", "with blank", NULL};
	char **volatile rubbish = (char **)(uintptr_t)8;
	int root = check_size - 1, codes[CHILDREN] = {7, 7, 7};
	MPI_Comm inter;

	for (int times = 0; times < 4; times++) {
		if (check_rank == root)
			OK(MPI_Comm_spawn(self, argv, CHILDREN, MPI_INFO_NULL, root, MPI_COMM_WORLD,
				&inter, codes));
		else
			OK(MPI_Comm_spawn((char *)rubbish, rubbish, -7, MPI_INFO_NULL, root,
				MPI_COMM_WORLD, &inter, codes));
		for (int i = 0; i < CHILDREN; i++)
			expect_eq(codes[i], MPI_SUCCESS);
		spawned_together(inter, 0);
		OK(MPI_Comm_disconnect(&inter));
	}
	spawned_ring(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Comm from;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_parent(&from));
	if (from != MPI_COMM_NULL)
		spawned_child(from, argv);
	else
		parent(argv[0]);
	MPI_Finalize();
	return check_end();
}
