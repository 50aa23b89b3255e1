// SPDX-License-Identifier: BSD-3-Clause
/* coll_plan.c - schedules of members that are not there (coll_plan.h).
 *
 * The communicator's layout is made once for a job, by the library.  Only what differs between
 * members is set for each: its host, and the members of that.  A plan made so must be equal to one
 * whose layout the library has made for that rank alone (`fresh'): coll_sim.c asserts that. */
#include "tests/sim/coll_plan.h"

#include "libmpi/coll/sched.c"
#include "libmpi/coll/selection.c"
#include <malloc.h>

static struct plan_shape shape;
static struct comm comm;
static struct group members;

int __wrap_via_node_any(int peer);

int plan_host(int rank)
{
	if (shape.cyclic)
		return rank % shape.hosts;
	return (int)((int64_t)rank * shape.hosts / shape.ranks);
}

int __wrap_via_node_any(int peer)
{
	return plan_host(peer);
}

/* The lowest rank of a host. */
static int host_first(int host)
{
	if (shape.cyclic)
		return host;
	return (int)(((int64_t)host * shape.ranks + shape.hosts - 1) / shape.hosts);
}

int plan_host_size(int host)
{
	if (shape.cyclic)
		return (shape.ranks - host + shape.hosts - 1) / shape.hosts;
	return host_first(host + 1) - host_first(host);
}

int plan_local_rank(int rank)
{
	return shape.cyclic ? rank / shape.hosts : rank - host_first(plan_host(rank));
}

/* --- the communicator ----------------------------------------------------------------------- */

static void comm_make(int rank)
{
	coll_state_free(&comm);
	members = (struct group){.size = shape.ranks, .rank = rank, .stride = 1};
	comm = (struct comm){
		.rank = rank, .size = shape.ranks, .reach = shape.ranks, .group = &members};
}

void plan_shape_set(const struct plan_shape *now)
{
	coll_state_free(&comm);
	shape = *now;
	via.mixed = shape.hosts > 1;
	comm_make(0);
}

/* Makes the communicator that of a rank. */
static void comm_move(int rank)
{
	int host = plan_host(rank), size = plan_host_size(host);
	int first = host_first(host), step = shape.cyclic ? shape.hosts : 1;
	struct coll_hier *h;

	comm.rank = members.rank = rank;
	if (shape.hosts == 1)
		return;
	h = coll_hier_of(&comm);
	if (host != h->my_host) {
		h->peers = realloc(h->peers, 2 * (size_t)size * sizeof(*h->peers));
		h->order = h->peers + size;
		for (int i = 0; i < size; i++) {
			h->peers[i] = first + i * step;
			h->order[i] = i;
		}
		h->my_host = host;
		h->group.size = h->local.size = size;
		h->group.base = h->peers[0];
		h->group.map = h->peers;
		h->group.unmap = h->order;
	}
	h->group.rank = h->local.rank = plan_local_rank(rank);
}

/* --- calls ---------------------------------------------------------------------------------- */

/* A place for data that are not there: addresses are computed from it, and never used. */
static void *nowhere(int which)
{
	return (void *)((uintptr_t)(which + 1) << 44);
}

static struct coll_args args_of(const struct plan_call *call)
{
	struct type *type = type_predefined(call->floats ? MPI_DOUBLE : MPI_INT64_T);
	int64_t count = call->bytes / 8;
	int me = comm.rank;
	struct coll_args k = {.comm = &comm,
		.kind = call->kind,
		.n = comm.size,
		.me = me,
		.root = call->root,
		.caller = me,
		.nin = comm.size,
		.nout = comm.size,
		.at_root = me == call->root,
		.leaf = true,
		.blocking = call->blocking,
		.bytes = call->bytes,
		.sbuf = call->sbuf != NULL ? call->sbuf[me] : nowhere(0),
		.scount = count,
		.stype = type,
		.rbuf = call->rbuf != NULL ? call->rbuf[me] : nowhere(1),
		.rcount = count,
		.rtype = type};

	if (call->kind >= COLL_REDUCE)
		k.op = coll_op_predefined(MPI_SUM);
	if (call->kind == COLL_BARRIER)
		k.bytes = k.scount = k.rcount = 0;
	return k;
}

bool plan_row(const struct plan_call *call, int i, const char **name, coll_algorithm_fn **fn)
{
	const struct rule *r = &rules[call->kind][i];
	struct coll_args k;

	*name = algorithms[r->algorithm].name;
	for (int j = 0; j < i && *name != NULL; j++)
		if (rules[call->kind][j].algorithm == r->algorithm &&
			((rules[call->kind][j].flags ^ r->flags) & RULE_ORDERED) == 0)
			return false;
	if (*name == NULL)
		return false;
	comm_move(0);
	k = args_of(call);
	*fn = algorithms[r->algorithm].function;
	return rule_able(r, &k) && args_order_matters(&k) == ((r->flags & RULE_ORDERED) != 0);
}

