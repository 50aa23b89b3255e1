// SPDX-License-Identifier: BSD-3-Clause
/* relay.h - the output of an agent's ranks on its way to the root, as it comes.
 *
 * The root makes lines of it (out.h).  A rank may be OUT_WINDOW bytes ahead of the root's own
 * reader; then its pipe is left alone until there is room, while everything else goes on. */
#ifndef MPIEXEC_RELAY_H
#define MPIEXEC_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where it goes; len 0: the stream's end. */
typedef void relay_out_fn(void *arg, int rank, int which, const char *v, size_t len);

void relay_init(int n, relay_out_fn *out, void *arg); /* n ranks */

/* Gives the read end of a pipe of a rank's stdout (which 0) or stderr (which 1). */
void relay_add(int rank, int which, int fd);

int relay_fd(void); /* to be polled for POLLIN, then relay_work */
void relay_work(uint64_t now_ns);

void relay_room(int rank, int which, int n); /* more room; n < 0: nobody reads it any more */
void relay_hear(int rank);                   /* what a rank that has died said last */
bool relay_open(void);                       /* a stream can still bring something */
bool relay_quiet(uint64_t now_ns, int ms);   /* none has, for so long, though it might have */
void relay_cut(void);                        /* ends them all */

#endif
