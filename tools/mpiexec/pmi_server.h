// SPDX-License-Identifier: BSD-3-Clause
/* pmi_server.h - a PMI-1 server: starts programs of MPICH and other PMI-1 clients as ranks.
 *
 *   MPICH program --- PMI_FD: "cmd=put key=.. value=.." ---> pmi_work: a table, a barrier
 *
 * Each rank inherits one end of a socket; MPI_Init of Haft does not use it.  The server is
 * idle until a rank writes.  Haft programs ask it to spawn processes and for names. */
#ifndef HAFT_TOOLS_MPIEXEC_PMI_SERVER_H
#define HAFT_TOOLS_MPIEXEC_PMI_SERVER_H

struct local_ranks;
struct pmi_server;
struct world;

/* Receives a request that only the root can answer, of the process of an entry: a line, or the
 * lines of mcmd=spawn.  The root replies by pmi_reply, perhaps later. */
typedef void pmi_request_fn(void *arg, int entry, const char *text);

/* Creates a server for the local ranks.  If the job has other hosts, a PMI client ends the job with
 * words: the key table is local.  Returns NULL if there are no file descriptors for it. */
struct pmi_server *pmi_new(struct local_ranks *c, pmi_request_fn *request, void *arg);
void pmi_free(struct pmi_server *p); /* NULL is allowed */

/* The rank's end of its socket, close-on-exec; the caller closes it once the rank runs.  -1:
 * none. */
int pmi_give(struct pmi_server *p, int local);

/* The server's end of the socket of a row, which this server did not make. */
void pmi_take(struct pmi_server *p, int local, int fd);

/* Sends a reply, with its newline. */
void pmi_reply(struct pmi_server *p, int local, const char *line);

/* Closes the socket of a row; forgets the keys of a world.  NULL is allowed. */
void pmi_drop(struct pmi_server *p, int local);
void pmi_space_drop(struct pmi_server *p, const struct world *w);

/* An fd that is readable when pmi_work has work; -1 for NULL. */
int pmi_fd(const struct pmi_server *p);

/* Answers requests.  Never blocks. */
void pmi_work(struct pmi_server *p);

#endif
