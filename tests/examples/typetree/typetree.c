// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 5.1.13: a datatype tells how it was made, and can be made again from that.
 *
 *     typetree            prints some datatypes as trees of the calls that made them:
 *
 *         transposed: 160 bytes of data in 32, from 0
 *         contiguous(count 4)
 *         └─ resized(lower bound 0, extent 8)
 *            └─ vector(count 5, length 1, stride 4)
 *               └─ MPI_DOUBLE
 *
 * then makes each of them again from its tree, and checks that the two are alike: the same bounds,
 * the same tree, the same bytes packed from the same memory.  Any program may take print_tree and
 * rebuild as they are: they know every combiner, and types of the _c constructors as well. */
#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of a call, as MPI_Type_get_contents_c says it: counts and displacements of the _c
 * calls are in counts, and all others in ints and addrs. */
struct call {
	int combiner;
	MPI_Count ni, na, nc, nd;
	int *ints;
	MPI_Aint *addrs;
	MPI_Count *counts;
	MPI_Datatype *types; /* derived ones are ours to free */
};

static void *tree_room(MPI_Count n, size_t size)
{
	void *p = calloc((size_t)n + 1, size);

	if (p == NULL)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return p;
}

static void call_open(MPI_Datatype type, struct call *c)
{
	MPI_Type_get_envelope_c(type, &c->ni, &c->na, &c->nc, &c->nd, &c->combiner);
	c->ints = tree_room(c->ni, sizeof(*c->ints));
	c->addrs = tree_room(c->na, sizeof(*c->addrs));
	c->counts = tree_room(c->nc, sizeof(*c->counts));
	c->types = tree_room(c->nd, sizeof(MPI_Datatype));
	if (c->combiner != MPI_COMBINER_NAMED)
		MPI_Type_get_contents_c(
			type, c->ni, c->na, c->nc, c->nd, c->ints, c->addrs, c->counts, c->types);
}

/* Types that have no constructor to be freed after: the named ones, Fortran kinds, pairs. */
static int is_predefined(MPI_Datatype type)
{
	MPI_Count ni, na, nc, nd;
	int combiner;

	MPI_Type_get_envelope_c(type, &ni, &na, &nc, &nd, &combiner);
	return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
	       combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER ||
	       combiner == MPI_COMBINER_VALUE_INDEX;
}

static void call_close(struct call *c)
{
	for (MPI_Count i = 0; i < c->nd; i++)
		if (!is_predefined(c->types[i]))
			MPI_Type_free(&c->types[i]);
	free(c->ints);
	free(c->addrs);
	free(c->counts);
	free(c->types);
}

/* --- a tree as text ------------------------------------------------------------------------- */

struct text {
	char s[8192];
	size_t len;
};

static void tree_say(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->s + t->len, sizeof(t->s) - t->len, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < sizeof(t->s) - t->len)
		t->len += (size_t)n;
}

/* Arguments of a call in its order, wherever the form of the call put them. */
struct reader {
	const struct call *c;
	MPI_Count i, a, n;
};

static long long count_of(struct reader *r)
{
	return r->c->nc > 0 ? (long long)r->c->counts[r->n++] : r->c->ints[r->i++];
}

static long long addr_of(struct reader *r)
{
	return r->c->nc > 0 ? (long long)r->c->counts[r->n++] : (long long)r->c->addrs[r->a++];
}

static int int_of(struct reader *r)
{
	return r->c->ints[r->i++];
}

static void say_counts(struct text *t, struct reader *r, const char *what, long long n)
{
	tree_say(t, "%s", what);
	for (long long i = 0; i < n; i++)
		tree_say(t, " %lld", count_of(r));
}

static void say_ints(struct text *t, struct reader *r, const char *what, int n)
{
	tree_say(t, "%s", what);
	for (int i = 0; i < n; i++)
		tree_say(t, " %d", int_of(r));
}

static void say_addrs(struct text *t, struct reader *r, const char *what, long long n)
{
	tree_say(t, "%s", what);
	for (long long i = 0; i < n; i++)
		tree_say(t, " %lld", addr_of(r));
}

static const char *order_name(int order)
{
	return order == MPI_ORDER_C ? "C" : "Fortran";
}

static void say_array(struct text *t, struct reader *r)
{
	int size, rank, n;

	if (r->c->combiner == MPI_COMBINER_SUBARRAY) {
		n = int_of(r);
		tree_say(t, "subarray(");
		say_counts(t, r, "sizes", n);
		say_counts(t, r, ", subsizes", n);
		say_counts(t, r, ", starts", n);
	} else {
		size = int_of(r);
		rank = int_of(r);
		n = int_of(r);
		tree_say(t, "darray(rank %d of %d", rank, size);
		say_counts(t, r, ", sizes", n);
		say_ints(t, r, ", distributions", n);
		say_ints(t, r, ", arguments", n);
		say_ints(t, r, ", grid", n);
	}
	tree_say(t, ", order %s)", order_name(int_of(r)));
}

