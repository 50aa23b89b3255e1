// SPDX-License-Identifier: BSD-3-Clause
/* leak.h - the report of objects that a program has not freed. */
#ifndef HAFT_LIFE_LEAK_H
#define HAFT_LIFE_LEAK_H

#include <stdbool.h>

/* With HAFT_LEAKS=1: prints to stderr, as one table, every live handle of the user, every message
 * that was not received and every attached buffer of this process: a line for each call site.
 * Prints nothing if there is nothing.  Called while p2p is open.  stopped: no process sends any
 * more; else messages of unknown communicators are left out, because they may be for a later
 * session. */
void life_leak_report(bool stopped);

#endif
