// SPDX-License-Identifier: BSD-3-Clause
/* binding.h - the macros of generated bindings: enter, look up handles, check, return results,
 * leave.
 *
 *      MPI_Send(buf, n, MPI_INT, 7, 0, comm)
 *        BIND_ENTER        is the gate 0?          no: bind_gate takes the lock, or refuses, or
 *                                                  the call goes to tools: chain_MPI_Send
 *        BIND_OBJ          handle -> object        bad: bind_bad_handle says why
 *        BIND_CHECK        one compare an argument bad: bind_bad_... has the words
 *        p2p_send(...)
 *        BIND_LEAVE        releases the lock, if there is one
 *        BIND_FAIL         raise.c calls the error handler
 *
 * The usual path is inline and branches only forward; everything that words an error is out of line
 * and cold (bad_argument.c).  Macros use the names of the generated function: `ret', `self' (the
 * object on which errors are raised, or NULL), `o_x' (the object of handle x), `s_x' (scratch), the
 * label `fail'.  A check that a row of kinds.def names is OK_<check> and BAD_<check> here; a
 * condition that a row of parameters names is BIND_WHEN_<when>. */
#ifndef HAFT_BIND_BINDING_H
#define HAFT_BIND_BINDING_H

#include "libmpi/bind/raise.h"
#include "libmpi/core/err.h"
#include "libmpi/core/language.h"
#include "libmpi/core/counts.h"
#include "libmpi/core/current_call.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include "libmpi/core/process_state.h"
#include "libmpi/p2p/p2p.h"

#include <limits.h>
#include <stdarg.h>

#define bind_usual(x) __builtin_expect(!!(x), 1)
#define bind_rare(x)  __builtin_expect(!!(x), 0)

#define BIND_WEAK(name)  __attribute__((weak, alias(#name)))
#define BIND_ALIAS(name) __attribute__((alias(#name), visibility("hidden")))
#define BIND_SCRATCH     64 /* requests of one call that fit on the stack */

/* --- cold halves: bad_argument.c, gate.c ---------------------------------------------------- */

/* Each stores words and returns a class.  name: of the parameter. */
#define BIND_COLD __attribute__((cold, noinline))
#define BIND_SLOW __attribute__((noinline))
/* The datatype of a message of n elements whose handle is invalid: some type if n is 0 and the
 * handle is MPI_DATATYPE_NULL; else NULL. */
BIND_COLD struct type *bind_no_type(obj_h handle, int64_t n);

/* An invalid handle of a parameter: the error class of its kind, with words. */
BIND_COLD int bind_bad_handle(const struct obj_class *class, obj_h handle, const char *name);

/* Replaces, in the last line of a program, the sites where the object of this thread's last bad
 * handle was made and freed: "e+0x1741" becomes "e.c:26 (main)". */
BIND_COLD void bind_callsites(char *line, size_t n);

/* Arguments that are refused: the error class, with words that name the parameter.  element: handle
 * i of an array; array: its length is bad, or there was no memory for its objects; null: a
 * pointer. */
BIND_COLD int bind_bad_element(
	const struct obj_class *class, obj_h handle, const char *name, int64_t i);
BIND_COLD int bind_bad_array(int no_memory, int64_t n, const char *name);
BIND_COLD int bind_bad_null(const char *name);
BIND_COLD int bind_bad_number(int class, const char *name, int64_t value, int least);
BIND_COLD int bind_bad_type(const struct type *type, const char *name);
BIND_COLD int bind_bad_rank(const struct comm *c, const char *name, int rank);
BIND_COLD int bind_bad_source(const struct comm *c, const char *name, int rank);
BIND_COLD int bind_bad_tag(const char *name, int tag);
BIND_COLD int bind_bad_root(const struct comm *c, const char *name, int root);

/* MPI is not running, or this is a forked child: raises MPI_ERR_OTHER, and returns its class. */
BIND_COLD int bind_not_running(int fn);

/* The function has no engine yet: raises MPI_ERR_UNSUPPORTED_OPERATION on the object of `handle',
 * if class is not NULL and it is one.  The tools interface returns it without a handler. */
BIND_COLD int bind_no_engine(const struct obj_class *class, void *handle, int fn);
BIND_COLD int bind_no_engine_tool(int fn);

