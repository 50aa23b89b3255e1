// SPDX-License-Identifier: BSD-3-Clause
/* sched.h - a collective call as a schedule: what an algorithm writes once, and three ways to run.
 *
 *      plan (tree.c ring.c fold.c ...)            run
 *        sched_recv   child's part                  sched_run     to the end: a blocking call
 *        sched_fence  ------------------            sched_begin   by progress: a request
 *        sched_reduce mine, child's                 sched_begin   again, and again: persistent
 *        sched_send   to the parent
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
 *  - Planning never fails on the way: what goes wrong (no memory) is kept and said by sched_run or
 *    sched_begin.  What goes wrong in a step is kept too, and the steps go on: a member with an
 *    error does not leave the others waiting.
 *  - Who has had an error may not have the data of a message and sends a `sorry' in its place; who
 *    gets one has an error and no data: so an error comes to all whose result depends on it.  What
 *    is sent by sched_give goes in any case.  A member that has no memory for its steps is sorry
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

struct call;
struct sched;

/* Writes all steps of a call; `arg' is what the caller of sched_run and the like gives.  It is
 * called again, three times in all, if there is no memory. */
typedef void steps_fn(struct sched *s, const struct call *k, const void *arg);

/* --- planning ------------------------------------------------------------------------------- */

/* The group whose ranks the steps below mean: the local one until said otherwise. */
void sched_over(struct sched *s, const struct group *g);

/* A message of `count' elements to or from a rank, which may be this process. */
void sched_send(struct sched *s, const void *buf, int64_t count, struct type *type, int rank);
void sched_recv(struct sched *s, void *buf, int64_t count, struct type *type, int rank);

/* The same as sched_send for what no step before has made or received: it is right though one of
 * them may have failed. */
void sched_give(struct sched *s, const void *buf, int64_t count, struct type *type, int rank);

/* Waits for all messages started before. */
void sched_fence(struct sched *s);

/* out = a op b, `count' elements; as op_apply.  A user's operation must not have out == a. */
void sched_reduce(
	struct sched *s, const void *a, const void *b, void *out, int64_t count, struct type *type);

/* As type_copy, and type_move (nothing if both are the same). */
void sched_copy(struct sched *s, const void *src, int64_t scount, struct type *stype, void *dst,
	int64_t rcount, struct type *rtype);
void sched_move(struct sched *s, const void *src, void *dst, int64_t count, struct type *type);

/* As type_pack of all, into `room' bytes: more is the caller's mistake, and is MPI_ERR_TRUNCATE.
 * As type_unpack of as much as `room' bytes give. */
void sched_pack(struct sched *s, const void *src, int64_t count, struct type *type, void *dst,
	int64_t room);
void sched_unpack(struct sched *s, const void *src, void *dst, int64_t count, struct type *type,
	int64_t room);

/* Runs a function at this point; what it returns is the call's error, and an error, of this step or
 * of one before, ends the schedule here: all members must come to that alike. */
void sched_check(struct sched *s, int (*fn)(void *arg), void *arg);

/* Runs a function with which other members wait for this one; an error is kept like any other.  If
 * there was one before, the function hears of it: it has to tell them, and has no data for them.
 * Without memory for the steps it is called as it is planned. */
typedef int sched_fn(void *arg, const struct p2p_sorry *sorry);
void sched_call(struct sched *s, sched_fn *fn, void *arg);

/* Memory that goes with the schedule: bytes, aligned for any type; or for `count' elements, at what
 * a buffer's address would be.  NULL: none, which the schedule remembers.  A plan may write no more
 * than the first SCHED_PLANNING bytes: without memory all of a walk's have these alone. */
#define SCHED_PLANNING 512
void *sched_bytes(struct sched *s, int64_t bytes);
void *sched_elems(struct sched *s, const struct type *type, int64_t count);

/* A member without memory walks: these steps will not be run. */
bool sched_walks(const struct sched *s);

/* There is no memory for something else that the steps need. */
void sched_starve(struct sched *s);

/* --- running -------------------------------------------------------------------------------- */

/* Runs the steps of a call to the end.  0 or an MPI error class with words. */
int sched_run(const struct call *k, steps_fn *steps, const void *arg);

/* Runs nothing of a call for which this member has no data: the others fail with what *sorry says,
 * if they need these, and do not wait.  Returns its class, with words. */
int sched_walk(
	const struct call *k, steps_fn *steps, const void *arg, const struct p2p_sorry *sorry);

/* Holds an object until the schedule is freed.  NULL is nothing. */
void sched_hold(struct sched *s, void *obj);

/* Makes *request a request that runs the steps: started at once, or by MPI_Start.  0 or an MPI
 * error class with words.  sched_begin without memory waits for its partners (sched_run also, but
 * that always does); sched_keep does not tell them. */
int sched_begin(const struct call *k, steps_fn *steps, const void *arg, struct req **request);
int sched_keep(const struct call *k, steps_fn *steps, const void *arg, struct req **request);

/* Forgets the memory kept for the next schedules. */
void sched_close(void);

#endif
