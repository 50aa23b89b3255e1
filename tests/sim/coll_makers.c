// SPDX-License-Identifier: BSD-3-Clause
/* coll_makers.c - constructors, files and the start in simulated time (coll_makers.h).
 *
 *      maker ──> its calls, one after another ──> each by the schedules of coll/, under LogGP
 *                                                 (case_row: the chosen algorithm, or a given one)
 *
 *      mpiexec        the root ──> 32 proxies ──> 32 each ...     CONF and WORLD go down
 *                              <──            <──                 READY and BEGUN come up, joined
 *
 * A maker's time is the sum of its calls': no member begins a call before all have ended the one
 * before.  So it is at most too long.  Work that is no message (reading a map, forking a rank,
 * opening a file) is not in it. */
#include "tests/sim/coll_makers.h"

#include "libmpi/comm/comm_create.h"
#include "libmpi/io/collective.h"
#include <math.h>
#include <stdlib.h>

#define CALLS       4
#define NEIGHBORS   4  /* on each side, in a graph */
#define TREE_FANOUT 32 /* as in tools/mpiexec/proxy_tree.h, which has another struct plan */

/* Bytes of messages whose structs are private to their files. */
#define LETTER_BYTES 36  /* libmpi/topo/dist_graph.c: of two records */
#define OPEN_OFFER   208 /* libmpi/io/open.c: struct open_offer */
#define OPEN_FIRST   520 /* likewise: struct open_first */
#define DIST_ARGS    16  /* libmpi/topo/dist_graph.c: struct dist_args */

/* Bytes of frames of a start, and of the part of them that is of a host. */
#define CONF_BYTES  4096
#define HOST_BYTES  48 /* its name, address and ranks */
#define READY_BYTES 64

/* A call of all members.  algorithm: NULL: as the rules say. */
struct maker_call {
	enum coll_kind kind;
	int64_t bytes;
	coll_algorithm_fn *algorithm;
};

/* Rows without calls send nothing; mpiexec's have a tree. */
static const struct {
	const char *name;
	struct maker_call calls[CALLS];
	int ncalls;
} makers[MAKERS] = {
	{"MPI_Init", {{0}}, 0},
	{"MPI_Comm_dup", {{0}}, 0},
	{"MPI_Comm_dup, new ids", {{COLL_BCAST, sizeof(struct comm_ids), coll_bcast_binomial}}, 1},
	{"MPI_Comm_create_group", {{COLL_BCAST, sizeof(struct comm_ids), coll_bcast_binomial}}, 1},
	{"MPI_Comm_split", {{COLL_ALLGATHER, sizeof(struct split_entry), NULL}}, 1},
	{"MPI_Dist_graph_create",
		{{COLL_ALLREDUCE, DIST_ARGS, NULL}, {COLL_REDUCE_SCATTER_BLOCK, 8, NULL}}, 2},
	{"MPI_File_open",
		{{COLL_ALLREDUCE, 8, NULL}, {COLL_ALLGATHER, OPEN_OFFER, NULL},
			{COLL_BCAST, OPEN_FIRST, NULL}, {COLL_ALLREDUCE, 8, NULL}},
		4},
	{"MPI_File_write_all, ranges", {{COLL_ALLGATHER, sizeof(struct io_member), NULL}}, 1},
	{"MPI_File_iwrite_all, ranges",
		{{COLL_ALLGATHER, sizeof(struct io_member), coll_allgather_bruck}}, 1},
	{"mpiexec, start", {{0}}, 0},
};

#define MAKER_MPIEXEC (MAKERS - 1)
#define MAKER_GRAPH   5 /* its letters to neighbors as well */

const char *maker_name(int maker)
{
	return makers[maker].name;
}

/* --- calls ---------------------------------------------------------------------------------- */

static struct outcome maker_run(const struct machine *m, const struct plan_shape *shape, int maker)
{
	struct outcome all = {0};

