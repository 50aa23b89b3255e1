// SPDX-License-Identifier: BSD-3-Clause
/* dist_graph.c - distributed graphs: each member knows its own edges (MPI-5.0 8.5.4, 8.5.5).
 *
 *     MPI_Dist_graph_create_adjacent    each member gives its own edges: no exchange of edges
 *     MPI_Dist_graph_create             each member may give any edges, which are routed:
 *
 *         given by 7:  2 ─(w 5)─> 4     7 ── {OUT, to 4, w 5} ──> 2    two records an edge, one to
 *                                       7 ── {IN, from 2, w 5} ─> 4    each end, in letters
 *
 *     letters to 0 1 2 3 ...          A sparse exchange: each member sends its letters, and one
 *     by 6:      0 2 0 1  ┐ sum of    reduce_scatter_block tells each how many come to it, from
 *     by 7:      0 0 1 0  ┘ columns   any source.  No member sends to all.
 *
 * Invariants
 *  - Edges are ordered by the rank that gave them, then by their order there: equal in every run,
 *    and at both ends of several edges between two processes.
 *  - Members reduce the state of their arguments, and of their memory, before they exchange edges.
 *    So a mistake of one member is an error in all, never an error in one and a hang in the others.
 *    No letter is on its way then: those of one call are received before the next call sends.
 *  - Ranks are not reordered: no member knows the whole graph. */
#include "libmpi/topo/topo_object.h"

#include "libmpi/core/info_object.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>
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
		return haft_err(all.error, all.error == MPI_ERR_NO_MEM
						   ? "another process has no memory for its edges"
						   : "another process gave wrong edges");
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

#define LETTER_EDGES MEAN_OR(2, 340) /* records of a letter, which 4 KiB hold */
#define LETTER_ROOM  (1 + LETTER_EDGES)
#define TAG_LETTER   2 /* on CTX_MAKE, as TAG_REFILL of comm/dup.c */

/* Letters that one process sends: consecutive records, of which the first says how many follow
 * (end), and the sender (other). */
struct edge_mail {
	int32_t *letters; /* [size]: how many there are to each rank */
	int64_t *first;   /* [size + 1]: letters[r] letters to r begin at records[first[r]] */
	int64_t *count;   /* [size]: records in them */
	struct edge_record *records;
	struct req *reqs; /* of letters to other ranks */
	int nreqs;
};

/* A letter that has come begins at records[at]. */
struct letter {
	int32_t from;
	int64_t at;
};

struct edge_inbox {
	struct edge_record *records; /* letters as they came */
	int64_t n, room;
	struct letter *letters; /* by their senders */
	int64_t nletters;
};

static int mail_new(struct edge_mail *m, int size)
{
	size_t n = (size_t)size;

	m->first = calloc(2 * n + 1, sizeof(*m->first));
	m->letters = calloc(n, sizeof(*m->letters));
	m->count = m->first == NULL ? NULL : m->first + n + 1;
	return m->first == NULL || m->letters == NULL
		       ? haft_err(MPI_ERR_NO_MEM, "no memory to route edges to %d ranks", size)
		       : 0;
}

static void mail_free(struct edge_mail *m)
{
	free(m->first);
	free(m->letters);
	free(m->records);
	free(m->reqs);
}

/* Sets letters[] and first[] from count[], and allocates records and requests. */
static int mail_room(struct edge_mail *m, int size, int me)
{
	int64_t letters = 0;

	for (int r = 0; r < size; r++) {
		int64_t n = (m->count[r] + LETTER_EDGES - 1) / LETTER_EDGES;

		m->letters[r] = (int32_t)n;
		m->first[r + 1] = m->first[r] + n + m->count[r];
		letters += r == me ? 0 : n;
	}
	if (letters > INT32_MAX / 2)
		return haft_err(MPI_ERR_ARG, "%lld edges of one process are too many",
			(long long)m->first[size] / 2);
	m->records = malloc((size_t)m->first[size] * sizeof(*m->records) + 1);
	m->reqs = malloc((size_t)letters * sizeof(*m->reqs) + 1);
	return m->records == NULL || m->reqs == NULL
		       ? haft_err(MPI_ERR_NO_MEM, "no memory for %lld letters of edges",
				 (long long)letters)
		       : 0;
}

static void mail_add(struct edge_mail *m, int me, int to, struct edge_record r)
{
	int64_t at = m->count[to]++;
	struct edge_record *letter = m->records + m->first[to] + at / LETTER_EDGES * LETTER_ROOM;

	at %= LETTER_EDGES;
	*letter = (struct edge_record){.end = (int32_t)at + 1, .other = me};
	letter[1 + at] = r;
}

/* The user's lists. */
struct dist_lists {
	int n;
	const int *sources, *degrees, *destinations, *weights;
};

/* Writes two records for each edge of the user's lists. */
static int mail_write(struct edge_mail *m, const struct comm *c, const struct dist_lists *l)
{
	int64_t e = 0;
	int err;

	for (int i = 0; i < l->n; i++) {
		m->count[l->sources[i]] += l->degrees[i];
		for (int j = 0; j < l->degrees[i]; j++)
			m->count[l->destinations[e++]]++;
	}
	err = mail_room(m, c->size, c->rank);
	if (err != 0)
		return err;
	memset(m->count, 0, (size_t)c->size * sizeof(*m->count));
	e = 0;
	for (int i = 0; i < l->n; i++) {
		for (int j = 0; j < l->degrees[i]; j++, e++) {
			int w = l->weights == NULL ? 0 : l->weights[e];
			int from = l->sources[i], to = l->destinations[e];

			mail_add(m, c->rank, from, (struct edge_record){END_OUT, to, w});
			mail_add(m, c->rank, to, (struct edge_record){END_IN, from, w});
		}
	}
	return 0;
}

