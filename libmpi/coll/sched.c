// SPDX-License-Identifier: BSD-3-Clause
/* sched.c - schedules: an array of steps, run from front to back.  Schedules that wait for messages
 * hang in a list, which every pass of progress looks at.
 *
 *      active ──> [ sched ] ──> [ sched ] ──>     each pass: is the first incomplete message of the
 *                     │ waited                    round complete?  Then the schedule goes on.
 *                     └─> reqs | done done open open |
 *
 * A schedule that has ended gives its arrays to a small pool, so short calls do not allocate.
 *
 * Out of memory for the steps
 *      No memory must not leave other members waiting, and this member cannot tell them without
 *      steps.  So the algorithm is called twice more with a schedule that stores nothing, a dry
 *      run:
 *       1. each message that this member should send is sent as an error message;
 *       2. each message that it should receive is received and dropped.
 *      Neither depends on what arrives, so only the order of a pair's messages matters, which both
 *      keep.  The first run calls functions that other members wait for (coll_sched_call). */
#include "libmpi/coll/sched.h"

#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/process_state.h"
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL_MAX     8    /* schedules kept for later calls */
#define POOL_STEPS   256  /* largest number of steps of one that is kept */
#define INLINE_BYTES 1024 /* bytes of temporary memory in the schedule itself */
#define ALIGN        16   /* strictest alignment of a basic type */
#define ROOM_FIRST   MEAN_OR(1, 16)
#define DRY_OPEN     16                /* messages in flight in a dry run */
#define LEFT_FROM    MEAN_OR(1, 65536) /* bytes of a copy that is left to the helper: about 5 us */

enum step_kind {
	STEP_SEND,
	STEP_RECV,
	STEP_FENCE,
	STEP_REDUCE,
	STEP_COPY,
	STEP_MOVE,
	STEP_PACK,
	STEP_UNPACK,
	STEP_CALL,
	STEP_CHECK,
	STEP_AWAIT
};

struct step {
	uint8_t kind;
	bool own; /* of a send: the caller's own data, valid after an error as well */
	int peer; /* of a message */
	int64_t n, m;
	struct type *type, *type2;
	const void *a, *b;
	void *out;
	union {
		int (*check)(void *arg);
		const struct coll_awaited *awaited;
		coll_sched_fn *call;
	};
};

enum dry_run { DRY_NONE, DRY_SENDS, DRY_RECVS };

/* Temporary memory of an algorithm. */
struct chunk {
	struct chunk *next;
	_Alignas(ALIGN) char data[];
};

struct sched {
	struct sched *next, *prev; /* in the list of active ones; next: also in the pool */
	struct comm *comm;
	const struct group *group; /* whose ranks the steps mean, while they are planned */
	struct op *op;
	bool equal; /* all members give one number of bytes */
	int caller; /* the rank that error messages name */
	int tag;
	int bad; /* error of planning */
	int err; /* first error of a step */
	char *words;
	enum dry_run dry;
	bool poisoned; /* it sends error messages from now on */
	struct p2p_error_msg error;
	struct req *req; /* the user's request; NULL: a blocking call */
	bool running;    /* a thread runs its steps */
	bool left;       /* its next step, a long copy, is left to progress */
	bool awaits;     /* its next step is not ready */
	struct step *steps;
	int nsteps, room, at;
	struct req *reqs; /* messages of this round: below nreqs started, below waited done */
	int nreqs, waited, reqs_room;
	int round, most; /* planning: messages of this round, and of the largest round */
	struct chunk *chunks;
	void **held;
	int nheld, held_room;
	size_t inline_used;
	_Alignas(ALIGN) char inline_mem[INLINE_BYTES];
};

bool (*coll_other_call_hook)(struct coll *s, int tag);

static struct sched active = {.next = &active, .prev = &active};
static struct sched no_sched = {.bad = MPI_ERR_NO_MEM};
static struct sched *pool;
static int pooled;
static bool hooked;

/* --- making and freeing --------------------------------------------------------------------- */

/* A schedule without steps.  Never NULL: without memory it is no_sched, which stores the error. */
static struct sched *sched_new(const struct coll_args *k)
{
	struct sched *s = pool;