	for (int i = 0; i < makers[maker].ncalls; i++) {
		const struct maker_call *call = &makers[maker].calls[i];
		struct coll_case c = {.m = m,
			.shape = *shape,
			.call = {.kind = call->kind,
				.bytes = call->bytes,
				.blocking = shape->hosts > 1 && call->algorithm == NULL}};
		coll_algorithm_fn *fn = call->algorithm;
		struct outcome o;

		o = case_row(&c, fn != NULL ? fn : plan_choice(&c.call), true, INFINITY);
		all.time += o.time;
		all.messages += o.messages;
	}
	return all;
}

/* Letters of MPI_Dist_graph_create: from each member to its neighbors on a ring, as many on each
 * side.  One host stands for all. */
static struct outcome letters_run(const struct machine *m, const struct plan_shape *shape)
{
	int each = shape->ranks / shape->hosts;
	struct plan *plans = calloc((size_t)each, sizeof(*plans));
	struct loggp_job job = {.m = m,
		.plans = plans,
		.members = each,
		.hosts = shape->hosts,
		.fold = FOLD_SHIFT,
		.limit = INFINITY};
	struct outcome o = {.messages = 2.0 * NEIGHBORS * shape->ranks};

	for (int i = 0; i < each; i++) {
		struct plan *p = &plans[i];

		p->steps = malloc((size_t)4 * NEIGHBORS * sizeof(*p->steps));
		for (int k = 0; k < 4 * NEIGHBORS; k++) {
			int by = 1 + k / 4, to = k % 2 == 0 ? i + by : i - by + shape->ranks;

			p->steps[p->n++] = (struct plan_step){LETTER_BYTES, to % shape->ranks,
				k % 4 < 2 ? PLAN_SEND : PLAN_RECV, 0};
		}
	}
	o.time = loggp_run(&job, NULL);
	for (int i = 0; i < each; i++)
		plan_free(&plans[i]);
	free(plans);
	return o;
}

/* --- the processes of mpiexec --------------------------------------------------------------- */

/* Hosts at node `at' of the tree and below. */
static int64_t tree_below(int64_t at, int64_t hosts)
{
	int64_t n = 0, width = 1;

	for (; at < hosts; at = at * TREE_FANOUT + 1, width *= TREE_FANOUT)
		n += at + width <= hosts ? width : hosts - at;
	return n;
}

/* One step of a start at a node: down: it gets a frame and gives it to its children; else each
 * child gives one, and one goes up. */
static void tree_step(struct plan *p, int at, int hosts, bool down)
{
	int64_t first = (int64_t)at * TREE_FANOUT + 1;
	int64_t conf = CONF_BYTES + (int64_t)HOST_BYTES * hosts;
	int parent = (at - 1) / TREE_FANOUT;

	if (down && at > 0) {
		p->steps[p->n++] = (struct plan_step){conf, parent, PLAN_RECV, 0};
		p->steps[p->n++] = (struct plan_step){.kind = PLAN_FENCE};
	}
	for (int64_t i = first; i < first + TREE_FANOUT && i < hosts; i++)
		p->steps[p->n++] =
			(struct plan_step){down ? conf : READY_BYTES * tree_below(i, hosts),
				(int32_t)i, down ? PLAN_SEND : PLAN_RECV, 0};
	p->steps[p->n++] = (struct plan_step){.kind = PLAN_FENCE};
	if (!down && at > 0)
		p->steps[p->n++] = (struct plan_step){
			READY_BYTES * tree_below(at, hosts), parent, PLAN_SEND, 0};
}

/* The frames of a start: CONF, READY, WORLD, BEGUN; a process on each host. */
static struct outcome tree_run(const struct machine *m, int hosts)
{
	struct plan_shape shape = {hosts, hosts, false};
	struct plan *plans = calloc((size_t)hosts, sizeof(*plans));
	struct loggp_job job = {
		.m = m, .plans = plans, .members = hosts, .hosts = hosts, .limit = INFINITY};
	struct outcome o = {.messages = 4.0 * (hosts - 1)};

	plan_shape_set(&shape);
	for (int i = 0; i < hosts; i++) {
		plans[i].steps = malloc((size_t)4 * (TREE_FANOUT + 3) * sizeof(struct plan_step));
		for (int step = 0; step < 4; step++)
			tree_step(&plans[i], i, hosts, step % 2 == 0);
	}
	o.time = loggp_run(&job, NULL);
	for (int i = 0; i < hosts; i++)
		plan_free(&plans[i]);
	free(plans);
	return o;
}

