// SPDX-License-Identifier: BSD-3-Clause
/* error_code.h - error classes and codes that the program adds to ours (MPI-5.0 9.5.1).
 *
 *     0 .. 62, 1001 .. 1018,
 *     MPI_ERR_LASTCODE             the standard's classes: errors.def
 *     16385 .. HAFT_CODE_OWN       those of extensions (MPIX_): errors.def
 *     HAFT_CODE_OWN + 1 ..         the program's: a row each, with its class, its text, its codes
 *
 * Works at any time, from any thread. */
#ifndef HAFT_CORE_ERROR_CODE_H
#define HAFT_CORE_ERROR_CODE_H

#include <mpi-ext.h>
#include <stddef.h>

#define HAFT_CODE_OWN MPIX_ERR_REVOKED /* the last class of the library: err.c asserts it */

/* The largest error code in use, at least HAFT_CODE_OWN.  The attribute MPI_LASTUSEDCODE points
 * to it. */
extern int haft_code_last;

/* Adds a code of `class', which is one of the standard's or the program's; class < 0: adds a class.
 * *code is its number.  0; MPI_ERR_ARG (no such class), MPI_ERR_NO_MEM. */
int haft_code_add(int class, int *code);

/* Removes a code (a class if is_class).  0; MPI_ERR_ARG: the program has not added it, or it still
 * has a text or codes. */
int haft_code_remove(int code, int is_class);

/* Sets the text of a code of the program, copied; NULL removes it.  0, MPI_ERR_ARG,
 * MPI_ERR_NO_MEM. */
int haft_code_text_set(int code, const char *text);

/* The class of a code, or -1 if there is no such code. */
int haft_code_class(int code);

/* Copies the text of a code of the program into buf (n bytes), "" if it has none.  0; -1: the
 * program has not added the code. */
int haft_code_text(int code, char *buf, size_t n);

#endif
