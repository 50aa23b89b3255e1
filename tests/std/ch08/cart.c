// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4,6,7 */
/* MPI-5.0 8.5.1: Cartesian topologies: creation, inquiry, shifts, sub-grids, mapping. */
#include "tests/check.h"

#include <limits.h>

static int cart_kind(MPI_Comm c)
{
	int status = 12345;

	OK(MPI_Topo_test(c, &status));
	return status;
}

/* A grid of as many of all processes as fit: 3 columns if there are 3 processes. */
static MPI_Comm cart_grid(int periodic, int dims[2])
{
	int periods[2] = {periodic, 0};
	MPI_Comm c;

	dims[1] = check_size < 3 ? 1 : 3;
	dims[0] = check_size / dims[1];
	OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &c));
	return c;
}

/* MPI-5.0 8.5.1: without reorder ranks stay; processes beyond the grid get MPI_COMM_NULL */
static void members(void)
{
	int dims[2], me, n, cmp;
	MPI_Comm c = cart_grid(0, dims);
	int all = dims[0] * dims[1];

	CHECK((c == MPI_COMM_NULL) == (check_rank >= all));
	if (c == MPI_COMM_NULL)
		return;
	OK(MPI_Comm_rank(c, &me));
	OK(MPI_Comm_size(c, &n));
	CHECK(me == check_rank && n == all);
	if (all == check_size) {
		OK(MPI_Comm_compare(c, MPI_COMM_WORLD, &cmp));
		CHECK(cmp == MPI_CONGRUENT);
	}
	OK(MPI_Comm_free(&c));
}

static int copy_one(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
{
	(void)c, (void)key;
	(*(int *)extra)++;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

/* MPI-5.0 8.4: nothing cached goes from comm_old to the new communicator */
static void nothing_cached(void)
{
	int dims[2], copies = 0, key, flag, len;
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Comm c;

	OK(MPI_Comm_create_keyval(copy_one, MPI_COMM_NULL_DELETE_FN, &key, &copies));
	OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key));
	c = cart_grid(0, dims);
	CHECK(copies == 0);
	if (c != MPI_COMM_NULL) {
		void *value;

		OK(MPI_Comm_get_attr(c, key, &value, &flag));
		CHECK(!flag);
		OK(MPI_Comm_get_name(c, name, &len));
		CHECK(len == 0);
		OK(MPI_Comm_free(&c));
	}
	OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
	OK(MPI_Comm_free_keyval(&key));
}

