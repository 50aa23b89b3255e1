/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 5.1.2, 5.1.6 to 5.1.10: results of constructors, by size, bounds and true bounds. */
#include "tests/check.h"

#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Size, lower bound, extent, true lower bound, true extent; then the type is freed. */
static void is_at(int line, MPI_Datatype *t, long long size, long long lb, long long extent,
	long long true_lb, long long true_extent)
{
	MPI_Count s, l, e, tl, te;
	int before = check_failed;

	expect_ok(MPI_Type_size_c(*t, &s));
	expect_ok(MPI_Type_get_extent_c(*t, &l, &e));
	expect_ok(MPI_Type_get_true_extent_c(*t, &tl, &te));
	expect_eq(s, size);
	expect_eq(l, lb);
	expect_eq(e, extent);
	expect_eq(tl, true_lb);
	expect_eq(te, true_extent);
	if (check_failed != before)
		fprintf(stderr, "... of the type of line %d\n", line);
	expect_ok(MPI_Type_free(t));
	expect(*t == MPI_DATATYPE_NULL);
}
#define is(...) is_at(__LINE__, __VA_ARGS__)

/* MPI-5.0 5.1.2: copies in a row */
static void contiguous(void)
{
	MPI_Datatype t, u;

	expect_ok(MPI_Type_contiguous(3, MPI_DOUBLE, &t));
	is(&t, 24, 0, 24, 0, 24);
	expect_ok(MPI_Type_contiguous(0, MPI_DOUBLE, &t));
	is(&t, 0, 0, 0, 0, 0);
	expect_ok(MPI_Type_contiguous(2, MPI_DOUBLE_INT, &t));
	is(&t, 24, 0, 32, 0, 28);
	expect_ok(MPI_Type_contiguous_c(5000000000LL, MPI_INT, &t));
	expect_ok(MPI_Type_contiguous(2, t, &u));
	is(&u, 40000000000LL, 0, 40000000000LL, 0, 40000000000LL);
	is(&t, 20000000000LL, 0, 20000000000LL, 0, 20000000000LL);
}

/* MPI-5.0 5.1.2: the stride of a vector is in elements, that of an hvector in bytes; both may be
 * negative */
static void constructor_vectors(void)
{
	MPI_Datatype t;

	expect_ok(MPI_Type_vector(3, 2, 4, MPI_INT, &t));
	is(&t, 24, 0, 40, 0, 40);
	expect_ok(MPI_Type_vector(3, 2, -4, MPI_INT, &t));
	is(&t, 24, -32, 40, -32, 40);
	expect_ok(MPI_Type_vector(3, 0, 4, MPI_INT, &t));
	is(&t, 0, 0, 0, 0, 0);
	expect_ok(MPI_Type_vector(0, 3, 4, MPI_INT, &t));
	is(&t, 0, 0, 0, 0, 0);
	expect_ok(MPI_Type_vector(1, 3, INT_MAX, MPI_INT, &t));
	is(&t, 12, 0, 12, 0, 12);
	expect_ok(MPI_Type_create_hvector(2, 1, 10, MPI_CHAR, &t));
	is(&t, 2, 0, 11, 0, 11);
	expect_ok(MPI_Type_create_hvector(4, 2, -16, MPI_SHORT, &t));
	is(&t, 16, -48, 52, -48, 52);
	expect_ok(MPI_Type_create_hvector(3, 2, 0, MPI_SHORT, &t)); /* three times the same */
	is(&t, 12, 0, 4, 0, 4);
}

/* MPI-5.0 5.1.2: blocks anywhere */
static void constructor_lists(void)
{
	int lens[] = {2, 0, 1}, displs[] = {3, -90, -1};
	MPI_Aint bytes[] = {12, -90, -4};
	MPI_Datatype t;

	expect_ok(MPI_Type_indexed(3, lens, displs, MPI_INT, &t));
	is(&t, 12, -4, 24, -4, 24);
	expect_ok(MPI_Type_create_hindexed(3, lens, bytes, MPI_INT, &t));
	is(&t, 12, -4, 24, -4, 24);
	expect_ok(MPI_Type_create_indexed_block(3, 2, displs, MPI_CHAR, &t));
	is(&t, 6, -90, 95, -90, 95);
	expect_ok(MPI_Type_create_hindexed_block(3, 0, bytes, MPI_CHAR, &t));
	is(&t, 0, 0, 0, 0, 0);
	expect_ok(MPI_Type_indexed(0, NULL, NULL, MPI_INT, &t));
	is(&t, 0, 0, 0, 0, 0);
}

