// SPDX-License-Identifier: BSD-3-Clause
/* sched.h - a collective call as a schedule: an algorithm writes it once, and it runs in three
 * ways.
 *
 *      algorithm (rooted.c all_to_all.c ...)     run
 *        coll_sched_recv   child's part            coll_sched_run     to the end: a blocking call
 *        coll_sched_fence  ------------            coll_sched_begin   by progress: a request
 *        coll_sched_reduce mine, child's           coll_sched_init    at MPI_Start: persistent
 *        coll_sched_send   to the parent
 *
 *      steps   | recv recv send | F | reduce reduce send | F | copy |     F: fence: all messages
 *              └─── a round ────┘                                         started before are done
 *
 * Steps run in order.  A send or a receive is started only; a fence, and the end, wait for all that
 * were started since the last fence, and coll_sched_await for its word; any other step is done at
 * once.  So an algorithm puts a fence between a receive and the use of its data, and between a send
 * and the next change of its data.  With HAFT_PROGRESS=thread the call that starts a request leaves
 * a long copy, and all after it, to the helper.
 *
 * Invariants
 *  - A schedule is complete before its first step runs.  After that it reads nothing of the
 *    caller's but the data: arrays of counts and the like are in its steps.
 *  - All messages of a schedule have one tag, that of the call, and each pair of members sends and
 *    receives them in one order.  Messages of a pair do not overtake each other, so the n-th send
 *    matches the n-th receive, also in the n-th start of a persistent call.
 *  - Planning has no error result: lack of memory is stored in the schedule, and coll_sched_run and
 *    its relatives return it.  An error of a step is stored too, and the steps go on, so a member
 *    with an error does not leave the others waiting.
 *  - After an error a member may lack the data of a message, and sends an error message instead.
 *    Its receiver has an error and no data.  So all members fail whose result depends on the data.
 *    coll_sched_send_own sends in any case.
 *  - Such a member computes nothing more: it calls no user's function with data that have not come,
 *    and writes no result.
 *  - A schedule with a request holds all objects that its steps use.
 *  - One thread at a time runs the steps of a schedule (`running'), although the library's lock is
 *    open during a user's function.  coll_sched_valid checks what can be checked of this. */
#ifndef HAFT_COLL_SCHED_H
#define HAFT_COLL_SCHED_H

#include "libmpi/core/group_object.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include "libmpi/p2p/p2p.h"

struct coll_args;
struct sched;

/* Writes all steps of a call.  `arg' comes from the caller of coll_sched_run and its relatives.  It
 * is called three times in all, if there is no memory. */
typedef void coll_steps_fn(struct sched *s, const struct coll_args *k, const void *arg);

/* --- planning ------------------------------------------------------------------------------- */

/* The group whose ranks the following steps mean; the local group at first. */
void coll_sched_group(struct sched *s, const struct group *g);

/* A message of `count' elements to or from a rank, which may be this process. */
void coll_sched_send(struct sched *s, const void *buf, int64_t count, struct type *type, int rank);
void coll_sched_recv(struct sched *s, void *buf, int64_t count, struct type *type, int rank);

/* As coll_sched_send, for data that no earlier step has made or received: they are valid even after
 * an earlier step has failed. */
void coll_sched_send_own(
	struct sched *s, const void *buf, int64_t count, struct type *type, int rank);

/* Waits for all messages that were started before. */
void coll_sched_fence(struct sched *s);

/* out = a op b, `count' elements; as coll_op_apply.  A user's operation must not have out == a. */
void coll_sched_reduce(
	struct sched *s, const void *a, const void *b, void *out, int64_t count, struct type *type);

/* As type_copy, and as type_move; the latter does nothing if src == dst.  Copies that lie one after
 * another at both places become one step; likewise packing and unpacking. */
void coll_sched_copy(struct sched *s, const void *src, int64_t scount, struct type *stype,
	void *dst, int64_t rcount, struct type *rtype);
void coll_sched_move(struct sched *s, const void *src, void *dst, int64_t count, struct type *type);

/* As type_pack of all, into `room' bytes; more is MPI_ERR_TRUNCATE, the user's mistake.  And as
 * type_unpack of as much as `room' bytes give. */
void coll_sched_pack(struct sched *s, const void *src, int64_t count, struct type *type, void *dst,
	int64_t room);
void coll_sched_unpack(struct sched *s, const void *src, void *dst, int64_t count,
	struct type *type, int64_t room);

/* Runs a function at this point and returns its error.  An error of this step, or of one before,
 * ends the schedule here; all members must come to that alike. */
void coll_sched_check(struct sched *s, int (*fn)(void *arg), void *arg);

/* Runs a function for which other members wait; its error is stored like any other.  error: not
 * NULL: a step before has failed; the function has no data and must tell the others.  Without
 * memory for the steps it is called while they are planned. */
typedef int coll_sched_fn(void *arg, const struct p2p_error_msg *error);
void coll_sched_call(struct sched *s, coll_sched_fn *fn, void *arg);

/* Goes on when ask(arg) says that it is over.  Passes of progress ask it, so only a schedule with a
 * request waits so.  One that is not over names the word that it waits for (p2p_progress_watch),
 * and has moved if it may wait for another peer now: a wait is described anew then.  late says for
 * which, -1: it is not known.  Without memory for the steps it is waited for while they are
 * planned. */
enum coll_await { AWAIT_STILL, AWAIT_MOVED, AWAIT_OVER };
struct coll_awaited {
	enum coll_await (*ask)(void *arg);
	int (*late)(const void *arg);
};
void coll_sched_await(struct sched *s, const struct coll_awaited *what, void *arg);

/* Memory that lives as long as the schedule: bytes, aligned for any type; or for `count' elements,
 * in place of a buffer's address.  NULL: no memory; the schedule stores that.  An algorithm
 * may write no more than the first SCHED_PLANNING bytes: in a dry run all share these. */
#define SCHED_PLANNING 512
void *coll_sched_bytes(struct sched *s, int64_t bytes);
void *coll_sched_elements(struct sched *s, const struct type *type, int64_t count);

/* Is this a dry run, whose steps are not stored? */
bool coll_sched_is_dry_run(const struct sched *s);

/* --- running -------------------------------------------------------------------------------- */

/* Runs the steps of a call to the end.  0 or an MPI error class with words. */
int coll_sched_run(const struct coll_args *k, coll_steps_fn *steps, const void *arg);

/* Runs a call for which this member has no data: members that need them fail with *error and do not
 * wait.  Returns its class, with words. */
int coll_sched_run_failed(const struct coll_args *k, coll_steps_fn *steps, const void *arg,
	const struct p2p_error_msg *error);

/* Holds an object until the schedule is freed.  NULL is nothing. */
void coll_sched_hold(struct sched *s, void *obj);

/* Makes *request a request that runs the steps: started at once, or by MPI_Start.  0 or an MPI
 * error class with words.  Without memory coll_sched_begin waits for its partners, and
 * coll_sched_init does not tell them. */
int coll_sched_begin(
	const struct coll_args *k, coll_steps_fn *steps, const void *arg, struct req **request);
int coll_sched_init(
	const struct coll_args *k, coll_steps_fn *steps, const void *arg, struct req **request);

/* Do the invariants of all active schedules hold?  Registered (valid.h). */
bool coll_sched_valid(void);

/* Frees the memory that is kept for the next schedules. */
void coll_sched_close(void);

/* A message of the call of this tag has another length than its receiver expects.  True: another
 * member is in another call, and all are told.  coll_open sets it: coll_calls_are_other. */
extern bool (*coll_other_call_hook)(struct coll *s, int tag);

#endif