/* --- tables --------------------------------------------------------------------------------- */

struct maker_table makers_run(const struct machine *m, const struct plan_shape *shapes, int nshapes)
{
	struct maker_table t = {.m = m,
		.shapes = shapes,
		.nshapes = nshapes,
		.ns = calloc((size_t)(MAKERS * nshapes), sizeof(double)),
		.messages = calloc((size_t)(MAKERS * nshapes), sizeof(double))};

	for (int s = 0; s < nshapes; s++)
		for (int i = 0; i < MAKERS; i++) {
			struct outcome o;

			plan_shape_set(&shapes[s]);
			o = i == MAKER_MPIEXEC ? tree_run(m, shapes[s].hosts)
					       : maker_run(m, &shapes[s], i);
			if (i == MAKER_GRAPH) {
				struct outcome letters = letters_run(m, &shapes[s]);

				o.time += letters.time;
				o.messages += letters.messages;
			}
			t.ns[i * nshapes + s] = o.time;
			t.messages[i * nshapes + s] = o.messages;
		}
	return t;
}

void makers_print(FILE *f, const struct maker_table *t)
{
	for (int i = 0; i < MAKERS; i++)
		for (int s = 0; s < t->nshapes; s++) {
			double ns = t->ns[i * t->nshapes + s];

			fprintf(f, "%-9s %-27s %7d %5d %s%12.2f us %10.3g messages\n", t->m->name,
				makers[i].name, t->shapes[s].ranks, t->shapes[s].hosts,
				isinf(ns) ? ">" : " ", isinf(ns) ? 0 : ns / 1e3,
				t->messages[i * t->nshapes + s]);
		}
}

/* x: 10 to 10^6 ranks; y: 1 us to 10 s; both by powers of ten. */
static double x_of(int ranks)
{
	return PLOT_X + PLOT_W * (log10(ranks) - 1) / 5;
}

static double y_of(double ns)
{
	return PLOT_Y + PLOT_H * (7 - fmax(log10(ns / 1e3), 0)) / 7;
}

static void maker_draw(FILE *f, const struct maker_table *t, int i, int left, int top)
{
	fprintf(f, "<g transform='translate(%d %d)'>\n", left, top);
	fprintf(f, "<text x='%d' y='16' font-size='11' font-weight='bold'>%s</text>\n", PLOT_X,
		makers[i].name);
	fprintf(f, "<text x='%d' y='28' font-size='9'>by ranks, %s</text>\n", PLOT_X, t->m->name);
	fprintf(f, "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#999'/>\n",
		PLOT_X, PLOT_Y, PLOT_W, PLOT_H);
	for (int e = 0; e <= 6; e += 3)
		fprintf(f, "<text x='%d' y='%.1f' font-size='8' text-anchor='end'>%s</text>\n",
			PLOT_X - 3, y_of(pow(10, e + 3)) + 3,
			e == 0   ? "1 us"
			: e == 3 ? "1 ms"
				 : "1 s");
	fprintf(f, "<text x='%d' y='%d' font-size='8'>10</text>\n", PLOT_X, CELL_H - 18);
	fprintf(f, "<text x='%d' y='%d' font-size='8'>10^6</text>\n", PLOT_X + PLOT_W, CELL_H - 18);
	fprintf(f, "<polyline fill='none' stroke='#1f77b4' points='");
	for (int s = 0; s < t->nshapes; s++) {
		double ns = t->ns[i * t->nshapes + s];

		if (ns > 0 && !isinf(ns))
			fprintf(f, "%.1f,%.1f ", x_of(t->shapes[s].ranks), y_of(ns));
	}
	fprintf(f, "'/>\n</g>\n");
}

int makers_draw(FILE *f, const struct maker_table *t, int top)
{
	for (int i = 0; i < MAKERS; i++)
		maker_draw(f, t, i, i % 5 * CELL_W, top + i / 5 * CELL_H);
	return (MAKERS + 4) / 5 * CELL_H;
}
