// SPDX-License-Identifier: BSD-3-Clause
/* sched.h - a collective call as a schedule: what an algorithm writes once, and three ways to run.
 *
 *      plan (rooted.c all_to_all.c allreduce.c ...)            run
 *        coll_sched_recv   child's part                  coll_sched_run     to the end: a blocking call
 *        coll_sched_fence  ------------------            coll_sched_begin   by progress: a request
 *        coll_sched_reduce mine, child's                 coll_sched_begin   again, and again: persistent
 *        coll_sched_send   to the parent
 *
 *      steps   | recv recv send | F | reduce reduce send | F | copy |       F: all messages that
 *              └─── a round ────┘                                          were started are over
 *
 * Steps run in order.  A send or a receive is started and goes on; a fence, and the end, wait for
 * all that were started since the last one; anything else is done at once.  So an algorithm puts a
 * fence between a receive and the use of its data, and between a send and the next change of its.
 *
 * Invariants
 *  - A schedule is complete before its first step runs.  It reads nothing of the caller's
 * afterwards but the data: arrays of counts and the like are in its steps.
 *  - All messages of a schedule have one tag, its call's, and each pair of members sends and
 *    receives them in the same order: messages of a pair do not overtake each other, so the n-th
 *    send meets the n-th receive, in the n-th start of a persistent call as well.
 *  - Planning never fails on the way: what goes wrong (no memory) is kept and said by coll_sched_run or
 *    coll_sched_begin.  What goes wrong in a step is kept too, and the steps go on: a member with an
 *    error does not leave the others waiting.
 *  - Who has had an error may not have the data of a message and sends a `sorry' in its place; who
 *    gets one has an error and no data: so an error comes to all whose result depends on it.  What
 *    is sent by coll_sched_send_own goes in any case.  A member that has no memory for its steps is sorry
 *    from the first on, see sched.c.
 *  - A schedule with a request holds all objects that its steps use.
 *  - Steps of a schedule are run by one thread at a time (`busy'), though the library's lock is
 *    open during a user's function. */
#ifndef HAFT_COLL_SCHED_H
#define HAFT_COLL_SCHED_H

#include "libmpi/core/group_object.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include "libmpi/p2p/p2p.h"

struct coll_args;
struct sched;

/* Writes all steps of a call; `arg' is what the caller of coll_sched_run and the like gives.  It is
 * called again, three times in all, if there is no memory. */
typedef void coll_steps_fn(struct sched *s, const struct coll_args *k, const void *arg);

/* --- planning ------------------------------------------------------------------------------- */

/* The group whose ranks the steps below mean: the local one until said otherwise. */
void coll_sched_group(struct sched *s, const struct group *g);

/* A message of `count' elements to or from a rank, which may be this process. */
void coll_sched_send(struct sched *s, const void *buf, int64_t count, struct type *type, int rank);
void coll_sched_recv(struct sched *s, void *buf, int64_t count, struct type *type, int rank);

/* The same as coll_sched_send for what no step before has made or received: it is right though one of
 * them may have failed. */
void coll_sched_send_own(
	struct sched *s, const void *buf, int64_t count, struct type *type, int rank);

/* Waits for all messages started before. */
void coll_sched_fence(struct sched *s);

/* out = a op b, `count' elements; as coll_op_apply.  A user's operation must not have out == a. */
void coll_sched_reduce(
	struct sched *s, const void *a, const void *b, void *out, int64_t count, struct type *type);

/* As type_copy, and type_move (nothing if both are the same). */
void coll_sched_copy(struct sched *s, const void *src, int64_t scount, struct type *stype,
	void *dst, int64_t rcount, struct type *rtype);
void coll_sched_move(struct sched *s, const void *src, void *dst, int64_t count, struct type *type);

/* As type_pack of all, into `room' bytes: more is the caller's mistake, and is MPI_ERR_TRUNCATE.
 * As type_unpack of as much as `room' bytes give. */
void coll_sched_pack(struct sched *s, const void *src, int64_t count, struct type *type, void *dst,
	int64_t room);
void coll_sched_unpack(struct sched *s, const void *src, void *dst, int64_t count,
	struct type *type, int64_t room);

/* Runs a function at this point; what it returns is the call's error, and an error, of this step or
 * of one before, ends the schedule here: all members must come to that alike. */
void coll_sched_check(struct sched *s, int (*fn)(void *arg), void *arg);

/* Runs a function with which other members wait for this one; an error is kept like any other.  If
 * there was one before, the function hears of it: it has to tell them, and has no data for them.
 * Without memory for the steps it is called as it is planned. */
typedef int coll_sched_fn(void *arg, const struct p2p_error_msg *sorry);
void coll_sched_call(struct sched *s, coll_sched_fn *fn, void *arg);

/* Memory that goes with the schedule: bytes, aligned for any type; or for `count' elements, at what
 * a buffer's address would be.  NULL: none, which the schedule remembers.  A plan may write no more
 * than the first SCHED_PLANNING bytes: without memory all of a walk's have these alone. */
#define SCHED_PLANNING 512
void *coll_sched_bytes(struct sched *s, int64_t bytes);
void *coll_sched_elements(struct sched *s, const struct type *type, int64_t count);

/* A member without memory walks: these steps will not be run. */
bool coll_sched_is_dry_run(const struct sched *s);

/* There is no memory for something else that the steps need. */
void coll_sched_set_no_memory(struct sched *s);

/* --- running -------------------------------------------------------------------------------- */

/* Runs the steps of a call to the end.  0 or an MPI error class with words. */
int coll_sched_run(const struct coll_args *k, coll_steps_fn *steps, const void *arg);

/* Runs nothing of a call for which this member has no data: the others fail with what *sorry says,
 * if they need these, and do not wait.  Returns its class, with words. */
int coll_sched_run_failed(const struct coll_args *k, coll_steps_fn *steps, const void *arg,
	const struct p2p_error_msg *sorry);

/* Holds an object until the schedule is freed.  NULL is nothing. */
void coll_sched_hold(struct sched *s, void *obj);

/* Makes *request a request that runs the steps: started at once, or by MPI_Start.  0 or an MPI
 * error class with words.  coll_sched_begin without memory waits for its partners (coll_sched_run also, but
 * that always does); coll_sched_init does not tell them. */
int coll_sched_begin(
	const struct coll_args *k, coll_steps_fn *steps, const void *arg, struct req **request);
int coll_sched_init(
	const struct coll_args *k, coll_steps_fn *steps, const void *arg, struct req **request);

/* Forgets the memory kept for the next schedules. */
void coll_sched_close(void);

#endif
