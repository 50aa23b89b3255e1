// SPDX-License-Identifier: BSD-3-Clause
/* coll_cases.c - runs a case of coll_cases.h.
 *
 *      rows, the chosen one first ──> plans ──> fold? ──> loggp_run, until case_cut times the best
 *
 * A row is given up early if its own least time, the work of one member's plan, is too long. */
#include "tests/sim/coll_cases.h"

#include "libmpi/core/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PLANNED    8.0  /* times as many steps as are simulated may be planned */
#define SAMPLES    3    /* hosts whose plans are compared before one stands for all */
#define FOLD_WORK  0.2  /* by how much the work of hosts may differ then */
#define UNITS      8    /* of a block, in which bound_gather counts */
#define ALIKE      8    /* members of a host, from which those without messages are one */
#define UNITS      8    /* of a block, in which bound_gather counts */
#define LATE_LEAST 1e-9 /* a share of bytes, in which bound_spread counts */
#define MORE       64   /* messages than are needed: so many cost more than they save */

double case_steps_max = 3e6;
double case_cut = 4;

const struct machine machines[MACHINES] = {
	[HERE] = {.name = "here",
		.host = {.L = 75, .o = 40, .c = 0.095, .g = 0, .G = 0.039, .eager = 16384},
		.net = {.L = 600, .o = 1100, .c = 0.06, .g = 0, .G = 0.12, .eager = 65536},
		.work = {.step = 10, .copy = 0.05, .reduce = 0.1},
		.line = 30,
		.cores = 2,
		.change = 1500},
	[ETHERNET] = {.name = "ethernet",
		.host = {.L = 75, .o = 40, .c = 0.095, .g = 0, .G = 0.039, .eager = 4096},
		.net = {.L = 10000, .o = 1100, .c = 0.06, .g = 50, .G = 0.32, .eager = 65536},
		.work = {.step = 10, .copy = 0.05, .reduce = 0.1},
		.line = 30},
	[FABRIC] = {.name = "fabric",
		.host = {.L = 75, .o = 40, .c = 0.095, .g = 0, .G = 0.039, .eager = 4096},
		.net = {.L = 1200, .o = 300, .c = 0.05, .g = 50, .G = 0.08, .eager = 16384},
		.work = {.step = 10, .copy = 0.05, .reduce = 0.1},
		.line = 30},
};

/* --- bounds --------------------------------------------------------------------------------- */

/* One that knows, and its next message. */
struct teller {
	double next; /* when that arrives */
	double told; /* when it was told */
	int sent;
	const double *leaves; /* [n] when its messages leave, after that */
};

/* When messages of one that knows leave, one after another: [n] of the first one, and of others. */
struct spacing {
	const double *first, *other;
};

static void teller_down(struct teller *heap, int size, struct teller t)
{
	int i = 0;

	for (int child; (child = 2 * i + 1) < size; i = child) {
		if (child + 1 < size && heap[child + 1].next < heap[child].next)
			child++;
		if (heap[child].next >= t.next)
			break;
		heap[i] = heap[child];
	}
	heap[i] = t;
}

/* The least time in which one tells n - 1 others, who tell others: a message takes D (the broadcast
 * of LogP).  In `heap' the next message to arrive is the first.  times: NULL, or [n]
 * when each knows, in ascending order. */
static double reach(int n, double D, struct spacing gap, double *times)
{
	struct teller *heap = malloc((size_t)n * sizeof(*heap));
	double last = 0;
	int size = 1;

	heap[0] = (struct teller){D, 0, 0, gap.first};
	if (times != NULL)
		times[0] = 0;
	for (int told = 1; told < n; told++) {
		struct teller t = heap[0];
		int i = size;

		last = t.next;
		if (times != NULL)
			times[told] = last;
		t.next = t.told + D + t.leaves[++t.sent];
		teller_down(heap, size++, t);
		for (; i > 0 && last + D < heap[(i - 1) / 2].next; i = (i - 1) / 2)
			heap[i] = heap[(i - 1) / 2];
		heap[i] = (struct teller){last + D, last, 0, gap.other};
	}
	free(heap);
	return last;
}

/* The spacing of one member's messages, each every o. */
static void leaves_of_one(double *leaves, int n, double o)
{
	for (int i = 0; i < n; i++)
		leaves[i] = i * o;
}

