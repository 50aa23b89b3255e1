// SPDX-License-Identifier: BSD-3-Clause
/* cart.c - Cartesian topologies (MPI-5.0 8.5.1, 8.5.5 to 8.5.8).
 *
 *     dims 2 3      rank 0 (0,0)   1 (0,1)   2 (0,2)       rank = sum of coords[d] * stride[d],
 *                        3 (1,0)   4 (1,1)   5 (1,2)       stride[d] = product of dims[d + 1..]
 *
 * A grid stores dims, periods, and this process's coordinates and neighbors; the rest is computed.
 *
 * Invariant: the product of dims is the size of the communicator. */
#include "libmpi/topo/topo_object.h"

#include "libmpi/topo/order.h"
#include "libmpi/topo/locality.h"
#include <engine.h>
#include <string.h>

/* --- arithmetic ----------------------------------------------------------------------------- */

static void cart_coords(const struct topo *t, int rank, int *coords)
{
	for (int d = t->ndims - 1; d >= 0; d--) {
		coords[d] = rank % t->dims[d];
		rank /= t->dims[d];
	}
}

/* `at' modulo n, in 0..n-1. */
static int cart_wrap(int64_t at, int n)
{
	int64_t x = at % n;

	return (int)(x < 0 ? x + n : x);
}

/* The rank at displacement `disp' along dimension d from this process, of rank `me'; or
 * MPI_PROC_NULL.  stride is that of the picture above. */
static int cart_neighbor(const struct topo *t, int me, int d, int stride, int64_t disp)
{
	int64_t at = t->coords[d] + disp;

	if (t->periods[d])
		at = cart_wrap(at, t->dims[d]);
	else if (at < 0 || at >= t->dims[d])
		return MPI_PROC_NULL;
	return me + (int)(at - t->coords[d]) * stride;
}

/* --- making --------------------------------------------------------------------------------- */

/* Checks the user's description of a grid over c, and sets *n to its number of processes. */
static int cart_size(const struct comm *c, int ndims, const int *dims, const int *periods, int *n)
{
	int64_t all = 1;

	if (topo_check_intra(c) != 0)
		return MPI_ERR_COMM;
	if (ndims > 0 && (dims == NULL || periods == NULL))
		return haft_err(MPI_ERR_ARG, "%s is NULL, and ndims is %d",
			dims == NULL ? "dims" : "periods", ndims);
	for (int d = 0; d < ndims; d++) {
		if (dims[d] < 1)
			return haft_err(MPI_ERR_DIMS,
				"dims[%d] is %d; every dimension has at least one process", d,
				dims[d]);
		all *= dims[d];
		if (all > c->size)
			return haft_err(MPI_ERR_DIMS,
				"the grid has at least %lld processes (dims[0] to dims[%d]), the "
				"communicator %d",
				(long long)all, d, c->size);
	}
	*n = (int)all;
	return 0;
}

/* The topology of the process of rank `me' in the grid.  NULL: MPI_ERR_NO_MEM, with words. */
static struct topo *cart_new(int ndims, const int *dims, const int *periods, int me)
{
	struct topo *t = topo_new(MPI_CART, 5 * (int64_t)ndims);
	int *ranks, stride = 1;

	if (t == NULL)
		return NULL;
	t->ndims = ndims;
	t->dims = t->room;
	t->periods = t->dims + ndims;
	t->coords = t->periods + ndims;
	ranks = t->coords + ndims;
	for (int d = 0; d < ndims; d++) {
		t->dims[d] = dims[d];
		t->periods[d] = periods[d] != 0;
	}
	cart_coords(t, me, t->coords);
	for (int d = ndims - 1; d >= 0; d--) {
		ranks[2 * d] = cart_neighbor(t, me, d, stride, -1);
		ranks[2 * d + 1] = cart_neighbor(t, me, d, stride, +1);
		stride *= dims[d];
	}
	t->neighbors = (struct topo_neighbors){MPI_CART, 2 * ndims, 2 * ndims, ranks, ranks};
	return t;
}