/* Room for n handles, when the stack's is too small; NULL: no memory.  Freed by the other. */
void *bind_scratch_heap(int64_t n);
void bind_scratch_free(void *room);

/* --- enter and leave ------------------------------------------------------------------------ */

/* The slow path of BIND_ENTER.  bind_gate takes the lock if there are threads, tells the profile
 * that the call begins, and returns 0; or it refuses the call and returns the class of the error;
 * or it returns BIND_CHAIN, for the call belongs to a tool (libmpi/qmpi).
 * bind_gate_any, for calls that are allowed at any time, opens the classes of objects before
 * MPI_Init, and takes the lock at every level of thread support.  bind_gate_tool does so for MPI_T.
 * bind_gate_read only counts the call, and so does bind_gate_tool_read for MPI_T.
 * bind_gate_read_any may open the classes.  bind_chain: is it for a tool?  bind_leave ends
 * the call in the profile, and releases the lock if this call took it.
 *   ret, cfa   BIND_CALLER: the return address of the binding, and the stack above it */
BIND_SLOW int bind_gate(int fn, uintptr_t ret, uintptr_t cfa);
BIND_SLOW int bind_gate_any(int fn, uintptr_t ret, uintptr_t cfa);
BIND_SLOW int bind_gate_tool(int fn, uintptr_t ret, uintptr_t cfa);
BIND_SLOW int bind_gate_read(int fn, uintptr_t ret, uintptr_t cfa);
BIND_SLOW int bind_gate_read_any(int fn, uintptr_t ret, uintptr_t cfa);
BIND_SLOW int bind_gate_tool_read(int fn, uintptr_t ret, uintptr_t cfa);
BIND_COLD bool bind_chain(int fn, uintptr_t ret, uintptr_t cfa);
#define BIND_CHAIN (-1)
BIND_SLOW void bind_leave(void);

/* bind_gate for calls that move data: the profile gets the values in registers on entry, as the
 * user gave it.  moves: fn, and enum bind_moves above BIND_MOVES.  peer: a rank; -1: none.  tag: of
 * a message that it sends; -1: none.  count: so many elements of `datatype'.  object: the
 * communicator or window.  bind_gate_starts: for n requests that are started. */
enum bind_moves { BIND_SENDS, BIND_RECEIVES, BIND_COLLECTS, BIND_REACHES };
#define BIND_MOVES 16
BIND_SLOW int bind_gate_message(uint32_t moves, int peer, int tag, int64_t count,
	MPI_Datatype datatype, void *object, uintptr_t ret, uintptr_t cfa);
BIND_SLOW int bind_gate_starts(
	int fn, int n, const MPI_Request *requests, uintptr_t ret, uintptr_t cfa);

/* A collective call whose blocks have counts of their own tells the profile their bytes after the
 * checks: of all that it sends, or in place receives.  bind_blocks_each: types is an array. */
enum bind_blocks { BIND_OF_PEERS, BIND_OF_MEMBERS, BIND_OF_NEIGHBORS };
BIND_SLOW void bind_blocks_tell(enum bind_blocks whose, struct haft_counts counts,
	const struct type *type, const struct comm *c);
BIND_SLOW void bind_blocks_each(enum bind_blocks whose, struct haft_counts counts,
	const MPI_Datatype *types, const struct comm *c);
#define BIND_PROFILES bind_rare(haft_gate_has(HAFT_GATE_PROFILE))

#define BIND_CALLER (uintptr_t) __builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa()

/* chain: the call of the first tool, whose result is the function's. */
#define BIND_REFUSED(chain) (ret == BIND_CHAIN ? (chain) : ret)

#define BIND_ENTER(fn, chain)                                                                   \
	do {                                                                                    \
		if (bind_rare(haft_gate_now() != 0) && (ret = bind_gate(fn, BIND_CALLER)) != 0) \
			return BIND_REFUSED(chain);                                             \
	} while (0)

#define BIND_ENTER_MESSAGE(fn, what, peer, tag, count, datatype, object, chain)                   \
	do {                                                                                      \
		if (bind_rare(haft_gate_now() != 0) &&                                            \
			(ret = bind_gate_message((uint32_t)(fn) | (uint32_t)(what) << BIND_MOVES, \
				 peer, tag, count, datatype, object, BIND_CALLER)) != 0)          \
			return BIND_REFUSED(chain);                                               \
	} while (0)

