// SPDX-License-Identifier: BSD-3-Clause
/* run.c - running a checked call: blocking, nonblocking, or persistent.
 *
 *     coll_run              compare (HAFT_CHECK=coll) ──> shared memory, or a schedule to its end
 *     coll_run_nonblocking  a schedule under a request: compare, then the algorithm's steps, or
 *                           those of a barrier in shared memory
 *     coll_run_persistent   as that, started by MPI_Start; all members agree that they have it
 *     coll_run_local        part of a blocking call over several hosts: the members of one host */
#include "libmpi/coll/algorithms.h"
#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/coll_check.h"
#include "libmpi/coll/coll_shm.h"
#include <limits.h>
#include <stdio.h>

/* --- steps ---------------------------------------------------------------------------------- */

/* The name of a form of a call is that of the blocking form with these before and after. */
struct call_form {
	const char *before, *after;
};

static const struct call_form blocking = {"", ""}, nonblocking = {"I", ""},
			      persistent = {"", "_init"};

static void run_steps(struct sched *s, const struct coll_args *k, const void *arg)
{
	(void)arg;
	if (!k->empty)
		coll_algorithm(k)(s, k);
}

static void run_check_steps(struct sched *s, const struct coll_args *k, const void *arg)
{
	const struct call_form *form = arg;

	coll_check_steps(s, k, form->before, form->after);
}

/* The schedule holds the datatypes of its call, which it uses after the call has returned. */
static void run_hold(struct sched *s, const struct coll_args *k)
{
	coll_sched_hold(s, k->stype);
	coll_sched_hold(s, k->rtype);
	for (int i = 0; i < k->nout && k->stypes.v != NULL; i++)
		coll_sched_hold(s, haft_type_at(k->stypes, i));
	for (int i = 0; i < k->nin && k->rtypes.v != NULL; i++)
		coll_sched_hold(s, haft_type_at(k->rtypes, i));
}

/* The steps of a call with a request.  A member without memory fails in the comparison, after which
 * no member goes on. */
static void run_all_steps(struct sched *s, const struct coll_args *k, const void *form)
{
	if (unlikely(coll_check_wanted)) {
		run_check_steps(s, k, form);
		if (coll_sched_is_dry_run(s))
			return;
	}
	run_steps(s, k, NULL);
	run_hold(s, k);
}

/* --- shared memory -------------------------------------------------------------------------- */

/* Shows which call this is, before it waits for others without being in a phase. */
static void run_show(struct comm *c, uint32_t digest)
{
	struct coll *s = coll_state(c);

	if (s != NULL)
		coll_show(s, c, digest);
}

__attribute__((noinline)) static int run_join_first(struct comm *c, uint32_t digest)
{
	run_show(c, digest);
	return coll_shm_join(c);
}

static inline bool run_joined(const struct comm *c)
{
	return likely(c->coll != NULL && c->coll->joined);
}

/* Joins the communicator's shared memory, once, for the call of this digest. */
static inline int run_join(struct comm *c, uint32_t digest)
{
	return run_joined(c) ? 0 : run_join_first(c, digest);
}

/* The error of the call of digest s->digest, during which a member was seen in another call. */
static int run_mismatch_error(const struct coll_args *k, const struct coll *s)
{
	char words[HAFT_ERR_TEXT_MAX], says[64] = "";
	int err = coll_call_differ(s, (struct coll_call){COLL_BLOCKING, s->digest}, s->mismatch - 1,
		(struct coll_call){COLL_BLOCKING, s->mismatch_digest}, words, sizeof(words));

	if (err == MPI_ERR_ROOT)
		snprintf(says, sizeof(says), ", which says %d", k->root);
	if (err == MPI_ERR_COUNT)
		snprintf(says, sizeof(says), ", which gives %lld", (long long)k->bytes);
	return haft_err(err, "%s%s (HAFT_CHECK=coll says more)", words, says);
}

/* Is this the barrier of MPI_Finalize? */
static bool run_is_last(const struct coll_args *k)
{
	return k->kind == COLL_BARRIER && k->bytes == COLL_BARRIER_LAST;
}

/* Ends a call during which a member was seen in another call.  If they are of two kinds, or have
 * two roots, some members may see nothing of it, or wait for messages: all are told. */
