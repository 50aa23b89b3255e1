// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,4,7 */
/* MPI-5.0 7.3: constructors, set operations, translation and comparison of groups, held against
 * plain lists. */
#include "tests/check.h"

#include <limits.h>

#define MAX 64

/* A group as a plain list of ranks of MPI_COMM_WORLD. */
struct list {
	int n, rank[MAX];
};

static MPI_Group world;

/* The group agrees with the list. */
static void group_same(MPI_Group g, const struct list *l)
{
	int n, me, in[MAX], out[MAX], want = MPI_UNDEFINED;

	OK(MPI_Group_size(g, &n));
	CHECK(n == l->n);
	OK(MPI_Group_rank(g, &me));
	for (int i = 0; i < n; i++) {
		in[i] = i;
		if (l->rank[i] == check_rank)
			want = i;
	}
	CHECK(me == want);
	OK(MPI_Group_translate_ranks(g, n, in, world, out));
	for (int i = 0; i < n; i++)
		CHECK(out[i] == l->rank[i]);
}

static int group_has(const struct list *l, int r)
{
	for (int i = 0; i < l->n; i++) {
		if (l->rank[i] == r)
			return 1;
	}
	return 0;
}

/* A random sublist of MPI_COMM_WORLD in random order. */
static struct list random_list(unsigned *seed)
{
	struct list l = {0};

	for (int r = 0; r < check_size; r++) {
		int at;

		if (check_random(seed) % 3 == 0)
			continue;
		at = (int)(check_random(seed) % (unsigned)(l.n + 1));
		memmove(&l.rank[at + 1], &l.rank[at], (size_t)(l.n - at) * sizeof(int));
		l.rank[at] = r;
		l.n++;
	}
	return l;
}

static void group_sets(struct list *a, struct list *b)
{
	struct list u = *a, i = {0}, d = {0};
	MPI_Group ga, gb, g;
	int cmp, want;

	OK(MPI_Group_incl(world, a->n, a->rank, &ga));
	OK(MPI_Group_incl(world, b->n, b->rank, &gb));
	group_same(ga, a);
	for (int k = 0; k < b->n; k++) {
		if (!group_has(a, b->rank[k]))
			u.rank[u.n++] = b->rank[k];
	}
	for (int k = 0; k < a->n; k++) {
		struct list *to = group_has(b, a->rank[k]) ? &i : &d;

		to->rank[to->n++] = a->rank[k];
	}
	OK(MPI_Group_union(ga, gb, &g));
	group_same(g, &u);
	OK(MPI_Group_free(&g));
	OK(MPI_Group_intersection(ga, gb, &g));
	group_same(g, &i);
	OK(MPI_Group_free(&g));
	OK(MPI_Group_difference(ga, gb, &g));
	group_same(g, &d);
	OK(MPI_Group_free(&g));
	CHECK(g == MPI_GROUP_NULL);
	OK(MPI_Group_compare(ga, gb, &cmp));
	want = a->n == b->n && memcmp(a->rank, b->rank, (size_t)a->n * sizeof(int)) == 0 ? MPI_IDENT
	       : a->n == b->n && d.n == 0 ? MPI_SIMILAR
					  : MPI_UNEQUAL;
	CHECK(cmp == want);
	OK(MPI_Group_free(&ga));
	OK(MPI_Group_free(&gb));
}

/* MPI-5.0 7.3.2: union, intersection and difference, in the order of the first group, then the
 * second; 7.3.1: comparison.  Against lists, for random groups. */
static void set_operations(void)
{
	unsigned seed = 4711;

	for (int i = 0; i < 200; i++) {
		struct list a = random_list(&seed), b = random_list(&seed);

		group_sets(&a, &b);
	}
}

static MPI_Group group_made(const struct list *l)
{
	MPI_Group g;

	OK(MPI_Group_incl(world, l->n, l->rank, &g));
	return g;
}

