// SPDX-License-Identifier: BSD-3-Clause
/* groups.c - groups: ordered sets of processes (MPI-5.0 7.3).
 *
 *     constructor ──> list of peers, in order of ranks ──> group_make
 *                                                             │
 *         evenly spaced: base, base + stride, ..  ──> no tables (a range is not even listed)
 *         else, dense       ──> map: rank to peer;    unmap: peer to rank
 *         else, sparse      ──> map: rank to peer;    unmap: ranks sorted by peer
 *
 * Copies share the tables.  Each operation is linear in the sizes of its groups, times a logarithm
 * for sparse groups. */
#include "libmpi/comm/groups.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/via/alias.h"
#include "libobj/base.h"
#include <engine.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Largest ratio of entries to members of a table by peer; above it a sorted table is smaller. */
#define SPREAD_MAX MEAN_OR(1, 4)

static int group_no_memory(int n)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory for a group of %d processes", n);
}

/* --- making --------------------------------------------------------------------------------- */

static void group_aliases_drop(const struct group *g)
{
	for (int i = 0; i < g->size; i++)
		if (via_is_alias(group_peer(g, i)))
			via_alias_drop(group_peer(g, i));
}

/* The group has all its members: it holds those that are aliases. */
static void group_aliases_hold(struct group *g)
{
	if (likely(!via_alias_any()))
		return;
	haft_group_aliases_hook = group_aliases_drop;
	for (int i = 0; i < g->size; i++)
		if (via_is_alias(group_peer(g, i))) {
			via_alias_hold(group_peer(g, i));
			g->aliases = true;
		}
}

/* Makes a group without tables: rank r is peer base + r * stride.  size >= 1. */
static int group_spaced(int size, int base, int stride, struct group **group)
{
	struct group *g = obj_new(&haft_group_class, NULL);

	if (g == NULL)
		return group_no_memory(size);
	g->size = size;
	g->base = base;
	g->stride = size > 1 ? stride : 1;
	g->rank = group_rank_of(g, haft_life.peer);
	if (g->rank < 0)
		g->rank = MPI_UNDEFINED;
	*group = g;
	return 0;
}

/* Are the peers evenly spaced? */
static bool group_even(int n, const int32_t *peers)
{
	for (int i = 2; i < n; i++) {
		if (peers[i] - peers[i - 1] != peers[1] - peers[0])
			return false;
	}
	return true;
}

static int group_by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Fills unmap by order: ranks sorted by their peers.  0, or -1 without memory. */
static int group_order_fill(struct group *g)
{
	int64_t *both = malloc((size_t)g->size * sizeof(*both));

	g->unmap = malloc((size_t)g->size * sizeof(*g->unmap));
	if (both == NULL || g->unmap == NULL) {
		free(both);
		return -1;
	}
	for (int i = 0; i < g->size; i++)
		both[i] = (int64_t)g->map[i] << 32 | i;
	qsort(both, (size_t)g->size, sizeof(*both), group_by_value);
	for (int i = 0; i < g->size; i++)
		g->unmap[i] = (int32_t)both[i];
	free(both);
	return 0;
}

/* Fills unmap by peer, if the peers are dense, or else by order.  0, or -1 without memory. */
static int group_unmap_fill(struct group *g)
{
	int lo = g->map[0], hi = g->map[0];
	int64_t span;

	for (int i = 1; i < g->size; i++) {
		lo = g->map[i] < lo ? g->map[i] : lo;
		hi = g->map[i] > hi ? g->map[i] : hi;
	}
	g->base = lo;
	g->stride = 1;
	span = (int64_t)hi - lo + 1;
	if (span > (int64_t)g->size * SPREAD_MAX)
		return group_order_fill(g);
	g->span = (int)span;
	g->unmap = malloc((size_t)span * sizeof(*g->unmap));
	if (g->unmap == NULL)
		return -1;
	memset(g->unmap, 0xff, (size_t)span * sizeof(*g->unmap));
	for (int i = 0; i < g->size; i++)
		g->unmap[g->map[i] - lo] = i;
	return 0;
}

int group_make(int n, int32_t *peers, struct group **group)
{
	struct group *g;
	int32_t *less;
	int err;

	if (n == 0) {
		free(peers);
		*group = &haft_group_empty;
		return 0;
	}
	err = group_spaced(n, peers[0], n > 1 ? peers[1] - peers[0] : 1, &g);
	if (err != 0 || group_even(n, peers)) {
		free(peers);
		if (err == 0) {
			group_aliases_hold(g);
			*group = g;
		}
		return err;
	}
	less = realloc(peers, (size_t)n * sizeof(*peers)); /* the array may be much longer than n */
	g->map = less != NULL ? less : peers;
	if (group_unmap_fill(g) != 0) {
		obj_free_obj(g);
		return group_no_memory(n);
	}
	g->rank = group_rank_of(g, haft_life.peer);
	if (g->rank < 0)
		g->rank = MPI_UNDEFINED;
	group_aliases_hold(g);
	*group = g;
	return 0;
}

static void group_set_session(struct group *g, struct session *s)
{
	if (s != NULL)
		obj_hold(s);
	g->session = s;
}

