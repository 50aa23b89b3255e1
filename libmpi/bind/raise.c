// SPDX-License-Identifier: BSD-3-Clause
/* raise.c - from an error class and its words to the error handler (MPI-5.0 9.3).
 *
 *      whose handler      the communicator, window, file or session at hand
 *                         rows with FILE_ERRORS: a file's, else MPI_FILE_NULL's
 *                         MPI_Session_init: the handler that it is given
 *                         none at hand, or it is gone: MPI_COMM_SELF's (errh_default_comm);
 *                                                      without MPI_COMM_SELF the initial one
 *      which handler      FATAL: prints one line and ends the job
 *                         ABORT: likewise; where it means this process alone, that ends
 *                         RETURN: returns to the caller
 *                         a user function: called with handle and code, then returns
 *
 * Only this file calls error handlers. */
#include "libmpi/bind/raise.h"

#include "libmpi/bind/binding.h"
#include "libmpi/dyn/abort.h"
#include "libmpi/env/error_handler.h"
#include "libmpi/ft/ft.h"
#include "libmpi/core/error_code.h"
#include "libmpi/core/err.h"
#include "libmpi/core/event.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/errh_object.h"
#include "libmpi/core/file_object.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/session_object.h"
#include "libmpi/core/win_object.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/rank_name.h"

#include <engine.h>
#include <names.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024 }; /* function, object and class before the words */

/* false: the object is gone.  A request may have been the last to hold its communicator; slots are
 * never unmapped, so a dead object may be read, and it has no references.  A finalized session is
 * still held by its groups, and raises nothing (9.3). */
static bool raise_alive(const struct obj *o)
{
	if (o == NULL || __atomic_load_n(&o->refs, __ATOMIC_RELAXED) == 0)
		return false;
	return o->u.cls != &haft_session_class ||
	       obj_get(&haft_session_class, obj_handle(o)) != NULL;
}

static const struct comm *raise_comm(const void *self)
{
	const struct obj *o = self;

	return raise_alive(o) && o->u.cls == &haft_comm_class ? self : NULL;
}

/* "rank 1 of MPI_COMM_WORLD", or "rank 1 of world 2" in a spawned process: others have its rank. */
static void raise_self(char who[HAFT_RANK_NAME])
{
	if (haft_life.spawn > 0)
		haft_rank_name(who, haft_life.spawn, haft_life.rank);
	else if (haft_life.world == HAFT_RUNNING)
		snprintf(who, HAFT_RANK_NAME, "rank %d of MPI_COMM_WORLD", haft_life.rank);
	else /* sessions only: there is no such communicator */
		snprintf(who, HAFT_RANK_NAME, "process %d of the job", haft_life.rank);
}

/* "rank 1 of a communicator (rank 3 of MPI_COMM_WORLD)". */
static void raise_origin(char *buf, size_t n, const void *self)
{
	const struct comm *c = raise_comm(self);
	bool whole = c == &haft_world || haft_life.size == 1;
	char name[MPI_MAX_OBJECT_NAME] = "", who[HAFT_RANK_NAME];
	int len = 0;

	if (self != NULL)
		obj_name_get(self, name, sizeof(name), OBJ_C, &len);
	raise_self(who);
	if (c != NULL && whole && haft_life.spawn == 0)
		snprintf(buf, n, "rank %d of %s", c->rank, len > 0 ? name : "a communicator");
	else if (c != NULL)
		snprintf(buf, n, "rank %d of %s (%s)", c->rank, len > 0 ? name : "a communicator",
			who);
	else if (haft_life.state != HAFT_RUNNING)
		snprintf(buf, n, "process outside of MPI");
	else
		snprintf(buf, n, "%s%s%s", who, len > 0 ? ", " : "", name);
}

/* The user's function takes the address of a handle of its class, and of the code that the call is
 * going to return, which it may change.  self NULL: the null handle of a file, or of a session that
 * was not made.  Returns the result of the call. */
static int raise_call(const struct errh *e, void *self, int err)
{
	intptr_t null =
		e->kind == ERRH_SESSION ? (intptr_t)MPI_SESSION_NULL : (intptr_t)MPI_FILE_NULL;
	void *handle = self != NULL ? obj_handle(self) : (void *)null;
	int number = self != NULL ? obj_int(self) : (int)null, code = err;
	bool had = haft_user_begin();

	if (e->lang == OBJ_LANG_C)
		((void (*)(void *, int *, ...))e->fn)(&handle, &code);
	else
		((void (*)(int *, int *, ...))e->fn)(&number, &code);
	haft_user_end(had);
	return code;
}

/* Completes the words with function and rank, also for MPI_Error_string. */
static void raise_text(char *line, size_t n, int err, const void *self, int fn)
{
	char words[HAFT_ERR_TEXT_MAX], front[MPI_MAX_OBJECT_NAME + 128], name[64];

	snprintf(words, sizeof(words), "%s", haft_err_text(err));
	raise_origin(front, sizeof(front), self);
	if (!haft_err_is_class(err))
		snprintf(name, sizeof(name), "error code %d", err);
	else
		snprintf(name, sizeof(name), "%s", haft_err_class_name(err));
	snprintf(line, n, "%s: %s: %s: %s", bind_fn_names[fn], front, name,
		words[0] != '\0' ? words : haft_err_class_text(err));
	haft_err(err, "%s: %s: %s", bind_fn_names[fn], front, words);
}

