// SPDX-License-Identifier: BSD-3-Clause
/* attr_name.c - results of libobj about attributes, names and frees, as error classes of MPI. */
#include "libmpi/core/attr_name.h"

#include "libmpi/core/comm_object.h"
#include "libmpi/core/err.h"
#include "libmpi/core/objects.h"
#include "libobj/base.h"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int haft_attr_err(int obj_err, int key)
{
	int code = obj_user_rc();

	switch (obj_err) {
	case OBJ_OK: return 0;
	case OBJ_KEYVAL:
		return haft_err(MPI_ERR_KEYVAL, "%d is not a key for this kind of object%s", key,
			key == MPI_KEYVAL_INVALID ? " but MPI_KEYVAL_INVALID" : "");
	case OBJ_PERMANENT:
		return haft_err(
			MPI_ERR_KEYVAL, "attribute %d is predefined: it cannot be changed", key);
	case OBJ_INVALID: return haft_err(MPI_ERR_KEYVAL, "the object has no attribute %d", key);
	case OBJ_BUSY:
		return haft_err(
			MPI_ERR_KEYVAL, "attribute %d is being deleted by its own callback", key);
	case OBJ_CALLBACK:
		return haft_err(haft_err_of_callback(code),
			"the delete callback of attribute %d returned %d", key, code);
	}
	return haft_err(MPI_ERR_NO_MEM, "no memory for attribute %d", key);
}

static int callback_error(const char *what)
{
	int code = obj_user_rc();

	return haft_err(
		haft_err_of_callback(code), "an attribute's %s callback returned %d", what, code);
}

int haft_attr_dup(void *from, void *to)
{
	int err = obj_attr_dup(from, to);

	if (err == OBJ_CALLBACK)
		return callback_error("copy");
	return err == OBJ_OK ? 0 : haft_err(MPI_ERR_NO_MEM, "no memory for attributes");
}

HAFT_START int haft_attr_delete_all(void *self)
{
	return obj_attr_delete_all(self) == OBJ_OK ? 0 : callback_error("delete");
}

int haft_obj_free(void *self, int class, const char *what)
{
	char name[MPI_MAX_OBJECT_NAME];

	switch (obj_free_obj(self)) {
	case OBJ_OK: return 0;
	case OBJ_CALLBACK: return callback_error("delete");
	case OBJ_BUSY: return haft_err(class, "the %s is being freed already", what);
	}
	return haft_err(class, "%s is a predefined %s: it cannot be freed",
		haft_name_or(self, "this", name), what);
}

int haft_name_set(void *self, const char *name)
{
	if (obj_name_set(self, name, strlen(name), OBJ_C) != OBJ_OK)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a name");
	return 0;
}

int haft_name_get(const void *self, const char *null, char *buf, int *len)
{
	if (self != NULL)
		obj_name_get(self, buf, MPI_MAX_OBJECT_NAME, OBJ_C, len);
	else
		*len = snprintf(buf, MPI_MAX_OBJECT_NAME, "%s", null);
	return 0;
}

const char *haft_name_or(const void *self, const char *without, char *buf)
{
	int len = 0;

	if (self != NULL)
		obj_name_get(self, buf, MPI_MAX_OBJECT_NAME, OBJ_C, &len);
	if (len == 0)
		snprintf(buf, MPI_MAX_OBJECT_NAME, "%s", without);
	return buf;
}

const char *haft_name_window(int n, char *buf)
{
	snprintf(buf, NAME_WINDOW_MAX, "a window of %d process%s", n, n == 1 ? "" : "es");
	return buf;
}

const char *haft_comm_words(const struct comm *c, const char *without, char *buf)
{
	char window[NAME_WINDOW_MAX];

	return haft_name_or(c, c->win != NULL ? haft_name_window(c->size, window) : without, buf);
}