/* Makes the communicator of a grid over the group g.  Consumes g. */
static int cart_carry(struct comm *c, struct group *g, int ndims, const int *dims,
	const int *periods, struct comm **newcomm)
{
	struct topo *t = NULL;

	if (g->rank != MPI_UNDEFINED) {
		t = cart_new(ndims, dims, periods, g->rank);
		if (t == NULL) {
			obj_free_obj(g);
			return MPI_ERR_NO_MEM;
		}
	}
	return topo_attach(c, COLL_CART, g, t, newcomm);
}

int topo_cart_create(struct comm *c, int ndims, const int dims[], const int periods[], int reorder,
	struct comm **newcomm)
{
	struct order_grid grid = {ndims, 1, dims, periods};
	int *order = NULL;
	struct group *g;
	int err = cart_size(c, ndims, dims, periods, &grid.n);

	if (err == 0 && reorder && grid.n > 1)
		err = topo_reorder(c, &grid, NULL, &order);
	if (err == 0)
		err = topo_group(c, grid.n, order, &g);
	free(order);
	return err != 0 ? err : cart_carry(c, g, ndims, dims, periods, newcomm);
}

/* The call is local, so the domains of the other processes are unknown: no reordering, although
 * MPI_Cart_create, which is collective, may reorder. */
int topo_cart_map(struct comm *c, int ndims, const int dims[], const int periods[], int *newrank)
{
	int n, err = cart_size(c, ndims, dims, periods, &n);

	if (err == 0)
		*newrank = c->rank < n ? c->rank : MPI_UNDEFINED;
	return err;
}

/* --- sub-grids ------------------------------------------------------------------------------ */

/* The sub-grid of this process. */
struct sub {
	int ndims, n;
	int *dims, *periods; /* [ndims] */
	int *ranks;          /* [n] rank in the whole grid of each rank of the sub-grid */
};

/* Fills in the ranks, last dimension first.  A dimension that remains repeats the ranks so far for
 * each of its coordinates; one that is dropped adds this process's coordinate. */
static void sub_fill(const struct topo *t, const int *remain, struct sub *s)
{
	int stride = 1, k = 1;

	s->ranks[0] = 0;
	s->ndims = 0;
	for (int d = t->ndims - 1; d >= 0; d--) {
		int from = remain[d] ? 0 : t->coords[d] * stride;

		for (int i = 0; i < k; i++)
			s->ranks[i] += from;
		for (int i = k; remain[d] && i < k * t->dims[d]; i++)
			s->ranks[i] = s->ranks[i - k] + stride;
		k *= remain[d] ? t->dims[d] : 1;
		stride *= t->dims[d];
	}
	for (int d = 0; d < t->ndims; d++) {
		if (!remain[d])
			continue;
		s->dims[s->ndims] = t->dims[d];
		s->periods[s->ndims++] = t->periods[d];
	}
}

