// SPDX-License-Identifier: BSD-3-Clause
/* outfile.h - files for the output of ranks (-outfile-pattern, -output-filename).
 *
 *      pattern out.%r.txt    rank 0 --> out.0.txt     rank 1 --> out.1.txt
 *      pattern all.txt       rank 0 --.
 *                            rank 1 --'--> all.txt    whole lines, in the order of their arrival
 *
 *  - %r is the rank, %h the name of its host: pattern.h.  Directories are created.
 *  - A file is truncated when it is opened.  It is on the host of mpiexec. */
#ifndef MPIEXEC_OUTFILE_H
#define MPIEXEC_OUTFILE_H

#include <stddef.h>
#include "tools/mpiexec/pattern.h"

struct outfile;

/* Opens the file of a rank, or returns the open file of the same name.  NULL with
 * errno: it cannot be made. */
struct outfile *outfile_open(const char *pattern, const struct pattern_facts *rank);

/* Writes all bytes.  Returns 0, or errno at the first failure; then the file is closed, and
 * later output is dropped. */
int outfile_put(struct outfile *f, const char *v, size_t len);

/* The path of an open file; valid until outfile_fini. */
const char *outfile_name(const struct outfile *f);

/* Closes all files.  Returns the name of a file that failed at close, with errno; else NULL. */
const char *outfile_fini(void);

#endif
