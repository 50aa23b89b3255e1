// SPDX-License-Identifier: BSD-3-Clause
/* rank_name.h - the name of a process in words, of mpiexec and of the library alike.
 *
 *      rank 3              of the processes that the command line has started
 *      rank 3 of world 2   of those of the second spawn of this mpiexec */
#ifndef HAFT_CORE_RANK_NAME_H
#define HAFT_CORE_RANK_NAME_H

#include <stdio.h>

#define HAFT_RANK_NAME 48 /* bytes of a name, with the final 0 */

/* Writes the name of the process with this number in the universe, and returns it: "rank 2 of the
 * job", "rank 3 of world 2"; "a process of another world" if that is neither this process's nor
 * one of its last spawns. */
const char *haft_number_name(char name[HAFT_RANK_NAME], int number);

/* This process has spawned a world: its ranks have the numbers first .. first + n - 1. */
void haft_world_known(int world, int first, int n);

/* Writes the name of a rank of a world, and returns it.  world: 0 is the command line. */
static inline const char *haft_rank_name(char name[HAFT_RANK_NAME], int world, int rank)
{
	if (world == 0)
		snprintf(name, HAFT_RANK_NAME, "rank %d", rank);
	else
		snprintf(name, HAFT_RANK_NAME, "rank %d of world %d", rank, world);
	return name;
}

#endif
