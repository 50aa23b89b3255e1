// SPDX-License-Identifier: BSD-3-Clause
/* proxy_output.h - the output of an agent's ranks on its way to the root, as it comes.
 *
 * The root makes lines of it (output.h).  A rank may be OUT_WINDOW bytes ahead of the root's own
 * reader; then its pipe is left alone until there is room, while everything else goes on. */
#ifndef HAFT_TOOLS_MPIEXEC_PROXY_OUTPUT_H
#define HAFT_TOOLS_MPIEXEC_PROXY_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where it goes; len 0: the stream's end. */
typedef void proxy_out_fn(void *arg, int rank, int which, const char *v, size_t len);

void proxy_out_init(int n, proxy_out_fn *out, void *arg); /* n ranks */

/* Gives the read end of a pipe of a rank's stdout (which 0) or stderr (which 1). */
void proxy_out_add(int rank, int which, int fd);

int proxy_out_fd(void); /* to be polled for POLLIN, then proxy_out_work */
void proxy_out_work(uint64_t now_ns);

void proxy_out_room(int rank, int which, int n); /* more room; n < 0: nobody reads it any more */
void proxy_out_rest(int rank);                   /* what a rank that has died said last */
bool proxy_out_open(void);                       /* a stream can still bring something */
bool proxy_out_quiet(uint64_t now_ns, int ms);   /* none has, for so long, though it might have */
void proxy_out_cut(void);                        /* ends them all */

#endif