int topo_cart_sub(struct comm *c, const int remain_dims[], struct comm **newcomm)
{
	struct sub s = {.n = 1};
	const struct topo *t;
	struct group *g;
	int err = topo_expect(c, MPI_CART, &t);

	if (err != 0)
		return err;
	if (remain_dims == NULL && t->ndims > 0)
		return haft_err(MPI_ERR_ARG, "remain_dims is NULL, and the grid has %d dimension%s",
			t->ndims, t->ndims == 1 ? "" : "s");
	for (int d = 0; d < t->ndims; d++)
		s.n *= remain_dims[d] ? t->dims[d] : 1;
	s.ranks = malloc(((size_t)s.n + 2 * (size_t)t->ndims) * sizeof(*s.ranks));
	if (s.ranks == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a sub-grid of %d processes", s.n);
	s.dims = s.ranks + s.n;
	s.periods = s.dims + t->ndims;
	sub_fill(t, remain_dims, &s);
	err = topo_group(c, s.n, s.ranks, &g);
	if (err == 0)
		err = cart_carry(c, g, s.ndims, s.dims, s.periods, newcomm);
	free(s.ranks);
	return err;
}

/* --- inquiry -------------------------------------------------------------------------------- */

int topo_cartdim_get(struct comm *c, int *ndims)
{
	const struct topo *t;
	int err = topo_expect(c, MPI_CART, &t);

	if (err == 0)
		*ndims = t->ndims;
	return err;
}

/* The grid of c, if its coordinates fit into arrays of maxdims; otherwise the standard leaves open
 * what happens (8.5.5). */
static int cart_fits(const struct comm *c, int maxdims, const struct topo **t)
{
	int err = topo_expect(c, MPI_CART, t);

	if (err == 0 && maxdims < (*t)->ndims)
		return haft_err(MPI_ERR_ARG, "maxdims is %d, and the grid has %d dimension%s",
			maxdims, (*t)->ndims, (*t)->ndims == 1 ? "" : "s");
	return err;
}

int topo_cart_get(struct comm *c, int maxdims, int dims[], int periods[], int coords[])
{
	const struct topo *t;
	int err = cart_fits(c, maxdims, &t);

	if (err != 0 || t->ndims == 0)
		return err;
	if (dims == NULL || periods == NULL || coords == NULL)
		return haft_err(MPI_ERR_ARG, "dims, periods or coords is NULL");
	memcpy(dims, t->dims, (size_t)t->ndims * sizeof(*dims));
	memcpy(periods, t->periods, (size_t)t->ndims * sizeof(*periods));
	memcpy(coords, t->coords, (size_t)t->ndims * sizeof(*coords));
	return 0;
}

int topo_cart_rank(struct comm *c, const int coords[], int *rank)
{
	const struct topo *t;
	int r = 0, err = topo_expect(c, MPI_CART, &t);

	if (err != 0)
		return err;
	if (coords == NULL && t->ndims > 0)
		return haft_err(MPI_ERR_ARG, "coords is NULL, and the grid has %d dimension%s",
			t->ndims, t->ndims == 1 ? "" : "s");
	for (int d = 0; d < t->ndims; d++) {
		if (!t->periods[d] && (coords[d] < 0 || coords[d] >= t->dims[d]))
			return haft_err(MPI_ERR_ARG,
				"coords[%d] is %d; this dimension is not periodic and goes from 0 "
				"to %d",
				d, coords[d], t->dims[d] - 1);
		r = r * t->dims[d] + cart_wrap(coords[d], t->dims[d]);
	}
	*rank = r;
	return 0;
}

int topo_cart_coords(struct comm *c, int rank, int maxdims, int coords[])
{
	const struct topo *t;
	int err = cart_fits(c, maxdims, &t);

	if (err != 0 || t->ndims == 0)
		return err;
	if (coords == NULL)
		return haft_err(MPI_ERR_ARG, "coords is NULL");
	cart_coords(t, rank, coords);
	return 0;
}

/* Displacement 0 gives this process itself, as the standard's example of this call needs
 * (8.5.6). */
int topo_cart_shift(struct comm *c, int direction, int disp, int *source, int *dest)
{
	const struct topo *t;
	int stride = 1, err = topo_expect(c, MPI_CART, &t);

	if (err != 0)
		return err;
	if (direction < 0 || direction >= t->ndims)
		return haft_err(MPI_ERR_ARG, "direction is %d, and the grid has %d dimension%s",
			direction, t->ndims, t->ndims == 1 ? "" : "s");
	for (int d = direction + 1; d < t->ndims; d++)
		stride *= t->dims[d];
	*source = cart_neighbor(t, c->rank, direction, stride, -(int64_t)disp);
	*dest = cart_neighbor(t, c->rank, direction, stride, disp);
	return 0;
}