#define BIND_ENTER_STARTS(fn, n, requests, chain)                                    \
	do {                                                                         \
		if (bind_rare(haft_gate_now() != 0) &&                               \
			(ret = bind_gate_starts(fn, n, requests, BIND_CALLER)) != 0) \
			return BIND_REFUSED(chain);                                  \
	} while (0)

/* For a binding behind a quick one, which has no frame of the call's name (core/current_call.h). */
#define BIND_NAMED(fn) ((void)(haft_gated_call = bind_fn_names[fn]))

/* For functions that enter by no gate: does the call belong to a tool? */
#define BIND_TO_TOOLS(fn) (bind_rare(haft_life.tools) && bind_chain(fn, BIND_CALLER))

/* For a jump to the second binding of a call, which enters by the macros above. */
#define BIND_GATED bind_rare(haft_gate_now() != 0)
#define BIND_GATED_READ \
	bind_rare(haft_gate_has(HAFT_GATE_SHUT | HAFT_GATE_PROFILE | HAFT_GATE_TOOLS))

/* Which count of a call is significant, as far as the arguments alone say. */
#define BIND_GIVEN_SENDER   (sendbuf != MPI_IN_PLACE)
#define BIND_GIVEN_OUTGOING (sendbuf != MPI_IN_PLACE)
#define BIND_GIVEN_RECEIVER (recvbuf != MPI_IN_PLACE)

#define BIND_ENTER_ANYTIME(fn, chain)                                       \
	do {                                                                \
		if (bind_rare((ret = bind_gate_any(fn, BIND_CALLER)) != 0)) \
			return BIND_REFUSED(chain);                         \
	} while (0)

/* READ: the engine reads what never changes while its handles are valid, and needs no lock. */
#define BIND_ENTER_READ(fn, chain)                                \
	do {                                                      \
		if ((ret = bind_gate_read(fn, BIND_CALLER)) != 0) \
			return BIND_REFUSED(chain);               \
	} while (0)

#define BIND_ENTER_READ_ANYTIME(fn, chain)                                          \
	do {                                                                        \
		if (bind_rare(haft_life.state == HAFT_BEFORE || haft_life.tools) && \
			(ret = bind_gate_read_any(fn, BIND_CALLER)) != 0)           \
			return BIND_REFUSED(chain);                                 \
	} while (0)

/* TOOL: the tools interface must be initialized; locks as BIND_ENTER_ANYTIME does. */
#define BIND_ENTER_TOOL(fn, chain)                                           \
	do {                                                                 \
		if (bind_rare((ret = bind_gate_tool(fn, BIND_CALLER)) != 0)) \
			return BIND_REFUSED(chain);                          \
	} while (0)

/* TOOL and READ: for signal handlers, too.  Takes no lock, and is not timed by the profile. */
#define BIND_ENTER_TOOL_READ(fn, chain)                                           \
	do {                                                                      \
		if (bind_rare((ret = bind_gate_tool_read(fn, BIND_CALLER)) != 0)) \
			return BIND_REFUSED(chain);                               \
	} while (0)

#define BIND_LEAVE()                                 \
	do {                                         \
		if (bind_rare(haft_gate_now() != 0)) \
			bind_leave();                \
	} while (0)

#define BIND_LEAVE_ANYTIME() bind_leave()
#define BIND_LEAVE_TOOL()    bind_leave()

#define BIND_FAIL(err, self, fn)           bind_fail(err, self, fn)
#define BIND_FAIL_TOOL(err, self, fn)      ((void)(self), bind_fail_tool(err))
#define BIND_FAIL_ANYTIME(err, self, fn)   BIND_FAIL_TOOL(err, self, fn)
#define BIND_FAIL_TOOL_READ(err, self, fn) ((void)(self), bind_fail_tool_read(err))

/* Errors are raised before the lock is given back, so that `self' stays; raise.c gives it up while
 * a handler runs.  Returns err. */
BIND_COLD int bind_fail(int err, void *self, int fn);

