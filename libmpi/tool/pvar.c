// SPDX-License-Identifier: BSD-3-Clause
/* pvar.c - performance variables: their list, sessions, handles.  pvar_value.c has their values.
 *
 * Invariant: a handle is on the list of its session, and is freed with it. */
#include "libmpi/core/err.h"
#include "libmpi/tool/tool.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- questions ------------------------------------------------------------------------------ */

int tool_pvar_get_num(int *num_pvar)
{
	*num_pvar = tool_ncounts;
	return 0;
}

/* The description, with its restrictions (15.3.7.6). */
static void pvar_describe(const struct tool_count *c, char *desc, int *len)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s", c->meaning,
		tool_count_locks(c) ? "; not for signal handlers" : "");
	tool_text(text, desc, len);
}

int tool_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
	struct type **datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
	int *readonly, int *continuous, int *atomic)
{
	const struct tool_count *c;
	bool controlled;

	if (pvar_index < 0 || pvar_index >= tool_ncounts)
		return tool_bad_index("performance variable", pvar_index, tool_ncounts);
	c = &tool_counts[pvar_index];
	controlled = tool_count_controlled(c);
	tool_text(c->name, name, name_len);
	pvar_describe(c, desc, desc_len);
	tool_tell(verbosity, c->group == TOOL_TRANSPORT ? MPI_T_VERBOSITY_TUNER_DETAIL
							: MPI_T_VERBOSITY_USER_DETAIL);
	tool_tell(var_class, c->class);
	if (datatype != NULL)
		*datatype = tool_count_type(c);
	if (enumtype != NULL)
		*enumtype = c->class == MPI_T_PVAR_CLASS_STATE ? tool_enum_of_functions()
							       : MPI_T_ENUM_NULL;
	tool_tell(bind, tool_count_bind(c));
	tool_tell(readonly, !controlled);
	tool_tell(continuous, !controlled);
	tool_tell(atomic, controlled);
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

int tool_session_find(MPI_T_pvar_session handle, struct tool_session **s)
{
	*s = obj_get(&tool_session_class, (obj_h)handle);
	return *s != NULL ? 0
			  : haft_err(MPI_T_ERR_INVALID_SESSION,
				    "this is no session of performance variables");
}

int tool_pvar_find(MPI_T_pvar_session session, MPI_T_pvar_handle handle, struct tool_pvar **v)
{
	struct tool_session *s;
	int err = tool_session_find(session, &s);

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
	tool_session_link(s);
	*pe_session = (MPI_T_pvar_session)obj_handle(s);
	return 0;
}

static void pvar_end(struct tool_pvar *v)
{
	obj_h h = obj_handle(v);

	tool_pvar_unlink(v);
	tool_count_use(&tool_counts[v->row], -1);
	if (v->traffic != NULL)
		haft_traffic_close(v->traffic);
	if (v->cell != &v->one)
		free(v->cell);
	obj_free(&tool_pvar_class, &h);
}

static void session_end(struct tool_session *s)
{
	obj_h h = obj_handle(s);

	while (s->first != NULL)
		pvar_end(s->first);
	tool_session_unlink(s);
	obj_free(&tool_session_class, &h);
}

void tool_sessions_end(void)
{
	while (tool_session_first() != NULL)
		session_end(tool_session_first());
}

int tool_pvar_session_free(MPI_T_pvar_session *pe_session)
{
	struct tool_session *s;
	int err = tool_session_find(*pe_session, &s);

	if (err != 0)
		return err;
	session_end(s);
	*pe_session = MPI_T_PVAR_SESSION_NULL;
	return 0;
}

static int pvar_no_memory(void)
{
	return haft_err(MPI_T_ERR_OUT_OF_HANDLES, "no memory for a handle");
}

/* Binds v to the communicator whose handle is at `object'. */
static int pvar_bind(struct tool_pvar *v, const void *object)
{
	struct comm *c = NULL;
	obj_h h;

	if (object != NULL) {
		memcpy(&h, object, sizeof(h));
		c = obj_get(&haft_comm_class, h);
	}
	if (c == NULL)
		return haft_err(MPI_T_ERR_INVALID,
			"%s is bound to a communicator, and obj_handle is not the address of a "
			"handle of one",
			tool_counts[v->row].name);
	v->traffic = haft_traffic_open(c);
	if (v->traffic == NULL)
		return pvar_no_memory();
	v->count = v->traffic->n;
	if (v->count > 1)
		v->cell = calloc((size_t)v->count, sizeof(v->cell[0]));
	if (v->cell != NULL)
		return 0;
	haft_traffic_close(v->traffic);
	return pvar_no_memory();
}

int tool_pvar_handle_alloc(MPI_T_pvar_session pe_session, int pvar_index, void *object,
	MPI_T_pvar_handle *handle, int *count)
{
	struct tool_session *s;
	struct tool_pvar *v;
	int err = tool_session_find(pe_session, &s);

	if (err != 0)
		return err;
	if (pvar_index < 0 || pvar_index >= tool_ncounts)
		return tool_bad_index("performance variable", pvar_index, tool_ncounts);
	v = obj_new(&tool_pvar_class, NULL);
	if (v == NULL)
		return pvar_no_memory();
	v->session = s;
	v->row = pvar_index;
	v->count = 1;
	v->cell = &v->one;
	if (tool_count_bind(&tool_counts[pvar_index]) == MPI_T_BIND_MPI_COMM)
		err = pvar_bind(v, object);
	if (err != 0) {
		obj_free_fresh(&tool_pvar_class, v);
		return err;
	}
	tool_count_use(&tool_counts[pvar_index], 1);
	tool_pvar_link(v);
	*handle = (MPI_T_pvar_handle)obj_handle(v);
	tool_tell(count, v->count);
	return 0;
}

int tool_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle *handle)
{
	struct tool_pvar *v;
	int err = tool_pvar_find(pe_session, *handle, &v);

	if (err != 0)
		return err;
	pvar_end(v);
	*handle = MPI_T_PVAR_HANDLE_NULL;
	return 0;
}
