// SPDX-License-Identifier: BSD-3-Clause
/* start.h - what a process has when it starts: its pages, and the words of its command. */
#ifndef HAFT_CORE_START_H
#define HAFT_CORE_START_H

/* Takes the pages of small variables at once, where the system can: one by one each would be two
 * faults, for a read and for a write. */
void haft_small_pages_take(void);

/* The first word of the command line, and in *last the last one, as the process got them.  They and
 * those between are one text of the stack, with a 0 behind each.  NULL: not known. */
const char *haft_command_words(const char **last);

#endif