	if (likely(s != NULL)) {
		pool = s->next;
		pooled--;
	} else {
		s = calloc(1, sizeof(*s));
		if (s == NULL)
			return &no_sched;
	}
	s->comm = k->comm;
	s->caller = k->caller;
	s->group = k->comm->group;
	s->op = k->op;
	s->equal = k->bytes != COLL_BYTES_DIFFER;
	s->tag = k->tag;
	s->req = NULL;
	s->bad = s->err = 0;
	s->words = NULL;
	s->running = s->left = s->awaits = s->poisoned = false;
	s->nsteps = s->at = 0;
	s->nreqs = s->waited = s->round = s->most = 0;
	s->nheld = 0;
	s->inline_used = 0;
	return s;
}

static void sched_destroy(struct sched *s)
{
	free(s->steps);
	free(s->reqs);
	free(s->held);
	free(s);
}

static void sched_free(struct sched *s)
{
	if (s == &no_sched)
		return;
	while (s->chunks != NULL) {
		struct chunk *c = s->chunks;

		s->chunks = c->next;
		free(c);
	}
	for (int i = 0; i < s->nheld; i++)
		obj_drop(s->held[i]);
	free(s->words);
	if (pooled == POOL_MAX || s->room > POOL_STEPS || s->reqs_room > POOL_STEPS) {
		sched_destroy(s);
		return;
	}
	s->next = pool;
	pool = s;
	pooled++;
}

HAFT_START void coll_sched_close(void)
{
	while (pool != NULL) {
		struct sched *s = pool;

		pool = s->next;
		sched_destroy(s);
	}
	pooled = 0;
	hooked = false;
}

/* Doubles an array of *room elements.  False: no memory; the schedule stores that. */
static bool sched_grow(struct sched *s, void *array, int *room, size_t size)
{
	int more = *room == 0 ? ROOM_FIRST : 2 * *room;
	void *p = realloc(*(void **)array, (size_t)more * size);

	if (p == NULL) {
		s->bad = MPI_ERR_NO_MEM;
		return false;
	}
	*(void **)array = p;
	*room = more;
	return true;
}

/* --- without memory ------------------------------------------------------------------------- */

/* A schedule that stores no steps: a dry run. */
struct dry_run_sched {
	struct sched s; /* first */
	struct req reqs[DRY_OPEN];
	int open; /* so many of reqs are started */
};

static void sched_set_error(struct sched *s, int err, const char *words)
{
	static const char at[] = "at rank ";

	s->poisoned = true;
	s->error.err = err;
	s->error.missed =
		err == MPI_ERR_PROC_ABORTED || err == MPI_ERR_SPAWN ? haft_peer_lost_rank() : 0;
	if (err == MPIX_ERR_PROC_FAILED)
		s->error.missed = 1 + p2p_comm_failed(s->comm);
	if (strncmp(words, at, strlen(at)) == 0) /* another member's words */
		snprintf(s->error.words, sizeof(s->error.words), "%s", words);
	else
		snprintf(s->error.words, sizeof(s->error.words), "%s%d: %s", at, s->caller, words);
}

bool coll_sched_is_dry_run(const struct sched *s)
{
	return s->dry != DRY_NONE;
}

static bool to_myself(const struct sched *s, int peer)
{
	return peer == group_peer(s->comm->group, s->comm->rank);
}

/* Waits for the messages in flight; their errors do not matter, the call has failed already. */
static void dry_run_wait(struct dry_run_sched *w)
{
	p2p_coll_wait(w->reqs, w->open);
	w->open = 0;
}

static void dry_run_message(struct sched *s, bool sends, int peer)
{
	struct dry_run_sched *w = (struct dry_run_sched *)s;

	if (sends != (s->dry == DRY_SENDS) || to_myself(s, peer))
		return;
	if (w->open == DRY_OPEN)
		dry_run_wait(w);
	if (sends)
		p2p_coll_send_error(s->comm, &s->error, peer, s->tag, &w->reqs[w->open++]);
	else
		p2p_coll_start(s->comm, REQ_RECV, NULL, 0, type_predefined(MPI_BYTE), peer, s->tag,
			&w->reqs[w->open++]);
}

static int sched_no_memory(void)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory for the steps of a collective call");
}