static int group_compared(MPI_Group a, MPI_Group b)
{
	int result = 12345;

	OK(MPI_Group_compare(a, b, &result));
	return result;
}

typedef int set_operation(MPI_Group, MPI_Group, MPI_Group *);

/* (a op b) op c and a op (b op c) are the same. */
static void associates(set_operation *op, MPI_Group a, MPI_Group b, MPI_Group c)
{
	MPI_Group ab, bc, left, right;

	OK(op(a, b, &ab));
	OK(op(b, c, &bc));
	OK(op(ab, c, &left));
	OK(op(a, bc, &right));
	CHECK(group_compared(left, right) == MPI_IDENT);
	OK(MPI_Group_free(&ab));
	OK(MPI_Group_free(&bc));
	OK(MPI_Group_free(&left));
	OK(MPI_Group_free(&right));
}

/* MPI-5.0 7.3.2: union and intersection are associative */
static void associative(void)
{
	unsigned seed = 99;

	for (int i = 0; i < 50; i++) {
		struct list l[3];
		MPI_Group g[3];

		for (int k = 0; k < 3; k++) {
			l[k] = random_list(&seed);
			g[k] = group_made(&l[k]);
		}
		associates(MPI_Group_union, g[0], g[1], g[2]);
		associates(MPI_Group_intersection, g[0], g[1], g[2]);
		for (int k = 0; k < 3; k++)
			OK(MPI_Group_free(&g[k]));
	}
}

/* MPI-5.0 7.3.2: a result without members is MPI_GROUP_EMPTY */
static void empty_results(void)
{
	int first[1][3] = {{0, check_size - 1, 1}}, all[MAX];
	MPI_Group g;

	for (int i = 0; i < check_size; i++)
		all[i] = i;
	OK(MPI_Group_difference(world, world, &g));
	CHECK(g == MPI_GROUP_EMPTY);
	OK(MPI_Group_intersection(world, MPI_GROUP_EMPTY, &g));
	CHECK(g == MPI_GROUP_EMPTY);
	OK(MPI_Group_union(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &g));
	CHECK(g == MPI_GROUP_EMPTY);
	OK(MPI_Group_incl(world, 0, NULL, &g));
	CHECK(g == MPI_GROUP_EMPTY);
	OK(MPI_Group_range_incl(world, 0, NULL, &g));
	CHECK(g == MPI_GROUP_EMPTY);
	OK(MPI_Group_excl(world, check_size, all, &g));
	CHECK(g == MPI_GROUP_EMPTY);
	OK(MPI_Group_range_excl(world, 1, first, &g));
	CHECK(g == MPI_GROUP_EMPTY);
}

/* MPI-5.0 7.3.1: size and rank; a process that is no member has rank MPI_UNDEFINED */
static void size_and_rank(void)
{
	int n = -1, r = -1, last = check_size - 1;
	MPI_Group g;

	OK(MPI_Group_size(world, &n));
	OK(MPI_Group_rank(world, &r));
	CHECK(n == check_size && r == check_rank);
	OK(MPI_Group_size(MPI_GROUP_EMPTY, &n));
	OK(MPI_Group_rank(MPI_GROUP_EMPTY, &r));
	CHECK(n == 0 && r == MPI_UNDEFINED);
	OK(MPI_Group_incl(world, 1, &last, &g));
	OK(MPI_Group_rank(g, &r));
	CHECK(r == (check_rank == last ? 0 : MPI_UNDEFINED));
	OK(MPI_Group_free(&g));
}

/* MPI-5.0 7.3.1: ranks of one group in another: MPI_UNDEFINED where it has no such member,
 * MPI_PROC_NULL stays as it is */