/* MPI-5.0 5.1.6: the extent of a struct is padded as the C compiler pads it */
static void structs(void)
{
	struct part {
		int kind;
		double d[6];
		char b[7];
	};
	int lens[] = {1, 6, 7};
	MPI_Aint displs[] = {
		offsetof(struct part, kind), offsetof(struct part, d), offsetof(struct part, b)};
	MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, t, u;

	expect_ok(MPI_Type_create_struct(3, lens, displs, types, &t));
	expect_ok(MPI_Type_contiguous(10, t, &u));
	is(&u, 590, 0, 10 * sizeof(struct part), 0, 9 * sizeof(struct part) + 63);
	is(&t, 59, 0, sizeof(struct part), 0, 63);
	lens[1] = 0; /* an absent entry needs no alignment */
	expect_ok(MPI_Type_create_struct(3, lens, displs, types, &t));
	is(&t, 11, 0, 64, 0, 63);
	expect_ok(MPI_Type_create_struct(0, NULL, NULL, NULL, &t));
	is(&t, 0, 0, 0, 0, 0);
}

/* MPI-5.0 5.1.6, 5.1.7: bounds that were set stay with types made of the type */
static void resized(void)
{
	MPI_Datatype t, u, pair[2];
	int lens[] = {1, 1};
	MPI_Aint displs[] = {0, 40};

	expect_ok(MPI_Type_create_resized(MPI_INT, -3, 9, &t));
	expect_ok(MPI_Type_contiguous(2, t, &u));
	is(&u, 8, -3, 18, 0, 13);
	expect_ok(MPI_Type_dup(t, &u));
	is(&u, 4, -3, 9, 0, 4);
	pair[0] = t;
	pair[1] = MPI_INT; /* lies outside, and has no markers */
	expect_ok(MPI_Type_create_struct(2, lens, displs, pair, &u));
	is(&u, 8, -3, 9, 0, 44);
	is(&t, 4, -3, 9, 0, 4);

	expect_ok(MPI_Type_create_resized(MPI_INT, 0, -8, &t)); /* an array that runs backwards */
	expect_ok(MPI_Type_contiguous(3, t, &u));
	is(&u, 12, -16, 8, -16, 20);
	is(&t, 4, 0, -8, 0, 4);

	expect_ok(MPI_Type_contiguous(0, MPI_INT, &t)); /* bounds without data */
	expect_ok(MPI_Type_create_resized(t, 4, 12, &u));
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_vector(2, 1, 2, u, &t));
	is(&t, 0, 4, 36, 0, 0);
	is(&u, 0, 4, 12, 0, 0);
}

/* MPI-5.0 5.1.2: old types need not be committed, and may be freed at once */
static void nested(void)
{
	MPI_Datatype row, part, all;
	int in[16], out[4] = {0, 0, 0, 0}, at = 0;

	for (int i = 0; i < 16; i++)
		in[i] = i;
	expect_ok(MPI_Type_vector(2, 1, 2, MPI_INT, &row));
	expect_ok(MPI_Type_create_hvector(2, 1, 4 * sizeof(int), row, &part));
	expect_ok(MPI_Type_free(&row));
	expect_ok(MPI_Type_dup(part, &all));
	expect_ok(MPI_Type_free(&part));
	expect_ok(MPI_Type_commit(&all));
	expect_ok(MPI_Pack(in, 1, all, out, sizeof(out), &at, MPI_COMM_WORLD));
	expect_eq(at, 16);
	expect(out[0] == 0 && out[1] == 2 && out[2] == 4 && out[3] == 6);
	memset(in, -1, sizeof(in));
	at = 0;
	expect_ok(MPI_Unpack(out, sizeof(out), &at, in, 1, all, MPI_COMM_WORLD));
	expect(in[0] == 0 && in[1] == -1 && in[2] == 2 && in[4] == 4 && in[6] == 6 && in[7] == -1);
	is(&all, 16, 0, 28, 0, 28);
}

/* MPI-5.0 5.1.5, 5.1.12: addresses of variables as displacements from MPI_BOTTOM */
static void bottom(void)
{
	int a = 7, lens[] = {1, 1}, at = 0;
	double b = 8.5;
	MPI_Aint displs[2];
	MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, t;
	char packed[12];

	expect_ok(MPI_Get_address(&a, &displs[0]));
	expect_ok(MPI_Get_address(&b, &displs[1]));
	expect_ok(MPI_Type_create_struct(2, lens, displs, types, &t));
	expect_ok(MPI_Type_commit(&t));
	expect_ok(MPI_Pack(MPI_BOTTOM, 1, t, packed, sizeof(packed), &at, MPI_COMM_SELF));
	a = 0;
	b = 0;
	at = 0;
	expect_ok(MPI_Unpack(packed, sizeof(packed), &at, MPI_BOTTOM, 1, t, MPI_COMM_SELF));
	expect(a == 7 && b == 8.5);
	expect_ok(MPI_Type_free(&t));
}

