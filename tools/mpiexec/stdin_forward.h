// SPDX-License-Identifier: BSD-3-Clause
/* stdin_forward.h - standard input for ranks that cannot inherit the file descriptor itself.
 *
 *   terminal, or another host ---> stdin_push --> buffer --+--> pipe --> rank 0
 *                                                          '--> pipe --> rank 1 (-stdin all)
 *
 * The slowest reader empties the buffer.  A rank that closes its stdin is skipped from then on. */
#ifndef HAFT_TOOLS_MPIEXEC_STDIN_FORWARD_H
#define HAFT_TOOLS_MPIEXEC_STDIN_FORWARD_H

#include <stdbool.h>
#include <stddef.h>

#define STDIN_LEN 65536 /* a pipe's capacity */

/* Makes a pipe for one more rank.  Returns the read end, close-on-exec; -1 with errno on
 * failure. */
int stdin_pipe(void);

bool stdin_has_reader(void); /* a rank still reads */
size_t stdin_room(void);     /* bytes that stdin_push accepts now; 0 without readers */
void stdin_push(const void *v, size_t len);
void stdin_end(void); /* end of input: pipes are closed when the buffer is empty */
/* Others read from now on: the readers so far get the end of input. */
void stdin_restart(void);

int stdin_pipes_fd(void); /* poll for POLLIN; -1: nothing to wait for */
void stdin_flush(void);
size_t stdin_consumed(void); /* bytes consumed by all readers since the last call */

#endif
