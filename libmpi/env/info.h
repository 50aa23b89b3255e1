// SPDX-License-Identifier: BSD-3-Clause
/* info.h - info objects for the engines that take hints, and what is known of the start.
 *
 * Values are strings; these functions know the forms that every MPI understands (chapter 10):
 * "true" and "false", decimal numbers, lists with commas, blanks around them stripped. */
#ifndef HAFT_ENV_INFO_H
#define HAFT_ENV_INFO_H

#include "libmpi/core/info_object.h"
#include <stdbool.h>

/* Registers MPI_INFO_ENV and fills it.  0 or MPI_ERR_NO_MEM. */
int env_info_open(void);

/* The value of a key as it was set, or NULL.  It lives until the key is set again or deleted. */
const char *env_info_find(const struct info *info, const char *key);

/* A boolean; `normal' if it is not set or nonsense.  info may be NULL. */
bool env_info_flag(const struct info *info, const char *key, bool normal);

/* A number into *number; false, and nothing changes: it is not set, or none.  info may be NULL. */
bool env_info_number(const struct info *info, const char *key, int *number);

/* --- kinds of memory (11.4.3): lists like "mpi:alloc_mem,system" ---------------------------- */

/* The kinds that mpiexec was told to ask for, or NULL: for MPI_Session_init without an own
 * request, and for the World Model. */
const char *env_memory_kinds_requested(void);

/* What the key mpi_memory_alloc_kinds is to say where `asked' (NULL: nothing) was asked for: "mpi",
 * "system" and the elements of `asked' that are supported, as they were written.  buf:
 * MPI_MAX_INFO_VAL bytes. */
void env_memory_kinds(const char *asked, char *buf);

/* Is every element of the list supported?  If not, an mpi_assert_memory_alloc_kinds is ignored. */
bool env_memory_kinds_known(const char *list);

#endif
