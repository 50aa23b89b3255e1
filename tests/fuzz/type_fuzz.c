// SPDX-License-Identifier: BSD-3-Clause
/* type_fuzz.c - random nested datatypes against their type maps (tests/type_map.h).
 *
 *      draw a call ──┬──> constructor ──> type ──┬──> decode: is it the call?
 *                    │                           ├──> rebuild from the decoded ──┐
 *                    └──> model ──> map <─ same? ┴──> size, bounds, elements <────────┘
 *                                    │
 *                                    └──> byte by byte: MPI_Pack, MPI_Unpack, and type_pack,
 *                                         type_unpack of random pieces in random order
 *
 * Types that are drawn are made of those drawn before; those are freed at random.
 *
 *     type [-n STEPS] [-s SEED]     0 STEPS: until killed
 *
 * SEED is printed, and with it everything repeats. */
#include "tests/type_map.h"

#include "libmpi/core/objects.h"
#include "libmpi/type/kernel.h"
#include "libmpi/type/type.h"
#include <getopt.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

#define STEPS    5000
#define ARGS     96   /* arguments of one call */
#define LIVE     12   /* types that others are made of */
#define ENTRIES  3000 /* of a map: larger ones are thrown away */
#define SPAN_MAX (1 << 20)
#define COUNT    3 /* elements that are packed at once, at most */
#define PARTS    8

struct call {
	int combiner;
	bool large;
	int ni, na, nc, nd;
	int ints[ARGS];
	MPI_Aint addrs[ARGS];
	MPI_Count counts[ARGS];
	MPI_Datatype types[ARGS];
	struct map map[8]; /* of the types */
};

struct live {
	MPI_Datatype type;
	struct map map;
};

static struct live live[LIVE];
static int lives;
static unsigned long long seed, state;
static long step;

static void type_fail(const char *what, long long got, long long want)
{
	fprintf(stderr, "fuzz type: -s %llu, step %ld: %s: %lld, not %lld\n", seed, step, what, got,
		want);
	exit(1);
}

static void same_at(const char *what, long long got, long long want)
{
	if (got != want)
		type_fail(what, got, want);
}
#define same(a, b) same_at(#a, a, b)

static unsigned type_draw(unsigned below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % below;
}

static int type_between(int low, int high)
{
	return low + (int)type_draw((unsigned)(high - low + 1));
}

/* --- the predefined ones -------------------------------------------------------------------- */

#define ROW(handle, ctype)                             \
	{                                              \
		handle, sizeof(ctype), _Alignof(ctype) \
	}
static const struct {
	MPI_Datatype type;
	int size, align;
} basics[] = {ROW(MPI_CHAR, char), ROW(MPI_BYTE, char), ROW(MPI_SHORT, short), ROW(MPI_INT, int),
	ROW(MPI_LONG, long), ROW(MPI_FLOAT, float), ROW(MPI_DOUBLE, double),
	ROW(MPI_LONG_DOUBLE, long double), ROW(MPI_C_FLOAT_COMPLEX, float _Complex),
	ROW(MPI_C_DOUBLE_COMPLEX, double _Complex), ROW(MPI_C_BOOL, _Bool), ROW(MPI_AINT, MPI_Aint),
	ROW(MPI_INTEGER, int), ROW(MPI_REAL8, double)};
#define BASICS ((int)(sizeof(basics) / sizeof(basics[0])))