static struct dry_run_sched dry_run_of(const struct coll_args *k)
{
	return (struct dry_run_sched){.s = {.comm = k->comm,
					      .caller = k->caller,
					      .op = k->op,
					      .tag = k->tag,
					      .bad = MPI_ERR_NO_MEM}};
}

static void dry_run(
	struct dry_run_sched *w, const struct coll_args *k, coll_steps_fn *steps, const void *arg)
{
	for (w->s.dry = DRY_SENDS; w->s.dry <= DRY_RECVS; w->s.dry++) {
		w->s.group = k->comm->group;
		steps(&w->s, k, arg);
		dry_run_wait(w);
	}
}

int coll_sched_run_failed(const struct coll_args *k, coll_steps_fn *steps, const void *arg,
	const struct p2p_error_msg *error)
{
	struct dry_run_sched w = dry_run_of(k);

	w.s.error = *error;
	dry_run(&w, k, steps, arg);
	return haft_err(error->err, "%s", error->words);
}

/* Runs a call for which there is no memory.  Returns MPI_ERR_NO_MEM, with words. */
static int sched_starved(const struct coll_args *k, coll_steps_fn *steps, const void *arg)
{
	struct dry_run_sched w = dry_run_of(k);
	int err = sched_no_memory();

	sched_set_error(&w.s, err, haft_err_text(err));
	dry_run(&w, k, steps, arg);
	return sched_no_memory();
}

/* --- planning ------------------------------------------------------------------------------- */

static void step_add(struct sched *s, struct step step)
{
	if (unlikely(s->bad != 0))
		return;
	if (unlikely(s->nsteps == s->room) && !sched_grow(s, &s->steps, &s->room, sizeof(step)))
		return;
	s->steps[s->nsteps++] = step;
}

/* The bytes that a step copies, from one piece of memory to another; -1: it does something else. */
static int64_t step_copies(const struct step *p)
{
	int64_t bytes = p->type->dense ? p->n * p->type->size : -1;

	switch (p->kind) {
	case STEP_MOVE: return bytes;
	case STEP_PACK:
	case STEP_UNPACK: return bytes == p->m ? bytes : -1;
	case STEP_COPY: return p->type2->dense && bytes == p->m * p->type2->size ? bytes : -1;
	}
	return -1;
}

/* As step_add.  Copies of blocks that lie one after another at both places become one, unless the
 * second might read what the first writes. */
static void step_add_copy(struct sched *s, struct step step)
{
	struct step *last = s->nsteps > 0 ? &s->steps[s->nsteps - 1] : NULL;
	int64_t first, all;

	if (s->bad == 0 && last != NULL && last->kind == step.kind && last->type == step.type &&
		last->type2 == step.type2 && (first = step_copies(last)) >= 0 &&
		(all = step_copies(&step)) >= 0) {
		uintptr_t from = (uintptr_t)last->a, to = (uintptr_t)last->out;

		all += first;
		if ((uintptr_t)step.a == from + (size_t)first &&
			(uintptr_t)step.out == to + (size_t)first &&
			(from + (size_t)all <= to || to + (size_t)all <= from)) {
			last->n += step.n;
			last->m += step.m;
			return;
		}
	}
	step_add(s, step);
}

static void step_add_message(struct sched *s, struct step step)
{
	step_add(s, step);
	if (s->bad == 0 && ++s->round > s->most)
		s->most = s->round;
}

void coll_sched_group(struct sched *s, const struct group *g)
{
	if (s->bad == 0 || s->dry != DRY_NONE)
		s->group = g;
}

static void step_add_send(
	struct sched *s, const void *buf, int64_t count, struct type *type, int rank, bool own)
{
	if (s->bad == 0)
		step_add_message(s, (struct step){.kind = STEP_SEND,
					    .own = own,
					    .a = buf,
					    .n = count,
					    .type = type,
					    .peer = group_peer(s->group, rank)});
	else if (s->dry != DRY_NONE)
		dry_run_message(s, true, group_peer(s->group, rank));
}

void coll_sched_send(struct sched *s, const void *buf, int64_t count, struct type *type, int rank)
{
	step_add_send(s, buf, count, type, rank, false);
}