/* A group made from a session's group belongs to the session.  Passes on `err', the result of
 * making *g. */
static int group_derive(int err, const struct group *from, struct group **g)
{
	if (err == 0 && *g != &haft_group_empty)
		group_set_session(*g, from->session);
	return err;
}

int group_copy(struct group *from, struct session *session, struct group **group)
{
	struct group *g;

	if (from->size == 0) {
		*group = &haft_group_empty;
		return 0;
	}
	g = obj_new(&haft_group_class, NULL);
	if (g == NULL)
		return group_no_memory(from->size);
	g->size = from->size;
	g->rank = from->rank;
	g->base = from->base;
	g->stride = from->stride;
	g->span = from->span;
	g->map = from->map;
	g->unmap = from->unmap;
	if (from->map != NULL) {
		g->owner = from->owner != NULL ? from->owner : from;
		obj_hold(g->owner);
	}
	group_set_session(g, from->session != NULL ? from->session : session);
	group_aliases_hold(g);
	*group = g;
	return 0;
}

int group_of_session(struct session *s, int first, int size, struct group **group)
{
	int err = group_spaced(size, first, 1, group);

	if (err == 0)
		group_set_session(*group, s);
	return err;
}

static int32_t *group_room(int n)
{
	return malloc(((size_t)n + 1) * sizeof(int32_t));
}

/* --- inquiry -------------------------------------------------------------------------------- */

int group_size(struct group *g, int *size)
{
	*size = g->size;
	return 0;
}

int group_rank(struct group *g, int *rank)
{
	*rank = g->rank;
	return 0;
}

int group_translate_ranks(struct group *a, int n, const int ranks1[], struct group *b, int ranks2[])
{
	if (n > 0 && (ranks1 == NULL || ranks2 == NULL))
		return haft_err(MPI_ERR_ARG, "an array of %d ranks is NULL", n);
	for (int i = 0; i < n; i++) {
		if (ranks1[i] == MPI_PROC_NULL)
			continue;
		if (ranks1[i] < 0 || ranks1[i] >= a->size)
			return haft_err(MPI_ERR_RANK,
				"entry %d is rank %d, but the group has ranks 0 to %d", i,
				ranks1[i], a->size - 1);
	}
	for (int i = 0; i < n; i++) {
		int r = ranks1[i];

		if (r != MPI_PROC_NULL) {
			r = group_rank_of(b, group_peer(a, r));
			r = r < 0 ? MPI_UNDEFINED : r;
		}
		ranks2[i] = r;
	}
	return 0;
}

int group_same(const struct group *a, const struct group *b)
{
	bool same = true;

	if (a->size != b->size)
		return MPI_UNEQUAL;
	for (int i = 0; i < a->size; i++) {
		int r = group_rank_of(b, group_peer(a, i));

		if (r < 0)
			return MPI_UNEQUAL;
		same = same && r == i;
	}
	return same ? MPI_IDENT : MPI_SIMILAR;
}

int group_compare(struct group *a, struct group *b, int *result)
{
	*result = group_same(a, b);
	return 0;
}

/* --- set operations ------------------------------------------------------------------------- */

/* Appends to peers, at n, the members of a that are in b (want) or are not (!want), in a's order.
 * Returns the new length. */
static int group_select(
	const struct group *a, const struct group *b, bool want, int32_t *peers, int n)
{
	for (int i = 0; i < a->size; i++) {
		int p = group_peer(a, i);

		if ((group_rank_of(b, p) >= 0) == want)
			peers[n++] = p;
	}
	return n;
}

int group_union(struct group *a, struct group *b, struct group **newgroup)
{
	int32_t *peers = group_room(a->size + b->size);
	int n;

	if (peers == NULL)
		return group_no_memory(a->size + b->size);
	for (n = 0; n < a->size; n++)
		peers[n] = group_peer(a, n);
	n = group_select(b, a, false, peers, n);
	return group_derive(group_make(n, peers, newgroup), a->session != NULL ? a : b, newgroup);
}

static int group_subset(
	const struct group *a, const struct group *b, bool want, struct group **newgroup)
{
	int32_t *peers = group_room(a->size);
	int n;

	if (peers == NULL)
		return group_no_memory(a->size);
	n = group_select(a, b, want, peers, 0);
	return group_derive(group_make(n, peers, newgroup), a, newgroup);
}

int group_intersection(struct group *a, struct group *b, struct group **newgroup)
{
	return group_subset(a, b, true, newgroup);
}

int group_difference(struct group *a, struct group *b, struct group **newgroup)
{
	return group_subset(a, b, false, newgroup);
}

/* --- lists and ranges ----------------------------------------------------------------------- */

static int group_no_rank(const struct group *g, int r)
{
	return haft_err(MPI_ERR_RANK, "rank %d is not in the group, which has ranks 0 to %d", r,
		g->size - 1);
}

