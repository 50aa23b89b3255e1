// SPDX-License-Identifier: BSD-3-Clause
/* pmi_server.h - a PMI-1 server: starts programs of MPICH and other PMI-1 clients as ranks.
 *
 *   MPICH program --- PMI_FD: "cmd=put key=.. value=.." ---> pmi_work: a table, a barrier
 *
 * Each rank inherits one end of a socket; Haft programs only mark it close-on-exec.  The server is
 * idle until a rank writes. */
#ifndef HAFT_TOOLS_MPIEXEC_PMI_SERVER_H
#define HAFT_TOOLS_MPIEXEC_PMI_SERVER_H

#include <stddef.h>
#include <stdint.h>

struct local_ranks;
struct pmi_server;

/* Creates a server for the local ranks.  If the job has other hosts, a PMI client ends the job with
 * words: the key table is local.  Returns NULL if there are no file descriptors for it; only PMI
 * clients need it. */
struct pmi_server *pmi_new(struct local_ranks *c);
void pmi_free(struct pmi_server *p); /* NULL is allowed */

/* The rank's end of its socket, close-on-exec; the caller closes it once the rank runs.  -1:
 * none. */
int pmi_give(struct pmi_server *p, int local);

/* An fd that is readable when pmi_work has work; -1 for NULL. */
int pmi_fd(const struct pmi_server *p);

/* Answers requests.  Never blocks. */
void pmi_work(struct pmi_server *p);

#endif