void coll_sched_send_own(
	struct sched *s, const void *buf, int64_t count, struct type *type, int rank)
{
	step_add_send(s, buf, count, type, rank, true);
}

void coll_sched_recv(struct sched *s, void *buf, int64_t count, struct type *type, int rank)
{
	if (s->bad == 0)
		step_add_message(s, (struct step){.kind = STEP_RECV,
					    .out = buf,
					    .n = count,
					    .type = type,
					    .peer = group_peer(s->group, rank)});
	else if (s->dry != DRY_NONE)
		dry_run_message(s, false, group_peer(s->group, rank));
}

void coll_sched_fence(struct sched *s)
{
	if (s->round == 0)
		return;
	step_add(s, (struct step){.kind = STEP_FENCE});
	s->round = 0;
}

void coll_sched_reduce(
	struct sched *s, const void *a, const void *b, void *out, int64_t count, struct type *type)
{
	step_add(s,
		(struct step){
			.kind = STEP_REDUCE, .a = a, .b = b, .out = out, .n = count, .type = type});
}

void coll_sched_copy(struct sched *s, const void *src, int64_t scount, struct type *stype,
	void *dst, int64_t rcount, struct type *rtype)
{
	step_add_copy(s, (struct step){.kind = STEP_COPY,
				 .a = src,
				 .n = scount,
				 .type = stype,
				 .out = dst,
				 .m = rcount,
				 .type2 = rtype});
}

void coll_sched_move(struct sched *s, const void *src, void *dst, int64_t count, struct type *type)
{
	if (src != dst)
		step_add_copy(s,
			(struct step){
				.kind = STEP_MOVE, .a = src, .out = dst, .n = count, .type = type});
}

void coll_sched_pack(
	struct sched *s, const void *src, int64_t count, struct type *type, void *dst, int64_t room)
{
	step_add_copy(s, (struct step){.kind = STEP_PACK,
				 .a = src,
				 .out = dst,
				 .n = count,
				 .m = room,
				 .type = type});
}

void coll_sched_unpack(
	struct sched *s, const void *src, void *dst, int64_t count, struct type *type, int64_t room)
{
	step_add_copy(s, (struct step){.kind = STEP_UNPACK,
				 .a = src,
				 .out = dst,
				 .n = count,
				 .m = room,
				 .type = type});
}

void coll_sched_check(struct sched *s, int (*fn)(void *arg), void *arg)
{
	step_add(s, (struct step){.kind = STEP_CHECK, .check = fn, .out = arg});
}

/* A dry run calls the function once, between its sends. */
void coll_sched_call(struct sched *s, coll_sched_fn *fn, void *arg)
{
	if (s->dry == DRY_SENDS)
		fn(arg, &s->error);
	step_add(s, (struct step){.kind = STEP_CALL, .call = fn, .out = arg});
}

/* A step that is waited for at once. */
struct await_now {
	const struct coll_awaited *what;
	void *arg;
};

static bool await_ready(void *arg)
{
	const struct await_now *now = arg;

	return now->what->ask(now->arg) == AWAIT_OVER;
}

void coll_sched_await(struct sched *s, const struct coll_awaited *what, void *arg)
{
	struct await_now now = {what, arg};

	if (s->dry == DRY_SENDS)
		p2p_progress_until(&(struct p2p_condition){.ready = await_ready, .arg = &now});
	step_add(s, (struct step){.kind = STEP_AWAIT, .awaited = what, .out = arg});
}

void *coll_sched_bytes(struct sched *s, int64_t bytes)
{
	size_t n = ((size_t)bytes + ALIGN - 1) / ALIGN * ALIGN;
	struct chunk *c;

	if (s->bad != 0)
		return s->dry != DRY_NONE ? s->inline_mem : NULL;
	if (n <= INLINE_BYTES - s->inline_used) {
		s->inline_used += n;
		return s->inline_mem + s->inline_used - n;
	}
	c = malloc(sizeof(*c) + n);
	if (c == NULL) {
		s->bad = MPI_ERR_NO_MEM;
		return NULL;
	}
	c->next = s->chunks;
	s->chunks = c;
	return c->data;
}

void *coll_sched_elements(struct sched *s, const struct type *type, int64_t count)
{
	int64_t low, span = type_span(type, count, &low);
	char *mem = coll_sched_bytes(s, span);

	return mem == NULL ? NULL : mem - low;
}