coll_algorithm_fn *plan_choice(const struct plan_call *call)
{
	struct coll_args k;

	comm_move(0);
	k = args_of(call);
	return coll_algorithm(&k);
}

/* --- plans ---------------------------------------------------------------------------------- */

static int64_t work_ps(const struct plan_costs *c, const struct step *p)
{
	double bytes = (double)(p->n * p->type->size);

	return (int64_t)(1000 * (c->step + bytes * (p->kind == STEP_REDUCE ? c->reduce : c->copy)));
}

static struct plan_step step_of(const struct plan_costs *c, const struct step *p)
{
	const struct coll_args *in = p->out;

	switch (p->kind) {
	case STEP_SEND:
	case STEP_RECV:
		return (struct plan_step){.kind = p->kind == STEP_SEND ? PLAN_SEND : PLAN_RECV,
			.peer = p->peer,
			.amount = p->n * p->type->size};
	case STEP_FENCE: return (struct plan_step){.kind = PLAN_FENCE};
	case STEP_CALL: /* hierarchical.c: coll_hier_local */
		return (struct plan_step){.kind = PLAN_LOCAL,
			.local = (uint8_t)in->kind,
			.peer = in->root,
			.amount = in->bytes};
	}
	return (struct plan_step){.kind = PLAN_WORK, .amount = work_ps(c, p)};
}

static void plan_convert(
	struct plan *p, const struct plan_costs *costs, const struct sched *s, bool join)
{
	p->steps = malloc((size_t)s->nsteps * sizeof(*p->steps) + 1);
	for (int i = 0; i < s->nsteps; i++) {
		struct plan_step step = step_of(costs, &s->steps[i]);

		if (step.kind == PLAN_SEND) {
			p->sends++;
			p->sent_bytes += step.amount;
		}
		p->locals += step.kind == PLAN_LOCAL;
		if (join && step.kind == PLAN_WORK && p->n > 0 &&
			p->steps[p->n - 1].kind == PLAN_WORK)
			p->steps[p->n - 1].amount += step.amount;
		else
			p->steps[p->n++] = step;
	}
	if (join)
		p->steps = realloc(p->steps, (size_t)p->n * sizeof(*p->steps) + 1);
}

struct plan plan_make(const struct plan_call *call, const struct plan_costs *costs, int rank,
	bool keep, bool fresh)
{
	struct plan p = {0};
	struct coll_args k;
	struct sched *s;

	if (fresh)
		comm_make(rank);
	comm_move(rank);
	k = args_of(call);
	s = sched_new(&k);
	(call->algorithm != NULL ? call->algorithm : coll_algorithm(&k))(s, &k);
	if (!sched_ready(s)) {
		sched_free(s);
		p.n = -1;
		return p;
	}
	p.step_memory = (int64_t)(sizeof(*s) + (size_t)s->nsteps * sizeof(*s->steps) +
				  (size_t)s->most * sizeof(*s->reqs));
	for (struct chunk *c = s->chunks; c != NULL; c = c->next)
		p.temp_memory += (int64_t)malloc_usable_size(c);
	p.planned = s->nsteps;
	plan_convert(&p, costs, s, !keep);
	if (keep)
		p.sched = s;
	else
		sched_free(s);
	return p;
}

void plan_free(struct plan *p)
{
	if (p->sched != NULL)
		sched_free(p->sched);
	free(p->steps);
	*p = (struct plan){0};
}

bool plan_equal(const struct plan *a, const struct plan *b)
{
	for (int i = 0; i < a->n && i < b->n; i++)
		if (a->steps[i].kind != b->steps[i].kind || a->steps[i].peer != b->steps[i].peer ||
			a->steps[i].amount != b->steps[i].amount)
			return false;
	return a->n == b->n;
}

/* --- data ----------------------------------------------------------------------------------- */

void plan_work(struct plan *p, int i)
{
	struct sched *s = p->sched;

	if (step_compute(s, &s->steps[i]) != 0) {
		fprintf(stderr, "step %d: %s\n", i, haft_err_text(MPI_ERR_OTHER));
		exit(1);
	}
}

void *plan_pack(struct plan *p, int i)
{
	const struct step *step = &p->sched->steps[i];
	int64_t bytes = step->n * step->type->size;
	void *data = malloc((size_t)bytes + 1);

	type_pack(step->type, step->a, step->n, 0, data, bytes);
	return data;
}

void plan_unpack(struct plan *p, int i, const void *data)
{
	const struct step *step = &p->sched->steps[i];

	type_unpack(step->type, step->out, step->n, 0, data, step->n * step->type->size);
}
