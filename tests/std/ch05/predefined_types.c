/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 3.2.2, 5.1.5, 5.1.7, 5.1.13, 7.8, 19.1.9: the predefined types and the questions about
 * them. */
#include "tests/std/ch06/values.h"
#include "tests/check.h"

static void predefined_sizes(const struct kind *k)
{
	MPI_Aint lb, extent;
	MPI_Count size_c, lb_c, extent_c;
	int size, ni, na, nd, combiner;
	MPI_Datatype t = k->type;

	expect_ok(MPI_Type_size(k->type, &size));
	expect_ok(MPI_Type_size_c(k->type, &size_c));
	if (!expect_eq(size, k->size) || !expect_eq(size_c, k->size))
		fprintf(stderr, "size of %s\n", k->name);
	expect_ok(MPI_Type_get_extent(k->type, &lb, &extent));
	expect_eq(lb, 0);
	if (!expect_eq(extent, k->extent))
		fprintf(stderr, "extent of %s\n", k->name);
	expect_ok(MPI_Type_get_extent_c(k->type, &lb_c, &extent_c));
	expect_eq(extent_c, k->extent);
	expect_ok(MPI_Type_get_true_extent(k->type, &lb, &extent));
	expect_eq(lb, 0);
	expect(extent >= k->size && extent <= k->extent);
	expect_ok(MPI_Type_get_envelope(k->type, &ni, &na, &nd, &combiner));
	expect(ni == 0 && na == 0 && nd == 0);
	expect_eq(combiner, MPI_COMBINER_NAMED);
	expect_ok(MPI_Type_commit(&t));
	expect(t == k->type);
}

static void predefined_names(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	int len;

	for (int i = 0; i < KINDS; i++) {
		expect_ok(MPI_Type_get_name(kinds[i].type, name, &len));
		if (!expect(strcmp(name, kinds[i].name) == 0 && len == (int)strlen(name)))
			fprintf(stderr, "%s is called %s\n", kinds[i].name, name);
	}
	expect_ok(MPI_Type_set_name(MPI_INT, "whole numbers"));
	expect_ok(MPI_Type_get_name(MPI_INT, name, &len));
	expect(strcmp(name, "whole numbers") == 0);
	expect(MPI_LONG_LONG == MPI_LONG_LONG_INT && MPI_C_COMPLEX == MPI_C_FLOAT_COMPLEX);
}

static void matches(void)
{
	MPI_Datatype t;
	int size;

	for (int s = 1; s <= 32; s *= 2) {
		if (s <= 16) {
			expect_ok(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, s, &t));
			expect_ok(MPI_Type_size(t, &size));
			expect_eq(size, s);
		}
		if (s >= 2 && s <= 16)
			expect_ok(MPI_Type_match_size(MPI_TYPECLASS_REAL, s, &t));
		if (s >= 4)
			expect_ok(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, s, &t));
	}
	expect_eq(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &t), MPI_ERR_ARG);
	expect_eq(MPI_Type_match_size(12345, 4, &t), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	for (int i = 0; i < KINDS; i++)
		predefined_sizes(&kinds[i]);
	predefined_names();
	matches();
	MPI_Finalize();
	return check_end();
}