void coll_sched_hold(struct sched *s, void *obj)
{
	if (s->bad != 0 || obj == NULL)
		return;
	if (s->nheld == s->held_room && !sched_grow(s, &s->held, &s->held_room, sizeof(void *)))
		return;
	obj_hold(obj);
	s->held[s->nheld++] = obj;
}

/* --- running -------------------------------------------------------------------------------- */

/* Stores an error.  poisons: data are missing, so later sends are error messages. */
static void sched_fail(struct sched *s, int err, bool spoils)
{
	if (spoils && !s->poisoned)
		sched_set_error(s, err, haft_err_text(err));
	if (s->err != 0)
		return;
	s->err = err;
	s->words = strdup(haft_err_text(err));
}

/* A message has more data than this member expects (err), or less (0): its sender is in another
 * call, or gives another number of bytes to this one.  Where a member has failed, that is the
 * reason: a sender that learned of it earlier goes another way. */
__attribute__((noinline)) static int sched_mismatch(struct sched *s, const struct req *r, int err)
{
	if (p2p_comm_broken(s->comm))
		return p2p_comm_error(s->comm);
	if (s->comm->coll != NULL && coll_other_call_hook(s->comm->coll, s->tag))
		return haft_comm_differ_error(s->comm);
	if (err != 0 && !(err == MPI_ERR_TRUNCATE && (s->equal || s->op != NULL)))
		return err;
	return haft_err(MPI_ERR_COUNT,
		"rank %d sends %lld bytes of this call to rank %d, which expects %lld",
		r->res.source, (long long)(err != 0 ? r->recv.total : r->res.bytes), s->caller,
		(long long)r->bytes);
}

/* Stores the error of a message that has come wrong. */
static void sched_fail_message(struct sched *s, struct req *r)
{
	int err = r->res.error != 0 ? p2p_coll_wait(r, 1) : 0;

	if (r->kind == REQ_RECV && (err == 0 || err == MPI_ERR_TRUNCATE))
		err = sched_mismatch(s, r, err);
	sched_fail(s, err, r->kind == REQ_RECV);
}

/* Are all messages of the round done?  Stores their errors. */
static bool sched_drained(struct sched *s)
{
	for (; s->waited < s->nreqs; s->waited++) {
		struct req *r = &s->reqs[s->waited];

		if (!r->done)
			return false;
		if (unlikely(r->res.error != 0 || (r->kind == REQ_RECV && r->res.bytes < r->bytes)))
			sched_fail_message(s, r);
	}
	s->nreqs = s->waited = 0;
	return true;
}

/* Is this a send of data that a poisoned schedule lacks? */
static bool step_lacks_data(const struct sched *s, const struct step *p)
{
	return p->kind == STEP_SEND && !p->own && !to_myself(s, p->peer);
}

/* Lacking data are replaced by an error message.  If the communicator is revoked, nothing is sent:
 * the peer learns that, and would return two errors, this one and that. */
static void step_message(struct sched *s, const struct step *p)
{
	bool poisoned = unlikely(s->poisoned) && step_lacks_data(s, p);
	struct req *r;

	if (unlikely(poisoned) && (s->comm->hints & COMM_REVOKED) != 0)
		return;
	r = &s->reqs[s->nreqs++];
	if (unlikely(poisoned))
		p2p_coll_send_error(s->comm, &s->error, p->peer, s->tag, r);
	else if (p->kind == STEP_SEND)
		p2p_coll_start(s->comm, REQ_SEND, p->a, p->n, p->type, p->peer, s->tag, r);
	else
		p2p_coll_start(s->comm, REQ_RECV, p->out, p->n, p->type, p->peer, s->tag, r);
}

static int step_pack(const struct step *p)
{
	int64_t bytes = p->n * p->type->size;

	if (unlikely(bytes > p->m))
		return haft_err(MPI_ERR_TRUNCATE,
			"this rank gives a block of %lld bytes, where %lld are to be received",
			(long long)bytes, (long long)p->m);
	type_pack(p->type, p->a, p->n, 0, p->out, bytes);
	return 0;
}