static void say_list(struct text *t, struct reader *r)
{
	long long n = count_of(r);

	switch (r->c->combiner) {
	case MPI_COMBINER_INDEXED:
		say_counts(t, r, "indexed(lengths", n);
		say_counts(t, r, ", displacements", n);
		break;
	case MPI_COMBINER_HINDEXED:
		say_counts(t, r, "hindexed(lengths", n);
		say_addrs(t, r, ", at bytes", n);
		break;
	case MPI_COMBINER_INDEXED_BLOCK:
		tree_say(t, "indexed_block(length %lld", count_of(r));
		say_counts(t, r, ", displacements", n);
		break;
	case MPI_COMBINER_HINDEXED_BLOCK:
		tree_say(t, "hindexed_block(length %lld", count_of(r));
		say_addrs(t, r, ", at bytes", n);
		break;
	case MPI_COMBINER_STRUCT:
		say_counts(t, r, "struct(lengths", n);
		say_addrs(t, r, ", at bytes", n);
		break;
	}
	tree_say(t, ")");
}

static void say_call(struct text *t, MPI_Datatype type, const struct call *c)
{
	struct reader r = {.c = c};
	char name[MPI_MAX_OBJECT_NAME];
	long long a, b;
	int len;

	switch (c->combiner) {
	case MPI_COMBINER_NAMED:
		MPI_Type_get_name(type, name, &len);
		tree_say(t, "%s", name);
		break;
	case MPI_COMBINER_DUP: tree_say(t, "dup"); break;
	case MPI_COMBINER_CONTIGUOUS: tree_say(t, "contiguous(count %lld)", count_of(&r)); break;
	case MPI_COMBINER_VECTOR:
		a = count_of(&r);
		b = count_of(&r);
		tree_say(t, "vector(count %lld, length %lld, stride %lld)", a, b, count_of(&r));
		break;
	case MPI_COMBINER_HVECTOR:
		a = count_of(&r);
		b = count_of(&r);
		tree_say(t, "hvector(count %lld, length %lld, stride %lld bytes)", a, b,
			addr_of(&r));
		break;
	case MPI_COMBINER_RESIZED:
		a = addr_of(&r);
		tree_say(t, "resized(lower bound %lld, extent %lld)", a, addr_of(&r));
		break;
	case MPI_COMBINER_SUBARRAY:
	case MPI_COMBINER_DARRAY: say_array(t, &r); break;
	case MPI_COMBINER_F90_REAL: say_ints(t, &r, "Fortran REAL of p, r:", 2); break;
	case MPI_COMBINER_F90_COMPLEX: say_ints(t, &r, "Fortran COMPLEX of p, r:", 2); break;
	case MPI_COMBINER_F90_INTEGER: say_ints(t, &r, "Fortran INTEGER of r:", 1); break;
	case MPI_COMBINER_VALUE_INDEX: tree_say(t, "value and index"); break;
	default: say_list(t, &r); break;
	}
	tree_say(t, "\n");
}

/* `lead' is what stands before the lines of this type's parts. */
static void print_tree(struct text *t, MPI_Datatype type, const char *lead)
{
	struct call c;
	char deeper[256];

	call_open(type, &c);
	say_call(t, type, &c);
	for (MPI_Count i = 0; i < c.nd; i++) {
		int last = i == c.nd - 1;

		tree_say(t, "%s%s", lead, last ? "└─ " : "├─ ");
		snprintf(deeper, sizeof(deeper), "%s%s", lead, last ? "   " : "│  ");
		print_tree(t, c.types[i], deeper);
	}
	call_close(&c);
}

/* --- made again ----------------------------------------------------------------------------- */

