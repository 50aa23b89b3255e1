// SPDX-License-Identifier: BSD-3-Clause
/* attr_name.h - what hangs on communicators, datatypes and windows: names and attributes (MPI-5.0 7.7,
 * 7.8).  libobj keeps them; here its answers become MPI's error classes, with words. */
#ifndef HAFT_CORE_ATTR_NAME_H
#define HAFT_CORE_ATTR_NAME_H

/* The class, with words, for an enum obj_error about attribute `key'.  OBJ_OK: 0. */
int haft_attr_err(int obj_err, int key);

/* Copies the attributes of `from' that want it to `to', a new object of the same class.  0; the
 * class of what the copy callback returned, or MPI_ERR_NO_MEM: `to' has none then, and the caller
 * frees it.  Runs callbacks. */
int haft_attr_dup(void *from, void *to);

/* Deletes all attributes, the newest first.  0; the class of what a delete callback returned: that
 * attribute and the older ones stay.  Runs callbacks. */
int haft_attr_delete_all(void *self);

/* The user's goodbye to an object, which is "communicator" or so in words: runs the delete
 * callbacks, ends the handle.  0: the handle is dead, the variable is to become the null handle.
 * `class' (predefined, or being freed already); the class of what a delete callback returned: the
 * handle stays.  Runs callbacks. */
int haft_obj_free(void *self, int class, const char *what);

/* Names an object; what is longer than MPI_MAX_OBJECT_NAME - 1 bytes is cut.  0, MPI_ERR_NO_MEM. */
int haft_name_set(void *self, const char *name);

/* The name of an object into buf (MPI_MAX_OBJECT_NAME bytes), "" if it has none; self NULL: `null'.
 * *len: its length.  0. */
int haft_name_get(const void *self, const char *null, char *buf, int *len);

/* For words: the name of an object, or `without' if it has none, in buf (MPI_MAX_OBJECT_NAME
 * bytes). Returns buf. */
const char *haft_name_or(const void *self, const char *without, char *buf);

#endif
