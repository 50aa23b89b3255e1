// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 5.1, 9.4: mistakes with datatypes: the right class, words with names and numbers, and
 * nothing is made. */
#include "tests/check.h"
#include <limits.h>
#include <stdint.h>

#define HUGE ((MPI_Count)1 << 62)

static MPI_Datatype t = MPI_DATATYPE_NULL;

/* MPI-5.0 5.1.9: only derived types can be freed, and only committed ones used */
static void state(void)
{
	MPI_Datatype u = MPI_INT;
	int x[4] = {0}, at = 0;

	FAILS(MPI_ERR_TYPE, "MPI_INT is predefined", MPI_Type_free(&u));
	CHECK(u == MPI_INT);
	u = MPI_DATATYPE_NULL;
	FAILS(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", MPI_Type_free(&u));
	FAILS(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", MPI_Type_commit(&u));
	OK(MPI_Type_vector(2, 1, 2, MPI_INT, &u));
	FAILS(MPI_ERR_TYPE, "commit", MPI_Send(x, 1, u, 0, 0, MPI_COMM_SELF));
	FAILS(MPI_ERR_TYPE, "commit", MPI_Pack(x, 1, u, x, 16, &at, MPI_COMM_SELF));
	OK(MPI_Type_free(&u));
}

/* MPI-5.0 5.1.9: ... in arrays of types, too */
static void uncommitted(void)
{
	int x[4] = {0}, y[4], n[2] = {1, 1}, right[2] = {0, 1}, zero[2] = {0, 0};
	int period = 1, one = 1;
	MPI_Aint at[2] = {0, 0};
	MPI_Comm s = MPI_COMM_SELF, ring;
	MPI_Datatype u, both[2] = {MPI_INT, MPI_INT}, simple[2] = {MPI_INT, MPI_INT};
	MPI_Request r;

	OK(MPI_Cart_create(s, 1, &one, &period, 0, &ring)); /* to its left and its right: itself */
	OK(MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN));
	OK(MPI_Type_vector(1, 1, 2, MPI_INT, &u));
	FAILS(MPI_ERR_TYPE, "send type 0", MPI_Alltoallw(x, n, zero, &u, y, n, zero, both, s));
	FAILS(MPI_ERR_TYPE, "receive type 0", MPI_Alltoallw(x, n, zero, both, y, n, zero, &u, s));
	FAILS(MPI_ERR_TYPE, "commit", MPI_Ialltoallw(x, n, zero, &u, y, n, zero, both, s, &r));
	FAILS(MPI_ERR_TYPE, "commit",
		MPI_Alltoallw_init(x, n, zero, both, y, n, zero, &u, s, MPI_INFO_NULL, &r));
	both[1] = u;
	FAILS(MPI_ERR_TYPE, "type 1", MPI_Neighbor_alltoallw(x, n, at, both, y, n, at, both, ring));
	FAILS(MPI_ERR_TYPE, "commit",
		MPI_Ineighbor_alltoallw(x, n, at, both, y, n, at, both, ring, &r));
	n[1] = 0; /* nothing of that type: to the left, and so from the right */
	OK(MPI_Neighbor_alltoallw(x, n, at, both, y, right, at, simple, ring));
	OK(MPI_Type_free(&u));
	OK(MPI_Comm_free(&ring));
}

/* A freed type is not one any more, wherever it is named. */
static void datatype_freed(void)
{
	MPI_Datatype u, old;
	int one = 1;
	MPI_Aint zero = 0;

	OK(MPI_Type_contiguous(2, MPI_INT, &u));
	old = u;
	OK(MPI_Type_free(&u));
	FAILS(MPI_ERR_TYPE, "freed", MPI_Type_free(&old));
	FAILS(MPI_ERR_TYPE, "freed", MPI_Type_commit(&old));
	FAILS(MPI_ERR_TYPE, "freed", MPI_Type_dup(old, &t));
	FAILS(MPI_ERR_TYPE, "array_of_types[0]", MPI_Type_create_struct(1, &one, &zero, &old, &t));
	FAILS(MPI_ERR_TYPE, "", MPI_Type_contiguous(1, (MPI_Datatype)MPI_COMM_WORLD, &t));
}

/* MPI-5.0 5.1.2: numbers that no constructor takes */
static void numbers(void)
{
	int lens[] = {1, -2}, displs[] = {0, 1};
	MPI_Aint bytes[] = {0, 8};
	MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL};

	FAILS(MPI_ERR_COUNT, "-1", MPI_Type_contiguous(-1, MPI_INT, &t));
	FAILS(MPI_ERR_COUNT, "blocklength is -3", MPI_Type_vector(2, -3, 1, MPI_INT, &t));
	FAILS(MPI_ERR_COUNT, "blocklength is -3", MPI_Type_create_hvector(2, -3, 1, MPI_INT, &t));
	FAILS(MPI_ERR_COUNT, "[1] is -2", MPI_Type_indexed(2, lens, displs, MPI_INT, &t));
	FAILS(MPI_ERR_COUNT, "[1] is -2", MPI_Type_create_hindexed(2, lens, bytes, MPI_INT, &t));
	FAILS(MPI_ERR_COUNT, "-4", MPI_Type_create_indexed_block(2, -4, displs, MPI_INT, &t));
	FAILS(MPI_ERR_COUNT, "-2", MPI_Type_create_struct(-2, lens, bytes, types, &t));
	lens[1] = 1;
	FAILS(MPI_ERR_TYPE, "array_of_types[1]", MPI_Type_create_struct(2, lens, bytes, types, &t));
	FAILS(MPI_ERR_ARG, "blocklengths is NULL", MPI_Type_indexed(2, NULL, displs, MPI_INT, &t));
	FAILS(MPI_ERR_ARG, "displacements is NULL",
		MPI_Type_create_hindexed(2, lens, NULL, MPI_INT, &t));
	FAILS(MPI_ERR_ARG, "types is NULL", MPI_Type_create_struct(2, lens, bytes, NULL, &t));
	FAILS(MPI_ERR_ARG, "newtype", MPI_Type_contiguous(1, MPI_INT, NULL));
}

