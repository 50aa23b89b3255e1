// SPDX-License-Identifier: BSD-3-Clause
/* attr_name.h - names and attributes of communicators, datatypes and windows (MPI-5.0 7.7, 7.8).
 *
 * libobj keeps them; here its results become MPI's error classes, with words. */
#ifndef HAFT_CORE_ATTR_NAME_H
#define HAFT_CORE_ATTR_NAME_H

/* The class, with words, for an enum obj_error about attribute `key'.  OBJ_OK: 0. */
int haft_attr_err(int obj_err, int key);

/* Copies the attributes of `from' to `to', a new object of the same class, by their copy callbacks.
 * 0; or the class that a copy callback returned, or MPI_ERR_NO_MEM: `to' has no attributes then,
 * and the caller frees it.  Runs callbacks. */
int haft_attr_dup(void *from, void *to);

/* Deletes all attributes, the newest first.  0; or the class that a delete callback returned: that
 * attribute and the older ones stay.  Runs callbacks. */
int haft_attr_delete_all(void *self);

/* Frees an object for the user: runs the delete callbacks, ends the handle.  what: the object in
 * words ("communicator").  0: the handle is dead, and the caller sets the variable to the null
 * handle.  `class': the object is predefined, or is being freed already.  Else the class that a
 * delete callback returned: the handle stays.  Runs callbacks. */
int haft_obj_free(void *self, int class, const char *what);

/* Names an object.  Bytes beyond MPI_MAX_OBJECT_NAME - 1 are cut.  0 or MPI_ERR_NO_MEM. */
int haft_name_set(void *self, const char *name);

/* Copies the name of an object into buf (MPI_MAX_OBJECT_NAME bytes), "" if it has none; `null' if
 * self is NULL.  *len is its length.  Returns 0. */
int haft_name_get(const void *self, const char *null, char *buf, int *len);

/* For words: the name of an object, or `without' if it has none, in buf (MPI_MAX_OBJECT_NAME
 * bytes). Returns buf. */
const char *haft_name_or(const void *self, const char *without, char *buf);

/* For words: a window of n processes that has no name, in buf (NAME_WINDOW_MAX bytes), which is
 * returned. */
#define NAME_WINDOW_MAX 48
const char *haft_name_window(int n, char *buf);

#endif