static int again_small(const struct call *c, MPI_Datatype *type)
{
	int n = c->ni > 0 ? c->ints[0] : 0;
	const int *v = c->ints + 1, *d = c->ints + 3;
	const MPI_Aint *a = c->addrs;
	MPI_Datatype old = c->nd > 0 ? c->types[0] : MPI_DATATYPE_NULL;

	switch (c->combiner) {
	case MPI_COMBINER_DUP: return MPI_Type_dup(old, type);
	case MPI_COMBINER_CONTIGUOUS: return MPI_Type_contiguous(n, old, type);
	case MPI_COMBINER_VECTOR: return MPI_Type_vector(n, v[0], v[1], old, type);
	case MPI_COMBINER_HVECTOR: return MPI_Type_create_hvector(n, v[0], a[0], old, type);
	case MPI_COMBINER_INDEXED: return MPI_Type_indexed(n, v, v + n, old, type);
	case MPI_COMBINER_HINDEXED: return MPI_Type_create_hindexed(n, v, a, old, type);
	case MPI_COMBINER_INDEXED_BLOCK:
		return MPI_Type_create_indexed_block(n, v[0], v + 1, old, type);
	case MPI_COMBINER_HINDEXED_BLOCK:
		return MPI_Type_create_hindexed_block(n, v[0], a, old, type);
	case MPI_COMBINER_STRUCT: return MPI_Type_create_struct(n, v, a, c->types, type);
	case MPI_COMBINER_RESIZED: return MPI_Type_create_resized(old, a[0], a[1], type);
	case MPI_COMBINER_SUBARRAY:
		return MPI_Type_create_subarray(n, v, v + n, v + 2 * n, v[3 * n], old, type);
	case MPI_COMBINER_DARRAY:
		n = c->ints[2];
		return MPI_Type_create_darray(c->ints[0], c->ints[1], n, d, d + n, d + 2 * n,
			d + 3 * n, d[4 * n], old, type);
	}
	return MPI_ERR_TYPE;
}

static int again_large(const struct call *c, MPI_Datatype *type)
{
	MPI_Count n = c->counts[0];
	const MPI_Count *v = c->counts + 1;
	const int *d = c->ints + 3;
	MPI_Datatype old = c->nd > 0 ? c->types[0] : MPI_DATATYPE_NULL;
	int dims;

	switch (c->combiner) {
	case MPI_COMBINER_CONTIGUOUS: return MPI_Type_contiguous_c(n, old, type);
	case MPI_COMBINER_VECTOR: return MPI_Type_vector_c(n, v[0], v[1], old, type);
	case MPI_COMBINER_HVECTOR: return MPI_Type_create_hvector_c(n, v[0], v[1], old, type);
	case MPI_COMBINER_INDEXED: return MPI_Type_indexed_c(n, v, v + n, old, type);
	case MPI_COMBINER_HINDEXED: return MPI_Type_create_hindexed_c(n, v, v + n, old, type);
	case MPI_COMBINER_INDEXED_BLOCK:
		return MPI_Type_create_indexed_block_c(n, v[0], v + 1, old, type);
	case MPI_COMBINER_HINDEXED_BLOCK:
		return MPI_Type_create_hindexed_block_c(n, v[0], v + 1, old, type);
	case MPI_COMBINER_STRUCT: return MPI_Type_create_struct_c(n, v, v + n, c->types, type);
	case MPI_COMBINER_RESIZED: return MPI_Type_create_resized_c(old, n, v[0], type);
	case MPI_COMBINER_SUBARRAY:
		dims = c->ints[0];
		return MPI_Type_create_subarray_c(dims, c->counts, c->counts + dims,
			c->counts + 2 * dims, c->ints[1], old, type);
	case MPI_COMBINER_DARRAY:
		dims = c->ints[2];
		return MPI_Type_create_darray_c(c->ints[0], c->ints[1], dims, c->counts, d,
			d + dims, d + 2 * dims, d[3 * dims], old, type);
	}
	return MPI_ERR_TYPE;
}

/* A new type that is made of new types, down to the predefined ones, which are themselves. */
static MPI_Datatype rebuild(MPI_Datatype type)
{
	struct call c;
	MPI_Datatype made;

	if (is_predefined(type))
		return type;
	call_open(type, &c);
	for (MPI_Count i = 0; i < c.nd; i++) {
		MPI_Datatype old = c.types[i];

		c.types[i] = rebuild(old);
		if (c.types[i] != old)
			MPI_Type_free(&old);
	}
	if ((c.nc > 0 ? again_large : again_small)(&c, &made) != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 1);
	call_close(&c);
	return made;
}

/* --- alike? --------------------------------------------------------------------------------- */

struct numbers {
	MPI_Count size, lb, extent, true_lb, true_extent;
};

static void tree_ask(MPI_Datatype type, struct numbers *n)
{
	MPI_Type_size_c(type, &n->size);
	MPI_Type_get_extent_c(type, &n->lb, &n->extent);
	MPI_Type_get_true_extent_c(type, &n->true_lb, &n->true_extent);
}

