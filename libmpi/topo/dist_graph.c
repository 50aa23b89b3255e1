// SPDX-License-Identifier: BSD-3-Clause
/* dist_graph.c - distributed graphs: each member knows its own edges (MPI-5.0 8.5.4, 8.5.5).
 *
 *     MPI_Dist_graph_create_adjacent    each member gives its own edges: no exchange of edges
 *     MPI_Dist_graph_create             each member may give any edges, which are routed:
 *
 *         given by 7:  2 ─(w 5)─> 4     7 ── {OUT, to 4, w 5} ──> 2    two records an edge, one to
 *                                       7 ── {IN, from 2, w 5} ─> 4    each end, in one alltoallv
 *
 * Invariants
 *  - Edges are ordered by the rank that gave them, then by their order there: equal in every run,
 *    and at both ends of several edges between two processes.
 *  - Members reduce the state of their arguments before they exchange edges.  So a wrong argument
 *    of one member is an error in all, never an error in one and a hang in the others.
 *  - Ranks are not reordered: no member knows the whole graph. */
#include "libmpi/topo/topo_object.h"

#include "libmpi/core/info_object.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <string.h>

/* --- arguments ------------------------------------------------------------------------------ */

/* The state of a member's arguments; members combine each number by MPI_MAX. */
struct dist_args {
	int32_t error;      /* class of this member's mistake, or 0 */
	int32_t weighted;   /* has edges, with weights */
	int32_t unweighted; /* has edges, and MPI_UNWEIGHTED */
	int32_t weights;    /* has no edges, and anything but MPI_UNWEIGHTED */
};

/* Checks the ranks and weights of n edges, and adds to *args how they are weighted.  0 or an MPI
 * error class. */
static int dist_list_check(const struct comm *c, int64_t n, const int *ranks,
	const char *ranks_name, const int *weights, const char *weights_name,
	struct dist_args *args)
{
	bool array = weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY && weights != NULL;

	if (n == 0) {
		args->weights |= weights != MPI_UNWEIGHTED;
		return 0;
	}
	if (ranks == NULL)
		return haft_err(MPI_ERR_ARG, "%s is NULL, and there are %lld edges", ranks_name,
			(long long)n);
	if (!array && weights != MPI_UNWEIGHTED)
		return haft_err(MPI_ERR_ARG, "%s is %s, and there are %lld edges", weights_name,
			weights == NULL ? "NULL" : "MPI_WEIGHTS_EMPTY", (long long)n);
	for (int64_t i = 0; i < n; i++) {
		if (ranks[i] < 0 || ranks[i] >= c->size)
			return haft_err(MPI_ERR_RANK, "%s[%lld] is %d; the ranks are 0 to %d",
				ranks_name, (long long)i, ranks[i], c->size - 1);
		if (array && weights[i] < 0)
			return haft_err(MPI_ERR_ARG, "%s[%lld] is %d; weights are not negative",
				weights_name, (long long)i, weights[i]);
	}
	args->weighted |= array;
	args->unweighted |= !array;
	return 0;
}

/* Combines the state of all members' arguments; all get equal results.  *weighted: the graph has
 * weights. */
static int dist_agree(struct comm *c, const struct dist_args *mine, bool *weighted)
{
	struct dist_args all;
	int err = coll_allreduce(mine, &all, sizeof(all) / sizeof(int32_t),
		type_predefined(MPI_INT32_T), coll_op_predefined(MPI_MAX), c);

	if (err != 0)
		return err;
	if (mine->error != 0)
		return mine->error; /* and its own words */
	if (all.error != 0)
		return haft_err(all.error, "another process gave wrong edges");
	if (all.weighted && all.unweighted)
		return haft_err(MPI_ERR_ARG,
			"some processes give weights, others MPI_UNWEIGHTED; this one gives %s",
			mine->weighted     ? mine->unweighted ? "both" : "weights"
			: mine->unweighted ? "MPI_UNWEIGHTED"
					   : "no edges");
	*weighted = all.weighted || (all.weights && !all.unweighted);
	return 0;
}

/* --- making --------------------------------------------------------------------------------- */

static struct topo *dist_new(int nin, int nout, bool weighted)
{
	int64_t n = (int64_t)nin + nout;
	struct topo *t = topo_new(MPI_DIST_GRAPH, weighted ? 2 * n : n);

	if (t == NULL)
		return NULL;
	t->weighted = weighted;
	t->neighbors.nin = nin;
	t->neighbors.nout = nout;
	t->neighbors.out = t->room + nin;
	t->inw = weighted ? t->room + n : NULL;
	t->outw = weighted ? t->room + n + nin : NULL;
	return t;
}

static int dist_carry(struct comm *c, struct topo *t, struct comm **newcomm)
{
	struct group *g;
	int err = topo_group(c, c->size, NULL, &g);

	if (err != 0) {
		topo_drop(t);
		return err;
	}
	return topo_attach(c, COLL_DIST_GRAPH, g, t, newcomm);
}