/* The spacing of a host's: member j sends from since[j] on, each every l->o; its NIC every l->g. */
static void leaves_of_host(
	double *leaves, int n, const double *since, int members, const struct loggp *l)
{
	int *sent = calloc((size_t)members, sizeof(*sent));

	for (int i = 0; i < n; i++) {
		double first = INFINITY;
		int next = 0;

		for (int j = 0; j < members; j++)
			if (since[j] + sent[j] * l->o < first) {
				first = since[j] + sent[j] * l->o;
				next = j;
			}
		sent[next]++;
		leaves[i] = i > 0 ? fmax(first, leaves[i - 1] + l->g) : first;
	}
	free(sent);
}

/* A case, as its bounds need it. */
struct job {
	const struct machine *m;
	double n, hosts, each; /* members; of the largest host */
	double bytes;
	double D;     /* the shortest message between hosts, or of one host's members */
	double local; /* the shortest way from one member of a host to another */
	double down;  /* the least time in which all members hear of one */
	double up;    /* in which one learns of all */
	double rest;  /* as the greater of them that the call needs, if one host knows at first */
	double *told; /* [hosts] when hosts are told, as for `rest', by one member; several hosts */
	bool cyclic;
	double r; /* a byte from another member of the host, for the receiver: the cheapest way */
};

/* Has the call a member whose data go to all; a member that gets data of all? */
static bool goes_down(enum coll_kind kind)
{
	return kind != COLL_GATHER && kind != COLL_REDUCE;
}

static bool goes_up(enum coll_kind kind)
{
	return kind != COLL_BCAST && kind != COLL_SCATTER;
}

/* When the members of a host know, of whom one does at first.  Down: a call in its memory may tell
 * all at once.  Up, turned round: a member spends time on each of those that it learns of.  If the
 * host is not the first, `g' apart each may also be told from another host. */
static void host_times(const struct job *j, bool up, double g, double *times)
{
	int n = (int)j->each;
	double *leaves = calloc((size_t)n + 1, sizeof(*leaves));

	times[0] = 0;
	if (up) {
		leaves_of_one(leaves, n + 1, fmin(j->m->host.o, j->m->line));
		reach(n, j->local, (struct spacing){leaves, leaves}, times);
	}
	for (int i = 1; i < n; i++)
		times[i] = fmin(up ? times[i] : j->local, i * g);
	free(leaves);
}

/* Several hosts.  When each is told; returns when all members are.  all: those of the first host
 * know at first. */
static double reach_hosts(const struct job *j, bool up, bool all, double *told)
{
	int n = (int)j->hosts, each = (int)j->each, least = (int)(j->n / j->hosts);
	double *mem = calloc(2 * (size_t)(n + each), sizeof(*mem)), last;
	double *first = mem, *other = mem + n, *times = mem + 2 * n, *later = times + each;

	if (!all)
		host_times(j, up, INFINITY, times);
	host_times(j, up, j->m->net.g, later);
	leaves_of_host(first, n, times, each, &j->m->net);
	leaves_of_host(other, n, later, each, &j->m->net);
	last = reach(n, j->D, (struct spacing){first, other}, told);
	last += later[least - 1];
	free(mem);
	return last;
}

static void job_reach(struct job *j, enum coll_kind kind)
{
	if (j->hosts > 1) {
		j->told = calloc((size_t)j->hosts, sizeof(*j->told));
		j->down = reach_hosts(j, false, false, NULL);
		j->up = reach_hosts(j, true, false, NULL);
		j->rest = reach_hosts(j, goes_up(kind), true, NULL);
		reach_hosts(j, goes_up(kind), false, j->told);
	} else {
		double *leaves = calloc((size_t)j->n + 1, sizeof(*leaves));

		leaves_of_one(leaves, (int)j->n + 1, j->m->host.o);
		j->down = j->up = j->rest =
			reach((int)j->n, j->D, (struct spacing){leaves, leaves}, NULL);
		free(leaves);
	}
}

static struct job job_of(const struct coll_case *c)
{
	const struct machine *m = c->m;
	struct job j = {.m = m,
		.n = c->shape.ranks,
		.hosts = c->shape.hosts,
		.each = plan_host_size(0),
		.bytes = (double)c->call.bytes,
		.cyclic = c->shape.cyclic,
		.local = m->host.L + 2 * fmin(m->host.o, m->line),
		.r = fmin(m->host.c, m->host.G)};
	const struct loggp *l = j.hosts > 1 ? &m->net : &m->host;

