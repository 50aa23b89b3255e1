// SPDX-License-Identifier: BSD-3-Clause
/* pvar_value.c - values of performance variables: start, stop, read, write, reset.
 *
 *     the engine's counter  ────────●════════●───────────●═════●────────>  never stops
 *                                start      stop       start  read
 *     value of the handle          0 ... 5   5    5      5    5 + 2       of its session alone
 *
 *     COUNTER, AGGREGATE, TIMER   sum, plus the count since `base' if it runs; begins at 0, stopped
 *     HIGHWATERMARK               the greater of `sum' and the engine's peak if it runs; a start or
 *                                 a reset sets it to the present level.  The engine has one peak:
 *                                 before it restarts, all that run take it in
 *     LEVEL, SIZE                 the engine's: always running, and read-only
 *
 * These calls are for signal handlers, too (MPI-5.0 15.3.7.6): they take no lock that a handler can
 * find taken by the thread that it interrupts.  A thread that writes blocks its signals, and makes
 * `version' odd.  A reader tries again if it changed meanwhile.  So a handler only ever waits for
 * other threads, which go on.  Variables that need the library's lock are the exception; their
 * descriptions say so. */
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/tool/tool.h"
#include <engine.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* --- the lock of values --------------------------------------------------------------------- */

static _Atomic uint32_t version; /* odd: a thread writes */
static struct tool_session *sessions;

static void value_lock(sigset_t *before)
{
	sigset_t all;
	uint32_t v;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
	for (;;) {
		v = atomic_load_explicit(&version, memory_order_relaxed);
		if ((v & 1) == 0 && atomic_compare_exchange_strong(&version, &v, v + 1))
			return;
		sched_yield();
	}
}

/* Release: a thread that sees the even number sees all writes before it. */
static void value_unlock(const sigset_t *before)
{
	atomic_fetch_add_explicit(&version, 1, memory_order_release);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Release: a thread that sees the word sees the odd number before it. */
static void value_put(_Atomic uint64_t *word, uint64_t x)
{
	atomic_store_explicit(word, x, memory_order_release);
}

/* Acquire: the number is read again after the word. */
static uint64_t value_get(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_acquire);
}

static bool value_runs(const struct tool_pvar *v)
{
	return atomic_load_explicit(&v->running, memory_order_acquire);
}

struct tool_session *tool_session_first(void)
{
	return sessions;
}

void tool_session_link(struct tool_session *s)
{
	sigset_t before;

	value_lock(&before);
	s->next = sessions;
	sessions = s;
	value_unlock(&before);
}

void tool_session_unlink(struct tool_session *s)
{
	struct tool_session **at = &sessions;
	sigset_t before;

	value_lock(&before);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	value_unlock(&before);
}

void tool_pvar_link(struct tool_pvar *v)
{
	sigset_t before;

	value_lock(&before);
	v->next = v->session->first;
	if (v->next != NULL)
		v->next->prev = v;
	v->session->first = v;
	value_unlock(&before);
}

void tool_pvar_unlink(struct tool_pvar *v)
{
	sigset_t before;

	value_lock(&before);
	*(v->prev != NULL ? &v->prev->next : &v->session->first) = v->next;
	if (v->next != NULL)
		v->next->prev = v->prev;
	value_unlock(&before);
}

/* --- one value ------------------------------------------------------------------------------ */

static const struct tool_count *value_row(const struct tool_pvar *v)
{
	return &tool_counts[v->row];
}

static bool value_is_mark(const struct tool_pvar *v)
{
	return value_row(v)->class == MPI_T_PVAR_CLASS_HIGHWATERMARK;
}

/* Element i of the engine's. */
static uint64_t value_engine(const struct tool_pvar *v, int i)
{
	return tool_count_now(value_row(v), v->traffic, i);
}

static uint64_t value_now(const struct tool_pvar *v, int i)
{
	uint64_t sum = value_get(&v->cell[i].sum), now;

	if (!tool_count_controlled(value_row(v)))
		return value_engine(v, i);
	if (!value_runs(v))
		return sum;
	if (!value_is_mark(v))
		return sum + (value_engine(v, i) - value_get(&v->cell[i].base));
	now = tool_peak_now(value_row(v));
	return now > sum ? now : sum;
}

/* --- writes, under the lock ----------------------------------------------------------------- */

/* Restarts the engine's peak; all that run have taken it in.  Returns the present level. */
static uint64_t mark_restart(const struct tool_pvar *v)
{
	uint64_t peak = tool_peak_restart(value_row(v));

	for (struct tool_session *s = sessions; s != NULL; s = s->next)
		for (struct tool_pvar *w = s->first; w != NULL; w = w->next)
			if (w->row == v->row && value_runs(w) && value_get(&w->one.sum) < peak)
				value_put(&w->one.sum, peak);
	return tool_peak_now(value_row(v));
}

/* From now on it is what the engine counts more. */
static void value_rebase(struct tool_pvar *v)
{
	for (int i = 0; i < v->count; i++)
		value_put(&v->cell[i].base, value_engine(v, i));
}

/* x: count values; NULL: the starting value of its class (15.3.7.1). */
static void value_set(struct tool_pvar *v, const void *x)
{
	uint64_t start = 0;
	unsigned long long y;

	if (value_is_mark(v))
		start = mark_restart(v);
	else
		value_rebase(v);
	for (int i = 0; i < v->count; i++) {
		y = start;
		if (x != NULL)
			memcpy(&y, (const char *)x + (size_t)i * sizeof(y), sizeof(y));
		value_put(&v->cell[i].sum, y);
	}
}

static void value_reset(struct tool_pvar *v)
{
	value_set(v, NULL);
}