/* Starts the letters to all other ranks, the next rank first. */
static void mail_send(struct edge_mail *m, struct comm *c)
{
	for (int i = 1; i < c->size; i++) {
		int to = (c->rank + i) % c->size;

		for (int64_t at = m->first[to]; at < m->first[to + 1]; at += LETTER_ROOM)
			p2p_plane_isend(c, CTX_MAKE, m->records + at,
				(1 + m->records[at].end) * (int64_t)sizeof(*m->records), to,
				TAG_LETTER, &m->reqs[m->nreqs++]);
	}
}

/* Appends records, which are whole letters. */
static int inbox_add(struct edge_inbox *in, const struct edge_record *records, int64_t n)
{
	int64_t room = 2 * (in->n + n) + LETTER_ROOM;
	struct edge_record *more = in->records;

	if (in->n + n > in->room) {
		more = realloc(in->records, (size_t)room * sizeof(*more));
		if (more == NULL)
			return haft_err(
				MPI_ERR_NO_MEM, "no memory for %lld edges", (long long)(in->n + n));
		in->records = more;
		in->room = room;
	}
	if (n > 0)
		memcpy(in->records + in->n, records, (size_t)n * sizeof(*records));
	in->n += n;
	return 0;
}

/* Receives so many letters.  Those without memory are received all the same. */
static int inbox_receive(struct edge_inbox *in, struct comm *c, int64_t letters)
{
	struct edge_record letter[LETTER_ROOM];
	int err = 0;

	for (int64_t i = 0; i < letters; i++) {
		int lost = p2p_plane_recv(
			c, CTX_MAKE, letter, sizeof(letter), MPI_ANY_SOURCE, TAG_LETTER);

		if (lost != 0)
			return lost;
		if (err == 0)
			err = inbox_add(in, letter, 1 + letter[0].end);
	}
	return err;
}

static int letter_order(const void *a, const void *b)
{
	const struct letter *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->at < y->at ? -1 : 1; /* letters of one sender come in their order */
}

/* Orders the letters by their senders.  n: how many there are. */
static int inbox_sort(struct edge_inbox *in, int64_t n)
{
	int64_t at = 0;

	in->letters = malloc((size_t)n * sizeof(*in->letters) + 1);
	if (in->letters == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for %lld letters of edges", (long long)n);
	for (; at < in->n; at += 1 + in->records[at].end)
		in->letters[in->nletters++] = (struct letter){in->records[at].other, at};
	qsort(in->letters, (size_t)in->nletters, sizeof(*in->letters), letter_order);
	return 0;
}

static int mail_exchange(struct comm *c, struct edge_mail *m, struct edge_inbox *in)
{
	int32_t letters = 0;
	int err, lost;

	mail_send(m, c);
	err = coll_reduce_scatter_block(m->letters, &letters, 1, type_predefined(MPI_INT32_T),
		coll_op_predefined(MPI_SUM), c);
	if (err == 0)
		err = inbox_receive(in, c, letters - m->letters[c->rank]);
	lost = p2p_coll_wait(m->reqs, m->nreqs);
	if (err == 0)
		err = lost;
	if (err == 0)
		err = inbox_add(in, m->records + m->first[c->rank],
			m->first[c->rank + 1] - m->first[c->rank]);
	return err != 0 ? err : inbox_sort(in, letters);
}

/* Adds up to two ends: degrees[END_IN], degrees[END_OUT]. */
static void inbox_count(const struct edge_inbox *in, int64_t degrees[2])
{
	for (int64_t i = 0; i < in->nletters; i++) {
		const struct edge_record *letter = in->records + in->letters[i].at;

		for (int j = 1; j <= letter->end; j++)
			degrees[letter[j].end]++;
	}
}

static int inbox_read(const struct edge_inbox *in, bool weighted, struct topo **topo)
{
	int64_t n[2] = {0, 0};
	int *rank[2], *weight[2];
	struct topo *t;

	inbox_count(in, n);
	if (n[END_IN] + n[END_OUT] > INT32_MAX)
		return haft_err(MPI_ERR_ARG, "%lld edges at one process; degrees are ints",
			(long long)(n[END_IN] + n[END_OUT]));
	t = dist_new((int)n[END_IN], (int)n[END_OUT], weighted);
	if (t == NULL)
		return MPI_ERR_NO_MEM;
	rank[END_IN] = t->room;
	rank[END_OUT] = t->room + n[END_IN];
	weight[END_IN] = t->inw;
	weight[END_OUT] = t->outw;
	for (int64_t i = 0; i < in->nletters; i++) {
		const struct edge_record *r = in->records + in->letters[i].at;

		for (int left = r++->end; left > 0; left--, r++) {
			*rank[r->end]++ = r->other;
			if (weighted)
				*weight[r->end]++ = r->weight;
		}
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
	struct dist_lists lists = {n, sources, degrees, destinations, weights};
	struct edge_mail mail = {0};
	struct edge_inbox in = {0};
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
	if (args.error == 0)
		args.error = mail_new(&mail, c->size);
	if (!args.weighted)
		lists.weights = NULL;
	if (args.error == 0)
		args.error = mail_write(&mail, c, &lists);
	err = dist_agree(c, &args, &weighted);
	if (err == 0)
		err = mail_exchange(c, &mail, &in);
	if (err == 0)
		err = inbox_read(&in, weighted, &t);
	mail_free(&mail);
	free(in.records);
	free(in.letters);
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