static const struct {
	MPI_Datatype pair, value, index;
} pairs[] = {{MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT}, {MPI_SHORT_INT, MPI_SHORT, MPI_INT},
	{MPI_2INT, MPI_INT, MPI_INT}, {MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
	{MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT}};
#define PAIRS ((int)(sizeof(pairs) / sizeof(pairs[0])))

static bool basic_map(MPI_Datatype type, long long at, struct map *m)
{
	for (int i = 0; i < BASICS; i++)
		if (basics[i].type == type) {
			map_add(m, at, type, basics[i].size, basics[i].align);
			return true;
		}
	return false;
}

/* A value and an index as in a C struct. */
static void pair_map(MPI_Datatype value, MPI_Datatype index, struct map *m)
{
	struct map i = {0};

	if (!basic_map(value, 0, m) || !basic_map(index, 0, &i))
		type_fail("not a basic type", 0, 1);
	map_put(m, &i, (m->e[0].size + i.e[0].align - 1) / i.e[0].align * i.e[0].align);
	map_free(&i);
}

static bool named_map(MPI_Datatype type, struct map *m)
{
	*m = (struct map){0};
	for (int i = 0; i < PAIRS; i++)
		if (pairs[i].pair == type) {
			pair_map(pairs[i].value, pairs[i].index, m);
			return true;
		}
	return basic_map(type, 0, m);
}

/* --- a call and its two meanings ------------------------------------------------------------ */

struct cursor {
	const struct call *c;
	int i, a, n;
};

static int next_int(struct cursor *k)
{
	return k->c->ints[k->i++];
}

static long long next_count(struct cursor *k)
{
	return k->c->large ? k->c->counts[k->n++] : k->c->ints[k->i++];
}

static long long next_addr(struct cursor *k)
{
	return k->c->large ? k->c->counts[k->n++] : (long long)k->c->addrs[k->a++];
}

/* n counts as an array of int or of MPI_Count, where they are. */
static const int *ints_at(const struct cursor *k, int skip)
{
	return k->c->ints + k->i + skip;
}

static const MPI_Count *counts_at(const struct cursor *k, int skip)
{
	return k->c->counts + k->n + skip;
}

static int make_small(const struct call *c, MPI_Datatype *t)
{
	struct cursor k = {.c = c};
	int n = c->ni > 0 ? c->ints[0] : 0;
	const int *v = ints_at(&k, 1), *d = c->ints;

	switch (c->combiner) {
	case MPI_COMBINER_DUP: return MPI_Type_dup(c->types[0], t);
	case MPI_COMBINER_CONTIGUOUS: return MPI_Type_contiguous(n, c->types[0], t);
	case MPI_COMBINER_VECTOR: return MPI_Type_vector(n, v[0], v[1], c->types[0], t);
	case MPI_COMBINER_HVECTOR:
		return MPI_Type_create_hvector(n, v[0], c->addrs[0], c->types[0], t);
	case MPI_COMBINER_INDEXED: return MPI_Type_indexed(n, v, v + n, c->types[0], t);
	case MPI_COMBINER_HINDEXED: return MPI_Type_create_hindexed(n, v, c->addrs, c->types[0], t);
	case MPI_COMBINER_INDEXED_BLOCK:
		return MPI_Type_create_indexed_block(n, v[0], v + 1, c->types[0], t);
	case MPI_COMBINER_HINDEXED_BLOCK:
		return MPI_Type_create_hindexed_block(n, v[0], c->addrs, c->types[0], t);
	case MPI_COMBINER_STRUCT: return MPI_Type_create_struct(n, v, c->addrs, c->types, t);
	case MPI_COMBINER_RESIZED:
		return MPI_Type_create_resized(c->types[0], c->addrs[0], c->addrs[1], t);
	case MPI_COMBINER_SUBARRAY:
		return MPI_Type_create_subarray(n, v, v + n, v + 2 * n, v[3 * n], c->types[0], t);
	case MPI_COMBINER_DARRAY:
		n = d[2];
		d += 3;
		return MPI_Type_create_darray(c->ints[0], c->ints[1], n, d, d + n, d + 2 * n,
			d + 3 * n, d[4 * n], c->types[0], t);
	case MPI_COMBINER_VALUE_INDEX: return MPI_Type_get_value_index(c->types[0], c->types[1], t);
	}
	return MPI_ERR_INTERN;
}

static int make_large(const struct call *c, MPI_Datatype *t)
{
	MPI_Count n = c->nc > 0 ? c->counts[0] : 0;
	struct cursor k = {.c = c};
	const MPI_Count *v = counts_at(&k, 1);
	int dims = c->ni > 0 ? c->ints[0] : 0;
	const int *d = c->ints;

	switch (c->combiner) {
	case MPI_COMBINER_CONTIGUOUS: return MPI_Type_contiguous_c(n, c->types[0], t);
	case MPI_COMBINER_VECTOR: return MPI_Type_vector_c(n, v[0], v[1], c->types[0], t);
	case MPI_COMBINER_HVECTOR: return MPI_Type_create_hvector_c(n, v[0], v[1], c->types[0], t);
	case MPI_COMBINER_INDEXED: return MPI_Type_indexed_c(n, v, v + n, c->types[0], t);
	case MPI_COMBINER_HINDEXED: return MPI_Type_create_hindexed_c(n, v, v + n, c->types[0], t);
	case MPI_COMBINER_INDEXED_BLOCK:
		return MPI_Type_create_indexed_block_c(n, v[0], v + 1, c->types[0], t);
	case MPI_COMBINER_HINDEXED_BLOCK:
		return MPI_Type_create_hindexed_block_c(n, v[0], v + 1, c->types[0], t);
	case MPI_COMBINER_STRUCT: return MPI_Type_create_struct_c(n, v, v + n, c->types, t);
	case MPI_COMBINER_RESIZED: return MPI_Type_create_resized_c(c->types[0], n, v[0], t);
	case MPI_COMBINER_SUBARRAY:
		return MPI_Type_create_subarray_c(dims, c->counts, c->counts + dims,
			c->counts + 2 * dims, d[1], c->types[0], t);
	case MPI_COMBINER_DARRAY:
		dims = d[2];
		d += 3;
		return MPI_Type_create_darray_c(c->ints[0], c->ints[1], dims, c->counts, d,
			d + dims, d + 2 * dims, d[3 * dims], c->types[0], t);
	}
	return MPI_ERR_INTERN;
}

static int type_make(const struct call *c, MPI_Datatype *t)
{
	return c->large ? make_large(c, t) : make_small(c, t);
}

/* Equations 5.2 and following: one dimension after the other. */
static void subarray_map(struct cursor *k, const struct map *old, struct map *m)
{
	int n = next_int(k), order;
	long long sizes[8], subs[8], starts[8];
	struct map from = {0}, to;

	for (int i = 0; i < n; i++)
		sizes[i] = next_count(k);
	for (int i = 0; i < n; i++)
		subs[i] = next_count(k);
	for (int i = 0; i < n; i++)
		starts[i] = next_count(k);
	order = next_int(k);
	map_put(&from, old, 0);
	for (int i = 0; i < n; i++) {
		int d = order == MPI_ORDER_C ? n - 1 - i : i;
		long long ex = map_extent(&from);

		to = (struct map){0};
		from.marked = from.marked && i == 0; /* its markers give way to new ones */
		for (long long j = 0; j < subs[d]; j++)
			map_put(&to, &from, (starts[d] + j) * ex);
		to.marked = false;
		map_mark(&to, 0, sizes[d] * ex);
		map_free(&from);
		from = to;
	}
	*m = from;
}

/* The standard's cyclic(). */
static void cyclic_map(long long darg, long long gsize, long long r, long long psize,
	const struct map *old, struct map *m)
{
	long long ex = map_extent(old);

	for (long long i = 0; i < gsize; i++)
		if (i / darg % psize == r)
			map_put(m, old, i * ex);
	m->marked = false;
	map_mark(m, 0, gsize * ex);
}

static void darray_map(struct cursor *k, const struct map *old, struct map *m)
{
	int size = next_int(k), rank = next_int(k), n = next_int(k), order;
	long long gsizes[8];
	const int *dist, *dargs, *psizes;
	struct map from = {0}, to;
	int r[8];

	for (int i = 0; i < n; i++)
		gsizes[i] = next_count(k);
	dist = ints_at(k, 0);
	dargs = dist + n;
	psizes = dargs + n;
	order = psizes[n];
	for (int i = 0; i < n; i++) {
		size /= psizes[i];
		r[i] = rank / size;
		rank %= size;
	}
	map_put(&from, old, 0);
	for (int i = 0; i < n; i++) {
		int d = order == MPI_ORDER_C ? n - 1 - i : i;
		long long darg = dargs[d];

		if (dist[d] == MPI_DISTRIBUTE_NONE)
			darg = gsizes[d];
		else if (dargs[d] == MPI_DISTRIBUTE_DFLT_DARG)
			darg = dist[d] == MPI_DISTRIBUTE_CYCLIC
				       ? 1
				       : (gsizes[d] + psizes[d] - 1) / psizes[d];
		to = (struct map){0};
		cyclic_map(darg, gsizes[d], r[d], psizes[d], &from, &to);
		map_free(&from);
		from = to;
	}
	*m = from;
}

/* Lists: blocks of several lengths, or of one. */
static void list_map(struct cursor *k, struct map *m)
{
	const struct call *c = k->c;
	int combiner = c->combiner, n = (int)next_count(k);
	long long lens[ARGS];
	bool one =
		combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
	bool elements = combiner == MPI_COMBINER_INDEXED || combiner == MPI_COMBINER_INDEXED_BLOCK;

	for (int i = 0; i < n; i++)
		lens[i] = one && i > 0 ? lens[0] : next_count(k);
	if (one && n == 0)
		next_count(k);
	for (int i = 0; i < n; i++) {
		const struct map *from = &c->map[combiner == MPI_COMBINER_STRUCT ? i : 0];
		long long at = elements ? next_count(k) * map_extent(from) : next_addr(k);

		map_block(m, from, at, lens[i]);
	}
}

static void map_of(const struct call *c, struct map *m)
{
	struct cursor k = {.c = c};
	const struct map *old = &c->map[0];
	long long n, len, stride, lb;

	*m = (struct map){0};
	switch (c->combiner) {
	case MPI_COMBINER_DUP: map_put(m, old, 0); break;
	case MPI_COMBINER_CONTIGUOUS: map_block(m, old, 0, next_count(&k)); break;
	case MPI_COMBINER_VECTOR:
	case MPI_COMBINER_HVECTOR:
		n = next_count(&k);
		len = next_count(&k);
		stride = c->combiner == MPI_COMBINER_HVECTOR ? next_addr(&k)
							     : next_count(&k) * map_extent(old);
		for (long long i = 0; i < n; i++)
			map_block(m, old, i * stride, len);
		break;
	case MPI_COMBINER_RESIZED:
		map_put(m, old, 0);
		m->marked = false;
		lb = next_addr(&k);
		m->lb = lb;
		m->ub = lb + next_addr(&k);
		m->marked = true;
		break;
	case MPI_COMBINER_SUBARRAY: subarray_map(&k, old, m); break;
	case MPI_COMBINER_DARRAY: darray_map(&k, old, m); break;
	case MPI_COMBINER_VALUE_INDEX: pair_map(c->types[0], c->types[1], m); break;
	default: list_map(&k, m); break;
	}
}

/* --- drawing a call ------------------------------------------------------------------------- */

static void put_int(struct call *c, int v)
{
	c->ints[c->ni++] = v;
}

static void put_count(struct call *c, int v)
{
	if (c->large)
		c->counts[c->nc++] = v;
	else
		put_int(c, v);
}

static void put_addr(struct call *c, int v)
{
	if (c->large)
		c->counts[c->nc++] = v;
	else
		c->addrs[c->na++] = v;
}

static void put_type(struct call *c)
{
	struct map *m = &c->map[c->nd];
	MPI_Datatype t;

	if (lives > 0 && type_draw(4) != 0) {
		struct live *l = &live[type_draw((unsigned)lives)];

		t = l->type;
		*m = (struct map){0};
		map_put(m, &l->map, 0);
	} else {
		t = type_draw(4) == 0 ? pairs[type_draw(PAIRS)].pair
				      : basics[type_draw(BASICS)].type;
		named_map(t, m);
	}
	c->types[c->nd++] = t;
}

static void draw_list(struct call *c)
{
	int n = type_between(0, 5);
	bool one = c->combiner == MPI_COMBINER_INDEXED_BLOCK ||
		   c->combiner == MPI_COMBINER_HINDEXED_BLOCK;
	bool regular = type_draw(3) == 0;
	int step_bytes = type_between(-40, 40);

	put_count(c, n);
	for (int i = 0; i < (one ? 1 : n); i++)
		put_count(c, type_between(0, 3));
	for (int i = 0; i < n; i++) {
		if (c->combiner == MPI_COMBINER_INDEXED ||
			c->combiner == MPI_COMBINER_INDEXED_BLOCK)
			put_count(c, regular ? i * step_bytes / 8 : type_between(-4, 12));
		else
			put_addr(c, regular ? i * step_bytes : type_between(-64, 200));
	}
	if (c->combiner != MPI_COMBINER_STRUCT)
		put_type(c);
	else
		for (int i = 0; i < n; i++)
			put_type(c);
}

static void draw_subarray(struct call *c)
{
	int n = type_between(1, 4), sizes[4], subs[4];

	put_int(c, n);
	for (int i = 0; i < n; i++)
		put_count(c, sizes[i] = type_between(1, 5));
	for (int i = 0; i < n; i++)
		put_count(c, subs[i] = type_draw(3) == 0 ? sizes[i] : type_between(1, sizes[i]));
	for (int i = 0; i < n; i++)
		put_count(c, type_between(0, sizes[i] - subs[i]));
	put_int(c, type_draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN);
	put_type(c);
}

static void draw_darray(struct call *c)
{
	int n = type_between(1, 3), psizes[3], gsizes[3], dist[3], all = 1;

	for (int i = 0; i < n; i++) {
		dist[i] = type_between(0, 2);
		dist[i] = dist[i] == 0   ? MPI_DISTRIBUTE_NONE
			  : dist[i] == 1 ? MPI_DISTRIBUTE_BLOCK
					 : MPI_DISTRIBUTE_CYCLIC;
		psizes[i] = dist[i] == MPI_DISTRIBUTE_NONE ? 1 : type_between(1, 3);
		gsizes[i] = type_between(1, 9);
		all *= psizes[i];
	}
	put_int(c, all);
	put_int(c, type_between(0, all - 1));
	put_int(c, n);
	for (int i = 0; i < n; i++)
		put_count(c, gsizes[i]);
	for (int i = 0; i < n; i++)
		put_int(c, dist[i]);
	for (int i = 0; i < n; i++) {
		int least = dist[i] == MPI_DISTRIBUTE_BLOCK
				    ? (gsizes[i] + psizes[i] - 1) / psizes[i]
				    : 1;

		put_int(c, type_draw(3) == 0 ? MPI_DISTRIBUTE_DFLT_DARG
					     : type_between(least, least + 2));
	}
	for (int i = 0; i < n; i++)
		put_int(c, psizes[i]);
	put_int(c, type_draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN);
	put_type(c);
}

static void draw_call(struct call *c)
{
	static const int combiners[] = {MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS,
		MPI_COMBINER_VECTOR, MPI_COMBINER_HVECTOR, MPI_COMBINER_INDEXED,
		MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
		MPI_COMBINER_STRUCT, MPI_COMBINER_STRUCT, MPI_COMBINER_RESIZED,
		MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY, MPI_COMBINER_VALUE_INDEX};

	*c = (struct call){
		.combiner = combiners[type_draw(sizeof(combiners) / sizeof(combiners[0]))]};
	c->large = c->combiner != MPI_COMBINER_DUP && c->combiner != MPI_COMBINER_VALUE_INDEX &&
		   type_draw(2);
	switch (c->combiner) {
	case MPI_COMBINER_DUP: put_type(c); break;
	case MPI_COMBINER_CONTIGUOUS:
		put_count(c, type_between(0, 4));
		put_type(c);
		break;
	case MPI_COMBINER_VECTOR:
	case MPI_COMBINER_HVECTOR:
		put_count(c, type_between(0, 4));
		put_count(c, type_between(0, 3));
		if (c->combiner == MPI_COMBINER_VECTOR)
			put_count(c, type_between(-3, 6));
		else
			put_addr(c, type_between(-50, 100));
		put_type(c);
		break;
	case MPI_COMBINER_RESIZED:
		put_addr(c, type_between(-16, 16));
		put_addr(c, type_between(-8, 64));
		put_type(c);
		break;
	case MPI_COMBINER_SUBARRAY: draw_subarray(c); break;
	case MPI_COMBINER_DARRAY: draw_darray(c); break;
	case MPI_COMBINER_VALUE_INDEX: /* no named pair has an index of 2 or 8 bytes */
		c->nd = 2;
		c->types[0] = type_draw(2) ? MPI_DOUBLE : MPI_SHORT;
		c->types[1] = type_draw(2) ? MPI_LONG : MPI_SHORT;
		break;
	default: draw_list(c); break;
	}
}

static void call_end(struct call *c)
{
	for (int i = 0; i < 8; i++)
		map_free(&c->map[i]);
}

/* --- decoding ------------------------------------------------------------------------------- */

static bool is_predefined(MPI_Datatype t)
{
	MPI_Count ni, na, nc, nd;
	int combiner;

	same(MPI_Type_get_envelope_c(t, &ni, &na, &nc, &nd, &combiner), 0);
	return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_VALUE_INDEX;
}

/* Derived types among c->types are ours to free. */
static void decode(MPI_Datatype t, struct call *c)
{
	MPI_Count ni, na, nc, nd;

	*c = (struct call){0};
	same(MPI_Type_get_envelope_c(t, &ni, &na, &nc, &nd, &c->combiner), 0);
	if (ni > ARGS || na > ARGS || nc > ARGS || nd > ARGS)
		type_fail("arguments", ni, ARGS);
	c->ni = (int)ni;
	c->na = (int)na;
	c->nc = (int)nc;
	c->nd = (int)nd;
	c->large = nc > 0;
	if (nc > 0 || type_draw(2))
		same(MPI_Type_get_contents_c(
			     t, ni, na, nc, nd, c->ints, c->addrs, c->counts, c->types),
			0);
	else
		same(MPI_Type_get_contents(t, c->ni, c->na, c->nd, c->ints, c->addrs, c->types), 0);
}

static void check_decoded(MPI_Datatype t, const struct call *want)
{
	struct call c;

	decode(t, &c);
	same(c.combiner, want->combiner);
	same(c.ni, want->ni);
	same(c.na, want->na);
	same(c.nc, want->nc);
	same(c.nd, want->nd);
	same(memcmp(c.ints, want->ints, sizeof(c.ints)), 0);
	same(memcmp(c.addrs, want->addrs, sizeof(c.addrs)), 0);
	same(memcmp(c.counts, want->counts, sizeof(c.counts)), 0);
	for (int i = 0; i < c.nd; i++) {
		if (is_predefined(c.types[i]))
			same(c.types[i] == want->types[i], 1);
		else
			same(MPI_Type_free(&c.types[i]), 0);
	}
}

/* Another type made by the calls that made this one, and its map by way of theirs. */
static MPI_Datatype rebuild(MPI_Datatype t, struct map *m)
{
	struct call c;
	MPI_Datatype n;

	decode(t, &c);
	for (int i = 0; i < c.nd; i++) {
		MPI_Datatype old = c.types[i];

		if (named_map(old, &c.map[i]))
			continue;
		if (is_predefined(old)) {
			struct call pair;

			decode(old, &pair);
			pair_map(pair.types[0], pair.types[1], &c.map[i]);
			continue;
		}
		c.types[i] = rebuild(old, &c.map[i]);
		same(MPI_Type_free(&old), 0);
	}
	same(type_make(&c, &n), 0);
	map_of(&c, m);
	for (int i = 0; i < c.nd; i++)
		if (!is_predefined(c.types[i]))
			same(MPI_Type_free(&c.types[i]), 0);
	call_end(&c);
	return n;
}

static void check_rebuilt(MPI_Datatype t, const struct map *want)
{
	struct map m;
	MPI_Datatype n;

	if (is_predefined(t))
		return;
	n = rebuild(t, &m);
	same(m.n, want->n);
	for (int i = 0; i < m.n; i++) {
		same(m.e[i].at, want->e[i].at);
		same(m.e[i].type == want->e[i].type, 1);
	}
	same(map_lb(&m), map_lb(want));
	same(map_ub(&m), map_ub(want));
	map_free(&m);
	same(MPI_Type_free(&n), 0);
}

/* --- questions ------------------------------------------------------------------------------ */

static void check_bounds(MPI_Datatype t, const struct map *m)
{
	MPI_Count size, lb, extent, true_lb, true_extent;

	same(MPI_Type_size_c(t, &size), 0);
	same(MPI_Type_get_extent_c(t, &lb, &extent), 0);
	same(MPI_Type_get_true_extent_c(t, &true_lb, &true_extent), 0);
	same(size, map_size(m));
	same(lb, map_lb(m));
	same(extent, map_extent(m));
	same(true_lb, map_true_lb(m));
	same(true_extent, map_true_ub(m) - map_true_lb(m));
}

/* Elements in `bytes' bytes of data: MPI_UNDEFINED if one is cut. */
static long long type_elements(const struct map *m, long long bytes)
{
	long long n = 0, size = map_size(m);

	if (size == 0)
		return bytes == 0 ? 0 : MPI_UNDEFINED;
	n = bytes / size * m->n;
	bytes %= size;
	for (int i = 0; bytes > 0; i++, n++) {
		if (bytes < m->e[i].size)
			return MPI_UNDEFINED;
		bytes -= m->e[i].size;
	}
	return n;
}

static void check_elements(MPI_Datatype t, const struct map *m)
{
	int bytes = (int)type_draw((unsigned)(2 * map_size(m) + 1)), n;
	int some = m->n > 0 ? (int)type_draw((unsigned)(3 * m->n)) : 0;
	MPI_Status s;
	MPI_Count c;

	same(MPI_Status_set_elements(&s, MPI_BYTE, bytes), 0);
	same(MPI_Get_elements(&s, t, &n), 0);
	same(n, type_elements(m, bytes));
	same(MPI_Get_count_c(&s, t, &c), 0);
	if (map_size(m) > 0)
		same(c, bytes % map_size(m) == 0 ? bytes / map_size(m) : MPI_UNDEFINED);
	same(MPI_Status_set_elements_c(&s, t, some), 0);
	same(MPI_Get_elements_c(&s, t, &c), 0);
	same(c, some);
	same(MPI_Get_count(&s, t, &n), 0);
	if (m->n > 0)
		same(n, some % m->n == 0 ? some / m->n : MPI_UNDEFINED);
}

/* --- packing -------------------------------------------------------------------------------- */

/* Memory of count elements: the model's, and that of the library. */
struct field {
	long long low, span;
	char *model, *lib;
};

static void field_new(struct field *f, const struct map *m, int count)
{
	long long visit = (count - 1) * map_extent(m);

	f->low = map_true_lb(m) + (visit < 0 ? visit : 0);
	f->span = map_true_ub(m) - map_true_lb(m) + (visit < 0 ? -visit : visit);
	f->model = malloc((size_t)f->span + 1);
	f->lib = malloc((size_t)f->span + 1);
	if (f->model == NULL || f->lib == NULL)
		abort();
	for (long long i = 0; i < f->span; i++)
		f->model[i] = f->lib[i] = (char)type_draw(256);
}

static void field_free(struct field *f)
{
	free(f->model);
	free(f->lib);
}

/* Does any byte stand twice in the map of count elements?  Then it is undefined which one stays. */
static bool overlaps(const struct map *m, int count, const struct field *f)
{
	char *seen = calloc(1, (size_t)f->span + 1);
	bool twice = false;

	for (int c = 0; c < count; c++)
		for (int i = 0; i < m->n; i++)
			for (int b = 0; b < m->e[i].size; b++)
				twice |= seen[c * map_extent(m) + m->e[i].at + b - f->low]++ != 0;
	free(seen);
	return twice;
}

/* Bytes of [0, n) in pieces, in random order: at[0..pieces], pieces at[i]..at[i + 1]. */
static int type_cut(long long n, long long *at)
{
	int parts = type_between(1, PARTS);

	at[0] = 0;
	at[parts] = n;
	for (int i = 1; i < parts; i++)
		at[i] = n > 0 ? (long long)type_draw((unsigned)n + 1) : 0;
	for (int i = 1; i < parts; i++)
		for (int j = i; j > 1 && at[j] < at[j - 1]; j--) {
			long long x = at[j];

			at[j] = at[j - 1];
			at[j - 1] = x;
		}
	return parts;
}

static void check_parts(
	struct type *t, const struct map *m, int count, struct field *f, const char *packed)
{
	long long n = count * map_size(m), at[PARTS + 1];
	int parts = type_cut(n, at), first = (int)type_draw((unsigned)parts);
	char *mine = malloc((size_t)n + 1);

	for (int i = 0; i < parts; i++) {
		int k = (i + first) % parts;

		type_pack(t, f->lib - f->low, count, at[k], mine + at[k], at[k + 1] - at[k]);
	}
	same(memcmp(mine, packed, (size_t)n), 0);
	free(mine);
	if (overlaps(m, count, f))
		return;
	for (long long i = 0; i < f->span; i++)
		f->model[i] = f->lib[i] = (char)type_draw(256);
	map_move(m, f->model - f->low, count, (char *)(uintptr_t)packed, false);
	for (int i = 0; i < parts; i++) {
		int k = (i + first) % parts;

		type_unpack(t, f->lib - f->low, count, at[k], packed + at[k], at[k + 1] - at[k]);
	}
	same(memcmp(f->lib, f->model, (size_t)f->span), 0);
}

static void check_packing(MPI_Datatype t, const struct map *m)
{
	int count = type_between(1, COUNT), at = 0, size = (int)(count * map_size(m));
	char *model = malloc((size_t)size + 1), *lib = malloc((size_t)size + 1);
	struct field f;

	field_new(&f, m, count);
	map_move(m, f.model - f.low, count, model, true);
	same(MPI_Type_commit(&t), 0);
	same(type_valid(obj_get(&haft_type_class, t)), true);
	if (size > 0) {
		same(MPI_Pack(f.lib - f.low, count, t, lib, size, &at, MPI_COMM_SELF), 0);
		same(at, size);
		same(memcmp(lib, model, (size_t)size), 0);
		check_parts(obj_get(&haft_type_class, t), m, count, &f, model);
	}
	field_free(&f);
	free(model);
	free(lib);
}

/* --- steps ---------------------------------------------------------------------------------- */

static void let_go(int i)
{
	if (!is_predefined(live[i].type))
		same(MPI_Type_free(&live[i].type), 0);
	map_free(&live[i].map);
	live[i] = live[--lives];
}

static bool too_large(const struct map *m)
{
	long long visit = COUNT * map_extent(m);

	return m->n > ENTRIES || map_true_ub(m) - map_true_lb(m) > SPAN_MAX || visit > SPAN_MAX ||
	       visit < -SPAN_MAX;
}

/* An upper bound of the map's entries, before they are made. */
static long long entries(const struct call *c)
{
	long long most = 1, all = 1;

	for (int i = 0; i < c->nd; i++)
		most = c->map[i].n > most ? c->map[i].n : most;
	if (c->combiner == MPI_COMBINER_SUBARRAY || c->combiner == MPI_COMBINER_DARRAY)
		all = 9 * 9 * 9;
	else
		all = 5 * 3;
	return most * all;
}

static void type_operation(void)
{
	struct call c;
	struct map m;
	MPI_Datatype t;

	if (lives == LIVE || (lives > 0 && type_draw(10) == 0)) {
		let_go((int)type_draw((unsigned)lives));
		return;
	}
	draw_call(&c);
	if (entries(&c) > 50 * ENTRIES) {
		call_end(&c);
		return;
	}
	map_of(&c, &m);
	same(type_make(&c, &t), 0);
	check_bounds(t, &m);
	if (too_large(&m)) {
		if (!is_predefined(t))
			same(MPI_Type_free(&t), 0);
		map_free(&m);
		call_end(&c);
		return;
	}
	check_decoded(t, &c);
	check_rebuilt(t, &m);
	check_elements(t, &m);
	check_packing(t, &m);
	call_end(&c);
	live[lives++] = (struct live){t, m};
}

int main(int argc, char **argv)
{
	long steps = STEPS;
	int c;

	seed = 1;
	while ((c = getopt(argc, argv, "n:s:")) != -1) {
		if (c == 'n')
			steps = atol(optarg);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	state = seed * 2654435761u + 1;
	printf("fuzz type: -s %llu -n %ld\n", seed, steps);
	fflush(stdout);
	MPI_Init(NULL, NULL);
	if (seed % 2 == 0) /* every other seed as on a processor without wide registers */
		type_kernel_table = type_kernel_any;
	for (step = 0; steps == 0 || step < steps; step++)
		type_operation();
	while (lives > 0)
		let_go(lives - 1);
	MPI_Finalize();
	return 0;
}
