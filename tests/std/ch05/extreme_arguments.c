/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 5.1.2, 5.1.5, 5.1.8: numbers at the ends of their ranges make a datatype that is right or
 * are an error: nothing wraps.  (Sanitizers look at the arithmetic; the test, at the answers.) */
#define MPI_NO_DEPRECATED_WARNINGS
#include "tests/check.h"

#include <limits.h>
#include <mpi.h>
#include <stdint.h>

#define TYPES 24
#define STEPS 20000

static const MPI_Count ends[] = {0, 1, 2, 3, 5, 127, -1, -2, -7, INT_MAX, INT_MIN, 1LL << 31,
	1LL << 32, 1LL << 61, 1LL << 62, -(1LL << 62), INT64_MAX, INT64_MIN, INT64_MAX / 3,
	INT64_MIN / 5};

static uint64_t state = 88172645463325252ULL;

static uint64_t extreme_rnd(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

/* Every other number is small, or hardly a type would come to be. */
static MPI_Count number(void)
{
	return extreme_rnd(2) ? (MPI_Count)extreme_rnd(6)
			      : ends[extreme_rnd(sizeof(ends) / sizeof(ends[0]))];
}

static MPI_Datatype types[TYPES];

static int extreme_lists(MPI_Datatype old, MPI_Datatype *made)
{
	MPI_Count lens[4], displs[4];
	MPI_Datatype kids[4];
	MPI_Count n = (MPI_Count)extreme_rnd(5);

	for (int i = 0; i < 4; i++) {
		lens[i] = number();
		displs[i] = number();
		kids[i] = types[extreme_rnd(TYPES)];
	}
	switch (extreme_rnd(5)) {
	case 0: return MPI_Type_indexed_c(n, lens, displs, old, made);
	case 1: return MPI_Type_create_hindexed_c(n, lens, displs, old, made);
	case 2: return MPI_Type_create_indexed_block_c(n, lens[0], displs, old, made);
	case 3: return MPI_Type_create_hindexed_block_c(n, lens[0], displs, old, made);
	default: return MPI_Type_create_struct_c(n, lens, displs, kids, made);
	}
}

static int extreme_arrays(MPI_Datatype old, MPI_Datatype *made)
{
	MPI_Count sizes[3], parts[3], starts[3];
	int order = extreme_rnd(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, n = 1 + (int)extreme_rnd(3),
	    grid[3];
	int kinds[3], args[3], ranks = 1;

	for (int i = 0; i < 3; i++) {
		sizes[i] = number();
		parts[i] = number();
		starts[i] = number();
		grid[i] = 1 + (int)extreme_rnd(4);
		kinds[i] = extreme_rnd(2) ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
		args[i] = extreme_rnd(2) ? MPI_DISTRIBUTE_DFLT_DARG : (int)number();
		ranks *= i < n ? grid[i] : 1;
	}
	if (extreme_rnd(2))
		return MPI_Type_create_subarray_c(n, sizes, parts, starts, order, old, made);
	return MPI_Type_create_darray_c(ranks, (int)extreme_rnd((uint64_t)ranks), n, sizes, kinds,
		args, grid, order, old, made);
}

static int extreme_make(MPI_Datatype *made)
{
	MPI_Datatype old = types[extreme_rnd(TYPES)];

	switch (extreme_rnd(8)) {
	case 0: return MPI_Type_contiguous_c(number(), old, made);
	case 1: return MPI_Type_vector_c(number(), number(), number(), old, made);
	case 2: return MPI_Type_create_hvector_c(number(), number(), number(), old, made);
	case 3: return MPI_Type_create_resized_c(old, number(), number(), made);
	case 4: return MPI_Type_contiguous((int)number(), old, made);
	case 5: return MPI_Type_vector((int)number(), (int)number(), (int)number(), old, made);
	case 6: return extreme_arrays(old, made);
	default: return extreme_lists(old, made);
	}
}

/* MPI-5.0 5.1.5, 5.1.11: the _x forms agree with the _c forms */
static void ask_x(MPI_Datatype t, MPI_Count n)
{
	MPI_Count a, b, c, d;
	MPI_Status s;

	expect_ok(MPI_Type_size_c(t, &a));
	expect_ok(MPI_Type_size_x(t, &b));
	expect_eq(a, b);
	expect_ok(MPI_Type_get_extent_c(t, &a, &b));
	expect_ok(MPI_Type_get_extent_x(t, &c, &d));
	expect(a == c && b == d);
	expect_ok(MPI_Type_get_true_extent_c(t, &a, &b));
	expect_ok(MPI_Type_get_true_extent_x(t, &c, &d));
	expect(a == c && b == d);
	if (MPI_Status_set_elements_x(&s, t, n) == MPI_SUCCESS) {
		expect_ok(MPI_Get_elements_x(&s, t, &a));
		expect_eq(a, n);
	}
}

/* The inquiries about a type agree with each other. */
static void extreme_ask(MPI_Datatype t)
{
	MPI_Count size, lb, extent, bytes, n = number(), elements;
	MPI_Status s;
	int small, err;
	char c;
	int at = 0;

	expect_ok(MPI_Type_size_c(t, &size));
	expect_ok(MPI_Type_size(t, &small));
	expect(size >= 0);
	expect_eq(small, size > INT_MAX ? MPI_UNDEFINED : (int)size);
	expect_ok(MPI_Type_get_extent_c(t, &lb, &extent));
	expect_ok(MPI_Type_get_true_extent_c(t, &lb, &bytes));
	expect(bytes >= 0 && lb <= INT64_MAX - bytes);
	expect_ok(MPI_Type_commit(&t));
	ask_x(t, n);
	err = MPI_Pack_size_c(n, t, MPI_COMM_SELF, &bytes);
	if (err == MPI_SUCCESS)
		expect(n == 0 ? bytes == 0 : bytes / n == size);
	else
		expect(err == MPI_ERR_COUNT && (n < 0 || bytes == MPI_UNDEFINED));
	err = MPI_Pack_external_size_c("external32", n, t, &bytes);
	if (err != MPI_SUCCESS)
		expect(err == MPI_ERR_COUNT && (n < 0 || bytes == MPI_UNDEFINED));
	if (size > 1)
		expect(MPI_Pack(&c, 1, t, &c, 1, &at, MPI_COMM_SELF) != MPI_SUCCESS);
	if (MPI_Status_set_elements_c(&s, t, n) == MPI_SUCCESS) {
		expect_ok(MPI_Get_elements_c(&s, t, &elements));
		expect_eq(elements, n);
		expect_ok(MPI_Get_count_c(&s, t, &elements));
	}
}

int main(int argc, char **argv)
{
	static const MPI_Datatype base[] = {
		MPI_BYTE, MPI_INT, MPI_DOUBLE, MPI_DOUBLE_INT, MPI_SHORT};
	int made = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < TYPES; i++)
		expect_ok(MPI_Type_dup(base[extreme_rnd(5)], &types[i]));
	for (int i = 0; i < STEPS; i++) {
		int at = (int)extreme_rnd(TYPES);
		MPI_Datatype t = MPI_DATATYPE_NULL;

		if (extreme_make(&t) != MPI_SUCCESS) {
			expect(t == MPI_DATATYPE_NULL);
			continue;
		}
		made++;
		extreme_ask(t);
		expect_ok(MPI_Type_free(&types[at]));
		types[at] = t;
		/* depth stays small: every now and then a type begins anew */
		if (extreme_rnd(3) == 0) {
			expect_ok(MPI_Type_free(&types[at]));
			expect_ok(MPI_Type_dup(base[extreme_rnd(5)], &types[at]));
		}
	}
	expect(made > STEPS / 10);
	for (int i = 0; i < TYPES; i++)
		expect_ok(MPI_Type_free(&types[i]));
	MPI_Finalize();
	return check_end();
}
