// SPDX-License-Identifier: BSD-3-Clause
/* leak.h - the report of what a program has not given back. */
#ifndef HAFT_DYN_LEAK_H
#define HAFT_DYN_LEAK_H

/* With HAFT_LEAKS=1: prints every live handle of the user, unreceived message and attached buffer
 * of this process to stderr as one table, a line for each place of the program that made some;
 * nothing if there is nothing.  Else it does nothing.  To be called when messages have stopped and
 * p2p is still open. */
void leak_report(void);

#endif