/* MPI-5.0 8.5.5: Cart_rank of the Cart_coords of r is r, row by row (8.2) */
static void coordinates(void)
{
	int dims[2], got[2], periods[2] = {-1, -1}, at[2], xy[2], r, nd = -1;
	MPI_Comm c = cart_grid(7, dims);

	if (c == MPI_COMM_NULL)
		return;
	OK(MPI_Cartdim_get(c, &nd));
	CHECK(nd == 2);
	OK(MPI_Cart_get(c, 2, got, periods, at));
	CHECK(got[0] == dims[0] && got[1] == dims[1] && periods[0] == 1 && periods[1] == 0);
	CHECK(at[0] == check_rank / dims[1] && at[1] == check_rank % dims[1]);
	for (int i = 0; i < dims[0] * dims[1]; i++) {
		OK(MPI_Cart_coords(c, i, 2, xy));
		CHECK(xy[0] == i / dims[1] && xy[1] == i % dims[1]);
		OK(MPI_Cart_rank(c, xy, &r));
		CHECK(r == i);
	}
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.5: coordinates out of range come back in periodic dimensions and are errors in
 * others */
static void out_of_range(void)
{
	int dims[2], r, xy[2];
	MPI_Comm c = cart_grid(1, dims);

	if (c == MPI_COMM_NULL)
		return;
	for (int k = -3; k <= 3; k++) {
		xy[0] = k * dims[0];
		xy[1] = dims[1] - 1;
		OK(MPI_Cart_rank(c, xy, &r));
		CHECK(r == dims[1] - 1);
	}
	xy[0] = -1;
	OK(MPI_Cart_rank(c, xy, &r));
	CHECK(r == dims[0] * dims[1] - 1);
	xy[0] = INT_MIN;
	OK(MPI_Cart_rank(c, xy, &r));
	CHECK(r >= 0 && r < dims[0] * dims[1]);
	xy[0] = 0, xy[1] = dims[1];
	FAILS(MPI_ERR_ARG, "not periodic", MPI_Cart_rank(c, xy, &r));
	xy[1] = -1;
	FAILS(MPI_ERR_ARG, "coords[1] is -1", MPI_Cart_rank(c, xy, &r));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.5: maxdims too small is unspecified: here an error; larger is fine, and nothing
 * behind ndims is written */
static void cart_room(void)
{
	int dims[2], got[3] = {0, 0, 55}, periods[3] = {0, 0, 56}, at[3] = {0, 0, 57};
	MPI_Comm c = cart_grid(0, dims);

	if (c == MPI_COMM_NULL)
		return;
	OK(MPI_Cart_get(c, 3, got, periods, at));
	CHECK(got[2] == 55 && periods[2] == 56 && at[2] == 57);
	OK(MPI_Cart_coords(c, 0, 3, at));
	CHECK(at[2] == 57);
	FAILS(MPI_ERR_ARG, "maxdims is 1", MPI_Cart_get(c, 1, got, periods, at));
	FAILS(MPI_ERR_ARG, "maxdims is 1", MPI_Cart_coords(c, 0, 1, at));
	FAILS(MPI_ERR_RANK, "rank", MPI_Cart_coords(c, dims[0] * dims[1], 2, at));
	FAILS(MPI_ERR_RANK, "rank", MPI_Cart_coords(c, -1, 2, at));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.1: zero dimensions: one process, and arrays are not looked at (8.5.5) */
static void no_dimensions(void)
{
	int n = -1, r = -1, x = 77;
	MPI_Comm c, sub;

	OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &c));
	CHECK((c == MPI_COMM_NULL) == (check_rank > 0));
	if (c == MPI_COMM_NULL)
		return;
	CHECK(cart_kind(c) == MPI_CART);
	OK(MPI_Comm_size(c, &n));
	CHECK(n == 1);
	OK(MPI_Cartdim_get(c, &n));
	CHECK(n == 0);
	OK(MPI_Cart_get(c, 1, &x, &x, &x));
	OK(MPI_Cart_get(c, 0, NULL, NULL, NULL));
	OK(MPI_Cart_coords(c, 0, 1, &x));
	CHECK(x == 77);
	OK(MPI_Cart_rank(c, NULL, &r));
	CHECK(r == 0);
	FAILS(MPI_ERR_ARG, "0 dimensions", MPI_Cart_shift(c, 0, 1, &r, &n));
	OK(MPI_Cart_sub(c, NULL, &sub));
	CHECK(cart_kind(sub) == MPI_CART);
	OK(MPI_Cartdim_get(sub, &n));
	CHECK(n == 0);
	OK(MPI_Comm_free(&sub));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.6: shifts: around in periodic dimensions, MPI_PROC_NULL beyond the end in others */
static void shifts(void)
{
	static const int steps[] = {1, -1, 2, -2, 5, -7, 0, INT_MAX, INT_MIN, INT_MIN + 1};
	int dims[2], at[2], from, to, xy[2];
	MPI_Comm c = cart_grid(1, dims);

	if (c == MPI_COMM_NULL)
		return;
	OK(MPI_Cart_coords(c, check_rank, 2, at));
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		long long y = (long long)at[0] + steps[i], x = (long long)at[1] + steps[i];

		OK(MPI_Cart_shift(c, 0, steps[i], &from, &to));
		OK(MPI_Cart_coords(c, to, 2, xy));
		CHECK(xy[1] == at[1] && (y - xy[0]) % dims[0] == 0);
		OK(MPI_Cart_coords(c, from, 2, xy));
		CHECK(xy[1] == at[1] && ((long long)at[0] - steps[i] - xy[0]) % dims[0] == 0);
		OK(MPI_Cart_shift(c, 1, steps[i], &from, &to));
		CHECK(to == (x >= 0 && x < dims[1] ? at[0] * dims[1] + (int)x : MPI_PROC_NULL));
		x = (long long)at[1] - steps[i];
		CHECK(from == (x >= 0 && x < dims[1] ? at[0] * dims[1] + (int)x : MPI_PROC_NULL));
	}
	FAILS(MPI_ERR_ARG, "direction is 2", MPI_Cart_shift(c, 2, 1, &from, &to));
	FAILS(MPI_ERR_ARG, "direction is -1", MPI_Cart_shift(c, -1, 1, &from, &to));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.6: the ranks of a shift go into MPI_Sendrecv */
static void shift_data(void)
{
	int dims[2], at[2], from, to;
	MPI_Comm c = cart_grid(1, dims);

	if (c == MPI_COMM_NULL)
		return;
	OK(MPI_Cart_coords(c, check_rank, 2, at));
	for (int d = 0; d < 2; d++) {
		int in = -5;

		OK(MPI_Cart_shift(c, d, 1, &from, &to));
		OK(MPI_Sendrecv(
			&at[d], 1, MPI_INT, to, 0, &in, 1, MPI_INT, from, 0, c, MPI_STATUS_IGNORE));
		CHECK(in == (from == MPI_PROC_NULL ? -5 : (at[d] + dims[d] - 1) % dims[d]));
	}
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.7: sub-grids keep size and periodicity of the dimensions that remain */
static void cart_subs(void)
{
	int dims[3] = {0, 0, 0}, periods[3] = {1, 0, 1}, got[3], p[3], at[3], me[3];
	MPI_Comm c, sub;

	OK(MPI_Dims_create(check_size, 3, dims));
	OK(MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &c));
	OK(MPI_Cart_coords(c, check_rank, 3, me));
	for (int keep = 0; keep < 8; keep++) {
		int remain[3] = {keep & 1, keep & 2, keep & 4}, nd, n, size = 1, kept = 0, sum,
		    want;

		OK(MPI_Cart_sub(c, remain, &sub));
		OK(MPI_Cartdim_get(sub, &nd));
		OK(MPI_Cart_get(sub, 3, got, p, at));
		for (int d = 0; d < 3; d++) {
			if (!remain[d])
				continue;
			CHECK(got[kept] == dims[d] && p[kept] == periods[d] && at[kept] == me[d]);
			kept++;
			size *= dims[d];
		}
		OK(MPI_Comm_size(sub, &n));
		CHECK(nd == kept && n == size);
		/* all members agree on the coordinates that were dropped */
		want = 0;
		for (int d = 0; d < 3; d++)
			want = want * 100 + (remain[d] ? 0 : me[d]);
		OK(MPI_Allreduce(&want, &sum, 1, MPI_INT, MPI_SUM, sub));
		CHECK(sum == want * size);
		OK(MPI_Comm_free(&sub));
	}
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.8: Cart_map gives each process of the grid another rank, the others MPI_UNDEFINED */
static void cart_maps(void)
{
	int dims[2] = {check_size / 2 > 0 ? check_size / 2 : 1, 1}, periods[2] = {0, 0};
	int rank = -9, got[64], seen[64] = {0}, inside = 0;

	OK(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &rank));
	OK(MPI_Allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD));
	for (int i = 0; i < check_size; i++) {
		if (got[i] == MPI_UNDEFINED)
			continue;
		CHECK(got[i] >= 0 && got[i] < dims[0] && !seen[got[i]]++);
		inside++;
	}
	CHECK(inside == dims[0]);
	OK(MPI_Cart_map(MPI_COMM_WORLD, 0, NULL, NULL, &rank));
	CHECK(rank == (check_rank == 0 ? 0 : MPI_UNDEFINED));
}

/* MPI-5.0 8.5.1: with reorder ranks may change, and nothing else: the members are the first ones */
static void reorders(void)
{
	int dims[2], periods[2] = {1, 1}, at[2], got[64], r, n, me;
	MPI_Comm c;

	dims[1] = check_size < 3 ? 1 : 3;
	dims[0] = check_size / dims[1];
	OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &c));
	CHECK((c == MPI_COMM_NULL) == (check_rank >= dims[0] * dims[1]));
	if (c == MPI_COMM_NULL)
		return;
	OK(MPI_Comm_rank(c, &me));
	OK(MPI_Comm_size(c, &n));
	OK(MPI_Cart_get(c, 2, dims, periods, at));
	OK(MPI_Cart_rank(c, at, &r));
	CHECK(n == dims[0] * dims[1] && r == me && periods[0] && periods[1]);
	OK(MPI_Allgather(&check_rank, 1, MPI_INT, got, 1, MPI_INT, c));
	CHECK(got[me] == check_rank);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.5: Topo_test; 7.4.2: dup has the topology, split and create have none */
