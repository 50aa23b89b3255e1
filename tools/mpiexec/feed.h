// SPDX-License-Identifier: BSD-3-Clause
/* feed.h - standard input for ranks that cannot inherit the file descriptor itself.
 *
 *   terminal, or another host ---> feed_put --> buffer --+--> pipe --> rank 0
 *                                                        '--> pipe --> rank 1 (-stdin all)
 *
 * The slowest reader empties the buffer.  A rank that closes its stdin is skipped from then on. */
#ifndef MPIEXEC_FEED_H
#define MPIEXEC_FEED_H

#include <stdbool.h>
#include <stddef.h>

#define FEED_LEN 65536 /* a pipe's capacity */

/* Makes a pipe for one more rank.  Returns the read end, close-on-exec; -1 with errno on
 * failure. */
int feed_pipe(void);

bool feed_open(void);   /* a rank still reads */
size_t feed_room(void); /* bytes that feed_put accepts now; 0 without readers */
void feed_put(const void *v, size_t len);
void feed_end(void); /* end of input: pipes are closed when the buffer is empty */
/* Others read from now on: the readers so far get the end of input. */
void feed_restart(void);

int feed_fd(void); /* poll for POLLIN; -1: nothing to wait for */
void feed_work(void);
size_t feed_taken(void); /* bytes consumed by all readers since the last call */

#endif
