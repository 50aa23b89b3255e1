// SPDX-License-Identifier: BSD-3-Clause
/* loggp.c - the event simulation of loggp.h.
 *
 *      heap of events, by time
 *        RUN    a member goes on with its plan
 *        START  a message by rendezvous may leave
 *        IN     a message is at the NIC of its host
 *        READY  it is in memory; a member in a fence handles it
 *
 *      sends and receives are matched in a hash of (source, destination, distance in hosts), the
 *      oldest first.  The one that comes second completes the first's struct msg. */
#include "tests/sim/loggp.h"

#include "libmpi/core/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum event_kind { RUN, START, IN, READY };

struct event {
	double time;
	uint64_t order; /* of events of one time: as they were made */
	int32_t at;     /* a member, or a msg */
	enum event_kind kind;
};

/* A message, or a receive that waits for one. */
struct msg {
	int32_t src, dst, delta; /* delta: hosts from the source on */
	int32_t next;            /* in its chain, or free, or in its receiver's list */
	bool recv;               /* waits as a receive */
	bool matched, arrived, eager;
	double sent, posted; /* when the send, and the receive, were started */
	int64_t bytes;
	int send_step, recv_step;
	void *data;
};

struct member {
	double t;      /* its clock */
	double after;  /* it goes on no earlier: its sends are done then */
	int at;        /* the next step */
	int open;      /* messages of the round that are not done */
	int32_t ready; /* list of messages to handle at the next fence, or -1 */
	int calls;     /* PLAN_LOCAL so far */
	bool waits, done;
};

/* A call of the members of one host in its memory. */
struct local {
	int arrived;
	double last, root;
	bool root_there;
	int32_t *waiting; /* members */
	double *since;
	int nwaiting;
};

#define CHAINS_MAX (1 << 22)

/* The oldest is the first: members may send far ahead of their receivers. */
struct chain {
	int32_t first, last; /* -1: it is empty */
};

struct sim {
	const struct loggp_job *job;
	const struct machine *m;
	struct member *member;
	int n, nhosts;
	struct event *heap;
	int events, event_room;
	uint64_t order;
	struct msg *msgs;
	int nmsgs, msg_room;
	int32_t free_msg;
	struct chain *chains; /* of messages that wait for their receive, or it for them */
	uint32_t mask;
	double *out_free, *in_free; /* of NICs */
	double *core_free;
	int32_t *core_last;   /* 1 + the member that worked there last; 0: none */
	struct local *locals; /* [nhosts][calls] */
	int calls;            /* the most calls of a plan within a host */
	int left, open_msgs;
	double first, last, now;
};

__attribute__((noreturn)) static void broken(const char *what)
{
	fprintf(stderr, "loggp: %s\n", what);
	exit(1);
}

static void *loggp_need(void *p)
{
	if (p == NULL)
		broken("no memory");
	return p;
}

/* --- events --------------------------------------------------------------------------------- */

static bool event_before(const struct event *a, const struct event *b)
{
	return a->time < b->time || (!(b->time < a->time) && a->order < b->order);
}