static void cart_kinds(void)
{
	int dims[2], got[2], p[2], at[2];
	MPI_Comm c = cart_grid(1, dims), dup, other;
	MPI_Group g;

	CHECK(cart_kind(MPI_COMM_WORLD) == MPI_UNDEFINED);
	if (c == MPI_COMM_NULL)
		return;
	CHECK(cart_kind(c) == MPI_CART);
	OK(MPI_Comm_dup(c, &dup));
	OK(MPI_Comm_split(c, 0, 0, &other));
	CHECK(cart_kind(other) == MPI_UNDEFINED);
	OK(MPI_Comm_free(&other));
	OK(MPI_Comm_group(c, &g));
	OK(MPI_Comm_create(c, g, &other));
	CHECK(cart_kind(other) == MPI_UNDEFINED);
	OK(MPI_Comm_free(&other));
	OK(MPI_Group_free(&g));
	OK(MPI_Comm_free(&c)); /* before its dup */
	CHECK(cart_kind(dup) == MPI_CART);
	OK(MPI_Comm_dup_with_info(dup, MPI_INFO_NULL, &c));
	OK(MPI_Comm_free(&dup));
	OK(MPI_Cart_get(c, 2, got, p, at));
	CHECK(got[0] == dims[0] && got[1] == dims[1] && p[0] == 1 && p[1] == 0);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.1: a grid that is too large, dimensions below 1, no arrays */
static void wrong_grids(void)
{
	int dims[3] = {check_size, 2, 1}, periods[3] = {0, 0, 0}, rank;
	int huge[3] = {INT_MAX, INT_MAX, INT_MAX};
	MPI_Comm c = MPI_COMM_WORLD;

	FAILS(MPI_ERR_DIMS, "the communicator",
		MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &c));
	FAILS(MPI_ERR_DIMS, "the communicator",
		MPI_Cart_create(MPI_COMM_WORLD, 3, huge, periods, 0, &c));
	FAILS(MPI_ERR_DIMS, "the communicator",
		MPI_Cart_map(MPI_COMM_WORLD, 3, huge, periods, &rank));
	dims[1] = 0;
	FAILS(MPI_ERR_DIMS, "dims[1] is 0",
		MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &c));
	dims[1] = -2;
	FAILS(MPI_ERR_DIMS, "dims[1] is -2",
		MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &c));
	FAILS(MPI_ERR_ARG, "dims is NULL",
		MPI_Cart_create(MPI_COMM_WORLD, 1, NULL, periods, 0, &c));
	FAILS(MPI_ERR_ARG, "periods is NULL",
		MPI_Cart_create(MPI_COMM_WORLD, 1, dims, NULL, 0, &c));
	FAILS(MPI_ERR_ARG, "ndims", MPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &c));
	FAILS(MPI_ERR_COMM, "", MPI_Cart_create(MPI_COMM_NULL, 1, dims, periods, 0, &c));
	CHECK(c == MPI_COMM_NULL); /* a call that failed leaves no communicator */
}