static int step_compute(struct sched *s, const struct step *p)
{
	int64_t bytes;

	switch (p->kind) {
	case STEP_REDUCE: coll_op_apply(s->op, p->a, p->b, p->out, p->n, p->type); return 0;
	case STEP_COPY: return type_copy(p->a, p->n, p->type, p->out, p->m, p->type2);
	case STEP_MOVE: type_move(p->type, p->a, p->out, p->n); return 0;
	case STEP_PACK: return step_pack(p);
	case STEP_UNPACK:
		bytes = p->n * p->type->size;
		type_unpack(p->type, p->out, p->n, 0, p->a, bytes < p->m ? bytes : p->m);
		return 0;
	}
	if (p->kind == STEP_CALL)
		return p->call(p->out, s->poisoned ? &s->error : NULL);
	return p->check(p->out);
}

/* Does a poisoned schedule leave out this step?  Its data have not come: no user's function shall
 * see them, and no result is written.  Own data are packed all the same, to be sent. */
static bool step_is_void(const struct step *p)
{
	return p->kind != STEP_CALL && p->kind != STEP_PACK;
}

/* In the call that starts a request, beside messages: a long copy is left to the helper, which does
 * it while the program computes.  Without a helper the call does it at once. */
static bool step_is_left(const struct sched *s, const struct step *p)
{
	return s->nreqs > 0 && haft_helper && (p->kind == STEP_COPY || p->kind == STEP_MOVE) &&
	       p->n * p->type->size >= LEFT_FROM;
}

/* Runs steps until messages are incomplete, or a step is left or not ready (false), or to the end
 * (true).  starts: in the call that starts the request. */
static bool sched_advance(struct sched *s, bool starts)
{
	for (; s->at < s->nsteps; s->at++) {
		const struct step *p = &s->steps[s->at];
		int err;

		if (p->kind == STEP_FENCE) {
			if (!sched_drained(s))
				return false;
			continue;
		}
		if (p->kind <= STEP_RECV) {
			step_message(s, p);
			continue;
		}
		if (p->kind == STEP_AWAIT) {
			s->awaits = p->awaited->ask(p->out) != AWAIT_OVER;
			if (s->awaits)
				return false;
			continue;
		}
		s->left = starts && step_is_left(s, p);
		if (unlikely(s->left))
			return false;
		err = 0;
		if (likely(!s->poisoned) || !step_is_void(p))
			err = step_compute(s, p);
		if (unlikely(err != 0))
			sched_fail(s, err, true);
		if (unlikely(s->poisoned && p->kind == STEP_CHECK))
			s->at = s->nsteps - 1;
	}
	return sched_drained(s);
}

/* Ends planning: allocates the requests of the largest round.  False: no memory. */
static bool sched_ready(struct sched *s)
{
	if (s->bad == 0 && s->most > s->reqs_room) {
		free(s->reqs);
		s->reqs = malloc((size_t)s->most * sizeof(*s->reqs));
		s->reqs_room = s->reqs == NULL ? 0 : s->most;
		if (s->reqs == NULL)
			s->bad = MPI_ERR_NO_MEM;
	}
	return s->bad == 0;
}

int coll_sched_run(const struct coll_args *k, coll_steps_fn *steps, const void *arg)
{
	struct sched *s = sched_new(k);
	int err;

	steps(s, k, arg);
	if (unlikely(!sched_ready(s))) {
		sched_free(s);
		return sched_starved(k, steps, arg);
	}
	while (!sched_advance(s, false))
		p2p_wait_done(&s->reqs[s->waited]);
	err = s->err;
	if (unlikely(err != 0))
		haft_err(err, "%s", s->words != NULL ? s->words : "");
	sched_free(s);
	return err;
}

/* --- requests ------------------------------------------------------------------------------- */

/* Completes the request.  A request that is not persistent frees the schedule. */
static void sched_finish(struct sched *s)
{
	struct req *r = s->req;

	r->res.error = s->err;
	r->errwords = s->words;
	s->words = NULL;
	if (!r->persist) {
		r->sched = NULL;
		sched_free(s);
	}
	p2p_req_done(r);
}

