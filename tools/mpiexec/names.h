// SPDX-License-Identifier: BSD-3-Clause
/* names.h - the names that MPI_Publish_name gives to ports: known to all worlds of this mpiexec.
 *
 * A request to withdraw a name may say which port it leads to; else, as with PMI-1, any will do.
 * A name belongs to the process that has published it, and ends with it: only that process
 * withdraws it, or publishes it again, with mode=replace (MPI-5.0 11.9.4 leaves that to us). */
#ifndef HAFT_TOOLS_MPIEXEC_NAMES_H
#define HAFT_TOOLS_MPIEXEC_NAMES_H

struct job;

/* The requests publish_name, unpublish_name and lookup_name (PMI-1), and their answers. */
void names_publish(struct job *j, int entry, const char *line);
void names_unpublish(struct job *j, int entry, const char *line);
void names_lookup(struct job *j, int entry, const char *line);

/* Forgets the names of the process with this number in the universe: it has ended. */
void names_drop(int number);

#endif
