// SPDX-License-Identifier: BSD-3-Clause
/* pvar.c - performance variables in sessions: start, stop, read, write, reset.
 *
 *     the engine's counter  ────────●════════●───────────●═════●────────>  never stops
 *                                start      stop       start  read
 *     value of the handle          0 ... 5   5    5      5    5 + 2       of its session alone
 *
 * A COUNTER belongs to its handle: it begins at 0, stopped, and can be written and reset.  All
 * other variables are those of the process: always running, and read-only.
 *
 * Invariant: a handle is on the list of its session, and is freed with it. */
#include "libmpi/core/err.h"
#include "libmpi/tool/tool.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <string.h>

static bool pvar_controlled(const struct tool_pvar *v)
{
	return tool_counts[v->row].class == MPI_T_PVAR_CLASS_COUNTER;
}

/* --- questions ------------------------------------------------------------------------------ */

int tool_pvar_get_num(int *num_pvar)
{
	*num_pvar = tool_ncounts;
	return 0;
}

int tool_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
	struct type **datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
	int *readonly, int *continuous, int *atomic)
{
	const struct tool_count *c;
	bool counter;

	if (pvar_index < 0 || pvar_index >= tool_ncounts)
		return tool_bad_index("performance variable", pvar_index, tool_ncounts);
	c = &tool_counts[pvar_index];
	counter = c->class == MPI_T_PVAR_CLASS_COUNTER;
	tool_text(c->name, name, name_len);
	tool_text(c->meaning, desc, desc_len);
	tool_tell(verbosity, c->group == TOOL_TRANSPORT ? MPI_T_VERBOSITY_TUNER_DETAIL
							: MPI_T_VERBOSITY_USER_DETAIL);
	tool_tell(var_class, c->class);
	if (datatype != NULL)
		*datatype = type_predefined(MPI_UNSIGNED_LONG_LONG);
	if (enumtype != NULL)
		*enumtype = MPI_T_ENUM_NULL;
	tool_tell(bind, MPI_T_BIND_NO_OBJECT);
	tool_tell(readonly, !counter);
	tool_tell(continuous, !counter);
	tool_tell(atomic, counter);
	return 0;
}

int tool_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
	for (int i = 0; i < tool_ncounts; i++) {
		if (tool_counts[i].class == var_class && strcmp(tool_counts[i].name, name) == 0) {
			*pvar_index = i;
			return 0;
		}
	}
	return haft_err(MPI_T_ERR_INVALID_NAME, "there is no performance variable %s of class %d",
		name, var_class);
}

/* --- sessions and handles ------------------------------------------------------------------- */

static int session_find(MPI_T_pvar_session handle, struct tool_session **s)
{
	*s = obj_get(&tool_session_class, (obj_h)handle);
	return *s != NULL ? 0
			  : haft_err(MPI_T_ERR_INVALID_SESSION,
				    "this is no session of performance variables");
}

static int pvar_find(MPI_T_pvar_session session, MPI_T_pvar_handle handle, struct tool_pvar **v)
{
	struct tool_session *s;
	int err = session_find(session, &s);

	if (err != 0)
		return err;
	if (handle == MPI_T_PVAR_ALL_HANDLES)
		return haft_err(
			MPI_T_ERR_INVALID_HANDLE, "MPI_T_PVAR_ALL_HANDLES is not for this call");
	*v = obj_get(&tool_pvar_class, (obj_h)handle);
	if (*v == NULL)
		return haft_err(
			MPI_T_ERR_INVALID_HANDLE, "this is no handle of a performance variable");
	if ((*v)->session != s)
		return haft_err(MPI_T_ERR_INVALID_HANDLE, "the handle is of another session");
	return 0;
}

int tool_pvar_session_create(MPI_T_pvar_session *pe_session)
{
	struct tool_session *s = obj_new(&tool_session_class, NULL);

	if (s == NULL)
		return haft_err(MPI_T_ERR_OUT_OF_SESSIONS, "no memory for a session");
	*pe_session = (MPI_T_pvar_session)obj_handle(s);
	return 0;
}

static void pvar_end(struct tool_pvar *v)
{
	obj_h h = obj_handle(v);

	*(v->prev != NULL ? &v->prev->next : &v->session->first) = v->next;
	if (v->next != NULL)
		v->next->prev = v->prev;
	obj_free(&tool_pvar_class, &h);
}

int tool_pvar_session_free(MPI_T_pvar_session *pe_session)
{
	struct tool_session *s;
	int err = session_find(*pe_session, &s);
	obj_h h = (obj_h)*pe_session;

	if (err != 0)
		return err;
	while (s->first != NULL)
		pvar_end(s->first);
	obj_free(&tool_session_class, &h);
	*pe_session = MPI_T_PVAR_SESSION_NULL;
	return 0;
}

