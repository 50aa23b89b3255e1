// SPDX-License-Identifier: BSD-3-Clause
/* leak.h - the report of what a program has not given back. */
#ifndef HAFT_LIFE_LEAK_H
#define HAFT_LIFE_LEAK_H

#include <stdbool.h>

/* With HAFT_LEAKS=1: prints every live handle of the user, unreceived message and attached buffer
 * of this process to stderr as one table, a line for each place of the program that made some;
 * nothing if there is nothing.  Else it does nothing.  To be called while
 * p2p is still open.  stopped: nobody sends any more; else messages of communicators that are not
 * known here are left out, for they may be from somebody's next session. */
void life_leak_report(bool stopped);

#endif