static void value_start(struct tool_pvar *v)
{
	if (value_runs(v))
		return;
	if (value_is_mark(v))
		value_reset(v);
	else
		value_rebase(v);
	atomic_store_explicit(&v->running, true, memory_order_release);
}

static void value_stop(struct tool_pvar *v)
{
	for (int i = 0; i < v->count; i++)
		value_put(&v->cell[i].sum, value_now(v, i));
	atomic_store_explicit(&v->running, false, memory_order_release);
}

/* --- the calls ------------------------------------------------------------------------------ */

static int value_refuse(int class, const struct tool_pvar *v, const char *what)
{
	return haft_err(class, "%s cannot be %s", value_row(v)->name, what);
}

/* The first handle of a session whose variable needs the library's lock, or NULL. */
static const struct tool_pvar *value_locking(const struct tool_session *s)
{
	const struct tool_pvar *v;
	sigset_t before;

	value_lock(&before);
	v = s->first;
	while (v != NULL && !tool_count_locks(value_row(v)))
		v = v->next;
	value_unlock(&before);
	return v;
}

/* Takes the library's lock for a variable, or (NULL) for all of a session, if there is one that
 * needs it; *took says so.  The thread may have it already: then this is a signal handler in one of
 * its calls. */
static int value_enter(const struct tool_session *s, const struct tool_pvar *v, bool *took)
{
	const struct tool_pvar *w = v != NULL ? v : value_locking(s);

	*took = false;
	if (w == NULL || !tool_count_locks(value_row(w)))
		return 0;
	if (haft_locked)
		return haft_err(MPI_T_ERR_INVALID,
			"%s cannot be used in a signal handler that interrupts MPI",
			value_row(w)->name);
	haft_lock();
	*took = true;
	return 0;
}

static void value_leave(bool took)
{
	if (took)
		haft_unlock();
}

/* Applies `act' to a handle, or (NULL) to all of the session that can be controlled. */
static void value_act(struct tool_session *s, struct tool_pvar *v, void (*act)(struct tool_pvar *))
{
	sigset_t before;

	value_lock(&before);
	if (v != NULL)
		act(v);
	for (struct tool_pvar *w = v == NULL ? s->first : NULL; w != NULL; w = w->next)
		if (tool_count_controlled(value_row(w)))
			act(w);
	value_unlock(&before);
}

static int value_each(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
	void (*act)(struct tool_pvar *), int class, const char *what)
{
	struct tool_session *s = NULL;
	struct tool_pvar *v = NULL;
	bool took;
	int err;

	if (handle != MPI_T_PVAR_ALL_HANDLES)
		err = tool_pvar_find(session, handle, &v);
	else
		err = tool_session_find(session, &s);
	if (err == 0 && v != NULL && !tool_count_controlled(value_row(v)))
		err = value_refuse(class, v, what);
	if (err == 0)
		err = value_enter(s, v, &took);
	if (err != 0)
		return err;
	value_act(s, v, act);
	value_leave(took);
	return 0;
}

int tool_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
	return value_each(pe_session, handle, value_start, MPI_T_ERR_PVAR_NO_STARTSTOP, "started");
}

int tool_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
	return value_each(pe_session, handle, value_stop, MPI_T_ERR_PVAR_NO_STARTSTOP, "stopped");
}

int tool_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
	return value_each(pe_session, handle, value_reset, MPI_T_ERR_PVAR_NO_WRITE, "reset");
}

/* A handle and a buffer; class: the error of a variable that cannot be `what'; 0: any can. */
static int value_begin(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf,
	int class, const char *what, struct tool_pvar **v, bool *took)
{
	int err = tool_pvar_find(session, handle, v);

	if (err == 0 && buf == NULL)
		err = haft_err(MPI_T_ERR_INVALID, "buf is NULL");
	if (err == 0 && class != 0 && !tool_count_controlled(value_row(*v)))
		err = value_refuse(class, *v, what);
	return err == 0 ? value_enter(NULL, *v, took) : err;
}

static void value_give(const struct tool_pvar *v, void *buf)
{
	if (value_row(v)->class == MPI_T_PVAR_CLASS_STATE) {
		int state = (int)value_now(v, 0);

		memcpy(buf, &state, sizeof(state));
		return;
	}
	for (int i = 0; i < v->count; i++) {
		unsigned long long x = value_now(v, i); /* or a double */

		memcpy((char *)buf + (size_t)i * sizeof(x), &x, sizeof(x));
	}
}

int tool_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf)
{
	struct tool_pvar *v;
	uint32_t then;
	bool took;
	int err = value_begin(pe_session, handle, buf, 0, "read", &v, &took);

	if (err != 0)
		return err;
	do {
		then = atomic_load_explicit(&version, memory_order_acquire);
		if ((then & 1) != 0)
			sched_yield();
		value_give(v, buf);
	} while ((then & 1) != 0 || atomic_load_explicit(&version, memory_order_relaxed) != then);
	value_leave(took);
	return 0;
}

int tool_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, const void *buf)
{
	struct tool_pvar *v;
	sigset_t before;
	bool took;
	int err =
		value_begin(pe_session, handle, buf, MPI_T_ERR_PVAR_NO_WRITE, "written", &v, &took);

	if (err != 0)
		return err;
	value_lock(&before);
	value_set(v, buf);
	value_unlock(&before);
	value_leave(took);
	return 0;
}

int tool_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf)
{
	struct tool_pvar *v;
	sigset_t before;
	bool took;
	int err = value_begin(pe_session, handle, buf, MPI_T_ERR_PVAR_NO_ATOMIC,
		"read and reset at once", &v, &took);

	if (err != 0)
		return err;
	value_lock(&before);
	value_give(v, buf);
	value_reset(v);
	value_unlock(&before);
	value_leave(took);
	return 0;
}