/* MPI-5.0 5.1.9: a type that a message still uses may be freed */
static void constructor_pending(void)
{
	int out[] = {1, 2, 3, 4, 5}, in[] = {0, 0, 0};
	MPI_Datatype t;
	MPI_Request r;

	expect_ok(MPI_Type_vector(3, 1, 2, MPI_INT, &t));
	expect_ok(MPI_Type_commit(&t));
	expect_ok(MPI_Issend(out, 1, t, 0, 1, MPI_COMM_SELF, &r));
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Recv(in, 3, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	expect_ok(MPI_Wait(&r, MPI_STATUS_IGNORE));
	expect(in[0] == 1 && in[1] == 3 && in[2] == 5);
}

/* MPI-5.0 5.1.2: types of types of types: nothing that is done with them needs a deep stack */
static void constructor_deep(void)
{
	enum { DEPTH = 200000 };
	MPI_Datatype t, u;
	MPI_Status s;
	char in[2] = {1, 2}, to[2], out = 0;
	int at = 0, n;

	expect_ok(MPI_Type_create_hvector(2, 1, 1, MPI_CHAR, &t));
	for (int i = 0; i < DEPTH; i++) {
		if (i % 2 == 0)
			expect_ok(MPI_Type_dup(t, &u));
		else
			expect_ok(MPI_Type_create_resized(t, 0, i % 8, &u));
		expect_ok(MPI_Type_free(&t));
		t = u;
	}
	expect_ok(MPI_Type_commit(&t));
	expect_ok(MPI_Status_set_elements(&s, MPI_CHAR, 1));
	expect_ok(MPI_Get_elements(&s, t, &n));
	expect_eq(n, 1);
	expect_ok(MPI_Sendrecv(in, 2, MPI_CHAR, 0, 0, to, 1, t, 0, 0, MPI_COMM_SELF, &s));
	expect(to[0] == 1 && to[1] == 2);
	expect_eq(MPI_Pack(in, 1, t, &out, 1, &at, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
	expect_ok(MPI_Type_free(&t));
}

/* MPI-5.0 5.1.2, 5.3: the same with two blocks in each, the deep one first or last */
static void deep_structs(bool first)
{
	enum { DEPTH = 100000 };
	static char mem[DEPTH + 2], packed[DEPTH + 1], back[DEPTH + 2];
	int one[] = {1, 1}, at = 0;
	MPI_Aint apart[] = {0, 0}, ext = 0;
	MPI_Datatype types[2], t, u;
	MPI_Status s;

	for (int i = 0; i < DEPTH + 2; i++)
		mem[i] = (char)(i % 127);
	expect_ok(MPI_Type_dup(MPI_CHAR, &t));
	for (int i = 0; i < DEPTH; i++) { /* c.cccc..., or the other way round in steps of one */
		types[0] = first ? t : MPI_CHAR;
		types[1] = first ? MPI_CHAR : t;
		apart[1] = first ? i + 2 : i == 0 ? 2 : 1;
		expect_ok(MPI_Type_create_struct(2, one, apart, types, &u));
		expect_ok(MPI_Type_free(&t));
		t = u;
	}
	expect_ok(MPI_Type_commit(&t));
	expect_ok(MPI_Pack(mem, 1, t, packed, DEPTH + 1, &at, MPI_COMM_SELF));
	expect_eq(at, DEPTH + 1);
	for (int i = 0; i <= DEPTH; i++)
		at -= packed[i] == mem[first ? i + (i > 0) : i + (i == DEPTH)];
	expect_eq(at, 0);
	/* a part of it: all but one */
	expect_ok(MPI_Sendrecv(packed, DEPTH, MPI_CHAR, 0, 0, back, 1, t, 0, 0, MPI_COMM_SELF, &s));
	for (int i = 0; i < DEPTH; i++)
		at += back[first ? i + (i > 0) : i] == packed[i];
	expect_eq(at, DEPTH);
	expect_ok(MPI_Pack_external("external32", mem, 1, t, back, DEPTH + 1, &ext));
	expect_eq(ext, DEPTH + 1);
	expect_eq(memcmp(back, packed, DEPTH + 1), 0);
	expect_ok(MPI_Type_free(&t));
}

/* MPI-5.0 5.1.5, 5.1.7: a size that an int cannot say is MPI_UNDEFINED */
static void undefined(void)
{
	MPI_Datatype t;
	MPI_Count n;
	int size;

	expect_ok(MPI_Type_contiguous(INT_MAX, MPI_INT, &t));
	expect_ok(MPI_Type_size(t, &size));
	expect_eq(size, MPI_UNDEFINED);
	expect_ok(MPI_Type_size_c(t, &n));
	expect_eq(n, 4LL * INT_MAX);
	expect_ok(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	contiguous();
	constructor_vectors();
	constructor_lists();
	structs();
	resized();
	nested();
	bottom();
	constructor_pending();
	constructor_deep();
	deep_structs(true);
	deep_structs(false);
	undefined();
	MPI_Finalize();
	return check_end();
}