static void dist_copy(int *to, const int *from, int n)
{
	if (n > 0)
		memcpy(to, from, (size_t)n * sizeof(*to));
}

/* Ranks are not reordered, so hints about the mapping have no effect. */
int topo_dist_graph_create_adjacent(struct comm *c, int indegree, const int sources[],
	const int *sourceweights, int outdegree, const int destinations[], const int *destweights,
	struct info *info, int reorder, struct comm **newcomm)
{
	struct dist_args args = {0};
	struct topo *t;
	bool weighted;
	int err = topo_check_intra(c);

	(void)info;
	(void)reorder;
	if (err != 0)
		return err;
	args.error = dist_list_check(
		c, indegree, sources, "sources", sourceweights, "sourceweights", &args);
	if (args.error == 0)
		args.error = dist_list_check(c, outdegree, destinations, "destinations",
			destweights, "destweights", &args);
	err = dist_agree(c, &args, &weighted);
	if (err != 0)
		return err;
	t = dist_new(indegree, outdegree, weighted);
	if (t == NULL)
		return MPI_ERR_NO_MEM;
	dist_copy(t->room, sources, indegree);
	dist_copy(t->room + indegree, destinations, outdegree);
	if (weighted) {
		dist_copy(t->inw, sourceweights, indegree);
		dist_copy(t->outw, destweights, outdegree);
	}
	return dist_carry(c, t, newcomm);
}

/* --- routing edges to their ends ------------------------------------------------------------ */

enum end { END_IN, END_OUT };

/* One end of an edge, as it is sent to the process there. */
struct edge_record {
	int32_t end;   /* enum end */
	int32_t other; /* rank at the other end */
	int32_t weight;
};
#define RECORD_INTS ((int64_t)(sizeof(struct edge_record) / sizeof(int32_t)))

/* All records that one process sends, or receives: [first[r], first[r] + count[r]) are those to or
 * from rank r. */
struct edge_mail {
	int64_t *count, *first; /* [size], in units of int32_t */
	struct edge_record *records;
	int64_t n; /* number of records */
};

static int mail_new(struct edge_mail *m, int size)
{
	m->count = calloc(2 * (size_t)size, sizeof(*m->count));
	m->records = NULL;
	m->first = m->count == NULL ? NULL : m->count + size;
	return m->count == NULL
		       ? haft_err(MPI_ERR_NO_MEM, "no memory to route edges to %d ranks", size)
		       : 0;
}

static void mail_free(struct edge_mail *m)
{
	free(m->count);
	free(m->records);
}

/* Sets first[] from count[], and allocates the records. */
static int mail_room(struct edge_mail *m, int size)
{
	int64_t at = 0;

	for (int r = 0; r < size; r++) {
		m->first[r] = at;
		at += m->count[r];
	}
	m->n = at / RECORD_INTS;
	m->records = malloc((size_t)(m->n > 0 ? m->n : 1) * sizeof(*m->records));
	return m->records == NULL
		       ? haft_err(MPI_ERR_NO_MEM, "no memory for %lld edges", (long long)m->n)
		       : 0;
}

static void mail_add(struct edge_mail *m, int to, struct edge_record r)
{
	m->records[(m->first[to] + m->count[to]) / RECORD_INTS] = r;
	m->count[to] += RECORD_INTS;
}

/* Writes two records for each edge of the user's lists, sorted by destination. */
static int mail_write(struct edge_mail *m, int size, int n, const int *sources, const int *degrees,
	const int *destinations, const int *weights)
{
	int64_t e = 0;
	int err;

	for (int i = 0; i < n; i++) {
		m->count[sources[i]] += RECORD_INTS * degrees[i];
		for (int j = 0; j < degrees[i]; j++)
			m->count[destinations[e++]] += RECORD_INTS;
	}
	err = mail_room(m, size);
	if (err != 0)
		return err;
	memset(m->count, 0, (size_t)size * sizeof(*m->count));
	e = 0;
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < degrees[i]; j++, e++) {
			int w = weights == NULL ? 0 : weights[e];

			mail_add(m, sources[i], (struct edge_record){END_OUT, destinations[e], w});
			mail_add(m, destinations[e], (struct edge_record){END_IN, sources[i], w});
		}
	}
	return 0;
}

static int mail_exchange(struct comm *c, const struct edge_mail *to, struct edge_mail *from)
{
	struct type *ints = type_predefined(MPI_INT32_T), *longs = type_predefined(MPI_INT64_T);
	int err = coll_alltoall(to->count, 1, longs, from->count, 1, longs, c);

	if (err == 0)
		err = mail_room(from, c->size);
	if (err != 0)
		return err;
	return coll_alltoallv(to->records, (struct haft_counts){to->count, 1},
		(struct haft_counts){to->first, 1}, ints, from->records,
		(struct haft_counts){from->count, 1}, (struct haft_counts){from->first, 1}, ints,
		c);
}

