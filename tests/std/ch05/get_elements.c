/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 */
/* MPI-5.0 5.1.11: how much of a derived datatype has arrived. */
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

/* Rank 0 sends n elements of `sent' to rank 1, which asks about the message in terms of t. */
static void arrives(int rank, int n, MPI_Datatype sent, MPI_Datatype t, int count, int elements)
{
	static char out[256], in[256];
	MPI_Status s;
	MPI_Count big;
	int got;

	if (rank == 0) {
		expect_ok(MPI_Send(out, n, sent, 1, 3, MPI_COMM_WORLD));
		return;
	}
	expect_ok(MPI_Recv(in, 4, t, 0, 3, MPI_COMM_WORLD, &s));
	expect_ok(MPI_Get_count(&s, t, &got));
	expect_eq(got, count);
	expect_ok(MPI_Get_elements(&s, t, &got));
	expect_eq(got, elements);
	expect_ok(MPI_Get_elements_c(&s, t, &big));
	expect_eq(big, elements);
}

/* MPI-5.0 5.1.11: the example: pairs of reals, of which three arrive */
static void element_pairs(int rank)
{
	MPI_Datatype t;

	expect_ok(MPI_Type_contiguous(2, MPI_FLOAT, &t));
	expect_ok(MPI_Type_commit(&t));
	arrives(rank, 2, MPI_FLOAT, t, 1, 2);
	arrives(rank, 3, MPI_FLOAT, t, MPI_UNDEFINED, 3);
	arrives(rank, 0, MPI_FLOAT, t, 0, 0);
	expect_ok(MPI_Type_free(&t));
}

/* MPI-5.0 5.1.11: basic elements of different sizes, in nested types */
static void element_mixed(int rank)
{
	int lens[] = {1, 2}, lens2[] = {1, 1};
	MPI_Aint at[] = {0, 8}, at2[] = {0, 32};
	MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, one, both[2], t;

	expect_ok(MPI_Type_create_struct(2, lens, at, types, &one)); /* 4 8 8 */
	both[0] = one;
	both[1] = MPI_SHORT_INT; /* 2 4 */
	expect_ok(MPI_Type_create_struct(2, lens2, at2, both, &t));
	expect_ok(MPI_Type_commit(&t));
	arrives(rank, 26, MPI_PACKED, t, 1, 5);
	arrives(rank, 52, MPI_PACKED, t, 2, 10);
	arrives(rank, 4, MPI_PACKED, t, MPI_UNDEFINED, 1);
	arrives(rank, 20, MPI_PACKED, t, MPI_UNDEFINED, 3);
	arrives(rank, 22, MPI_PACKED, t, MPI_UNDEFINED, 4);
	arrives(rank, 26 + 12, MPI_PACKED, t, MPI_UNDEFINED, 7);
	arrives(rank, 5, MPI_PACKED, t, MPI_UNDEFINED, MPI_UNDEFINED); /* in the midst of one */
	arrives(rank, 23, MPI_PACKED, t, MPI_UNDEFINED, MPI_UNDEFINED);
	expect_ok(MPI_Type_free(&one));
	expect_ok(MPI_Type_free(&t));
}

/* MPI-5.0 5.1.11, 3.2.5: more than an int can say */
static void element_large(void)
{
	MPI_Status s;
	MPI_Datatype t;
	MPI_Count n;
	int i;

	memset(&s, 0, sizeof(s));
	expect_ok(MPI_Type_contiguous(3, MPI_SHORT, &t));
	expect_ok(MPI_Status_set_elements_c(&s, MPI_BYTE, 6LL << 32));
	expect_ok(MPI_Get_count(&s, t, &i));
	expect_eq(i, MPI_UNDEFINED);
	expect_ok(MPI_Get_elements(&s, t, &i));
	expect_eq(i, MPI_UNDEFINED);
	expect_ok(MPI_Get_count_c(&s, t, &n));
	expect_eq(n, 1LL << 32);
	expect_ok(MPI_Get_elements_c(&s, t, &n));
	expect_eq(n, 3LL << 32);
	expect_ok(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	element_pairs(rank);
	element_mixed(rank);
	element_large();
	MPI_Finalize();
	return check_end();
}