static void translation(void)
{
	int in[MAX + 1], out[MAX + 1], last = check_size - 1;
	MPI_Group g;

	for (int i = 0; i < check_size; i++)
		in[i] = i;
	in[check_size] = MPI_PROC_NULL;
	OK(MPI_Group_incl(world, 1, &last, &g));
	OK(MPI_Group_translate_ranks(world, check_size + 1, in, g, out));
	for (int i = 0; i < check_size; i++)
		CHECK(out[i] == (i == last ? 0 : MPI_UNDEFINED));
	CHECK(out[check_size] == MPI_PROC_NULL);
	OK(MPI_Group_translate_ranks(world, check_size + 1, in, MPI_GROUP_EMPTY, out));
	CHECK(out[0] == MPI_UNDEFINED && out[check_size] == MPI_PROC_NULL);
	OK(MPI_Group_translate_ranks(MPI_GROUP_EMPTY, 1, &in[check_size], world, out));
	CHECK(out[0] == MPI_PROC_NULL);
	OK(MPI_Group_translate_ranks(g, 0, NULL, world, NULL));
	out[0] = -7;
	FAILS(MPI_ERR_RANK, "ranks 0 to 0",
		MPI_Group_translate_ranks(g, 1, (int[]){1}, world, out));
	FAILS(MPI_ERR_RANK, "rank -9",
		MPI_Group_translate_ranks(world, 2, (int[]){0, -9}, world, out));
	CHECK(out[0] == -7);
	FAILS(MPI_ERR_ARG, "NULL", MPI_Group_translate_ranks(world, 1, in, world, NULL));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Group_translate_ranks(world, 1, NULL, world, out));
	FAILS(MPI_ERR_ARG, "n is -1", MPI_Group_translate_ranks(world, -1, in, world, out));
	OK(MPI_Group_free(&g));
}

/* MPI-5.0 7.3.1: the same handle, the same list, another order, other members */
static void comparison(void)
{
	struct list up = {0}, down = {0};
	MPI_Group a, b, c;

	for (int i = 0; i < check_size; i++) {
		up.rank[up.n++] = i;
		down.rank[down.n++] = check_size - 1 - i;
	}
	a = group_made(&up);
	b = group_made(&down);
	down.n--;
	c = group_made(&down);
	CHECK(group_compared(world, world) == MPI_IDENT && group_compared(a, world) == MPI_IDENT);
	CHECK(group_compared(a, b) == (check_size > 1 ? MPI_SIMILAR : MPI_IDENT));
	CHECK(group_compared(a, c) == MPI_UNEQUAL && group_compared(c, a) == MPI_UNEQUAL);
	CHECK(group_compared(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY) == MPI_IDENT);
	CHECK(group_compared(MPI_GROUP_EMPTY, a) == MPI_UNEQUAL);
	OK(MPI_Group_free(&a));
	OK(MPI_Group_free(&b));
	if (c != MPI_GROUP_EMPTY)
		OK(MPI_Group_free(&c));
}

/* MPI-5.0 7.3.2: the group of a communicator, which lives on without it */
static void of_communicator(void)
{
	struct list l = {0};
	MPI_Group g, h;
	MPI_Comm c;

	OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, -check_rank, &c));
	OK(MPI_Comm_group(c, &g));
	OK(MPI_Comm_group(c, &h));
	CHECK(group_compared(g, h) == MPI_IDENT);
	OK(MPI_Group_free(&h));
	OK(MPI_Comm_free(&c));
	for (int r = check_size - 1; r >= 0; r--) {
		if (r % 2 == check_rank % 2)
			l.rank[l.n++] = r;
	}
	group_same(g, &l);
	OK(MPI_Group_free(&g));
	OK(MPI_Comm_group(MPI_COMM_SELF, &g));
	l.n = 1;
	l.rank[0] = check_rank;
	group_same(g, &l);
	OK(MPI_Group_free(&g));
	FAILS(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Comm_group(MPI_COMM_NULL, &g));
}

/* MPI-5.0 7.3.2: incl: rank i of the new group is ranks[i] of the old, also of a group that is not
 * in the order of MPI_COMM_WORLD; excl: the rest, in the old order */
