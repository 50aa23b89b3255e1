// SPDX-License-Identifier: BSD-3-Clause
/* error_code.h - error classes and codes that the program adds to ours (MPI-5.0 9.5.1).
 *
 *     0 .. 62, 1001 .. 1018        the standard's classes: errors.def
 *     MPI_ERR_LASTCODE + 1 ..      the program's: a row each, with its class, its text, its codes
 *
 * Works at any time, from any thread. */
#ifndef HAFT_CORE_ERROR_CODE_H
#define HAFT_CORE_ERROR_CODE_H

#include <stddef.h>

/* The largest number in use, at least MPI_ERR_LASTCODE: what the attribute MPI_LASTUSEDCODE points
 * to. */
extern int haft_code_last;

/* A new code of `class', which is one of the standard's or the program's; class < 0: a new class.
 * 0; MPI_ERR_ARG (no such class), MPI_ERR_NO_MEM. */
int haft_code_add(int class, int *code);

/* Ends a code (a class if is_class).  0; MPI_ERR_ARG: it is none, or it still has a text or codes.
 */
int haft_code_remove(int code, int is_class);

/* Gives a code of the program a text, copied; NULL takes it away.  0, MPI_ERR_ARG, MPI_ERR_NO_MEM.
 */
int haft_code_text_set(int code, const char *text);

/* The class of a code, or -1 if there is no such code. */
int haft_code_class(int code);

/* Copies the text of a code of the program ("" if it has none).  0; -1: it is none of the
 * program's. */
int haft_code_text(int code, char *buf, size_t n);

#endif
