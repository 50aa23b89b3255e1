// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1,3 */
/* RUN np=3 env="HAFT_VIA=net" */
/* RUN np=2 env="HAFT_IFACE=lo HAFT_CHECK=types,coll" */
/* MPI-5.0 11.9.2, 11.9.3: two jobs that share nothing connect at a port; messages, collectives,
 * communicators and windows work between them. */
#include "tests/std/ch11/other_job.h"

#define LONG (1 << 20) /* bytes: too many for an eager message */

/* Messages of both kinds, both ways, and from any source. */
static void connected_messages(MPI_Comm inter, bool client)
{
	char *big = malloc(LONG);
	MPI_Status s;
	int x = 42, n;

	if (client) {
		OK(MPI_Ssend(&x, 1, MPI_INT, 0, 7, inter));
		memset(big, 5, LONG);
		OK(MPI_Send(big, LONG, MPI_CHAR, 0, 8, inter));
		OK(MPI_Recv(&x, 1, MPI_INT, 0, 9, inter, &s));
		CHECK(x == 43);
	} else {
		OK(MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 7, inter, &s));
		CHECK(x == 42 && s.MPI_SOURCE == 0);
		OK(MPI_Recv(big, LONG, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &s));
		OK(MPI_Get_count(&s, MPI_CHAR, &n));
		CHECK(n == LONG && s.MPI_TAG == 8 && big[0] == 5 && big[LONG - 1] == 5);
		x = 43;
		OK(MPI_Send(&x, 1, MPI_INT, 0, 9, inter));
	}
	free(big);
}

static void connected_window(MPI_Comm c, int rank, int n)
{
	int *base;
	MPI_Win w;

	OK(MPI_Win_allocate(n * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, c, &base, &w));
	for (int i = 0; i < n; i++)
		base[i] = -1;
	OK(MPI_Win_fence(0, w));
	for (int i = 0; i < n; i++)
		OK(MPI_Put(&rank, 1, MPI_INT, i, rank, 1, MPI_INT, w));
	OK(MPI_Win_fence(0, w));
	for (int i = 0; i < n; i++)
		CHECK(base[i] == i);
	OK(MPI_Win_free(&w));
}

/* Communicators of both jobs. */
static void connected_together(MPI_Comm inter, bool client)
{
	int rank, n, sum, shared, least;
	MPI_Comm all, copy, part;
	MPI_Group a, b;

	OK(MPI_Intercomm_merge(inter, client, &all));
	OK(MPI_Comm_rank(all, &rank));
	OK(MPI_Comm_size(all, &n));
	OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all));
	CHECK(sum == n * (n - 1) / 2);
	OK(MPI_Comm_dup(all, &copy));
	connected_window(copy, rank, n);
	/* Only those who share memory are together. */
	OK(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part));
	OK(MPI_Comm_size(part, &shared));
	OK(MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MAX, part));
	CHECK(shared <= check_size);
	OK(MPI_Comm_free(&part));
	/* A group from here is equal to itself from there. */
	OK(MPI_Comm_group(all, &a));
	OK(MPI_Comm_create_from_group(a, "both", MPI_INFO_NULL, MPI_ERRORS_RETURN, &part));
	OK(MPI_Comm_group(part, &b));
	OK(MPI_Group_compare(a, b, &least));
	CHECK(least == MPI_IDENT);
	OK(MPI_Barrier(part));
	OK(MPI_Group_free(&a));
	OK(MPI_Group_free(&b));
	OK(MPI_Comm_free(&part));
	OK(MPI_Comm_free(&copy));
	OK(MPI_Comm_disconnect(&all));
}

static void connected_use(MPI_Comm inter, bool client)
{
	int rank, n, distant, flag, sum;

	OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
	OK(MPI_Comm_test_inter(inter, &flag));
	OK(MPI_Comm_rank(inter, &rank));
	OK(MPI_Comm_size(inter, &n));
	OK(MPI_Comm_remote_size(inter, &distant));
	CHECK(flag && rank == check_rank && n == check_size);
	if (rank == 0)
		connected_messages(inter, client);
	OK(MPI_Barrier(inter));
	n = rank + 1;
	OK(MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, inter));
	CHECK(sum == distant * (distant + 1) / 2);
	connected_together(inter, client);
	OK(MPI_Comm_disconnect(&inter));
	CHECK(inter == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME] = "no port";
	MPI_Comm inter;
	pid_t pid = 0;

	check_init(&argc, &argv);
	if (argc > 2) {
		/* Port and info matter at the root alone. */
		OK(MPI_Comm_connect(check_rank == 0 ? argv[2] : NULL, MPI_INFO_NULL, 0,
			MPI_COMM_WORLD, &inter));
		connected_use(inter, true);
	} else {
		if (check_rank == 0) {
			OK(MPI_Open_port(MPI_INFO_NULL, port));
			CHECK(strpbrk(port, " \t\n") == NULL);
			pid = other_job_start("client", port);
		}
		OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
		connected_use(inter, false);
		if (check_rank == 0) {
			OK(MPI_Close_port(port));
			other_job_end(pid);
		}
	}
	MPI_Finalize();
	return check_end();
}
