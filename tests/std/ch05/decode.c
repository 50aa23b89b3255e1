/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 5.1.13: decoding each combiner, in both forms. */
#define SAN_OPTIONS SAN_MUCH
#include "tests/check.h"
#include "tests/san.inc"

#include <mpi.h>
#include <string.h>

#define MANY 32

struct got {
	MPI_Count ni, na, nc, nd;
	int combiner;
	int ints[MANY];
	MPI_Aint addrs[MANY];
	MPI_Count counts[MANY];
	MPI_Datatype types[MANY];
};

/* Decodes t; derived types among g->types are the caller's. */
static void decode(MPI_Datatype t, struct got *g)
{
	memset(g, 0, sizeof(*g));
	expect_ok(MPI_Type_get_envelope_c(t, &g->ni, &g->na, &g->nc, &g->nd, &g->combiner));
	expect_ok(MPI_Type_get_contents_c(
		t, g->ni, g->na, g->nc, g->nd, g->ints, g->addrs, g->counts, g->types));
}

/* Decodes by the calls of MPI-2, which know no large counts. */
static void decode_small(MPI_Datatype t, struct got *g)
{
	int ni, na, nd;

	memset(g, 0, sizeof(*g));
	expect_ok(MPI_Type_get_envelope(t, &ni, &na, &nd, &g->combiner));
	expect_ok(MPI_Type_get_contents(t, ni, na, nd, g->ints, g->addrs, g->types));
	g->ni = ni;
	g->na = na;
	g->nd = nd;
}

#define LIST(...)           \
	(const long long[]) \
	{                   \
		__VA_ARGS__ \
	}
#define NONE NULL

/* Compares both forms of decoding with the table of 5.1.13, and frees t. */
static void is_at(int line, MPI_Datatype *t, int combiner, int ni, const long long *ints, int na,
	const long long *addrs, int nd, MPI_Datatype first)
{
	int before = check_failed;

	for (int form = 0; form < 2; form++) {
		struct got g;

		if (form == 0)
			decode_small(*t, &g);
		else
			decode(*t, &g);
		expect_eq(g.combiner, combiner);
		expect(g.ni == ni && g.na == na && g.nc == 0 && g.nd == nd);
		for (int i = 0; i < ni; i++)
			expect_eq(g.ints[i], ints[i]);
		for (int i = 0; i < na; i++)
			expect_eq(g.addrs[i], addrs[i]);
		if (nd > 0)
			expect(g.types[0] == first);
	}
	if (check_failed != before)
		fprintf(stderr, "... of the type of line %d\n", line);
	expect_ok(MPI_Type_free(t));
}
#define is(...) is_at(__LINE__, __VA_ARGS__)

/* MPI-5.0 5.1.13: a named type says so and has nothing inside */
static void decoded_named(void)
{
	int ni, na, nd, combiner;

	expect_ok(MPI_Type_get_envelope(MPI_DOUBLE_INT, &ni, &na, &nd, &combiner));
	expect(ni == 0 && na == 0 && nd == 0 && combiner == MPI_COMBINER_NAMED);
	expect_eq(MPI_Type_get_contents(MPI_INT, 0, 0, 0, &ni, NULL, NULL), MPI_ERR_TYPE);
}

/* MPI-5.0 5.1.13: the constructors without lists */
static void decoded_strided(void)
{
	MPI_Datatype t;

	expect_ok(MPI_Type_dup(MPI_INT, &t));
	is(&t, MPI_COMBINER_DUP, 0, NONE, 0, NONE, 1, MPI_INT);
	expect_ok(MPI_Type_contiguous(5, MPI_INT, &t));
	is(&t, MPI_COMBINER_CONTIGUOUS, 1, LIST(5), 0, NONE, 1, MPI_INT);
	expect_ok(MPI_Type_vector(3, 2, -4, MPI_CHAR, &t));
	is(&t, MPI_COMBINER_VECTOR, 3, LIST(3, 2, -4), 0, NONE, 1, MPI_CHAR);
	expect_ok(MPI_Type_create_hvector(3, 2, -400, MPI_CHAR, &t));
	is(&t, MPI_COMBINER_HVECTOR, 2, LIST(3, 2), 1, LIST(-400), 1, MPI_CHAR);
	expect_ok(MPI_Type_create_resized(MPI_DOUBLE, -8, 32, &t));
	is(&t, MPI_COMBINER_RESIZED, 0, NONE, 2, LIST(-8, 32), 1, MPI_DOUBLE);
}