static int run_mismatch(const struct coll_args *k, struct coll *s)
{
	char words[HAFT_ERR_TEXT_MAX];
	int err;

	if (!coll_check_wanted && (s->mismatch_digest ^ s->digest) >> DIGEST_BYTES_BITS != 0 &&
		(!run_is_last(k) || coll_calls_compare_published(s)))
		coll_calls_check_comm(s); /* it knows the constructor that has made this call */
	if (s->broken)
		return p2p_comm_error(k->comm);
	err = run_mismatch_error(k, s);
	if (k->comm->whole == NULL && (s->mismatch_digest ^ s->digest) >> DIGEST_BYTES_BITS != 0) {
		snprintf(words, sizeof(words), "%s", haft_err_text(err));
		haft_comm_hooks.differ(k->comm, err, words);
		haft_err(err, "%s", words);
	}
	s->mismatch = 0;
	s->stop = s->broken;
	return err;
}

/* A call by messages: shows the others where this member is.  The functions of shared memory have,
 * unless they are skipped, added a rooted call to the history. */
__attribute__((noinline)) static void run_announce(
	const struct coll_args *k, struct coll *s, bool skipped)
{
	if (skipped || !coll_kind_rooted(k->kind))
		coll_keep(s, coll_digest(k));
	if (k->comm->whole == NULL)
		coll_calls_by_messages(s);
	coll_phase_announce(s);
}

/* Ends a call through shared memory that returned err, or in which a member was seen in another. */
__attribute__((noinline)) static int run_shm_end(
	const struct coll_args *k, struct coll *s, int err, bool skipped)
{
	if (err == COLL_SHM_NONE)
		run_announce(k, s, skipped);
	return likely(s->mismatch == 0) ? err : run_mismatch(k, s);
}

/* Runs a call through shared memory; call: coll_digest_call of it.  COLL_SHM_NONE: there is none,
 * or messages are better. */
static inline int run_shm(const struct coll_args *k, uint32_t call)
{
	struct comm *c = k->comm;
	coll_shm_fn *fn = coll_shm_fns[k->kind];
	int err = run_joined(c) ? 0 : run_join_first(c, coll_digest(k));
	struct coll *s = c->coll;
	bool skipped;

	if (unlikely(err != 0))
		return err;
	if (unlikely(s == NULL || s->block == NULL))
		return COLL_SHM_NONE;
	coll_show(s, c, coll_digest_of(call, k->bytes));
	skipped = fn == NULL || k->empty || coll_algorithm_forced[k->kind] != NULL;
	err = unlikely(skipped) ? COLL_SHM_NONE : fn(k);
	return likely((err | s->mismatch) == 0) ? 0 : run_shm_end(k, s, err, skipped);
}

/* As run_mismatch, of a constructor.  Not inline: only here are there arguments to fill. */
__attribute__((noinline)) static int run_mismatch_constructor(struct coll *s)
{
	return run_mismatch(&(struct coll_args){.comm = s->comm, .me = s->me}, s);
}

HAFT_START int coll_run_constructor(struct comm *c, enum coll_maker maker, bool join)
{
	uint32_t digest = coll_maker_digest(maker);
	struct coll *s = c->coll;
	int err;

	if (s != NULL)
		coll_shown_keep(s, c->coll_seq);
	if (s != NULL && s->shown != 0) { /* for its name */
		coll_own_add(s, COLL_NO_PHASE, s->shown, s->digest);
		s->shown = 0;
	}
	coll_calls_begin_maker(c, maker);
	err = join && c->remote == NULL ? run_join(c, digest) : 0;
	s = c->coll;
	if (err != 0 || s == NULL || !s->joined || s->block == NULL || s->broken)
		return err;
	coll_show(s, c, digest);
	coll_own_add(s, s->phase + 1, c->coll_seq, digest);
	coll_phase_announce(s);
	s->shown_phase = s->phase; /* it has kept itself */
	return likely(s->mismatch == 0) ? 0 : run_mismatch_constructor(s);
}

int coll_run_local(const struct coll_args *k, const struct p2p_error_msg *error)
{
	int err = run_join(k->comm, coll_digest(k));
	struct coll *s = k->comm->coll;
	struct p2p_error_msg other;

	if (err != 0)
		return err;
	if (s != NULL) {
		s->may_fail = true;
		s->failed = error;
	}
	err = run_shm(k, coll_digest_call(k->kind, k->root));
	if (s != NULL)
		s->failed = NULL;
	if (err == COLL_SHM_NONE)
		return error != NULL ? coll_sched_run_failed(k, run_steps, NULL, error)
				     : coll_sched_run(k, run_steps, NULL);
	if (err == 0 && error == NULL && coll_phase_error(s, s->phase, &other))
		err = p2p_error_take(&other);
	return err;
}

/* --- the three forms ------------------------------------------------------------------------ */

