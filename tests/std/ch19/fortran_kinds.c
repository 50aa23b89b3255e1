/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 */
/* MPI-5.0 19.1.9, 19.1.9.1, 19.1.9.2: datatypes of Fortran kinds. */
#include "tests/check.h"

#include <mpi.h>

static int kind_size_of(MPI_Datatype t)
{
	int size = -1;

	expect_ok(MPI_Type_size(t, &size));
	return size;
}

/* MPI-5.0 19.1.9: a kind is the smallest one with the precision and the range */
static void kind_sizes(void)
{
	static const struct {
		int p, r, size;
	} reals[] = {{6, 37, 4}, {MPI_UNDEFINED, 37, 4}, {7, MPI_UNDEFINED, 8}, {3, 38, 8},
		{15, 307, 8}, {16, 10, 16}, {33, 4931, 16}};
	static const struct {
		int r, size;
	} integers[] = {{1, 1}, {2, 1}, {3, 2}, {4, 2}, {9, 4}, {10, 8}, {18, 8}, {38, 16}};
	MPI_Datatype t;

	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
		expect_ok(MPI_Type_create_f90_real(reals[i].p, reals[i].r, &t));
		expect_eq(kind_size_of(t), reals[i].size);
		expect_ok(MPI_Type_create_f90_complex(reals[i].p, reals[i].r, &t));
		expect_eq(kind_size_of(t), 2 * reals[i].size);
	}
	for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
		expect_ok(MPI_Type_create_f90_integer(integers[i].r, &t));
		expect_eq(kind_size_of(t), integers[i].size);
	}
}

/* MPI-5.0 19.1.9: the same arguments give the same handle, others another */
static void kind_same(void)
{
	MPI_Datatype a, b;

	expect_ok(MPI_Type_create_f90_real(6, 37, &a));
	expect_ok(MPI_Type_create_f90_real(6, 37, &b));
	expect(a == b && a != MPI_REAL);
	expect_ok(MPI_Type_create_f90_real(6, 36, &b));
	expect(a != b);
	expect_ok(MPI_Type_create_f90_complex(6, 37, &b));
	expect(a != b);
	for (int r = 0; r <= 4931; r++) {
		expect_ok(MPI_Type_create_f90_real(MPI_UNDEFINED, r, &a));
		expect_ok(MPI_Type_create_f90_real(MPI_UNDEFINED, r, &b));
		expect(a == b);
	}
}

/* MPI-5.0 19.1.9: they are predefined: committed, used in reductions, not freed, but duplicated */
static void kind_predefined(void)
{
	MPI_Datatype t, u;
	double in = 1.5, out = 0;
	int err;

	expect_ok(MPI_Type_create_f90_real(15, 300, &t));
	expect_ok(MPI_Allreduce(&in, &out, 1, t, MPI_SUM, MPI_COMM_WORLD));
	expect(out == 3.0);
	expect_ok(MPI_Type_commit(&t));
	u = t;
	err = MPI_Type_free(&u);
	expect_eq(err, MPI_ERR_TYPE);
	expect(error_says(err, "predefined") && u == t);
	expect_ok(MPI_Type_dup(t, &u));
	expect_eq(kind_size_of(u), 8);
	expect_ok(MPI_Type_free(&u));
}

/* MPI-5.0 19.1.9: kinds that no compiler has */
static void kind_none(void)
{
	MPI_Datatype t = MPI_DATATYPE_NULL;

	expect_eq(MPI_Type_create_f90_real(34, 10, &t), MPI_ERR_ARG);
	expect_eq(MPI_Type_create_f90_real(6, 4932, &t), MPI_ERR_ARG);
	expect_eq(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &t), MPI_ERR_ARG);
	expect_eq(MPI_Type_create_f90_complex(6, 10000, &t), MPI_ERR_ARG);
	expect_eq(MPI_Type_create_f90_integer(39, &t), MPI_ERR_ARG);
	expect(t == MPI_DATATYPE_NULL);
}

/* MPI-5.0 19.1.9: types by class and size */
static void match(void)
{
	MPI_Datatype t;

	expect_ok(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t));
	expect(t == MPI_REAL8);
	expect_ok(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &t));
	expect(t == MPI_COMPLEX8);
	expect_ok(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &t));
	expect(t == MPI_INTEGER2);
	expect_eq(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &t), MPI_ERR_ARG);
	expect_eq(MPI_Type_match_size(77, 4, &t), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	kind_sizes();
	kind_same();
	kind_predefined();
	kind_none();
	match();
	MPI_Finalize();
	return check_end();
}