/* MPI-5.0 5.1.13: the constructors with lists */
static void decoded_listed(void)
{
	int lens[] = {2, 0, 1}, displs[] = {5, 7, -1};
	MPI_Aint bytes[] = {50, 70, -10};
	MPI_Datatype t, types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
	struct got g;

	expect_ok(MPI_Type_indexed(3, lens, displs, MPI_INT, &t));
	is(&t, MPI_COMBINER_INDEXED, 7, LIST(3, 2, 0, 1, 5, 7, -1), 0, NONE, 1, MPI_INT);
	expect_ok(MPI_Type_create_hindexed(3, lens, bytes, MPI_INT, &t));
	is(&t, MPI_COMBINER_HINDEXED, 4, LIST(3, 2, 0, 1), 3, LIST(50, 70, -10), 1, MPI_INT);
	expect_ok(MPI_Type_create_indexed_block(3, 4, displs, MPI_INT, &t));
	is(&t, MPI_COMBINER_INDEXED_BLOCK, 5, LIST(3, 4, 5, 7, -1), 0, NONE, 1, MPI_INT);
	expect_ok(MPI_Type_create_hindexed_block(3, 4, bytes, MPI_INT, &t));
	is(&t, MPI_COMBINER_HINDEXED_BLOCK, 2, LIST(3, 4), 3, LIST(50, 70, -10), 1, MPI_INT);
	expect_ok(MPI_Type_create_struct(3, lens, bytes, types, &t));
	decode(t, &g);
	expect(g.types[1] == MPI_DOUBLE && g.types[2] == MPI_CHAR);
	is(&t, MPI_COMBINER_STRUCT, 4, LIST(3, 2, 0, 1), 3, LIST(50, 70, -10), 3, MPI_INT);
	expect_ok(MPI_Type_create_struct(0, NULL, NULL, NULL, &t));
	is(&t, MPI_COMBINER_STRUCT, 1, LIST(0), 0, NONE, 0, MPI_INT);
}

/* MPI-5.0 5.1.13: arrays */
static void decoded_arrays(void)
{
	int sizes[] = {5, 6}, subs[] = {2, 3}, starts[] = {1, 0}, psizes[] = {2, 3};
	int dist[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
	int dargs[] = {2, MPI_DISTRIBUTE_DFLT_DARG};
	MPI_Datatype t;

	expect_ok(MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_FORTRAN, MPI_INT, &t));
	is(&t, MPI_COMBINER_SUBARRAY, 8, LIST(2, 5, 6, 2, 3, 1, 0, MPI_ORDER_FORTRAN), 0, NONE, 1,
		MPI_INT);
	expect_ok(MPI_Type_create_darray(
		6, 4, 2, sizes, dist, dargs, psizes, MPI_ORDER_C, MPI_INT, &t));
	is(&t, MPI_COMBINER_DARRAY, 12,
		LIST(6, 4, 2, 5, 6, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, 2,
			MPI_DISTRIBUTE_DFLT_DARG, 2, 3, MPI_ORDER_C),
		0, NONE, 1, MPI_INT);
}

/* MPI-5.0 5.1.13, 19.1.9, 6.9.4: predefined types without a name can be decoded */
static void unnamed(void)
{
	MPI_Datatype t;
	struct got g;

	expect_ok(MPI_Type_create_f90_real(7, MPI_UNDEFINED, &t));
	decode_small(t, &g);
	expect(g.combiner == MPI_COMBINER_F90_REAL && g.ni == 2 && g.nd == 0);
	expect(g.ints[0] == 7 && g.ints[1] == MPI_UNDEFINED);
	expect_ok(MPI_Type_create_f90_complex(6, 30, &t));
	decode_small(t, &g);
	expect(g.combiner == MPI_COMBINER_F90_COMPLEX && g.ints[0] == 6 && g.ints[1] == 30);
	expect_ok(MPI_Type_create_f90_integer(12, &t));
	decode(t, &g);
	expect(g.combiner == MPI_COMBINER_F90_INTEGER && g.ni == 1 && g.ints[0] == 12);
	expect_ok(MPI_Type_get_value_index(MPI_DOUBLE, MPI_LONG, &t));
	decode(t, &g);
	expect(g.combiner == MPI_COMBINER_VALUE_INDEX && g.ni == 0 && g.nd == 2);
	expect(g.types[0] == MPI_DOUBLE && g.types[1] == MPI_LONG);
}

/* MPI-5.0 5.1.13: arguments of the _c constructors are large counts, and only the _c form of
 * decoding can give them */