/* As bind_fail, for MPI_T: calls no error handler, and returns an MPI_T_ERR_ code (MPI-5.0
 * 15.3.10). */
BIND_COLD int bind_fail_tool(int err);

/* As bind_fail_tool, for a call that has taken no lock. */
BIND_COLD int bind_fail_tool_read(int err);

/* Objects that this call makes and frees get the address of the user's call as their site. */
#define BIND_SITE() obj_site_set(bind_site((uintptr_t)__builtin_return_address(0)))

/* The caller, or if that is Fortran's library, its caller. */
static inline uintptr_t bind_site(uintptr_t caller)
{
	uintptr_t fort = haft_fort_site;

	if (bind_rare(fort != 0)) {
		haft_fort_site = 0;
		return fort;
	}
	return caller;
}

/* --- handles -------------------------------------------------------------------------------- */

#define BIND_OBJ(class, x)                                                          \
	do {                                                                        \
		o_##x = obj_get_token(&haft_##class##_class, (obj_h)x);             \
		if (bind_rare(o_##x == NULL)) {                                     \
			ret = bind_bad_handle(&haft_##class##_class, (obj_h)x, #x); \
			goto fail;                                                  \
		}                                                                   \
	} while (0)

/* The type of `n' elements: of none it may be the null handle, as other implementations have it. */
#define BIND_OBJ_COUNT(class, x, n)                                                         \
	do {                                                                                \
		o_##x = obj_get_token(&haft_##class##_class, (obj_h)x);                     \
		if (bind_rare(o_##x == NULL)) {                                             \
			o_##x = bind_no_type((obj_h)x, n);                                  \
			if (o_##x == NULL) {                                                \
				ret = bind_bad_handle(&haft_##class##_class, (obj_h)x, #x); \
				goto fail;                                                  \
			}                                                                   \
		}                                                                           \
	} while (0)

#define BIND_OBJ_NULL(class, x, null)       \
	do {                                \
		if (x != null)              \
			BIND_OBJ(class, x); \
	} while (0)

#define BIND_OBJ_VAR(class, x)                                                       \
	do {                                                                         \
		o_##x = obj_get_token(&haft_##class##_class, (obj_h)*x);             \
		if (bind_rare(o_##x == NULL)) {                                      \
			ret = bind_bad_handle(&haft_##class##_class, (obj_h)*x, #x); \
			goto fail;                                                   \
		}                                                                    \
	} while (0)

#define BIND_OBJ_VAR_NULL(class, x, null)       \
	do {                                    \
		if (*x != null)                 \
			BIND_OBJ_VAR(class, x); \
	} while (0)

/* A new handle is written after success only; after a failure of the engine the variable is the
 * null handle. */
#define BIND_NEW(x, null)                                            \
	do {                                                         \
		*x = bind_usual(ret == MPI_SUCCESS) && o_##x != NULL \
			     ? (__typeof__(*x))obj_handle(o_##x)     \
			     : null;                                 \
		BIND_BEGUN(o_##x);                                   \
	} while (0)

/* The new object may be a request that needs the helper. */
#define BIND_BEGUN(o) \
	_Generic((o), struct req * : p2p_req_begun((struct req *)(void *)(o)), default : (void)0)

/* Results that the user may leave out: the engine sees NULL and makes nothing. */
#define BIND_ROOM(x) (x != NULL ? &o_##x : NULL)
#define BIND_NEW_ROOM(x, null)             \
	do {                               \
		if (x != NULL)             \
			BIND_NEW(x, null); \
	} while (0)

/* A request that ended with an error has ended too. */
#define BIND_VAR(x, null)          \
	do {                       \
		if (o_##x == NULL) \
			*x = null; \
	} while (0)

#define BIND_ARRAY(class, n, x, null)                                                       \
	do {                                                                                \
		o_##x = bind_scratch(s_##x, n);                                             \
		ret = bind_objects(&haft_##class##_class, n, (const obj_h *)x, (obj_h)null, \
			(void **)o_##x, #x);                                                \
		if (bind_rare(ret != MPI_SUCCESS)) {                                        \
			bind_scratch_end(s_##x, o_##x);                                     \
			goto fail;                                                          \
		}                                                                           \
	} while (0)

/* NULL goes to the engine, which knows whether anything comes out. */
#define BIND_ARRAY_NEW(n, x)                                       \
	do {                                                       \
		o_##x = x != NULL ? bind_scratch(s_##x, n) : NULL; \
		if (bind_rare(o_##x == NULL && x != NULL)) {       \
			ret = bind_bad_array(1, n, #x);            \
			goto fail;                                 \
		}                                                  \
		for (int64_t i = 0; o_##x != NULL && i < n; i++)   \
			o_##x[i] = NULL;                           \
	} while (0)

/* A length that the engine may raise: it fills the entries that it adds with NULL. */
#define BIND_ROOM_OF(x) (x != NULL && *x > 0 ? *x : 0)

#define BIND_ARRAY_END(x) bind_scratch_end(s_##x, o_##x)

#define BIND_ARRAY_ENDED(n, x, null)            \
	do {                                    \
		for (int i = 0; i < n; i++)     \
			if (o_##x[i] == NULL)   \
				x[i] = null;    \
		bind_scratch_end(s_##x, o_##x); \
	} while (0)

#define BIND_ARRAY_GIVE(n, x, null)                                                \
	do {                                                                       \
		for (int64_t i = 0; ret == MPI_SUCCESS && x != NULL && i < n; i++) \
			if (o_##x[i] != NULL)                                      \
				x[i] = (__typeof__(x[0]))obj_handle(o_##x[i]);     \
		bind_scratch_end(s_##x, o_##x);                                    \
	} while (0)

/* A result that does not fit into an int is MPI_UNDEFINED (MPI-5.0 3.2.5, 5.1.5). */
#define BIND_NARROW(x)                                                                          \
	do {                                                                                    \
		if (bind_usual(ret == MPI_SUCCESS))                                             \
			*x = w_##x <= INT_MAX && w_##x >= INT_MIN ? (int)w_##x : MPI_UNDEFINED; \
	} while (0)

/* Room for n objects: the caller's array of BIND_SCRATCH, or the heap; NULL: no memory. */
static inline void *bind_scratch(void *array, int64_t n)
{
	return bind_usual(n <= BIND_SCRATCH) ? array : bind_scratch_heap(n);
}

static inline void bind_scratch_end(void *array, void *room)
{
	if (bind_rare(room != array))
		bind_scratch_free(room);
}

/* Looks up n handles, `null' ones as NULL (null 0: none is allowed).  room may be NULL (no memory).
 * 0, MPI_ERR_NO_MEM, or the class's error for the first that is not one. */
static inline int bind_objects(const struct obj_class *class, int64_t n, const obj_h *handles,
	obj_h null, void **room, const char *name)
{
	if (bind_rare(room == NULL || (handles == NULL && n > 0)))
		return bind_bad_array(room == NULL, n, name);
	for (int64_t i = 0; i < n; i++) {
		obj_h h = handles[i];
		void *o = NULL;

		if (bind_usual(h != null || null == NULL)) {
			o = obj_get_token(class, h);
			if (bind_rare(o == NULL))
				return bind_bad_element(class, h, name, i);
		}
		room[i] = o;
	}
	return MPI_SUCCESS;
}

/* The communicator behind a request, or NULL.  Only raise.c may look into it: by then it may be
 * gone. */
static inline void *bind_req_self(const struct req *r)
{
	return r != NULL ? r->comm : NULL;
}

static inline void *bind_reqs_self(int64_t n, struct req *const *r)
{
	return n > 0 ? bind_req_self(r[0]) : NULL;
}

/* --- checks --------------------------------------------------------------------------------- */

#define BIND_CHECK(check, x)                      \
	do {                                      \
		if (bind_rare(!OK_##check(x))) {  \
			ret = BAD_##check(x, #x); \
			goto fail;                \
		}                                 \
	} while (0)

#define BIND_COMM ((const struct comm *)self)

/* 0 if the communicator is revoked: then no rank passes, and the words say why. */
static inline int bind_peers(const struct comm *c)
{
	return c->reach;
}

/* May a rank be named that is none of the communicator's: MPI_PROC_NULL, or with other hints any
 * source? */
static inline bool bind_unbarred(const struct comm *c, unsigned hints)
{
	return (c->hints & (hints | COMM_REVOKED)) == 0;
}

/* 0 <= x < n in one compare. */
#define BIND_BELOW(x, n) ((unsigned)(x) < (unsigned)(n))

#define OK_given(x)        ((x) != NULL)
#define BAD_given(x, name) bind_bad_null(name)

#define OK_count(x)        ((x) >= 0)
#define BAD_count(x, name) bind_bad_number(MPI_ERR_COUNT, name, (x), 0)

#define OK_length(x)        ((x) >= 0)
#define BAD_length(x, name) bind_bad_number(MPI_ERR_ARG, name, (x), 0)

#define OK_size(x)        ((x) >= 0)
#define BAD_size(x, name) bind_bad_number(MPI_ERR_SIZE, name, (x), 0)

#define OK_unit(x)        ((x) > 0)
#define BAD_unit(x, name) bind_bad_number(MPI_ERR_DISP, name, (x), 1)

#define OK_committed(x)        (o_##x->committed)
#define BAD_committed(x, name) bind_bad_type(o_##x, name)

#define OK_dest(x)                               \
	(BIND_BELOW(x, bind_peers(BIND_COMM)) || \
		((x) == MPI_PROC_NULL && bind_unbarred(BIND_COMM, 0)))
#define BAD_dest(x, name) bind_bad_rank(BIND_COMM, name, x)

#define OK_source(x)                                                     \
	(BIND_BELOW(x, bind_peers(BIND_COMM)) ||                         \
		((x) == MPI_PROC_NULL && bind_unbarred(BIND_COMM, 0)) || \
		((x) == MPI_ANY_SOURCE && bind_unbarred(BIND_COMM, HINT_NO_ANY_SOURCE)))
#define BAD_source(x, name) bind_bad_source(BIND_COMM, name, x)

#define OK_rank(x)        BIND_BELOW(x, BIND_COMM->size)
#define BAD_rank(x, name) bind_bad_rank(BIND_COMM, name, x)

/* Windows know their group: their engine checks the upper bound. */
#define OK_target(x)        ((x) >= 0 || (x) == MPI_PROC_NULL)
#define BAD_target(x, name) bind_bad_number(MPI_ERR_RANK, name, (x), 0)

#define OK_root(x)                               \
	(BIND_BELOW(x, bind_peers(BIND_COMM)) || \
		(BIND_COMM->remote != NULL && ((x) == MPI_ROOT || (x) == MPI_PROC_NULL)))
#define BAD_root(x, name) bind_bad_root(BIND_COMM, name, x)

#define OK_tag(x)        ((x) >= 0)
#define BAD_tag(x, name) bind_bad_number(MPI_ERR_TAG, name, (x), 0)

#define OK_tag_any(x) \
	((x) >= 0 || ((x) == MPI_ANY_TAG && (BIND_COMM->hints & HINT_NO_ANY_TAG) == 0))
#define BAD_tag_any(x, name) bind_bad_tag(name, x)

/* --- when a parameter is significant -------------------------------------------------------- */

/* Here the root's arguments count (MPI-5.0 6.2.3, 6.5): between groups the root says MPI_ROOT. */
static inline bool bind_at_root(const struct comm *c, int root)
{
	return c->remote == NULL ? root == c->rank : root == MPI_ROOT;
}

/* The arguments of ranks that send to the root, or receive from it, are significant here. */
static inline bool bind_at_leaf(const struct comm *c, int root)
{
	return c->remote == NULL || root >= 0;
}

#define BIND_WHEN_ROOT     bind_at_root(BIND_COMM, root)
#define BIND_WHEN_SENDER   (sendbuf != MPI_IN_PLACE && bind_at_leaf(BIND_COMM, root))
#define BIND_WHEN_RECEIVER (recvbuf != MPI_IN_PLACE && bind_at_leaf(BIND_COMM, root))
#define BIND_WHEN_OUTGOING (sendbuf != MPI_IN_PLACE)
#define BIND_WHEN_MEMBER   (BIND_COMM->remote == NULL || root != MPI_PROC_NULL)
#define BIND_WHEN_ORIGIN   (op != MPI_NO_OP)
#define BIND_WHEN_CALLER   (root == BIND_COMM->rank)
#define BIND_WHEN_LEADER   (local_leader == BIND_COMM->rank)

#endif