/* The object on which an error is raised, or NULL; and its handler, with a reference. */
struct target {
	void *self;
	struct errh *handler;
	bool session; /* it is that of a session, also of one that was to be made */
	bool other;   /* self only has the handler: the error is none of its own */
};

/* No object is at hand: that of files, or the communicator for such errors. */
static void target_default(struct target *t, int fn)
{
	t->self = NULL;
	t->other = true;
	if (!haft_fn_files[fn] && haft_life.world == HAFT_RUNNING)
		t->self = errh_default_comm();
	if (t->self != NULL || haft_fn_files[fn])
		t->handler = errh_of(t->self);
	else
		t->handler = errh_initial();
}

static struct target target_find(void *self, int fn)
{
	const struct obj_class *cls = raise_alive(self) ? ((const struct obj *)self)->u.cls : NULL;
	struct target t = {.self = self, .session = cls == &haft_session_class};

	if (cls == &haft_errh_class && errh_fits_kind(self, ERRH_SESSION) == 0) {
		obj_hold(self);
		return (struct target){.handler = self, .session = true};
	}
	if (cls == NULL || cls == &haft_errh_class ||
		(haft_fn_files[fn] && cls != &haft_file_class))
		target_default(&t, fn);
	else
		t.handler = errh_of(self);
	return t;
}

/* The communicator of a communicator, window or file; NULL: it has none, or it is closed. */
static const struct comm *raise_members(const void *self)
{
	const struct obj *o = self;
	const struct comm *c = raise_comm(self);

	if (raise_alive(o) && o->u.cls == &haft_win_class)
		c = ((const struct win *)self)->comm;
	else if (raise_alive(o) && o->u.cls == &haft_file_class)
		c = ((const struct file *)self)->comm;
	return c;
}

/* Is this process the only one of the communicator, window or file? */
static bool raise_alone(const void *self)
{
	const struct comm *c = raise_members(self);

	return c != NULL && c->remote == NULL && c->size == 1;
}

/* MPI-5.0 9.3: MPI_ERRORS_ABORT on a session ends this process alone; on a communicator, window or
 * file its processes, as MPI_Abort.  If they are more than this one and failures are not survived
 * the job ends, which 11.4.2 permits, as with MPI_ERRORS_ARE_FATAL. */
__attribute__((noreturn)) static void raise_end(
	const struct target *t, int err, char *line, size_t n)
{
	bind_callsites(line, n);
	if (haft_life_hooks.uncommitted != NULL)
		haft_life_hooks.uncommitted(false);
	if (t->handler->kind == ERRH_ABORT && ft_is_on() && (t->session || raise_members(t->self)))
		dyn_abort_group(raise_members(t->self), err, line);
	if (t->handler->kind == ERRH_ABORT && (t->session || raise_alone(t->self)))
		haft_abort_process(err, line);
	dyn_abort_members(raise_comm(t->self), err, line);
	haft_abort_job(err, line);
}

int bind_raise(int err, void *self, int fn)
{
	char line[LINE_MAX_BYTES];
	struct target t;
	int code;
	void *other = haft_err_attached(err, &code);

	haft_peer_lost_say(err);
	haft_objects_open(); /* handlers are objects, also before MPI_Init */
	t = target_find(other != NULL ? other : self, fn);
	raise_text(line, sizeof(line), err, t.other ? NULL : t.self, fn);
	haft_event(EVENT_ERROR_RAISED, NULL, err, fn,
		t.self != NULL ? haft_event_handle(t.self) : 0, 0);
	if (t.handler->kind == ERRH_FATAL || t.handler->kind == ERRH_ABORT)
		raise_end(&t, err, line, sizeof(line));
	if (t.handler->kind != ERRH_RETURN) {
		int changed = raise_call(t.handler, t.self, code);

		err = changed == code ? err : changed;
	}
	obj_drop(t.handler);
	return err;
}

/* --- MPI_Comm_call_errhandler and its kin --------------------------------------------------- */

/* MPI-5.0 9.5.2: the program raises an error itself.  If the handler returns, the call succeeds. */

static int raise_by_user(int code, void *self, int fn)
{
	char text[HAFT_ERR_TEXT_MAX];

	if (haft_code_text(code, text, sizeof(text)) != 0 || text[0] == '\0')
		snprintf(text, sizeof(text), "raised by the program");
	haft_err(code, "%s", text);
	bind_raise(code, self, fn);
	return MPI_SUCCESS;
}

int bind_comm_call_errhandler(struct comm *comm, int errorcode)
{
	return raise_by_user(errorcode, comm, HAFT_MPI_Comm_call_errhandler);
}

int bind_win_call_errhandler(struct win *win, int errorcode)
{
	return raise_by_user(errorcode, win, HAFT_MPI_Win_call_errhandler);
}

int bind_file_call_errhandler(struct file *fh, int errorcode)
{
	return raise_by_user(errorcode, fh, HAFT_MPI_File_call_errhandler);
}

int bind_session_call_errhandler(struct session *session, int errorcode)
{
	return raise_by_user(errorcode, session, HAFT_MPI_Session_call_errhandler);
}