static int mail_read(const struct edge_mail *m, bool weighted, struct topo **topo)
{
	int n[2] = {0, 0}, *rank[2], *weight[2];
	struct topo *t;

	if (m->n > INT32_MAX)
		return haft_err(MPI_ERR_ARG, "%lld edges at one process; degrees are ints",
			(long long)m->n);
	for (int64_t i = 0; i < m->n; i++)
		n[m->records[i].end]++;
	t = dist_new(n[END_IN], n[END_OUT], weighted);
	if (t == NULL)
		return MPI_ERR_NO_MEM;
	rank[END_IN] = t->room;
	rank[END_OUT] = t->room + n[END_IN];
	weight[END_IN] = t->inw;
	weight[END_OUT] = t->outw;
	for (int64_t i = 0; i < m->n; i++) {
		const struct edge_record *r = &m->records[i];

		*rank[r->end]++ = r->other;
		if (weighted)
			*weight[r->end]++ = r->weight;
	}
	*topo = t;
	return 0;
}

/* Checks sources and degrees, and sets *edges to the sum of degrees. */
static int dist_degrees_check(
	const struct comm *c, int n, const int *sources, const int *degrees, int64_t *edges)
{
	*edges = 0;
	if (n > 0 && (sources == NULL || degrees == NULL))
		return haft_err(MPI_ERR_ARG, "%s is NULL, and n is %d",
			sources == NULL ? "sources" : "degrees", n);
	for (int i = 0; i < n; i++) {
		if (sources[i] < 0 || sources[i] >= c->size)
			return haft_err(MPI_ERR_RANK, "sources[%d] is %d; the ranks are 0 to %d", i,
				sources[i], c->size - 1);
		if (degrees[i] < 0)
			return haft_err(MPI_ERR_ARG,
				"degrees[%d] is %d; it is a number of destinations", i, degrees[i]);
		*edges += degrees[i];
	}
	return 0;
}

int topo_dist_graph_create(struct comm *c, int n, const int sources[], const int degrees[],
	const int destinations[], const int *weights, struct info *info, int reorder,
	struct comm **newcomm)
{
	struct edge_mail to = {0}, from = {0};
	struct dist_args args = {0};
	struct topo *t = NULL;
	int64_t edges;
	bool weighted;
	int err = topo_check_intra(c);

	(void)info;
	(void)reorder;
	if (err != 0)
		return err;
	args.error = dist_degrees_check(c, n, sources, degrees, &edges);
	if (args.error == 0)
		args.error = dist_list_check(
			c, edges, destinations, "destinations", weights, "weights", &args);
	err = dist_agree(c, &args, &weighted);
	if (err == 0)
		err = mail_new(&to, c->size);
	if (err == 0)
		err = mail_new(&from, c->size);
	if (err == 0)
		err = mail_write(&to, c->size, n, sources, degrees, destinations,
			args.weighted ? weights : NULL);
	if (err == 0)
		err = mail_exchange(c, &to, &from);
	if (err == 0)
		err = mail_read(&from, weighted, &t);
	mail_free(&to);
	mail_free(&from);
	return err != 0 ? err : dist_carry(c, t, newcomm);
}

/* --- inquiry -------------------------------------------------------------------------------- */

int topo_dist_graph_neighbors_count(struct comm *c, int *indegree, int *outdegree, int *weighted)
{
	const struct topo *t;
	int err = topo_expect(c, MPI_DIST_GRAPH, &t);

	if (err != 0)
		return err;
	*indegree = t->neighbors.nin;
	*outdegree = t->neighbors.nout;
	*weighted = t->weighted;
	return 0;
}

/* Copies the first `max' of n ranks and their weights; w == NULL: the graph has no weights. */
static int dist_part(int max, int n, const int *r, int ranks[], const int *w, int weights[])
{
	bool want = w != NULL && weights != MPI_UNWEIGHTED;

	n = n < max ? n : max;
	if (n > 0 && (ranks == NULL || (want && (weights == NULL || weights == MPI_WEIGHTS_EMPTY))))
		return haft_err(MPI_ERR_ARG, "no array to put %d %s into", n,
			ranks == NULL ? "ranks" : "weights");
	dist_copy(ranks, r, n);
	if (want)
		dist_copy(weights, w, n);
	return 0;
}

int topo_dist_graph_neighbors(struct comm *c, int maxindegree, int sources[], int *sourceweights,
	int maxoutdegree, int destinations[], int *destweights)
{
	const struct topo *t;
	int err = topo_expect(c, MPI_DIST_GRAPH, &t);

	if (err == 0)
		err = dist_part(maxindegree, t->neighbors.nin, t->neighbors.in, sources, t->inw,
			sourceweights);
	if (err == 0)
		err = dist_part(maxoutdegree, t->neighbors.nout, t->neighbors.out, destinations,
			t->outw, destweights);
	return err;
}
