// SPDX-License-Identifier: BSD-3-Clause
/* errh.c - error handlers as objects (MPI-5.0 9.3).  Who calls them is bind/raise.c alone.
 *
 * An object's handler sits in its error-handler slot (libobj); an empty slot means
 * MPI_ERRORS_ARE_FATAL. */
#include "libmpi/comm/comm.h"

#include "libmpi/core/err.h"
#include <engine.h>

static int create(int kind, void (*fn)(void), struct errh **errhandler)
{
	struct errh *e;

	if (fn == NULL)
		return haft_err(MPI_ERR_ARG, "the error handler function is NULL");
	e = obj_new(&haft_errh_class, NULL);
	if (e == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for an error handler");
	e->kind = kind;
	e->fn = fn;
	*errhandler = e;
	return 0;
}

static const char *const made_for[] = {
	[ERRH_COMM] = "communicators",
	[ERRH_WIN] = "windows",
	[ERRH_FILE] = "files",
	[ERRH_SESSION] = "sessions",
};

static int set(void *object, int kind, struct errh *e)
{
	if (e->kind >= ERRH_COMM && e->kind != kind)
		return haft_err(MPI_ERR_ERRHANDLER, "the error handler was made for %s, not for %s",
			made_for[e->kind], made_for[kind]);
	if (obj_errh_set(object, e) != OBJ_OK)
		return haft_err(MPI_ERR_NO_MEM, "no memory to attach an error handler");
	return 0;
}

/* The user has freed the handle of *e, which `object' still uses: a handle never comes back, so the
 * object gets a handler like it, which takes the place of the reference *e. */
static int renew(void *object, struct errh **e)
{
	struct errh *n = obj_new(&haft_errh_class, NULL);

	if (n == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for an error handler");
	n->kind = (*e)->kind;
	n->lang = (*e)->lang;
	n->fn = (*e)->fn;
	if (obj_errh_set(object, n) != OBJ_OK) {
		obj_free_obj(n);
		return haft_err(MPI_ERR_NO_MEM, "no memory to attach an error handler");
	}
	obj_drop(*e);
	*e = n;
	return 0;
}

/* The user gets a handle of his own, to be freed by him (MPI-5.0 9.3.1). */
static int get(void *object, struct errh **errhandler)
{
	struct errh *e = obj_errh_get(object);
	int err;

	if (e == NULL) {
		*errhandler = &haft_errh_fatal;
		return 0;
	}
	if (obj_get(&haft_errh_class, obj_handle(e)) == NULL) {
		err = renew(object, &e);
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
	return create(ERRH_COMM, (void (*)(void))fn, errhandler);
}

int errh_create_win(MPI_Win_errhandler_function *fn, struct errh **errhandler)
{
	return create(ERRH_WIN, (void (*)(void))fn, errhandler);
}

int errh_create_file(MPI_File_errhandler_function *fn, struct errh **errhandler)
{
	return create(ERRH_FILE, (void (*)(void))fn, errhandler);
}

int errh_create_session(MPI_Session_errhandler_function *fn, struct errh **errhandler)
{
	return create(ERRH_SESSION, (void (*)(void))fn, errhandler);
}

int errh_set_comm(struct comm *c, struct errh *errhandler)
{
	return set(c, ERRH_COMM, errhandler);
}

int errh_get_comm(struct comm *c, struct errh **errhandler)
{
	return get(c, errhandler);
}

int errh_free(struct errh **errhandler)
{
	obj_free_obj(*errhandler); /* predefined ones: nothing happens, the handle becomes null all
				      the same */
	*errhandler = NULL;
	return 0;
}