/* Marks rank r as named.  MPI_ERR_RANK if it is not a rank or was named before. */
static int group_name_rank(const struct group *g, uint8_t *named, int r)
{
	if (r < 0 || r >= g->size)
		return group_no_rank(g, r);
	if (named[r])
		return haft_err(MPI_ERR_RANK, "rank %d is named twice", r);
	named[r] = 1;
	return 0;
}

/* The number of ranks of a range {first, last, stride}; -1: MPI_ERR_ARG with words. */
static int64_t range_length(const int range[3])
{
	int64_t first = range[0], last = range[1], stride = range[2];

	if (stride == 0) {
		haft_err(MPI_ERR_ARG, "range %d:%d has stride 0", range[0], range[1]);
		return -1;
	}
	if ((stride > 0 && first > last) || (stride < 0 && first < last)) {
		haft_err(MPI_ERR_ARG, "range %d:%d goes the other way than its stride %d", range[0],
			range[1], range[2]);
		return -1;
	}
	return (last - first) / stride + 1;
}

/* Appends to list the peers of n ranges, in order of naming (a list of ranks is ranges of length
 * 1).  Returns their number, or -class. */
static int group_name_all(
	const struct group *g, int n, const int ranges[][3], uint8_t *named, int32_t *list)
{
	int k = 0;

	for (int i = 0; i < n; i++) {
		int64_t len = range_length(ranges[i]);

		if (len < 0)
			return -MPI_ERR_ARG;
		for (int64_t j = 0; j < len; j++) {
			int r = (int)(ranges[i][0] + j * ranges[i][2]);
			int err = group_name_rank(g, named, r);

			if (err != 0)
				return -err;
			list[k++] = group_peer(g, r);
		}
	}
	return k;
}

/* Makes the group of the ranks named (incl), or of all others. */
static int group_by_ranges(
	struct group *g, int n, const int ranges[][3], bool incl, struct group **newgroup)
{
	uint8_t *named = calloc((size_t)g->size + 1, 1);
	int32_t *peers = group_room(g->size);
	int k;

	if (n > 0 && ranges == NULL) {
		free(named);
		free(peers);
		return haft_err(MPI_ERR_ARG, "the array of %d ranges is NULL", n);
	}
	if (named == NULL || peers == NULL) {
		free(named);
		free(peers);
		return group_no_memory(g->size);
	}
	k = group_name_all(g, n, ranges, named, peers);
	if (k < 0) {
		free(named);
		free(peers);
		return -k;
	}
	if (!incl) {
		k = 0;
		for (int r = 0; r < g->size; r++) {
			if (!named[r])
				peers[k++] = group_peer(g, r);
		}
	}
	free(named);
	return group_derive(group_make(k, peers, newgroup), g, newgroup);
}

/* One range of an evenly spaced group is evenly spaced: no list is needed. */
static int group_by_range(struct group *g, const int range[3], struct group **newgroup)
{
	int64_t len = range_length(range);
	int ends[2], stride, err;

	if (len < 0)
		return MPI_ERR_ARG;
	ends[0] = range[0];
	ends[1] = (int)(range[0] + (len - 1) * range[2]);
	for (int i = 0; i < 2; i++) {
		if (ends[i] < 0 || ends[i] >= g->size)
			return group_no_rank(g, ends[i]);
	}
	stride =
		len > 1 ? g->stride * range[2] : 1; /* the stride of a single rank may be any int */
	err = group_spaced((int)len, group_peer(g, range[0]), stride, newgroup);
	if (err == 0)
		group_aliases_hold(*newgroup);
	return group_derive(err, g, newgroup);
}

static int group_by_ranks(
	struct group *g, int n, const int ranks[], bool incl, struct group **newgroup)
{
	int(*ranges)[3] = malloc(((size_t)n + 1) * sizeof(*ranges));
	int err;

	if (ranges == NULL)
		return group_no_memory(n);
	if (n > 0 && ranks == NULL) {
		free(ranges);
		return haft_err(MPI_ERR_ARG, "the array of %d ranks is NULL", n);
	}
	for (int i = 0; i < n; i++) {
		ranges[i][0] = ranges[i][1] = ranks[i];
		ranges[i][2] = 1;
	}
	err = group_by_ranges(g, n, (const int(*)[3])ranges, incl, newgroup);
	free(ranges);
	return err;
}

int group_incl(struct group *g, int n, const int ranks[], struct group **newgroup)
{
	return group_by_ranks(g, n, ranks, true, newgroup);
}

int group_excl(struct group *g, int n, const int ranks[], struct group **newgroup)
{
	return group_by_ranks(g, n, ranks, false, newgroup);
}

int group_range_incl(struct group *g, int n, int ranges[][3], struct group **newgroup)
{
	if (n == 1 && ranges != NULL && g->map == NULL)
		return group_by_range(g, ranges[0], newgroup);
	return group_by_ranges(g, n, (const int(*)[3])ranges, true, newgroup);
}

int group_range_excl(struct group *g, int n, int ranges[][3], struct group **newgroup)
{
	return group_by_ranges(g, n, (const int(*)[3])ranges, false, newgroup);
}

int group_free(struct group **group)
{
	obj_free_obj(*group); /* MPI_GROUP_EMPTY stays */
	*group = NULL;
	return 0;
}