static void group_lists(void)
{
	unsigned seed = 17;

	for (int round = 0; round < 100; round++) {
		struct list a = random_list(&seed), in = {0}, out = {0};
		int ranks[MAX], n = 0;
		MPI_Group g = group_made(&a), h;

		for (int i = a.n - 1; i >= 0; i--) {
			if (check_random(&seed) % 2) {
				in.rank[in.n++] = a.rank[i];
				ranks[n++] = i;
			}
		}
		for (int i = 0; i < a.n; i++) {
			if (!group_has(&in, a.rank[i]))
				out.rank[out.n++] = a.rank[i];
		}
		OK(MPI_Group_incl(g, n, ranks, &h));
		group_same(h, &in);
		OK(MPI_Group_free(&h));
		OK(MPI_Group_excl(g, n, ranks, &h));
		group_same(h, &out);
		OK(MPI_Group_free(&h));
		OK(MPI_Group_excl(g, 0, NULL, &h));
		CHECK(group_compared(g, h) == MPI_IDENT);
		OK(MPI_Group_free(&h));
		OK(MPI_Group_range_excl(g, 0, NULL, &h));
		CHECK(group_compared(g, h) == MPI_IDENT);
		OK(MPI_Group_free(&h));
		OK(MPI_Group_free(&g));
	}
}

/* Random triplets that name no rank of n twice, and the ranks that they name. */
static int triplets(unsigned *seed, int n, int ranges[][3], struct list *named)
{
	int k = 0;

	named->n = 0;
	for (int tries = 0; tries < 6; tries++) {
		int first = (int)(check_random(seed) % (unsigned)n);
		int last = (int)(check_random(seed) % (unsigned)n);
		int by = 1 + (int)(check_random(seed) % 4), before = named->n, r;

		by = last < first ? -by : by;
		for (r = first; (by > 0 ? r <= last : r >= last) && !group_has(named, r); r += by)
			named->rank[named->n++] = r;
		if (by > 0 ? r <= last : r >= last) {
			named->n = before;
			continue;
		}
		ranges[k][0] = first;
		ranges[k][1] = last;
		ranges[k++][2] = by;
	}
	return k;
}

/* MPI-5.0 7.3.2: a triplet stands for the ranks first, first + stride, ... up to last, also
 * downwards and also when last is not reached: the range forms agree with the list forms on
 * these */
static void ranges_are_lists(void)
{
	unsigned seed = 5;

	for (int round = 0; round < 300; round++) {
		struct list a = random_list(&seed), named;
		int r[6][3], n;
		MPI_Group g, x, y;

		if (a.n == 0)
			continue;
		g = group_made(&a);
		n = triplets(&seed, a.n, r, &named);
		OK(MPI_Group_range_incl(g, n, r, &x));
		OK(MPI_Group_incl(g, named.n, named.rank, &y));
		CHECK(group_compared(x, y) == MPI_IDENT);
		OK(MPI_Group_free(&x));
		OK(MPI_Group_free(&y));
		OK(MPI_Group_range_excl(g, n, r, &x));
		OK(MPI_Group_excl(g, named.n, named.rank, &y));
		CHECK(group_compared(x, y) == MPI_IDENT);
		OK(MPI_Group_free(&x));
		OK(MPI_Group_free(&y));
		OK(MPI_Group_free(&g));
	}
}

/* MPI-5.0 7.3.2: groups with a stride, of such groups again, up and down: they agree with
 * a list
 */
