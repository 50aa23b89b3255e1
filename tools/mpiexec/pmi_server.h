// SPDX-License-Identifier: BSD-3-Clause
/* pmi_server.h - programs of MPICH, and of all who speak PMI-1, as ranks.
 *
 *   MPICH program --- PMI_FD: "cmd=put key=.. value=.." ---> pmi_work: a table, a barrier
 *
 * Each rank inherits one end of a socket, whoever it is; ours only mark it close-on-exec.  Nothing
 * is done here until a rank writes. */
#ifndef HAFT_TOOLS_MPIEXEC_PMI_SERVER_H
#define HAFT_TOOLS_MPIEXEC_PMI_SERVER_H

#include <stddef.h>
#include <stdint.h>

struct crew;
struct pmi;

/* A server for the crew.  If that is not the whole job, such a program ends the job with words:
 * there is no table over several hosts.  NULL: there are no descriptors for it, and nothing but
 * such programs misses it. */
struct pmi *pmi_new(struct crew *c);
void pmi_free(struct pmi *p); /* also of NULL */

/* The rank's end of its socket, a close-on-exec fd for the caller to close once the rank runs; -1
 * if there is none. */
int pmi_give(struct pmi *p, int near);

/* An fd that is readable when pmi_work has something to do; -1 for NULL. */
int pmi_fd(const struct pmi *p);

/* Answers what ranks have asked.  Never blocks. */
void pmi_work(struct pmi *p);

#endif
