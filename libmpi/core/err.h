// SPDX-License-Identifier: BSD-3-Clause
/* err.h - errors with words: the function that detects an error words it, its callers pass the
 * class on.
 *
 *      engine:   return haft_err(MPI_ERR_TRUNCATE, "%lld bytes from rank %d ...", ...);
 *                   │ words wait in this thread's slot                │ class
 *      caller:      │                              if (err) return err;
 *      bind:     bind_raise(...) takes the words, adds function and rank, calls the error handler
 *
 * The error code that the user gets is the class itself.  MPI_Error_string adds the words of this
 * thread's last error of that class (MPI-5.0 9.3.5). */
#ifndef HAFT_CORE_ERR_H
#define HAFT_CORE_ERR_H

#include <stdbool.h>
#include <stddef.h>

#define HAFT_ERR_TEXT_MAX \
	384 /* bytes of words, NUL included; MPI_MAX_ERROR_STRING is 512 and names come first */

/* Stores the words of an error, instead of older ones, and returns `class'.  Without memory the
 * error has no words.  Any thread. */
int haft_err(int class, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

/* haft_err_attach adds to this thread's last haft_err the communicator, window or file on which it
 * is to be raised, whatever object the call was given (one of several requests), and the code for
 * its handler if that is not the class (MPI_ERR_IN_STATUS).  haft_err_attached returns that object,
 * or NULL if none was attached to the last error of this class; *code is `class' then. */
void haft_err_attach(void *self, int code);
void *haft_err_attached(int class, int *code);

/* The words of this thread's last haft_err if it was of this class, else "".  MPI_SUCCESS has none.
 * Any thread. */
const char *haft_err_text(int class);

/* The code to raise after a user callback returned `code', which is not MPI_SUCCESS: `code' if it
 * is an error code, also one of the program's, else MPI_ERR_OTHER. */
int haft_err_of_callback(int code);

/* Drops this thread's words, so that an error without words of its own has none. */
void haft_err_clear(void);

/* Is this a class of the standard or of an extension?  Success is one. */
bool haft_err_is_class(int class);

/* The name ("MPI_ERR_RANK") and the text of a class; "unknown error class" if it has none.  Never
 * NULL. */
const char *haft_err_class_name(int class);
const char *haft_err_class_text(int class);

#endif