	j.D = l->L + 2 * l->o;
	job_reach(&j, c->call.kind);
	if (j.hosts > 1)
		j.r = fmin(j.r, m->work.copy);
	else if (j.bytes * j.n <= (double)m->host.eager)
		j.r = m->host.c; /* no message can be long */
	return j;
}

/* Bytes, through the bytes of the call, that pass the NIC of some host, each way.  Of a scan of a
 * cyclic mapping: between two ranks of a host, and before its first, are ranks of others.  The sum
 * of their operands is the difference of two results there, less an operand.  So as many such sums
 * come to the host as it has members, and they are independent: other operands give any values. */
static double nic_share(enum coll_kind kind, const struct job *j)
{
	switch (kind) {
	case COLL_GATHER:
	case COLL_SCATTER:
	case COLL_ALLGATHER:
	case COLL_REDUCE_SCATTER_BLOCK: return j->n - j->each;
	case COLL_ALLTOALL: return j->each * (j->n - j->each);
	case COLL_ALLREDUCE: return 2 * (j->hosts - 1) / j->hosts;
	case COLL_SCAN: return j->cyclic ? j->each : 1; /* not of the first host */
	case COLL_BARRIER: return 0;
	default: return 1;
	}
}

/* The first message arrives after D, and a NIC needs its time for all.  Where one member has, or
 * gets, all data of all: a byte leaves the root's NIC last, and still has to reach all hosts.
 * Turned round, a byte's last part comes to the root's NIC first; so in scans, to the last.
 * Of an allgather, a share y of the bytes comes in the last `local', once for each member, as in
 * bound_spread.  With B for all bytes
 *      T >= D + local + G B (1 - y),  T >= D + G B (1 - y + y members)
 * and the greater is least where they are equal. */
static double bound_nic(enum coll_kind kind, const struct job *j)
{
	double G = j->hosts > 1 ? j->m->net.G * j->bytes : 0;
	double time = j->D + G * nic_share(kind, j);
	double least = floor(j->n / j->hosts);

	if (kind == COLL_ALLGATHER && j->hosts > 1)
		time += j->local * (1 - 1 / least);

	if (goes_down(kind))
		time = fmax(time, j->down);
	if (goes_up(kind))
		time = fmax(time, j->up);
	if (kind == COLL_BCAST || (kind >= COLL_REDUCE && kind != COLL_REDUCE_SCATTER_BLOCK))
		time = fmax(time, j->rest + G);
	return time;
}

/* The least T with
 *      sum of max(0, T - end - told) of all hosts >= time.
 * It is the least of those for which the first c hosts alone are summed, without max: a sum with
 * fewer hosts, or with terms below 0, is no greater. */
static double spread_time(const struct job *j, double end, double time)
{
	double all = 0, least = INFINITY;

	for (int c = 1; c <= (int)j->hosts; c++) {
		all += j->told[c - 1];
		least = fmin(least, end + (time + all) / c);
	}
	return least;
}

/* Several hosts, of a broadcast: each but the root's gets all m bytes, from the NICs of hosts that
 * have heard of it.  A NIC sends nothing that helps before its host is told, nor in the last D.  So
 * the sum of spread_time is at least (n - 1) G m, and the i-th host is told no earlier than in
 * LogP's broadcast, whatever the bytes.
 *      And a byte that comes to a host in the last `local' goes to no other member of it, so it
 * comes once for each: `late' is the share of such bytes.  The more there are, the more bytes come
 * in all, and the fewer come in time for others.
 * Turned round, it is a reduction to a root, as an allreduce and the last rank's result of a scan
 * are: each host but the root's sends m bytes, to hosts from which they can still reach the root;
 * bytes that leave in the first `local' have one member's operand. */
static double bound_spread(enum coll_kind kind, const struct job *j)
{
	double sent = (j->hosts - 1) * j->m->net.G * j->bytes, least = floor(j->n / j->hosts);
	double late = 0.5, all, others;

	if (j->hosts < 2 || kind == COLL_REDUCE_SCATTER_BLOCK ||
		(kind < COLL_REDUCE && kind != COLL_BCAST))
		return 0;
	for (double step = 0.25; step > LATE_LEAST; step /= 2) {
		all = spread_time(j, j->D, sent * (1 + late * (least - 1)));
		others = spread_time(j, j->D + j->local, sent * (1 - late));
		late += all < others ? step : -step;
	}
	return least > 1 ? fmin(all, others) : spread_time(j, j->D, sent);
}