int tool_pvar_handle_alloc(MPI_T_pvar_session pe_session, int pvar_index, void *object,
	MPI_T_pvar_handle *handle, int *count)
{
	struct tool_session *s;
	struct tool_pvar *v;
	int err = session_find(pe_session, &s);

	(void)object; /* no variable is bound to an object */
	if (err != 0)
		return err;
	if (pvar_index < 0 || pvar_index >= tool_ncounts)
		return tool_bad_index("performance variable", pvar_index, tool_ncounts);
	v = obj_new(&tool_pvar_class, NULL);
	if (v == NULL)
		return haft_err(MPI_T_ERR_OUT_OF_HANDLES, "no memory for a handle");
	v->session = s;
	v->row = pvar_index;
	v->next = s->first;
	if (v->next != NULL)
		v->next->prev = v;
	s->first = v;
	*handle = (MPI_T_pvar_handle)obj_handle(v);
	tool_tell(count, 1);
	return 0;
}

int tool_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle *handle)
{
	struct tool_pvar *v;
	int err = pvar_find(pe_session, *handle, &v);

	if (err != 0)
		return err;
	pvar_end(v);
	*handle = MPI_T_PVAR_HANDLE_NULL;
	return 0;
}

/* --- values --------------------------------------------------------------------------------- */

static uint64_t pvar_now(const struct tool_pvar *v)
{
	return tool_count_now(&tool_counts[v->row]);
}

static uint64_t pvar_value(const struct tool_pvar *v)
{
	if (!pvar_controlled(v))
		return pvar_now(v);
	return v->running ? v->sum + (pvar_now(v) - v->base) : v->sum;
}

static void pvar_set(struct tool_pvar *v, uint64_t sum)
{
	v->sum = sum;
	v->base = pvar_now(v);
}

static void pvar_start(struct tool_pvar *v)
{
	if (v->running)
		return;
	v->base = pvar_now(v);
	v->running = true;
}

static void pvar_stop(struct tool_pvar *v)
{
	v->sum = pvar_value(v);
	v->running = false;
}

static void pvar_reset(struct tool_pvar *v)
{
	pvar_set(v, 0);
}

static int pvar_refuse(int class, const struct tool_pvar *v, const char *what)
{
	return haft_err(class, "%s cannot be %s", tool_counts[v->row].name, what);
}

/* Applies `act' to one handle, or to all of the session that can be controlled. */
static int pvar_each(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
	void (*act)(struct tool_pvar *), int class, const char *what)
{
	struct tool_session *s;
	struct tool_pvar *v;
	int err;

	if (handle != MPI_T_PVAR_ALL_HANDLES) {
		err = pvar_find(session, handle, &v);
		if (err == 0 && !pvar_controlled(v))
			err = pvar_refuse(class, v, what);
		if (err == 0)
			act(v);
		return err;
	}
	err = session_find(session, &s);
	for (v = err == 0 ? s->first : NULL; v != NULL; v = v->next)
		if (pvar_controlled(v))
			act(v);
	return err;
}

int tool_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
	return pvar_each(pe_session, handle, pvar_start, MPI_T_ERR_PVAR_NO_STARTSTOP, "started");
}

int tool_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
	return pvar_each(pe_session, handle, pvar_stop, MPI_T_ERR_PVAR_NO_STARTSTOP, "stopped");
}

int tool_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
	return pvar_each(pe_session, handle, pvar_reset, MPI_T_ERR_PVAR_NO_WRITE, "reset");
}

static int pvar_buf(
	MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf, struct tool_pvar **v)
{
	int err = pvar_find(session, handle, v);

	if (err == 0 && buf == NULL)
		err = haft_err(MPI_T_ERR_INVALID, "buf is NULL");
	return err;
}

static void pvar_give(const struct tool_pvar *v, void *buf)
{
	unsigned long long x = pvar_value(v);

	memcpy(buf, &x, sizeof(x));
}

int tool_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf)
{
	struct tool_pvar *v;
	int err = pvar_buf(pe_session, handle, buf, &v);

	if (err == 0)
		pvar_give(v, buf);
	return err;
}

int tool_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, const void *buf)
{
	struct tool_pvar *v;
	unsigned long long x;
	int err = pvar_buf(pe_session, handle, buf, &v);

	if (err != 0)
		return err;
	if (!pvar_controlled(v))
		return pvar_refuse(MPI_T_ERR_PVAR_NO_WRITE, v, "written");
	memcpy(&x, buf, sizeof(x));
	pvar_set(v, x);
	return 0;
}

int tool_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf)
{
	struct tool_pvar *v;
	int err = pvar_buf(pe_session, handle, buf, &v);

	if (err != 0)
		return err;
	if (!pvar_controlled(v))
		return pvar_refuse(MPI_T_ERR_PVAR_NO_ATOMIC, v, "read and reset at once");
	pvar_give(v, buf);
	pvar_reset(v);
	return 0;
}
