// SPDX-License-Identifier: BSD-3-Clause
/* feed.h - what ranks of this host read from stdin, when they cannot have the fd itself.
 *
 *   terminal, or another host ---> feed_put --> buffer --+--> pipe --> rank 0
 *                                                        '--> pipe --> rank 1 (-stdin all)
 *
 * The buffer is emptied by the slowest; who has closed his stdin reads no more. */
#ifndef MPIEXEC_FEED_H
#define MPIEXEC_FEED_H

#include <stdbool.h>
#include <stddef.h>

#define FEED_LEN 65536 /* a pipe's capacity */

/* A pipe for one more rank.  Returns the end that it reads, close-on-exec; -1 with errno. */
int feed_pipe(void);

bool feed_open(void);   /* somebody reads */
size_t feed_room(void); /* bytes that feed_put takes now; 0 if nobody reads */
void feed_put(const void *v, size_t len);
void feed_end(void); /* there is no more: pipes are closed once they are served */

int feed_fd(void); /* to be polled for POLLIN; -1: nothing to wait for */
void feed_work(void);
size_t feed_taken(void); /* bytes that all have taken since the last call */

#endif