/* Compares a blocking call.  Not inline: the calls without HAFT_CHECK=coll are the fast path. */
__attribute__((noinline)) static int run_compare(struct coll_args *k)
{
	uint32_t digest = coll_digest(k);

	if ((k->comm->hints & COMM_REVOKED) != 0)
		return p2p_comm_error(k->comm);
	coll_calls_begin(k->comm, COLL_BLOCKING, digest);
	run_show(k->comm, digest);
	return coll_sched_run(k, run_check_steps, &blocking);
}

__attribute__((noinline)) static int run_messages(struct coll_args *k)
{
	coll_calls_tag(k, COLL_BLOCKING);
	return coll_sched_run(k, run_steps, NULL);
}

HAFT_HOT int coll_run(struct coll_args *k)
{
	int err = 0;

	k->blocking = true;
	k->tag = coll_next_tag(k->comm);
	/* Before shared memory, where a member in another call may not arrive. */
	if (unlikely(coll_check_wanted))
		err = run_compare(k);
	if (unlikely(err != 0))
		return err;
	err = COLL_SHM_NONE;
	if (likely(!k->inter))
		err = run_shm(k, k->call);
	else if ((k->comm->hints & COMM_REVOKED) != 0)
		err = p2p_comm_error(k->comm);
	return likely(err != COLL_SHM_NONE) ? err : run_messages(k);
}

int coll_run_nonblocking(struct coll_args *k, struct req **request)
{
	bool shared;

	if (unlikely((k->comm->hints & COMM_REVOKED) != 0))
		return p2p_comm_error(k->comm);
	k->tag = coll_next_tag(k->comm);
	coll_calls_tag(k, COLL_NONBLOCKING); /* before the call is in the history, with its bytes */
	coll_calls_begin(k->comm, COLL_NONBLOCKING, coll_digest(k));
	shared = coll_shm_requestable(k) && coll_algorithm_forced[k->kind] == NULL;
	if (shared)
		k->comm->coll->barriers++;
	return coll_sched_begin(
		k, shared ? coll_shm_requested : run_all_steps, &nonblocking, request);
}

/* --- persistent ----------------------------------------------------------------------------- */

static int64_t counts_bytes(
	struct haft_counts counts, struct haft_types types, const struct type *type, int n)
{
	int64_t sum = 0;

	for (int i = 0; i < n && counts.v != NULL; i++) {
		const struct type *t = types.v != NULL ? haft_type_at(types, i) : type;

		sum += t != NULL ? haft_count_at(counts, i) * t->size : 0;
	}
	return sum;
}

/* The bytes of this member's arguments that the profile counts at each start: as bind/ tells those
 * of the blocking form (haft-profile(7)). */
static int64_t run_bytes(const struct coll_args *k)
{
	switch (k->kind) {
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
	case COLL_NEIGHBOR_ALLTOALLV:
	case COLL_NEIGHBOR_ALLTOALLW:
		return k->in_place ? counts_bytes(k->rcounts, k->rtypes, k->rtype, k->nin)
				   : counts_bytes(k->scounts, k->stypes, k->stype, k->nout);
	case COLL_REDUCE_SCATTER: return counts_bytes(k->rcounts, k->rtypes, k->rtype, k->n);
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_ALLGATHERV:
	case COLL_NEIGHBOR_ALLGATHERV:
		return k->in_place || k->stype == NULL ? 0 : k->scount * k->stype->size;
	default: break;
	}
	if (k->rtype != NULL)
		return k->rcount * k->rtype->size;
	return k->stype != NULL ? k->scount * k->stype->size : 0;
}

/* An _init call is not local (MPI-5.0 6.13): all members have their steps, or none a request. */
int coll_run_persistent(struct coll_args *k, struct req **request)
{
	struct coll_args agreement = *k;
	struct req *r = NULL;
	int err, without;

	if (unlikely((k->comm->hints & COMM_REVOKED) != 0))
		return p2p_comm_error(k->comm);
	k->tag = coll_next_persistent_tag(k->comm);
	agreement.tag = coll_last_tag(k->comm);
	coll_calls_tag(&agreement, COLL_PERSISTENT);
	coll_calls_begin(k->comm, COLL_PERSISTENT, coll_digest(k));
	err = unlikely(coll_check_wanted) ? coll_check_name(k) : 0;
	if (err != 0)
		return err;
	err = coll_sched_init(k, run_all_steps, &persistent, &r);
	without = err == 0 ? INT_MAX : k->me;
	err = coll_allreduce_min(k->comm, agreement.tag, &without);
	if (likely(err == 0 && without == INT_MAX)) {
		r->bytes = run_bytes(k);
		*request = r;
		return 0;
	}
	if (r != NULL)
		p2p_request_free(&r);
	if (err == 0)
		err = haft_err(MPI_ERR_NO_MEM,
			"at rank %d: no memory for the steps of a collective call", without);
	return err;
}