/* Both pack the same bytes of the same memory. */
static int pack_alike(MPI_Datatype a, MPI_Datatype b, const struct numbers *n)
{
	unsigned char *memory = tree_room(n->true_extent, 1);
	unsigned char *x = tree_room(n->size, 1), *y = tree_room(n->size, 1);
	MPI_Count atx = 0, aty = 0;
	int alike;

	for (MPI_Count i = 0; i < n->true_extent; i++)
		memory[i] = (unsigned char)(i * 7 + i / 251);
	MPI_Type_commit(&a);
	MPI_Type_commit(&b);
	MPI_Pack_c(memory - n->true_lb, 1, a, x, n->size, &atx, MPI_COMM_SELF);
	MPI_Pack_c(memory - n->true_lb, 1, b, y, n->size, &aty, MPI_COMM_SELF);
	alike = atx == aty && memcmp(x, y, (size_t)n->size) == 0;
	free(memory);
	free(x);
	free(y);
	return alike;
}

/* Prints the type, rebuilds it, compares, frees both.  Returns 0 if they are alike. */
static int tree_show(const char *name, MPI_Datatype type)
{
	struct text tree = {.len = 0}, again_tree = {.len = 0};
	MPI_Datatype again = rebuild(type);
	struct numbers n, again_n;
	int alike;

	tree_ask(type, &n);
	tree_ask(again, &again_n);
	print_tree(&tree, type, "");
	print_tree(&again_tree, again, "");
	printf("%s: %lld bytes of data in %lld, from %lld\n%s\n", name, (long long)n.size,
		(long long)n.extent, (long long)n.lb, tree.s);
	alike = memcmp(&n, &again_n, sizeof(n)) == 0 && strcmp(tree.s, again_tree.s) == 0 &&
		pack_alike(type, again, &n);
	if (!alike)
		printf("made again it is another:\n%s\n", again_tree.s);
	if (!is_predefined(type)) {
		MPI_Type_free(&type);
		MPI_Type_free(&again);
	}
	return !alike;
}

/* --- some types ----------------------------------------------------------------------------- */

static MPI_Datatype particles(void)
{
	struct particle {
		int kind;
		double location[6];
		char tag[7];
	};
	int lengths[] = {1, 6, 7};
	MPI_Aint at[] = {offsetof(struct particle, kind), offsetof(struct particle, location),
		offsetof(struct particle, tag)};
	MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, one, ten;

	MPI_Type_create_struct(3, lengths, at, types, &one);
	MPI_Type_contiguous(10, one, &ten);
	MPI_Type_free(&one);
	return ten;
}

/* Columns of a matrix of 5 x 4 doubles, one after the other: the matrix transposed. */
static MPI_Datatype transposed(void)
{
	MPI_Datatype column, narrow, all;

	MPI_Type_vector(5, 1, 4, MPI_DOUBLE, &column);
	MPI_Type_create_resized(column, 0, sizeof(double), &narrow);
	MPI_Type_contiguous(4, narrow, &all);
	MPI_Type_free(&column);
	MPI_Type_free(&narrow);
	return all;
}

/* The upper triangle of a 4 x 4 matrix, and a pair of largest value and its place behind it. */
static MPI_Datatype triangle(void)
{
	int lengths[] = {4, 3, 2, 1}, at[] = {0, 5, 10, 15}, ones[] = {1, 1};
	MPI_Aint displs[] = {0, 128};
	MPI_Datatype types[2], both;

	MPI_Type_indexed(4, lengths, at, MPI_DOUBLE, &types[0]);
	MPI_Type_get_value_index(MPI_DOUBLE, MPI_LONG, &types[1]);
	MPI_Type_create_struct(2, ones, displs, types, &both);
	MPI_Type_free(&types[0]);
	return both;
}

static MPI_Datatype tree_face(void)
{
	MPI_Count sizes[] = {8, 6, 4}, parts[] = {8, 1, 4}, starts[] = {0, 5, 0};
	MPI_Datatype type;

	MPI_Type_create_subarray_c(3, sizes, parts, starts, MPI_ORDER_C, MPI_FLOAT, &type);
	return type;
}

static MPI_Datatype share(void)
{
	int sizes[] = {10, 12}, grid[] = {2, 3};
	int dist[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
	int args[] = {2, MPI_DISTRIBUTE_DFLT_DARG};
	MPI_Datatype kind, type;

	MPI_Type_create_f90_real(15, 300, &kind);
	MPI_Type_create_darray(6, 4, 2, sizes, dist, args, grid, MPI_ORDER_FORTRAN, kind, &type);
	return type;
}

int main(int argc, char **argv)
{
	int other = 0;

	MPI_Init(&argc, &argv);
	other += tree_show("particles", particles());
	other += tree_show("transposed", transposed());
	other += tree_show("triangle", triangle());
	other += tree_show("face", tree_face());
	other += tree_show("share", share());
	other += tree_show("named", MPI_SHORT_INT);
	MPI_Finalize();
	return other != 0;
}