static void strides(void)
{
	for (int by = 1; by <= 3; by++) {
		struct list l = {0};
		int up[1][3] = {{0, check_size - 1, by}}, down[1][3] = {{0, 0, -2}}, n;
		MPI_Group g, h, i;

		for (int r = 0; r < check_size; r += by)
			l.rank[l.n++] = r;
		OK(MPI_Group_range_incl(world, 1, up, &g));
		group_same(g, &l);
		down[0][0] = l.n - 1;
		OK(MPI_Group_range_incl(g, 1, down, &h));
		n = 0;
		for (int r = l.n - 1; r >= 0; r -= 2)
			l.rank[MAX / 2 + n++] = l.rank[r];
		memmove(l.rank, &l.rank[MAX / 2], (size_t)n * sizeof(int));
		l.n = n;
		group_same(h, &l);
		OK(MPI_Group_intersection(h, g, &i));
		group_same(i, &l);
		OK(MPI_Group_free(&i));
		OK(MPI_Group_union(h, world, &i));
		OK(MPI_Group_size(i, &n));
		CHECK(n == check_size);
		OK(MPI_Group_free(&i));
		OK(MPI_Group_free(&g)); /* the derived one stays */
		group_same(h, &l);
		OK(MPI_Group_free(&h));
	}
}

/* MPI-5.0 7.3.2: every rank must be one of the group, and be named once; strides are not 0 */
static void wrong_lists(void)
{
	int r[3] = {0, check_size, 0}, range[2][3] = {{0, 0, 0}, {0, 0, 1}};
	MPI_Group g = MPI_GROUP_EMPTY;

	FAILS(MPI_ERR_RANK, "rank", MPI_Group_incl(world, 2, r, &g));
	FAILS(MPI_ERR_RANK, "rank", MPI_Group_excl(world, 2, r, &g));
	r[1] = -1;
	FAILS(MPI_ERR_RANK, "rank -1", MPI_Group_incl(world, 2, r, &g));
	r[1] = MPI_PROC_NULL;
	FAILS(MPI_ERR_RANK, "rank", MPI_Group_incl(world, 2, r, &g));
	r[1] = 0;
	FAILS(MPI_ERR_RANK, "twice", MPI_Group_incl(world, 2, r, &g));
	FAILS(MPI_ERR_RANK, "twice", MPI_Group_excl(world, 2, r, &g));
	FAILS(MPI_ERR_RANK, "rank", MPI_Group_incl(MPI_GROUP_EMPTY, 1, r, &g));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Group_incl(world, 1, NULL, &g));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Group_excl(world, 1, NULL, &g));
	FAILS(MPI_ERR_ARG, "n is -1", MPI_Group_incl(world, -1, r, &g));
	FAILS(MPI_ERR_ARG, "n is -1", MPI_Group_excl(world, -1, r, &g));
	FAILS(MPI_ERR_ARG, "stride 0", MPI_Group_range_incl(world, 1, range, &g));
	FAILS(MPI_ERR_ARG, "stride 0", MPI_Group_range_excl(world, 1, range, &g));
	range[0][1] = check_size + 5;
	range[0][2] = 1;
	FAILS(MPI_ERR_RANK, "rank", MPI_Group_range_incl(world, 1, range, &g));
	range[0][1] = -3;
	FAILS(MPI_ERR_ARG, "the other way", MPI_Group_range_excl(world, 1, range, &g));
	range[0][2] = -1;
	FAILS(MPI_ERR_RANK, "rank -", MPI_Group_range_incl(world, 1, range, &g));
	range[0][1] = 0;
	FAILS(MPI_ERR_RANK, "twice", MPI_Group_range_incl(world, 2, range, &g));
	FAILS(MPI_ERR_RANK, "twice", MPI_Group_range_excl(world, 2, range, &g));
	range[0][0] = INT_MIN, range[0][1] = INT_MAX, range[0][2] = 1;
	FAILS(MPI_ERR_RANK, "rank", MPI_Group_range_incl(world, 1, range, &g));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Group_range_incl(world, 1, NULL, &g));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Group_range_excl(world, 1, NULL, &g));
	CHECK(g == MPI_GROUP_NULL); /* the failed call has made no group */
}

