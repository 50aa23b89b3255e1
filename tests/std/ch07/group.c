// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,4,7 */
/* MPI-5.0 7.3: constructors, set operations, translation and comparison of groups, held against
 * plain lists. */
#include "tests/check.h"

#define MAX 64

/* A group as a plain list of ranks of MPI_COMM_WORLD. */
struct list {
	int n, rank[MAX];
};

static MPI_Group world;

/* The group says what the list says. */
static void same(MPI_Group g, const struct list *l)
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

static int has(const struct list *l, int r)
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

static void sets(struct list *a, struct list *b)
{
	struct list u = *a, i = {0}, d = {0};
	MPI_Group ga, gb, g;
	int cmp, want;

	OK(MPI_Group_incl(world, a->n, a->rank, &ga));
	OK(MPI_Group_incl(world, b->n, b->rank, &gb));
	same(ga, a);
	for (int k = 0; k < b->n; k++) {
		if (!has(a, b->rank[k]))
			u.rank[u.n++] = b->rank[k];
	}
	for (int k = 0; k < a->n; k++) {
		struct list *to = has(b, a->rank[k]) ? &i : &d;

		to->rank[to->n++] = a->rank[k];
	}
	OK(MPI_Group_union(ga, gb, &g));
	same(g, &u);
	OK(MPI_Group_free(&g));
	OK(MPI_Group_intersection(ga, gb, &g));
	same(g, &i);
	OK(MPI_Group_free(&g));
	OK(MPI_Group_difference(ga, gb, &g));
	same(g, &d);
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

static void ranges(void)
{
	int up[2][3] = {{0, check_size - 1, 2}, {check_size - 1 - (check_size - 1) % 2 - 1, 1, -2}};
	int n = check_size > 2 ? 2 : 1, bad[1][3] = {{0, 0, 0}};
	struct list l = {0}, rest = {0};
	MPI_Group g;

	for (int r = 0; r < check_size; r += 2)
		l.rank[l.n++] = r;
	for (int r = up[1][0]; n == 2 && r >= 1; r -= 2)
		l.rank[l.n++] = r;
	OK(MPI_Group_range_incl(world, n, up, &g));
	same(g, &l);
	OK(MPI_Group_free(&g));
	for (int r = 1; r < check_size; r += 2)
		rest.rank[rest.n++] = r;
	OK(MPI_Group_range_excl(world, 1, up, &g));
	same(g, &rest);
	CHECK(rest.n > 0 || g == MPI_GROUP_EMPTY);
	OK(MPI_Group_free(&g));
	FAILS(MPI_ERR_ARG, "stride 0", MPI_Group_range_incl(world, 1, bad, &g));
	bad[0][1] = check_size + 5;
	bad[0][2] = 1;
	FAILS(MPI_ERR_RANK, "", MPI_Group_range_incl(world, 1, bad, &g));
	bad[0][1] = -3;
	FAILS(MPI_ERR_ARG, "", MPI_Group_range_excl(world, 1, bad, &g));
}

int main(int argc, char **argv)
{
	unsigned seed = 4711;
	int twice[2] = {0, 0}, r, out;
	MPI_Group g;

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
	for (int i = 0; i < 200; i++) {
		struct list a = random_list(&seed), b = random_list(&seed);

		sets(&a, &b);
	}
	ranges();
	OK(MPI_Group_incl(world, 0, NULL, &g));
	CHECK(g == MPI_GROUP_EMPTY);
	OK(MPI_Group_rank(MPI_GROUP_EMPTY, &r));
	CHECK(r == MPI_UNDEFINED);
	r = MPI_PROC_NULL;
	OK(MPI_Group_translate_ranks(world, 1, &r, MPI_GROUP_EMPTY, &out));
	CHECK(out == MPI_PROC_NULL);
	FAILS(MPI_ERR_RANK, "twice", MPI_Group_incl(world, 2, twice, &g));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Group_translate_ranks(world, 1, &r, world, NULL));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Group_incl(world, 1, NULL, &g));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Group_range_excl(world, 1, NULL, &g));
	FAILS(MPI_ERR_GROUP, "", MPI_Group_size(MPI_GROUP_NULL, &r));
	OK(MPI_Group_free(&world));
	MPI_Finalize();
	return 0;
}
