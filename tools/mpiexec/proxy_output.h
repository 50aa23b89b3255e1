// SPDX-License-Identifier: BSD-3-Clause
/* proxy_output.h - forwards the output of a proxy's ranks to the root, unchanged.
 *
 * The root forms lines (output.h).  Each stream has a credit of OUT_WINDOW bytes; without credit
 * its pipe is not read, and other streams continue. */
#ifndef HAFT_TOOLS_MPIEXEC_PROXY_OUTPUT_H
#define HAFT_TOOLS_MPIEXEC_PROXY_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Receives output; len 0: end of the stream. */
typedef void proxy_out_fn(void *arg, int rank, int which, const char *v, size_t len);

/* Output goes to out(arg, ...) from now on. */
void proxy_out_init(proxy_out_fn *out, void *arg);

/* Adds the read end of a pipe of a rank's stdout (which 0) or stderr (which 1). */
void proxy_out_add(int rank, int which, int fd);

int proxy_out_fd(void); /* poll for POLLIN, then proxy_out_work */
void proxy_out_work(uint64_t now_ns);

/* The root's answers, and the end of streams. */
void proxy_out_credit(
	int rank, int which, int n); /* more credit; n < 0: the output is no longer read */
void proxy_out_rest(int rank);       /* reads the last output of a dead rank */
bool proxy_out_open(void);           /* a stream is still open */
bool proxy_out_idle(
	uint64_t now_ns, int ms); /* no bytes came for `ms', and no stream lacked credit */
void proxy_out_cut(void);         /* ends all streams */

#endif