/* MPI-5.0 5.1: sizes beyond addresses are refused, not wrapped */
static void overflow(void)
{
	MPI_Count lens[] = {1, HUGE}, displs[] = {HUGE, HUGE};
	MPI_Datatype u;

	FAILS(MPI_ERR_ARG, "", MPI_Type_contiguous_c(HUGE, MPI_INT, &t));
	FAILS(MPI_ERR_ARG, "stride", MPI_Type_vector_c(2, 1, HUGE, MPI_INT, &t));
	FAILS(MPI_ERR_ARG, "", MPI_Type_create_hvector_c(9, 1, HUGE, MPI_INT, &t));
	FAILS(MPI_ERR_ARG, "", MPI_Type_vector_c(HUGE, HUGE, 0, MPI_CHAR, &t));
	FAILS(MPI_ERR_ARG, "[0]", MPI_Type_indexed_c(2, lens, displs, MPI_INT, &t));
	lens[1] = 1;
	displs[1] = -HUGE - HUGE;
	FAILS(MPI_ERR_ARG, "", MPI_Type_create_hindexed_c(2, lens, displs, MPI_INT, &t));
	FAILS(MPI_ERR_ARG, "", MPI_Type_create_resized_c(MPI_INT, HUGE, HUGE, &t));
	/* lists of more blocks than memory holds: they are not read */
	FAILS(MPI_ERR_NO_MEM, "", MPI_Type_indexed_c(INT64_MAX, lens, displs, MPI_INT, &t));
	FAILS(MPI_ERR_NO_MEM, "", MPI_Type_create_hindexed_c(HUGE, lens, displs, MPI_INT, &t));
	FAILS(MPI_ERR_NO_MEM, "", MPI_Type_create_indexed_block_c(HUGE, 1, displs, MPI_INT, &t));
	FAILS(MPI_ERR_NO_MEM, "", MPI_Type_create_hindexed_block_c(HUGE, 1, displs, MPI_INT, &t));
	FAILS(MPI_ERR_NO_MEM, "",
		MPI_Type_create_hindexed_block_c(HUGE / 16, 1, displs, MPI_INT, &t));
	OK(MPI_Type_contiguous_c((MPI_Count)1 << 40, MPI_CHAR, &u));
	FAILS(MPI_ERR_ARG, "", MPI_Type_contiguous_c((MPI_Count)1 << 40, u, &t));
	OK(MPI_Type_free(&u));
	OK(MPI_Type_contiguous_c(HUGE, MPI_CHAR, &u)); /* as much as an address says */
	OK(MPI_Type_free(&u));
	/* nothing, however often and far */
	OK(MPI_Type_contiguous(0, MPI_INT, &u));
	OK(MPI_Type_contiguous_c(INT64_MAX, u, &t));
	OK(MPI_Type_free(&t));
	OK(MPI_Type_create_hvector_c(INT64_MAX, INT64_MAX, INT64_MAX, u, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_Type_free(&t));
	OK(MPI_Type_free(&u));
}

/* MPI-5.0 13.3: more elements than there are bytes for */
static void datatype_elements(void)
{
	MPI_Status s;
	MPI_Datatype none;

	OK(MPI_Type_contiguous(0, MPI_INT, &none));
	FAILS(MPI_ERR_COUNT, "", MPI_Status_set_elements_c(&s, MPI_DOUBLE, HUGE));
	FAILS(MPI_ERR_COUNT, "", MPI_Status_set_elements(&s, none, 1));
	FAILS(MPI_ERR_COUNT, "-1", MPI_Status_set_elements(&s, MPI_INT, -1));
	OK(MPI_Type_free(&none));
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	state();
	uncommitted();
	datatype_freed();
	numbers();
	overflow();
	datatype_elements();
	CHECK(t == MPI_DATATYPE_NULL);
	MPI_Finalize();
	return 0;
}