static void decoded_large(void)
{
	MPI_Count lens[] = {1, 2}, displs[] = {10, 1LL << 40};
	MPI_Datatype t, u, types[] = {MPI_INT, MPI_CHAR};
	int ni, na, nd, combiner, dims[] = {3};
	MPI_Aint a[2];
	struct got g;

	expect_ok(MPI_Type_vector_c(3, 2, 1LL << 33, MPI_CHAR, &t));
	decode(t, &g);
	expect(g.combiner == MPI_COMBINER_VECTOR && g.ni == 0 && g.na == 0 && g.nc == 3);
	expect(g.counts[0] == 3 && g.counts[1] == 2 && g.counts[2] == 1LL << 33);
	expect_eq(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner), MPI_ERR_TYPE);
	expect_eq(MPI_Type_get_contents(t, 9, 9, 9, g.ints, a, &u), MPI_ERR_TYPE);
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_create_struct_c(2, lens, displs, types, &t));
	decode(t, &g);
	expect(g.ni == 0 && g.na == 0 && g.nc == 5 && g.nd == 2);
	expect(g.counts[0] == 2 && g.counts[2] == 2 && g.counts[4] == 1LL << 40);
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_create_resized_c(MPI_INT, -4, 1LL << 35, &t));
	decode(t, &g);
	expect(g.na == 0 && g.nc == 2 && g.counts[0] == -4 && g.counts[1] == 1LL << 35);
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_create_hvector_c(2, 1, 99, MPI_INT, &t));
	decode(t, &g);
	expect(g.nc == 3 && g.counts[2] == 99);
	expect_ok(MPI_Type_free(&t));
	lens[0] = 4;
	displs[0] = 0;
	expect_ok(MPI_Type_create_subarray_c(1, lens, lens, displs, MPI_ORDER_C, MPI_INT, &t));
	decode(t, &g);
	expect(g.ni == 2 && g.nc == 3 && g.ints[0] == 1 && g.ints[1] == MPI_ORDER_C);
	expect(g.counts[0] == 4 && g.counts[1] == 4 && g.counts[2] == 0);
	expect_ok(MPI_Type_free(&t));
	combiner = MPI_DISTRIBUTE_BLOCK;
	nd = MPI_DISTRIBUTE_DFLT_DARG;
	expect_ok(MPI_Type_create_darray_c(
		3, 1, 1, lens, &combiner, &nd, dims, MPI_ORDER_C, MPI_INT, &t));
	decode(t, &g);
	expect(g.ni == 7 && g.nc == 1 && g.counts[0] == 4 && g.ints[2] == 1 && g.ints[5] == 3);
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_contiguous_c(2, MPI_INT, &t)); /* small enough, and large all the same */
	decode(t, &g);
	expect(g.ni == 0 && g.nc == 1);
	expect_ok(MPI_Type_free(&t));
}

/* MPI-5.0 5.1.13: derived types come out as new objects, which are the user's to free, also if the
 * one that went in has gone */
static void fresh(void)
{
	MPI_Datatype row, t, again;
	MPI_Aint lb, extent;
	struct got g, h;

	expect_ok(MPI_Type_vector(3, 1, 2, MPI_INT, &row));
	expect_ok(MPI_Type_contiguous(2, row, &t));
	expect_ok(MPI_Type_free(&row));
	decode_small(t, &g);
	decode_small(t, &h);
	expect(g.types[0] != h.types[0]);
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_free(&h.types[0]));
	expect_ok(MPI_Type_get_extent(g.types[0], &lb, &extent));
	expect_eq(extent, 20);
	decode_small(g.types[0], &h);
	expect(h.combiner == MPI_COMBINER_VECTOR && h.ints[2] == 2 && h.types[0] == MPI_INT);
	again = g.types[0];
	expect_ok(MPI_Type_commit(&again));
	expect_ok(MPI_Type_free(&again));
}

/* MPI-5.0 5.1.13: room for less than there is; none at all where there is nothing */
static void decoded_room(void)
{
	int i[3];
	MPI_Aint a[1];
	MPI_Count c[1];
	MPI_Datatype t, d[1];

	expect_ok(MPI_Type_create_hvector(2, 1, 8, MPI_INT, &t));
	expect_eq(MPI_Type_get_contents(t, 1, 1, 1, i, a, d), MPI_ERR_ARG);
	expect_eq(MPI_Type_get_contents(t, 2, 0, 1, i, a, d), MPI_ERR_ARG);
	expect_eq(MPI_Type_get_contents(t, 2, 1, 0, i, a, d), MPI_ERR_ARG);
	expect_eq(MPI_Type_get_contents(t, 2, 1, -1, i, a, d), MPI_ERR_ARG);
	expect_eq(MPI_Type_get_contents(t, 2, 1, 1, NULL, a, d), MPI_ERR_ARG);
	expect_eq(MPI_Type_get_contents(t, 2, 1, 1, i, NULL, d), MPI_ERR_ARG);
	expect_eq(MPI_Type_get_contents(t, 2, 1, 1, i, a, NULL), MPI_ERR_ARG);
	expect_eq(MPI_Type_get_contents_c(t, 2, 1, 0, ((MPI_Count)1 << 61) + 1, i, a, c, d),
		MPI_ERR_NO_MEM);
	expect_ok(MPI_Type_get_contents(t, 3, 1, 1, i, a, d));
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_create_f90_integer(9, &t));
	expect_ok(MPI_Type_get_contents(t, 1, 1, 1, i, NULL, NULL));
	expect_eq(i[0], 9);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	decoded_named();
	decoded_strided();
	decoded_listed();
	decoded_arrays();
	unnamed();
	decoded_large();
	fresh();
	decoded_room();
	MPI_Finalize();
	return check_end();
}
