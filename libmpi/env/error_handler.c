// SPDX-License-Identifier: BSD-3-Clause
/* error_handler.c - error handlers as objects (MPI-5.0 9.3).  bind/raise.c alone calls them.
 *
 *     communicator, window, file, session ── slot (libobj) ──> struct errh     held
 *     MPI_FILE_NULL                       ── file_default  ──> struct errh     held
 *
 * errh_of says what an empty slot means. */
#include "libmpi/env/error_handler.h"

#include "libmpi/core/file_object.h"
#include "libmpi/core/session_object.h"
#include "libmpi/core/win_object.h"
#include "libmpi/core/err.h"
#include "libmpi/core/language.h"
#include "libmpi/core/setting.h"
#include "libobj/base.h"
#include <engine.h>

static int errh_create(int kind, void (*fn)(void), struct errh **errhandler)
{
	struct errh *e = obj_new(&haft_errh_class, NULL);

	if (e == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for an error handler");
	e->kind = kind;
	e->fn = fn;
	e->lang = haft_lang_take();
	*errhandler = e;
	return 0;
}

static const char *const made_for[] = {
	[ERRH_COMM] = "communicators",
	[ERRH_WIN] = "windows",
	[ERRH_FILE] = "files",
	[ERRH_SESSION] = "sessions",
};

/* MPI_FILE_NULL's handler, the default of files (14.7); held.  NULL: the initial one. */
static struct errh *file_default;

/* Attaches e to an object; object NULL: makes it the default of files.  A communicator, window or
 * session with MPI_ERRORS_ARE_FATAL has no handler: errh_of. */
static int errh_attach(void *object, struct errh *e)
{
	const struct obj *o = object;

	if (o != NULL && o->u.cls != &haft_file_class && e == &haft_errh_fatal)
		e = NULL;
	if (o != NULL)
		return obj_errh_set(object, e) == OBJ_OK
			       ? 0
			       : haft_err(MPI_ERR_NO_MEM, "no memory to attach an error handler");
	obj_hold(e);
	if (file_default != NULL)
		obj_drop(file_default);
	file_default = e;
	return 0;
}

static struct errh *const initial[] = {&haft_errh_fatal, &haft_errh_abort, &haft_errh_return};

HAFT_START struct errh *errh_initial(void)
{
	return initial[(size_t)haft_setting_get(SETTING_ERRHANDLER) % countof(initial)];
}

/* MPI_ERRORS_RETURN, unless the user says otherwise. */
static struct errh *errh_initial_of_files(void)
{
	int64_t i = haft_setting_get(SETTING_ERRHANDLER);

	return i < (int64_t)countof(initial) ? initial[i] : &haft_errh_return;
}

struct errh *errh_of(const void *object)
{
	const struct obj *o = object;
	struct errh *e = o != NULL ? obj_errh_get(o) : file_default;

	if (e == NULL)
		return o == NULL || o->u.cls == &haft_file_class ? errh_initial_of_files()
								 : &haft_errh_fatal;
	if (o == NULL)
		obj_hold(e);
	return e;
}

HAFT_START int errh_open(void)
{
	int err = errh_attach(&haft_world, errh_initial());

	return err != 0 ? err : errh_attach(&haft_self, errh_initial());
}

int errh_fits_kind(const struct errh *e, int kind)
{
	if (e->kind < ERRH_COMM || e->kind == kind)
		return 0;
	return haft_err(MPI_ERR_ERRHANDLER, "the error handler was made for %s, not for %s",
		made_for[e->kind], made_for[kind]);
}

static int errh_set(void *object, int kind, struct errh *e)
{
	int err = errh_fits_kind(e, kind);

	return err != 0 ? err : errh_attach(object, e);
}

/* The user has freed the handle of *e, which `object' still uses.  A handle never comes back, so
 * the object gets a new handler like it, and *e becomes a reference to that one. */
static int errh_renew(void *object, struct errh **e)
{
	struct errh *n = obj_new(&haft_errh_class, NULL);

	if (n == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for an error handler");
	n->kind = (*e)->kind;
	n->lang = (*e)->lang;
	n->fn = (*e)->fn;
	if (errh_attach(object, n) != 0) {
		obj_free_obj(n);
		return MPI_ERR_NO_MEM;
	}
	obj_drop(*e);
	*e = n;
	return 0;
}

/* Gives the user a handle, which the user frees (MPI-5.0 9.3.1). */
static int errh_get(void *object, struct errh **errhandler)
{
	struct errh *e = errh_of(object);
	int err;

	if (obj_get(&haft_errh_class, obj_handle(e)) == NULL) {
		err = errh_renew(object, &e);
		if (err != 0)
			obj_drop(e);
		else
			*errhandler = e;
		return err;
	}
	obj_share(e);
	obj_drop(e);
	*errhandler = e;
	return 0;
}

int errh_create_comm(MPI_Comm_errhandler_function *fn, struct errh **errhandler)
{
	return errh_create(ERRH_COMM, (void (*)(void))fn, errhandler);
}

int errh_create_win(MPI_Win_errhandler_function *fn, struct errh **errhandler)
{
	return errh_create(ERRH_WIN, (void (*)(void))fn, errhandler);
}

int errh_create_file(MPI_File_errhandler_function *fn, struct errh **errhandler)
{
	return errh_create(ERRH_FILE, (void (*)(void))fn, errhandler);
}

int errh_create_session(MPI_Session_errhandler_function *fn, struct errh **errhandler)
{
	return errh_create(ERRH_SESSION, (void (*)(void))fn, errhandler);
}

/* The program has set the handler of MPI_COMM_SELF, of MPI_COMM_WORLD. */
static bool self_given, world_given;

struct comm *errh_default_comm(void)
{
	return world_given && !self_given ? &haft_world : &haft_self;
}

int errh_set_comm(struct comm *c, struct errh *errhandler)
{
	int err = errh_set(c, ERRH_COMM, errhandler);

	self_given |= err == 0 && c == &haft_self;
	world_given |= err == 0 && c == &haft_world;
	return err;
}

int errh_get_comm(struct comm *c, struct errh **errhandler)
{
	return errh_get(c, errhandler);
}

int errh_set_win(struct win *w, struct errh *errhandler)
{
	return errh_set(w, ERRH_WIN, errhandler);
}

int errh_get_win(struct win *w, struct errh **errhandler)
{
	return errh_get(w, errhandler);
}

int errh_set_file(struct file *f, struct errh *errhandler)
{
	return errh_set(f, ERRH_FILE, errhandler);
}

int errh_get_file(struct file *f, struct errh **errhandler)
{
	return errh_get(f, errhandler);
}

int errh_set_session(struct session *s, struct errh *errhandler)
{
	return errh_set(s, ERRH_SESSION, errhandler);
}

int errh_get_session(struct session *s, struct errh **errhandler)
{
	return errh_get(s, errhandler);
}

int errh_free(struct errh **errhandler)
{
	obj_free_obj(*errhandler); /* a predefined one stays; its variable becomes null, too */
	*errhandler = NULL;
	return 0;
}