static void event_push(struct sim *s, enum event_kind kind, int at, double time)
{
	struct event e = {time, s->order++, at, kind};
	int i = s->events++;

	if (s->events > s->event_room) {
		s->event_room = 2 * s->events;
		s->heap = loggp_need(realloc(s->heap, (size_t)s->event_room * sizeof(*s->heap)));
	}
	for (; i > 0 && event_before(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = e;
}

static struct event event_pop(struct sim *s)
{
	struct event top = s->heap[0], e = s->heap[--s->events];
	int i = 0;

	for (int child; (child = 2 * i + 1) < s->events; i = child) {
		if (child + 1 < s->events && event_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!event_before(&s->heap[child], &e))
			break;
		s->heap[i] = s->heap[child];
	}
	s->heap[i] = e;
	return top;
}

/* --- hosts and processors ------------------------------------------------------------------- */

static int host_of(const struct sim *s, int member)
{
	return s->job->fold == FOLD_NONE ? plan_host(member) : 0;
}

/* How far a peer's host is from that of a member, or the member's from the peer's (back). */
static int distance(const struct sim *s, int member, int peer, bool back)
{
	int d = plan_host(peer) - plan_host(member);

	if (s->job->fold == FOLD_XOR)
		return plan_host(peer) ^ plan_host(member);
	d = back ? -d : d;
	return d < 0 ? d + s->job->hosts : d;
}

/* The member that stands for a rank. */
static int stands_for(const struct sim *s, int rank)
{
	return s->job->fold == FOLD_NONE ? rank : rank % s->n;
}

/* A member works for so long. */
static void spend(struct sim *s, int who, double ns)
{
	struct member *m = &s->member[who];
	int core = s->m->cores > 0 ? host_of(s, who) * s->m->cores + who % s->m->cores : 0;

	if (s->m->cores > 0) {
		m->t = fmax(m->t, s->core_free[core]);
		if (s->core_last[core] != 0 && s->core_last[core] != who + 1)
			m->t += s->m->change;
		s->core_free[core] = m->t + ns;
		s->core_last[core] = who + 1;
	}
	m->t += ns;
}

/* --- matching ------------------------------------------------------------------------------- */

static int msg_new(struct sim *s)
{
	int i = s->free_msg;

	if (i >= 0) {
		s->free_msg = s->msgs[i].next;
		return i;
	}
	if (s->nmsgs == s->msg_room) {
		s->msg_room = s->msg_room == 0 ? 1024 : 2 * s->msg_room;
		s->msgs = loggp_need(realloc(s->msgs, (size_t)s->msg_room * sizeof(*s->msgs)));
	}
	return s->nmsgs++;
}

static void msg_free(struct sim *s, int i)
{
	free(s->msgs[i].data);
	s->msgs[i].data = NULL;
	s->msgs[i].next = s->free_msg;
	s->free_msg = i;
	s->open_msgs--;
}

static void msg_wait(struct sim *s, int i, struct chain *chain)
{
	s->msgs[i].next = -1;
	if (chain->first < 0)
		chain->first = i;
	else
		s->msgs[chain->last].next = i;
	chain->last = i;
}

/* The oldest message, or receive, of a triple; it leaves its chain.  -1: there is none. */
static int msg_take(struct sim *s, const struct msg *key, struct chain *chain)
{
	int32_t before = -1, i = chain->first;

	for (; i >= 0; before = i, i = s->msgs[i].next) {
		const struct msg *m = &s->msgs[i];

		if (m->src == key->src && m->dst == key->dst && m->delta == key->delta)
			break;
	}
	if (i < 0 || s->msgs[i].recv == key->recv) /* then all of the triple are of this kind */
		return -1;
	if (before < 0)
		chain->first = s->msgs[i].next;
	else
		s->msgs[before].next = s->msgs[i].next;
	if (chain->last == i)
		chain->last = before;
	return i;
}

/* Mixed twice: one pair's messages may be thousands, in whose chain no other pair should be. */
static uint32_t msg_hash(const struct msg *key)
{
	uint64_t x = ((uint64_t)(uint32_t)key->src << 32 | (uint32_t)key->dst) ^
		     (uint64_t)(uint32_t)key->delta << 20;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(x >> 32);
}

/* A send, or a receive, begins.  Returns its message, which is matched if the other has come. */
static int msg_match(struct sim *s, const struct msg *key)
{
	struct chain *chain = &s->chains[msg_hash(key) & s->mask];
	int i = msg_take(s, key, chain);
	struct msg *m;

	if (i < 0) {
		i = msg_new(s);
		s->msgs[i] = *key;
		msg_wait(s, i, chain);
		s->open_msgs++;
		return i;
	}
	m = &s->msgs[i];
	m->matched = true;
	if (llabs(m->bytes - key->bytes) > (s->job->fold == FOLD_NONE ? 0 : FOLD_UNEQUAL))
		broken("a message has another length than its receiver expects");
	if (key->recv) {
		m->posted = key->posted;
		m->recv_step = key->recv_step;
	} else {
		m->sent = key->sent;
		m->send_step = key->send_step;
		m->eager = key->eager;
	}
	return i;
}

/* --- messages ------------------------------------------------------------------------------- */

static bool is_local(const struct msg *m)
{
	return m->delta == 0;
}

/* A message leaves by its host's NIC.  Returns when its last byte has left. */
static double nic_out(struct sim *s, int i, double time)
{
	const struct msg *m = &s->msgs[i];
	const struct loggp *net = &s->m->net;
	double *free_at = &s->out_free[host_of(s, m->src)];

	time = fmax(time, *free_at);
	*free_at = time + fmax(net->g, net->G * (double)m->bytes);
	event_push(s, IN, i, time + net->L);
	return time + net->G * (double)m->bytes;
}

static void nic_in(struct sim *s, int i)
{
	const struct msg *m = &s->msgs[i];
	const struct loggp *net = &s->m->net;
	double *free_at = &s->in_free[host_of(s, m->dst)];
	double time = fmax(s->now, *free_at);

	*free_at = time + fmax(net->g, net->G * (double)m->bytes);
	event_push(s, READY, i, time + net->G * (double)m->bytes);
}

/* Both ends of a message by rendezvous are there. */
static void rendezvous(struct sim *s, int i)
{
	const struct msg *m = &s->msgs[i];
	const struct loggp *net = &s->m->net;

	if (is_local(m))
		event_push(s, READY, i, fmax(m->sent + s->m->host.L, m->posted));
	else
		event_push(
			s, START, i, fmax(m->sent + net->L + net->o, m->posted) + net->o + net->L);
}

static void member_go_on(struct sim *s, int who)
{
	struct member *m = &s->member[who];

	if (!m->waits || m->open > 0)
		return;
	m->waits = false;
	m->t = fmax(m->t, m->after);
	event_push(s, RUN, who, m->t);
}

/* A send is done at this time. */
static void send_done(struct sim *s, int who, double time)
{
	struct member *m = &s->member[who];

	m->open--;
	m->after = fmax(m->after, time);
	member_go_on(s, who);
}

/* A member in a fence handles a message that is in memory. */
static void msg_handle(struct sim *s, int i, double ready)
{
	struct msg *m = &s->msgs[i];
	struct member *to = &s->member[m->dst];
	const struct loggp *level = is_local(m) ? &s->m->host : &s->m->net;
	double byte = m->eager ? level->c : is_local(m) ? level->G : 0;

	to->t = fmax(to->t, ready);
	spend(s, m->dst, level->o + byte * (double)m->bytes);
	to->open--;
	if (s->job->data)
		plan_unpack(&s->job->plans[m->dst], m->recv_step, m->data);
	if (!m->eager && is_local(m))
		send_done(s, m->src, to->t + level->L);
	msg_free(s, i);
}

static void msg_ready(struct sim *s, int i)
{
	struct msg *m = &s->msgs[i];
	struct member *to = &s->member[m->dst];
	int who = m->dst;

	m->arrived = true;
	if (!m->matched)
		return; /* unexpected */
	if (to->waits) {
		msg_handle(s, i, s->now);
		member_go_on(s, who);
		return;
	}
	m->next = to->ready;
	to->ready = i;
}

static void step_send(struct sim *s, int who, const struct plan_step *step)
{
	struct member *from = &s->member[who];
	struct msg key = {.src = who,
		.dst = stands_for(s, step->peer),
		.delta = distance(s, who, step->peer, false),
		.send_step = from->at,
		.bytes = step->amount};
	const struct loggp *level = is_local(&key) ? &s->m->host : &s->m->net;
	int i;

	key.eager = step->amount <= level->eager;
	spend(s, who, level->o + (key.eager ? level->c * (double)step->amount : 0));
	key.sent = from->t;
	i = msg_match(s, &key);
	if (s->job->data)
		s->msgs[i].data = plan_pack(&s->job->plans[who], from->at);
	if (!key.eager) {
		from->open++;
		if (s->msgs[i].matched)
			rendezvous(s, i);
	} else if (is_local(&key))
		event_push(s, READY, i, from->t + level->L);
	else
		nic_out(s, i, from->t);
}

static void step_recv(struct sim *s, int who, const struct plan_step *step)
{
	struct member *to = &s->member[who];
	struct msg key = {.src = stands_for(s, step->peer),
		.dst = who,
		.delta = distance(s, who, step->peer, true),
		.recv = true,
		.recv_step = to->at,
		.posted = to->t,
		.bytes = step->amount};
	int i = msg_match(s, &key);
	struct msg *m = &s->msgs[i];

	to->open++;
	if (!m->matched)
		return;
	if (!m->eager)
		rendezvous(s, i);
	else if (m->arrived) {
		m->next = to->ready;
		to->ready = i;
	}
}

/* --- calls within a host -------------------------------------------------------------------- */

/* From when the root has all it needs: its own time for the call. */
static double local_root_cost(const struct sim *s, const struct plan_step *p, int n)
{
	double bytes = (double)p->amount, lines = n * s->m->line;

	switch (p->local) {
	case COLL_REDUCE: /* the root combines all; long operands are combined by all members */
		return s->m->host.L +
		       fmin(lines + n * bytes * s->m->work.reduce,
			       2 * lines + bytes * (s->m->work.reduce + 2 * s->m->work.copy));
	case COLL_GATHER:
	case COLL_SCATTER: return s->m->host.L + lines + n * bytes * s->m->work.copy;
	case COLL_BCAST: return s->m->line + bytes * s->m->work.copy;
	case COLL_REDUCE_SCATTER_BLOCK: /* each member combines its block */
	case COLL_ALLTOALL:
	case COLL_ALLGATHER: return s->m->host.L;
	}
	return s->m->host.L + lines + n * bytes * s->m->work.reduce; /* barrier, scans */
}

/* Does a member that is not the root wait for it; does it wait for all? */
static bool local_waits(const struct plan_step *p)
{
	return p->local != COLL_REDUCE && p->local != COLL_GATHER;
}

static bool local_all(const struct plan_step *p)
{
	return p->local != COLL_BCAST && p->local != COLL_SCATTER;
}

/* The time of a member when all have come. */
static double local_member_cost(const struct sim *s, const struct plan_step *p, int n)
{
	double bytes = (double)p->amount;

	switch (p->local) {
	case COLL_REDUCE_SCATTER_BLOCK:
		return n * (s->m->line + bytes * (s->m->work.reduce + s->m->work.copy));
	case COLL_ALLGATHER: return n * (s->m->line + bytes * s->m->work.copy);
	case COLL_ALLTOALL: return n * (s->m->line + 2 * bytes * s->m->work.copy);
	}
	return s->m->line + bytes * s->m->work.copy;
}

static void local_release(
	struct sim *s, struct local *l, const struct plan_step *p, int who, double since, int n)
{
	double from = local_all(p) ? l->last : l->root;

	s->member[who].t = fmax(since, from) + s->m->host.L;
	spend(s, who, local_member_cost(s, p, n));
	event_push(s, RUN, who, s->member[who].t);
}

/* Those who wait in a call are released, if its root, or the last of all, has come. */
static void local_end(struct sim *s, struct local *l, const struct plan_step *p, int n)
{
	if (local_all(p) ? l->arrived < n : !l->root_there)
		return;
	if (local_all(p))
		l->last += local_root_cost(s, p, n);
	while (l->nwaiting > 0) {
		l->nwaiting--;
		local_release(s, l, p, l->waiting[l->nwaiting], l->since[l->nwaiting], n);
	}
}

static void local_wait(struct sim *s, struct local *l, int who, int n)
{
	if (l->waiting == NULL) {
		l->waiting = loggp_need(malloc((size_t)n * sizeof(*l->waiting)));
		l->since = loggp_need(malloc((size_t)n * sizeof(*l->since)));
	}
	l->waiting[l->nwaiting] = who;
	l->since[l->nwaiting++] = s->member[who].t;
}

/* A member comes to a call of its host's members. */
static void step_local(struct sim *s, int who, const struct plan_step *p)
{
	struct member *m = &s->member[who];
	int host = host_of(s, who), n = plan_host_size(host);
	struct local *l = &s->locals[(size_t)host * (size_t)s->calls + (size_t)m->calls];
	bool root = plan_local_rank(who) == p->peer;

	m->calls++;
	l->arrived += (int)num_max(s->job->plans[who].times, 1);
	l->root_there = l->root_there || root;
	if (!root && !local_waits(p))
		spend(s, who, s->m->line + (double)p->amount * s->m->work.copy);
	l->last = fmax(l->last, m->t);
	if (root && !local_all(p)) {
		spend(s, who, local_root_cost(s, p, n));
		l->root = m->t;
	}
	if (root ? local_all(p) : local_waits(p))
		local_wait(s, l, who, n);
	else
		event_push(s, RUN, who, m->t);
	local_end(s, l, p, n);
}

/* --- members -------------------------------------------------------------------------------- */

/* Messages that have come before the fence, in the order in which they came. */
static void fence_handle(struct sim *s, int who)
{
	struct member *m = &s->member[who];
	int32_t list = m->ready, turned = -1;

	m->ready = -1;
	while (list >= 0) {
		int32_t next = s->msgs[list].next;

		s->msgs[list].next = turned;
		turned = list;
		list = next;
	}
	while (turned >= 0) {
		int32_t next = s->msgs[turned].next;

		msg_handle(s, turned, m->t);
		turned = next;
	}
}

/* Comes to a fence, or to the end.  True: goes on at once. */
static bool step_fence(struct sim *s, int who)
{
	struct member *m = &s->member[who];

	fence_handle(s, who);
	m->t = fmax(m->t, m->after);
	m->waits = m->open > 0;
	return !m->waits;
}

/* Must a step that uses a NIC wait: is there an event before it? */
static bool nic_waits(const struct sim *s, const struct member *m)
{
	return s->events > 0 && s->heap[0].time < m->t;
}

static void member_end(struct sim *s, int who)
{
	struct member *m = &s->member[who];

	if (m->done)
		broken("a member ends twice");
	m->done = true;
	s->left--;
	s->first = fmin(s->first, m->t);
	s->last = fmax(s->last, m->t);
}

static void member_run(struct sim *s, int who)
{
	struct member *m = &s->member[who];
	const struct plan *p = &s->job->plans[who];

	for (; m->at < p->n; m->at++) {
		const struct plan_step *step = &p->steps[m->at];

		if (step->kind == PLAN_SEND) {
			if (s->nhosts > 0 && nic_waits(s, m)) {
				event_push(s, RUN, who, m->t);
				return;
			}
			step_send(s, who, step);
		} else if (step->kind == PLAN_RECV)
			step_recv(s, who, step);
		else if (step->kind == PLAN_WORK) {
			spend(s, who, (double)step->amount / 1000);
			if (s->job->data)
				plan_work(&s->job->plans[who], m->at);
		} else if (step->kind == PLAN_LOCAL) {
			m->at++;
			step_local(s, who, step);
			return;
		} else if (!step_fence(s, who))
			return;
	}
	if (step_fence(s, who))
		member_end(s, who);
}

static void event_handle(struct sim *s, const struct event *e)
{
	s->now = e->time;
	switch (e->kind) {
	case RUN: member_run(s, e->at); break;
	case START: send_done(s, s->msgs[e->at].src, nic_out(s, e->at, e->time)); break;
	case IN: nic_in(s, e->at); break;
	case READY: msg_ready(s, e->at); break;
	}
}

static void sim_begin(struct sim *s, const struct loggp_job *job)
{
	size_t hosts = job->fold == FOLD_NONE ? (size_t)job->hosts : 1;
	size_t cores = hosts * (size_t)job->m->cores;
	int64_t steps = 0;

	*s = (struct sim){.job = job,
		.m = job->m,
		.n = job->members,
		.nhosts = (int)hosts,
		.free_msg = -1,
		.left = job->members,
		.first = INFINITY,
		.mask = 1};
	for (int i = 0; i < s->n; i++) {
		steps += job->plans[i].n;
		if (job->plans[i].locals > s->calls)
			s->calls = job->plans[i].locals;
	}
	while (s->mask < steps && s->mask < CHAINS_MAX)
		s->mask = 2 * s->mask + 1;
	s->member = loggp_need(calloc((size_t)s->n, sizeof(*s->member)));
	s->chains = loggp_need(malloc(((size_t)s->mask + 1) * sizeof(*s->chains)));
	memset(s->chains, 0xff, ((size_t)s->mask + 1) * sizeof(*s->chains));
	s->out_free = loggp_need(calloc(2 * hosts, sizeof(*s->out_free)));
	s->in_free = s->out_free + hosts;
	s->core_free = loggp_need(calloc(cores + 1, sizeof(*s->core_free)));
	s->core_last = loggp_need(calloc(cores + 1, sizeof(*s->core_last)));
	s->locals = loggp_need(calloc(hosts * (size_t)s->calls + 1, sizeof(*s->locals)));
	for (int i = 0; i < s->n; i++) {
		s->member[i].ready = -1;
		s->member[i].t = job->stagger * i;
		if (job->plans[i].stood_for)
			s->left--;
		else
			event_push(s, RUN, i, s->member[i].t);
	}
}

static void sim_end(struct sim *s)
{
	for (size_t i = 0; i < (size_t)s->nhosts * (size_t)s->calls; i++) {
		free(s->locals[i].waiting);
		free(s->locals[i].since);
	}
	for (int i = 0; i < s->nmsgs && s->job->data; i++)
		free(s->msgs[i].data);
	free(s->member);
	free(s->chains);
	free(s->out_free);
	free(s->core_free);
	free(s->core_last);
	free(s->locals);
	free(s->heap);
	free(s->msgs);
}

double loggp_run(const struct loggp_job *job, double *first)
{
	struct sim s;
	bool late = false;

	sim_begin(&s, job);
	while (s.events > 0 && !late) {
		struct event e = event_pop(&s);

		late = e.time > job->limit;
		event_handle(&s, &e);
	}
	if (!late && s.left > 0)
		broken("members wait for ever");
	if (!late && s.open_msgs > 0)
		broken("messages are left");
	sim_end(&s);
	if (first != NULL)
		*first = s.first;
	return late ? INFINITY : s.last;
}