/* MPI-5.0 7.2.1: MPI_GROUP_NULL is no group, MPI_GROUP_EMPTY is one */
static void null_group(void)
{
	int r = 0, n, range[1][3] = {{0, 0, 1}};
	MPI_Group g = MPI_GROUP_NULL, h;

	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_size(g, &n));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_rank(g, &n));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_compare(world, g, &n));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_translate_ranks(world, 1, &r, g, &n));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_union(g, world, &h));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_intersection(world, g, &h));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_difference(world, g, &h));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_incl(g, 1, &r, &h));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_excl(g, 1, &r, &h));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_range_incl(g, 1, range, &h));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_range_excl(g, 1, range, &h));
	FAILS(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_free(&g));
}

/* MPI-5.0 7.3.3: freeing sets the handle to MPI_GROUP_NULL; users of the group go on, and so do
 * groups and communicators made of it */
static void freeing(void)
{
	struct list l = {0};
	MPI_Group g, h, stale;
	MPI_Comm c;
	int n;

	for (int r = check_size - 1; r >= 0; r--)
		l.rank[l.n++] = r;
	g = group_made(&l);
	OK(MPI_Comm_create(MPI_COMM_WORLD, g, &c));
	OK(MPI_Group_excl(g, 0, NULL, &h));
	stale = g;
	OK(MPI_Group_free(&g));
	CHECK(g == MPI_GROUP_NULL);
	FAILS(MPI_ERR_GROUP, "freed", MPI_Group_size(stale, &n));
	FAILS(MPI_ERR_GROUP, "freed", MPI_Group_free(&stale));
	group_same(h, &l);
	OK(MPI_Comm_rank(c, &n));
	CHECK(n == check_size - 1 - check_rank);
	OK(MPI_Barrier(c));
	OK(MPI_Comm_free(&c));
	group_same(h, &l);
	OK(MPI_Group_free(&h));
	h = MPI_GROUP_EMPTY; /* a constructor's copy of it is freed like any group */
	OK(MPI_Group_free(&h));
	CHECK(h == MPI_GROUP_NULL);
	OK(MPI_Group_size(MPI_GROUP_EMPTY, &n));
	CHECK(n == 0);
}

/* MPI-5.0 7.3.2: a group of a process set by name; MPI_GROUP_NULL if there is no such set */
static void process_sets(void)
{
	MPI_Session s;
	MPI_Group g, h, i;
	int n;

	OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	CHECK(group_compared(g, world) == MPI_IDENT);
	OK(MPI_Group_excl(g, 1, (int[]){0}, &h)); /* and a group made from it */
	OK(MPI_Group_size(h, &n));
	CHECK(n == check_size - 1);
	OK(MPI_Group_free(&h));
	OK(MPI_Group_range_incl(g, 1, (int[][3]){{0, check_size - 1, 2}}, &h));
	OK(MPI_Group_size(h, &n));
	CHECK(n == (check_size + 1) / 2);
	OK(MPI_Group_union(h, world, &i));
	OK(MPI_Group_size(i, &n));
	CHECK(n == check_size);
	OK(MPI_Group_free(&i));
	OK(MPI_Group_free(&h));
	OK(MPI_Group_free(&g));
	OK(MPI_Group_from_session_pset(s, "mpi://SELF", &g));
	OK(MPI_Group_size(g, &n));
	CHECK(n == 1);
	OK(MPI_Group_free(&g));
	g = MPI_GROUP_EMPTY;
	MPI_Group_from_session_pset(s, "mpi://no such set", &g); /* an error as well */
	CHECK(g == MPI_GROUP_NULL);
	OK(MPI_Session_finalize(&s));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
	set_operations();
	associative();
	empty_results();
	size_and_rank();
	translation();
	comparison();
	of_communicator();
	group_lists();
	ranges_are_lists();
	strides();
	wrong_lists();
	null_group();
	freeing();
	process_sets();
	OK(MPI_Group_free(&world));
	MPI_Finalize();
	return 0;
}
