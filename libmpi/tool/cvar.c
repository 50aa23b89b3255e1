// SPDX-License-Identifier: BSD-3-Clause
/* cvar.c - control variables: the table of settings (core/setting.h), row by row.
 *
 *     a number        MPI_INT, or MPI_COUNT where its range needs it
 *     one word        MPI_INT, with an enumeration of the words
 *     a list, a text  MPI_CHAR, in the form of the environment
 *
 * Engines read most settings once, when MPI starts.  These can be written until then, and are
 * MPI_T_ERR_CVAR_SET_NEVER afterwards.  Rows that are `late' can be written at any time. */
#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/tool/tool.h"
#include "libmpi/type/type.h"
#include "libmpi/via/via.h"
#include <engine.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* --- variables ------------------------------------------------------------------------------ */

enum shape { SHAPE_INT, SHAPE_COUNT, SHAPE_TEXT };

static enum shape cvar_shape(const struct setting_row *row)
{
	if (row->form == SETTING_LIST || row->form == SETTING_TEXT)
		return SHAPE_TEXT;
	return row->max > INT_MAX ? SHAPE_COUNT : SHAPE_INT;
}

static struct type *cvar_type(enum shape shape)
{
	if (shape == SHAPE_TEXT)
		return type_predefined(MPI_CHAR);
	return shape == SHAPE_INT ? type_predefined(MPI_INT) : type_predefined(MPI_COUNT);
}

int tool_cvar_get_num(int *num_cvar)
{
	*num_cvar = SETTING_COUNT;
	return 0;
}

/* The description: meaning, range, and when it can be set (15.3.6). */
static void cvar_describe(int i, const struct setting_row *row, char *desc, size_t n)
{
	char range[128];

	haft_setting_range(i, range, sizeof(range));
	if (row->launch) {
		snprintf(desc, n, "%s (%s).  Can be set in the environment of mpiexec only.",
			row->meaning, range);
		return;
	}
	snprintf(desc, n, "%s (%s).  Can be set %s%s.", row->meaning, range,
		row->late ? "at any time" : "before MPI is initialized",
		row->everywhere ? ", to the same value in all processes" : "");
}

int tool_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity,
	struct type **datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
	int *scope)
{
	const struct setting_row *row = haft_setting_row(cvar_index);
	char text[512];

	if (row == NULL)
		return tool_bad_index("control variable", cvar_index, SETTING_COUNT);
	cvar_describe(cvar_index, row, text, sizeof(text));
	tool_text(row->name, name, name_len);
	tool_text(text, desc, desc_len);
	tool_tell(verbosity, row->form == SETTING_TEXT ? MPI_T_VERBOSITY_TUNER_BASIC
						       : MPI_T_VERBOSITY_USER_BASIC);
	if (datatype != NULL)
		*datatype = cvar_type(cvar_shape(row));
	if (enumtype != NULL)
		*enumtype = tool_enum_of_setting(cvar_index);
	tool_tell(bind, MPI_T_BIND_NO_OBJECT);
	if (row->launch)
		tool_tell(scope, MPI_T_SCOPE_CONSTANT);
	else
		tool_tell(scope, row->everywhere ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL);
	return 0;
}

int tool_cvar_get_index(const char *name, int *cvar_index)
{
	int row = haft_setting_find(name);

	if (row >= 0) {
		*cvar_index = row;
		return 0;
	}
	return haft_err(MPI_T_ERR_INVALID_NAME, "there is no control variable %s", name);
}

/* --- handles -------------------------------------------------------------------------------- */

/* The number of elements of the variable.  A text from the environment may be longer than one that
 * can be written. */
static int cvar_elements(int i)
{
	size_t n;

	if (cvar_shape(haft_setting_row(i)) != SHAPE_TEXT)
		return 1;
	n = strlen(haft_setting_text((enum haft_setting)i)) + 1;
	return n > SETTING_TEXT_MAX ? (int)n : SETTING_TEXT_MAX;
}

int tool_cvar_handle_alloc(int cvar_index, void *object, MPI_T_cvar_handle *handle, int *count)
{
	struct tool_cvar *v;

	(void)object; /* no variable is bound to an object */
	if (haft_setting_row(cvar_index) == NULL)
		return tool_bad_index("control variable", cvar_index, SETTING_COUNT);
	v = obj_new(&tool_cvar_class, NULL);
	if (v == NULL)
		return haft_err(MPI_T_ERR_OUT_OF_HANDLES, "no memory for a handle");
	v->row = cvar_index;
	*handle = (MPI_T_cvar_handle)obj_handle(v);
	tool_tell(count, cvar_elements(cvar_index));
	return 0;
}

static int cvar_find(MPI_T_cvar_handle handle, int *row)
{
	const struct tool_cvar *v = obj_get(&tool_cvar_class, (obj_h)handle);

	if (v == NULL)
		return haft_err(
			MPI_T_ERR_INVALID_HANDLE, "this is no handle of a control variable");
	*row = v->row;
	return 0;
}

int tool_cvar_handle_free(MPI_T_cvar_handle *handle)
{
	obj_h h = (obj_h)*handle;
	int row, err = cvar_find(*handle, &row);

	if (err != 0)
		return err;
	obj_free(&tool_cvar_class, &h);
	*handle = MPI_T_CVAR_HANDLE_NULL;
	return 0;
}

int tool_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
	int i, number, err = cvar_find(handle, &i);
	int64_t value;

	if (err != 0)
		return err;
	if (buf == NULL)
		return haft_err(MPI_T_ERR_INVALID, "buf is NULL");
	if (cvar_shape(haft_setting_row(i)) == SHAPE_TEXT) {
		haft_setting_print(i, buf, (size_t)cvar_elements(i));
		return 0;
	}
	value = haft_setting_get((enum haft_setting)i);
	number = (int)value;
	if (cvar_shape(haft_setting_row(i)) == SHAPE_INT)
		memcpy(buf, &number, sizeof(number));
	else
		memcpy(buf, &value, sizeof(value));
	return 0;
}

static bool cvar_put(int i, enum shape shape, const void *buf)
{
	int64_t value;
	int number;

	if (shape == SHAPE_TEXT)
		return memchr(buf, '\0', SETTING_TEXT_MAX) != NULL && haft_setting_put(i, buf);
	memcpy(shape == SHAPE_INT ? (void *)&number : &value, buf,
		shape == SHAPE_INT ? sizeof(number) : sizeof(value));
	return haft_setting_put_number(i, shape == SHAPE_INT ? number : value);
}

/* Lets running engines read their `late' settings again.  The library lock is held. */
static void cvar_tune(void)
{
	if (via.shm == NULL)
		return;
	via_tune();
	p2p_tune();
}

int tool_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
	int i, err = cvar_find(handle, &i);
	char range[128];

	if (err != 0)
		return err;
	if (buf == NULL)
		return haft_err(MPI_T_ERR_INVALID, "buf is NULL");
	if (haft_setting_row(i)->launch)
		return haft_err(MPI_T_ERR_CVAR_SET_NEVER,
			"%s is read by mpiexec when it starts the job", haft_setting_row(i)->name);
	if (via.shm != NULL && !haft_setting_row(i)->late)
		return haft_err(MPI_T_ERR_CVAR_SET_NEVER,
			"%s was read when MPI was initialized, and stays",
			haft_setting_row(i)->name);
	if (cvar_put(i, cvar_shape(haft_setting_row(i)), buf)) {
		cvar_tune();
		return 0;
	}
	haft_setting_range(i, range, sizeof(range));
	return haft_err(MPI_T_ERR_INVALID, "%s can be: %s", haft_setting_row(i)->name, range);
}
