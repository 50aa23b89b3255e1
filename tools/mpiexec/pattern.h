// SPDX-License-Identifier: BSD-3-Clause
/* pattern.h - texts of the command line with the facts of a rank in place of %r, %h, ...
 *
 *     out/%h.%r.txt ──┐                  ┌──> out/node7.3.txt          a file (outfile.h)
 *     [%r/%n]         ├── pattern_text ──┼──> [3/8]                    before each line (output.h)
 *     valgrind ... %r ┘                  └──> valgrind ... 3           a command (-wrap)
 *
 *     %r rank   %n %s ranks of its world   %h host   %p number of the host   %w %g its world
 *     %i rank, or world:rank of a spawned one   %o stdout or stderr   %t time of the line   %% */
#ifndef MPIEXEC_PATTERN_H
#define MPIEXEC_PATTERN_H

#define PATTERN_ALL  "rnshpwgiot%" /* the prefix of a line */
#define PATTERN_RANK "rnshpwgi%"   /* without what only a line has */

/* Stands for %t in the text; output.c writes the time there. */
#define PATTERN_TIME '\001'

struct pattern_facts {
	int rank, size, world, node;
	const char *host;
	int which; /* 0: stdout, 1: stderr */
};

/* The text, malloc'ed.  A % before another letter stays as it is. */
char *pattern_text(const char *pattern, const struct pattern_facts *f);

/* The first letter behind a % that is not one of `letters', or '?' for a % at the end; '\0': all
 * are. */
char pattern_wrong(const char *pattern, const char *letters);

#endif