/* Several hosts, one of which gets a result of all.  For each byte of it the host gets either n - 1
 * bytes, each made of one other host's operands, or at least one byte that has more in it: so a
 * message came to its sender before, and it comes after 2 D.  Be y the share of the latter:
 *      T >= 2 D + y G m,  T >= D + ((1 - y) (n - 1) + y) G m
 * The first grows with y, the second does not: the greater is least where they are equal; or at
 * y = 0, where the second alone holds. */
static double bound_steps(enum coll_kind kind, const struct job *j)
{
	double n = j->hosts, all = j->m->net.G * j->bytes;

	if (n < 3 || kind < COLL_REDUCE || kind == COLL_REDUCE_SCATTER_BLOCK)
		return 0;
	return fmin(j->D + (n - 1) * all, 2 * j->D + all - j->D / (n - 1));
}

/* Bytes, through those of the call, that a member must get: the root, or any. */
static double member_share(enum coll_kind kind, const struct job *j)
{
	double local = j->each - 1, kG = j->each * j->m->net.G;

	switch (kind) {
	case COLL_GATHER:
	case COLL_ALLTOALL: return local;
	case COLL_ALLGATHER: /* some may come from members of the host, the others by the NIC */
		return j->hosts > 1 ? (j->n - 1) * kG / (kG + j->r) : local;
	case COLL_BARRIER: return 0;
	default: return local > 0 && j->hosts < 2; /* the root is on a host of its own */
	}
}

/* One host.  Of a broadcast: the member that is told last handles its first message no earlier than
 * `reach', which is without its bytes, and then all its bytes.  No message is longer than the data.
 * Turned round, of a reduction to a root: take the byte whose last part the root handles first.
 * All parts of it have come, so it is `reach' then, and the last parts of all other bytes are in
 * this message or in later ones.  Each result of a call is such a reduction. */
static double bound_first(enum coll_kind kind, const struct job *j)
{
	double r = kind == COLL_BCAST && j->bytes <= (double)j->m->host.eager ? j->m->host.c : j->r;

	if (j->hosts > 1 || (kind != COLL_BCAST && kind < COLL_REDUCE))
		return 0;
	return j->down + r * j->bytes;
}

/* A member's time: its own block, if it is copied, and all that it gets; none comes before D, and
 * the own block may be copied before. */
static double bound_member(enum coll_kind kind, const struct job *j)
{
	double gets = j->r * j->bytes * member_share(kind, j);
	bool own = kind >= COLL_GATHER && kind <= COLL_ALLTOALL;
	double copy = own ? j->m->work.copy * j->bytes : 0;

	/* the root of a scatter gets nothing else */
	return fmax(kind == COLL_SCATTER ? copy : copy + gets, j->D + gets);
}

/* A processor's least time for a message within a host, of `bytes' to `most' bytes: of its sender
 * (send), or of its receiver. */
static double local_message(const struct job *j, double bytes, double most, bool send)
{
	const struct loggp *l = &j->m->host;
	double longer = send ? 0 : l->G * fmax(bytes, (double)l->eager);
	double eager = bytes <= (double)l->eager ? l->c * bytes : INFINITY;

	return l->o + (most > (double)l->eager ? fmin(eager, longer) : eager);
}

/* One host.  t(B): the least time in which a member can have B bytes of others, each of whom has
 * `block' of its own for it.  Its last message brings it s > 0 bytes that it lacked: it had B - s
 * or more before, and its sender had s, of which s - block came from others; so
 *      t(B) >= min over s of  max(t(B - s), t(s - block) + send(s) + L) + receive(s)
 * if no message has bytes that its receiver has already: no plan lengthens one to make it cheap.
 * Here s is in [j, j + 1) units, so B - s is more than i - j - 1 units if B is i, and a message
 * costs as much as j units at least.
 * Turned round, it is a scatter: its first message leaves, and so on. */
