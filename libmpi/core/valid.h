// SPDX-License-Identifier: BSD-3-Clause
/* valid.h - the invariants of engines as functions that a program can run.
 *
 *     an engine:    haft_valid_add("name", function)        when it opens
 *     MPI_Finalize, the last MPI_Session_finalize:
 *                   haft_valid_all()      in debug and MEAN=1 builds; fuzzers: between steps
 *
 * A check changes nothing, prints nothing and allocates nothing.  It holds no lock when it returns
 * (shm_valid takes that of the segment's heap). */
#ifndef HAFT_CORE_VALID_H
#define HAFT_CORE_VALID_H

#include <stdbool.h>

#define HAFT_VALID_MAX 32 /* checks that are registered: a few per engine */

/* Registers a check under its name, which is a constant; a second time does nothing.  Called when
 * an engine opens, under the library lock if calls take it. */
void haft_valid_add(const char *name, bool (*check)(void));

/* Runs all checks.  NULL: they all hold; else the name of the first that does not. */
const char *haft_valid_all(void);

#endif
