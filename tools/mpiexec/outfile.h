// SPDX-License-Identifier: BSD-3-Clause
/* outfile.h - files to which the user sends the output of ranks.
 *
 *      pattern out.%r.txt    rank 0 --> out.0.txt     rank 1 --> out.1.txt
 *      pattern all.txt       rank 0 --.
 *                            rank 1 --'--> all.txt    whole lines, as they come
 *
 *  - %r is the rank, %h the name of its host, %% a percent sign.  Directories are made.
 *  - A file is emptied when it is opened, and is mpiexec's own: it lies on the host of mpiexec. */
#ifndef MPIEXEC_OUTFILE_H
#define MPIEXEC_OUTFILE_H

#include <stddef.h>

struct outfile;

/* The file of a rank: opened, or the one of the same name that is open already.  Ends mpiexec with
 * words if it cannot be. */
struct outfile *outfile_open(const char *pattern, int rank, const char *host);

/* Writes all of it.  Returns 0, or errno the first time that it cannot be written; then the file is
 * closed, and what comes later is dropped. */
int outfile_put(struct outfile *f, const char *v, size_t len);

const char *outfile_name(const struct outfile *f);

/* Closes all.  Returns the name of one that could not be written at last, with errno; else NULL. */
const char *outfile_fini(void);

#endif