static double bound_gather(enum coll_kind kind, const struct job *j)
{
	int n = (int)j->n, all = (n - 1) * UNITS;
	bool turned = kind == COLL_SCATTER;
	double unit = j->bytes / UNITS, *t, least;

	if (j->hosts > 1 || kind < COLL_GATHER || kind > COLL_ALLTOALL)
		return 0;
	t = calloc((size_t)all + 1, sizeof(*t));
	for (int i = 1; i <= all; i++) {
		t[i] = INFINITY;
		for (int s = 0; s <= i; s++) {
			double most = fmin(s + 1, all) * unit;
			double sent = (s > UNITS ? t[s - UNITS] : 0) + j->m->host.L +
				      local_message(j, s * unit, most, !turned);
			double had = i - s - 1 > 0 ? t[i - s - 1] : 0;

			t[i] = fmin(
				t[i], fmax(had, sent) + local_message(j, s * unit, most, turned));
		}
	}
	least = t[all];
	free(t);
	return least;
}

/* Two members, one of whom gets `bytes' of the other, in k messages.  All eager: the sender spends
 * its time on the longest, of at least a k-th of the bytes, and on those before; then that goes its
 * way; then the receiver spends its time on it and on those after.  Else one by rendezvous goes
 * its way three times, and within a host is in the other bounds. */
static double bound_pair(enum coll_kind kind, const struct job *j)
{
	const struct loggp *l = j->hosts > 1 ? &j->m->net : &j->m->host;
	double G = j->hosts > 1 ? l->G : 0, least = INFINITY, eager = (double)l->eager;

	if (j->n > 2 || kind == COLL_BARRIER || (j->hosts < 2 && j->bytes > eager))
		return 0;
	for (double k = ceil(j->bytes / eager); k <= MORE + j->bytes / eager; k++)
		least = fmin(
			least, l->L + (k + 1) * l->o + l->c * j->bytes + (l->c + G) * j->bytes / k);
	return j->bytes > eager ? fmin(least, 3 * l->L + 4 * l->o + G * eager) : least;
}

/* One host, if the order of operands matters: an element of the last result takes n - 1
 * combinations, one after another, each in a step.  Two operands are of two members, so a message
 * (D) is before the first.  If two members combine, another is between; if one gets all operands by
 * one message, its sender got another before: 2 D.  Else a member makes all, and handles two
 * messages or more, no sooner than L + o. */
static double bound_order(const struct coll_case *c, const struct job *j)
{
	const struct plan_costs *w = &j->m->work;
	const struct loggp *l = &j->m->host;

	if (!c->call.floats || j->n < 3 || j->bytes <= 0)
		return 0;
	return fmin(2 * j->D, l->L + 3 * l->o) +
	       (j->n - 1) * (w->step + w->reduce * (double)num_min(c->call.bytes, sizeof(double)));
}

/* The arithmetic: n - 1 combinations, and one operand of each comes from another member, of the
 * host if it has some; the results of an allreduce go to all; rank 0 copies that of a scan.
 * The mean of all.  A member combines nothing before it has heard of another. */
static double bound_work(enum coll_kind kind, const struct job *j)
{
	double all = kind == COLL_REDUCE_SCATTER_BLOCK ? j->n : 1;
	double moves = kind == COLL_ALLREDUCE ? 2 : 1;
	double reduces = j->bytes * all * j->m->work.reduce * (j->n - 1) / j->n;
	double copies = j->bytes * all * moves * j->r * (j->each - 1) / j->each;

	if (kind < COLL_REDUCE)
		return 0;
	if (kind == COLL_SCAN)
		copies += j->m->work.copy * j->bytes / j->n;
	return fmax(reduces + copies, (j->each > 1 ? j->local : j->D) + reduces);
}

static double bound_of(const struct coll_case *c)
{
	struct job j = job_of(c);
	enum coll_kind kind = c->call.kind;

	const double bounds[] = {bound_nic(kind, &j), bound_first(kind, &j), bound_gather(kind, &j),
		bound_spread(kind, &j), bound_steps(kind, &j), bound_pair(kind, &j),
		bound_order(c, &j), bound_member(kind, &j), bound_work(kind, &j)};
	double most = 0;

	for (size_t i = 0; i < countof(bounds); i++)
		most = fmax(most, bounds[i]);
	free(j.told);
	return most;
}

/* --- plans ---------------------------------------------------------------------------------- */