/* Can it go on?  Adds to *moved if it cannot, but now waits for something else. */
static bool sched_can_move(const struct sched *s, int *moved)
{
	const struct step *p = &s->steps[s->at];
	enum coll_await state;

	if (likely(!s->awaits))
		return s->left || s->reqs[s->waited].done;
	state = p->awaited->ask(p->out);
	*moved += state == AWAIT_MOVED;
	return state == AWAIT_OVER;
}

/* Advances all active schedules; called by p2p's progress.  Returns how many have moved. */
static int sched_progress(void)
{
	struct sched *s = active.next;
	int moved = 0;

	while (s != &active) {
		struct sched *here = s;
		bool over;

		if (s->running || !sched_can_move(s, &moved)) {
			s = s->next;
			continue;
		}
		moved++;
		here->running = true;
		over = sched_advance(here, false);
		here->running = false;
		s = here->next; /* only now: the list may have changed meanwhile */
		if (!over)
			continue;
		here->prev->next = here->next;
		here->next->prev = here->prev;
		sched_finish(here);
	}
	return moved;
}

/* Starts a request: runs its schedule from the first step. */
static int sched_start(struct req *r)
{
	struct sched *s = r->sched;
	bool over;

	s->at = s->nreqs = s->waited = 0;
	s->err = 0;
	s->awaits = s->poisoned = false;
	s->running = true;
	over = sched_advance(s, true);
	s->running = false;
	if (over) {
		sched_finish(s);
		return 0;
	}
	s->prev = active.prev;
	s->next = &active;
	s->prev->next = s->next->prev = s;
	if (!hooked)
		p2p_progress_hook(sched_progress);
	hooked = true;
	return 0;
}

static int sched_request_needs(const struct req *r)
{
	const struct sched *s = r->sched;

	if (s != NULL && s->awaits)
		return s->steps[s->at].awaited->late(s->steps[s->at].out);
	return s != NULL && s->waited < s->nreqs ? s->reqs[s->waited].peer : -1;
}

static void sched_request_gone(struct req *r)
{
	if (r->sched != NULL)
		sched_free(r->sched);
}

static const struct req_ops sched_request_ops = {
	.start = sched_start, .gone = sched_request_gone, .needs = sched_request_needs};

/* Makes a request for the steps of a call.  NULL: no memory. */
static struct req *request_of(const struct coll_args *k, coll_steps_fn *steps, const void *arg)
{
	struct sched *s = sched_new(k);
	struct req *r = NULL;

	steps(s, k, arg);
	coll_sched_hold(s, s->op);
	if (sched_ready(s))
		r = p2p_req_new(s->comm, &sched_request_ops);
	if (r == NULL) {
		sched_free(s);
		return NULL;
	}
	r->kind = REQ_COLL;
	r->tag = s->tag;
	r->sched = s;
	s->req = r;
	return r;
}

int coll_sched_begin(
	const struct coll_args *k, coll_steps_fn *steps, const void *arg, struct req **request)
{
	struct req *r = request_of(k, steps, arg);

	if (r == NULL)
		return sched_starved(k, steps, arg);
	*request = r;
	return sched_start(r);
}

int coll_sched_init(
	const struct coll_args *k, coll_steps_fn *steps, const void *arg, struct req **request)
{
	struct req *r = request_of(k, steps, arg);

	if (r == NULL)
		return sched_no_memory();
	r->persist = true;
	*request = r;
	return 0;
}

/* --- invariants ----------------------------------------------------------------------------- */

static bool sched_valid_one(const struct sched *s)
{
	if (s->next->prev != s || s->prev->next != s || s->req == NULL || s->dry != DRY_NONE)
		return false;
	if (s->at < 0 || s->at > s->nsteps || s->nsteps > s->room)
		return false;
	if (s->waited < 0 || s->waited > s->nreqs || s->nreqs > s->reqs_room)
		return false;
	for (int i = 0; i < s->waited; i++)
		if (!s->reqs[i].done)
			return false;
	return s->req->kind == REQ_COLL && !s->req->done;
}

bool coll_sched_valid(void)
{
	int kept = 0;

	for (const struct sched *s = active.next; s != &active; s = s->next)
		if (!sched_valid_one(s))
			return false;
	for (const struct sched *s = pool; s != NULL; s = s->next)
		kept++;
	return kept == pooled && kept <= POOL_MAX;
}
