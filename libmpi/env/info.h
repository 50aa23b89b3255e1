// SPDX-License-Identifier: BSD-3-Clause
/* info.h - info objects for the engines that take hints; memory allocation kinds.
 *
 * Values are strings.  The functions here parse the forms of chapter 10: "true" and "false",
 * decimal numbers, lists with commas; blanks around a value do not count. */
#ifndef HAFT_ENV_INFO_H
#define HAFT_ENV_INFO_H

#include "libmpi/core/info_object.h"
#include <stdbool.h>

/* Registers MPI_INFO_ENV and fills it.  0 or MPI_ERR_NO_MEM. */
int env_info_open(void);

/* The program and its arguments, of *len bytes, each with its 0; malloc'ed.  NULL: no memory, or
 * they are not known and there is no /proc. */
char *env_command_line(size_t *len);

/* The value of a key as it was set, or NULL.  Valid until the key is set again or deleted. */
const char *env_info_find(const struct info *info, const char *key);

/* A boolean; `normal' if the key is not set or its value is no boolean.  info may be NULL. */
bool env_info_flag(const struct info *info, const char *key, bool normal);

/* Writes a number to *number.  false: the key is not set or its value is no number, and *number
 * stays.  info may be NULL. */
bool env_info_number(const struct info *info, const char *key, int *number);

/* --- memory allocation kinds (11.4.3): lists like "mpi:alloc_mem,system" -------------------- */

/* The kinds that mpiexec was asked for, or NULL: the default of MPI_Session_init, and those of the
 * World Model. */
const char *env_memory_kinds_requested(void);

/* Sets the key mpi_memory_alloc_kinds of an info for the user, where `asked' (NULL: nothing) was
 * requested: "mpi", "system", and the supported elements of `asked' as written.  0 or
 * MPI_ERR_NO_MEM with words. */
int env_memory_kinds_set(struct info *info, const char *asked);

/* true: every element of the list is supported.  An mpi_assert_memory_alloc_kinds with another one
 * is ignored. */
bool env_memory_kinds_known(const char *list);

#endif