/* Is p, of host `host', the plan a of host 0, moved? */
static bool plan_moved(const struct plan_shape *shape, const struct plan *a, const struct plan *p,
	int host, enum fold fold)
{
	int by = host * (shape->ranks / shape->hosts);

	for (int i = 0; i < a->n && i < p->n; i++) {
		const struct plan_step *x = &a->steps[i], *y = &p->steps[i];
		int64_t off = x->amount - y->amount;
		int moved = fold == FOLD_XOR ? x->peer ^ by
					     : (int)(((int64_t)x->peer + by) % shape->ranks);

		if (x->kind != y->kind)
			return false;
		if (x->kind <= PLAN_RECV && (moved != y->peer || llabs(off) > FOLD_UNEQUAL))
			return false;
		if (x->kind == PLAN_WORK && (double)llabs(off) > FOLD_WORK * (double)x->amount)
			return false;
		if (x->kind == PLAN_LOCAL && (x->local != y->local || x->peer != y->peer))
			return false;
	}
	return a->n == p->n;
}

/* Do all members of some hosts do what those of host 0 do? */
static bool hosts_alike(const struct coll_case *c, const struct plan_call *call,
	const struct plan *host0, int each, enum fold fold)
{
	for (int i = 1; i <= SAMPLES; i++) {
		int host = (int)((int64_t)(c->shape.hosts - 1) * i / SAMPLES);

		for (int r = 0; r < each; r++) {
			struct plan p = plan_make(call, &c->m->work, host * each + r, false, false);
			bool same = plan_moved(&c->shape, &host0[r], &p, host, fold);

			plan_free(&p);
			if (!same)
				return false;
		}
	}
	return true;
}

static void plans_free(struct plan *plans, int n)
{
	for (int i = 0; i < n; i++)
		plan_free(&plans[i]);
	free(plans);
}

static void outcome_add(struct outcome *o, const struct plan *p, double times)
{
	o->messages += p->sends * times;
	o->bytes += (double)p->sent_bytes * times;
	if (p->step_memory > o->step_memory)
		o->step_memory = p->step_memory;
	if (p->temp_memory > o->temp_memory)
		o->temp_memory = p->temp_memory;
}

/* The least time of a member's plan: its own work, and its messages if all are there. */
static double plan_least(const struct machine *m, int rank, const struct plan *p)
{
	double t = 0;

	for (int i = 0; i < p->n; i++) {
		const struct plan_step *s = &p->steps[i];
		const struct loggp *l =
			s->kind <= PLAN_RECV && plan_host(s->peer) != plan_host(rank) ? &m->net
										      : &m->host;

		if (s->kind <= PLAN_RECV)
			t += l->o + (s->amount <= l->eager ? l->c * (double)s->amount : 0);
		else if (s->kind == PLAN_WORK)
			t += (double)s->amount / 1000;
	}
	return t;
}

/* Have the plans of members 0 .. i, of n, too many steps? */
static bool plans_many(const struct plan *plans, int i, int n, double steps)
{
	double all = i == 1 ? (double)n / (double)num_max(plans[1].times, 1) : 0;

	if (i == 1 && plans[1].planned * all > PLANNED * case_steps_max)
		return true;
	return steps > case_steps_max || /* the second member is no root */
	       (i == 1 && plans[1].n * all > case_steps_max);
}

/* Has the plan no message? */
static bool plan_silent(const struct plan *p)
{
	for (int i = 0; i < p->n; i++)
		if (p->steps[i].kind <= PLAN_RECV)
			return false;
	return true;
}

/* Do the members of a host but the first do the same, without messages?  Rank i is the second, and
 * others are looked at: the third, and the last.  The number of members that it stands for. */
static int plan_stands_for(
	const struct coll_case *c, const struct plan_call *call, const struct plan *p, int i)
{
	int each = c->shape.ranks / c->shape.hosts;
	const int others[] = {i + 1, i + each - 2};

	if (c->shape.cyclic || each < ALIKE || each * c->shape.hosts != c->shape.ranks ||
		c->m->cores > 0 || i % each != 1 ||
		(call->root / each == i / each && call->root % each != 0) || !plan_silent(p))
		return 1;
	for (size_t k = 0; k < countof(others); k++) {
		struct plan other = plan_make(call, &c->m->work, others[k], false, false);
		bool same = plan_equal(p, &other);

		plan_free(&other);
		if (!same)
			return 1;
	}
	return each - 1;
}