/* MPI-5.0 8.5.5: questions about a grid to a communicator without one */
static void cart_wrong_kind(void)
{
	int x[2] = {0, 0}, y;
	MPI_Comm c;

	FAILS(MPI_ERR_TOPOLOGY, "no topology", MPI_Cartdim_get(MPI_COMM_WORLD, &y));
	FAILS(MPI_ERR_TOPOLOGY, "no topology", MPI_Cart_get(MPI_COMM_WORLD, 2, x, x, x));
	FAILS(MPI_ERR_TOPOLOGY, "no topology", MPI_Cart_rank(MPI_COMM_WORLD, x, &y));
	FAILS(MPI_ERR_TOPOLOGY, "no topology", MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, x));
	FAILS(MPI_ERR_TOPOLOGY, "no topology", MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, x, &y));
	FAILS(MPI_ERR_TOPOLOGY, "no topology", MPI_Cart_sub(MPI_COMM_WORLD, x, &c));
	FAILS(MPI_ERR_COMM, "", MPI_Topo_test(MPI_COMM_NULL, &y));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Topo_test(MPI_COMM_WORLD, NULL));
}

/* MPI-5.0 8.5.5: arrays that are not there */
static void no_arrays(void)
{
	int dims[2], x[2], r;
	MPI_Comm c = cart_grid(0, dims), sub;

	if (c == MPI_COMM_NULL)
		return;
	FAILS(MPI_ERR_ARG, "NULL", MPI_Cart_get(c, 2, NULL, x, x));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Cart_coords(c, 0, 2, NULL));
	FAILS(MPI_ERR_ARG, "coords is NULL", MPI_Cart_rank(c, NULL, &r));
	FAILS(MPI_ERR_ARG, "remain_dims is NULL", MPI_Cart_sub(c, NULL, &sub));
	CHECK(sub == MPI_COMM_NULL);
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	members();
	nothing_cached();
	coordinates();
	out_of_range();
	cart_room();
	no_dimensions();
	shifts();
	shift_data();
	cart_subs();
	cart_maps();
	reorders();
	cart_kinds();
	wrong_grids();
	cart_wrong_kind();
	no_arrays();
	MPI_Finalize();
	return 0;
}