/* Plans of ranks 0 .. n-1; NULL: too many steps, or too long a time.  alike: one member may stand
 * for others of its host. */
static struct plan *plans_make(const struct coll_case *c, const struct plan_call *call, int n,
	bool alike, double limit, struct outcome *o)
{
	struct plan *plans = calloc((size_t)n, sizeof(*plans));
	double steps = 0;
	int i;

	for (i = 0; i < n; i++) {
		plans[i] = plan_make(call, &c->m->work, i, false, false);
		steps += plans[i].n;
		if (plans[i].n < 0)
			o->least = INFINITY;
		if (alike && plans[i].n >= 0)
			plans[i].times = plan_stands_for(c, call, &plans[i], i);
		if (i == 0 || i == n - 1)
			o->least = fmax(o->least, plan_least(c->m, i, &plans[i]));
		o->many = plans_many(plans, i, n, steps);
		if (o->least > limit || o->many)
			break;
		for (int left = plans[i].times; left > 1; left--)
			plans[++i].stood_for = true;
	}
	if (i == n)
		return plans;
	plans_free(plans, n);
	return NULL;
}

/* --- rows ----------------------------------------------------------------------------------- */

/* May one host stand for all?  Its plans, or NULL. */
static struct plan *fold_plans(const struct coll_case *c, const struct plan_call *call,
	double limit, struct outcome *o, enum fold *fold)
{
	int each = c->shape.ranks / c->shape.hosts;
	struct plan *plans;

	*fold = FOLD_NONE;
	if (c->shape.cyclic || c->shape.hosts < 3 || each * c->shape.hosts != c->shape.ranks)
		return NULL;
	plans = plans_make(c, call, each, false, limit, o);
	if (plans == NULL)
		return NULL;
	if (hosts_alike(c, call, plans, each, FOLD_SHIFT))
		*fold = FOLD_SHIFT;
	else if ((c->shape.hosts & (c->shape.hosts - 1)) == 0 && (each & (each - 1)) == 0 &&
		 hosts_alike(c, call, plans, each, FOLD_XOR))
		*fold = FOLD_XOR;
	if (*fold != FOLD_NONE)
		return plans;
	plans_free(plans, each);
	return NULL;
}

struct outcome case_row(const struct coll_case *c, coll_algorithm_fn *fn, bool fold, double limit)
{
	struct outcome o = {.time = INFINITY};
	struct plan_call call = c->call;
	struct loggp_job job = {.m = c->m, .hosts = c->shape.hosts, .limit = limit};

	call.algorithm = fn;
	job.members = c->shape.ranks / c->shape.hosts;
	job.plans = fold ? fold_plans(c, &call, limit, &o, &job.fold) : NULL;
	if (job.plans == NULL && o.least <= limit && !o.many) {
		job.members = c->shape.ranks;
		job.plans = plans_make(c, &call, job.members, fold, limit, &o);
	}
	if (job.plans == NULL)
		return o;
	o.folded = job.fold != FOLD_NONE;
	for (int i = 0; i < job.members; i++)
		outcome_add(&o, &job.plans[i], o.folded ? c->shape.hosts : 1);
	o.time = loggp_run(&job, NULL);
	if (isinf(o.time))
		o.least = limit;
	plans_free(job.plans, job.members);
	return o;
}

/* Runs the row that the rules choose, or all others. */
static void case_rows(struct coll_case *c, bool chosen)
{
	coll_algorithm_fn *choice = plan_choice(&c->call), *fn = NULL;
	const char *name = "";

	for (int i = 0; name != NULL; i++) {
		struct outcome *o = &c->rows[c->nrows];

		if (!plan_row(&c->call, i, &name, &fn) || (fn == choice) != chosen)
			continue;
		if (c->nrows++ == CASE_ROWS)
			abort();
		*o = case_row(c, fn, true, case_cut * c->best);
		o->name = name;
		o->chosen = chosen;
		c->best = fmin(c->best, o->time);
	}
}

void case_run(struct coll_case *c)
{
	c->nrows = 0;
	c->best = INFINITY;
	c->bound = bound_of(c);
	case_rows(c, true);
	case_rows(c, false);
}

double case_ratio(const struct coll_case *c)
{
	if (c->rows[0].many || isinf(c->best))
		return NAN;
	return c->rows[0].time / c->best;
}
